//! Subjects and texts of emails.

use std::borrow::Cow;

use steward_domain::identity::{AccountChange, EmailKind, EmailMessage, LinkPurpose};
use steward_domain::kernel::Secret;

/// Returns the subject.
pub fn subject(kind: &EmailKind) -> Cow<'static, str> {
    match kind {
        EmailKind::Link(LinkPurpose::VerifyEmail) => "Confirm your email address".into(),
        EmailKind::Link(LinkPurpose::ResetPassword) => "Sign in or choose a new password".into(),
        EmailKind::Link(LinkPurpose::ChangeEmail) => "Confirm your new email address".into(),
        EmailKind::Link(LinkPurpose::SignIn) => "Your code to sign in".into(),
        EmailKind::Invite { team, .. } => format!("You are invited to join the team {team}").into(),
        EmailKind::EmailChanged => "Your email address was changed".into(),
        EmailKind::AccountChanged(change) => match change {
            AccountChange::AppAdded => "An authenticator app was set up",
            AccountChange::AppRemoved => "Your authenticator app was removed",
            AccountChange::CodesReplaced => "Your recovery codes were replaced",
            AccountChange::CodeUsed(_) => "A recovery code was used",
            AccountChange::FactorsRemoved => "Your second factors and passkeys were removed",
            AccountChange::RemovalScheduled(_) => "Your second factors and passkeys will be removed",
            AccountChange::RemovalCanceled => "Your second factors and passkeys are kept",
            AccountChange::RemovedByConfirmation => "Your address is confirmed, and earlier access was removed",
            AccountChange::PasskeyAdded => "A passkey was set up",
            AccountChange::PasskeyRemoved => "A passkey was removed",
            AccountChange::PasskeyCopied => "There may be a copy of your passkey",
            AccountChange::IdentityLinked => "Another way to sign in to your account was added",
            AccountChange::IdentityUnlinked => "A way to sign in to your account was removed",
            AccountChange::CodesRefused => "Someone is trying codes to sign in to your account",
            AccountChange::NewBrowser(_) => "A new browser signed in to your account",
            AccountChange::PasswordChanged => "Your password was changed",
            AccountChange::TokenCreated => "A personal access token was created",
        }
        .into(),
        EmailKind::Test => "Test email".into(),
    }
}

/// Returns what happened to the second factors, and what follows.
fn about(change: AccountChange) -> (&'static str, Cow<'static, str>) {
    match change {
        AccountChange::AppAdded => (
            "An authenticator app was set up for your account. To see it, open this link:",
            "From now on, signing in requires a code of the app in addition to the password.".into(),
        ),
        AccountChange::AppRemoved => (
            "The authenticator app of your account and its recovery codes were removed. To set up another one, open this \
             link:",
            "Signing in requires only the password now.".into(),
        ),
        AccountChange::CodesReplaced => (
            "New recovery codes were generated for your account. To see how many are left, open this link:",
            "The previous recovery codes are no longer valid.".into(),
        ),
        AccountChange::CodeUsed(left) => (
            "A recovery code was used to sign in to your account. To generate new ones, open this link:",
            format!("The code cannot be used again. Unused recovery codes: {left}.").into(),
        ),
        AccountChange::FactorsRemoved => (
            "The second factors and passkeys of your account were removed, because they are lost. To set up new ones, open this \
             link:",
            "Signing in no longer requires them.".into(),
        ),
        AccountChange::RemovalScheduled(at) => (
            "The removal of the second factors and passkeys of your account was requested, because they are lost. To keep them, open \
             this link:",
            format!("They will be removed on {} UTC. Until then, they work as before.", at.format("%Y-%m-%d %H:%M")).into(),
        ),
        AccountChange::RemovalCanceled => (
            "The second factors and passkeys of your account will not be removed. To request it again, open this link:",
            "They work as before.".into(),
        ),
        AccountChange::RemovedByConfirmation => (
            "The email address of your account was confirmed for the first time. To set a password or see the one that you have, open \
             this link:",
            "Someone else may have signed up with your address before. So the passkeys, the linked identities, the authenticator \
             app, the sessions and the access tokens of that time were removed, and the password, unless you have just set it."
                .into(),
        ),
        AccountChange::PasskeyAdded => (
            "A passkey was set up for your account. To see it, open this link:",
            "From now on, it signs in to your account without the password.".into(),
        ),
        AccountChange::PasskeyRemoved => (
            "A passkey of your account was removed. To see those that are left, open this link:",
            "The removed passkey no longer signs in to your account.".into(),
        ),
        AccountChange::PasskeyCopied => (
            "A passkey of your account was refused, because there may be a copy of it. To remove it, open this link:",
            "This sign-in was refused, but a copy may have been used before. Check your sessions.".into(),
        ),
        AccountChange::IdentityLinked => (
            "An identity at another service was linked to your account. To see it, open this link:",
            "You can now sign in to your account with that service.".into(),
        ),
        AccountChange::IdentityUnlinked => (
            "An identity at another service was unlinked from your account. To see those that are left, open this link:",
            "Signing in there no longer signs in to your account.".into(),
        ),
        AccountChange::CodesRefused => (
            "Someone who has passed the first step of signing in to your account, with your password or otherwise, is entering \
             wrong codes. To choose a new password, open this link:",
            "Nobody signed in with these codes. A new password ends attempts with the earlier one. If you have linked identities, \
             check that only you can use them."
                .into(),
        ),
        AccountChange::NewBrowser(address) => (
            "A browser signed in to your account that had not before. To see your sessions, open this link:",
            match address {
                Some(address) => format!("The request came from the network address {address}.").into(),
                None => "The network address of the request is not known.".into(),
            },
        ),
        AccountChange::PasswordChanged => (
            "The password of your account was set or changed. To change it again, open this link:",
            "This signed out all other browsers and apps.".into(),
        ),
        AccountChange::TokenCreated => (
            "A personal access token was created for your account. To see your tokens, open this link:",
            "Programs that have it can do with your account what the token allows.".into(),
        ),
    }
}

/// Returns the plain text, with the link on its own line.
pub fn text(email: &EmailMessage) -> String {
    let (introduction, validity, otherwise): (Cow<'_, str>, Cow<'_, str>, Cow<'_, str>) = match &email.kind {
        EmailKind::Link(LinkPurpose::VerifyEmail) => (
            "This email address was used for an account. To confirm that the address is yours, open this link:".into(),
            "The link can be used once and expires in one hour.".into(),
            "If you did not use this address, ignore this email. Nobody can confirm the address without the link.".into(),
        ),
        EmailKind::Link(LinkPurpose::ResetPassword) => (
            "A link was requested for the account with this email address. To sign in, or to set a new password, open \
             this link:"
                .into(),
            "The link can be used once and expires in one hour.".into(),
            "If you did not request this, ignore this email. Your password does not change.".into(),
        ),
        EmailKind::Link(LinkPurpose::ChangeEmail) => (
            "Someone asked to use this email address for their account. To confirm that the address is yours, sign in \
             to the account and open this link:"
                .into(),
            "The link can be used once and expires in one hour.".into(),
            "If you did not request this, ignore this email. The address is not used without the link.".into(),
        ),
        EmailKind::Link(LinkPurpose::SignIn) => (
            format!(
                "Your code to sign in is {}. Enter it where you asked for it, or open this link in the same browser:",
                email.code.as_ref().map_or("", Secret::expose)
            )
            .into(),
            "The code can be used once, only in that browser, and expires in ten minutes. Never share it.".into(),
            "If you did not request this, ignore this email. Nobody can sign in without the code.".into(),
        ),
        EmailKind::Invite { team, expires_at, .. } => (
            format!(
                "The team {team} invites you to join. To view the invite and accept or decline it, open this link:"
            )
            .into(),
            format!(
                "The link confirms this email address, so do not forward it. If you have no account, you can create one. \
                 The invite expires on {}.",
                expires_at.format("%-d %B %Y, %H:%M UTC")
            )
            .into(),
            "If you do not know this team, ignore this email.".into(),
        ),
        EmailKind::EmailChanged => (
            "The email address of your account was changed. To see your account, open this link:".into(),
            "This address is no longer used to sign in, and receives no further emails about the account.".into(),
            "If you did not change the address, contact the operator of this service immediately.".into(),
        ),
        EmailKind::AccountChanged(change) => {
            let (introduction, consequence) = about(*change);
            let remedy = match change {
                AccountChange::NewBrowser(_) => "end the session with this link, change your password immediately",
                AccountChange::PasswordChanged => {
                    "choose a new password with \"Forgot your password?\" on the sign-in page immediately"
                }
                AccountChange::TokenCreated => "revoke the token with this link, then change your password",
                AccountChange::PasskeyAdded | AccountChange::PasskeyCopied => {
                    "remove the passkey with this link, then change your password"
                }
                _ => "change your password immediately",
            };
            let otherwise = format!(
                "If this was not you, {remedy}, which signs everyone out, and contact the operator of this service."
            );
            (introduction.into(), consequence, otherwise.into())
        }
        EmailKind::Test => (
            "An operator of this service sent this email to test the mail server:".into(),
            "The mail server works: this email arrived.".into(),
            "If you do not operate this service, ignore this email.".into(),
        ),
    };
    let link = email.link.expose();
    format!("Hello,\n\n{introduction}\n\n{link}\n\n{validity}\n\n{otherwise}\n\n-- \nSteward\n")
}

#[cfg(test)]
mod tests {
    use steward_domain::identity::Email;
    use steward_domain::kernel::Slug;
    use steward_domain::mocks::{id_of, instant};

    use super::*;

    #[test]
    fn each_email_contains_its_link_once_on_its_own_line() {
        let team = Slug::parse("acme").unwrap();
        let invite = EmailKind::Invite { id: id_of("invite").into(), at: instant(), team, expires_at: instant() };
        let changes = [
            AccountChange::AppAdded,
            AccountChange::AppRemoved,
            AccountChange::CodesReplaced,
            AccountChange::CodeUsed(9),
            AccountChange::FactorsRemoved,
            AccountChange::RemovalScheduled(instant()),
            AccountChange::RemovalCanceled,
            AccountChange::RemovedByConfirmation,
            AccountChange::PasskeyAdded,
            AccountChange::PasskeyRemoved,
            AccountChange::PasskeyCopied,
            AccountChange::CodesRefused,
            AccountChange::NewBrowser(Some([203, 0, 113, 7].into())),
            AccountChange::PasswordChanged,
            AccountChange::TokenCreated,
        ];
        let links = LinkPurpose::ALL.map(EmailKind::Link).into_iter();
        let notices = changes.map(EmailKind::AccountChanged).into_iter().chain([invite, EmailKind::EmailChanged]);
        for kind in links.chain(notices).chain([EmailKind::Test]) {
            let link = Secret::new("https://steward.example/auth/x?token=stw_el_1".into());
            let email =
                EmailMessage { to: Email::parse("ann@example.com").unwrap(), kind, link: link.clone(), code: None };
            let text = text(&email);
            assert_eq!(text.lines().filter(|line| *line == link.expose()).count(), 1);
            assert_eq!(text.matches("http").count(), 1);
            assert!(!subject(&email.kind).is_empty());
        }
    }
}
