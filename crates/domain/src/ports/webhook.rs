//! Webhooks: read, told, and what became of it.

use async_trait::async_trait;

use crate::model::{
    AccountId, AuditScope, DeliveryId, Page, PageRequest, Secret, TeamId, Time, Webhook, WebhookDelivery, WebhookId,
    WebhookMessage, WebhookUrl,
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

/// A webhook that is to be told now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    /// Which.
    pub webhook: Webhook,
    /// The place of the last event that it was told.
    pub position: i64,
    /// How many attempts at the next one have failed.
    pub attempts: u32,
    /// Until when nobody else tells it.
    pub leased_until: Time,
}

/// How far a webhook has been told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// Which.
    pub webhook: WebhookId,
    /// The lease under which it was told.
    pub leased_until: Time,
    /// The place of the last event that it was told.
    pub position: i64,
    /// How many attempts at the next one have failed.
    pub attempts: u32,
    /// When the next attempt may be made.
    pub next_attempt_at: Time,
    /// What was done, if anything.
    pub delivery: Option<WebhookDelivery>,
    /// Why nothing is to be sent any more.
    pub pause: Option<String>,
}

/// Who is to be told of what. These writes stand beside `UnitOfWork`: they follow from what it stored.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait Outbox: Send + Sync {
    /// Claims webhooks that are not paused, whose next attempt is due and for which there may be an event, until a moment.
    /// MUST give a webhook to one caller only, as long as the lease lasts.
    async fn claim_due(&self, now: Time, leased_until: Time, most: u16) -> Result<Vec<Due>, StoreError>;

    /// Stores how far a webhook was told, and the attempt. MUST answer `false`, and store nothing, when the lease is not
    /// the one it was claimed under.
    async fn told(&self, told: &Told) -> Result<bool, StoreError>;

    /// Ends a lease before its time.
    async fn let_go(&self, webhook: WebhookId, leased_until: Time) -> Result<(), StoreError>;

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
