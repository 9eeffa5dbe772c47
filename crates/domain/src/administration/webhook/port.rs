//! Webhooks: reading them, delivering events, and recording the results.

use async_trait::async_trait;

use uuid::Uuid;

use crate::administration::{
    AuditEvent, EventSelection, NextAttempt, Webhook, WebhookDelivery, WebhookMessage, WebhookResponse, WebhookUrl,
};
use crate::kernel::{
    AccountId, DeliveryId, InvalidValue, Named, Page, PageRequest, ProjectId, ResourceScope, Secret, StoreError,
    TeamId, Time, WebhookId,
};

/// Reads webhooks and their deliveries.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait WebhookReader: Send + Sync {
    /// Returns the webhooks of a team, excluding those of its projects, or the webhooks of a project, newest first.
    async fn webhooks(&self, scope: ResourceScope, page: &PageRequest) -> Result<Page<Webhook>, StoreError>;

    /// Returns one webhook of a team or project. MUST return `None` for a webhook of another team or project.
    async fn webhook(&self, scope: ResourceScope, id: WebhookId) -> Result<Option<Webhook>, StoreError>;

    /// Returns all webhooks of a team and its projects that this account authorizes and that are not paused, ordered by
    /// ID. Quotas limit their number.
    async fn webhooks_authorized_by(&self, team: TeamId, account: AccountId) -> Result<Vec<Webhook>, StoreError>;

    /// Returns the URLs of at most `limit` webhooks of any of these teams and their projects, newest first. MUST NOT return
    /// webhooks of other teams.
    async fn webhook_urls(&self, teams: &[TeamId], limit: u16) -> Result<Vec<Named>, StoreError>;

    /// Returns the delivery attempts of a webhook, newest first.
    async fn deliveries(&self, webhook: WebhookId, page: &PageRequest) -> Result<Page<WebhookDelivery>, StoreError>;

    /// Returns one delivery attempt. MUST return `None` for an attempt of another webhook.
    async fn delivery(&self, webhook: WebhookId, id: DeliveryId) -> Result<Option<WebhookDelivery>, StoreError>;

    /// Returns the next attempt to deliver the first event that is not delivered; `None` if no attempt has failed, or the webhook
    /// is paused.
    async fn next_attempt(&self, webhook: WebhookId) -> Result<Option<NextAttempt>, StoreError>;
}

/// A webhook with pending events to which it may be subscribed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueWebhook {
    /// The webhook with its settings.
    pub webhook: Webhook,
    /// Position up to which all events were delivered, or skipped because the webhook is not subscribed to them.
    pub position: i64,
    /// Position of the last pending event.
    pub due_position: i64,
    /// Number of failed attempts to deliver the next event.
    pub attempts: u32,
    /// Earliest time of the next attempt to deliver it.
    pub next_attempt_at: Time,
    /// Whether the receiver accepted other events in the last turn.
    pub accepts_others: bool,
}

/// How far the events of a webhook have been delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryProgress {
    /// ID of the webhook.
    pub webhook: WebhookId,
    /// Holder of the lease.
    pub holder: Uuid,
    /// Position up to which all events were delivered, or skipped because the webhook is not subscribed to them. Later
    /// events may be delivered as well.
    pub position: i64,
    /// Number of failed attempts to deliver the next event.
    pub attempts: u32,
    /// Earliest time of the next attempt to deliver it.
    pub next_attempt_at: Time,
    /// Whether the receiver accepts other events, so that new ones are delivered before that time.
    pub accepts_others: bool,
    /// The attempts that ended since the progress was last stored.
    pub deliveries: Vec<WebhookDelivery>,
    /// Why the webhook is paused; `None` if it is not.
    pub pause: Option<String>,
}

/// A webhook that may be subscribed to events of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscriber {
    /// ID of the webhook.
    pub webhook: WebhookId,
    /// Team or project whose events are delivered.
    pub scope: ResourceScope,
    /// Events to which the webhook is subscribed.
    pub events: EventSelection,
    /// When the webhook was created. Earlier events are not delivered.
    pub created_at: Time,
}

impl Subscriber {
    /// Returns whether the event is to be delivered to the webhook.
    pub fn matches(&self, event: &AuditEvent) -> bool {
        let in_scope = match self.scope {
            ResourceScope::Team(team) => event.team_id == Some(team),
            ResourceScope::Project(project) => event.project_id == Some(project),
        };
        in_scope && event.at >= self.created_at && self.events.matches(event)
    }
}

/// Schedules a webhook for delivery because a batch contains events for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WebhookWake {
    /// ID of the webhook.
    pub webhook: WebhookId,
    /// Position of the first event to deliver.
    pub first: i64,
    /// Position of the last event to deliver.
    pub last: i64,
}

/// Schedules webhook deliveries. These writes do not go through `UnitOfWork`, because they follow from what it stored.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait Outbox: Send + Sync {
    /// Returns the webhooks of the team itself and of these projects. MUST NOT read other webhooks, however many there
    /// are.
    async fn subscribers(&self, team: TeamId, projects: &[ProjectId]) -> Result<Vec<Subscriber>, StoreError>;

    /// Returns at most `limit` webhooks that are due, not paused and not leased, longest waiting first, except those of
    /// some teams. MUST NOT read webhooks without pending events, however many there are.
    async fn due_webhooks(
        &self,
        now: Time,
        except: &[TeamId],
        limit: u16,
    ) -> Result<Vec<(WebhookId, TeamId)>, StoreError>;

    /// Leases those of these webhooks that are due. MUST NOT lease a webhook to another holder until the lease ends,
    /// and MUST skip webhooks that cannot be read.
    async fn claim_webhooks(
        &self,
        webhooks: &[WebhookId],
        holder: Uuid,
        now: Time,
        leased_until: Time,
    ) -> Result<Vec<DueWebhook>, StoreError>;

    /// Extends the leases of this holder on these webhooks.
    async fn renew_leases(&self, webhooks: &[WebhookId], holder: Uuid, leased_until: Time) -> Result<(), StoreError>;

    /// Stores the delivery progress of a webhook and all its attempts atomically. MUST return `false` and change nothing
    /// if the holder does not have the lease.
    async fn record_progress(&self, progress: &DeliveryProgress) -> Result<bool, StoreError>;

    /// Ends leases of this holder early. A webhook with pending events MUST become due again at the time of its next
    /// attempt, or at `now` if its receiver accepts other events and there are events after `seen`; a webhook without pending
    /// events MUST NOT.
    async fn release_leases(
        &self,
        webhooks: &[WebhookId],
        holder: Uuid,
        seen: i64,
        now: Time,
    ) -> Result<(), StoreError>;

    /// Stores an attempt that a member requested: a redelivery or a test. The delivery progress stays the same.
    async fn record_requested_delivery(&self, delivery: &WebhookDelivery) -> Result<(), StoreError>;
}

/// Sends webhook messages.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait WebhookSender: Send + Sync {
    /// Sends the message with POST and returns the HTTP status with at most [`WebhookResponse::MAX_READ`] bytes of the body, or
    /// those that arrive in a second. `Err` contains the reason why there was no response, in a form that callers may see. MUST
    /// NOT follow redirects, and MUST NOT connect to private networks unless that is allowed.
    async fn send(&self, url: &WebhookUrl, message: &WebhookMessage) -> Result<WebhookResponse, String>;

    /// Refuses a URL whose host has only addresses in private networks, unless these are allowed. MUST take only a few
    /// seconds. A name that cannot be resolved now is accepted, because its DNS record may be created later and each
    /// connection is checked.
    async fn check_address(&self, url: &WebhookUrl) -> Result<(), InvalidValue>;

    /// Sends a logout token as a form (OpenID Connect Back-Channel Logout 1.0 §2.5). The rules of
    /// [`WebhookSender::send`] apply.
    async fn send_logout_token(&self, url: &WebhookUrl, token: &Secret) -> Result<u16, String>;
}

/// Signs webhook messages.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait MessageSigner: Send + Sync {
    /// Returns the HMAC-SHA256 of a text in base64 (Standard Webhooks, symmetric signatures).
    fn sign(&self, key: &[u8], text: &str) -> String;

    /// Formats a key for the receiver: `whsec_` followed by base64.
    fn format_key(&self, key: &[u8]) -> Secret;
}
