//! Webhooks: read, told, and what became of it.

use async_trait::async_trait;

use uuid::Uuid;

use crate::model::{
    AccountId, AuditEvent, AuditScope, DeliveryId, EventSelection, Page, PageRequest, ProjectId, Secret, TeamId, Time,
    Webhook, WebhookDelivery, WebhookId, WebhookMessage, WebhookUrl,
};

use super::StoreError;

/// Reads webhooks and their deliveries.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait WebhookReader: Send + Sync {
    /// The webhooks of a team, without those of its projects; or of a project. Newest first.
    async fn webhooks(&self, scope: AuditScope, page: &PageRequest) -> Result<Page<Webhook>, StoreError>;

    /// One of them. MUST be `None` for another team's or project's.
    async fn webhook(&self, scope: AuditScope, id: WebhookId) -> Result<Option<Webhook>, StoreError>;

    /// The webhooks of a team and of its projects that this account authorizes and that are not paused, in the order of
    /// their ids. At most 1,000.
    async fn webhooks_authorized_by(&self, team: TeamId, account: AccountId) -> Result<Vec<Webhook>, StoreError>;

    /// What became of telling it, newest first.
    async fn deliveries(&self, webhook: WebhookId, page: &PageRequest) -> Result<Page<WebhookDelivery>, StoreError>;

    /// One attempt. MUST be `None` for another webhook's.
    async fn delivery(&self, webhook: WebhookId, id: DeliveryId) -> Result<Option<WebhookDelivery>, StoreError>;
}

/// A webhook that is due: an event that it may want waits for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueWebhook {
    /// The webhook.
    pub webhook: Webhook,
    /// The position of the last event that it was sent, or that it did not want.
    pub position: i64,
    /// The position of the last event that waits for it.
    pub due_position: i64,
    /// How many attempts at the next event have failed.
    pub attempts: u32,
}

/// How far the events of a webhook have been delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryProgress {
    /// The webhook.
    pub webhook: WebhookId,
    /// Who leased it.
    pub holder: Uuid,
    /// The position of the last event that it was sent, or that it did not want.
    pub position: i64,
    /// How many attempts at the next event have failed.
    pub attempts: u32,
    /// When the next attempt may be made.
    pub next_attempt_at: Time,
    /// The attempt, if one was made.
    pub delivery: Option<WebhookDelivery>,
    /// Why nothing is to be sent any more.
    pub pause: Option<String>,
}

/// A webhook that may want events of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscriber {
    /// The webhook.
    pub webhook: WebhookId,
    /// Whose events it is sent.
    pub scope: AuditScope,
    /// Which of them.
    pub events: EventSelection,
    /// Events from before are not sent.
    pub created_at: Time,
}

impl Subscriber {
    /// Whether it is to be sent an event.
    pub fn wants(&self, event: &AuditEvent) -> bool {
        let about = match self.scope {
            AuditScope::Team(team) => event.team_id == Some(team),
            AuditScope::Project(_, project) => event.project_id == Some(project),
        };
        about && event.at >= self.created_at && self.events.wants(event)
    }
}

/// That events wait for a webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WebhookWake {
    /// The webhook.
    pub webhook: WebhookId,
    /// The position of the first event that it wants.
    pub first: i64,
    /// The position of the last one.
    pub last: i64,
}

/// What is to be delivered to whom. These writes stand beside `UnitOfWork`: they follow from what it stored.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait Outbox: Send + Sync {
    /// The webhooks of the team itself and of these projects. MUST NOT look at other webhooks, however many there are.
    async fn subscribers(&self, team: TeamId, projects: &[ProjectId]) -> Result<Vec<Subscriber>, StoreError>;

    /// Webhooks that are not paused, not leased and due, those that wait longest first, without those of some teams. MUST
    /// NOT look at quiet webhooks, however many there are.
    async fn due_webhooks(
        &self,
        now: Time,
        except: &[TeamId],
        most: u16,
    ) -> Result<Vec<(WebhookId, TeamId)>, StoreError>;

    /// Leases those of these webhooks that are due. MUST give a webhook to one holder only, as long as the lease lasts, and
    /// MUST pass over those that cannot be read.
    async fn claim_webhooks(
        &self,
        webhooks: &[WebhookId],
        holder: Uuid,
        now: Time,
        leased_until: Time,
    ) -> Result<Vec<DueWebhook>, StoreError>;

    /// Prolongs the leases of this holder on these webhooks.
    async fn renew_leases(&self, webhooks: &[WebhookId], holder: Uuid, leased_until: Time) -> Result<(), StoreError>;

    /// Stores how far a webhook's events were delivered, and the attempt. MUST answer `false`, and store nothing, when the
    /// holder does not have the lease.
    async fn record_progress(&self, progress: &DeliveryProgress) -> Result<bool, StoreError>;

    /// Ends leases of this holder before their time. A webhook MUST be due again when an event waits for it, from its next
    /// attempt on, and quiet otherwise.
    async fn release_leases(&self, webhooks: &[WebhookId], holder: Uuid) -> Result<(), StoreError>;

    /// Stores an attempt that a person asked for.
    async fn redelivered(&self, delivery: &WebhookDelivery) -> Result<(), StoreError>;
}

/// Sends messages to receivers.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait WebhookSender: Send + Sync {
    /// Posts the message; answers the status. `Err`: why there was no answer, in words that may be shown. MUST NOT follow
    /// redirects, and MUST NOT reach private networks unless that is allowed.
    async fn send(&self, url: &WebhookUrl, message: &WebhookMessage) -> Result<u16, String>;
}

/// Signs messages.
#[cfg_attr(feature = "mocks", mockall::automock)]
pub trait MessageSigner: Send + Sync {
    /// HMAC-SHA256 of a text, in base64 (Standard Webhooks, symmetric signatures).
    fn sign(&self, key: &[u8], text: &str) -> String;

    /// A key as receivers are given it: `whsec_` and base64.
    fn spell(&self, key: &[u8]) -> Secret;
}
