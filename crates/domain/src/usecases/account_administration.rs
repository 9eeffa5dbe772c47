//! Administration of accounts by the operator: listing, disabling, setting passwords and deleting.

use std::sync::Arc;

use crate::changes::Changes;
use crate::error::{Conflict, Error, ResourceKind};
use crate::model::{
    Account, AccountFilter, AccountId, Email, Member, Page, PageRequest, Password, Request, Slug, Team, TeamMembership,
};
use crate::policy::{Operation, Permit};
use crate::ports::{AccountCleanup, AccountReader, Clock, PasswordHasher, TeamReader, UnitOfWork};

use super::{Authority, Core, UserData, complete, retry_stale};

/// How many of an account's project users or audit events are processed in one step.
const BATCH_SIZE: u16 = 500;

/// Use cases of accounts for the operator. They are not available over the network.
#[expect(missing_docs, reason = "each field is named after its port")]
pub struct AccountAdministration {
    pub accounts: Arc<dyn AccountReader>,
    pub traces: Arc<dyn AccountCleanup>,
    pub teams: Arc<dyn TeamReader>,
    pub user_data: UserData,
    pub authority: Authority,
    pub store: Arc<dyn UnitOfWork>,
    pub passwords: Arc<dyn PasswordHasher>,
    pub clock: Arc<dyn Clock>,
}

impl AccountAdministration {
    /// Creates the use cases from the shared components.
    pub fn new(core: &Core) -> Self {
        Self {
            accounts: core.store.clone(),
            traces: core.store.clone(),
            teams: core.store.clone(),
            user_data: UserData::new(core),
            authority: Authority::new(core),
            store: core.unit_of_work.clone(),
            passwords: core.system.passwords.clone(),
            clock: core.system.clock.clone(),
        }
    }

    /// Lists the accounts that match a filter, oldest first.
    pub async fn list(&self, filter: &AccountFilter, page: &PageRequest) -> Result<Page<Account>, Error> {
        Ok(self.accounts.accounts(filter, page).await?)
    }

    /// Disables an account: from the next request on, all its sessions and tokens are refused until it is enabled
    /// again. Its pending invites are revoked and its webhooks paused. API keys that it created belong to their
    /// projects and keep working.
    pub async fn disable(&self, request: Request, email: &Email) -> Result<Account, Error> {
        let now = self.clock.now();
        let disable = |account: Account| Account { disabled_at: account.disabled_at.or(Some(now)), ..account };
        let disabled = self.change(request.clone(), Operation::AccountDisable, email, disable).await?;
        self.authority.end_everywhere(disabled.id, Operation::AccountDisable, &request).await?;
        Ok(disabled)
    }

    /// Enables a disabled account. Its sessions and tokens work again unless they have expired.
    pub async fn enable(&self, request: Request, email: &Email) -> Result<Account, Error> {
        let enable = |account: Account| Account { disabled_at: None, ..account };
        self.change(request, Operation::AccountEnable, email, enable).await
    }

    /// Sets a new password, which invalidates all earlier sessions and tokens.
    pub async fn set_password(&self, request: Request, email: &Email, password: Password) -> Result<Account, Error> {
        self.found(email).await?;
        let password = self.passwords.hash(password).await?;
        let now = self.clock.now();
        let set = |account: Account| Account { password: password.clone(), password_set_at: now, ..account };
        self.change(request, Operation::AccountPasswordSet, email, set).await
    }

    /// Deletes an account with its memberships, its user data in projects, its sessions, tokens and grants, and all
    /// personal data. Its ID remains in resources that it created. This runs in several steps, starting with disabling
    /// the account. If it is interrupted, the next call continues.
    pub async fn delete(&self, request: Request, email: &Email) -> Result<AccountId, Error> {
        let account = self.found(email).await?;
        self.check_not_last_owner(&account).await?;

        self.disable(request.clone(), email).await?;
        let memberships = complete(async |page| self.teams.teams_of(account.id, &page).await).await?;
        for membership in memberships {
            self.leave_team(&request, &membership.team, account.id).await?;
        }
        loop {
            let users = self.traces.users_of(account.id, BATCH_SIZE).await?;
            if users.is_empty() {
                break;
            }
            for (team, user) in users {
                let operation = Operation::AccountDelete;
                let permit = Permit::system(operation, request.clone())?.in_project(team, user.project_id);
                self.user_data.erase_with(&permit, &user).await?;
            }
        }
        let mut after = 0;
        while let Some(position) = self.traces.clear_account_events(account.id, after, BATCH_SIZE).await? {
            after = position;
        }
        retry_stale(async || {
            let permit = Permit::system(Operation::AccountDelete, request.clone())?;

            let account = self.found(email).await?;

            let changes = Changes::by(permit, self.clock.now()).remove(account);
            self.store.commit(changes).await?;
            Ok(())
        })
        .await?;
        Ok(account.id)
    }

    async fn found(&self, email: &Email) -> Result<Account, Error> {
        self.accounts.account_by_email(email).await?.ok_or(Error::NotFound(ResourceKind::Account))
    }

    async fn change(
        &self,
        request: Request,
        operation: Operation,
        email: &Email,
        change: impl Fn(Account) -> Account,
    ) -> Result<Account, Error> {
        retry_stale(async || {
            let permit = Permit::system(operation, request.clone())?;

            let loaded = self.found(email).await?;
            let changed = change(loaded.clone());
            if changed == loaded {
                return Ok(loaded);
            }

            let changes = Changes::by(permit, self.clock.now()).replace(loaded, changed.clone());
            self.store.commit(changes).await?;
            Ok(changed)
        })
        .await
    }

    /// Fails if a team would be left without an owner. The error lists all such teams.
    async fn check_not_last_owner(&self, account: &Account) -> Result<(), Error> {
        let mut last_owner_of: Vec<Slug> = Vec::new();
        for TeamMembership { team, roles, .. } in
            complete(async |page| self.teams.teams_of(account.id, &page).await).await?
        {
            if roles.is_owner() && self.without_owner(&team, account.id).await.is_err_and(|error| is_last_owner(&error))
            {
                last_owner_of.push(team.slug);
            }
        }
        if last_owner_of.is_empty() { Ok(()) } else { Err(Conflict::LastOwnerOf(last_owner_of).into()) }
    }

    async fn without_owner(&self, team: &Team, leaving: AccountId) -> Result<Team, Error> {
        let members: Vec<Member> = complete(async |page| self.teams.members(team.id, &page).await).await?;
        Ok(team.clone().without_owner(leaving, &members)?)
    }

    async fn leave_team(&self, request: &Request, team: &Team, leaving: AccountId) -> Result<(), Error> {
        retry_stale(async || {
            let permit = Permit::system(Operation::AccountDelete, request.clone())?.in_team(team.id);

            let Some(member) = self.teams.member(team.id, leaving).await? else { return Ok(()) };
            let team = self.teams.team(team.id).await?.ok_or(Error::NotFound(ResourceKind::Team))?;

            let mut changes = Changes::by(permit, self.clock.now());
            if member.roles.is_owner() {
                let without = self.without_owner(&team, leaving).await?;
                changes = if without == team { changes.lock(without) } else { changes.replace(team, without) };
            }
            let changes = changes.remove(member);
            self.store.commit(changes).await?;
            Ok(())
        })
        .await
    }
}

fn is_last_owner(error: &Error) -> bool {
    matches!(error, Error::Conflict(Conflict::LastOwner))
}
