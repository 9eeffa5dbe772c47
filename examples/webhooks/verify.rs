use http::HeaderMap;
use serde_json::Value;
use standardwebhooks::{Webhook, WebhookError};

/// Returns the event in a message, with its type, timestamp and data.
pub fn verify(body: &[u8], headers: &HeaderMap, secret: &str) -> Result<Value, WebhookError> {
    Webhook::new(secret)?.verify(body, headers)?;
    serde_json::from_slice(body).map_err(|_| WebhookError::InvalidPayload)
}
