//! OAuth clients: which redirect URIs they may use, and how they are presented to users.

use crate::error::{ErrorCode, OAuthError};
use crate::model::{ClientId, FirstPartyClient, Project, RedirectUri, ScopeSet};

/// Display name of this service's own client.
const COMMAND_LINE_NAME: &str = "Steward command line";

/// A registered OAuth client.
#[derive(Debug, Clone)]
pub struct Client {
    /// The `client_id` that the client sends.
    pub id: ClientId,
    /// The project that the client belongs to; `None` for a first-party client.
    pub project: Option<Project>,
    /// The registration by the operator; `None` for a project and for this service's own client.
    pub(super) registration: Option<FirstPartyClient>,
}

impl Client {
    /// The name shown to users: the project's name, a fixed name for this service's own client, or the ID of another
    /// first-party client.
    pub fn name(&self) -> &str {
        match (&self.project, &self.registration) {
            (Some(project), _) => project.name.as_str(),
            (None, Some(registration)) => registration.id(),
            (None, None) => COMMAND_LINE_NAME,
        }
    }

    /// Returns whether an authorization request must contain a code challenge.
    pub(super) fn requires_pkce(&self) -> bool {
        match (&self.project, &self.registration) {
            (Some(project), _) => project.sign_in.require_pkce,
            (None, Some(registration)) => registration.requires_pkce(),
            (None, None) => true,
        }
    }

    /// Returns the scopes that tokens with the requested ones have.
    pub(super) fn effective_scopes(&self, requested: &ScopeSet) -> ScopeSet {
        let requested = requested.clone();
        match &self.project {
            Some(project) => project.sign_in.effective_scopes(requested),
            None => requested,
        }
    }

    /// Returns whether a person can sign in to the client with a code that they receive by email, if the operator allows it.
    pub fn accepts_email_codes(&self) -> bool {
        self.project.as_ref().is_none_or(|project| project.sign_in.email_codes)
    }

    /// Returns whether the client may use the redirect URI.
    pub(super) fn allows(&self, uri: &RedirectUri) -> bool {
        match (&self.project, &self.registration) {
            (Some(project), _) => project.sign_in.allow(uri),
            (None, Some(registration)) => registration.allows(uri),
            // The command line accepts callbacks at this path only: other programs on the machine may forward requests
            // that they receive.
            (None, None) => uri.is_loopback() && uri.is_at("/callback"),
        }
    }

    /// Returns whether only the client itself receives what is sent to the URI, so that the URI proves which client sent
    /// a request (RFC 8252 §8.6).
    pub(super) fn is_proven_by(&self, uri: &RedirectUri) -> bool {
        self.project.as_ref().is_some_and(|project| project.sign_in.is_proven_by(uri))
    }

    /// Parses a redirect URI that the client may use.
    pub(super) fn redirect_uri(&self, text: &str) -> Result<RedirectUri, OAuthError> {
        let uri = RedirectUri::parse(text)
            .map_err(|error| OAuthError::request(format_args!("The `redirect_uri` parameter {error}.")))?;
        if self.allows(&uri) {
            Ok(uri)
        } else {
            Err(OAuthError::request(
                "The `redirect_uri` parameter is not registered for this client. Add it on the page Sign-in of the project, or to \
                 `auth.redirect_uris` of its settings.",
            ))
        }
    }
}

/// The error for a `client_id` that identifies no client.
pub(super) fn unknown_client() -> OAuthError {
    OAuthError::new(ErrorCode::InvalidClient, "No client has this `client_id`. That of a project is its ID or its DID.")
}
