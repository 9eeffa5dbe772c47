//! Queries for accounts.

use async_trait::async_trait;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use steward_domain::data::ProjectUser;
use steward_domain::identity::{Account, AccountCleanup, AccountFilter, AccountReader, Email, Username};
use steward_domain::kernel::error::ResourceKind;
use steward_domain::kernel::{AccessEpoch, AccountId, Page, PageRequest, ServerKeyId, StoreError, TeamId, Time};
use uuid::Uuid;

use super::dialect::NOT_CANCELLED;
use super::kernel::page::{self, contains_pattern};
use super::server_key;
use super::{Backend, Conn, Database};
use crate::error::{JobError, expect_one};
use crate::sql_types::{At, Id, Json};
use crate::tables::{
    AccountRow, ColumnValue as _, ProjectUserRow, Revised as _, accounts, audit_events, authenticator_apps,
    authorization_codes, email_links, grants, idempotency_claims, invites, linked_identities, passkeys,
    personal_tokens, project_users, projects, recovery_codes, schema_drafts, sessions, token_families,
};

/// The action of the event that an account is no longer an operator.
const OPERATOR_REMOVED: &str = "account.operator_removed";

#[async_trait]
impl AccountReader for Database {
    async fn account(&self, id: AccountId) -> Result<Option<Account>, StoreError> {
        self.first(accounts::table.find(Id(id.uuid())).filter(accounts::deleted_at.is_null())).await
    }

    async fn signed_account(
        &self,
        id: AccountId,
        signed_by: ServerKeyId,
    ) -> Result<Option<(Account, AccessEpoch)>, StoreError> {
        let found = accounts::table.find(Id(id.uuid())).filter(accounts::deleted_at.is_null());
        let signed = found.filter(server_key::is_stored(Id(signed_by.uuid())));
        let signed = signed.select((AccountRow::as_select(), accounts::access_epoch));
        self.first_as(signed, |(row, epoch): (AccountRow, i64)| Ok((row.try_into()?, AccessEpoch(epoch)))).await
    }

    async fn account_by_email(&self, email: &Email) -> Result<Option<Account>, StoreError> {
        let found = accounts::table.filter(accounts::email_folded.eq(email.folded()));
        self.first(found.filter(accounts::deleted_at.is_null())).await
    }

    async fn account_by_username(&self, username: &Username) -> Result<Option<Account>, StoreError> {
        self.first(accounts::table.filter(accounts::username_folded.eq(username.folded()))).await
    }

    async fn accounts(&self, filter: &AccountFilter, page: &PageRequest) -> Result<Page<Account>, StoreError> {
        let existing = accounts::table.filter(accounts::deleted_at.is_null()).filter(sql::<Bool>(NOT_CANCELLED));
        let mut found = page::listed!(oldest first, existing, page, page.rows(), accounts::created_at, accounts::id);
        if let Some(text) = &filter.email_contains {
            let [name, domain] = Email::folded_parts(text).map(|part| contains_pattern(&part));
            let contains_name = accounts::email_folded.like(name).escape('\\');
            found = found.filter(contains_name.or(accounts::email_folded.like(domain).escape('\\')));
        }
        if filter.only_disabled {
            found = found.filter(accounts::disabled_at.is_not_null());
        }
        if filter.only_operators {
            found = found.filter(accounts::is_operator);
        }
        self.page(found, page, |account: &Account| page::cursor(account.created_at, account.id)).await
    }

    async fn had_account(&self) -> Result<bool, StoreError> {
        // The row of a deleted account remains.
        let any = accounts::table.select(accounts::id);
        Ok(self.first_as(any, |id: Id| Ok(id)).await?.is_some())
    }
}

#[async_trait]
impl AccountCleanup for Database {
    async fn account_to_delete(
        &self,
        after: Option<AccountId>,
        started_before: Time,
    ) -> Result<Option<AccountId>, StoreError> {
        let started = accounts::table
            .filter(accounts::deletion_started_at.lt(At(started_before)))
            .filter(accounts::id.gt(Id(after.map_or(Uuid::nil(), |id| id.uuid()))));
        self.first_as(started.order(accounts::id).select(accounts::id), |id: Id| id.load()).await
    }

    async fn account_with_due_removal(&self, now: Time) -> Result<Option<AccountId>, StoreError> {
        let due = accounts::table.filter(accounts::factors_removal_at.le(At(now)));
        let due = due.filter(accounts::deleted_at.is_null()).order(accounts::factors_removal_at);
        self.first_as(due.select(accounts::id), |id: Id| id.load()).await
    }

    async fn users_of(&self, account: AccountId, limit: u16) -> Result<Vec<(TeamId, ProjectUser)>, StoreError> {
        let users = project_users::table
            .inner_join(projects::table.on(projects::id.eq(project_users::project_id)))
            .filter(project_users::account_id.eq(Id(account.uuid())))
            .filter(projects::deleted_at.is_null())
            .select((projects::team_id, ProjectUserRow::as_select()))
            .order(project_users::project_id)
            .limit(i64::from(limit));
        self.all_as(users, |(team, user): (Id, ProjectUserRow)| Ok((team.load()?, user.try_into()?))).await
    }

    async fn clear_account_events(
        &self,
        account: AccountId,
        after: i64,
        limit: u16,
    ) -> Result<Option<i64>, StoreError> {
        self.write(move |conn| {
            let mut batch: Vec<i64> = Vec::new();
            for chain in chains_with_events_of(conn, Id(account.uuid()))? {
                let mut events = unchained().filter(audit_events::position.gt(after)).into_boxed::<Backend>();
                if let Some(chain) = chain {
                    events = events.filter(audit_events::chain_id.eq(chain));
                }
                let positions = events.select(audit_events::position).order(audit_events::position);
                batch.extend(positions.limit(i64::from(limit)).load::<i64>(conn)?);
            }
            batch.sort_unstable();
            batch.truncate(usize::from(limit));
            let is_target = audit_events::target_kind
                .eq(ResourceKind::Account.as_str())
                .and(audit_events::target_id.eq(account.to_string()));
            let concerns_account = is_target.or(audit_events::actor_id.assume_not_null().eq(Id(account.uuid())));
            diesel::update(unchained().filter(audit_events::position.eq_any(&batch)).filter(concerns_account))
                .set((
                    audit_events::before.eq(None::<Json>),
                    audit_events::after.eq(None::<Json>),
                    audit_events::address.eq(None::<String>),
                ))
                .execute(conn)?;
            Ok(batch.last().copied())
        })
        .await
    }
}

/// Selects the events without a team. They have no chain and are not sealed.
#[diesel::dsl::auto_type(no_type_alias)]
fn unchained() -> _ {
    audit_events::table.filter(audit_events::team_id.is_null())
}

/// Returns where the events of an account without a team are stored: in the chain of what they are about. Those of earlier
/// versions have the nil UUID. An operator, also a former one, changes other accounts, so all are examined: `None`.
fn chains_with_events_of(conn: &mut Conn, account: Id) -> Result<Vec<Option<Id>>, JobError> {
    let removals = unchained().filter(audit_events::chain_id.eq(account));
    let was_operator = diesel::dsl::exists(removals.filter(audit_events::action.eq(OPERATOR_REMOVED)));
    let is_operator = diesel::dsl::exists(accounts::table.find(account).filter(accounts::is_operator));
    let administered: bool = diesel::select(is_operator.or(was_operator)).get_result(conn)?;
    Ok(if administered { vec![None] } else { vec![Some(account), Some(Id(Uuid::nil()))] })
}

/// Clears the row and deletes the data that depends on it. The row itself remains, because resources that the account
/// created refer to its ID.
pub(crate) fn remove(conn: &mut Conn, account: &Account, at: Time) -> Result<(), JobError> {
    let id = Id(account.id.uuid());
    let placeholder = format!("{}@deleted.invalid", account.id);
    let cleared = diesel::update(account.current()?.filter(accounts::deleted_at.is_null()))
        .set((
            accounts::email.eq(&placeholder),
            accounts::email_folded.eq(&placeholder),
            accounts::email_verified.eq(false),
            accounts::username.eq(None::<String>),
            accounts::username_folded.eq(None::<String>),
            accounts::name.eq(None::<String>),
            accounts::password_hash.eq(""),
            accounts::language.eq(None::<String>),
            accounts::disabled_at.eq(At(account.disabled_at.unwrap_or(at))),
            accounts::deletion_started_at.eq(None::<At>),
            accounts::is_operator.eq(false),
            accounts::deleted_at.eq(At(at)),
            accounts::revision.eq(accounts::revision + 1),
        ))
        .execute(conn)?;
    expect_one(cleared, ResourceKind::Account)?;
    diesel::delete(sessions::table.filter(sessions::account_id.eq(id))).execute(conn)?;
    diesel::delete(authenticator_apps::table.filter(authenticator_apps::account_id.eq(id))).execute(conn)?;
    diesel::delete(recovery_codes::table.filter(recovery_codes::account_id.eq(id))).execute(conn)?;
    diesel::delete(passkeys::table.filter(passkeys::account_id.eq(id))).execute(conn)?;
    diesel::delete(linked_identities::table.filter(linked_identities::account_id.eq(id))).execute(conn)?;
    diesel::delete(personal_tokens::table.filter(personal_tokens::account_id.eq(id))).execute(conn)?;
    diesel::delete(grants::table.filter(grants::account_id.eq(id))).execute(conn)?;
    diesel::delete(authorization_codes::table.filter(authorization_codes::account_id.eq(id))).execute(conn)?;
    diesel::delete(token_families::table.filter(token_families::account_id.eq(id))).execute(conn)?;
    diesel::delete(invites::table.filter(invites::decided_by.eq(id))).execute(conn)?;
    diesel::delete(schema_drafts::table.filter(schema_drafts::account_id.eq(id))).execute(conn)?;
    diesel::delete(email_links::table.filter(email_links::email.eq(account.email.as_str()))).execute(conn)?;
    let own = idempotency_claims::caller.eq(format!("account:{}", account.id));
    Ok(diesel::delete(idempotency_claims::table.filter(own)).execute(conn).map(drop)?)
}
