//! Removing second factors and passkeys that a person has lost, after a delay in which the holder can object.

use chrono::TimeDelta;

use crate::identity::account::notices::{announce, notify};
use crate::identity::account::strangers::unless_confirmed;
use crate::identity::factor::factors::Factors;
use crate::identity::{Account, AccountChange, AssuranceLevel, IdentityCore, SignedIn};
use crate::kernel::changes::Changes;
use crate::kernel::error::{AuthenticationError, Error, ResourceKind};
use crate::kernel::jobs::Step;
use crate::kernel::policy::{LimitedAction, Operation, Permit};
use crate::kernel::{AccountId, Request, RetryError, Time, retry_stale, use_cases};

/// Name of the lease for the background job.
const SHARE: &str = "factor_removal";

/// What became of a request to remove factors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactorRemoval {
    /// There is nothing to remove.
    Nothing,
    /// They were removed at once.
    Removed,
    /// They will be removed at this time.
    Scheduled(Time),
}

use_cases! {
    /// Removes second factors and passkeys that people have lost.
    #[derive(Clone)]
    pub struct FactorRemovals { core: IdentityCore }
}

impl FactorRemovals {
    /// Returns how long the holder of an account can object.
    pub fn delay(&self) -> TimeDelta {
        self.core.settings.second_factor.removal_delay
    }

    /// Schedules the removal of the second factors and passkeys of the own account, whose holder has lost them. Requires a
    /// confirmation. Linked identities stay: they may be the only way to sign in. Requests are limited like the emails about
    /// them, so that nobody can flood the holder, and none is scheduled without an email.
    pub async fn request_own(&self, request: Request, signed_in: &SignedIn) -> Result<FactorRemoval, Error> {
        let permit = signed_in.permit(Operation::OwnFactorsRemove, None, request, self.core.now())?;
        let subject = signed_in.account.id.to_string();
        self.core.action_limiter.take(LimitedAction::AccountNoticeTo, &subject, self.core.now()).await?;
        let (_, removal) = self.request(&permit, signed_in.account.id, false).await?;
        Ok(removal)
    }

    /// Keeps the second factors and passkeys of the own account. Returns whether their removal was scheduled.
    pub async fn keep_own(&self, request: Request, signed_in: &SignedIn) -> Result<bool, Error> {
        let permit = Permit::authenticated(Operation::OwnFactorsKeep, signed_in.account.id, request)?;
        let (account, was_scheduled) = self.keep(&permit, signed_in.account.id).await?;
        if was_scheduled {
            announce(&self.core, &account, AccountChange::RemovalCanceled).await;
        }
        Ok(was_scheduled)
    }

    /// Schedules the removal of second factors and passkeys, or removes them at once if there is no delay. A removal that is
    /// scheduled already keeps its time. With `unlinks`, removes the linked identities at once.
    pub(crate) async fn request(
        &self,
        permit: &Permit,
        id: AccountId,
        unlinks: bool,
    ) -> Result<(Account, FactorRemoval), Error> {
        let delay = self.delay();
        let (account, removal, is_new) = retry_stale(async || {
            let (account, now) = (self.account(id).await?, self.core.now());
            let (held, identities) = Factors::all(&self.core, id).await?.split_identities();
            let identities = if unlinks { identities } else { Factors::default() };
            let changes = || identities.clone().removed_by(Changes::by(permit.clone(), now));
            if held.are_absent() || delay.is_zero() {
                if held.are_absent() && identities.are_absent() {
                    return Ok((account, FactorRemoval::Nothing, false));
                }
                self.core.commit(held.removed_by(without_removal(changes(), &account))).await?;
                return Ok((account, FactorRemoval::Removed, true));
            }
            let due = account.factors_removal_at.unwrap_or(now + delay);
            let scheduled = Account { factors_removal_at: Some(due), ..account.clone() };
            let is_new = scheduled != account;
            let changes = if is_new { changes().replace(account, scheduled.clone()) } else { changes() };
            if is_new || !identities.are_absent() {
                self.core.commit(changes).await?;
            }
            Ok::<_, RetryError>((scheduled, FactorRemoval::Scheduled(due), is_new))
        })
        .await?;
        match removal {
            FactorRemoval::Removed => notify(&self.core, &account, AccountChange::FactorsRemoved),
            FactorRemoval::Scheduled(due) if is_new => {
                notify(&self.core, &account, AccountChange::RemovalScheduled(due));
            }
            FactorRemoval::Scheduled(_) | FactorRemoval::Nothing => {}
        }
        Ok((account, removal))
    }

    /// Cancels the removal that is scheduled. Returns the account, and whether there was one.
    pub(crate) async fn keep(&self, permit: &Permit, id: AccountId) -> Result<(Account, bool), Error> {
        retry_stale(async || {
            let account = self.account(id).await?;
            if account.factors_removal_at.is_none() {
                return Ok((account, false));
            }
            let kept = Account { factors_removal_at: None, ..account.clone() };
            self.core.commit(Changes::by(permit.clone(), self.core.now()).replace(account, kept.clone())).await?;
            Ok::<_, RetryError>((kept, true))
        })
        .await
    }

    /// Performs the next removal that is due.
    pub async fn step(&self) -> Result<Step, Error> {
        let Some(id) = self.core.ports.account_cleanup.account_with_due_removal(self.core.now()).await? else {
            return Ok(Step::IDLE);
        };
        if !self.core.shares.hold(SHARE).await? {
            return Ok(Step::IDLE);
        }
        let permit = Permit::system(Operation::SecondFactorsRemove, Request::local())?;
        let removed = retry_stale(async || {
            let (account, now) = (self.account(id).await?, self.core.now());
            // The holder may have kept them in the meantime.
            if account.factors_removal_at.is_none_or(|at| at > now) {
                return Ok(None);
            }
            let (held, _) = Factors::all(&self.core, id).await?.split_identities();
            let had_any = !held.are_absent();
            let changed = Account { factors_removal_at: None, ..account.clone() };
            let changes = Changes::by(permit.clone(), now).replace(account, changed.clone());
            self.core.commit(held.removed_by(changes)).await?;
            Ok::<_, RetryError>(Some(changed).filter(|_| had_any))
        })
        .await?;
        if let Some(account) = removed {
            notify(&self.core, &account, AccountChange::FactorsRemoved);
        }
        Ok(Step { done: 1, more: true })
    }

    async fn account(&self, id: AccountId) -> Result<Account, Error> {
        self.core.ports.accounts.account(id).await?.ok_or(Error::NotFound(ResourceKind::Account))
    }
}

/// Adds to a change that sets up a factor what it means for the account: the holder has one, so a scheduled removal ends, which
/// would remove the new one too.
pub(crate) fn with_new_factor(changes: Changes, account: &Account) -> Changes {
    match account.factors_removal_at {
        None => unless_confirmed(changes, account),
        Some(_) => without_removal(changes, account),
    }
}

fn without_removal(changes: Changes, account: &Account) -> Changes {
    if account.factors_removal_at.is_none() {
        return changes;
    }
    changes.replace(account.clone(), Account { factors_removal_at: None, ..account.clone() })
}

/// Refuses to add or remove factors of an account with a passkey to someone who signed in with one factor: with the password
/// alone, they could otherwise replace the passkey, and meet a rule that requires two factors.
pub(crate) async fn check_passkey_used(core: &IdentityCore, signed_in: &SignedIn) -> Result<(), Error> {
    if must_use_passkey(core, signed_in).await? { Err(AuthenticationError::PasskeyUnused.into()) } else { Ok(()) }
}

/// Returns whether [`check_passkey_used`] refuses.
pub(crate) async fn must_use_passkey(core: &IdentityCore, signed_in: &SignedIn) -> Result<bool, Error> {
    let has_one_factor = signed_in.session.methods.level() == AssuranceLevel::OneFactor;
    Ok(has_one_factor && !core.ports.passkeys.passkeys(signed_in.account.id).await?.is_empty())
}
