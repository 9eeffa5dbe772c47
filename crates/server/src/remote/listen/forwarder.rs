//! Signed messages to a program on this machine, in the form of those that webhooks send (docs/contract.md#webhooks).

use std::time::{Duration, Instant};

use anyhow::Context as _;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::{CONTENT_TYPE, USER_AGENT};
use reqwest::redirect::Policy;
use serde_json::{Value, json};
use steward_client::{AuditEvent, Timestamp};
use steward_crypto::{HmacSigner, SystemClock, SystemSecrets};
use steward_domain::administration::MessageSigner as _;
use steward_domain::kernel::{Clock as _, SecretGenerator as _};
use url::Url;

use crate::remote::profile::{self, WEBHOOK_SECRET};
use crate::terminal::UsageError;

/// The time that the service gives the receiver of a webhook.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(15);
/// Sizes of a key, in bytes (Standard Webhooks).
const KEY_SIZES: std::ops::RangeInclusive<usize> = 24..=64;

/// The key that messages are signed with.
pub struct SigningSecret(Vec<u8>);

impl SigningSecret {
    /// Returns the secret in the environment, or a new one and `true`.
    pub fn get() -> anyhow::Result<(Self, bool)> {
        match profile::variable(WEBHOOK_SECRET) {
            Some(text) => Ok((Self::parse(&text)?, false)),
            None => Ok((Self(SystemSecrets::new()?.entropy().to_vec()), true)),
        }
    }

    fn parse(text: &str) -> Result<Self, UsageError> {
        let key = text.strip_prefix("whsec_").and_then(|key| STANDARD.decode(key).ok());
        key.filter(|key| KEY_SIZES.contains(&key.len())).map(Self).ok_or_else(|| {
            UsageError(format!(
                "{WEBHOOK_SECRET} is not a signing secret. Set it to whsec_ and 24 to 64 bytes in Base64."
            ))
        })
    }

    pub fn text(&self) -> String {
        HmacSigner.format_key(&self.0).expose().to_owned()
    }
}

/// Sends messages.
pub struct Forwarder {
    http: reqwest::Client,
    url: Url,
    key: Vec<u8>,
    /// What the IDs of messages begin with.
    prefix: String,
}

/// The result of sending a message.
pub struct Outcome {
    pub at: Timestamp,
    pub took: Duration,
    /// Status of the response, or why there is none.
    pub status: Result<u16, &'static str>,
    /// Whether no connection was possible, so that the program has not received the message.
    pub is_unreachable: bool,
}

impl Forwarder {
    /// `parent_id` is the ID of the team or project whose events are sent.
    pub fn new(url: Url, secret: &SigningSecret, parent_id: &str) -> anyhow::Result<Self> {
        let http = reqwest::Client::builder().redirect(Policy::none()).timeout(REQUEST_TIMEOUT).no_proxy().build();
        // The same for each attempt, and for each run of the command: receivers recognize repeated messages by their IDs.
        let prefix = format!("msg_{}", parent_id.replace('-', ""));
        Ok(Self { http: http.context("Cannot create an HTTP client")?, url, key: secret.0.clone(), prefix })
    }

    /// Sends an event once.
    pub async fn send(&self, event: &AuditEvent) -> anyhow::Result<Outcome> {
        let (id, body) = (format!("{}_{}", self.prefix, event.position), body(event)?);
        let (at, started) = (SystemClock.now(), Instant::now());
        let timestamp = at.timestamp();
        let signature = HmacSigner.sign(&self.key, &format!("{id}.{timestamp}.{body}"));
        let request = self.http.post(self.url.clone()).header(CONTENT_TYPE, "application/json");
        let request = request.header(USER_AGENT, concat!("Steward/", env!("CARGO_PKG_VERSION")));
        let request = request.header("webhook-id", id).header("webhook-timestamp", timestamp);
        let response = request.header("webhook-signature", format!("v1,{signature}")).body(body).send().await;
        let (took, at) = (started.elapsed(), Timestamp::from(at));
        let is_unreachable = response.as_ref().is_err_and(reqwest::Error::is_connect);
        let reason = |error: reqwest::Error| {
            let reason = if error.is_timeout() { "no response in time" } else { "no response" };
            if is_unreachable { "cannot connect" } else { reason }
        };
        let status = response.map(|response| response.status().as_u16()).map_err(reason);
        Ok(Outcome { at, took, status, is_unreachable })
    }
}

/// Returns the body of a message: the event without the address and the request ID.
fn body(event: &AuditEvent) -> serde_json::Result<String> {
    let mut data = serde_json::to_value(event)?;
    let mut take =
        |name: &str| data.as_object_mut().and_then(|members| members.shift_remove(name)).unwrap_or(Value::Null);
    let (action, at) = (take("action"), take("at"));
    take("address");
    take("request_id");
    Ok(json!({"type": action, "timestamp": at, "data": data}).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_has_the_format_of_the_standard() {
        let secret = SigningSecret(vec![7; 32]);
        assert_eq!(SigningSecret::parse(&secret.text()).unwrap().0, secret.0);
        for invalid in ["", "whsec_", "whsec_!", "whsec_c2hvcnQ=", &secret.text()["whsec_".len()..]] {
            let error = SigningSecret::parse(invalid).err().unwrap();
            assert!(error.to_string().contains("whsec_ and 24 to 64 bytes"), "{error}");
        }
    }
}
