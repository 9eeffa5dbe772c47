//! Exporting everything that the service stores about the caller's own account.

use crate::administration::{Day, TeamMembership};
use crate::data::{ItemKey, ProjectUser, StoredItem};
use crate::identity::{
    Account, Grant, IdentityCore, IdentityProvider, LinkedIdentity, Passkey, PersonalToken, SecondFactors, Session,
    TokenFamily,
};
use crate::kernel::error::{AuthenticationError, Error, ResourceKind};
use crate::kernel::policy::{Lane, Operation};
use crate::kernel::work::Work;
use crate::kernel::{AccountId, Caller, Name, PageSize, Time, account_of, complete, use_cases};

/// How many of the account's project users are read at once.
const USER_BATCH_SIZE: u16 = 500;

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
    pub second_factors: SecondFactors,
    pub passkeys: Vec<Passkey>,
    /// The identities at other providers, with the providers.
    pub identities: Vec<(LinkedIdentity, IdentityProvider)>,
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

use_cases! {
    /// Use cases of exporting the caller's own account.
    pub struct AccountExports { core: IdentityCore }
}

impl AccountExports {
    /// Starts an export of the caller's own account. Requires a confirmation.
    pub async fn start(&self, caller: &Caller) -> Result<AccountExport, Error> {
        let id = account_of(caller)?;
        Operation::OwnAccountExport.check_confirmed(caller.must_confirm, None)?;
        Work::set_lane(Lane::Heavy);

        let (at, lifetime) = (self.core.now(), self.core.settings.session_lifetime);
        let account = self.core.ports.accounts.account(id).await?.ok_or(AuthenticationError::UnknownAccount)?;
        let sessions = self.core.ports.authorizations.sessions_of(id).await?;
        let live = sessions.into_iter().filter(|found| found.is_live(lifetime, at));
        let programs = self.core.ports.authorizations.active_families(id, None, at).await?;
        let is_live =
            |family: &TokenFamily| family.is_live(&account) && at < self.core.settings.family_lifetime.end_of(family);
        Ok(AccountExport {
            at,
            sessions: live.map(|found| found.session).collect(),
            programs: programs.into_iter().filter(is_live).collect(),
            personal_tokens: complete(async |page| self.core.ports.personal_tokens.tokens_of(id, &page).await).await?,
            second_factors: self.core.ports.second_factors.second_factors(id).await?,
            passkeys: self.core.ports.passkeys.passkeys(id).await?,
            identities: self.core.ports.identity_providers.linked_identities(id).await?,
            teams: complete(async |page| self.core.ports.teams.teams_of(id, None, &page).await).await?,
            apps: self.apps(id).await?,
            account,
        })
    }

    async fn apps(&self, id: AccountId) -> Result<Vec<ExportedApp>, Error> {
        let (mut apps, mut after) = (Vec::new(), None);
        loop {
            let users = self.core.ports.project_users.users_of_account(id, after, USER_BATCH_SIZE).await?;
            let is_complete = users.len() < usize::from(USER_BATCH_SIZE);
            after = users.last().map(|user| user.project_id);
            for user in users.into_iter().filter(|user| !user.is_being_deleted()) {
                // The project was deleted in the meantime.
                let Some(found) = self.core.ports.projects.project(user.project_id).await? else { continue };
                let grant = self.core.ports.authorizations.grant(id, user.project_id).await?;
                let active_days = self.core.ports.project_users.active_days(user.project_id, user.id).await?;
                apps.push(ExportedApp { name: found.project.name.clone(), user, grant, active_days });
            }
            if is_complete {
                return Ok(apps);
            }
        }
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
        let items = self.core.ports.items.items_after(user.project_id, user.id, after, size).await?;
        // The project may have started to delete the user, and may have deleted some of the items.
        let user =
            self.core.ports.project_users.user(user.project_id, user.id).await?.filter(|user| !user.is_being_deleted());
        user.map(|_| items).ok_or(Error::NotFound(ResourceKind::ProjectUser))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::{MockStore, a_project_in_team, a_user_bearer, an_account, id_of, mock_identity};

    /// Exports of an account with these users.
    fn exports(all: Vec<ProjectUser>) -> AccountExports {
        let mut store = MockStore::default();
        store.project_users.expect_users_of_account().returning(move |_, after, limit| {
            let is_before = |user: &&ProjectUser| after.is_some_and(|after| user.project_id <= after);
            Ok(all.iter().skip_while(is_before).take(usize::from(limit)).cloned().collect())
        });
        store.project_users.expect_active_days().returning(|_, _| Ok(Vec::new()));
        store.projects.expect_project().returning(|_| Ok(Some(a_project_in_team())));
        store.authorizations.expect_grant().returning(|_, _| Ok(None));
        AccountExports::new(&mock_identity(store))
    }

    #[tokio::test]
    async fn an_export_contains_each_app_of_the_account_once() {
        for count in [0, 1, usize::from(USER_BATCH_SIZE), 2 * usize::from(USER_BATCH_SIZE) + 1] {
            let of_project = |number: usize| ProjectUser {
                project_id: id_of(&format!("{number:08}")).into(),
                ..a_user_bearer("ann").user
            };
            let all: Vec<ProjectUser> = (0..count).map(of_project).collect();
            let apps = exports(all.clone()).apps(an_account("ann").id).await.unwrap();
            let exported: Vec<ProjectUser> = apps.into_iter().map(|app| app.user).collect();
            assert!(exported == all, "{} of {count} apps were exported.", exported.len());
        }
    }
}
