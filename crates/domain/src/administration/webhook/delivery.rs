//! Attempts to deliver events to webhooks (Standard Webhooks 1.0): what is sent, and what the receiver responds.

use serde_json::Value;

use crate::kernel::{DeliveryId, Secret, Time, WebhookId};

/// An attempt to deliver an event, or a test event, to a webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookDelivery {
    /// Unique ID of the attempt.
    pub id: DeliveryId,
    /// The webhook that the event was sent to.
    pub webhook_id: WebhookId,
    /// The position of the event in the audit log; 0 for a test event.
    pub position: i64,
    /// The name of the event, or [`WebhookDelivery::TEST_EVENT`].
    pub event: String,
    /// Attempt number, starting at 1; 0 for a manual redelivery and for a test event.
    pub attempt: u32,
    /// When the attempt was made.
    pub at: Time,
    /// The duration, in milliseconds.
    pub took_ms: i64,
    /// The HTTP status code of the response; `None` if there was no response.
    pub status: Option<u16>,
    /// Why the attempt failed; `None` if it succeeded.
    pub error: Option<String>,
    /// The beginning of the body of the response; `None` if there was no response, or an earlier version made the attempt.
    pub response_body: Option<String>,
}

impl WebhookDelivery {
    /// The name of the event that tests a webhook. The audit log contains no such event, and webhooks cannot subscribe
    /// to it.
    pub const TEST_EVENT: &'static str = "webhook.test";

    /// Returns whether a test event was sent.
    pub fn is_test(&self) -> bool {
        self.event == Self::TEST_EVENT
    }
}

/// A delivery attempt with what was sent and what follows.
#[derive(Debug, Clone, PartialEq)]
pub struct DeliveryDetails {
    /// The attempt.
    pub delivery: WebhookDelivery,
    /// The `webhook-id` header.
    pub message_id: String,
    /// The body of the message, made from the event again; `None` for a test event, for an event that is no longer retained, and
    /// for callers who cannot receive events.
    pub payload: Option<Value>,
    /// When the event is sent again at the earliest; `None` if that is not planned yet, or never.
    pub next_attempt_at: Option<Time>,
}

/// The next attempt to deliver the first event that a webhook has not delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NextAttempt {
    /// Position up to which all events were delivered.
    pub after: i64,
    /// Number of failed attempts to deliver the next event.
    pub attempts: u32,
    /// Earliest time of the next attempt.
    pub at: Time,
}

impl NextAttempt {
    /// Returns when the event of an attempt is sent again, if the attempt was the last one to deliver this event.
    pub fn following(&self, delivery: &WebhookDelivery) -> Option<Time> {
        let is_last = delivery.attempt > 0 && delivery.attempt == self.attempts;
        let is_next = delivery.position == self.after.saturating_add(1);
        (is_last && is_next && delivery.error.is_some()).then_some(self.at)
    }
}

/// The response of a receiver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookResponse {
    /// The HTTP status code.
    pub status: u16,
    /// The beginning of the body.
    pub body: Vec<u8>,
}

impl WebhookResponse {
    /// The maximum size of a body that is stored, in bytes.
    pub const MAX_BODY: usize = 2 * 1024;
    /// The maximum size of a body that is read: more than is stored, so that a value at the end is recognized.
    pub const MAX_READ: usize = 4 * 1024;

    /// Returns the beginning of the body as text that can be stored, without the values in `hidden`.
    pub fn text(&self, hidden: &[Secret]) -> String {
        // PostgreSQL cannot store NUL.
        let text = String::from_utf8_lossy(&self.body).replace('\0', "\u{fffd}");
        let text = hidden.iter().map(Secret::expose).fold(text, |text, value| {
            // Some programs escape the slash in JSON.
            text.replace(value, "[removed]").replace(&value.replace('/', "\\/"), "[removed]")
        });
        text.get(..text.floor_char_boundary(Self::MAX_BODY)).unwrap_or_default().to_owned()
    }
}

/// The message to send: the headers and the body defined by Standard Webhooks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookMessage {
    /// The `webhook-id` header: the same for every attempt to deliver an event, and unique for each test event.
    pub id: String,
    /// The `webhook-timestamp` header: the Unix time of this attempt, in seconds.
    pub timestamp: i64,
    /// The `webhook-signature` header: one signature for each secret, separated by spaces.
    pub signature: String,
    /// The event as JSON.
    pub body: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_is_stored_without_secrets_and_up_to_its_maximum() {
        let text = |body: &[u8]| {
            let response = WebhookResponse { status: 200, body: body.to_vec() };
            response.text(&["whsec_a", "v1,b/c="].map(|text| Secret::new(text.to_owned())))
        };
        assert_eq!(text(b"ok\0 \xff whsec_a v1,b/c="), "ok\u{fffd} \u{fffd} [removed] [removed]");
        assert_eq!(text(br"v1,b\/c="), "[removed]");
        let long = format!("{}\u{e9}whsec_a", "x".repeat(WebhookResponse::MAX_BODY - 1));
        assert_eq!(text(long.as_bytes()), "x".repeat(WebhookResponse::MAX_BODY - 1));
    }
}
