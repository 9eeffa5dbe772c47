//! Access tokens: what they say and for whom (contract 3).

use super::{AccountId, ClientId, ProjectId, Time, TokenFamilyId};

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
    /// Goes on while the person is away.
    OfflineAccess "offline_access"
    /// Reads the person's items in the project.
    DbRead "app:db:read"
    /// Makes, changes and removes the person's items in the project.
    DbWrite "app:db:write"
    /// Reads the person's profile in the project.
    ProfileRead "app:profile:read"
    /// Changes the person's profile in the project.
    ProfileWrite "app:profile:write"
    /// Does everything that the person may do in the project.
    AppAdmin "app:admin"
    /// Administers teams and projects as the person. First-party sessions only.
    Admin "admin"
}

impl Scope {
    /// The lesser ones that it implies: admin > write > read (contract 3).
    const fn implied(self) -> &'static [Self] {
        match self {
            Self::AppAdmin => &[Self::DbWrite, Self::DbRead, Self::ProfileWrite, Self::ProfileRead],
            Self::DbWrite => &[Self::DbRead],
            Self::ProfileWrite => &[Self::ProfileRead],
            _ => &[],
        }
    }
}

/// A word that is no scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidScope(pub String);

/// A set of scopes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeSet(Vec<Scope>);

impl ScopeSet {
    /// What a first-party session may do.
    pub fn first_party() -> Self {
        Self(vec![Scope::OpenId, Scope::Profile, Scope::Email, Scope::Admin])
    }

    /// Reads space-separated names; names not known here are left out.
    pub fn parse(text: &str) -> Self {
        let names: Vec<&str> = text.split(' ').collect();
        Self(Scope::ALL.iter().copied().filter(|scope| names.contains(&scope.as_str())).collect())
    }

    /// Reads what a client asks for: names between spaces or commas, each of which must be known. `profile:read` is
    /// another name of `profile` (contract 3).
    pub fn parse_wanted(text: &str) -> Result<Self, InvalidScope> {
        let mut wanted = Vec::new();
        for name in text.split([' ', ',']).filter(|name| !name.is_empty()) {
            let name = if name == "profile:read" { Scope::Profile.as_str() } else { name };
            let scope = Scope::ALL.iter().copied().find(|scope| scope.as_str() == name);
            wanted.push(scope.ok_or_else(|| InvalidScope(name.chars().take(64).collect()))?);
        }
        if wanted.is_empty() {
            return Err(InvalidScope(String::new()));
        }
        Ok(Self(Scope::ALL.iter().copied().filter(|scope| wanted.contains(scope)).collect()))
    }

    /// Everything that a project may ask for.
    pub fn of_projects() -> Self {
        Self(Scope::ALL.iter().copied().filter(|scope| *scope != Scope::Admin).collect())
    }

    /// All names, for messages.
    pub fn known() -> String {
        Self(Scope::ALL.to_vec()).to_string()
    }

    /// Whether the scope is among them, or implied by one of them.
    pub fn has(&self, scope: Scope) -> bool {
        self.0.iter().any(|held| *held == scope || held.implied().contains(&scope))
    }

    /// Whether everything in the other is in this one, or implied by it.
    pub fn covers(&self, other: &Self) -> bool {
        other.0.iter().all(|scope| self.has(*scope))
    }

    /// All of either.
    pub fn union(&self, other: &Self) -> Self {
        Self(Scope::ALL.iter().copied().filter(|scope| self.0.contains(scope) || other.0.contains(scope)).collect())
    }

    /// The scopes, in order.
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
    /// The sign-in that it follows from. `None`: one that the operator issued, which nothing revokes.
    pub family: Option<TokenFamilyId>,
}

/// What an id token says (OpenID Connect Core §2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdClaims {
    /// The account (`sub`).
    pub subject: AccountId,
    /// The client (`aud`), as it spells its id.
    pub client: ClientId,
    /// What the client sent with its request.
    pub nonce: Option<String>,
    /// When the person gave their password (`auth_time`), to the second.
    pub authenticated_at: Time,
    /// When it was issued (`iat`), to the second.
    pub issued_at: Time,
    /// Until when it is good (`exp`), to the second.
    pub expires_at: Time,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_implies_the_lesser_ones() {
        let wanted = |text| ScopeSet::parse_wanted(text).unwrap();
        assert!(wanted("app:admin").covers(&wanted("app:db:read,app:profile:write")));
        assert!(wanted("app:db:write").has(Scope::DbRead) && !wanted("app:db:read").has(Scope::DbWrite));
        assert!(!wanted("app:admin").has(Scope::Admin) && !wanted("openid").has(Scope::Email));
        assert_eq!(wanted("email profile:read,  openid").to_string(), "openid profile email");
        for bad in ["", " ", "openid,root", "OPENID", "app:db:delete"] {
            assert!(ScopeSet::parse_wanted(bad).is_err(), "{bad}");
        }
    }
}
