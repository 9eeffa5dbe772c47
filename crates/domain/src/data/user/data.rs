//! Exporting and erasing the data that a project stores about a user.

use crate::administration::Day;
use crate::data::user::granted_email;
use crate::data::{DataCore, ItemKey, ProjectUser, StoredItem, UserStatus};
use crate::identity::{DeletionProgress, Email, Grant, Scope};
use crate::kernel::changes::Changes;
use crate::kernel::error::{Error, Forbidden, ResourceKind};
use crate::kernel::policy::{Lane, Operation, Permit};
use crate::kernel::work::Work;
use crate::kernel::{
    Caller, PageSize, Precondition, ProjectId, ProjectUserId, RetryError, Time, retry_stale, use_cases,
};

/// How many rows are deleted in one transaction.
const ERASE_BATCH_SIZE: u16 = 500;
/// Maximum number of such transactions while a request to delete a user waits.
const MAX_STEPS: usize = 20;

/// All data that a project stores about a user except items, which are read separately in pages.
#[derive(Debug, Clone, PartialEq)]
pub struct UserExport {
    /// The operation that started the export.
    operation: Operation,
    /// When the export started.
    pub at: Time,
    /// The project user, including the project's notes about them.
    pub user: ProjectUser,
    /// The address of the account, if the user granted it.
    pub email: Option<Email>,
    /// The scopes that the user granted to the project; `None` without a grant.
    pub grant: Option<Grant>,
    /// Days on which the user was active, oldest first.
    pub active_days: Vec<Day>,
}

use_cases! {
    /// Use cases of a user's data in a project.
    #[derive(Clone)]
    pub struct UserData { core: DataCore }
}

impl UserData {
    /// Starts an export of a user's data for the project.
    pub async fn export(&self, caller: &Caller, project: ProjectId, id: ProjectUserId) -> Result<UserExport, Error> {
        self.core.access.project(caller, project).await?.permit(Operation::UserExport).await?;

        let user = self.core.readable_user(project, id).await?;
        self.started(Operation::UserExport, user).await
    }

    /// Starts an export of the caller's own data.
    pub async fn export_own(&self, caller: &Caller, project: ProjectId) -> Result<UserExport, Error> {
        let own = caller.user()?.user.clone();
        self.core.access.project(caller, project).await?.permit(Operation::OwnExport).await?;

        self.started(Operation::OwnExport, own).await
    }

    async fn started(&self, operation: Operation, user: ProjectUser) -> Result<UserExport, Error> {
        let grant = self.core.ports.authorizations.grant(user.account_id, user.project_id).await?;
        let active_days = self.core.ports.project_users.active_days(user.project_id, user.id).await?;
        let email = granted_email(&*self.core.ports.project_users, &user).await?;
        Ok(UserExport { operation, at: self.core.now(), user, email, grant, active_days })
    }

    /// Returns the next items of an export, ordered by table and ID; empty after the last item. Each call checks the
    /// caller's permission again. Items written during the export may or may not be included.
    pub async fn next_items(
        &self,
        caller: &Caller,
        export: &UserExport,
        after: Option<ItemKey>,
        size: PageSize,
    ) -> Result<Vec<StoredItem>, Error> {
        let user = &export.user;
        self.core.access.project(caller, user.project_id).await?.permit_data(export.operation, user.id).await?;

        let items = self.core.ports.items.items_after(user.project_id, user.id, after, size).await?;
        // Checked after the items are read: a deletion that had started by then may have deleted some of them.
        self.core.readable_user(user.project_id, user.id).await?;
        Ok(items)
    }

    /// Erases all data that the project stores about a user. The first transaction marks the user as being deleted, blocks
    /// them and deletes the grant with all tokens. Then the items and other rows of the user are deleted in batches, and
    /// the user with the last one. What remains after a limited number of batches, or after a crash, is deleted in the
    /// background. The precondition applies to the user before the first transaction.
    pub async fn erase(
        &self,
        caller: &Caller,
        project: ProjectId,
        id: ProjectUserId,
        when: &Precondition,
    ) -> Result<DeletionProgress, Error> {
        let permit = async || self.core.access.project(caller, project).await?.permit(Operation::UserDelete).await;
        retry_stale(async || {
            let permit = permit().await?;

            let user = self.core.user(project, id).await?;
            when.check(ResourceKind::ProjectUser, user.revision)?;

            self.start_erasing(permit, user).await
        })
        .await?;
        let permit = permit().await?;
        for _ in 0..MAX_STEPS {
            if self.erase_next(&permit, project, id).await? == DeletionProgress::Complete {
                return Ok(DeletionProgress::Complete);
            }
            Work::set_lane(Lane::Heavy);
        }
        Ok(DeletionProgress::Continues)
    }

    /// Performs one step of erasing a user: marks them as being deleted, deletes a batch of their data, and the user with
    /// the last batch.
    pub(crate) async fn erase_batch(&self, permit: &Permit, user: &ProjectUser) -> Result<DeletionProgress, Error> {
        let (project, id) = (user.project_id, user.id);
        retry_stale(async || {
            let Some(user) = self.core.ports.project_users.user(project, id).await? else { return Ok(()) };
            self.start_erasing(permit.clone(), user).await
        })
        .await?;
        match self.erase_next(permit, project, id).await {
            // Another process has completed the deletion in the meantime.
            Err(Error::NotFound(ResourceKind::ProjectUser)) => Ok(DeletionProgress::Complete),
            other => other,
        }
    }

    /// Deletes a batch of the data of a user who is being deleted, and the user with the last batch.
    async fn erase_next(
        &self,
        permit: &Permit,
        project: ProjectId,
        id: ProjectUserId,
    ) -> Result<DeletionProgress, Error> {
        retry_stale(async || {
            let data = Changes::by(permit.clone(), self.core.now()).remove_user_data(project, id, ERASE_BATCH_SIZE);
            if self.core.commit(data).await?.erased >= usize::from(ERASE_BATCH_SIZE) {
                return Ok(DeletionProgress::Continues);
            }

            let user = self.core.user(project, id).await?;

            let changes = Changes::by(permit.clone(), self.core.now()).remove(user);
            self.core.commit(changes).await?;
            Ok(DeletionProgress::Complete)
        })
        .await
    }

    /// Disconnects the caller from the project and deletes the grant with all tokens. With `erase_items`, their items
    /// are deleted first; the token stays valid until then, so that the caller can retry if this is interrupted. The
    /// precondition applies to the user before the first transaction.
    pub async fn leave(
        &self,
        caller: &Caller,
        project: ProjectId,
        erase_items: bool,
        when: &Precondition,
    ) -> Result<(), Error> {
        let own = caller.user()?;
        let permit = self.core.access.project(caller, project).await?.permit(Operation::OwnAppLeave).await?;
        if erase_items && !own.scopes.has(Scope::DbWrite) {
            return Err(Forbidden::WrongScope(Scope::DbWrite).into());
        }

        let disconnect = async |ends_grant: bool, when: &Precondition| {
            let user = self.core.user(project, own.user.id).await?;
            when.check(ResourceKind::ProjectUser, user.revision)?;
            let ended = match user.status {
                UserStatus::Blocked => user.clone(),
                _ => ProjectUser { status: UserStatus::Disconnected, ..user.clone() },
            };
            self.end_access(permit.clone(), user, ended, ends_grant).await
        };
        if !erase_items {
            return retry_stale(async || disconnect(true, when).await).await;
        }
        retry_stale(async || disconnect(false, when).await).await?;
        self.erase_items(&permit, project, own.user.id).await?;
        retry_stale(async || disconnect(true, &Precondition::None).await).await
    }

    /// Marks a user as being deleted, and ends their access.
    async fn start_erasing(&self, permit: Permit, user: ProjectUser) -> Result<(), RetryError> {
        let deleting = user.deleting(self.core.now());
        self.end_access(permit, user, deleting, true).await
    }

    /// Prevents further writes for a user and, with `ends_grant`, deletes the grant.
    async fn end_access(
        &self,
        permit: Permit,
        user: ProjectUser,
        ended: ProjectUser,
        ends_grant: bool,
    ) -> Result<(), RetryError> {
        let grant = match ends_grant {
            true => self.core.ports.authorizations.grant(user.account_id, user.project_id).await?,
            false => None,
        };

        // Write the grant before the user, as everywhere, to prevent deadlocks.
        let mut changes = Changes::by(permit, self.core.now());
        if let Some(grant) = grant {
            changes = changes.remove(grant);
        }
        if user != ended {
            changes = changes.replace(user, ended);
        }
        if changes.recorded_writes().is_empty() { Ok(()) } else { self.core.save(changes).await }
    }

    /// Deletes the items of a user in steps. Those after the first are heavy work, so that they delay no interactive
    /// requests.
    async fn erase_items(&self, permit: &Permit, project: ProjectId, user: ProjectUserId) -> Result<(), Error> {
        loop {
            let changes = Changes::by(permit.clone(), self.core.now()).erase_items(project, user, ERASE_BATCH_SIZE);
            if self.core.commit(changes).await?.erased < usize::from(ERASE_BATCH_SIZE) {
                return Ok(());
            }
            Work::set_lane(Lane::Heavy);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::administration::ProjectMembership;
    use crate::identity::{ClientScopes, ScopeSet};
    use crate::kernel::changes::{Entity, RecordedWrite, Write};
    use crate::kernel::policy::RoleSet;
    use crate::kernel::{Committed, Revision};
    use crate::mocks::{MockStore, a_caller, a_project_in_team, a_user_bearer, id_of, instant, mock_data};

    fn a_grant(user: &ProjectUser) -> Grant {
        Grant {
            id: id_of("grant").into(),
            account_id: user.account_id,
            project_id: user.project_id,
            scopes: ScopeSet::parse("openid"),
            client_scopes: ClientScopes::default(),
            created_at: instant(),
            updated_at: instant(),
            revision: Revision::FIRST,
        }
    }

    /// Erases a user with this many rows. Returns the kinds of writes of each commit.
    async fn erased(user: ProjectUser, grant: Option<Grant>, rows: usize) -> Vec<String> {
        let mut store = MockStore::default();
        let project = Arc::new(a_project_in_team());
        store
            .access
            .expect_project_membership()
            .returning(move |_, _| Ok(Some(ProjectMembership { project: project.clone(), roles: RoleSet::owner() })));
        let found = user.clone();
        store.project_users.expect_user().returning(move |_, _| Ok(Some(found.clone())));
        store.authorizations.expect_grant().returning(move |_, _| Ok(grant.clone()));
        let commits = Arc::new(Mutex::new((Vec::new(), rows)));
        let recorded = commits.clone();
        store.unit_of_work.expect_commit().returning(move |changes| {
            let mut recorded = recorded.lock().unwrap();
            recorded.0.push(changes.writes().map(summary).collect::<Vec<_>>().join(", "));
            let erases = matches!(changes.recorded_writes(), [RecordedWrite { write: Write::RemoveUserData(..), .. }]);
            let erased = if erases { recorded.1.min(usize::from(ERASE_BATCH_SIZE)) } else { 0 };
            recorded.1 -= erased;
            Ok(Committed { erased, ..Committed::default() })
        });
        let data = UserData::new(&mock_data(store));
        data.erase(&a_caller("owner"), user.project_id, user.id, &Precondition::None).await.unwrap();
        let commits = commits.lock().unwrap();
        commits.0.clone()
    }

    fn summary(write: &Write) -> String {
        match write {
            Write::Replace(Entity::ProjectUser(user)) => user.status.as_str().to_owned(),
            Write::Remove(entity) => format!("no {}", entity.kind().as_str()),
            Write::RemoveUserData(..) => "data".to_owned(),
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn a_user_is_blocked_before_their_data_is_deleted_and_is_deleted_last() {
        let user = a_user_bearer("ann").user;
        let commits = erased(user.clone(), Some(a_grant(&user)), 1_001).await;
        assert_eq!(commits, ["no grant, blocked", "data", "data", "data", "no project_user"]);
        let disconnected = ProjectUser { status: UserStatus::Disconnected, ..user };
        assert_eq!(erased(disconnected, None, 0).await, ["blocked", "data", "no project_user"]);
    }

    #[tokio::test]
    async fn a_request_deletes_a_limited_number_of_rows() {
        let user = a_user_bearer("ann").user;
        let commits = erased(user, None, usize::from(ERASE_BATCH_SIZE) * (MAX_STEPS + 1)).await;
        assert_eq!(commits.len(), 1 + MAX_STEPS);
        assert_eq!(commits.last().map(String::as_str), Some("data"));
    }

    #[tokio::test]
    async fn an_interrupted_erasure_continues() {
        let user = a_user_bearer("ann").user.deleting(instant());
        assert_eq!(erased(user, None, 500).await, ["data", "data", "no project_user"]);
    }
}
