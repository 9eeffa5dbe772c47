//! Access epochs: incremented by every write that may change permissions, and checked by the statements that rely on
//! them.

use std::collections::BTreeSet;

use diesel::prelude::*;
use diesel::sql_types::Bool;
use steward_domain::kernel::changes::{Entity, Write};
use steward_domain::kernel::{AccessBasis, AccessEpoch, ProjectId, ProjectUserId};
use uuid::Uuid;

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

/// Projects, teams with all their projects, and accounts whose epochs a change increments. All changes use the same order, so that they cannot
/// deadlock.
#[derive(Default)]
struct EpochIncrements {
    teams: BTreeSet<Uuid>,
    projects: BTreeSet<Uuid>,
    accounts: BTreeSet<Uuid>,
}

impl EpochIncrements {
    /// Adds the project or account of a replaced or removed resource: access that it granted may end.
    fn add_entity(&mut self, entity: &Entity) {
        // The team may require a second factor from now on.
        self.teams.extend(match entity {
            Entity::Team(team) => Some(team.id.uuid()),
            _ => None,
        });
        let project = match entity {
            Entity::Project(project) => Some(project.id),
            Entity::ApiKey(key) => Some(key.project_id),
            Entity::Client(client) => Some(client.project_id),
            _ => None,
        };
        let account = match entity {
            Entity::Account(account) => Some(account.id),
            Entity::Member(member) => Some(member.account_id),
            Entity::ProjectUser(user) => Some(user.account_id),
            Entity::Grant(grant) => Some(grant.account_id),
            Entity::TokenFamily(family) => Some(family.account_id),
            Entity::PersonalToken(token) => Some(token.account_id),
            _ => None,
        };
        self.projects.extend(project.map(|id| id.uuid()));
        self.accounts.extend(account.map(|id| id.uuid()));
    }
}

/// Increments the epochs of the projects and accounts whose access the writes may change.
pub(crate) fn increment<'a>(conn: &mut Conn, writes: impl Iterator<Item = &'a Write>) -> Result<(), JobError> {
    let mut increments = EpochIncrements::default();
    for write in writes {
        match write {
            // A personal token may have relied on it.
            Write::Remove(Entity::AuthenticatorApp(app)) => drop(increments.accounts.insert(app.account_id.uuid())),
            Write::Remove(Entity::Passkey(passkey)) => drop(increments.accounts.insert(passkey.account_id.uuid())),
            Write::Replace(entity) | Write::Remove(entity) => increments.add_entity(entity),
            // Items are validated against the newest schema.
            Write::Insert(Entity::Schema(version)) => drop(increments.projects.insert(version.project_id.uuid())),
            // Sign-ins without the second factor no longer confirm changes.
            Write::Insert(Entity::AuthenticatorApp(app)) => drop(increments.accounts.insert(app.account_id.uuid())),
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
            | Write::DiscardDraft(..) => {}
        }
    }
    const TEAM: &str = "UPDATE projects SET access_epoch = access_epoch + 1 WHERE team_id = $1";
    const PROJECT: &str = "UPDATE projects SET access_epoch = access_epoch + 1 WHERE id = $1";
    const ACCOUNT: &str = "UPDATE accounts SET access_epoch = access_epoch + 1 WHERE id = $1";
    let EpochIncrements { teams, projects, accounts } = increments;
    for (increment, ids) in [(TEAM, teams), (PROJECT, projects), (ACCOUNT, accounts)] {
        for id in ids {
            Statement::<()>::numbered(increment, &[Fragment::id(id)]).execute(conn)?;
        }
    }
    Ok(())
}
