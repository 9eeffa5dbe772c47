//! Subjects and texts of emails.

use std::borrow::Cow;

use steward_domain::model::{EmailKind, EmailMessage, LinkPurpose, SecondFactorChange, Secret};

/// Returns the subject.
pub fn subject(kind: &EmailKind) -> Cow<'static, str> {
    match kind {
        EmailKind::Link(LinkPurpose::VerifyEmail) => "Confirm your email address".into(),
        EmailKind::Link(LinkPurpose::ResetPassword) => "Sign in or choose a new password".into(),
        EmailKind::Link(LinkPurpose::ChangeEmail) => "Confirm your new email address".into(),
        EmailKind::Link(LinkPurpose::SignIn) => "Your code to sign in".into(),
        EmailKind::Invite { team, .. } => format!("You are invited to join the team {team}").into(),
        EmailKind::EmailChanged => "Your email address was changed".into(),
        EmailKind::SecondFactors(change) => match change {
            SecondFactorChange::AppAdded => "An authenticator app was set up",
            SecondFactorChange::AppRemoved => "Your authenticator app was removed",
            SecondFactorChange::CodesReplaced => "Your recovery codes were replaced",
            SecondFactorChange::CodeUsed(_) => "A recovery code was used",
            SecondFactorChange::RemovedByOperator => "An operator removed your second factors",
            SecondFactorChange::RemovedByConfirmation => "Your address is confirmed, and earlier access was removed",
            SecondFactorChange::PasskeyAdded => "A passkey was set up",
            SecondFactorChange::PasskeyRemoved => "A passkey was removed",
            SecondFactorChange::PasskeyCopied => "There may be a copy of your passkey",
            SecondFactorChange::IdentityLinked => "Another way to sign in to your account was added",
            SecondFactorChange::IdentityUnlinked => "A way to sign in to your account was removed",
            SecondFactorChange::CodesRefused => "Someone is trying codes to sign in to your account",
        }
        .into(),
        EmailKind::Test => "Test email".into(),
    }
}

/// Returns what happened to the second factors, and what follows.
fn about(change: SecondFactorChange) -> (&'static str, Cow<'static, str>) {
    match change {
        SecondFactorChange::AppAdded => (
            "An authenticator app was set up for your account. To see it, open this link:",
            "From now on, signing in requires a code of the app in addition to the password.".into(),
        ),
        SecondFactorChange::AppRemoved => (
            "The authenticator app of your account and its recovery codes were removed. To set up another one, open this \
             link:",
            "Signing in requires only the password now.".into(),
        ),
        SecondFactorChange::CodesReplaced => (
            "New recovery codes were generated for your account. To see how many are left, open this link:",
            "The previous recovery codes are no longer valid.".into(),
        ),
        SecondFactorChange::CodeUsed(left) => (
            "A recovery code was used to sign in to your account. To generate new ones, open this link:",
            format!("The code cannot be used again. Unused recovery codes: {left}.").into(),
        ),
        SecondFactorChange::RemovedByOperator => (
            "An operator of this service removed the second factors, passkeys and linked identities of your account. To set up \
             new ones, open this link:",
            "Signing in no longer requires them.".into(),
        ),
        SecondFactorChange::RemovedByConfirmation => (
            "The email address of your account was confirmed for the first time. To set a password or see the one that you have, open \
             this link:",
            "Someone else may have signed up with your address before. So the passkeys, the linked identities, the authenticator \
             app, the sessions and the access tokens of that time were removed, and the password, unless you have just set it."
                .into(),
        ),
        SecondFactorChange::PasskeyAdded => (
            "A passkey was set up for your account. To see it, open this link:",
            "From now on, it signs in to your account without the password.".into(),
        ),
        SecondFactorChange::PasskeyRemoved => (
            "A passkey of your account was removed. To see those that are left, open this link:",
            "The removed passkey no longer signs in to your account.".into(),
        ),
        SecondFactorChange::PasskeyCopied => (
            "A passkey of your account was refused, because there may be a copy of it. To remove it, open this link:",
            "This sign-in was refused, but a copy may have been used before. Check your sessions.".into(),
        ),
        SecondFactorChange::IdentityLinked => (
            "An identity at another service was linked to your account. To see it, open this link:",
            "You can now sign in to your account with that service.".into(),
        ),
        SecondFactorChange::IdentityUnlinked => (
            "An identity at another service was unlinked from your account. To see those that are left, open this link:",
            "Signing in there no longer signs in to your account.".into(),
        ),
        SecondFactorChange::CodesRefused => (
            "Someone who has passed the first step of signing in to your account, with your password or otherwise, is entering \
             wrong codes. To choose a new password, open this link:",
            "Nobody signed in with these codes. A new password ends attempts with the earlier one. If you have linked identities, \
             check that only you can use them."
                .into(),
        ),
    }
}

/// Returns the plain text, with the link on its own line.
pub fn text(email: &EmailMessage) -> String {
    let (introduction, validity, otherwise): (Cow<'_, str>, Cow<'_, str>, &str) = match &email.kind {
        EmailKind::Link(LinkPurpose::VerifyEmail) => (
            "This email address was used for an account. To confirm that the address is yours, open this link:".into(),
            "The link can be used once and expires in one hour.".into(),
            "If you did not use this address, ignore this email. Nobody can confirm the address without the link.",
        ),
        EmailKind::Link(LinkPurpose::ResetPassword) => (
            "A link was requested for the account with this email address. To sign in, or to set a new password, open \
             this link:"
                .into(),
            "The link can be used once and expires in one hour.".into(),
            "If you did not request this, ignore this email. Your password does not change.",
        ),
        EmailKind::Link(LinkPurpose::ChangeEmail) => (
            "Someone asked to use this email address for their account. To confirm that the address is yours, sign in \
             to the account and open this link:"
                .into(),
            "The link can be used once and expires in one hour.".into(),
            "If you did not request this, ignore this email. The address is not used without the link.",
        ),
        EmailKind::Link(LinkPurpose::SignIn) => (
            format!(
                "Your code to sign in is {}. Enter it where you asked for it, or open this link in the same browser:",
                email.code.as_ref().map_or("", Secret::expose)
            )
            .into(),
            "The code can be used once, only in that browser, and expires in ten minutes. Never share it.".into(),
            "If you did not request this, ignore this email. Nobody can sign in without the code.",
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
            "If you do not know this team, ignore this email.",
        ),
        EmailKind::EmailChanged => (
            "The email address of your account was changed. To see your account, open this link:".into(),
            "This address is no longer used to sign in, and receives no further emails about the account.".into(),
            "If you did not change the address, contact the operator of this service immediately.",
        ),
        EmailKind::SecondFactors(change) => {
            let (introduction, consequence) = about(*change);
            let otherwise = match change {
                SecondFactorChange::PasskeyAdded | SecondFactorChange::PasskeyCopied => {
                    "If this was not you, remove the passkey with this link, then change your password, which signs everyone \
                     out, and contact the operator of this service."
                }
                _ => {
                    "If this was not you, change your password immediately, which signs everyone out, and contact the operator \
                     of this service."
                }
            };
            (introduction.into(), consequence, otherwise)
        }
        EmailKind::Test => (
            "An operator of this service sent this email to test the mail server:".into(),
            "The mail server works: this email arrived.".into(),
            "If you do not operate this service, ignore this email.",
        ),
    };
    let link = email.link.expose();
    format!("Hello,\n\n{introduction}\n\n{link}\n\n{validity}\n\n{otherwise}\n\n-- \nSteward\n")
}

#[cfg(test)]
mod tests {
    use steward_domain::mocks::{id_of, instant};
    use steward_domain::model::{Email, Slug};

    use super::*;

    #[test]
    fn each_email_contains_its_link_once_on_its_own_line() {
        let team = Slug::parse("acme").unwrap();
        let invite = EmailKind::Invite { id: id_of("invite").into(), at: instant(), team, expires_at: instant() };
        let changes = [
            SecondFactorChange::AppAdded,
            SecondFactorChange::AppRemoved,
            SecondFactorChange::CodesReplaced,
            SecondFactorChange::CodeUsed(9),
            SecondFactorChange::RemovedByOperator,
            SecondFactorChange::RemovedByConfirmation,
            SecondFactorChange::PasskeyAdded,
            SecondFactorChange::PasskeyRemoved,
            SecondFactorChange::PasskeyCopied,
            SecondFactorChange::CodesRefused,
        ];
        let links = LinkPurpose::ALL.map(EmailKind::Link).into_iter();
        let notices = changes.map(EmailKind::SecondFactors).into_iter().chain([invite, EmailKind::EmailChanged]);
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
