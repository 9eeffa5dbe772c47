//! Webhooks: subscriptions to the events of a team or a project.

pub(crate) mod deliveries;
pub(super) mod delivery;
pub(super) mod entity;
mod event_sender;
pub(crate) mod messages;
pub(super) mod ordering;
pub(crate) mod port;
mod slots;
pub(super) mod status;
mod turn;
mod window;

use std::sync::Arc;

use chrono::TimeDelta;
use zeroize::Zeroizing;

use crate::administration::webhook::event_sender::PURPOSE;
use crate::administration::webhook::messages::{EventMessage, message_id, payload, test_event};
use crate::administration::{
    AdministrationCore, AuditEvent, DeliveryDetails, EventSelection, Webhook, WebhookDeliveries, WebhookDelivery,
    WebhookOrdering, WebhookStatus, WebhookUrl,
};
use crate::kernel::changes::Changes;
use crate::kernel::error::{Error, Forbidden, ResourceKind};
use crate::kernel::policy::{AuthorityChange, Lane, LimitedAction, Operation, Permission};
use crate::kernel::work::Work;
use crate::kernel::{
    Caller, CommitError, DeliveryId, Issued, Page, PageRequest, Precondition, ReplacedValues, ResourceScope, Revision,
    Secret, Time, WebhookId, retry_stale,
};

/// How long messages are also signed with a replaced secret.
const PREVIOUS_SECRET_TTL: TimeDelta = TimeDelta::hours(24);

/// Values of a new webhook.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each field is named after its value")]
pub struct CreateWebhook {
    pub url: WebhookUrl,
    pub events: EventSelection,
    pub ordering: WebhookOrdering,
}

/// Changes to a webhook.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "each field is named after its value; `None` leaves it unchanged")]
pub struct UpdateWebhook {
    pub url: Option<WebhookUrl>,
    pub events: Option<EventSelection>,
    pub ordering: Option<WebhookOrdering>,
    pub status: Option<WebhookStatus>,
}

/// Use cases of webhooks.
pub struct Webhooks {
    core: Arc<AdministrationCore>,
    deliveries: Arc<WebhookDeliveries>,
}

impl Webhooks {
    /// Creates the use cases from the shared components.
    pub fn new(core: &Arc<AdministrationCore>, deliveries: Arc<WebhookDeliveries>) -> Self {
        Self { core: core.clone(), deliveries }
    }

    /// Lists the webhooks without their secrets.
    pub async fn list(
        &self,
        caller: &Caller,
        scope: ResourceScope,
        page: &PageRequest,
    ) -> Result<Page<Webhook>, Error> {
        self.core.access.permit_in(caller, scope, (Operation::TeamWebhookList, Operation::ProjectWebhookList)).await?;

        Ok(self.core.ports.webhooks.webhooks(scope, page).await?)
    }

    /// Returns a webhook without its secrets.
    pub async fn get(&self, caller: &Caller, scope: ResourceScope, id: WebhookId) -> Result<Webhook, Error> {
        self.core.access.permit_in(caller, scope, (Operation::TeamWebhookGet, Operation::ProjectWebhookGet)).await?;

        self.one(scope, id).await
    }

    async fn one(&self, scope: ResourceScope, id: WebhookId) -> Result<Webhook, Error> {
        self.core.ports.webhooks.webhook(scope, id).await?.ok_or(Error::NotFound(ResourceKind::Webhook))
    }

    /// Creates a webhook, which receives events from now on. Its secret is returned only here.
    pub async fn create(
        &self,
        caller: &Caller,
        scope: ResourceScope,
        command: CreateWebhook,
    ) -> Result<Issued<Webhook>, Error> {
        let operations = (Operation::TeamWebhookCreate, Operation::ProjectWebhookCreate);
        let permit = self.core.access.permit_in(caller, scope, operations).await?;
        let team_id = permit.team().ok_or(Error::NotFound(ResourceKind::Team))?;
        let created_by = caller.person().ok_or(Forbidden::ApiKeyNotAccepted)?;
        self.check_address(&command.url).await?;

        // A reader that starts after it misses no later event.
        let begins_after = self.core.ports.audit_log.sealed_position().await?;
        let (now, (secret, encrypted)) = (self.core.now(), self.secret()?);
        let webhook = Webhook {
            id: WebhookId::from(self.core.next_id()),
            team_id,
            project_id: permit.project(),
            url: command.url,
            events: command.events,
            ordering: command.ordering,
            secret: encrypted,
            replaced: ReplacedValues::none(),
            pause: None,
            begins_after,
            created_by,
            authorized_by: created_by,
            created_at: now,
            revision: Revision::FIRST,
        };

        self.core.commit(Changes::by(permit, now).insert(webhook.clone())).await.map_err(|error| {
            match (error, scope) {
                (CommitError::Orphaned, ResourceScope::Team(_)) => Error::NotFound(ResourceKind::Team),
                (CommitError::Orphaned, ResourceScope::Project(_)) => Error::NotFound(ResourceKind::Project),
                (other, _) => other.into(),
            }
        })?;
        Ok(Issued { value: webhook, secret })
    }

    /// Generates a signing secret. Returns the text for receivers and the encrypted form to store.
    fn secret(&self) -> Result<(Secret, Vec<u8>), Error> {
        let key: Zeroizing<[u8; 32]> = self.core.system.secrets.entropy();
        let encrypted = self.core.system.encrypter.encrypt(PURPOSE, key.as_slice())?;
        Ok((self.core.ports.signer.format_key(key.as_slice()), encrypted))
    }

    /// Updates a webhook's URL, events or ordering, pauses it or resumes it. A turn of deliveries that is in progress continues
    /// after a pause.
    pub async fn update(
        &self,
        caller: &Caller,
        scope: ResourceScope,
        id: WebhookId,
        command: UpdateWebhook,
        when: &Precondition,
    ) -> Result<Webhook, Error> {
        retry_stale(async || {
            let operations = (Operation::TeamWebhookUpdate, Operation::ProjectWebhookUpdate);
            let permit = self.core.access.permit_in(caller, scope, operations).await?;

            let loaded = self.one(scope, id).await?;
            when.check(ResourceKind::Webhook, loaded.revision)?;
            let command = command.clone();
            if let Some(url) = command.url.as_ref().filter(|url| **url != loaded.url) {
                self.check_address(url).await?;
            }
            // The member who changes the URL or resumes the webhook becomes the one who authorizes it.
            let authorizes = command.url.is_some() || command.status == Some(WebhookStatus::Active);
            let (authorized_by, now) = (caller.person().filter(|_| authorizes), self.core.now());
            let changed = Webhook {
                authorized_by: authorized_by.unwrap_or(loaded.authorized_by),
                url: command.url.unwrap_or_else(|| loaded.url.clone()),
                events: command.events.unwrap_or_else(|| loaded.events.clone()),
                ordering: command.ordering.unwrap_or(loaded.ordering),
                ..loaded.clone()
            };
            let status = command.status.unwrap_or_else(|| changed.status());
            let changed = changed.with_status(status, now);
            permit.confirm(AuthorityChange::Webhook { before: &loaded, after: &changed })?;

            self.core.commit(Changes::by(permit, now).replace(loaded, changed.clone())).await?;
            Ok(Webhook { revision: changed.revision.next(), ..changed })
        })
        .await
    }

    /// Refuses the URL of a host in a private network. Only members who may change webhooks learn this.
    async fn check_address(&self, url: &WebhookUrl) -> Result<(), Error> {
        let checked = self.core.ports.webhook_sender.check_address(url).await;
        checked.map_err(|error| Error::invalid("url", error))
    }

    /// Deletes a webhook. Nothing more is sent.
    pub async fn delete(
        &self,
        caller: &Caller,
        scope: ResourceScope,
        id: WebhookId,
        when: &Precondition,
    ) -> Result<(), Error> {
        retry_stale(async || {
            let operations = (Operation::TeamWebhookDelete, Operation::ProjectWebhookDelete);
            let permit = self.core.access.permit_in(caller, scope, operations).await?;

            let loaded = self.one(scope, id).await?;
            when.check(ResourceKind::Webhook, loaded.revision)?;

            self.core.save(Changes::by(permit, self.core.now()).remove(loaded)).await
        })
        .await
    }

    /// Rotates a webhook's secret. For 24 hours messages are signed with the old one, too, and with the one before it as long as
    /// they were to.
    pub async fn rotate(&self, caller: &Caller, scope: ResourceScope, id: WebhookId) -> Result<Issued<Webhook>, Error> {
        retry_stale(async || {
            let operations = (Operation::TeamWebhookRotate, Operation::ProjectWebhookRotate);
            let permit = self.core.access.permit_in(caller, scope, operations).await?;

            let loaded = self.one(scope, id).await?;
            let (now, (secret, encrypted)) = (self.core.now(), self.secret()?);
            let changed = loaded.clone().with_new_secret(encrypted, now + PREVIOUS_SECRET_TTL, now);

            self.core.commit(Changes::by(permit, now).replace(loaded, changed.clone())).await?;
            Ok(Issued { value: Webhook { revision: changed.revision.next(), ..changed }, secret })
        })
        .await
    }

    /// Lists the delivery attempts of a webhook, newest first. `only_failed` examines a page of attempts and returns those that
    /// failed, so that a page can be empty and yet have a next one.
    pub async fn deliveries(
        &self,
        caller: &Caller,
        scope: ResourceScope,
        id: WebhookId,
        page: &PageRequest,
        only_failed: bool,
    ) -> Result<Page<WebhookDelivery>, Error> {
        let operations = (Operation::TeamWebhookDeliveries, Operation::ProjectWebhookDeliveries);
        self.core.access.permit_in(caller, scope, operations).await?;

        self.one(scope, id).await?;
        let mut found = self.core.ports.webhooks.deliveries(id, page).await?;
        found.items.retain(|delivery| !only_failed || delivery.error.is_some());
        Ok(found)
    }

    /// Returns a delivery attempt with its message and what follows. The message is that of the audit log, which only those see
    /// who may read the log or create webhooks.
    pub async fn delivery(
        &self,
        caller: &Caller,
        scope: ResourceScope,
        id: WebhookId,
        delivery: DeliveryId,
    ) -> Result<DeliveryDetails, Error> {
        let operations = (Operation::TeamWebhookDeliveryGet, Operation::ProjectWebhookDeliveryGet);
        self.core.access.permit_in(caller, scope, operations).await?;

        let webhook = self.one(scope, id).await?;
        let delivery = self.attempt(id, delivery).await?;
        let may_see = [Permission::AuditRead, Permission::WebhookWrite];
        let event = match self.core.access.holds_one_of(caller, scope, may_see).await? {
            true => self.event(scope, &delivery).await?,
            false => None,
        };
        let next = self.core.ports.webhooks.next_attempt(id).await?;
        Ok(DeliveryDetails {
            message_id: message_id(&webhook, delivery.position, delivery.id),
            payload: event.as_ref().map(payload),
            next_attempt_at: next.and_then(|next| next.following(&delivery)),
            delivery,
        })
    }

    async fn attempt(&self, webhook: WebhookId, id: DeliveryId) -> Result<WebhookDelivery, Error> {
        let found = self.core.ports.webhooks.delivery(webhook, id).await?;
        found.ok_or(Error::NotFound(ResourceKind::Delivery))
    }

    /// Returns the event of an attempt; `None` for a test event, and for one that is no longer retained.
    async fn event(&self, scope: ResourceScope, delivery: &WebhookDelivery) -> Result<Option<AuditEvent>, Error> {
        let before = delivery.position.saturating_sub(1);
        let found = self.core.ports.audit_log.settled_events(scope, before, 1).await?;
        Ok(found.into_iter().find(|event| event.position == delivery.position))
    }

    /// Sends the event of an earlier delivery again, immediately.
    pub async fn redeliver(
        &self,
        caller: &Caller,
        scope: ResourceScope,
        id: WebhookId,
        delivery: DeliveryId,
    ) -> Result<WebhookDelivery, Error> {
        let operations = (Operation::TeamWebhookRedeliver, Operation::ProjectWebhookRedeliver);
        self.core.access.permit_in(caller, scope, operations).await?;

        let webhook = self.one(scope, id).await?;
        let earlier = self.attempt(id, delivery).await?;
        let event = self.event(scope, &earlier).await?.ok_or(Error::NotFound(ResourceKind::Delivery))?;
        // Counted only now, because nothing is sent for a delivery that is not found.
        self.limit_rate(&webhook, self.core.now()).await?;
        self.send(&webhook, &event).await
    }

    /// Sends a test event immediately, even if the webhook is paused.
    pub async fn test(&self, caller: &Caller, scope: ResourceScope, id: WebhookId) -> Result<WebhookDelivery, Error> {
        let operations = (Operation::TeamWebhookTest, Operation::ProjectWebhookTest);
        let permit = self.core.access.permit_in(caller, scope, operations).await?;

        let (webhook, now) = (self.one(scope, id).await?, self.core.now());
        self.limit_rate(&webhook, now).await?;
        self.send(&webhook, &test_event(&permit, &webhook, now)).await
    }

    /// Protects receivers, which may not have asked for these requests.
    async fn limit_rate(&self, webhook: &Webhook, now: Time) -> Result<(), Error> {
        self.core.action_limiter.take(LimitedAction::RedeliverTo, &webhook.id.to_string(), now).await?;
        self.core.action_limiter.take(LimitedAction::RedeliverBy, &webhook.team_id.to_string(), now).await
    }

    /// Sends an event once, independent of the delivery progress, and records the attempt.
    async fn send(&self, webhook: &Webhook, event: &AuditEvent) -> Result<WebhookDelivery, Error> {
        // The receiver has 15 seconds, and the request must not end before it responds.
        Work::set_lane(Lane::Background);
        let delivery = self.deliveries.sender.send(webhook, EventMessage::of(event), 0).await?;
        self.core.ports.outbox.record_requested_delivery(&delivery).await?;
        Ok(delivery)
    }
}
