//! Accounts: people who can sign in.

use crate::identity::{Email, PasswordHash};
use crate::kernel::{AccountId, InvalidValue, Locale, Name, Revision, Time, as_text, audited};

/// The public handle of an account: 3 to 32 characters of `[A-Za-z0-9_-]`, compared case-insensitively. It contains no
/// `@`, so it cannot be confused with an email address.
#[derive(Debug, Clone)]
pub struct Username(String);

impl Username {
    /// The permitted numbers of characters.
    pub const LENGTH: std::ops::RangeInclusive<usize> = 3..=32;
    /// The permitted characters, as a regular expression (ECMA-262).
    pub const PATTERN: &str = "^[0-9A-Za-z_-]*$";

    /// Trims and validates the text.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let text = text.trim();
        let is_valid = Self::LENGTH.contains(&text.len())
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
        is_valid
            .then(|| Self(text.to_owned()))
            .ok_or(InvalidValue("must be 3 to 32 letters, digits, hyphens and underscores"))
    }

    /// Returns the lowercase form for comparisons.
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

as_text!(Username);

/// A person who can sign in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Unique ID of the account: the `sub` of its tokens.
    pub id: AccountId,
    /// The email address, unique across the service, case-insensitive.
    pub email: Email,
    /// Whether the holder proved that the address is theirs. Required for invites by email.
    pub email_verified: bool,
    /// The username, unique across the service, case-insensitive.
    pub username: Option<Username>,
    /// The name of the person.
    pub name: Option<Name>,
    /// The hash of the password. `None` if the person signs in in other ways only.
    pub password: Option<PasswordHash>,
    /// When the password was set or removed. Sessions and tokens issued before are invalid.
    pub password_set_at: Time,
    /// When the account was created.
    pub created_at: Time,
    /// When the operator disabled the account; `None` if it is enabled. No credential of a disabled account works.
    pub disabled_at: Option<Time>,
    /// When the deletion of the account and its data started. The account stays disabled until the deletion is complete.
    pub deletion_started_at: Option<Time>,
    /// When the second factors and passkeys are removed, because the holder lost them; `None` if that was not requested.
    pub factors_removal_at: Option<Time>,
    /// When the address was first confirmed by someone who was not signed in to the account. Grants and invites that the account
    /// gave before do not count: a stranger may have signed up with the address.
    pub authority_since: Option<Time>,
    /// The language of the person, from the page that they used first. `None` if they used none yet.
    pub language: Option<Locale>,
    /// Whether the account may administer the whole service in the web pages.
    pub is_operator: bool,
    /// The revision, for compare-and-set.
    pub revision: Revision,
}

audited!(Account as Account of nobody, |account| {
    "email": account.email.as_str(), "email_verified": account.email_verified,
    "username": account.username.as_ref().map(|name| name.as_str()),
    "name": account.name.as_ref().map(|name| name.as_str()),
    "password_set_at": account.password_set_at.to_rfc3339(),
    "disabled_at": account.disabled_at.map(|at| at.to_rfc3339()),
    "deletion_started_at": account.deletion_started_at.map(|at| at.to_rfc3339()),
    "factors_removal_at": account.factors_removal_at.map(|at| at.to_rfc3339()),
    "authority_since": account.authority_since.map(|at| at.to_rfc3339()),
    "language": account.language.map(|language| language.as_str()),
    "is_operator": account.is_operator,
});

impl Account {
    /// Returns a new account with an address that is not confirmed, and without a password, a name and a username.
    pub fn new(id: AccountId, email: Email, now: Time) -> Self {
        Self {
            id,
            email,
            email_verified: false,
            username: None,
            name: None,
            password: None,
            password_set_at: now,
            created_at: now,
            disabled_at: None,
            deletion_started_at: None,
            factors_removal_at: None,
            authority_since: None,
            language: None,
            is_operator: false,
            revision: Revision::FIRST,
        }
    }

    /// Returns whether what the account gave to others at this time still counts.
    pub fn stands_by(&self, given_at: Time) -> bool {
        self.authority_since.is_none_or(|since| given_at >= since)
    }

    /// Returns the account after its address was confirmed for the first time by someone who reads its mail and is not signed in.
    /// Whoever signed up with the address keeps nothing: no password, no sessions and tokens, and nothing that they gave to others.
    pub fn confirmed_by_owner(self, now: Time) -> Self {
        Self { email_verified: true, password: None, password_set_at: now, authority_since: Some(now), ..self }
    }

    /// Returns whether the holder may sign in and use existing sessions and tokens.
    pub fn is_active(&self) -> bool {
        self.disabled_at.is_none()
    }

    /// Returns whether the address counts as confirmed where it must be. Operators got their account in another way.
    pub fn counts_as_confirmed(&self) -> bool {
        self.email_verified || self.is_operator
    }
}

/// A filter for listing accounts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AccountFilter {
    /// Only accounts whose email address contains this text, as [`Email::folded_parts`] compares it.
    pub email_contains: Option<String>,
    /// Only disabled accounts.
    pub only_disabled: bool,
    /// Only operators.
    pub only_operators: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_username_cannot_be_an_email_address() {
        assert_eq!(Username::parse("Ann_B").unwrap(), Username::parse("ann_b").unwrap());
        for invalid in ["ab", "a@b.c", "a b c", "ünï", &"a".repeat(33)] {
            assert!(Username::parse(invalid).is_err(), "{invalid}");
        }
    }
}
