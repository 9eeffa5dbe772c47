//! Claims of tokens (docs/contract.md#tokens).

use chrono::TimeDelta;

use std::fmt;

use crate::identity::{
    Account, Audience, AuthenticationClaims, ClientId, Email, KeyThumbprint, Scope, ScopeSet, Username,
};
use crate::kernel::policy::KeyRoles;
use crate::kernel::{AccountId, Name, ProjectClientId, RefreshTokenId, SessionId, Time, TokenFamilyId};

/// The lifetime of an access token (docs/contract.md#tokens).
pub const ACCESS_TTL: TimeDelta = TimeDelta::minutes(15);

/// The holder of an access token (`sub`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// A person.
    Account(AccountId),
    /// A client that acts on its own behalf, with these roles.
    Client(ProjectClientId, KeyRoles),
}

impl Subject {
    /// Returns the account of a person.
    pub fn account(&self) -> Option<AccountId> {
        match self {
            Self::Account(id) => Some(*id),
            Self::Client(..) => None,
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Account(id) => id.fmt(f),
            Self::Client(id, _) => id.fmt(f),
        }
    }
}

/// The claims of an access token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessClaims {
    /// The holder (`sub`).
    pub subject: Subject,
    /// The client that a project registered and to which the token was issued (`client_id`); `None` for other clients.
    pub client: Option<ProjectClientId>,
    /// The audience (`aud`).
    pub audience: Audience,
    /// The scopes (`scope`); none for a client that acts on its own behalf, whose token contains its roles.
    pub scopes: ScopeSet,
    /// When the token was issued (`iat`), with a precision of one second.
    pub issued_at: Time,
    /// When the token expires (`exp`), with a precision of one second.
    pub expires_at: Time,
    /// Unique ID of the token (`jti`): that of the refresh token that was issued with it, if one was.
    pub id: uuid::Uuid,
    /// The family of the token; `None` if the operator issued it, or if a client acts on its own behalf. Such a token cannot be
    /// revoked.
    pub family: Option<TokenFamilyId>,
    /// The sign-in (RFC 9068 §2.2.1); `None` if the operator issued the token.
    pub authentication: Option<AuthenticationClaims>,
    /// The key to which the token is bound (`cnf`, RFC 9449 §6.1); `None` for a bearer token.
    pub bound_to: Option<KeyThumbprint>,
}

impl AccessClaims {
    /// Returns the ID of the refresh token that was issued with a token of a family. There may be none.
    pub fn pair(&self) -> RefreshTokenId {
        self.id.into()
    }
}

/// The claims about a person that the scopes of a token give access to (OpenID Connect Core §5.4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserClaims {
    /// The name (`name`); `None` without the scope `profile`.
    pub name: Option<Name>,
    /// The username (`preferred_username`); `None` without the scope `profile`.
    pub username: Option<Username>,
    /// The email address (`email`), and whether the person proved that it is theirs (`email_verified`); `None` without
    /// the scope `email`.
    pub email: Option<(Email, bool)>,
}

impl UserClaims {
    /// Returns the claims about the holder of an account.
    pub fn of(account: &Account, scopes: &ScopeSet) -> Self {
        let has_profile = scopes.has(Scope::Profile);
        Self {
            name: account.name.clone().filter(|_| has_profile),
            username: account.username.clone().filter(|_| has_profile),
            email: scopes.has(Scope::Email).then(|| (account.email.clone(), account.email_verified)),
        }
    }
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
    /// The sign-in.
    pub authentication: AuthenticationClaims,
    /// When the token was issued (`iat`), with a precision of one second.
    pub issued_at: Time,
    /// When the token expires (`exp`), with a precision of one second.
    pub expires_at: Time,
    /// The claims about the person.
    pub user: UserClaims,
    /// The browser session (`sid`); `None` if the person signed in without a browser.
    pub session: Option<SessionId>,
}

/// An ID token that a client sends back to this service (`id_token_hint`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdTokenHint {
    /// The account (`sub`).
    pub account: AccountId,
    /// The client (`aud`), with its ID as the client sent it.
    pub client: String,
}

/// The claims of a logout token (OpenID Connect Back-Channel Logout 1.0 §2.4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogoutClaims {
    /// The account that has signed out (`sub`).
    pub subject: AccountId,
    /// The browser session that has ended (`sid`).
    pub session: SessionId,
    /// The client (`aud`), with its ID as the client sent it.
    pub client: ClientId,
    /// When the token was issued (`iat`), with a precision of one second.
    pub issued_at: Time,
    /// When the token expires (`exp`), with a precision of one second.
    pub expires_at: Time,
    /// Unique ID of the token (`jti`).
    pub id: uuid::Uuid,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::an_account;

    #[test]
    fn the_claims_about_a_person_depend_on_the_scopes() {
        let name = Name::parse("Ann Example").ok();
        let account = Account { name, email_verified: false, ..an_account("ann") };
        let of = |text| UserClaims::of(&account, &ScopeSet::parse(text));
        assert_eq!(of("openid"), UserClaims { name: None, username: None, email: None });
        assert_eq!(of("openid email").email, Some((account.email.clone(), false)));
        let profile = of("openid profile");
        assert_eq!((&profile.name, &profile.username, profile.email), (&account.name, &account.username, None));
    }
}
