//! Clients that a project registers besides its own ID, which is that of a public client: programs at which people sign
//! in, and programs that act on their own behalf (RFC 6749 §2).

use std::sync::Arc;

use chrono::TimeDelta;

use crate::administration::{Image, ProjectInTeam};
use crate::identity::{ClientKeys, ClientSecret, ClientSettings, ClientType, GrantType, RedirectUri};
use crate::kernel::error::{ErrorCode, OAuthError};
use crate::kernel::policy::{KeyRoles, Permission, PermissionSet};
use crate::kernel::{AccountId, ProjectClientId, ProjectId, Revision, ServiceAddress, Time, audited};

/// A client that a project registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectClient {
    /// Unique ID of the client: its `client_id`.
    pub id: ProjectClientId,
    /// The project to which the client belongs.
    pub project_id: ProjectId,
    /// What the client may do, and how.
    pub settings: ClientSettings,
    /// The secret; `None` for a public client, and for one that authenticates with keys.
    pub secret: Option<ClientSecret>,
    /// The uploaded logo.
    pub logo: Option<Image>,
    /// Whether the client registered itself, without a token of the project (RFC 7591 §3). Nobody has checked its name.
    pub registered_itself: bool,
    /// The account that registered the client; `None` if no account did, or an older version of the service.
    pub created_by: Option<AccountId>,
    /// The account that last set a secret, the keys or the redirect URIs of the client; `None` if nobody has set them
    /// since.
    pub configured_by: Option<AccountId>,
    /// When the client was registered.
    pub created_at: Time,
    /// The revision, for compare-and-set.
    pub revision: Revision,
}

impl ProjectClient {
    /// Returns whether the client can keep a secret.
    pub fn client_type(&self) -> ClientType {
        let authenticates = self.secret.is_some() || self.settings.keys.is_some();
        if authenticates { ClientType::Confidential } else { ClientType::Public }
    }

    /// Returns the client with settings that an account changed. One that gets keys has no secret any more.
    pub fn with_settings(self, settings: ClientSettings, by: Option<AccountId>) -> Self {
        let (before, after) = (&self.settings, &settings);
        let is_configured = after.keys != before.keys || after.redirect_uris != before.redirect_uris;
        let configured_by = by.filter(|_| is_configured).or(self.configured_by);
        Self { secret: self.secret.filter(|_| settings.keys.is_none()), settings, configured_by, ..self }
    }

    /// Returns the URL of the logo, if one was uploaded. A different logo has a different URL.
    pub fn logo_url(&self, address: &ServiceAddress) -> Option<String> {
        Some(self.logo.as_ref()?.url(self.id, address))
    }

    /// Checks that the client may use a grant type.
    pub fn check_grant_type(&self, one: GrantType) -> Result<(), OAuthError> {
        if self.settings.grant_types.contain(one) {
            return Ok(());
        }
        let message = format_args!(
            "The client may not use the grant type {0}. Add {0} to the `grant_types` of the client.",
            one.as_str()
        );
        Err(OAuthError::new(ErrorCode::UnauthorizedClient, message))
    }

    /// Returns whether the client may act on its own behalf.
    pub fn acts_on_its_own_behalf(&self) -> bool {
        self.settings.grant_types.contain(GrantType::ClientCredentials)
    }

    /// Returns the permissions of its roles; none if it has no roles.
    pub fn permissions(&self) -> PermissionSet {
        self.settings.roles.as_ref().map(KeyRoles::permissions).unwrap_or_default()
    }

    /// Returns the roles of a token as `scope`: separated by spaces. If the client no longer has all of them, these are the
    /// permissions that it still has.
    pub fn scope_with(&self, roles: &KeyRoles) -> String {
        if roles.permissions().missing_from(self.permissions()).is_empty() {
            return roles.scope();
        }
        let held = roles.permissions().both(self.permissions());
        held.iter().map(Permission::as_str).collect::<Vec<_>>().join(" ")
    }

    /// Returns the lifetime of its access tokens. `default`: that of the service.
    pub fn access_token_ttl(&self, default: TimeDelta) -> TimeDelta {
        self.settings.access_token_seconds.map_or(default, |seconds| TimeDelta::seconds(i64::from(seconds)))
    }

    /// Returns when the person must sign in again; `None` if only the service limits that.
    pub fn sign_in_end(&self, signed_in_at: Time) -> Option<Time> {
        self.settings.sign_in_seconds.map(|seconds| signed_in_at + TimeDelta::seconds(i64::from(seconds)))
    }

    /// Returns the client as of `now`: without a previous secret that no longer works.
    pub fn as_of(self, now: Time) -> Self {
        Self { secret: self.secret.map(|secret| secret.as_of(now)), ..self }
    }
}

audited!(ProjectClient as Client of |client| (None, Some(client.project_id)), |client| {
    "name": client.settings.name.as_str(), "type": client.client_type().as_str(),
    "grant_types": client.settings.grant_types.names().collect::<Vec<_>>(),
    "redirect_uris": client.settings.redirect_uris.iter().map(RedirectUri::as_str).collect::<Vec<_>>(),
    "scope": client.settings.scopes.to_string(),
    "roles": client.settings.roles.as_ref().map(KeyRoles::to_string),
    "require_pkce": client.settings.require_pkce, "skip_consent": client.settings.skip_consent,
    "access_token_seconds": client.settings.access_token_seconds,
    "sign_in_seconds": client.settings.sign_in_seconds, "registered_itself": client.registered_itself,
    "jwks": client.settings.keys.as_ref().map(ClientKeys::to_object),
    "require_dpop": client.settings.require_dpop,
    "require_pushed_requests": client.settings.require_pushed_requests,
    "logo": client.logo.as_ref().map(|logo| logo.id.to_string()),
    "secret_hint": client.secret.as_ref().map(|secret| secret.hint.as_str()),
});

/// A client that acts on its own behalf, with its project. Authentication loads both in one query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientBearer {
    /// The client.
    pub client: ProjectClient,
    /// The roles of the token, which the client requested.
    pub roles: KeyRoles,
    /// The project of the client.
    pub project: Arc<ProjectInTeam>,
}

impl ClientBearer {
    /// Returns the permissions that both the token and the client have.
    pub fn permissions(&self) -> PermissionSet {
        self.roles.permissions().both(self.client.permissions())
    }
}
