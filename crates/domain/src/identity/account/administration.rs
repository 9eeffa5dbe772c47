//! Administration of accounts: listing, disabling, marking as operator, setting passwords and deleting.

use std::sync::Arc;

use crate::administration::{Authority, Team, TeamMembership};
use crate::data::DataCore;
use crate::identity::account::administrator::Administrator;
use crate::identity::account::deletion::AccountDeletion;
use crate::identity::account::deletion_progress::DeletionProgress;
use crate::identity::account::first_confirmation::FirstConfirmation;
use crate::identity::account::held::{Choice, Choices, Confirming};
use crate::identity::account::notices::notify;
use crate::identity::factor::removal::{FactorRemoval, FactorRemovals};
use crate::identity::{Account, AccountChange, AccountFilter, Email, IdentityCore, Password, PersonalWords, Sessions};
use crate::kernel::changes::Changes;
use crate::kernel::error::{Conflict, Error, ResourceKind};
use crate::kernel::policy::Operation;
use crate::kernel::{AccountId, Page, PageRequest, Request, RetryError, complete, retry_stale};

/// Use cases of accounts for the operator on the command line. `Operators` offers some of them to signed-in operators.
pub struct AccountAdministration {
    core: Arc<IdentityCore>,
    deletion: AccountDeletion,
    factor_removals: FactorRemovals,
    confirmation: FirstConfirmation,
    authority: Authority,
    sessions: Sessions,
}

impl AccountAdministration {
    /// Creates the use cases from the shared components.
    pub fn new(core: &Arc<IdentityCore>, data: &Arc<DataCore>) -> Self {
        Self {
            core: core.clone(),
            deletion: AccountDeletion::new(core, data),
            factor_removals: FactorRemovals::new(core),
            confirmation: FirstConfirmation::new(core),
            authority: Authority::new(&core.administration),
            sessions: Sessions::new(core),
        }
    }

    /// Lists the accounts that match a filter, oldest first.
    pub async fn list(&self, filter: &AccountFilter, page: &PageRequest) -> Result<Page<Account>, Error> {
        Ok(self.core.ports.accounts.accounts(filter, page).await?)
    }

    /// Disables an account: from the next request on, all its sessions and tokens are refused until it is enabled
    /// again. Its pending invites are revoked and its webhooks paused. API keys that it created belong to their
    /// projects and keep working.
    pub async fn disable(&self, request: Request, email: &Email) -> Result<Account, Error> {
        let id = self.found(email).await?.id;
        self.disable_by(&Administrator::Service(request), id).await
    }

    pub(crate) async fn disable_by(&self, by: &Administrator<'_>, id: AccountId) -> Result<Account, Error> {
        let now = self.core.now();
        let disable = |account: Account| Account { disabled_at: account.disabled_at.or(Some(now)), ..account };
        let disabled = self.change(by, Operation::AccountDisable, id, disable).await?;
        self.authority.end_everywhere(disabled.id, Operation::AccountDisable, by.request()).await?;
        Ok(disabled)
    }

    /// Enables a disabled account. Its sessions and tokens work again unless they have expired.
    pub async fn enable(&self, request: Request, email: &Email) -> Result<Account, Error> {
        let id = self.found(email).await?.id;
        self.enable_by(&Administrator::Service(request), id).await
    }

    pub(crate) async fn enable_by(&self, by: &Administrator<'_>, id: AccountId) -> Result<Account, Error> {
        let enable =
            |account: Account| Account { disabled_at: account.deletion_started_at.and(account.disabled_at), ..account };
        let account = self.change(by, Operation::AccountEnable, id, enable).await?;
        if account.is_active() { Ok(account) } else { Err(Conflict::AccountBeingDeleted.into()) }
    }

    /// Marks an account as operator of the service.
    pub async fn add_operator(&self, request: Request, email: &Email) -> Result<Account, Error> {
        let account = self.found(email).await?;
        if !account.is_active() {
            return Err(Error::account_disabled());
        }
        let add = |account: Account| Account { is_operator: true, ..account };
        self.change(&Administrator::Service(request), Operation::OperatorAdd, account.id, add).await
    }

    /// Ends that an account is an operator of the service, effective with its next request.
    pub async fn remove_operator(&self, request: Request, email: &Email) -> Result<Account, Error> {
        let id = self.found(email).await?.id;
        let remove = |account: Account| Account { is_operator: false, ..account };
        self.change(&Administrator::Service(request), Operation::OperatorRemove, id, remove).await
    }

    /// Ends all sessions and tokens of an account. The password stays the same, but counts as set again, which is what
    /// sessions and tokens are compared with.
    pub(crate) async fn sign_out_by(&self, by: &Administrator<'_>, id: AccountId) -> Result<Account, Error> {
        let now = self.core.now();
        let renew = |account: Account| Account { password_set_at: now, ..account };
        let renewed = self.change(by, Operation::AccountSignOut, id, renew).await?;
        self.sessions.end_outdated(&by.permit(Operation::AccountSignOut)?, id).await?;
        Ok(renewed)
    }

    /// Confirms the address of an account, whose owner has shown the operator that it is theirs. [`Choice::Keep`]: they use
    /// the account, and keep everything. [`Choice::End`]: someone else may have signed up with the address. What they sign in
    /// with, hold in teams and gave to others ends, as when the owner confirms the address with an email. That is refused while
    /// a team has no other owner: an operator does not delete teams with it.
    pub(crate) async fn confirm_email_by(
        &self,
        by: &Administrator<'_>,
        id: AccountId,
        choice: Choice,
    ) -> Result<Account, Error> {
        let operation = Operation::AccountEmailConfirm;
        let found = self.account(id).await?;
        if found.deletion_started_at.is_some() {
            return Err(Conflict::AccountBeingDeleted.into());
        }
        if choice == Choice::Keep {
            let confirm = |account: Account| Account { email_verified: true, ..account };
            return self.change(by, operation, id, confirm).await;
        }
        let permit = by.permit(operation)?;
        let (account, held) = retry_stale(async || {
            let account = self.account(id).await?;
            if account.deletion_started_at.is_some() {
                return Err(Conflict::AccountBeingDeleted.into());
            }
            // The owner has confirmed it, and everything is theirs.
            if account.email_verified {
                return Ok((account, None));
            }
            let settled = self.confirmation.settle(&permit, &account, &Choices::all(choice), None).await?;
            let Confirming::Done((changes, confirmed, held)) = settled else {
                return Err(RetryError::Stale(ResourceKind::Account));
            };
            self.core.commit(changes.replace(account, confirmed.clone())).await?;
            Ok((confirmed, Some(held)))
        })
        .await?;
        if let Some(held) = held {
            self.confirmation.finish(&permit, &account, &held).await;
        }
        Ok(account)
    }

    /// Sets a new password, which invalidates all earlier sessions and tokens, and sends an email to the holder.
    pub async fn set_password(&self, request: Request, email: &Email, password: Password) -> Result<Account, Error> {
        let account = self.found(email).await?;
        let (id, password) = (account.id, self.core.hash_new(password, PersonalWords::of(&account)).await?);
        let now = self.core.now();
        let set = |account: Account| Account { password: Some(password.clone()), password_set_at: now, ..account };
        let changed = self.change(&Administrator::Service(request), Operation::AccountPasswordSet, id, set).await?;
        notify(&self.core, &changed, AccountChange::PasswordChanged);
        Ok(changed)
    }

    /// Schedules the removal of the second factors and passkeys of an account whose holder has lost them, removes the linked
    /// identities at once, and sends an email to the holder, who can object until then. The next sign-in then requires only one
    /// factor. The operator MUST have made sure who asks.
    pub async fn remove_second_factors(
        &self,
        request: Request,
        email: &Email,
    ) -> Result<(Account, FactorRemoval), Error> {
        let id = self.found(email).await?.id;
        self.remove_second_factors_by(&Administrator::Service(request), id).await
    }

    pub(crate) async fn remove_second_factors_by(
        &self,
        by: &Administrator<'_>,
        id: AccountId,
    ) -> Result<(Account, FactorRemoval), Error> {
        self.factor_removals.request(&by.permit(Operation::SecondFactorsRemove)?, id, true).await
    }

    /// Cancels the removal of second factors and passkeys, and sends an email to the holder. Returns the account, and whether one was scheduled.
    pub async fn keep_second_factors(&self, request: Request, email: &Email) -> Result<(Account, bool), Error> {
        let id = self.found(email).await?.id;
        self.keep_second_factors_by(&Administrator::Service(request), id).await
    }

    pub(crate) async fn keep_second_factors_by(
        &self,
        by: &Administrator<'_>,
        id: AccountId,
    ) -> Result<(Account, bool), Error> {
        let (account, was_scheduled) = self.factor_removals.keep(&by.permit(Operation::SecondFactorsKeep)?, id).await?;
        if was_scheduled {
            notify(&self.core, &account, AccountChange::RemovalCanceled);
        }
        Ok((account, was_scheduled))
    }

    /// Deletes an account with its memberships, its user data in projects, its sessions, tokens and grants, and all
    /// personal data. Its ID remains in resources that it created. This runs in several steps, starting with disabling
    /// the account. If it is interrupted, the background job of the service continues.
    pub async fn delete(&self, request: Request, email: &Email) -> Result<AccountId, Error> {
        let id = self.found(email).await?.id;
        let by = Administrator::Service(request);
        self.start_deletion(&by, id).await?;
        self.deletion.run(&by, id).await?;
        Ok(id)
    }

    /// Deletes an account in the same steps. With much data, it returns before all are done.
    pub(crate) async fn delete_by(&self, by: &Administrator<'_>, id: AccountId) -> Result<DeletionProgress, Error> {
        self.start_deletion(by, id).await?;
        self.deletion.run_some(by, id).await
    }

    async fn start_deletion(&self, by: &Administrator<'_>, id: AccountId) -> Result<(), Error> {
        self.refuse_last_owner(id).await?;
        let now = self.core.now();
        let start = |account: Account| Account {
            disabled_at: account.disabled_at.or(Some(now)),
            deletion_started_at: account.deletion_started_at.or(Some(now)),
            ..account
        };
        self.change(by, Operation::AccountDelete, id, start).await?;
        self.authority.end_everywhere(id, Operation::AccountDelete, by.request()).await?;
        Ok(())
    }

    async fn found(&self, email: &Email) -> Result<Account, Error> {
        self.core.ports.accounts.account_by_email(email).await?.ok_or(Error::NotFound(ResourceKind::Account))
    }

    async fn account(&self, id: AccountId) -> Result<Account, Error> {
        self.core.ports.accounts.account(id).await?.ok_or(Error::NotFound(ResourceKind::Account))
    }

    async fn change(
        &self,
        by: &Administrator<'_>,
        operation: Operation,
        id: AccountId,
        change: impl Fn(Account) -> Account,
    ) -> Result<Account, Error> {
        retry_stale(async || {
            let permit = by.permit(operation)?;

            let loaded = self.account(id).await?;
            let changed = change(loaded.clone());
            if changed == loaded {
                return Ok(loaded);
            }

            let changes = Changes::by(permit, self.core.now()).replace(loaded, changed.clone());
            self.core.commit(changes).await?;
            Ok(changed)
        })
        .await
    }

    async fn refuse_last_owner(&self, account: AccountId) -> Result<(), Error> {
        let owned = self.teams_without_other_owner(account).await?;
        match owned.is_empty() {
            true => Ok(()),
            false => Err(Conflict::LastOwnerOf(owned.into_iter().map(|team| team.slug).collect()).into()),
        }
    }

    /// Returns the teams that would be left without an owner.
    pub(crate) async fn teams_without_other_owner(&self, account: AccountId) -> Result<Vec<Team>, Error> {
        let mut found = Vec::new();
        for TeamMembership { team, roles, .. } in
            complete(async |page| self.core.ports.teams.teams_of(account, None, &page).await).await?
        {
            if !roles.is_owner() {
                continue;
            }
            match self.authority.without_owner(&team, account).await {
                Err(Error::Conflict(Conflict::LastOwner)) => found.push(team),
                other => drop(other?),
            }
        }
        Ok(found)
    }
}
