//! Emails to the holder of an account about what happened to it.

use crate::identity::{Account, AccountChange, EmailKind, EmailMessage, IdentityCore};
use crate::kernel::changes::Changes;
use crate::kernel::policy::{LimitedAction, Permit};
use crate::kernel::{Request, Secret, Time};

/// The page on which the holder requests or cancels the removal of lost factors.
const LOST_FACTORS: &str = "/console/account/lost-factors";

/// Warns the owner of an account by email, and records the reason. At most as often as `action` is allowed, so that nobody can
/// flood the owner or the audit log.
pub(crate) async fn warn_owner(
    core: &IdentityCore,
    request: &Request,
    account: &Account,
    (action, reason, change): (LimitedAction, &'static str, AccountChange),
    now: Time,
) {
    if core.action_limiter.take(action, &account.id.to_string(), now).await.is_err() {
        return;
    }
    let attempt = Permit::refused_sign_in(account.id, request.clone());
    // The owner is warned even if this cannot be recorded.
    drop(core.commit(Changes::refused(attempt, reason, now)).await);
    notify(core, account, change);
}

/// Sends an email about what the person changed. Limited, because someone who signed up with the address of a stranger can set
/// up and remove them again and again.
pub(crate) async fn announce(core: &IdentityCore, account: &Account, change: AccountChange) {
    let subject = account.id.to_string();
    if core.action_limiter.take(LimitedAction::AccountNoticeTo, &subject, core.now()).await.is_ok() {
        notify(core, account, change);
    }
}

/// Sends an email about a change to the holder of the account.
pub(crate) fn notify(core: &IdentityCore, account: &Account, change: AccountChange) {
    let path = match change {
        // Refused codes may keep the owner from signing in.
        AccountChange::CodesRefused => "/auth/forgot-password",
        AccountChange::PasskeyAdded | AccountChange::PasskeyRemoved | AccountChange::PasskeyCopied => {
            "/console/account/passkeys"
        }
        AccountChange::IdentityLinked | AccountChange::IdentityUnlinked => "/console/account/identities",
        AccountChange::FactorsRemoved => "/console/account",
        AccountChange::RemovalScheduled(_) | AccountChange::RemovalCanceled => LOST_FACTORS,
        AccountChange::RemovedByConfirmation | AccountChange::PasswordChanged => "/console/account/password",
        AccountChange::NewBrowser(_) => "/console/account/sessions",
        AccountChange::TokenCreated => "/console/account/tokens",
        _ => "/console/account/two-factor",
    };
    let link = Secret::new(core.address.at(path));
    let (to, kind) = (account.email.clone(), EmailKind::AccountChanged(change));
    core.ports.mailer.send(EmailMessage::new(to, kind, link, account.language.unwrap_or_default()));
}
