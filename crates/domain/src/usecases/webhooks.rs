//! Webhooks: who is told of the changes of a team or a project.

use std::sync::Arc;

use chrono::TimeDelta;
use zeroize::Zeroizing;

use crate::changes::Changes;
use crate::error::{Error, Forbidden, ResourceKind};
use crate::model::{
    AuditScope, Caller, DeliveryId, EventSelection, Issued, Page, PageRequest, PreviousSecret, Revision, Secret,
    Webhook, WebhookDelivery, WebhookId, WebhookUrl,
};
use crate::policy::{LimitedAction, Operation, Permit};
use crate::ports::{Clock, Encrypter, IdGenerator, Outbox, SecretGenerator, UnitOfWork, WebhookReader};

use super::deliveries::PURPOSE;
use super::{Access, Audit, FollowedScope, RateLimiter, WebhookDeliveries, retry_stale};

/// How long a replaced secret is still signed with.
const PREVIOUS_SECRET_TTL: TimeDelta = TimeDelta::hours(24);

/// What a webhook is made with.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each field is the value it is named after")]
pub struct CreateWebhook {
    pub url: WebhookUrl,
    pub events: EventSelection,
}

/// What is to change of a webhook.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each field is the value it is named after; what is `None` stays")]
pub struct UpdateWebhook {
    pub url: Option<WebhookUrl>,
    pub events: Option<EventSelection>,
    /// Begin to send again.
    pub resume: bool,
}

/// The use cases of webhooks.
pub struct Webhooks {
    pub(super) access: Access,
    pub(super) audit: Arc<Audit>,
    pub(super) deliveries: Arc<WebhookDeliveries>,
    pub(super) rate_limiter: Arc<RateLimiter>,
    pub(super) webhooks: Arc<dyn WebhookReader>,
    pub(super) outbox: Arc<dyn Outbox>,
    pub(super) store: Arc<dyn UnitOfWork>,
    pub(super) encrypter: Arc<dyn Encrypter>,
    pub(super) secrets: Arc<dyn SecretGenerator>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) ids: Arc<dyn IdGenerator>,
}

impl Webhooks {
    /// Leave to do it, and whose events it is about.
    async fn permit(
        &self,
        caller: &Caller,
        place: FollowedScope,
        of_team: Operation,
        of_project: Operation,
    ) -> Result<(AuditScope, Permit), Error> {
        match place {
            FollowedScope::Team(team) => {
                let permit = self.access.team(caller, team).await?.permit(of_team).await?;
                Ok((AuditScope::Team(team), permit))
            }
            FollowedScope::Project(project) => {
                let access = self.access.project(caller, project).await?;
                let permit = access.permit(of_project).await?;
                Ok((AuditScope::Project(access.project().project.team_id, project), permit))
            }
        }
    }

    /// The webhooks, without their secrets.
    pub async fn list(
        &self,
        caller: &Caller,
        place: FollowedScope,
        page: &PageRequest,
    ) -> Result<Page<Webhook>, Error> {
        let (scope, _) = self.permit(caller, place, Operation::TeamWebhookList, Operation::ProjectWebhookList).await?;

        Ok(self.webhooks.webhooks(scope, page).await?)
    }

    /// One webhook, without its secrets.
    pub async fn get(&self, caller: &Caller, place: FollowedScope, id: WebhookId) -> Result<Webhook, Error> {
        let (scope, _) = self.permit(caller, place, Operation::TeamWebhookGet, Operation::ProjectWebhookGet).await?;

        self.one(scope, id).await
    }

    async fn one(&self, scope: AuditScope, id: WebhookId) -> Result<Webhook, Error> {
        self.webhooks.webhook(scope, id).await?.ok_or(Error::NotFound(ResourceKind::Webhook))
    }

    /// Makes a webhook, which is told of what happens from now on. Its secret is in the answer and nowhere else.
    pub async fn create(
        &self,
        caller: &Caller,
        place: FollowedScope,
        command: CreateWebhook,
    ) -> Result<Issued<Webhook>, Error> {
        let (scope, permit) =
            self.permit(caller, place, Operation::TeamWebhookCreate, Operation::ProjectWebhookCreate).await?;
        let created_by = caller.person().ok_or(Forbidden::KeyRefused)?;

        let begins_after = self.audit.sealed_position().await?;
        let (now, (secret, encrypted)) = (self.clock.now(), self.secret()?);
        let webhook = Webhook {
            id: WebhookId::from(self.ids.next()),
            scope,
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

        self.store.commit(Changes::by(permit, now).insert(webhook.clone())).await?;
        Ok(Issued { value: webhook, secret })
    }

    /// A new signing secret, as receivers are given it and as it is kept.
    fn secret(&self) -> Result<(Secret, Vec<u8>), Error> {
        let key: Zeroizing<[u8; 32]> = self.secrets.entropy();
        let encrypted = self.encrypter.encrypt(PURPOSE, key.as_slice())?;
        Ok((self.deliveries.signer.spell(key.as_slice()), encrypted))
    }

    /// Changes where and of what it is told, or begins to send again.
    pub async fn update(
        &self,
        caller: &Caller,
        place: FollowedScope,
        id: WebhookId,
        command: UpdateWebhook,
    ) -> Result<Webhook, Error> {
        retry_stale(async || {
            let (scope, permit) =
                self.permit(caller, place, Operation::TeamWebhookUpdate, Operation::ProjectWebhookUpdate).await?;

            let loaded = self.one(scope, id).await?;
            let command = command.clone();
            // Whoever decides where events go, or that they go on, answers for it.
            let authorizes = command.url.is_some() || command.resume;
            let authorized_by = caller.person().filter(|_| authorizes).unwrap_or(loaded.authorized_by);
            let changed = Webhook {
                authorized_by,
                url: command.url.unwrap_or_else(|| loaded.url.clone()),
                events: command.events.unwrap_or_else(|| loaded.events.clone()),
                pause: loaded.pause.clone().filter(|_| !command.resume),
                ..loaded.clone()
            };

            let changes = Changes::by(permit, self.clock.now()).replace(loaded, changed.clone());
            self.store.commit(changes).await?;
            Ok(changed)
        })
        .await
    }

    /// Removes a webhook; nothing more is sent.
    pub async fn delete(&self, caller: &Caller, place: FollowedScope, id: WebhookId) -> Result<(), Error> {
        retry_stale(async || {
            let (scope, permit) =
                self.permit(caller, place, Operation::TeamWebhookDelete, Operation::ProjectWebhookDelete).await?;

            let loaded = self.one(scope, id).await?;

            let changes = Changes::by(permit, self.clock.now()).remove(loaded);
            self.store.commit(changes).await?;
            Ok(())
        })
        .await
    }

    /// Gives a webhook a new secret. For a day messages are signed with both.
    pub async fn rotate(&self, caller: &Caller, place: FollowedScope, id: WebhookId) -> Result<Issued<Webhook>, Error> {
        retry_stale(async || {
            let (scope, permit) =
                self.permit(caller, place, Operation::TeamWebhookRotate, Operation::ProjectWebhookRotate).await?;

            let loaded = self.one(scope, id).await?;
            let (now, (secret, encrypted)) = (self.clock.now(), self.secret()?);
            let previous = PreviousSecret { encrypted: loaded.secret.clone(), expires_at: now + PREVIOUS_SECRET_TTL };
            let changed = Webhook { secret: encrypted, previous: Some(previous), ..loaded.clone() };

            let changes = Changes::by(permit, now).replace(loaded, changed.clone());
            self.store.commit(changes).await?;
            Ok(Issued { value: changed, secret })
        })
        .await
    }

    /// What became of telling it, newest first.
    pub async fn deliveries(
        &self,
        caller: &Caller,
        place: FollowedScope,
        id: WebhookId,
        page: &PageRequest,
    ) -> Result<Page<WebhookDelivery>, Error> {
        let operations = (Operation::TeamWebhookDeliveries, Operation::ProjectWebhookDeliveries);
        let (scope, _) = self.permit(caller, place, operations.0, operations.1).await?;

        self.one(scope, id).await?;
        Ok(self.webhooks.deliveries(id, page).await?)
    }

    /// Tells it of the same event once more, now.
    pub async fn redeliver(
        &self,
        caller: &Caller,
        place: FollowedScope,
        id: WebhookId,
        delivery: DeliveryId,
    ) -> Result<WebhookDelivery, Error> {
        let operations = (Operation::TeamWebhookRedeliver, Operation::ProjectWebhookRedeliver);
        let (scope, _) = self.permit(caller, place, operations.0, operations.1).await?;

        let webhook = self.one(scope, id).await?;
        // A receiver that asked for nothing must not be made to bear much of it.
        let now = self.clock.now();
        self.rate_limiter.take(LimitedAction::RedeliverTo, &id.to_string(), now).await?;
        self.rate_limiter.take(LimitedAction::RedeliverBy, &scope.team().to_string(), now).await?;
        let missing = || Error::NotFound(ResourceKind::Delivery);
        let told = self.webhooks.delivery(id, delivery).await?.ok_or_else(missing)?;
        let event = self.audit.at(scope, told.position).await?.ok_or_else(missing)?;
        let delivery = self.deliveries.attempt(&webhook, &event, 0).await?;
        self.outbox.redelivered(&delivery).await?;
        Ok(delivery)
    }
}
