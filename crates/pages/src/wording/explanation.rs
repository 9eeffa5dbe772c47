//! Errors of the use cases in the reader's language. The domain words them in English; each that a page of the sign-in
//! shows has a message.

use std::fmt;

use steward_domain::kernel::InvalidText;
use steward_domain::kernel::error::{AuthenticationError, Conflict, Error, Forbidden};

use crate::wording::message::Message;
use crate::wording::reader::Reader;

/// What a page says about an error.
#[derive(Debug)]
pub(crate) struct Explanation {
    text: String,
    /// Whether the text is English, because there is no message.
    is_untranslated: bool,
}

impl Explanation {
    /// Returns a text that is English in every language: it is for developers, and names parts of a request.
    pub(crate) fn untranslated(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_untranslated: true }
    }

    pub(crate) fn is_untranslated(&self) -> bool {
        self.is_untranslated && Reader::language().tag != "en"
    }
}

impl From<Message> for Explanation {
    fn from(message: Message) -> Self {
        Self { text: message.text(Reader::language()).into_owned(), is_untranslated: false }
    }
}

impl From<&Error> for Explanation {
    fn from(error: &Error) -> Self {
        message_of(error).map_or_else(|| Self::untranslated(sentence(error)), Self::from)
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Returns an error as text in the reader's language.
pub(crate) fn explain(error: &Error) -> String {
    Explanation::from(error).text
}

/// Returns a message as text in the reader's language.
pub(crate) fn said(message: Message) -> String {
    Explanation::from(message).text
}

/// Returns the error as an English sentence with a capital letter and a period, without the marks of code in Markdown.
pub(crate) fn sentence(error: &Error) -> String {
    let text = error.to_string().replace('`', "");
    let mut characters = text.chars();
    let first = characters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    let end = if text.ends_with('.') { "" } else { "." };
    format!("{first}{}{end}", characters.as_str())
}

/// A field of a form for sign-in, and its name in English.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field(&'static str);

impl Field {
    pub(crate) const EMAIL: Self = Self("email address");
    pub(crate) const PASSWORD: Self = Self("password");
    pub(crate) const NAME: Self = Self("name");
    pub(crate) const USERNAME: Self = Self("username");

    /// Returns what is wrong with the value of the field.
    pub(crate) fn explain(self, error: impl Into<InvalidText>) -> String {
        match error.into() {
            // Only names can contain such characters.
            InvalidText::Hidden(character) => {
                said(Message::new("name-hidden").with("character", character.to_string()))
            }
            other => self.violation(&other.to_string()),
        }
    }

    /// Returns what is wrong with the password of a form; `None` if the error is about something else.
    pub(crate) fn explain_password(error: &Error) -> Option<String> {
        let Error::Invalid(violations) = error else { return None };
        let violation = violations.as_slice().iter().find(|violation| violation.field == "password")?;
        Some(Self::PASSWORD.violation(&violation.message))
    }

    /// Returns what is wrong with the email address of a form; `None` if the error is about something else.
    pub(crate) fn explain_email(error: &Error) -> Option<String> {
        let Error::Invalid(violations) = error else { return None };
        let violation = violations.as_slice().iter().find(|violation| violation.field == "email")?;
        Some(Self::EMAIL.violation(&violation.message))
    }

    fn violation(self, violation: &str) -> String {
        let english = format!("The {} {violation}.", self.0);
        self.message(violation).map_or(english, said)
    }

    fn message(self, violation: &str) -> Option<Message> {
        let english = format!("The {} {violation}.", self.0);
        VIOLATIONS.iter().find(|id| Message::english(id) == english).map(|id| Message::new(id))
    }
}

/// The messages about fields that are not valid, found by their English text.
const VIOLATIONS: [&str; 14] = [
    "email-invalid",
    "email-letters",
    "password-length",
    "password-common",
    "password-keyboard",
    "password-pattern",
    "password-date",
    "password-word",
    "password-easy",
    "password-breached",
    "password-unconfirmed",
    "name-invalid",
    "name-nothing-visible",
    "username-invalid",
];

/// Returns the message of an error, or `None` if no page of the sign-in shows it.
fn message_of(error: &Error) -> Option<Message> {
    Some(match error {
        Error::Unauthenticated(refused) => Message::new(refusal(*refused)?),
        Error::Forbidden(Forbidden::SignUpDomain(domains)) => Message::new("sign-up-domain").with("domains", domains),
        Error::Forbidden(Forbidden::ProviderRequired(provider)) => {
            Message::new("provider-required").with("provider", provider)
        }
        Error::Forbidden(Forbidden::NotSetUp) => Message::new("not-set-up"),
        Error::Forbidden(Forbidden::SignUpClosed) => Message::new("sign-up-closed"),
        Error::Forbidden(Forbidden::UnconfirmedEmail) => Message::new("unconfirmed-email"),
        Error::Forbidden(Forbidden::SignUpByInvite) => Message::new("sign-up-by-invite"),
        Error::Forbidden(Forbidden::Blocked) => Message::new("blocked"),
        Error::Conflict(Conflict::EmailTaken) => Message::new("email-taken"),
        Error::Conflict(Conflict::UsernameTaken) => Message::new("username-taken"),
        Error::Conflict(Conflict::AlreadyMember) => Message::new("already-member"),
        Error::Invalid(violations) => {
            let violation = violations.as_slice().iter().find(|violation| violation.field == "email")?;
            Field::EMAIL.message(&violation.message)?
        }
        Error::TooMany { retry_after } => {
            Message::new("too-many-attempts").with("seconds", retry_after.num_seconds().to_string())
        }
        Error::AccessChanged => Message::new("access-changed"),
        Error::Unavailable(_) => Message::new("unavailable"),
        Error::StorageFull(_) => Message::new("storage-full"),
        Error::Internal(_) => Message::new("internal-error"),
        _ => return None,
    })
}

fn refusal(refused: AuthenticationError) -> Option<&'static str> {
    Some(match refused {
        AuthenticationError::WrongPassword => "wrong-password",
        AuthenticationError::WrongCode => "wrong-code",
        AuthenticationError::MistypedCode => "mistyped-code",
        AuthenticationError::WrongEmailCode => "wrong-email-code",
        AuthenticationError::MistypedEmailCode => "mistyped-email-code",
        AuthenticationError::OutdatedEmailCode => "outdated-email-code",
        AuthenticationError::UnknownPasskey => "unknown-passkey",
        AuthenticationError::WrongPasskey => "wrong-passkey",
        AuthenticationError::OtherPasskey => "other-passkey",
        AuthenticationError::CopiedPasskey => "copied-passkey",
        AuthenticationError::OutdatedChallenge => "outdated-challenge",
        AuthenticationError::ProviderDenied => "provider-denied",
        AuthenticationError::ProviderFailed => "provider-failed",
        AuthenticationError::OutdatedProviderSignIn => "outdated-provider-sign-in",
        AuthenticationError::DisabledIdentity => "disabled-identity",
        AuthenticationError::IdentityWithoutEmail => "identity-without-email",
        AuthenticationError::OtherIdentity => "other-identity",
        AuthenticationError::SecondIdentity => "second-identity",
        AuthenticationError::TooManyIdentities => "too-many-identities",
        AuthenticationError::ReplacedIdentity => "replaced-identity",
        AuthenticationError::OtherDomain => "other-domain",
        AuthenticationError::SecondFactorMissing => "second-factor-missing",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use steward_domain::identity::{Email, PENDING_SIGN_IN_TTL, Password, Username};
    use steward_domain::kernel::error::Cause;
    use steward_domain::kernel::{Name, Secret};

    use super::*;

    /// An error of each kind that has a message.
    fn errors() -> Vec<Error> {
        use AuthenticationError as A;
        let refused = [
            A::WrongPassword,
            A::WrongCode,
            A::MistypedCode,
            A::WrongEmailCode,
            A::MistypedEmailCode,
            A::OutdatedEmailCode,
            A::UnknownPasskey,
            A::WrongPasskey,
            A::OtherPasskey,
            A::CopiedPasskey,
            A::OutdatedChallenge,
            A::ProviderDenied,
            A::ProviderFailed,
            A::OutdatedProviderSignIn,
            A::DisabledIdentity,
            A::IdentityWithoutEmail,
            A::OtherIdentity,
            A::SecondIdentity,
            A::TooManyIdentities,
            A::ReplacedIdentity,
            A::OtherDomain,
            A::SecondFactorMissing,
        ];
        let forbidden = [
            Forbidden::SignUpDomain("a.example, b.example".into()),
            Forbidden::ProviderRequired("Globex".into()),
            Forbidden::NotSetUp,
            Forbidden::SignUpClosed,
            Forbidden::UnconfirmedEmail,
            Forbidden::SignUpByInvite,
            Forbidden::Blocked,
        ];
        let conflicts = [Conflict::EmailTaken, Conflict::UsernameTaken, Conflict::AlreadyMember];
        let cause = || Cause::msg("x");
        let others = [
            Error::TooMany { retry_after: PENDING_SIGN_IN_TTL },
            Error::AccessChanged,
            Error::Unavailable(cause()),
            Error::StorageFull(cause()),
            Error::Internal(cause()),
        ];
        let refused = refused.map(Error::from).into_iter().chain(forbidden.map(Error::from));
        refused.chain(conflicts.map(Error::from)).chain(others).collect()
    }

    #[test]
    fn the_english_messages_are_the_errors_of_the_use_cases() {
        for error in errors() {
            let explained = Explanation::from(&error);
            assert_eq!((explained.to_string(), explained.is_untranslated), (sentence(&error), false), "{error:?}");
        }
        assert!(Explanation::from(&Error::ItemTooLarge).is_untranslated);
    }

    #[test]
    fn every_violation_of_a_field_has_a_message() {
        let password = |text: &str| Password::parse(Secret::new(text.to_owned()));
        let weak = |text: &str| password(text).unwrap().check_strength(&Default::default()).unwrap_err();
        let found = [
            Field::EMAIL.explain(Email::parse("x").unwrap_err()),
            Field::PASSWORD.explain(password("x").map(drop).unwrap_err()),
            Field::PASSWORD.explain(weak("password12")),
            Field::PASSWORD.explain(weak("qwertyuiop[]")),
            Field::PASSWORD.explain(weak("aaaaaaaaaaaa")),
            Field::NAME.explain(Name::parse("").unwrap_err()),
            Field::NAME.explain(Name::parse("\u{301}").unwrap_err()),
            Field::USERNAME.explain(Username::parse("").unwrap_err()),
        ];
        for text in found {
            assert!(VIOLATIONS.iter().any(|id| Message::english(id) == text), "{text}");
        }
        for id in VIOLATIONS {
            assert_ne!(Message::english(id), id);
        }
        let hidden = Name::parse("Ann\u{200b}a").unwrap_err();
        assert_eq!(Field::NAME.explain(hidden.clone()), format!("The name {hidden}."));
    }
}
