//! Accounts: the people who sign in.

use std::fmt;

use super::{AccountId, Email, InvalidValue, Name, PasswordHash, Revision, Time};

/// The public handle of an account: 3 to 32 of `[A-Za-z0-9_-]`, compared without letter case. It holds no `@`, so it is never taken for an email.
#[derive(Debug, Clone)]
pub struct Username(String);

impl Username {
    /// Trims and checks the text.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let text = text.trim();
        let fits =
            (3..=32).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
        if fits {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidValue("must be 3 to 32 emails, digits, hyphens and underscores"))
        }
    }

    /// The username as it was given.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The form in which two usernames are compared.
    pub fn folded(&self) -> String {
        self.0.to_ascii_lowercase()
    }
}

impl PartialEq for Username {
    fn eq(&self, other: &Self) -> bool {
        self.0.eq_ignore_ascii_case(&other.0)
    }
}

impl Eq for Username {}

impl fmt::Display for Username {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A person who can sign in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Its id; the `sub` of its tokens.
    pub id: AccountId,
    /// Unique across the service, without letter case.
    pub email: Email,
    /// Whether the holder has shown that the address is theirs. Invites by email need it.
    pub email_verified: bool,
    /// Unique across the service, without letter case.
    pub username: Option<Username>,
    /// What the person is called.
    pub name: Option<Name>,
    /// What is kept of the password.
    pub password: PasswordHash,
    /// When the password was set. Sessions and tokens of an earlier one are no longer good.
    pub password_set_at: Time,
    /// When it was made.
    pub created_at: Time,
    /// Since when the operator has disabled it: until it is enabled again, none of its credentials works.
    pub disabled_at: Option<Time>,
    /// For compare-and-set.
    pub revision: Revision,
}

impl Account {
    /// Whether its holder may sign in and use what they signed in to.
    pub fn is_active(&self) -> bool {
        self.disabled_at.is_none()
    }
}

/// Which accounts are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AccountFilter {
    /// Those whose email contains this text, without letter case.
    pub email_contains: Option<String>,
    /// Those that are disabled.
    pub only_disabled: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_username_is_never_an_email() {
        assert_eq!(Username::parse("Ann_B").unwrap(), Username::parse("ann_b").unwrap());
        for bad in ["ab", "a@b.c", "a b c", "ünï", &"a".repeat(33)] {
            assert!(Username::parse(bad).is_err(), "{bad}");
        }
    }
}
