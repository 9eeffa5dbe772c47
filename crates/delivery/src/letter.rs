//! What letters say.

use steward_domain::model::{Letter, LinkPurpose};

/// The subject.
pub fn subject(purpose: LinkPurpose) -> &'static str {
    match purpose {
        LinkPurpose::VerifyEmail => "Confirm your email address",
        LinkPurpose::ResetPassword => "Choose a new password",
    }
}

/// The text, with the link on a line of its own.
pub fn text(letter: &Letter) -> String {
    let (why, otherwise) = match letter.purpose {
        LinkPurpose::VerifyEmail => (
            "somebody, we hope you, gave this address for an account. To confirm that it is yours, open",
            "If it was not you, do nothing: without the link nobody can confirm the address.",
        ),
        LinkPurpose::ResetPassword => (
            "somebody, we hope you, asked for a new password for the account with this address. To choose one, open",
            "If it was not you, do nothing: your password stays as it is.",
        ),
    };
    let link = letter.link.expose();
    format!("Hello,\n\n{why}\n\n{link}\n\nThe link works once, for an hour.\n\n{otherwise}\n\n-- \nSteward\n")
}

#[cfg(test)]
mod tests {
    use steward_domain::model::{Email, Secret};

    use super::*;

    #[test]
    fn each_letter_carries_its_link_once_and_alone_on_its_line() {
        for purpose in LinkPurpose::ALL {
            let link = Secret::new("https://steward.example/auth/x?token=stw_el_1".into());
            let letter = Letter { to: Email::parse("ann@example.com").unwrap(), purpose, link: link.clone() };
            let text = text(&letter);
            assert_eq!(text.lines().filter(|line| *line == link.expose()).count(), 1);
            assert_eq!(text.matches("http").count(), 1);
            assert!(!subject(purpose).is_empty());
        }
    }
}
