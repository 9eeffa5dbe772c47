//! Webhooks of a team or project.

use std::fmt::Display;

use steward_api::{
    CreateProjectWebhook, CreateTeamWebhook, Data, DeleteProjectWebhook, DeleteTeamWebhook, GetProjectWebhook,
    GetTeamWebhook, ListProjectWebhookDeliveries, ListProjectWebhooks, ListTeamWebhookDeliveries, ListTeamWebhooks,
    NewWebhook, RedeliverProjectWebhook, RedeliverTeamWebhook, RotateProjectWebhookSecret, RotateTeamWebhookSecret,
    Success, TestProjectWebhook, TestTeamWebhook, UpdateProjectWebhook, UpdateTeamWebhook, Webhook, WebhookChanges,
    WebhookDelivery, WebhookWithSecret,
};

use crate::mounted::Mounted;
use crate::{Call, List};

/// Operations of the webhooks of a team or project.
#[derive(Debug, Clone)]
pub struct Webhooks(pub(crate) Mounted);

impl Webhooks {
    /// Lists the webhooks, newest first.
    pub fn list(&self) -> List<Webhook> {
        self.0.list::<ListTeamWebhooks, ListProjectWebhooks>(&[])
    }

    /// Returns a webhook.
    pub fn get(&self, webhook_id: impl Display) -> Call<(), Data<Webhook>> {
        self.0.call::<GetTeamWebhook, GetProjectWebhook>(&[&webhook_id])
    }

    /// Creates a webhook. It receives events from now on.
    pub fn create(&self, webhook: &NewWebhook) -> Call<NewWebhook, Data<WebhookWithSecret>> {
        self.0.call::<CreateTeamWebhook, CreateProjectWebhook>(&[]).body(webhook)
    }

    /// Updates a webhook, pauses it or resumes it.
    pub fn update(&self, webhook_id: impl Display, changes: &WebhookChanges) -> Call<WebhookChanges, Data<Webhook>> {
        self.0.call::<UpdateTeamWebhook, UpdateProjectWebhook>(&[&webhook_id]).body(changes)
    }

    /// Deletes a webhook.
    pub fn delete(&self, webhook_id: impl Display) -> Call<(), Success> {
        self.0.call::<DeleteTeamWebhook, DeleteProjectWebhook>(&[&webhook_id])
    }

    /// Lists the attempts to deliver events to a webhook, newest first.
    pub fn deliveries(&self, webhook_id: impl Display) -> List<WebhookDelivery> {
        self.0.list::<ListTeamWebhookDeliveries, ListProjectWebhookDeliveries>(&[&webhook_id])
    }

    /// Sends the event of an earlier delivery again, and returns the outcome. A failed delivery is not an error: see
    /// [`WebhookDelivery::error`].
    pub fn redeliver(&self, webhook_id: impl Display, delivery_id: impl Display) -> Call<(), Data<WebhookDelivery>> {
        self.0.call::<RedeliverTeamWebhook, RedeliverProjectWebhook>(&[&webhook_id, &delivery_id])
    }

    /// Sends a test event to a webhook, which may be paused, and returns the outcome. A failed delivery is not an error:
    /// see [`WebhookDelivery::error`].
    pub fn test(&self, webhook_id: impl Display) -> Call<(), Data<WebhookDelivery>> {
        self.0.call::<TestTeamWebhook, TestProjectWebhook>(&[&webhook_id])
    }

    /// Rotates the secret of a webhook. For 24 hours, messages are signed with both secrets.
    pub fn rotate_secret(&self, webhook_id: impl Display) -> Call<(), Data<WebhookWithSecret>> {
        self.0.call::<RotateTeamWebhookSecret, RotateProjectWebhookSecret>(&[&webhook_id])
    }
}
