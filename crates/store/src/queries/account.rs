//! Accounts in rows.

use diesel::prelude::*;
use steward_domain::error::ResourceKind;
use steward_domain::model::{
    Account, AccountFilter, AccountId, Cursor, Email, Name, Page, PageRequest, PasswordHash, ProjectUser, Revision,
    ServerKeyId, TeamId, Time, Username,
};

use uuid::Uuid;

use super::project_user::Row as UserRow;
use super::{Conn, page, server_key};
use crate::error::JobError;
use crate::sql_types::{At, Id, Json};
use crate::tables::{
    accounts, audit_events, authorization_codes, email_links, grants, idempotency_claims, invites, personal_tokens,
    project_users, projects, sessions, token_families,
};

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = accounts)]
pub(super) struct Row {
    id: Id,
    email: String,
    email_folded: String,
    email_verified: bool,
    username: Option<String>,
    username_folded: Option<String>,
    name: Option<String>,
    password_hash: String,
    password_set_at: At,
    created_at: At,
    disabled_at: Option<At>,
    revision: i64,
}

impl TryFrom<Row> for Account {
    type Error = JobError;

    fn try_from(row: Row) -> Result<Self, JobError> {
        Ok(Self {
            id: row.id.0.into(),
            email: Email::parse(&row.email).map_err(JobError::corrupt)?,
            email_verified: row.email_verified,
            username: row.username.map(|text| Username::parse(&text)).transpose().map_err(JobError::corrupt)?,
            name: row.name.map(|text| Name::parse(&text)).transpose().map_err(JobError::corrupt)?,
            password: PasswordHash::new(row.password_hash),
            password_set_at: row.password_set_at.0,
            created_at: row.created_at.0,
            disabled_at: row.disabled_at.map(|at| at.0),
            revision: Revision(row.revision),
        })
    }
}

impl From<&Account> for Row {
    fn from(account: &Account) -> Self {
        Self {
            id: Id(account.id.uuid()),
            email: account.email.as_str().to_owned(),
            email_folded: account.email.folded(),
            email_verified: account.email_verified,
            username: account.username.as_ref().map(|name| name.as_str().to_owned()),
            username_folded: account.username.as_ref().map(Username::folded),
            name: account.name.as_ref().map(|name| name.as_str().to_owned()),
            password_hash: account.password.as_str().to_owned(),
            password_set_at: At(account.password_set_at),
            created_at: At(account.created_at),
            disabled_at: account.disabled_at.map(At),
            revision: account.revision.0,
        }
    }
}

pub(super) fn by_id(conn: &mut Conn, id: AccountId) -> Result<Option<Account>, JobError> {
    let row = accounts::table
        .find(Id(id.uuid()))
        .filter(accounts::deleted_at.is_null())
        .select(Row::as_select())
        .first(conn)
        .optional()?;
    row.map(TryInto::try_into).transpose()
}

pub(super) fn signed(conn: &mut Conn, id: AccountId, signed_by: ServerKeyId) -> Result<Option<Account>, JobError> {
    let found = accounts::table.find(Id(id.uuid())).filter(accounts::deleted_at.is_null());
    let signed = found.filter(server_key::is_stored(Id(signed_by.uuid())));
    let row = signed.select(Row::as_select()).first(conn).optional()?;
    row.map(TryInto::try_into).transpose()
}

pub(super) fn by_email(conn: &mut Conn, email: &Email) -> Result<Option<Account>, JobError> {
    let found =
        accounts::table.filter(accounts::email_folded.eq(email.folded())).filter(accounts::deleted_at.is_null());
    let row = found.select(Row::as_select()).first(conn).optional()?;
    row.map(TryInto::try_into).transpose()
}

pub(super) fn by_username(conn: &mut Conn, username: &Username) -> Result<Option<Account>, JobError> {
    let found = accounts::table.filter(accounts::username_folded.eq(username.folded()));
    let row = found.select(Row::as_select()).first(conn).optional()?;
    row.map(TryInto::try_into).transpose()
}

pub(super) fn insert(conn: &mut Conn, account: &Account) -> Result<(), JobError> {
    diesel::insert_into(accounts::table).values(Row::from(account)).execute(conn)?;
    Ok(())
}

pub(super) fn replace(conn: &mut Conn, account: &Account) -> Result<(), JobError> {
    let row = Row::from(account);
    let target = accounts::table.filter(accounts::id.eq(row.id)).filter(accounts::revision.eq(row.revision));
    let changed = diesel::update(target)
        .set((
            accounts::email.eq(row.email),
            accounts::email_folded.eq(row.email_folded),
            accounts::email_verified.eq(row.email_verified),
            accounts::username.eq(row.username),
            accounts::username_folded.eq(row.username_folded),
            accounts::name.eq(row.name),
            accounts::password_hash.eq(row.password_hash),
            accounts::password_set_at.eq(row.password_set_at),
            accounts::disabled_at.eq(row.disabled_at),
            accounts::revision.eq(accounts::revision + 1),
        ))
        .execute(conn)?;
    super::commit::one(changed, ResourceKind::Account)
}

/// Empties the row and removes what hangs on it. The row itself stays: what the account made names its id.
pub(super) fn remove(conn: &mut Conn, account: &Account, at: Time) -> Result<(), JobError> {
    let id = Id(account.id.uuid());
    let nobody = format!("{}@deleted.invalid", account.id);
    let target = accounts::table.filter(accounts::id.eq(id)).filter(accounts::revision.eq(account.revision.0));
    let emptied = diesel::update(target.filter(accounts::deleted_at.is_null()))
        .set((
            accounts::email.eq(&nobody),
            accounts::email_folded.eq(&nobody),
            accounts::email_verified.eq(false),
            accounts::username.eq(None::<String>),
            accounts::username_folded.eq(None::<String>),
            accounts::name.eq(None::<String>),
            accounts::password_hash.eq(""),
            accounts::disabled_at.eq(At(account.disabled_at.unwrap_or(at))),
            accounts::deleted_at.eq(At(at)),
            accounts::revision.eq(accounts::revision + 1),
        ))
        .execute(conn)?;
    super::commit::one(emptied, ResourceKind::Account)?;
    diesel::delete(sessions::table.filter(sessions::account_id.eq(id))).execute(conn)?;
    diesel::delete(personal_tokens::table.filter(personal_tokens::account_id.eq(id))).execute(conn)?;
    diesel::delete(grants::table.filter(grants::account_id.eq(id))).execute(conn)?;
    diesel::delete(authorization_codes::table.filter(authorization_codes::account_id.eq(id))).execute(conn)?;
    diesel::delete(token_families::table.filter(token_families::account_id.eq(id))).execute(conn)?;
    diesel::delete(invites::table.filter(invites::decided_by.eq(id))).execute(conn)?;
    diesel::delete(email_links::table.filter(email_links::email.eq(account.email.as_str()))).execute(conn)?;
    let caller = format!("account:{}", account.id);
    diesel::delete(idempotency_claims::table.filter(idempotency_claims::caller.eq(caller))).execute(conn)?;
    Ok(())
}

pub(super) fn list(conn: &mut Conn, filter: &AccountFilter, request: &PageRequest) -> Result<Page<Account>, JobError> {
    let mut query = accounts::table
        .filter(accounts::deleted_at.is_null())
        .select(Row::as_select())
        .order((accounts::created_at.asc(), accounts::id.asc()))
        .limit(page::limit(request))
        .into_boxed();
    if let Some(text) = &filter.email_contains {
        let text = text.to_ascii_lowercase().replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
        query = query.filter(accounts::email_folded.like(format!("%{text}%")).escape('\\'));
    }
    if filter.only_disabled {
        query = query.filter(accounts::disabled_at.is_not_null());
    }
    if let Some((at, id)) = page::after(request) {
        let later = accounts::created_at.gt(at);
        query = query.filter(later.or(accounts::created_at.eq(at).and(accounts::id.gt(id))));
    }
    let place = |account: &Account| Cursor { at: account.created_at, id: account.id.to_string() };
    page::parsed(query.load(conn)?, request, place)
}

pub(super) fn users_of(conn: &mut Conn, id: AccountId, most: u16) -> Result<Vec<(TeamId, ProjectUser)>, JobError> {
    let rows: Vec<(Id, UserRow)> = project_users::table
        .inner_join(projects::table.on(projects::id.eq(project_users::project_id)))
        .filter(project_users::account_id.eq(Id(id.uuid())))
        .filter(projects::deleted_at.is_null())
        .select((projects::team_id, UserRow::as_select()))
        .order(project_users::id)
        .limit(i64::from(most))
        .load(conn)?;
    rows.into_iter().map(|(team, user)| Ok((team.0.into(), user.try_into()?))).collect()
}

pub(super) fn forget_events(conn: &mut Conn, id: AccountId, after: i64, most: u16) -> Result<Option<i64>, JobError> {
    // What is about no team has no chain, and is not sealed.
    let of_no_chain = || {
        let of_no_chain = audit_events::table.filter(audit_events::chain_id.eq(Id(Uuid::nil())));
        of_no_chain.filter(audit_events::position.gt(after))
    };
    let step: Vec<i64> =
        of_no_chain().select(audit_events::position).order(audit_events::position).limit(i64::from(most)).load(conn)?;
    let Some(last) = step.last().copied() else { return Ok(None) };
    let is_target =
        audit_events::target_kind.eq(ResourceKind::Account.as_str()).and(audit_events::target_id.eq(id.to_string()));
    let concerned = is_target.or(audit_events::actor_id.assume_not_null().eq(Id(id.uuid())));
    diesel::update(of_no_chain().filter(audit_events::position.le(last)).filter(concerned))
        .set((
            audit_events::before.eq(None::<Json>),
            audit_events::after.eq(None::<Json>),
            audit_events::address.eq(None::<String>),
        ))
        .execute(conn)?;
    Ok(Some(last))
}
