//! Email addresses: validation and comparison.

use std::fmt;

use super::InvalidValue;

/// An email address that is valid under the WHATWG HTML standard. Stored as entered, compared case-insensitively
/// (docs/contract.md#text).
#[derive(Debug, Clone)]
pub struct Email(String);

impl Email {
    /// Trims and validates the text.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let text = text.trim();
        let is_valid = text.len() <= 254
            && text.split_once('@').is_some_and(|(local, domain)| is_local(local) && is_domain(domain));
        if is_valid {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidValue("must be an email address, like name@example.com"))
        }
    }

    /// Returns the address as entered.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the part after the `@`, in lowercase.
    pub fn domain(&self) -> String {
        self.0.rsplit('@').next().unwrap_or_default().to_ascii_lowercase()
    }

    /// Returns the address for a page that others may see: people recognize their own, and others do not learn it.
    pub fn masked(&self) -> String {
        let (local, domain) = self.0.split_once('@').unwrap_or((self.0.as_str(), ""));
        let first = |text: &str| text.chars().next().map(String::from).unwrap_or_default();
        let last_label = domain.rsplit_once('.').map(|(_, label)| format!(".{label}")).unwrap_or_default();
        format!("{}***@{}***{last_label}", first(local), first(domain))
    }

    /// Returns the lowercase form for comparisons.
    pub fn folded(&self) -> String {
        self.0.to_ascii_lowercase()
    }
}

fn is_local(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b".!#$%&'*+/=?^_`{|}~-".contains(&b))
}

fn is_domain(text: &str) -> bool {
    text.split('.').all(|label| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    })
}

impl PartialEq for Email {
    fn eq(&self, other: &Self) -> bool {
        self.0.eq_ignore_ascii_case(&other.0)
    }
}

impl Eq for Email {}

impl fmt::Display for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
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
}
