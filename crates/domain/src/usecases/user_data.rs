//! What a project keeps of a person: handed out whole, and erased.

use std::sync::Arc;

use crate::changes::Changes;
use crate::error::{Error, Forbidden, ResourceKind};
use crate::model::{
    Caller, Day, Grant, ItemKey, PageSize, ProjectId, ProjectUser, ProjectUserId, Scope, StoredItem, Time, UserStatus,
};
use crate::policy::{Operation, Permit};
use crate::ports::{AuthorizationReader, Clock, ItemReader, ProjectUserReader, UnitOfWork};

use super::{Access, RetryError, retry_stale};

/// How many items are erased in one transaction.
const ERASE_BATCH_SIZE: u16 = 1_000;

/// Everything that a project keeps of a person but their items, which follow piece by piece.
#[derive(Debug, Clone, PartialEq)]
pub struct UserExport {
    /// By which operation it was asked for.
    operation: Operation,
    /// When it was asked for.
    pub at: Time,
    /// The person as a user of the project: with what the project notes of them.
    pub user: ProjectUser,
    /// What the person allowed the project.
    pub grant: Option<Grant>,
    /// On which days they were active, the oldest first.
    pub active_days: Vec<Day>,
}

/// The use cases of what a project keeps of a person.
#[derive(Clone)]
pub struct UserData {
    pub(super) access: Access,
    pub(super) users: Arc<dyn ProjectUserReader>,
    pub(super) items: Arc<dyn ItemReader>,
    pub(super) grants: Arc<dyn AuthorizationReader>,
    pub(super) store: Arc<dyn UnitOfWork>,
    pub(super) clock: Arc<dyn Clock>,
}

impl UserData {
    /// Begins to hand out what the project keeps of one of its users.
    pub async fn export(&self, caller: &Caller, project: ProjectId, id: ProjectUserId) -> Result<UserExport, Error> {
        self.access.project(caller, project).await?.permit(Operation::UserExport).await?;

        let user = self.users.user(project, id).await?.ok_or(Error::NotFound(ResourceKind::ProjectUser))?;
        self.exported(Operation::UserExport, user).await
    }

    /// Begins to hand out to a person what the project keeps of them.
    pub async fn export_own(&self, caller: &Caller, project: ProjectId) -> Result<UserExport, Error> {
        let own = caller.user()?.user.clone();
        self.access.project(caller, project).await?.permit(Operation::OwnExport).await?;

        self.exported(Operation::OwnExport, own).await
    }

    async fn exported(&self, operation: Operation, user: ProjectUser) -> Result<UserExport, Error> {
        let grant = self.grants.grant(user.account_id, user.project_id).await?;
        let active_days = self.users.active_days(user.project_id, user.id).await?;
        Ok(UserExport { operation, at: self.clock.now(), user, grant, active_days })
    }

    /// The next of the items in an export, by table and then by id; none when all were returned. Whether the caller may
    /// have them is decided anew each time. What is written meanwhile may be among them or not.
    pub async fn next_items(
        &self,
        caller: &Caller,
        export: &UserExport,
        after: Option<ItemKey>,
        size: PageSize,
    ) -> Result<Vec<StoredItem>, Error> {
        let user = &export.user;
        self.access.project(caller, user.project_id).await?.permit_data(export.operation, user.id).await?;

        Ok(self.items.items_after(user.project_id, user.id, after, size).await?)
    }

    /// Erases everything that the project keeps of a user. There may be much of it, so it takes several steps: the user is
    /// blocked and what they allowed is gone, with every token; then their items go, some at a time; then they themselves.
    /// Should it end between, a blocked user with fewer items is left, and whoever asks again goes on.
    pub async fn erase(&self, caller: &Caller, project: ProjectId, id: ProjectUserId) -> Result<(), Error> {
        let permit = async || self.access.project(caller, project).await?.permit(Operation::UserDelete).await;
        let found = async || self.users.user(project, id).await?.ok_or(Error::NotFound(ResourceKind::ProjectUser));
        retry_stale(async || {
            let permit = permit().await?;

            let user = found().await?;

            self.shut_out(permit, user, UserStatus::Blocked, true).await
        })
        .await?;
        self.erase_items(&permit().await?, project, id).await?;
        retry_stale(async || {
            let permit = permit().await?;

            let user = found().await?;
            // Somebody may have let them in again meanwhile.
            let grant = self.grants.grant(user.account_id, project).await?;

            let changes = Changes::by(permit, self.clock.now());
            let changes = match grant {
                Some(grant) => changes.remove(grant),
                None => changes,
            }
            .remove(user);
            self.store.commit(changes).await?;
            Ok(())
        })
        .await
    }

    /// Erases a user whose account is deleted, in the same steps.
    pub(super) async fn erase_with(&self, permit: &Permit, user: &ProjectUser) -> Result<(), Error> {
        let (project, id) = (user.project_id, user.id);
        retry_stale(async || {
            let Some(user) = self.users.user(project, id).await? else { return Ok(()) };
            self.shut_out(permit.clone(), user, UserStatus::Blocked, true).await
        })
        .await?;
        self.erase_items(permit, project, id).await?;
        retry_stale(async || {
            let Some(user) = self.users.user(project, id).await? else { return Ok(()) };
            let changes = Changes::by(permit.clone(), self.clock.now()).remove(user);
            self.store.commit(changes).await?;
            Ok(())
        })
        .await
    }

    /// Takes the caller out of the project: what they allowed it is gone, with every token. Their items go too if they
    /// want; until all have gone their token is good, so that they can ask again should it end between.
    pub async fn leave(&self, caller: &Caller, project: ProjectId, erase_items: bool) -> Result<(), Error> {
        let own = caller.user()?;
        let permit = self.access.project(caller, project).await?.permit(Operation::OwnAppLeave).await?;
        if erase_items && !own.scopes.has(Scope::DbWrite) {
            return Err(Forbidden::WrongScope(Scope::DbWrite).into());
        }

        let disconnect = async |ends_grant: bool| {
            let user =
                self.users.user(project, own.user.id).await?.ok_or(Error::NotFound(ResourceKind::ProjectUser))?;
            self.shut_out(permit.clone(), user, UserStatus::Disconnected, ends_grant).await
        };
        if erase_items {
            retry_stale(async || disconnect(false).await).await?;
            self.erase_items(&permit, project, own.user.id).await?;
        }
        retry_stale(async || disconnect(true).await).await
    }

    /// Lets nothing more be written for a user, and ends what they allowed. Whom the project blocked stays blocked.
    async fn shut_out(
        &self,
        permit: Permit,
        user: ProjectUser,
        status: UserStatus,
        ends_grant: bool,
    ) -> Result<(), RetryError> {
        let grant = match ends_grant {
            true => self.grants.grant(user.account_id, user.project_id).await?,
            false => None,
        };

        // The grant before the user, as everywhere: whoever locks both never waits in a circle.
        let mut changes = Changes::by(permit, self.clock.now());
        if let Some(grant) = grant {
            changes = changes.remove(grant);
        }
        if user.status != status && user.status != UserStatus::Blocked {
            changes = changes.replace(user.clone(), ProjectUser { status, ..user });
        }
        if changes.writes().is_empty() {
            return Ok(());
        }
        self.store.commit(changes).await?;
        Ok(())
    }

    async fn erase_items(&self, permit: &Permit, project: ProjectId, user: ProjectUserId) -> Result<(), Error> {
        loop {
            let changes = Changes::by(permit.clone(), self.clock.now()).erase_items(project, user, ERASE_BATCH_SIZE);
            if self.store.commit(changes).await?.erased < usize::from(ERASE_BATCH_SIZE) {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::changes::{Subject, Write};
    use crate::mocks::{
        FixedClock, MockAccessReader, MockAuthorizationReader, MockItemReader, MockProjectUserReader, MockUnitOfWork,
        a_caller, a_project_in_team, a_user_bearer, access_by, id_of, instant,
    };
    use crate::model::{ProjectMembership, Revision, ScopeSet};
    use crate::policy::RoleSet;
    use crate::ports::Committed;

    fn a_grant(user: &ProjectUser) -> Grant {
        Grant {
            id: id_of("grant").into(),
            account_id: user.account_id,
            project_id: user.project_id,
            scopes: ScopeSet::parse("openid"),
            created_at: instant(),
            updated_at: instant(),
            revision: Revision::FIRST,
        }
    }

    /// The kinds of writes, commit by commit, of erasing a user with this many items.
    async fn erased(user: ProjectUser, grant: Option<Grant>, items: usize) -> Vec<String> {
        let mut access = MockAccessReader::new();
        let project = Arc::new(a_project_in_team());
        access
            .expect_project_membership()
            .returning(move |_, _| Ok(Some(ProjectMembership { project: project.clone(), roles: RoleSet::owner() })));
        let mut users = MockProjectUserReader::new();
        let found = user.clone();
        users.expect_user().returning(move |_, _| Ok(Some(found.clone())));
        let mut grants = MockAuthorizationReader::new();
        grants.expect_grant().returning(move |_, _| Ok(grant.clone()));
        let commits = Arc::new(Mutex::new((Vec::new(), items)));
        let (mut store, seen) = (MockUnitOfWork::new(), commits.clone());
        store.expect_commit().returning(move |changes| {
            let mut seen = seen.lock().unwrap();
            seen.0.push(changes.writes().iter().map(told).collect::<Vec<_>>().join(", "));
            let erases = matches!(changes.writes(), [Write::EraseItems(..)]);
            let erased = if erases { seen.1.min(usize::from(ERASE_BATCH_SIZE)) } else { 0 };
            seen.1 -= erased;
            Ok(Committed { items: Vec::new(), erased })
        });
        let data = UserData {
            access: access_by(access),
            users: Arc::new(users),
            items: Arc::new(MockItemReader::new()),
            grants: Arc::new(grants),
            store: Arc::new(store),
            clock: Arc::new(FixedClock::default()),
        };
        data.erase(&a_caller("owner"), user.project_id, user.id).await.unwrap();
        let commits = commits.lock().unwrap();
        commits.0.clone()
    }

    fn told(write: &Write) -> String {
        match write {
            Write::Replace(Subject::ProjectUser(user)) => user.status.as_str().to_owned(),
            Write::Remove(subject) => format!("no {}", subject.kind().as_str()),
            Write::EraseItems(..) => "items".to_owned(),
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn a_user_is_shut_out_before_their_items_go_and_goes_last() {
        let user = a_user_bearer("ann").user;
        let commits = erased(user.clone(), Some(a_grant(&user)), 2_001).await;
        assert_eq!(commits, ["no grant, blocked", "items", "items", "items", "no grant, no project_user"]);
        let away = ProjectUser { status: UserStatus::Disconnected, ..user };
        assert_eq!(erased(away, None, 0).await, ["blocked", "items", "no project_user"]);
    }

    #[tokio::test]
    async fn an_erasure_that_ended_between_goes_on() {
        let user = ProjectUser { status: UserStatus::Blocked, ..a_user_bearer("ann").user };
        assert_eq!(erased(user, None, 1_000).await, ["items", "items", "no project_user"]);
    }
}
