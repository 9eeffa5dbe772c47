//! What emails say.

use std::borrow::Cow;

use steward_domain::model::{EmailKind, EmailMessage, LinkPurpose};

/// The subject.
pub fn subject(kind: &EmailKind) -> Cow<'static, str> {
    match kind {
        EmailKind::Link(LinkPurpose::VerifyEmail) => "Confirm your email address".into(),
        EmailKind::Link(LinkPurpose::ResetPassword) => "Choose a new password".into(),
        EmailKind::Invite { team, .. } => format!("You are invited to the team {team}").into(),
    }
}

/// The text, with the link on a line of its own.
pub fn text(email: &EmailMessage) -> String {
    let (why, lasts, otherwise): (Cow<'_, str>, Cow<'_, str>, &str) = match &email.kind {
        EmailKind::Link(LinkPurpose::VerifyEmail) => (
            "somebody, we hope you, gave this address for an account. To confirm that it is yours, open".into(),
            "The link works once, for an hour.".into(),
            "If it was not you, do nothing: without the link nobody can confirm the address.",
        ),
        EmailKind::Link(LinkPurpose::ResetPassword) => (
            "somebody, we hope you, asked for a new password for the account with this address. To choose one, open"
                .into(),
            "The link works once, for an hour.".into(),
            "If it was not you, do nothing: your password stays as it is.",
        ),
        EmailKind::Invite { team, expires_at, .. } => (
            format!("the team {team} invites you to join it. To look at the invite, and to accept or decline it, open")
                .into(),
            format!(
                "It is for the account with this address, which you can still make, until {}.",
                expires_at.format("%-d %B %Y, %H:%M UTC")
            )
            .into(),
            "If you do not know the team, do nothing.",
        ),
    };
    let link = email.link.expose();
    format!("Hello,\n\n{why}\n\n{link}\n\n{lasts}\n\n{otherwise}\n\n-- \nSteward\n")
}

#[cfg(test)]
mod tests {
    use steward_domain::mocks::{id_of, instant};
    use steward_domain::model::{Email, Secret, Slug};

    use super::*;

    #[test]
    fn each_letter_carries_its_link_once_and_alone_on_its_line() {
        let team = Slug::parse("acme").unwrap();
        let invite = EmailKind::Invite { id: id_of("invite").into(), at: instant(), team, expires_at: instant() };
        for kind in LinkPurpose::ALL.map(EmailKind::Link).into_iter().chain([invite]) {
            let link = Secret::new("https://steward.example/auth/x?token=stw_el_1".into());
            let email = EmailMessage { to: Email::parse("ann@example.com").unwrap(), kind, link: link.clone() };
            let text = text(&email);
            assert_eq!(text.lines().filter(|line| *line == link.expose()).count(), 1);
            assert_eq!(text.matches("http").count(), 1);
            assert!(!subject(&email.kind).is_empty());
        }
    }
}
