//! Webhooks of teams and projects (docs/contract.md#webhooks).

use std::borrow::Cow;

use crate::openapi::ToSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::list::PageParameters;
use crate::operation::operations;
use crate::response::Success;
use crate::values::{AccountId, DeliveryId, Secret, Timestamp, WebhookId};

/// Declares the operations for one prefix: those of teams and projects have the same form.
macro_rules! mounted {
    (
        $rows:ident, $tag:literal, $prefix:literal, $list_webhooks:ident, $create_webhook:ident,
        $get_webhook:ident, $update_webhook:ident, $delete_webhook:ident, $rotate_webhook_secret:ident,
        $list_webhook_deliveries:ident, $get_webhook_delivery:ident, $redeliver_webhook:ident, $test_webhook:ident
    ) => {
        operations! {
            $rows, $tag;

            /// List webhooks
            ///
            /// Returns the webhooks of the team or project, newest first, without their secrets.
            $list_webhooks Get concat!($prefix, "/webhook"), Reads Safe, at(Scope), query(PageParameters),
                200(list Webhook), command("webhook list");

            /// Create a webhook
            ///
            /// The webhook receives the events of the team or project from now on. The response holds its signing secret, which is
            /// not shown again.
            $create_webhook Post concat!($prefix, "/webhook"), Writes Keyed Secret, at(Scope), body(NewWebhook),
                201(data WebhookWithSecret), shows(Webhook), errors("quota_exceeded"), command("webhook create");

            /// Get a webhook
            ///
            /// Returns a webhook without its secret.
            $get_webhook Get concat!($prefix, "/webhook/{webhook_id}"), Reads Safe, at(Scope, Webhook),
                200(data Webhook), 304("The webhook has the ETag in `If-None-Match`."), shows(Webhook),
                errors("precondition_failed"), command("webhook get");

            /// Update a webhook
            ///
            /// Changes the URL, the events or the ordering of a webhook, pauses it or resumes it.
            $update_webhook Patch concat!($prefix, "/webhook/{webhook_id}"), Writes Keyed, at(Scope, Webhook),
                body(WebhookChanges), 200(data Webhook), shows(Webhook), errors("precondition_failed"),
                command("webhook update");

            /// Delete a webhook
            ///
            /// No further events are sent.
            $delete_webhook Delete concat!($prefix, "/webhook/{webhook_id}"), Writes Keyed, at(Scope, Webhook),
                200(Success), errors("precondition_failed"), command("webhook delete");

            /// Rotate the secret of a webhook
            ///
            /// For 24 hours, messages are signed with both the new and the previous secret, and after another rotation with the one
            /// before it as long as they were to.
            $rotate_webhook_secret Post concat!($prefix, "/webhook/{webhook_id}/rotate-secret"), Writes Keyed Secret,
                at(Scope, Webhook), 200(data WebhookWithSecret), shows(Webhook), command("webhook rotate-secret");

            /// List the deliveries of a webhook
            ///
            /// Returns the attempts to deliver events to the webhook, newest first.
            $list_webhook_deliveries Get concat!($prefix, "/webhook/{webhook_id}/delivery"), Reads Safe,
                at(Scope, Webhook), query(PageParameters), 200(list WebhookDelivery), command("webhook deliveries");

            /// Get a delivery of a webhook
            ///
            /// Returns an attempt with the message that was sent, the beginning of the response, and when the event is sent again.
            $get_webhook_delivery Get concat!($prefix, "/webhook/{webhook_id}/delivery/{delivery_id}"), Reads Safe Unchanging,
                at(Scope, Webhook, Delivery), 200(data WebhookDeliveryDetails), command("webhook delivery");

            /// Redeliver a webhook event
            ///
            /// Sends the event of an earlier delivery again, now, and returns the outcome. A test event cannot be redelivered.
            $redeliver_webhook Post concat!($prefix, "/webhook/{webhook_id}/delivery/{delivery_id}/redeliver"),
                Writes Keyed Unchanging, at(Scope, Webhook, Delivery), 200(data WebhookDelivery), command("webhook redeliver");

            /// Test a webhook
            ///
            /// Sends a signed message of the type `webhook.test`, now, and returns the outcome. A paused webhook can be tested as
            /// well. The message has the form of an event with the position 0, and does not depend on the selected events. Each test
            /// has a `webhook-id` of its own.
            $test_webhook Post concat!($prefix, "/webhook/{webhook_id}/test"), Writes Keyed Unchanging,
                at(Scope, Webhook), 200(data WebhookDelivery), command("webhook test");
        }
    };
}

mounted!(
    PROJECT_ROWS,
    "projects",
    "/project/{id}",
    ListProjectWebhooks,
    CreateProjectWebhook,
    GetProjectWebhook,
    UpdateProjectWebhook,
    DeleteProjectWebhook,
    RotateProjectWebhookSecret,
    ListProjectWebhookDeliveries,
    GetProjectWebhookDelivery,
    RedeliverProjectWebhook,
    TestProjectWebhook
);
mounted!(
    TEAM_ROWS,
    "teams",
    "/team/{team_id}",
    ListTeamWebhooks,
    CreateTeamWebhook,
    GetTeamWebhook,
    UpdateTeamWebhook,
    DeleteTeamWebhook,
    RotateTeamWebhookSecret,
    ListTeamWebhookDeliveries,
    GetTeamWebhookDelivery,
    RedeliverTeamWebhook,
    TestTeamWebhook
);

/// A webhook of a team or project, without its secret.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "id": "018f2a42-8b09-7d6e-a7f3-0c4e5d1b9a62",
    "url": "https://example.com/hooks",
    "events": ["*"],
    "ordering": "project",
    "status": "active",
    "created_by": "018f2a3c-91b7-7e02-8d54-6a0f3be27c19",
    "authorized_by": "018f2a3c-91b7-7e02-8d54-6a0f3be27c19",
    "created_at": "2026-01-31T12:00:00.000Z",
}))]
pub struct Webhook {
    /// Unique ID of the webhook.
    pub id: WebhookId,
    /// URL that events are sent to.
    pub url: String,
    /// Names of the events to send, or `["*"]` for all events.
    pub events: Vec<String>,
    /// Which events wait for each other: `project` (those of the same project are sent in order, different projects at
    /// the same time) or `none` (events are sent in any order).
    pub ordering: Cow<'static, str>,
    /// `active`, or `paused` while no events are sent.
    pub status: Cow<'static, str>,
    /// Why the webhook is paused. Absent if it is active.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused_reason: Option<String>,
    /// When the webhook was paused. Absent if it is active.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused_at: Option<Timestamp>,
    /// ID of the account that created the webhook.
    pub created_by: AccountId,
    /// ID of the account that authorizes the webhook: the one that created it, last changed its URL or last resumed it.
    /// The webhook is paused when this account may no longer manage webhooks.
    pub authorized_by: AccountId,
    /// When the webhook was created.
    pub created_at: Timestamp,
}

/// A webhook with its new secret.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct WebhookWithSecret {
    /// The webhook.
    #[serde(flatten)]
    pub webhook: Webhook,
    /// Secret that messages are signed with. It is not shown again.
    #[schema(value_type = String, example = "whsec_ZXhhbXBsZS1leGFtcGxlLWV4YW1wbGUtZXhhbXBsZS0=")]
    pub secret: Secret,
}

/// An attempt to deliver an event, or a test event, to a webhook.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "id": "018f2a43-1f5c-7b8d-92e4-6d7a0c3f5b18",
    "event": "project.updated",
    "position": 128,
    "attempt": 1,
    "at": "2026-01-31T12:00:00.000Z",
    "took_ms": 87,
    "status": 204,
    "error": null,
}))]
pub struct WebhookDelivery {
    /// Unique ID of the attempt.
    pub id: DeliveryId,
    /// Name of the event, such as `project.updated`, or `webhook.test`.
    pub event: String,
    /// `position` of the event in the audit log; 0 for a test event.
    pub position: i64,
    /// Attempt number, starting at 1; 0 for a manual redelivery and for a test event.
    pub attempt: u32,
    /// When the attempt was made.
    pub at: Timestamp,
    /// Duration of the attempt, in milliseconds.
    pub took_ms: i64,
    /// HTTP status code of the response; null if there was no response.
    pub status: Option<u16>,
    /// Why the attempt failed; null if it succeeded.
    pub error: Option<String>,
}

/// An attempt to deliver an event with its message and response.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct WebhookDeliveryDetails {
    /// The attempt.
    #[serde(flatten)]
    pub delivery: WebhookDelivery,
    /// `webhook-id` of the message.
    #[schema(example = "msg_018f2a428b097d6ea7f30c4e5d1b9a62_128")]
    pub message_id: String,
    /// The body of the message, made again from the event; null for a test event, if the event is no longer retained, and for
    /// members who have neither `audit:read` nor `webhook:write`.
    #[schema(value_type = Option<Object>)]
    pub payload: Option<Value>,
    /// The first 2 KiB of the body of the response, without the secret and the signatures if the receiver repeats them; null if
    /// there was no response.
    #[schema(example = "{\"error\": \"The database is not available.\"}")]
    pub response_body: Option<String>,
    /// Earliest time of the next attempt to deliver the event; null if it was delivered, waits for an earlier event, or is not
    /// sent again.
    pub next_attempt_at: Option<Timestamp>,
}

/// Values of a new webhook.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct NewWebhook {
    /// URL to send events to: a public https URL of at most 2,048 characters, without credentials and fragment.
    pub url: String,
    /// Names of the events to send, such as `team.updated`: at most 100. `["*"]` for all events.
    pub events: Vec<String>,
    /// `project` sends the events of each project, and those of the team itself, in order, and those of different projects
    /// at the same time. `none` sends events in any order. The default is `project`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ordering: Option<String>,
}

/// Changes to a webhook. At least one field is required; absent fields stay unchanged.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct WebhookChanges {
    /// New URL to send events to: a public https URL of at most 2,048 characters, without credentials and fragment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Names of the events to send, such as `team.updated`: at most 100. `["*"]` for all events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<Vec<String>>,
    /// `project` sends the events of each project, and those of the team itself, in order, and those of different projects
    /// at the same time. `none` sends events in any order. The change takes effect within 10 seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ordering: Option<String>,
    /// `paused` pauses the webhook: no further events are sent, but they are kept. `active` resumes it: delivery
    /// continues with the first event that was not delivered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
}
