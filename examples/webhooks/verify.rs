//! Verifies the messages that a webhook receives.

use std::error::Error;

use http::HeaderMap;
use serde_json::Value;
use standardwebhooks::Webhook;

/// Returns the event in a message, with its type, timestamp and data.
pub fn verify(body: &[u8], headers: &HeaderMap, secret: &str) -> Result<Value, Box<dyn Error>> {
    // The library accepts an empty secret, with which anyone can sign.
    if secret.strip_prefix("whsec_").is_none_or(|key| key.len() < 32) {
        return Err("The secret of the webhook is missing or incomplete.".into());
    }
    Webhook::new(secret)?.verify(body, headers)?;
    Ok(serde_json::from_slice(body)?)
}
