//! The tokens of a sign-in.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use steward_api::{Secret, TokenResponse};

use crate::debug::opaque;

/// How long before its expiry a token is replaced. It is never more than a quarter of the lifetime.
const REFRESH_BEFORE: i64 = 60;

/// The tokens of a person. They can be stored, for example as JSON, in a place that only this program can read.
#[derive(Clone, Serialize, Deserialize)]
pub struct SignInTokens {
    pub(super) access_token: Secret,
    pub(super) refresh_token: Option<Secret>,
    pub(super) id_token: Option<Secret>,
    scope: String,
    /// When the tokens were received, by the clock of this machine, in seconds since the Unix epoch.
    received_at: i64,
    /// Lifetime of the access token in seconds, counted from then. So the clock of the service does not matter.
    expires_in: i64,
}

impl SignInTokens {
    /// Returns the tokens of a response, and those of the previous one that it does not repeat.
    pub(super) fn new(response: TokenResponse, previous: Option<&Self>) -> Self {
        let refresh_token = response.refresh_token.or_else(|| previous?.refresh_token.clone());
        let id_token = response.id_token.or_else(|| previous?.id_token.clone());
        let TokenResponse { access_token, scope, expires_in, .. } = response;
        Self { access_token, refresh_token, id_token, scope, received_at: now(), expires_in }
    }

    /// Returns the access token.
    pub fn access_token(&self) -> &str {
        self.access_token.expose()
    }

    /// Returns the scopes that were granted, separated by spaces.
    pub fn scope(&self) -> &str {
        &self.scope
    }

    /// Returns the claims of the ID token, such as `sub`, `name` and `email`; none without one. The service returned the token
    /// to this program itself, so its signature is not verified.
    pub fn claims(&self) -> Map<String, Value> {
        let payload = self.id_token.as_ref().and_then(|token| token.expose().split('.').nth(1));
        let json = payload.and_then(|payload| URL_SAFE_NO_PAD.decode(payload).ok());
        json.and_then(|json| serde_json::from_slice(&json).ok()).unwrap_or_default()
    }

    /// Returns whether the access token expires soon, or has expired.
    pub fn needs_refresh(&self) -> bool {
        !self.is_valid_for(REFRESH_BEFORE.min(self.expires_in / 4))
    }

    /// Returns whether the access token has expired, by the clock of this machine.
    pub(super) fn is_expired(&self) -> bool {
        !self.is_valid_for(0)
    }

    fn is_valid_for(&self, seconds: i64) -> bool {
        let age = now().saturating_sub(self.received_at);
        // A negative age: the clock was set back, or another machine stored the tokens whose clock is ahead.
        age > self.expires_in.saturating_neg() && age < self.expires_in.saturating_sub(seconds)
    }

    #[cfg(test)]
    pub(super) fn aged(self, seconds: i64) -> Self {
        Self { received_at: self.received_at - seconds, ..self }
    }
}

opaque!(SignInTokens, |tokens| scope = tokens.scope);

/// Returns the time in seconds since the Unix epoch.
#[expect(clippy::disallowed_methods, reason = "The client does not use the ports of the service.")]
pub(super) fn now() -> i64 {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    i64::try_from(since_epoch.as_secs()).unwrap_or(i64::MAX)
}
