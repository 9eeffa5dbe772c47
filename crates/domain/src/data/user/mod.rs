//! Project users: the users of a project, and the metadata that the project stores about them.

pub(crate) mod data;
pub(crate) mod deletions;
pub(super) mod entity;
pub(crate) mod port;
pub(crate) mod sessions;

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::administration::{ActivityWindow, Period, UserStats};
use crate::data::{DataCore, ProjectUser, ProjectUserReader, UserBearer, UserFilter, UserStatus, VisibleUser};
use crate::identity::{Account, Email};
use crate::kernel::changes::Changes;
use crate::kernel::error::{AuthenticationError, Conflict, Error, Forbidden, ResourceKind};
use crate::kernel::policy::{Operation, Permit};
use crate::kernel::{
    AccountId, Caller, CommitError, Identity, Page, PageRequest, Precondition, ProjectId, ProjectUserId, Request,
    RetryError, Unique, retry_stale, use_cases,
};

/// Changes to a user.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "`None` leaves the value unchanged")]
pub struct UpdateUser {
    /// Merged into the stored metadata (RFC 7396).
    pub meta: Option<Map<String, Value>>,
    pub status: Option<UserStatus>,
}

/// Returns the address that a user granted to the project.
pub(crate) async fn granted_email(users: &dyn ProjectUserReader, user: &ProjectUser) -> Result<Option<Email>, Error> {
    let found = users.granted_emails(user.project_id, &[user.account_id]).await?;
    Ok(found.into_iter().next().map(|(_, email)| email))
}

/// Adds the addresses that users granted to their project.
pub(crate) async fn with_emails(
    reader: &dyn ProjectUserReader,
    project: ProjectId,
    users: Vec<ProjectUser>,
) -> Result<Vec<VisibleUser>, Error> {
    let accounts: Vec<AccountId> = users.iter().map(|user| user.account_id).collect();
    let mut emails: HashMap<_, _> = reader.granted_emails(project, &accounts).await?.into_iter().collect();
    let visible = |user: ProjectUser| VisibleUser { email: emails.remove(&user.account_id), user };
    Ok(users.into_iter().map(visible).collect())
}

use_cases! {
    /// Use cases of project users.
    pub struct ProjectUsers { core: DataCore }
}

impl ProjectUsers {
    /// Lists the project's users that match a filter.
    pub async fn list(
        &self,
        caller: &Caller,
        project: ProjectId,
        filter: &UserFilter,
        page: &PageRequest,
    ) -> Result<Page<VisibleUser>, Error> {
        self.core.access.project(caller, project).await?.permit(Operation::UserList).await?;

        let Page { items, next } = self.core.ports.project_users.users(project, filter, page).await?;
        Ok(Page { items: with_emails(&*self.core.ports.project_users, project, items).await?, next })
    }

    /// Returns daily statistics of the project's active users, up to today.
    pub async fn stats(&self, caller: &Caller, project: ProjectId, period: Period) -> Result<UserStats, Error> {
        self.core.access.project(caller, project).await?.permit(Operation::UserStats).await?;

        let window = ActivityWindow::ending(self.core.now(), period);
        let counts = self.core.ports.project_users.activity(project, &window).await?;
        Ok(UserStats::of(&window, &counts))
    }

    /// Returns a user of the project.
    pub async fn get(&self, caller: &Caller, project: ProjectId, id: ProjectUserId) -> Result<VisibleUser, Error> {
        self.core.access.project(caller, project).await?.permit(Operation::UserGet).await?;

        self.visible(self.core.user(project, id).await?).await
    }

    /// Returns the users of the project with these IDs, in any order.
    pub async fn with_ids(
        &self,
        caller: &Caller,
        project: ProjectId,
        ids: &[ProjectUserId],
    ) -> Result<Vec<VisibleUser>, Error> {
        self.core.access.project(caller, project).await?.permit(Operation::UserList).await?;

        let users = self.core.ports.project_users.users_with_ids(project, ids).await?;
        with_emails(&*self.core.ports.project_users, project, users).await
    }

    async fn visible(&self, user: ProjectUser) -> Result<VisibleUser, Error> {
        let email = granted_email(&*self.core.ports.project_users, &user).await?;
        Ok(VisibleUser { user, email })
    }

    /// Merges a patch into a user's metadata (RFC 7396), and blocks or unblocks the user.
    pub async fn update(
        &self,
        caller: &Caller,
        project: ProjectId,
        id: ProjectUserId,
        command: &UpdateUser,
        when: &Precondition,
    ) -> Result<VisibleUser, Error> {
        let changed = retry_stale(async || {
            let permit = self.core.access.project(caller, project).await?.permit(Operation::UserUpdate).await?;

            let loaded = self.core.user(project, id).await?;
            when.check(ResourceKind::ProjectUser, loaded.revision)?;
            if loaded.is_being_deleted() {
                return Err(Conflict::UserBeingDeleted.into());
            }
            let merged = command.meta.as_ref().map(|patch| loaded.meta.merged(patch)).transpose();
            let meta = merged.map_err(|error| Error::invalid("meta", error))?.unwrap_or_else(|| loaded.meta.clone());
            let status = command.status.unwrap_or(loaded.status);
            let changed = ProjectUser { meta, status, ..loaded.clone() };

            let changes = Changes::by(permit, self.core.now()).replace(loaded, changed.clone());
            self.core.commit(changes).await?;
            Ok(ProjectUser { revision: changed.revision.next(), ..changed })
        })
        .await?;
        self.visible(changed).await
    }

    /// Returns the caller as a user of the project.
    pub async fn own(&self, caller: &Caller, project: ProjectId) -> Result<UserBearer, Error> {
        let bearer = caller.user()?;
        self.core.access.project(caller, project).await?.permit(Operation::OwnApp).await?;
        Ok(bearer.clone())
    }

    /// Connects the account of an access token to the project. A disconnected user is connected again.
    pub async fn connect(&self, request: Request, project: ProjectId, token: &str) -> Result<ProjectUser, Error> {
        let (authentication, conditions) = (&self.core.authentication, Operation::UserConnect.rule().conditions);
        let caller = authentication.bearer(&authentication.presented(token, false), request, conditions).await?;
        let account = match &caller.identity {
            Identity::Account(account) => *account,
            Identity::User(bearer) if bearer.project.project.id == project => bearer.user.account_id,
            Identity::User(_) | Identity::Key(_) | Identity::Client(_) | Identity::Token(_) => {
                return Err(AuthenticationError::InvalidToken.into());
            }
        };
        let account = self.core.ports.accounts.account(account).await?.ok_or(AuthenticationError::UnknownAccount)?;
        self.connect_account(caller.request, project, &account).await
    }

    /// Connects the person who calls to the project, marked as a test person. Returns `None` if they are a user already, because
    /// a test person is removed with all data.
    pub async fn connect_test_person(&self, caller: &Caller, project: ProjectId) -> Result<Option<ProjectUser>, Error> {
        self.core.access.project(caller, project).await?.permit(Operation::UserUpdate).await?;

        let account = caller.person().ok_or(Forbidden::ApiKeyNotAccepted)?;
        let account = self.core.ports.accounts.account(account).await?.ok_or(AuthenticationError::UnknownAccount)?;
        if self.core.ports.project_users.user_of(project, account.id).await?.is_some() {
            return Ok(None);
        }
        let user = self.connect_account(caller.request.clone(), project, &account).await?;
        let meta = Some(Map::from_iter([(ProjectUser::TEST_PERSON.to_owned(), Value::Bool(true))]));
        let command = UpdateUser { meta, ..UpdateUser::default() };
        Ok(Some(self.update(caller, project, user.id, &command, &Precondition::None).await?.user))
    }

    /// Connects an account to the project for the operator.
    pub async fn connect_by_email(
        &self,
        request: Request,
        project: ProjectId,
        email: &Email,
    ) -> Result<ProjectUser, Error> {
        let account =
            self.core.ports.accounts.account_by_email(email).await?.ok_or(Error::NotFound(ResourceKind::Account))?;
        if !account.is_active() {
            return Err(Error::account_disabled());
        }
        self.connect_account(request, project, &account).await
    }

    async fn connect_account(
        &self,
        request: Request,
        project: ProjectId,
        account: &Account,
    ) -> Result<ProjectUser, Error> {
        let project = self.core.ports.projects.project(project).await?.ok_or(Error::NotFound(ResourceKind::Project))?;
        retry_stale(async || {
            let request = request.clone();
            let project = &project.project;
            let permit = Permit::authenticated(Operation::UserConnect, account.id, request)?;
            let permit = permit.in_project(project.team_id, project.id);

            let loaded = self.core.ports.project_users.user_of(project.id, account.id).await?;
            let now = self.core.now();
            let user = match &loaded {
                Some(user) => user.seen(account, now).ok_or(Forbidden::Blocked)?,
                None => ProjectUser::new(self.core.next_id().into(), project.id, account, &self.core.address, now),
            };

            let changes = Changes::by(permit, now);
            let changes = match loaded {
                Some(loaded) => changes.replace(loaded, user.clone()),
                None => changes.insert(user.clone()),
            };
            match self.core.commit(changes).await {
                Ok(_) => Ok(user),
                Err(CommitError::Taken(Unique::ProjectUser)) => Err(RetryError::Stale(ResourceKind::ProjectUser)),
                Err(CommitError::Orphaned) => Err(Error::NotFound(ResourceKind::Project).into()),
                Err(other) => Err(other.into()),
            }
        })
        .await
    }
}
