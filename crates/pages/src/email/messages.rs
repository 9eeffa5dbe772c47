//! Which messages of `messages/*.ftl` an email consists of.

use steward_domain::identity::{AccountChange, EmailKind, LinkPurpose};

// What the button says.
const CONFIRM: &str = "email-confirm-button";
const SIGN_IN: &str = "email-sign-in-button";
const ACCOUNT: &str = "go-to-account";

// Why the recipient gets the email.
const ENTERED: &str = "email-reason-entered";
const OF_ACCOUNT: &str = "email-reason-account";

/// Returns the subject, what happened, what follows, what to do otherwise, the button, and the reason of an email.
pub(super) fn of(kind: &EmailKind) -> [&'static str; 6] {
    let ([subject, introduction, consequence, otherwise], button, reason) = match kind {
        EmailKind::Link(LinkPurpose::VerifyEmail) => {
            (["email-verify-subject", "email-verify", "email-link-once", "email-verify-otherwise"], CONFIRM, ENTERED)
        }
        EmailKind::Link(LinkPurpose::ResetPassword) => {
            (["email-reset-subject", "email-reset", "email-link-once", "email-reset-otherwise"], SIGN_IN, ENTERED)
        }
        EmailKind::Link(LinkPurpose::ChangeEmail) => {
            (["email-change-subject", "email-change", "email-link-once", "email-change-otherwise"], CONFIRM, ENTERED)
        }
        EmailKind::Link(LinkPurpose::SignIn) => {
            (["email-code-subject", "email-code", "email-code-then", "email-code-otherwise"], SIGN_IN, ENTERED)
        }
        EmailKind::Invite { .. } => (
            ["email-invite-subject", "email-invite", "email-invite-then", "email-invite-otherwise"],
            "view-invite",
            "email-reason-invited",
        ),
        EmailKind::EmailChanged => (
            ["email-changed-subject", "email-changed", "email-changed-then", "email-changed-otherwise"],
            ACCOUNT,
            "email-reason-changed",
        ),
        EmailKind::AccountChanged(change) => {
            let [subject, introduction, consequence] = of_change(*change);
            ([subject, introduction, consequence, if_not_you(*change)], ACCOUNT, OF_ACCOUNT)
        }
        EmailKind::Test => (
            ["email-test-subject", "email-test", "email-test-then", "email-test-otherwise"],
            "email-open-button",
            OF_ACCOUNT,
        ),
    };
    [subject, introduction, consequence, otherwise, button, reason]
}

/// Returns the subject, what happened to the account, and what follows.
fn of_change(change: AccountChange) -> [&'static str; 3] {
    use AccountChange as C;
    match change {
        C::AppAdded => ["email-app-added-subject", "email-app-added", "email-app-added-then"],
        C::AppRemoved => ["email-app-removed-subject", "email-app-removed", "email-app-removed-then"],
        C::CodesReplaced => ["email-codes-replaced-subject", "email-codes-replaced", "email-codes-replaced-then"],
        C::CodeUsed(_) => ["email-code-used-subject", "email-code-used", "email-code-used-then"],
        C::FactorsRemoved => ["email-factors-removed-subject", "email-factors-removed", "email-factors-removed-then"],
        C::RemovalScheduled(_) => {
            ["email-removal-scheduled-subject", "email-removal-scheduled", "email-removal-scheduled-then"]
        }
        C::RemovalCanceled => {
            ["email-removal-canceled-subject", "email-removal-canceled", "email-removal-canceled-then"]
        }
        C::RemovedByConfirmation => ["email-confirmed-subject", "email-confirmed", "email-confirmed-then"],
        C::PasskeyAdded => ["email-passkey-added-subject", "email-passkey-added", "email-passkey-added-then"],
        C::PasskeyRemoved => ["email-passkey-removed-subject", "email-passkey-removed", "email-passkey-removed-then"],
        C::PasskeyCopied => ["email-passkey-copied-subject", "email-passkey-copied", "email-passkey-copied-then"],
        C::IdentityLinked => ["email-identity-linked-subject", "email-identity-linked", "email-identity-linked-then"],
        C::IdentityUnlinked => {
            ["email-identity-unlinked-subject", "email-identity-unlinked", "email-identity-unlinked-then"]
        }
        C::CodesRefused => ["email-codes-refused-subject", "email-codes-refused", "email-codes-refused-then"],
        C::NewBrowser(Some(_)) => ["email-browser-subject", "email-browser", "email-browser-from"],
        C::NewBrowser(None) => ["email-browser-subject", "email-browser", "email-browser-unknown"],
        C::PasswordChanged => ["email-password-subject", "email-password", "email-password-then"],
        C::TokenCreated => ["email-token-subject", "email-token", "email-token-then"],
    }
}

/// Returns what to do if someone else changed the account.
fn if_not_you(change: AccountChange) -> &'static str {
    match change {
        AccountChange::NewBrowser(_) => "email-not-you-session",
        AccountChange::PasswordChanged => "email-not-you-forgot",
        AccountChange::TokenCreated => "email-not-you-token",
        AccountChange::PasskeyAdded | AccountChange::PasskeyCopied => "email-not-you-passkey",
        _ => "email-not-you",
    }
}
