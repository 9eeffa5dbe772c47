//! Email addresses: validation and comparison.

use std::borrow::Cow;
use std::fmt;

use icu_normalizer::ComposingNormalizerBorrowed;
use icu_properties::props::{EnumeratedProperty as _, GeneralCategory, GeneralCategoryGroup};

use crate::kernel::InvalidValue;
use crate::kernel::text::characters::check_text;
use crate::kernel::text::domain_name::{with_a_labels, with_letters};

/// Maximum length of a text that is parsed, in bytes. Letters outside ASCII can be shorter in a stored address.
const MAX_TYPED: usize = 1024;
const MAX_LOCAL_LENGTH: usize = 64;

/// An email address that is valid under the WHATWG HTML standard, or has other letters (RFC 6531). Stored as entered,
/// but with a domain of A-labels and in NFC. Two addresses are equal if they differ only in the case of ASCII letters
/// (docs/contract.md#text).
#[derive(Debug, Clone)]
pub struct Email {
    stored: String,
    /// The address with the letters of its domain, if they are others than those that are stored.
    shown: Option<Box<str>>,
}

impl Email {
    /// The maximum length, in bytes.
    pub const MAX_LENGTH: usize = 254;

    /// Trims, normalizes and validates the text. Whether the mail server can send to the address is another question:
    /// see [`Email::requires_smtputf8`].
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        Self::normalized(text.trim()).ok_or(InvalidValue("must be an email address, like name@example.com"))
    }

    fn normalized(text: &str) -> Option<Self> {
        let (local, domain) = text.split_once('@').filter(|_| text.len() <= MAX_TYPED)?;
        let (local, domain) = (nfc(local), with_a_labels(domain)?);
        let stored = format!("{local}@{domain}");
        if !is_local(&local) || stored.len() > Self::MAX_LENGTH {
            return None;
        }
        let shown = with_letters(&domain).map(|domain| format!("{local}@{domain}").into_boxed_str());
        Some(Self { stored, shown })
    }

    /// Returns the address as it is stored, compared and mailed to.
    pub fn as_str(&self) -> &str {
        &self.stored
    }

    /// Returns the address as people read it: with the letters of its domain.
    pub fn shown(&self) -> &str {
        self.shown.as_deref().unwrap_or(&self.stored)
    }

    /// Returns the part after the `@`, in lowercase and with A-labels.
    pub fn domain(&self) -> String {
        self.stored.rsplit('@').next().unwrap_or_default().to_ascii_lowercase()
    }

    /// Returns whether only a mail server with SMTPUTF8 (RFC 6531) can send to the address: the part before the `@` has
    /// letters outside ASCII.
    pub fn requires_smtputf8(&self) -> bool {
        !self.stored.is_ascii()
    }

    /// Returns the address for a page that others may see: people recognize their own, and others do not learn it.
    pub fn masked(&self) -> String {
        let (local, domain) = self.shown().split_once('@').unwrap_or((self.shown(), ""));
        let first = |text: &str| text.chars().next().map(String::from).unwrap_or_default();
        let last_label = domain.rsplit_once('.').map(|(_, label)| format!(".{label}")).unwrap_or_default();
        format!("{}***@{}***{last_label}", first(local), first(domain))
    }

    /// Returns the form for comparisons. Only the case of ASCII letters is ignored: with more, one person could receive
    /// what is meant for another.
    pub fn folded(&self) -> String {
        self.stored.to_ascii_lowercase()
    }

    /// Returns what a part of an address can be in [`Email::folded`]: a part of the name, and of the domain.
    pub fn folded_parts(text: &str) -> [String; 2] {
        let (before, after) = text.rsplit_once('@').unwrap_or(("", text));
        let at = if text.contains('@') { "@" } else { "" };
        let domain = with_a_labels(after).map_or_else(|| nfc(after), Cow::into_owned);
        [nfc(text), format!("{}{at}{domain}", nfc(before))].map(|part| part.to_ascii_lowercase())
    }
}

fn nfc(text: &str) -> String {
    ComposingNormalizerBorrowed::new_nfc().normalize(text).into_owned()
}

/// Dots and the `atext` of RFC 5322; outside ASCII, letters with their marks, and digits.
fn is_local(text: &str) -> bool {
    (1..=MAX_LOCAL_LENGTH).contains(&text.len())
        && text.chars().all(|c| if c.is_ascii() { is_atext(c) } else { is_letter(c) })
        && (text.is_ascii() || is_typed(text))
}

fn is_atext(c: char) -> bool {
    c.is_ascii_alphanumeric() || ".!#$%&'*+/=?^_`{|}~-".contains(c)
}

/// Returns whether the character is a letter, a mark of one, or a number.
fn is_letter(c: char) -> bool {
    use GeneralCategoryGroup as Group;
    let category = GeneralCategory::for_char(c);
    let others = [Group::Punctuation, Group::Symbol, Group::Separator, Group::Other];
    !others.iter().any(|group| group.contains(category))
}

/// Returns whether people see all characters, and none is another form of one that keyboards have, such as a full-width
/// letter: no mail server would take them for the same.
fn is_typed(text: &str) -> bool {
    check_text(text).is_ok() && ComposingNormalizerBorrowed::new_nfkc().is_normalized(text)
}

impl PartialEq for Email {
    fn eq(&self, other: &Self) -> bool {
        self.stored.eq_ignore_ascii_case(&other.stored)
    }
}

impl Eq for Email {}

impl fmt::Display for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.stored)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_masked_address_shows_two_characters_and_the_last_label() {
        for (address, masked) in [
            ("ann@example.com", "a***@e***.com"),
            ("a@b.example.org", "a***@b***.org"),
            ("root@localhost", "r***@l***"),
            ("max@xn--mller-kva.de", "m***@m***.de"),
        ] {
            assert_eq!(Email::parse(address).unwrap().masked(), masked);
        }
    }

    #[test]
    fn email_addresses_are_validated_and_compared_case_insensitively() {
        assert_eq!(Email::parse(" Ann@Example.COM ").unwrap(), Email::parse("ann@example.com").unwrap());
        assert_eq!(Email::parse("Ann@Example.com").unwrap().as_str(), "Ann@Example.com");
        for invalid in ["", "a", "a@", "@b", "a@b@c", "a b@c.d", "a@-b.c", "a@b..c", "a\n@b.c", "<a@b.c>"] {
            assert!(Email::parse(invalid).is_err(), "{invalid}");
        }
    }

    #[test]
    fn an_address_is_the_same_however_its_letters_are_sent() {
        // As typed, as a browser sends the value of a field for addresses, and as a Mac types it.
        for typed in ["Max@Müller.de", "max@xn--mller-kva.de", "max@XN--MLLER-KVA.DE", "max@mu\u{308}ller.de"] {
            let email = Email::parse(typed).unwrap();
            assert_eq!(email.folded(), "max@xn--mller-kva.de", "{typed}");
            assert_eq!(email.shown().to_lowercase(), "max@müller.de", "{typed}");
            assert_eq!((email.domain().as_str(), email.requires_smtputf8()), ("xn--mller-kva.de", false));
            assert_eq!(Email::parse(email.shown()).unwrap(), email, "What people read can be typed.");
        }
        let email = Email::parse("用户@例子.广告").unwrap();
        assert_eq!(email.as_str(), "用户@xn--fsqu00a.xn--4rr70v");
        assert_eq!((email.shown(), email.requires_smtputf8()), ("用户@例子.广告", true));
        assert_eq!(Email::parse("jose\u{301}@example.com").unwrap(), Email::parse("José@Example.com").unwrap());
    }

    #[test]
    fn only_the_case_of_ascii_letters_is_ignored() {
        for (one, other) in [
            ("josé@example.com", "jose@example.com"),
            ("josé@example.com", "josÉ@example.com"),
            ("straße@example.com", "strasse@example.com"),
            ("ılker@example.com", "ilker@example.com"),
        ] {
            assert_ne!(Email::parse(one).unwrap(), Email::parse(other).unwrap(), "{one}");
        }
        let long = format!("{}@example.com", "é".repeat(33));
        let invalid =
            ["a\u{200b}é@b.de", "é\u{3164}@b.de", "ｍａｘ@b.de", "é @b.de", "☺@b.de", "\u{301}@b.de", long.as_str()];
        for invalid in invalid {
            assert!(Email::parse(invalid).is_err(), "{invalid:?}");
        }
    }

    #[test]
    fn addresses_in_ascii_are_stored_and_folded_as_before() {
        for stored in ["Ann+x@Example.COM", "a.b'c@xn--a.example", "root@localhost", "a@r3---sn.example"] {
            let email = Email::parse(stored).unwrap();
            assert_eq!((email.as_str(), email.folded()), (stored, stored.to_ascii_lowercase()));
        }
        assert_eq!(Email::parse("a@xn--a.example").unwrap().shown(), "a@xn--a.example");
    }

    #[test]
    fn a_search_finds_parts_of_names_and_domains() {
        let parts = Email::folded_parts;
        assert_eq!(parts("Ann@Ex"), ["ann@ex", "ann@ex"]);
        assert_eq!(parts("Müller"), ["müller", "xn--mller-kva"]);
        assert_eq!(parts("@müller.de"), ["@müller.de", "@xn--mller-kva.de"]);
        assert_eq!(parts("%"), ["%", "%"]);
    }
}
