//! What the operator does with accounts: listing, disabling, new passwords, deleting.

use std::sync::Arc;

use crate::changes::Changes;
use crate::error::{Conflict, Error, ResourceKind};
use crate::model::{
    Account, AccountFilter, AccountId, Email, Member, Page, PageRequest, Password, Request, Slug, Team, TeamMembership,
};
use crate::policy::{Operation, Permit};
use crate::ports::{AccountReader, AccountTraces, Clock, PasswordHasher, TeamReader, UnitOfWork};

use super::{Authority, UserData, complete, retry_stale};

/// How many of an account's traces are looked at in one step.
const BATCH_SIZE: u16 = 500;

/// The operator's use cases of accounts. Nobody reaches them over the network.
pub struct AccountAdministration {
    pub(super) accounts: Arc<dyn AccountReader>,
    pub(super) traces: Arc<dyn AccountTraces>,
    pub(super) teams: Arc<dyn TeamReader>,
    pub(super) user_data: UserData,
    pub(super) authority: Authority,
    pub(super) store: Arc<dyn UnitOfWork>,
    pub(super) passwords: Arc<dyn PasswordHasher>,
    pub(super) clock: Arc<dyn Clock>,
}

impl AccountAdministration {
    /// The accounts that the filter lets through, the oldest first.
    pub async fn list(&self, filter: &AccountFilter, page: &PageRequest) -> Result<Page<Account>, Error> {
        Ok(self.accounts.accounts(filter, page).await?)
    }

    /// Ends what an account can do with its next request: every session and token of its holder is refused until the
    /// account is enabled again. The invites and webhooks that rest on its authority end; its keys are its projects'.
    pub async fn disable(&self, request: Request, email: &Email) -> Result<Account, Error> {
        let now = self.clock.now();
        let disable = |account: Account| Account { disabled_at: account.disabled_at.or(Some(now)), ..account };
        let disabled = self.change(request.clone(), Operation::AccountDisable, email, disable).await?;
        self.authority.end_everywhere(disabled.id, Operation::AccountDisable, &request).await?;
        Ok(disabled)
    }

    /// Lets a disabled account in again. Of its sessions and tokens those work again that have not expired.
    pub async fn enable(&self, request: Request, email: &Email) -> Result<Account, Error> {
        let enable = |account: Account| Account { disabled_at: None, ..account };
        self.change(request, Operation::AccountEnable, email, enable).await
    }

    /// Sets a new password, which ends every session and token from before.
    pub async fn set_password(&self, request: Request, email: &Email, password: Password) -> Result<Account, Error> {
        self.found(email).await?;
        let password = self.passwords.hash(password).await?;
        let now = self.clock.now();
        let set = |account: Account| Account { password: password.clone(), password_set_at: now, ..account };
        self.change(request, Operation::AccountPasswordSet, email, set).await
    }

    /// Deletes an account: its memberships, what projects keep of it as their user, its sessions, tokens and grants, and
    /// all that is personal. Its id stays, for what it made. There may be much of it, so it takes several steps, the first
    /// of which disables the account; whoever asks again after an interruption goes on.
    pub async fn delete(&self, request: Request, email: &Email) -> Result<AccountId, Error> {
        let account = self.found(email).await?;
        self.leaves_no_team_without_owner(&account).await?;

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
                let permit = Permit::for_system_in(operation, team, Some(user.project_id), request.clone());
                self.user_data.erase_with(&permit, &user).await?;
            }
        }
        let mut after = 0;
        while let Some(position) = self.traces.forget_events(account.id, after, BATCH_SIZE).await? {
            after = position;
        }
        retry_stale(async || {
            let permit = Permit::for_system(Operation::AccountDelete, request.clone());

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
            let permit = Permit::for_system(operation, request.clone());

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

    /// Refused while a team would be left without an owner; all such teams are named together.
    async fn leaves_no_team_without_owner(&self, account: &Account) -> Result<(), Error> {
        let mut owned_alone: Vec<Slug> = Vec::new();
        for TeamMembership { team, roles, .. } in
            complete(async |page| self.teams.teams_of(account.id, &page).await).await?
        {
            if roles.is_owner() && self.without_owner(&team, account.id).await.is_err_and(|error| is_last_owner(&error))
            {
                owned_alone.push(team.slug);
            }
        }
        if owned_alone.is_empty() { Ok(()) } else { Err(Conflict::LastOwnerOf(owned_alone).into()) }
    }

    async fn without_owner(&self, team: &Team, leaving: AccountId) -> Result<Team, Error> {
        let members: Vec<Member> = complete(async |page| self.teams.members(team.id, &page).await).await?;
        Ok(team.clone().without_owner(leaving, &members)?)
    }

    async fn leave_team(&self, request: &Request, team: &Team, leaving: AccountId) -> Result<(), Error> {
        retry_stale(async || {
            let permit = Permit::for_system_in(Operation::AccountDelete, team.id, None, request.clone());

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
