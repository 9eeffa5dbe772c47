//! Exporting everything that the service stores about the caller's own account.

use std::sync::Arc;

use crate::error::{AuthenticationError, Error, ResourceKind};
use crate::model::{
    Account, AccountId, Caller, Day, Grant, ItemKey, Name, PageSize, PersonalToken, ProjectUser, Session, StoredItem,
    TeamMembership, Time, TokenFamily,
};
use crate::policy::Lane;
use crate::ports::{
    AccountCleanup, AccountReader, AuthorizationReader, Clock, ItemReader, PersonalTokenReader, ProjectReader,
    ProjectUserReader, TeamReader,
};
use crate::work::Work;

use super::accounts::account_of;
use super::{Core, complete};

/// All data of an account except items, which are read separately in pages. Without passwords and other secrets.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each field is named after its value")]
pub struct AccountExport {
    pub at: Time,
    pub account: Account,
    pub sessions: Vec<Session>,
    /// Programs that are signed in to the service itself.
    pub programs: Vec<TokenFamily>,
    pub personal_tokens: Vec<PersonalToken>,
    pub teams: Vec<TeamMembership>,
    pub apps: Vec<ExportedApp>,
}

/// What a project stores about the person.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each field is named after its value")]
pub struct ExportedApp {
    pub name: Name,
    pub user: ProjectUser,
    /// `None` if the person has revoked the access of the project.
    pub grant: Option<Grant>,
    /// Days on which the person was active, oldest first.
    pub active_days: Vec<Day>,
}

/// Use cases of exporting the caller's own account.
pub struct AccountExports {
    accounts: Arc<dyn AccountReader>,
    traces: Arc<dyn AccountCleanup>,
    sign_ins: Arc<dyn AuthorizationReader>,
    tokens: Arc<dyn PersonalTokenReader>,
    teams: Arc<dyn TeamReader>,
    projects: Arc<dyn ProjectReader>,
    users: Arc<dyn ProjectUserReader>,
    items: Arc<dyn ItemReader>,
    clock: Arc<dyn Clock>,
}

impl AccountExports {
    /// Creates the use cases from the shared components.
    pub fn new(core: &Core) -> Self {
        Self {
            accounts: core.store.clone(),
            traces: core.store.clone(),
            sign_ins: core.store.clone(),
            tokens: core.store.clone(),
            teams: core.store.clone(),
            projects: core.store.clone(),
            users: core.store.clone(),
            items: core.store.clone(),
            clock: core.system.clock.clone(),
        }
    }

    /// Starts an export of the caller's own account.
    pub async fn start(&self, caller: &Caller) -> Result<AccountExport, Error> {
        let id = account_of(caller)?;
        Work::set_lane(Lane::Heavy);

        let at = self.clock.now();
        let account = self.accounts.account(id).await?.ok_or(AuthenticationError::UnknownAccount)?;
        let live = self.sign_ins.sessions_of(id).await?.into_iter().filter(|found| found.is_live(at));
        let programs = self.sign_ins.active_families(id, None, at).await?;
        Ok(AccountExport {
            at,
            sessions: live.map(|found| found.session).collect(),
            programs: programs.into_iter().filter(|family| family.is_live(&account)).collect(),
            personal_tokens: complete(async |page| self.tokens.tokens_of(id, &page).await).await?,
            teams: complete(async |page| self.teams.teams_of(id, &page).await).await?,
            apps: self.apps(id).await?,
            account,
        })
    }

    async fn apps(&self, id: AccountId) -> Result<Vec<ExportedApp>, Error> {
        let mut apps = Vec::new();
        for (_, user) in self.traces.users_of(id, u16::MAX).await? {
            // The project was deleted in the meantime.
            let Some(found) = self.projects.project(user.project_id).await? else { continue };
            let grant = self.sign_ins.grant(id, user.project_id).await?;
            let active_days = self.users.active_days(user.project_id, user.id).await?;
            apps.push(ExportedApp { name: found.project.name.clone(), user, grant, active_days });
        }
        Ok(apps)
    }

    /// Returns the next items of the caller in a project, ordered by table and ID; empty after the last item. Items
    /// written during the export may or may not be included.
    pub async fn next_items(
        &self,
        caller: &Caller,
        user: &ProjectUser,
        after: Option<ItemKey>,
        size: PageSize,
    ) -> Result<Vec<StoredItem>, Error> {
        if user.account_id != account_of(caller)? {
            return Err(Error::NotFound(ResourceKind::ProjectUser));
        }
        Ok(self.items.items_after(user.project_id, user.id, after, size).await?)
    }
}
