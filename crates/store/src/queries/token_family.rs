//! Queries for token families and refresh tokens.

use std::sync::Arc;

use diesel::prelude::*;
use steward_domain::error::ResourceKind;
use steward_domain::model::{
    AccessEpoch, AccountId, ProjectId, RefreshState, RefreshToken, Revision, ScopeSet, ServerKeyId, SessionId, Time,
    TokenDigest, TokenFamily, TokenFamilyId, TokenFamilyWithAccount, UserBearer,
};
use uuid::Uuid;

use super::account::Row as AccountRow;
use super::client::{client, project_of};
use super::page::MAX_ROWS;
use super::project::{ProjectInTeamRow, ProjectRow, in_team, newest_number};
use super::project_user::Row as UserRow;
use super::{Conn, server_key};
use crate::error::{JobError, expect_one};
use crate::sql_types::{At, Id};
use crate::tables::{accounts, project_users, projects, refresh_tokens, teams, token_families};

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = token_families, treat_none_as_null = true)]
struct FamilyRow {
    id: Id,
    account_id: Id,
    client_id: String,
    project_id: Option<Id>,
    session_id: Option<Id>,
    /// Not updated, so that scopes of a newer version of the service are preserved.
    #[diesel(skip_update)]
    scopes: String,
    authenticated_at: At,
    password_set_at: At,
    created_at: At,
    revoked_at: Option<At>,
    revision: i64,
}

impl From<FamilyRow> for TokenFamily {
    fn from(row: FamilyRow) -> Self {
        Self {
            id: row.id.0.into(),
            account_id: row.account_id.0.into(),
            client: client(row.client_id, row.project_id),
            session_id: row.session_id.map(|id| id.0.into()),
            scopes: ScopeSet::parse(&row.scopes),
            authenticated_at: row.authenticated_at.0,
            password_set_at: row.password_set_at.0,
            created_at: row.created_at.0,
            revoked_at: row.revoked_at.map(|at| at.0),
            revision: Revision(row.revision),
        }
    }
}

impl From<&TokenFamily> for FamilyRow {
    fn from(family: &TokenFamily) -> Self {
        Self {
            id: Id(family.id.uuid()),
            account_id: Id(family.account_id.uuid()),
            client_id: family.client.as_str().to_owned(),
            project_id: project_of(&family.client),
            session_id: family.session_id.map(|id| Id(id.uuid())),
            scopes: family.scopes.to_string(),
            authenticated_at: At(family.authenticated_at),
            password_set_at: At(family.password_set_at),
            created_at: At(family.created_at),
            revoked_at: family.revoked_at.map(At),
            revision: family.revision.0,
        }
    }
}

fn of_account((family, account, epoch): (FamilyRow, AccountRow, i64)) -> Result<TokenFamilyWithAccount, JobError> {
    Ok(TokenFamilyWithAccount { family: family.into(), account: account.try_into()?, access_epoch: AccessEpoch(epoch) })
}

pub(super) fn family(
    conn: &mut Conn,
    id: TokenFamilyId,
    signed_by: Option<ServerKeyId>,
) -> Result<Option<TokenFamilyWithAccount>, JobError> {
    let mut query = token_families::table
        .inner_join(accounts::table)
        .filter(token_families::id.eq(Id(id.uuid())))
        .select((FamilyRow::as_select(), AccountRow::as_select(), accounts::access_epoch))
        .into_boxed();
    if let Some(key) = signed_by {
        query = query.filter(server_key::is_stored(Id(key.uuid())));
    }
    query.first(conn).optional()?.map(of_account).transpose()
}

pub(super) fn active(
    conn: &mut Conn,
    account: AccountId,
    project: Option<ProjectId>,
    now: Time,
) -> Result<Vec<TokenFamily>, JobError> {
    let valid_tokens = refresh_tokens::table
        .filter(refresh_tokens::family_id.eq(token_families::id))
        .filter(refresh_tokens::replaced_at.is_null())
        .filter(refresh_tokens::expires_at.gt(At(now)));
    let query = token_families::table
        .filter(token_families::account_id.eq(Id(account.uuid())))
        .filter(token_families::revoked_at.is_null())
        .filter(diesel::dsl::exists(valid_tokens))
        .select(FamilyRow::as_select())
        .order((token_families::created_at.desc(), token_families::id.desc()))
        .limit(MAX_ROWS)
        .into_boxed();
    let query = match project {
        Some(project) => query.filter(token_families::project_id.eq(Id(project.uuid()))),
        None => query.filter(token_families::project_id.is_null()),
    };
    let rows: Vec<FamilyRow> = query.load(conn)?;
    Ok(rows.into_iter().map(Into::into).collect())
}

pub(super) fn of_session(
    conn: &mut Conn,
    session: SessionId,
    after: Option<TokenFamilyId>,
    limit: u16,
) -> Result<Vec<TokenFamily>, JobError> {
    let rows: Vec<FamilyRow> = token_families::table
        .filter(token_families::session_id.eq(Id(session.uuid())))
        .filter(token_families::id.gt(Id(after.map_or(Uuid::nil(), TokenFamilyId::uuid))))
        .select(FamilyRow::as_select())
        .order(token_families::id.asc())
        .limit(i64::from(limit))
        .load(conn)?;
    Ok(rows.into_iter().map(Into::into).collect())
}

pub(super) fn is_refreshable(conn: &mut Conn, id: TokenFamilyId, now: Time) -> Result<bool, JobError> {
    let valid_tokens = refresh_tokens::table
        .filter(refresh_tokens::family_id.eq(Id(id.uuid())))
        .filter(refresh_tokens::replaced_at.is_null())
        .filter(refresh_tokens::expires_at.gt(At(now)));
    Ok(diesel::select(diesel::dsl::exists(valid_tokens)).get_result(conn)?)
}

type BearerRow = (FamilyRow, AccountRow, i64, UserRow, ProjectInTeamRow);

pub(super) fn user_bearer(
    conn: &mut Conn,
    id: TokenFamilyId,
    signed_by: Option<ServerKeyId>,
) -> Result<Option<(TokenFamilyWithAccount, UserBearer)>, JobError> {
    let is_user = project_users::project_id
        .nullable()
        .eq(token_families::project_id)
        .and(project_users::account_id.eq(token_families::account_id));
    let mut query = token_families::table
        .inner_join(accounts::table)
        .inner_join(project_users::table.on(is_user))
        .inner_join(projects::table.on(projects::id.eq(project_users::project_id)))
        .inner_join(teams::table.on(teams::id.eq(projects::team_id)))
        .filter(token_families::id.eq(Id(id.uuid())))
        .filter(projects::deleted_at.is_null())
        .select((
            FamilyRow::as_select(),
            AccountRow::as_select(),
            accounts::access_epoch,
            UserRow::as_select(),
            (ProjectRow::as_select(), teams::name, teams::slug, newest_number(), projects::access_epoch),
        ))
        .into_boxed();
    if let Some(key) = signed_by {
        query = query.filter(server_key::is_stored(Id(key.uuid())));
    }
    let row: Option<BearerRow> = query.first(conn).optional()?;
    let Some((family, account, epoch, user, project)) = row else { return Ok(None) };
    let (family, project) = (of_account((family, account, epoch))?, in_team(project)?);
    let scopes = family.family.scopes.clone();
    Ok(Some((family, UserBearer { user: user.try_into()?, project: Arc::new(project), scopes })))
}

pub(super) fn insert(conn: &mut Conn, family: &TokenFamily) -> Result<(), JobError> {
    diesel::insert_into(token_families::table).values(FamilyRow::from(family)).execute(conn)?;
    Ok(())
}

pub(super) fn replace(conn: &mut Conn, family: &TokenFamily) -> Result<(), JobError> {
    let row = FamilyRow::from(family);
    let target = token_families::table.find(row.id).filter(token_families::revision.eq(row.revision));
    let row = FamilyRow { revision: row.revision + 1, ..row };
    expect_one(diesel::update(target).set(row).execute(conn)?, ResourceKind::TokenFamily)
}

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = refresh_tokens, treat_none_as_null = true)]
struct RefreshRow {
    id: Id,
    family_id: Id,
    digest: String,
    issued_at: At,
    expires_at: At,
    replaced_at: Option<At>,
    answer: Option<Vec<u8>>,
    revision: i64,
}

impl TryFrom<RefreshRow> for RefreshToken {
    type Error = JobError;

    fn try_from(row: RefreshRow) -> Result<Self, JobError> {
        Ok(Self {
            id: row.id.0.into(),
            family_id: row.family_id.0.into(),
            digest: TokenDigest(row.digest),
            issued_at: row.issued_at.0,
            expires_at: row.expires_at.0,
            state: match (row.replaced_at, row.answer) {
                (None, None) => RefreshState::Current,
                (Some(at), answer) => RefreshState::Replaced { at: at.0, answer },
                (None, Some(_)) => {
                    return Err(JobError::corrupt("a refresh token with `answer` but without `replaced_at`"));
                }
            },
            revision: Revision(row.revision),
        })
    }
}

impl From<&RefreshToken> for RefreshRow {
    fn from(token: &RefreshToken) -> Self {
        let (replaced_at, answer) = match &token.state {
            RefreshState::Current => (None, None),
            RefreshState::Replaced { at, answer } => (Some(At(*at)), answer.clone()),
        };
        Self {
            id: Id(token.id.uuid()),
            family_id: Id(token.family_id.uuid()),
            digest: token.digest.0.clone(),
            issued_at: At(token.issued_at),
            expires_at: At(token.expires_at),
            replaced_at,
            answer,
            revision: token.revision.0,
        }
    }
}

pub(super) fn refresh_token(
    conn: &mut Conn,
    digest: &TokenDigest,
) -> Result<Option<(RefreshToken, TokenFamilyWithAccount)>, JobError> {
    let row: Option<(RefreshRow, (FamilyRow, AccountRow, i64))> = refresh_tokens::table
        .inner_join(token_families::table.inner_join(accounts::table))
        .filter(refresh_tokens::digest.eq(&digest.0))
        .select((RefreshRow::as_select(), (FamilyRow::as_select(), AccountRow::as_select(), accounts::access_epoch)))
        .first(conn)
        .optional()?;
    row.map(|(token, family)| Ok((token.try_into()?, of_account(family)?))).transpose()
}

pub(super) fn insert_refresh_token(conn: &mut Conn, token: &RefreshToken) -> Result<(), JobError> {
    diesel::insert_into(refresh_tokens::table).values(RefreshRow::from(token)).execute(conn)?;
    Ok(())
}

pub(super) fn replace_refresh_token(conn: &mut Conn, token: &RefreshToken) -> Result<(), JobError> {
    let row = RefreshRow::from(token);
    let earlier = refresh_tokens::table
        .filter(refresh_tokens::family_id.eq(row.family_id))
        .filter(refresh_tokens::answer.is_not_null());
    diesel::update(earlier).set(refresh_tokens::answer.eq(None::<Vec<u8>>)).execute(conn)?;
    let target = refresh_tokens::table.find(row.id).filter(refresh_tokens::revision.eq(row.revision));
    let row = RefreshRow { revision: row.revision + 1, ..row };
    expect_one(diesel::update(target).set(row).execute(conn)?, ResourceKind::RefreshToken)
}
