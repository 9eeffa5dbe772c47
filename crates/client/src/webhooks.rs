//! Webhooks of a team or project.

use chrono::{DateTime, Utc};
use reqwest::Method;
use serde::{Deserialize, Serialize};

use crate::{Client, Error, List, Request, Versioned};

/// Operations of the webhooks of a team or project.
#[derive(Debug, Clone)]
pub struct Webhooks {
    client: Client,
    /// `team` or `project`, and its ID.
    parent: [String; 2],
    if_match: Option<String>,
}

impl Webhooks {
    pub(crate) fn new(client: Client, kind: &str, id: &str) -> Self {
        Self { client, parent: [kind.to_owned(), id.to_owned()], if_match: None }
    }

    /// Changes a webhook only if it still has this `ETag`.
    #[must_use]
    pub fn if_match(self, etag: impl Into<String>) -> Self {
        Self { if_match: Some(etag.into()), ..self }
    }

    /// Lists the webhooks, newest first.
    pub fn list(&self) -> List<Webhook> {
        List::new(self.client.clone(), &self.segments(&[]))
    }

    /// Returns a webhook.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn get(&self, webhook_id: &str) -> Result<Versioned<Webhook>, Error> {
        self.client.at(Method::GET, &self.segments(&[webhook_id])).send().await?.versioned()
    }

    /// Creates a webhook. It receives events from now on.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn create(&self, webhook: &NewWebhook) -> Result<WebhookWithSecret, Error> {
        self.client.at(Method::POST, &self.segments(&[])).json(webhook).idempotent().send().await?.data()
    }

    /// Updates a webhook, pauses it or resumes it.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn update(&self, webhook_id: &str, changes: &WebhookChanges) -> Result<Versioned<Webhook>, Error> {
        self.change(Method::PATCH, webhook_id).json(changes).send().await?.versioned()
    }

    /// Deletes a webhook.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn delete(&self, webhook_id: &str) -> Result<(), Error> {
        self.change(Method::DELETE, webhook_id).send().await?;
        Ok(())
    }

    /// Lists the attempts to deliver events to a webhook, newest first.
    pub fn deliveries(&self, webhook_id: &str) -> List<WebhookDelivery> {
        List::new(self.client.clone(), &self.segments(&[webhook_id, "delivery"]))
    }

    /// Sends the event of an earlier delivery again, and returns the outcome.
    ///
    /// # Errors
    ///
    /// See [`Error`]. A failed delivery is not an error: see [`WebhookDelivery::error`].
    pub async fn redeliver(&self, webhook_id: &str, delivery_id: &str) -> Result<WebhookDelivery, Error> {
        let segments = self.segments(&[webhook_id, "delivery", delivery_id, "redeliver"]);
        self.client.at(Method::POST, &segments).idempotent().send().await?.data()
    }

    /// Sends a test event to a webhook, which may be paused, and returns the outcome.
    ///
    /// # Errors
    ///
    /// See [`Error`]. A failed delivery is not an error: see [`WebhookDelivery::error`].
    pub async fn test(&self, webhook_id: &str) -> Result<WebhookDelivery, Error> {
        self.client.at(Method::POST, &self.segments(&[webhook_id, "test"])).idempotent().send().await?.data()
    }

    /// Rotates the secret of a webhook. For 24 hours, messages are signed with both secrets.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn rotate_secret(&self, webhook_id: &str) -> Result<WebhookWithSecret, Error> {
        let segments = self.segments(&[webhook_id, "rotate-secret"]);
        self.client.at(Method::POST, &segments).idempotent().send().await?.data()
    }

    fn segments<'a>(&'a self, rest: &[&'a str]) -> Vec<&'a str> {
        let [kind, id] = &self.parent;
        [kind.as_str(), id.as_str(), "webhook"].into_iter().chain(rest.iter().copied()).collect()
    }

    fn change(&self, method: Method, webhook_id: &str) -> Request {
        let request = self.client.at(method, &self.segments(&[webhook_id])).idempotent();
        match &self.if_match {
            Some(etag) => request.if_match(etag),
            None => request,
        }
    }
}

/// Values of a new webhook.
#[derive(Debug, Clone, Serialize)]
pub struct NewWebhook {
    /// URL to send events to: a public https URL of at most 2,048 characters, without credentials and fragment.
    pub url: String,
    /// Names of the events to send, such as `team.updated`: at most 100. `["*"]` for all events.
    pub events: Vec<String>,
}

/// Changes to a webhook. `None` leaves a value unchanged.
#[derive(Debug, Clone, Default, Serialize)]
pub struct WebhookChanges {
    /// New URL to send events to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Names of the events to send.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<Vec<String>>,
    /// `paused` pauses the webhook: no further events are sent, but they are kept. `active` resumes it: delivery
    /// continues with the first event that was not delivered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
}

/// A webhook, without its secret.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Webhook {
    /// Unique ID.
    pub id: String,
    /// URL that events are sent to.
    pub url: String,
    /// Names of the events to send, or `["*"]` for all events.
    pub events: Vec<String>,
    /// `active`, or `paused` while no events are sent.
    pub status: String,
    /// Why the webhook is paused; `None` if it is active.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused_reason: Option<String>,
    /// When the webhook was paused; `None` if it is active.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused_at: Option<DateTime<Utc>>,
    /// ID of the account that created the webhook.
    pub created_by: String,
    /// ID of the account that authorizes the webhook. The webhook is paused when this account may no longer manage
    /// webhooks.
    pub authorized_by: String,
    /// When the webhook was created.
    pub created_at: DateTime<Utc>,
}

/// A webhook with its new secret.
#[derive(Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WebhookWithSecret {
    /// The webhook.
    #[serde(flatten)]
    pub webhook: Webhook,
    /// Secret that messages are signed with. It is not shown again.
    pub secret: String,
}

impl std::fmt::Debug for WebhookWithSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WebhookWithSecret").field("webhook", &self.webhook).finish_non_exhaustive()
    }
}

/// An attempt to deliver an event, or a test event, to a webhook.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WebhookDelivery {
    /// Unique ID of the attempt.
    pub id: String,
    /// Name of the event, such as `project.updated`, or `webhook.test`.
    pub event: String,
    /// Position of the event in the audit log; 0 for a test event.
    pub position: i64,
    /// Attempt number, starting at 1; 0 for a manual redelivery and for a test event.
    pub attempt: u32,
    /// When the attempt was made.
    pub at: DateTime<Utc>,
    /// Duration of the attempt, in milliseconds.
    pub took_ms: i64,
    /// HTTP status code of the response; `None` if there was no response.
    pub status: Option<u16>,
    /// Why the attempt failed; `None` if it succeeded.
    pub error: Option<String>,
}
