//! Access tokens: scopes, audiences and claims (contract 3).

use super::{AccountId, ClientId, ProjectId, Time, TokenFamilyId};

macro_rules! scopes {
    ($($(#[$doc:meta])* $variant:ident $name:literal)+) => {
        /// A scope of a token.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Scope { $($(#[$doc])* $variant,)+ }

        impl Scope {
            /// All variants, in the order of responses.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Returns the name used in OAuth requests and tokens.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }
    };
}

scopes! {
    /// Identifies the person (OpenID Connect).
    OpenId "openid"
    /// Gives access to name, username and picture.
    Profile "profile"
    /// Gives access to the email address.
    Email "email"
    /// Gives access while the person is not present.
    OfflineAccess "offline_access"
    /// Reads the person's items in the project.
    DbRead "app:db:read"
    /// Creates, changes and deletes the person's items in the project.
    DbWrite "app:db:write"
    /// Reads the person's profile in the project.
    ProfileRead "app:profile:read"
    /// Changes the person's profile in the project.
    ProfileWrite "app:profile:write"
    /// Allows everything that the person may do in the project.
    AppAdmin "app:admin"
    /// Administers teams and projects as the person. First-party sessions only.
    Admin "admin"
}

impl Scope {
    /// Returns the narrower scopes that the scope implies: admin > write > read (contract 3).
    const fn implied(self) -> &'static [Self] {
        match self {
            Self::AppAdmin => &[Self::DbWrite, Self::DbRead, Self::ProfileWrite, Self::ProfileRead],
            Self::DbWrite => &[Self::DbRead],
            Self::ProfileWrite => &[Self::ProfileRead],
            _ => &[],
        }
    }
}

/// The error for an unknown scope name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidScope(pub String);

/// A set of scopes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeSet(Vec<Scope>);

impl ScopeSet {
    /// Returns the scopes of a first-party session.
    pub fn first_party() -> Self {
        Self(vec![Scope::OpenId, Scope::Profile, Scope::Email, Scope::Admin])
    }

    /// Parses space-separated names. Unknown names are ignored.
    pub fn parse(text: &str) -> Self {
        let names: Vec<&str> = text.split(' ').collect();
        Self(Scope::ALL.iter().copied().filter(|scope| names.contains(&scope.as_str())).collect())
    }

    /// Parses the scopes that a client requests: names separated by spaces or commas. Every name must be known.
    /// `profile:read` is an alias of `profile` (contract 3).
    pub fn parse_requested(text: &str) -> Result<Self, InvalidScope> {
        let mut requested = Vec::new();
        for name in text.split([' ', ',']).filter(|name| !name.is_empty()) {
            let name = if name == "profile:read" { Scope::Profile.as_str() } else { name };
            let scope = Scope::ALL.iter().copied().find(|scope| scope.as_str() == name);
            requested.push(scope.ok_or_else(|| InvalidScope(name.chars().take(64).collect()))?);
        }
        if requested.is_empty() {
            return Err(InvalidScope(String::new()));
        }
        Ok(Self(Scope::ALL.iter().copied().filter(|scope| requested.contains(scope)).collect()))
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

    /// Returns the scopes that are in either set.
    pub fn union(&self, other: &Self) -> Self {
        Self(Scope::ALL.iter().copied().filter(|scope| self.0.contains(scope) || other.0.contains(scope)).collect())
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

/// The audience of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// This service itself, for a person who uses their own account.
    Service,
    /// One project that a person uses.
    Project(ProjectId),
}

/// The claims of an access token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessClaims {
    /// The account (`sub`).
    pub subject: AccountId,
    /// The audience (`aud`).
    pub audience: Audience,
    /// The scopes (`scope`).
    pub scopes: ScopeSet,
    /// When the token was issued (`iat`), with a precision of one second.
    pub issued_at: Time,
    /// When the token expires (`exp`), with a precision of one second.
    pub expires_at: Time,
    /// Unique ID of the token (`jti`).
    pub id: uuid::Uuid,
    /// The family of the token; `None` if the operator issued it, in which case it cannot be revoked.
    pub family: Option<TokenFamilyId>,
}

/// The claims of an ID token (OpenID Connect Core §2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdClaims {
    /// The account (`sub`).
    pub subject: AccountId,
    /// The client (`aud`), with its ID as the client sent it.
    pub client: ClientId,
    /// The `nonce` that the client sent with its request.
    pub nonce: Option<String>,
    /// When the person entered their password (`auth_time`), with a precision of one second.
    pub authenticated_at: Time,
    /// When the token was issued (`iat`), with a precision of one second.
    pub issued_at: Time,
    /// When the token expires (`exp`), with a precision of one second.
    pub expires_at: Time,
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
        for invalid in ["", " ", "openid,root", "OPENID", "app:db:delete"] {
            assert!(ScopeSet::parse_requested(invalid).is_err(), "{invalid}");
        }
    }
}
