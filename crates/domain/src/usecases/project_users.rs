//! Project users: who uses a project, and what the project notes about them.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::changes::Changes;
use crate::error::{AuthenticationFault, Error, Forbidden, Kind};
use crate::model::{
    Account, Audience, Caller, Email, JsonObject, Page, PageRequest, ProjectId, ProjectInTeam, ProjectUser,
    ProjectUserId, Request, Revision, ServiceAddress, Time, UserStatus,
};
use crate::policy::{Operation, Permit};
use crate::ports::{
    AccessTokens, AccountReader, Clock, CommitError, IdGenerator, ProjectReader, ProjectUserReader, TokenRefusal,
    Unique, UnitOfWork,
};

use super::{Access, Attempt, retry_stale};

/// The use cases of project users.
pub struct ProjectUsers {
    access: Access,
    users: Arc<dyn ProjectUserReader>,
    accounts: Arc<dyn AccountReader>,
    projects: Arc<dyn ProjectReader>,
    store: Arc<dyn UnitOfWork>,
    tokens: Arc<dyn AccessTokens>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdGenerator>,
    address: ServiceAddress,
}

impl ProjectUsers {
    /// Over these ports.
    #[expect(clippy::too_many_arguments, reason = "each is a port of its own, given once at the wiring")]
    pub fn new(
        access: Access,
        users: Arc<dyn ProjectUserReader>,
        accounts: Arc<dyn AccountReader>,
        projects: Arc<dyn ProjectReader>,
        store: Arc<dyn UnitOfWork>,
        tokens: Arc<dyn AccessTokens>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdGenerator>,
        address: ServiceAddress,
    ) -> Self {
        Self { access, users, accounts, projects, store, tokens, clock, ids, address }
    }

    /// The project's users.
    pub async fn list(
        &self,
        caller: &Caller,
        project: ProjectId,
        page: &PageRequest,
    ) -> Result<Page<ProjectUser>, Error> {
        self.access.project(caller, project).await?.permit(Operation::UserList)?;

        Ok(self.users.users(project, page).await?)
    }

    /// Merges into what the project notes about a user (RFC 7396).
    pub async fn update_meta(
        &self,
        caller: &Caller,
        project: ProjectId,
        id: ProjectUserId,
        patch: &Map<String, Value>,
    ) -> Result<ProjectUser, Error> {
        retry_stale(|| self.update_meta_once(caller, project, id, patch)).await
    }

    async fn update_meta_once(
        &self,
        caller: &Caller,
        project: ProjectId,
        id: ProjectUserId,
        patch: &Map<String, Value>,
    ) -> Result<ProjectUser, Attempt> {
        let permit = self.access.project(caller, project).await?.permit(Operation::UserUpdate)?;

        let loaded = self.users.user(project, id).await?.ok_or(Error::NotFound(Kind::ProjectUser))?;
        let meta = loaded.meta.merged(patch).map_err(|fault| Error::invalid("meta", fault))?;
        let changed = ProjectUser { meta, ..loaded.clone() };

        let changes = Changes::by(permit, self.clock.now()).replace(loaded, changed.clone());
        self.store.commit(changes).await.map_err(|error| Attempt::of_commit(error, Error::from))?;
        Ok(changed)
    }

    /// Connects the holder of an access token to the project; whoever left comes back.
    pub async fn connect(&self, request: Request, project: ProjectId, token: &str) -> Result<ProjectUser, Error> {
        let claims = self.tokens.verify(token, self.clock.now()).map_err(|refusal| match refusal {
            TokenRefusal::Invalid => AuthenticationFault::BadToken,
            TokenRefusal::Expired => AuthenticationFault::ExpiredToken,
        })?;
        if !matches!(claims.audience, Audience::Service) && claims.audience != Audience::Project(project) {
            return Err(AuthenticationFault::BadToken.into());
        }
        let account = self.accounts.account(claims.subject).await?.ok_or(AuthenticationFault::UnknownAccount)?;
        self.connect_account(request, project, &account).await
    }

    /// Connects an account on the operator's word.
    pub async fn connect_by_email(
        &self,
        request: Request,
        project: ProjectId,
        email: &Email,
    ) -> Result<ProjectUser, Error> {
        let account = self.accounts.account_by_email(email).await?.ok_or(Error::NotFound(Kind::Account))?;
        self.connect_account(request, project, &account).await
    }

    async fn connect_account(
        &self,
        request: Request,
        project: ProjectId,
        account: &Account,
    ) -> Result<ProjectUser, Error> {
        let project = self.projects.project(project).await?.ok_or(Error::NotFound(Kind::Project))?;
        retry_stale(|| self.connect_once(request.clone(), &project, account)).await
    }

    async fn connect_once(
        &self,
        request: Request,
        project: &ProjectInTeam,
        account: &Account,
    ) -> Result<ProjectUser, Attempt> {
        let project = &project.project;
        let permit = Permit::for_visitor(account.id, project.team_id, project.id, request);

        let loaded = self.users.user_of(project.id, account.id).await?;
        let now = self.clock.now();
        let user = match &loaded {
            Some(user) if user.status == UserStatus::Blocked => {
                return Err(Forbidden::Blocked.into());
            }
            Some(user) => ProjectUser {
                status: UserStatus::Connected,
                profile: profile_of(account),
                last_seen_at: now,
                ..user.clone()
            },
            None => self.new_user(project.id, account, now),
        };

        let changes = Changes::by(permit, now);
        let changes = match loaded {
            Some(loaded) => changes.replace(loaded, user.clone()),
            None => changes.insert(user.clone()),
        };
        match self.store.commit(changes).await {
            Ok(_) => Ok(user),
            Err(CommitError::Taken(Unique::ProjectUser)) => Err(Attempt::Stale(Kind::ProjectUser)),
            Err(CommitError::Orphaned) => Err(Error::NotFound(Kind::Project).into()),
            Err(other) => Err(Attempt::of_commit(other, Error::from)),
        }
    }

    fn new_user(&self, project: ProjectId, account: &Account, now: Time) -> ProjectUser {
        ProjectUser {
            id: ProjectUserId::from(self.ids.next()),
            project_id: project,
            account_id: account.id,
            user_did: self.address.account_did(account.id),
            pds_url: self.address.as_str().to_owned(),
            status: UserStatus::Connected,
            meta: JsonObject::default(),
            profile: profile_of(account),
            last_seen_at: now,
            created_at: now,
            revision: Revision::FIRST,
        }
    }
}

/// What an account shows of itself to the projects it uses.
fn profile_of(account: &Account) -> JsonObject {
    let profile = json!({
        "name": account.name.as_ref().map(|name| name.as_str()),
        "username": account.username.as_ref().map(|name| name.as_str()),
    });
    match profile {
        Value::Object(members) => JsonObject::parse(members).unwrap_or_default(),
        _ => JsonObject::default(),
    }
}
