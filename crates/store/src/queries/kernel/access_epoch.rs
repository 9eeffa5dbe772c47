//! Access epochs: incremented by every write that may change permissions, and checked by the statements that rely on
//! them.

use std::collections::BTreeSet;

use diesel::prelude::*;
use diesel::sql_types::Bool;
use steward_domain::kernel::changes::{Entity, Write};
use steward_domain::kernel::{AccessBasis, AccessEpoch, AccountId, ProjectId, ProjectUserId, TeamId};

use super::Conn;
use super::data::deleted_user;
use super::statement::{Fragment, Statement};
use crate::error::JobError;

/// Appends, after another condition, the condition that the store still has the basis of an access decision.
pub(crate) fn push_basis_condition<T>(statement: &mut Statement<T>, basis: &AccessBasis) {
    if let Some((project, AccessEpoch(epoch))) = basis.project {
        const PROJECT: &str = " AND (SELECT access_epoch FROM projects WHERE id = $1) = $2";
        statement.push(PROJECT, &[Fragment::id(project), Fragment::Count(epoch)]);
    }
    if let Some((account, AccessEpoch(epoch))) = basis.account {
        const ACCOUNT: &str = " AND (SELECT access_epoch FROM accounts WHERE id = $1) = $2";
        statement.push(ACCOUNT, &[Fragment::id(account), Fragment::Count(epoch)]);
    }
    if let Some(key) = basis.signed_by {
        statement.push(" AND EXISTS (SELECT 1 FROM server_keys WHERE id = $1)", &[Fragment::id(key)]);
    }
}

/// Returns whether the store still has the basis of an access decision, and the user, if one is given, is not being deleted.
pub(crate) fn is_current(
    conn: &mut Conn,
    basis: &AccessBasis,
    user: Option<(ProjectId, ProjectUserId)>,
) -> Result<bool, JobError> {
    let mut is_current: Statement<Bool> = Statement::new();
    is_current.sql("SELECT TRUE WHERE TRUE");
    if let Some((project, user)) = user {
        deleted_user::push_not_being_deleted(&mut is_current, project, user);
    }
    push_basis_condition(&mut is_current, basis);
    let found: Option<bool> = is_current.get_result(conn).optional()?;
    Ok(found.is_some())
}

/// Whose epoch a change increments. All changes use this order, so that they cannot deadlock.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Incremented {
    /// That of all projects of a team.
    Team(TeamId),
    Project(ProjectId),
    Account(AccountId),
}

/// Returns the project or account of a replaced or removed resource: access that it granted may end.
fn increment_for(entity: &Entity) -> Option<Incremented> {
    Some(match entity {
        // The team may require a second factor from now on.
        Entity::Team(team) => Incremented::Team(team.id),
        Entity::Project(project) => Incremented::Project(project.id),
        Entity::ApiKey(key) => Incremented::Project(key.project_id),
        Entity::Client(client) => Incremented::Project(client.project_id),
        Entity::Account(account) => Incremented::Account(account.id),
        Entity::Member(member) => Incremented::Account(member.account_id),
        Entity::ProjectUser(user) => Incremented::Account(user.account_id),
        Entity::Grant(grant) => Incremented::Account(grant.account_id),
        Entity::TokenFamily(family) => Incremented::Account(family.account_id),
        Entity::PersonalToken(token) => Incremented::Account(token.account_id),
        _ => return None,
    })
}

/// Increments the epochs of the projects and accounts whose access the writes may change.
pub(crate) fn increment<'a>(conn: &mut Conn, writes: impl Iterator<Item = &'a Write>) -> Result<(), JobError> {
    let increments = writes.filter_map(|write| match write {
        // A personal token may have relied on it.
        Write::Remove(Entity::AuthenticatorApp(app)) => Some(Incremented::Account(app.account_id)),
        Write::Remove(Entity::Passkey(passkey)) => Some(Incremented::Account(passkey.account_id)),
        Write::Replace(entity) | Write::Remove(entity) => increment_for(entity),
        // Items are validated against the newest schema.
        Write::Insert(Entity::Schema(version)) => Some(Incremented::Project(version.project_id)),
        // Sign-ins without the second factor no longer confirm changes.
        Write::Insert(Entity::AuthenticatorApp(app)) => Some(Incremented::Account(app.account_id)),
        // A new resource only adds permissions, and only granted permissions are cached.
        Write::Insert(_)
        | Write::Lock(_)
        | Write::Hold(_)
        | Write::PutItem(..)
        | Write::RemoveItem(..)
        | Write::EraseItems(..)
        | Write::RemoveUserData(..)
        | Write::RecordReceipt(_)
        | Write::UseInviteProof(..)
        | Write::KeepDeletion(_)
        | Write::EndDeletion(..)
        | Write::RestoreItem(..)
        | Write::ImportItem(..)
        | Write::AdvanceImport(..)
        | Write::SaveDraft(_)
        | Write::DiscardDraft(..) => None,
    });
    const TEAM: &str = "UPDATE projects SET access_epoch = access_epoch + 1 WHERE team_id = $1";
    const PROJECT: &str = "UPDATE projects SET access_epoch = access_epoch + 1 WHERE id = $1";
    const ACCOUNT: &str = "UPDATE accounts SET access_epoch = access_epoch + 1 WHERE id = $1";
    for incremented in increments.collect::<BTreeSet<_>>() {
        let (statement, id) = match incremented {
            Incremented::Team(id) => (TEAM, id.uuid()),
            Incremented::Project(id) => (PROJECT, id.uuid()),
            Incremented::Account(id) => (ACCOUNT, id.uuid()),
        };
        Statement::<()>::numbered(statement, &[Fragment::id(id)]).execute(conn)?;
    }
    Ok(())
}
