//! Access tokens: what they say and for whom (contract 3).

use super::{AccountId, ProjectId, Time};

macro_rules! scopes {
    ($($(#[$doc:meta])* $variant:ident $name:literal)+) => {
        /// A scope of a token.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Scope { $($(#[$doc])* $variant,)+ }

        impl Scope {
            /// All of them, in the order in which they are answered.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The name on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }
    };
}

scopes! {
    /// Identifies the person (OpenID Connect).
    OpenId "openid"
    /// Shows name, username and picture.
    Profile "profile"
    /// Shows the email address.
    Email "email"
    /// Administers teams and projects as the person. First-party sessions only.
    Admin "admin"
}

/// A set of scopes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeSet(Vec<Scope>);

impl ScopeSet {
    /// What a first-party session may do: everything.
    pub fn first_party() -> Self {
        Self(Scope::ALL.to_vec())
    }

    /// Reads space-separated names; names not known here are left out.
    pub fn parse(text: &str) -> Self {
        let names: Vec<&str> = text.split(' ').collect();
        Self(Scope::ALL.iter().copied().filter(|scope| names.contains(&scope.as_str())).collect())
    }

    /// Whether the scope is among them.
    pub fn has(&self, scope: Scope) -> bool {
        self.0.contains(&scope)
    }
}

impl std::fmt::Display for ScopeSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.0.iter().map(|scope| scope.as_str()).collect();
        f.write_str(&names.join(" "))
    }
}

/// For whom a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// This service itself: a person at their own account.
    Service,
    /// One project that a person uses.
    Project(ProjectId),
}

/// What an access token says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessClaims {
    /// The account (`sub`).
    pub subject: AccountId,
    /// For whom it is (`aud`).
    pub audience: Audience,
    /// What it allows (`scope`).
    pub scopes: ScopeSet,
    /// When it was issued (`iat`), to the second.
    pub issued_at: Time,
    /// Until when it is good (`exp`), to the second.
    pub expires_at: Time,
    /// Tells it from every other token (`jti`).
    pub id: uuid::Uuid,
}
