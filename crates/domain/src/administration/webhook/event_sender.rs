//! Sends events to webhooks, and knows how many requests this process has in flight.

use std::sync::{Mutex, MutexGuard};

use chrono::TimeDelta;

use crate::administration::{AdministrationCore, Webhook, WebhookDelivery, WebhookMessage, WebhookResponse};
use crate::kernel::error::Error;
use crate::kernel::{DeliveryId, Secret, Time, lock, use_cases};

use super::messages::{EventMessage, message_id};
use super::slots::Running;

/// Encryption purpose of signing secrets.
pub(super) const PURPOSE: &str = "webhook secret";

use_cases! {
    /// Sends single events.
    pub(super) struct EventSender {
        pub(super) core: AdministrationCore;
        running: Mutex<Running>,
    }
}

impl EventSender {
    /// The deliveries in progress in this process.
    pub(super) fn running(&self) -> MutexGuard<'_, Running> {
        lock(&self.running)
    }

    /// Whether the member who authorized the webhook may still manage webhooks.
    pub(super) async fn is_authorized(&self, webhook: &Webhook) -> Result<bool, Error> {
        let member = self.core.system.access.team_membership(webhook.authorized_by, webhook.team_id).await?;
        Ok(member.is_some_and(|member| member.roles.may_authorize_webhooks()))
    }

    /// Sends one event once. Does not store the result.
    pub(super) async fn send(
        &self,
        webhook: &Webhook,
        event: EventMessage,
        attempt: u32,
    ) -> Result<WebhookDelivery, Error> {
        let (id, at) = (DeliveryId::from(self.core.next_id()), self.core.now());
        let (message, hidden) = self.message(webhook, message_id(webhook, event.position, id), event.body, at)?;
        let response = self.core.ports.webhook_sender.send(&webhook.url, &message).await;
        let (status, error) = match &response {
            Ok(WebhookResponse { status: status @ 200..=299, .. }) => (Some(*status), None),
            Ok(WebhookResponse { status, .. }) => {
                (Some(*status), Some(format!("The receiver returned status {status}.")))
            }
            Err(reason) => (None, Some(reason.clone())),
        };
        Ok(WebhookDelivery {
            id,
            webhook_id: webhook.id,
            position: event.position,
            event: event.name,
            attempt,
            at,
            took_ms: (self.core.now() - at).num_milliseconds(),
            status,
            error,
            response_body: response.ok().map(|response| response.text(&hidden)),
        })
    }

    /// Signs a message. Also returns the signatures and secrets, which a receiver may repeat in its response.
    fn message(
        &self,
        webhook: &Webhook,
        id: String,
        body: String,
        at: Time,
    ) -> Result<(WebhookMessage, Vec<Secret>), Error> {
        let timestamp = at.timestamp();
        let signed = format!("{id}.{timestamp}.{body}");
        let (mut signatures, mut hidden) = (Vec::new(), Vec::new());
        for encrypted in webhook.secrets_at(at) {
            let secret = self.core.system.encrypter.decrypt(PURPOSE, encrypted)?;
            let signature = self.core.ports.signer.sign(&secret, &signed);
            signatures.push(format!("v1,{signature}"));
            let key = self.core.ports.signer.format_key(&secret);
            let bare = Secret::new(key.expose().trim_start_matches("whsec_").to_owned());
            hidden.extend([Secret::new(signature), key, bare]);
        }
        Ok((WebhookMessage { id, timestamp, signature: signatures.join(" "), body }, hidden))
    }

    /// This many seconds and up to 20% more, so that receivers that failed together are not all retried together.
    pub(super) fn jittered(&self, seconds: i64) -> TimeDelta {
        let random = self.core.system.secrets.entropy().first().copied().map_or(0, i64::from);
        TimeDelta::milliseconds(seconds.saturating_mul(1000 + random * 200 / 255))
    }
}
