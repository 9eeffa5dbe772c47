//! Email addresses, as given and as compared.

use std::fmt;

use super::InvalidValue;

/// An email address of the form the WHATWG HTML standard calls valid. Kept as given, compared without letter case (contract 1.8).
#[derive(Debug, Clone)]
pub struct Email(String);

impl Email {
    /// Trims and checks the text.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let text = text.trim();
        let fits = text.len() <= 254
            && text.split_once('@').is_some_and(|(local, domain)| is_local(local) && is_domain(domain));
        if fits {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidValue("must be an email address, like name@example.com"))
        }
    }

    /// The address as it was given.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part after the `@`, in lower case.
    pub fn domain(&self) -> String {
        self.0.rsplit('@').next().unwrap_or_default().to_ascii_lowercase()
    }

    /// The form in which two addresses are compared.
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
    fn addresses_are_told_from_other_text_and_compared_without_case() {
        assert_eq!(Email::parse(" Ann@Example.COM ").unwrap(), Email::parse("ann@example.com").unwrap());
        assert_eq!(Email::parse("Ann@Example.com").unwrap().as_str(), "Ann@Example.com");
        for bad in ["", "a", "a@", "@b", "a@b@c", "a b@c.d", "a@-b.c", "a@b..c", "a\n@b.c", "<a@b.c>"] {
            assert!(Email::parse(bad).is_err(), "{bad}");
        }
    }
}
