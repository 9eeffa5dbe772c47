//! Webhooks: subscriptions to the events of a team or a project.

use std::sync::Arc;

use chrono::TimeDelta;
use zeroize::Zeroizing;

use crate::changes::Changes;
use crate::error::{Error, Forbidden, ResourceKind};
use crate::model::{
    AuditEvent, Caller, DeliveryId, EventSelection, Issued, Page, PageRequest, Precondition, PreviousSecret,
    ResourceScope, Revision, Secret, Time, Webhook, WebhookDelivery, WebhookId, WebhookStatus, WebhookUrl,
};
use crate::policy::{AuthorityChange, LimitedAction, Operation};
use crate::ports::{Clock, CommitError, Encrypter, IdGenerator, Outbox, SecretGenerator, UnitOfWork, WebhookReader};

use super::deliveries::PURPOSE;
use super::webhook_messages::test_event;
use super::{Access, Audit, Core, RateLimiter, WebhookDeliveries, retry_stale};

/// How long messages are also signed with a replaced secret.
const PREVIOUS_SECRET_TTL: TimeDelta = TimeDelta::hours(24);

/// Values of a new webhook.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each field is named after its value")]
pub struct CreateWebhook {
    pub url: WebhookUrl,
    pub events: EventSelection,
}

/// Changes to a webhook.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each field is named after its value; `None` leaves it unchanged")]
pub struct UpdateWebhook {
    pub url: Option<WebhookUrl>,
    pub events: Option<EventSelection>,
    pub status: Option<WebhookStatus>,
}

/// Use cases of webhooks.
#[expect(missing_docs, reason = "each field is named after its port")]
pub struct Webhooks {
    pub access: Access,
    pub audit: Arc<Audit>,
    pub deliveries: Arc<WebhookDeliveries>,
    pub rate_limiter: Arc<RateLimiter>,
    pub webhooks: Arc<dyn WebhookReader>,
    pub outbox: Arc<dyn Outbox>,
    pub store: Arc<dyn UnitOfWork>,
    pub encrypter: Arc<dyn Encrypter>,
    pub secrets: Arc<dyn SecretGenerator>,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn IdGenerator>,
}

impl Webhooks {
    /// Creates the use cases from the shared components.
    pub fn new(core: &Core, audit: Arc<Audit>, deliveries: Arc<WebhookDeliveries>) -> Self {
        Self {
            access: core.access.clone(),
            audit,
            deliveries,
            rate_limiter: core.rate_limiter.clone(),
            webhooks: core.store.clone(),
            outbox: core.store.clone(),
            store: core.unit_of_work.clone(),
            encrypter: core.system.encrypter.clone(),
            secrets: core.system.secrets.clone(),
            clock: core.system.clock.clone(),
            ids: core.system.ids.clone(),
        }
    }

    /// Lists the webhooks without their secrets.
    pub async fn list(
        &self,
        caller: &Caller,
        scope: ResourceScope,
        page: &PageRequest,
    ) -> Result<Page<Webhook>, Error> {
        self.access.permit_in(caller, scope, (Operation::TeamWebhookList, Operation::ProjectWebhookList)).await?;

        Ok(self.webhooks.webhooks(scope, page).await?)
    }

    /// Returns a webhook without its secrets.
    pub async fn get(&self, caller: &Caller, scope: ResourceScope, id: WebhookId) -> Result<Webhook, Error> {
        self.access.permit_in(caller, scope, (Operation::TeamWebhookGet, Operation::ProjectWebhookGet)).await?;

        self.one(scope, id).await
    }

    async fn one(&self, scope: ResourceScope, id: WebhookId) -> Result<Webhook, Error> {
        self.webhooks.webhook(scope, id).await?.ok_or(Error::NotFound(ResourceKind::Webhook))
    }

    /// Creates a webhook, which receives events from now on. Its secret is returned only here.
    pub async fn create(
        &self,
        caller: &Caller,
        scope: ResourceScope,
        command: CreateWebhook,
    ) -> Result<Issued<Webhook>, Error> {
        let operations = (Operation::TeamWebhookCreate, Operation::ProjectWebhookCreate);
        let permit = self.access.permit_in(caller, scope, operations).await?;
        let team_id = permit.team().ok_or(Error::NotFound(ResourceKind::Team))?;
        let created_by = caller.person().ok_or(Forbidden::ApiKeyNotAccepted)?;
        self.check_address(&command.url).await?;

        let begins_after = self.audit.sealed_position().await?;
        let (now, (secret, encrypted)) = (self.clock.now(), self.secret()?);
        let webhook = Webhook {
            id: WebhookId::from(self.ids.next()),
            team_id,
            project_id: permit.project(),
            url: command.url,
            events: command.events,
            secret: encrypted,
            previous: None,
            pause: None,
            begins_after,
            created_by,
            authorized_by: created_by,
            created_at: now,
            revision: Revision::FIRST,
        };

        let changes = Changes::by(permit, now).insert(webhook.clone());
        self.store.commit(changes).await.map_err(|error| match (error, scope) {
            (CommitError::Orphaned, ResourceScope::Team(_)) => Error::NotFound(ResourceKind::Team),
            (CommitError::Orphaned, ResourceScope::Project(_)) => Error::NotFound(ResourceKind::Project),
            (other, _) => other.into(),
        })?;
        Ok(Issued { value: webhook, secret })
    }

    /// Generates a signing secret. Returns the text for receivers and the encrypted form to store.
    fn secret(&self) -> Result<(Secret, Vec<u8>), Error> {
        let key: Zeroizing<[u8; 32]> = self.secrets.entropy();
        let encrypted = self.encrypter.encrypt(PURPOSE, key.as_slice())?;
        Ok((self.deliveries.signer.format_key(key.as_slice()), encrypted))
    }

    /// Updates a webhook's URL or events, pauses it or resumes it. A turn of deliveries that is in progress continues
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
            let permit = self.access.permit_in(caller, scope, operations).await?;

            let loaded = self.one(scope, id).await?;
            when.check(ResourceKind::Webhook, loaded.revision)?;
            let command = command.clone();
            if let Some(url) = command.url.as_ref().filter(|url| **url != loaded.url) {
                self.check_address(url).await?;
            }
            // The member who changes the URL or resumes the webhook becomes the one who authorizes it.
            let authorizes = command.url.is_some() || command.status == Some(WebhookStatus::Active);
            let (authorized_by, now) = (caller.person().filter(|_| authorizes), self.clock.now());
            let changed = Webhook {
                authorized_by: authorized_by.unwrap_or(loaded.authorized_by),
                url: command.url.unwrap_or_else(|| loaded.url.clone()),
                events: command.events.unwrap_or_else(|| loaded.events.clone()),
                ..loaded.clone()
            };
            let status = command.status.unwrap_or_else(|| changed.status());
            let changed = changed.with_status(status, now);
            permit.confirm(AuthorityChange::Webhook { before: &loaded, after: &changed })?;

            let changes = Changes::by(permit, now).replace(loaded, changed.clone());
            self.store.commit(changes).await?;
            Ok(Webhook { revision: changed.revision.next(), ..changed })
        })
        .await
    }

    /// Refuses the URL of a host in a private network. Only members who may change webhooks learn this.
    async fn check_address(&self, url: &WebhookUrl) -> Result<(), Error> {
        let checked = self.deliveries.sender.check_address(url).await;
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
            let permit = self.access.permit_in(caller, scope, operations).await?;

            let loaded = self.one(scope, id).await?;
            when.check(ResourceKind::Webhook, loaded.revision)?;

            let changes = Changes::by(permit, self.clock.now()).remove(loaded);
            self.store.commit(changes).await?;
            Ok(())
        })
        .await
    }

    /// Rotates a webhook's secret. For 24 hours messages are signed with both secrets.
    pub async fn rotate(&self, caller: &Caller, scope: ResourceScope, id: WebhookId) -> Result<Issued<Webhook>, Error> {
        retry_stale(async || {
            let operations = (Operation::TeamWebhookRotate, Operation::ProjectWebhookRotate);
            let permit = self.access.permit_in(caller, scope, operations).await?;

            let loaded = self.one(scope, id).await?;
            let (now, (secret, encrypted)) = (self.clock.now(), self.secret()?);
            let previous = PreviousSecret { encrypted: loaded.secret.clone(), expires_at: now + PREVIOUS_SECRET_TTL };
            let changed = Webhook { secret: encrypted, previous: Some(previous), ..loaded.clone() };

            let changes = Changes::by(permit, now).replace(loaded, changed.clone());
            self.store.commit(changes).await?;
            Ok(Issued { value: Webhook { revision: changed.revision.next(), ..changed }, secret })
        })
        .await
    }

    /// Lists the delivery attempts of a webhook, newest first.
    pub async fn deliveries(
        &self,
        caller: &Caller,
        scope: ResourceScope,
        id: WebhookId,
        page: &PageRequest,
    ) -> Result<Page<WebhookDelivery>, Error> {
        let operations = (Operation::TeamWebhookDeliveries, Operation::ProjectWebhookDeliveries);
        self.access.permit_in(caller, scope, operations).await?;

        self.one(scope, id).await?;
        Ok(self.webhooks.deliveries(id, page).await?)
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
        self.access.permit_in(caller, scope, operations).await?;

        let webhook = self.one(scope, id).await?;
        let missing = || Error::NotFound(ResourceKind::Delivery);
        let earlier = self.webhooks.delivery(id, delivery).await?.ok_or_else(missing)?;
        let event = self.audit.at(scope, earlier.position).await?.ok_or_else(missing)?;
        // Counted only now, because nothing is sent for a delivery that is not found.
        self.limit_rate(&webhook, self.clock.now()).await?;
        self.send(&webhook, &event).await
    }

    /// Sends a test event immediately, even if the webhook is paused.
    pub async fn test(&self, caller: &Caller, scope: ResourceScope, id: WebhookId) -> Result<WebhookDelivery, Error> {
        let operations = (Operation::TeamWebhookTest, Operation::ProjectWebhookTest);
        let permit = self.access.permit_in(caller, scope, operations).await?;

        let (webhook, now) = (self.one(scope, id).await?, self.clock.now());
        self.limit_rate(&webhook, now).await?;
        self.send(&webhook, &test_event(&permit, &webhook, now)).await
    }

    /// Protects receivers, which may not have asked for these requests.
    async fn limit_rate(&self, webhook: &Webhook, now: Time) -> Result<(), Error> {
        self.rate_limiter.take(LimitedAction::RedeliverTo, &webhook.id.to_string(), now).await?;
        self.rate_limiter.take(LimitedAction::RedeliverBy, &webhook.team_id.to_string(), now).await
    }

    /// Sends an event once, independent of the delivery progress, and records the attempt.
    async fn send(&self, webhook: &Webhook, event: &AuditEvent) -> Result<WebhookDelivery, Error> {
        let delivery = self.deliveries.attempt(webhook, event, 0).await?;
        self.outbox.record_requested_delivery(&delivery).await?;
        Ok(delivery)
    }
}
