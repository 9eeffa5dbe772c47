//! Scopes of tokens (docs/contract.md#tokens).

use crate::kernel::{InvalidValue, named};

named! {
    /// A scope of a token. Responses list them in this order.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Scope: "the name used in OAuth requests and tokens" {
        /// Identifies the person (OpenID Connect).
        OpenId = "openid",
        /// Gives access to name and username.
        Profile = "profile",
        /// Gives access to the email address.
        Email = "email",
        /// Gives access while the person is not present.
        OfflineAccess = "offline_access",
        /// Reads the person's items in the project.
        DbRead = "app:db:read",
        /// Creates, changes and deletes the person's items in the project.
        DbWrite = "app:db:write",
        /// Reads the person's profile in the project.
        ProfileRead = "app:profile:read",
        /// Changes the person's profile in the project.
        ProfileWrite = "app:profile:write",
        /// Allows everything that the person may do in the project.
        AppAdmin = "app:admin",
        /// Administers teams and projects as the person. First-party sessions only.
        Admin = "admin",
    }
}

impl Scope {
    /// The scopes of OpenID Connect, which every client can have together.
    pub const IDENTITY: &[Self] = &[Self::OpenId, Self::Profile, Self::Email, Self::OfflineAccess];

    /// Returns the narrower scopes that the scope implies: admin > write > read (docs/contract.md#scopes).
    const fn implied(self) -> &'static [Self] {
        match self {
            Self::AppAdmin => &[Self::DbWrite, Self::DbRead, Self::ProfileWrite, Self::ProfileRead],
            Self::DbWrite => &[Self::DbRead],
            Self::ProfileWrite => &[Self::ProfileRead],
            _ => &[],
        }
    }
}

/// A set of scopes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScopeSet(Vec<Scope>);

impl ScopeSet {
    /// Returns the empty set.
    pub const fn none() -> Self {
        Self(Vec::new())
    }

    /// Returns the scopes of a first-party session.
    pub fn first_party() -> Self {
        Self(vec![Scope::OpenId, Scope::Profile, Scope::Email, Scope::Admin])
    }

    /// Parses space-separated names. Unknown names are ignored.
    pub fn parse(text: &str) -> Self {
        let names: Vec<&str> = text.split(' ').collect();
        Self(Scope::ALL.iter().copied().filter(|scope| names.contains(&scope.as_str())).collect())
    }

    /// Parses the scopes that a client requests: names separated by spaces or commas. `profile:read` is an alias of
    /// `profile` (docs/contract.md#scopes). Unknown names are ignored (OpenID Connect Core §3.1.2.1); returns `None` if
    /// no name is known.
    pub fn parse_requested(text: &str) -> Option<Self> {
        let names: Vec<&str> = text.split([' ', ',']).collect();
        let is_requested = |scope: &Scope| {
            names.contains(&scope.as_str()) || *scope == Scope::Profile && names.contains(&"profile:read")
        };
        let known: Vec<Scope> = Scope::ALL.iter().copied().filter(is_requested).collect();
        (!known.is_empty()).then_some(Self(known))
    }

    /// Parses the scopes that a client of a project may request: names separated by spaces, all of them known.
    pub fn parse_of_client(text: &str) -> Result<Self, InvalidValue> {
        let names: Vec<&str> = text.split(' ').filter(|name| !name.is_empty()).collect();
        let offered = Self::for_projects();
        let is_offered = |name: &&str| offered.iter().any(|scope| scope.as_str() == *name);
        if names.is_empty() || !names.iter().all(is_offered) {
            return Err(InvalidValue("must be scopes that projects can request, separated by spaces"));
        }
        Ok(Self::parse(text))
    }

    /// Returns all scopes that a project may request.
    pub fn for_projects() -> Self {
        Self(Scope::ALL.iter().copied().filter(|scope| *scope != Scope::Admin).collect())
    }

    /// Returns all names, for messages.
    pub fn known() -> String {
        Self(Scope::ALL.to_vec()).to_string()
    }

    /// Returns whether the set contains or implies the scope.
    pub fn has(&self, scope: Scope) -> bool {
        self.0.iter().any(|held| *held == scope || held.implied().contains(&scope))
    }

    /// Returns whether the set contains or implies every scope of the other set.
    pub fn covers(&self, other: &Self) -> bool {
        other.0.iter().all(|scope| self.has(*scope))
    }

    /// Returns those scopes for which `keep` returns true.
    pub fn retain(&self, keep: impl Fn(Scope) -> bool) -> Self {
        Self(self.iter().filter(|scope| keep(*scope)).collect())
    }

    /// Returns the scopes that are in either set.
    pub fn union(&self, other: &Self) -> Self {
        Self(Scope::ALL.iter().copied().filter(|scope| self.0.contains(scope) || other.0.contains(scope)).collect())
    }

    /// Returns the scopes that the set has in a project that turned on `legacy_scopes`: a set of only `openid`,
    /// `profile` and `email` also gives access to the person's items.
    pub(crate) fn with_legacy_access(&self) -> Self {
        let is_legacy = |scope: &Scope| matches!(scope, Scope::OpenId | Scope::Profile | Scope::Email);
        if self.0.is_empty() || !self.0.iter().all(is_legacy) {
            return self.clone();
        }
        self.union(&Self(vec![Scope::DbWrite]))
    }

    /// Returns the scopes, in the order of [`Scope::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = Scope> {
        self.0.iter().copied()
    }
}

impl std::fmt::Display for ScopeSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.0.iter().map(|scope| scope.as_str()).collect();
        f.write_str(&names.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_implies_the_narrower_scopes() {
        let requested = |text| ScopeSet::parse_requested(text).unwrap();
        assert!(requested("app:admin").covers(&requested("app:db:read,app:profile:write")));
        assert!(requested("app:db:write").has(Scope::DbRead) && !requested("app:db:read").has(Scope::DbWrite));
        assert!(!requested("app:admin").has(Scope::Admin) && !requested("openid").has(Scope::Email));
        assert_eq!(requested("email profile:read,  openid").to_string(), "openid profile email");
    }

    #[test]
    fn unknown_scopes_are_ignored_unless_none_is_known() {
        let requested = |text| ScopeSet::parse_requested(text).map(|scopes| scopes.to_string());
        assert_eq!(requested("openid address,phone app:db:delete").as_deref(), Some("openid"));
        for unknown in ["", " ", "address phone", "OPENID", "app:db:delete"] {
            assert_eq!(requested(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn legacy_access_needs_a_token_without_other_scopes() {
        for legacy in ["openid", "profile email", "openid profile email"] {
            assert!(ScopeSet::parse(legacy).with_legacy_access().has(Scope::DbWrite), "{legacy}");
        }
        for other in ["", "openid app:db:read", "openid app:profile:write", "openid offline_access", "openid admin"] {
            let scopes = ScopeSet::parse(other);
            assert_eq!(scopes.with_legacy_access(), scopes, "{other}");
        }
    }
}
