//! Access epochs: raised with every write that may change what somebody may do, and proven by the statements that act on it.

use std::collections::BTreeSet;

use diesel::prelude::*;
use diesel::sql_types::Bool;
use steward_domain::changes::{Subject, Write};
use steward_domain::model::{AccessBasis, AccessEpoch};
use uuid::Uuid;

use super::Conn;
use super::statement::Statement;
use crate::error::JobError;
use crate::sql_types::Id;
use crate::tables::{accounts, projects};

/// Adds to a statement, after another condition, that the store has what the decision rests on.
pub(super) fn prove<T>(statement: &mut Statement<T>, basis: &AccessBasis) {
    if let Some((project, AccessEpoch(epoch))) = basis.project {
        statement.sql(" AND (SELECT access_epoch FROM projects WHERE id = ");
        statement.id(project.uuid());
        statement.sql(") = ");
        statement.count(epoch);
    }
    if let Some((account, AccessEpoch(epoch))) = basis.account {
        statement.sql(" AND (SELECT access_epoch FROM accounts WHERE id = ");
        statement.id(account.uuid());
        statement.sql(") = ");
        statement.count(epoch);
    }
    if let Some(key) = basis.signed_by {
        statement.sql(" AND EXISTS (SELECT 1 FROM server_keys WHERE id = ");
        statement.id(key.uuid());
        statement.sql(")");
    }
}

/// Whether the store has what a decision rests on.
pub(super) fn is_current(conn: &mut Conn, basis: &AccessBasis) -> Result<bool, JobError> {
    let mut is_current: Statement<Bool> = Statement::new();
    is_current.sql("SELECT TRUE WHERE TRUE");
    prove(&mut is_current, basis);
    let found: Option<bool> = is_current.get_result(conn).optional()?;
    Ok(found.is_some())
}

/// Whose epochs a change raises, in one order everywhere so that nobody waits in a circle.
#[derive(Default)]
struct EpochIncrements {
    projects: BTreeSet<Uuid>,
    accounts: BTreeSet<Uuid>,
}

impl EpochIncrements {
    /// A replaced or removed thing: what it allowed may be allowed no more.
    fn by_change_of(&mut self, subject: &Subject) {
        let project = match subject {
            Subject::Project(project) => Some(project.id),
            Subject::ApiKey(key) => Some(key.project_id),
            _ => None,
        };
        let account = match subject {
            Subject::Account(account) => Some(account.id),
            Subject::Member(member) => Some(member.account_id),
            Subject::ProjectUser(user) => Some(user.account_id),
            Subject::Grant(grant) => Some(grant.account_id),
            Subject::TokenFamily(family) => Some(family.account_id),
            Subject::PersonalToken(token) => Some(token.account_id),
            _ => None,
        };
        self.projects.extend(project.map(|id| id.uuid()));
        self.accounts.extend(account.map(|id| id.uuid()));
    }
}

/// Raises the epochs of whatever the writes may allow or deny.
pub(super) fn raise(conn: &mut Conn, writes: &[Write]) -> Result<(), JobError> {
    let mut raised = EpochIncrements::default();
    for write in writes {
        match write {
            Write::Replace(subject) | Write::Remove(subject) => raised.by_change_of(subject),
            // Items are checked by the newest schema.
            Write::Insert(Subject::Schema(version)) => drop(raised.projects.insert(version.project_id.uuid())),
            // What is new allows more, and only what is allowed is remembered.
            Write::Insert(_)
            | Write::Lock(_)
            | Write::Hold(_)
            | Write::PutItem(..)
            | Write::RemoveItem(..)
            | Write::EraseItems(..) => {}
        }
    }
    for id in raised.projects {
        let project = projects::table.find(Id(id));
        diesel::update(project).set(projects::access_epoch.eq(projects::access_epoch + 1)).execute(conn)?;
    }
    for id in raised.accounts {
        let account = accounts::table.find(Id(id));
        diesel::update(account).set(accounts::access_epoch.eq(accounts::access_epoch + 1)).execute(conn)?;
    }
    Ok(())
}
