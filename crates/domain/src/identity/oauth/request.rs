//! Authorization requests that wait for a person, and where their responses go (RFC 6749 §4.1).

use chrono::TimeDelta;

use crate::identity::{AuthorizationParameters, ClientId, RedirectUri};
use crate::kernel::{AuthorizationRequestId, DeviceAuthorizationId, Revision, Time, TokenDigest, audited};

/// Where the response to an authorization request goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResponseTarget {
    /// To the client, at this redirect URI.
    Client(RedirectUri),
    /// To the device that waits for it (RFC 8628).
    Device(DeviceAuthorizationId),
}

/// An authorization request that is waiting for a person to sign in and consent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorizationRequest {
    /// Unique ID of the request.
    pub id: AuthorizationRequestId,
    /// The digest of the one-time ID that the browser holds.
    pub digest: TokenDigest,
    /// The client that sent the request.
    pub client: ClientId,
    /// Where the response goes.
    pub target: ResponseTarget,
    /// The other parameters.
    pub parameters: AuthorizationParameters,
    /// When the request was received.
    pub created_at: Time,
    /// When the request expires.
    pub expires_at: Time,
    /// The revision, for compare-and-set.
    pub revision: Revision,
}

audited!(AuthorizationRequest as AuthorizationRequest of nobody);

impl AuthorizationRequest {
    /// Returns the redirect URI; `None` if a device waits for the response.
    pub fn redirect_uri(&self) -> Option<&RedirectUri> {
        match &self.target {
            ResponseTarget::Client(uri) => Some(uri),
            ResponseTarget::Device(_) => None,
        }
    }

    /// Returns whether the person has to confirm that it is them: a client that can administer asks for a recent sign-in. One
    /// at another provider does not confirm it.
    pub fn asks_to_confirm(&self) -> bool {
        self.parameters.max_age.is_some() && self.client.project().is_none()
    }

    /// Returns whether a person who signed in at `authenticated_at` does not have to sign in again.
    pub fn accepts(&self, authenticated_at: Time, now: Time) -> bool {
        let fresh = self.parameters.max_age.is_none_or(|age| now - authenticated_at <= TimeDelta::seconds(age));
        // A sign-in after the request was received satisfies `prompt=login` and `max_age=0`.
        authenticated_at >= self.created_at || fresh && !self.parameters.prompt.login && !self.parameters.prompt.create
    }
}
