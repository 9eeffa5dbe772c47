//! A sign-in that has begun in a browser.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use steward_api::Secret;
use url::form_urlencoded;

use super::tokens::{SignInTokens, now};
use crate::debug::opaque;
use crate::{Error, retry};

/// How long a sign-in may take, in seconds.
const MAX_AGE: i64 = 3_600;

pub(super) const NOT_BEGUN: &str = "This sign-in did not begin in this browser, or is already complete. Sign in again.";

/// A sign-in that has begun.
#[derive(Debug)]
#[non_exhaustive]
pub struct StartedSignIn {
    /// Page on which the person signs in. Redirect the browser to it.
    pub url: String,
    /// What [`SignIn::complete`](crate::SignIn::complete) needs. Keep it for this browser.
    pub pending: PendingSignIn,
}

/// What a program keeps for a browser until the person has signed in, for example as JSON in a session.
#[derive(Clone, Serialize, Deserialize)]
pub struct PendingSignIn {
    pub(super) state: String,
    pub(super) nonce: String,
    pub(super) verifier: Secret,
    started_at: i64,
}

impl PendingSignIn {
    pub(super) fn new() -> Self {
        Self { state: random(), nonce: random(), verifier: random().into(), started_at: now() }
    }

    /// Returns the value with which the browser returns, for programs that keep several pending sign-ins.
    pub fn state(&self) -> &str {
        &self.state
    }

    /// Returns the code challenge (RFC 7636 §4.2).
    pub(super) fn challenge(&self) -> String {
        URL_SAFE_NO_PAD.encode(Sha256::digest(self.verifier.expose().as_bytes()))
    }

    /// Returns whether the sign-in took too long.
    pub(super) fn is_expired(&self) -> bool {
        now().saturating_sub(self.started_at).saturating_abs() > MAX_AGE
    }

    /// Checks the parameters with which the browser returned. Returns the code.
    pub(super) fn code_of(&self, callback: &str, issuer: &str) -> Result<Secret, Error> {
        let query = callback.split_once('?').map_or(callback, |(_, query)| query);
        let query = query.split_once('#').map_or(query, |(query, _)| query);
        let parameter = |name: &str| {
            let mut pairs = form_urlencoded::parse(query.as_bytes());
            pairs.find(|(other, _)| other == name).map(|(_, value)| value.into_owned())
        };
        if parameter("state").as_ref() != Some(&self.state) {
            return Err(failed(NOT_BEGUN));
        }
        if self.is_expired() {
            return Err(failed("The sign-in took too long. Sign in again."));
        }
        if parameter("iss").is_some_and(|other| other != issuer) {
            return Err(failed("The response is from another service (RFC 9207). Sign in again."));
        }
        if let Some(code) = parameter("error") {
            let about = parameter("error_description").unwrap_or_else(|| code.clone());
            return Err(Error::SignInFailed { code, message: format!("The person was not signed in: {about}") });
        }
        parameter("code").map(Secret::from).ok_or_else(|| failed("The service returned no code. Sign in again."))
    }

    /// Checks the ID token. It comes from the service itself over a secure connection (OpenID Connect Core §3.1.3.7).
    pub(super) fn check(&self, tokens: &SignInTokens, issuer: &str, client_id: &str) -> Result<(), Error> {
        if tokens.id_token.is_none() {
            return Ok(());
        }
        let claims = tokens.claims();
        let is_for_client = match claims.get("aud") {
            Some(Value::Array(audience)) => audience.iter().any(|id| id == client_id),
            audience => audience.is_some_and(|id| id == client_id),
        };
        let has = |name: &str, expected: &str| claims.get(name).is_some_and(|value| value == expected);
        if is_for_client && has("iss", issuer) && has("nonce", &self.nonce) {
            Ok(())
        } else {
            Err(failed("The ID token is not for this sign-in. Sign in again."))
        }
    }
}

// The state and the verifier are secrets until the sign-in is complete.
opaque!(PendingSignIn, |pending| started_at = pending.started_at);

/// Returns 244 random bits as text.
fn random() -> String {
    let bytes = [retry::random_id().into_bytes(), retry::random_id().into_bytes()].concat();
    URL_SAFE_NO_PAD.encode(bytes)
}

pub(super) fn failed(message: &str) -> Error {
    Error::SignInFailed { code: "sign_in_failed".to_owned(), message: message.to_owned() }
}
