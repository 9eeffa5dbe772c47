//! The audit log: reading events, sealing them into hash chains, and deleting old ones. `UnitOfWork` writes the events.

use async_trait::async_trait;
use chrono::TimeDelta;

use crate::administration::{AuditChain, AuditEvent, AuditFilter, AuditSeal, History, Webhook, WebhookWake};
use crate::kernel::{AccountId, IdentityProviderId, Page, PageRequest, ResourceScope, StoreError, TeamId, Time};

/// Events to which a webhook is subscribed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MatchingEvents {
    /// The matching events, in order.
    pub events: Vec<AuditEvent>,
    /// Position up to which there are no other matching events.
    pub through: i64,
}

/// The events to seal next.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UnsealedEvents {
    /// Position up to which all events are sealed.
    pub after: i64,
    /// The next events, in order.
    pub events: Vec<AuditEvent>,
    /// The last seal of each chain of these events that has one.
    pub last_seals: Vec<AuditSeal>,
}

/// A batch of events that are sealed together.
#[derive(Debug, Clone, PartialEq)]
pub struct SealedBatch {
    /// Position up to which all events were sealed before.
    pub after: i64,
    /// Position of the last event in the batch. The batch contains every event after `after` up to this position.
    pub through: i64,
    /// Timestamp of the batch.
    pub at: Time,
    /// One seal for each chain with events in the batch.
    pub seals: Vec<AuditSeal>,
    /// Webhooks that are subscribed to events in the batch.
    pub wakes: Vec<WebhookWake>,
}

/// Timestamps from which on events are retained; `None` if all events are retained.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RetentionCutoff {
    /// Cutoff for all events except item changes.
    pub events: Option<Time>,
    /// Cutoff for item changes.
    pub item_changes: Option<Time>,
}

impl RetentionCutoff {
    /// How much longer events may be retained, so that a store can delete many of them at once.
    pub const TOLERANCE: TimeDelta = TimeDelta::weeks(1);
}

/// Reads and seals the audit log.
///
/// Sealing does not write through `UnitOfWork`, because the seals follow from the stored events and need no decision.
/// An event is settled once every change that could still be ordered before it has been committed or has failed.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait AuditLog: Send + Sync {
    /// Returns the events of a project, or of a team and its projects, newest first, including events that are not
    /// settled or sealed yet. MUST examine a bounded number of events, so a page can have no events and yet a next page.
    async fn audit_events(
        &self,
        scope: ResourceScope,
        filter: &AuditFilter,
        page: &PageRequest,
    ) -> Result<Page<AuditEvent>, StoreError>;

    /// Returns the events that belong to no team and are about this account ([`Changes::subject_of`]), newest first. Events that an
    /// earlier version stored may be missing.
    ///
    /// [`Changes::subject_of`]: crate::kernel::changes::Changes::subject_of
    async fn account_events(&self, account: AccountId, page: &PageRequest) -> Result<Page<AuditEvent>, StoreError>;

    /// Returns the events that belong to no team, are about this identity provider, and were caused by nobody who is known, newest
    /// first: how sign-ins at a provider of the service failed.
    async fn provider_events(
        &self,
        provider: IdentityProviderId,
        page: &PageRequest,
    ) -> Result<Page<AuditEvent>, StoreError>;

    /// Returns at most `limit` settled events after a position, in order. MUST also stop at the number of bytes in
    /// [`PageSize::MAX`](crate::kernel::PageSize::MAX), and MUST return at least one event if there is any.
    async fn settled_events(&self, scope: ResourceScope, after: i64, limit: u16)
    -> Result<Vec<AuditEvent>, StoreError>;

    /// Returns the current history of positions.
    async fn history(&self) -> Result<History, StoreError>;

    /// Returns the events to which a webhook is subscribed, after one position up to another that is sealed, in order.
    /// MUST examine a bounded number of events and report how far it got.
    async fn matching_events(
        &self,
        webhook: &Webhook,
        after: i64,
        through: i64,
        limit: u16,
    ) -> Result<MatchingEvents, StoreError>;

    /// Returns the position up to which all events are sealed.
    async fn sealed_position(&self) -> Result<i64, StoreError>;

    /// Returns whether there are settled events that are not sealed. The cost MUST NOT depend on their number.
    async fn has_unsealed_events(&self) -> Result<bool, StoreError>;

    /// Returns the next settled events of all chains that are not sealed, in order. MUST limit the number of bytes like
    /// [`AuditLog::settled_events`].
    async fn unsealed_events(&self, limit: u16) -> Result<UnsealedEvents, StoreError>;

    /// Stores the seals and schedules the webhooks atomically. MUST return `false` and change nothing unless exactly
    /// the events before the batch are sealed, because another process may have sealed it first.
    async fn seal(&self, batch: &SealedBatch) -> Result<bool, StoreError>;

    /// Returns the chains of a team, or of all teams, after `after`, ordered by team ID and chain ID.
    async fn chains(
        &self,
        team: Option<TeamId>,
        after: Option<AuditChain>,
        limit: u16,
    ) -> Result<Vec<AuditChain>, StoreError>;

    /// Returns the seals of a chain after this number, in order.
    async fn seals(&self, chain: AuditChain, after: i64, limit: u16) -> Result<Vec<AuditSeal>, StoreError>;

    /// Returns the events of a chain after one position up to another, in order. MUST limit the number of bytes like
    /// [`AuditLog::settled_events`].
    async fn sealed_events(
        &self,
        chain: AuditChain,
        after: i64,
        through: i64,
        limit: u16,
    ) -> Result<Vec<AuditEvent>, StoreError>;

    /// Returns the stored retention cutoff: the timestamps from which on events are still available.
    async fn retention_cutoff(&self) -> Result<RetentionCutoff, StoreError>;

    /// Deletes some of the sealed events before the cutoff, oldest first. Returns the number of deleted rows or
    /// partitions. MUST retain events that are newer or not sealed, and MUST store the cutoff. MAY retain events
    /// longer, by up to [`RetentionCutoff::TOLERANCE`].
    async fn delete_old_events(&self, retention_cutoff: &RetentionCutoff, limit: u16) -> Result<usize, StoreError>;

    /// Deletes at most `limit` seals from the beginning of a chain, up to the first one that was not created before the
    /// given time. Returns the number of deleted seals. MUST retain the last seal.
    async fn delete_seals(&self, chain: AuditChain, before: Time, limit: u16) -> Result<usize, StoreError>;

    /// Prepares the store for events of this week and the following ones. Any number of processes may call it.
    async fn prepare(&self, now: Time) -> Result<(), StoreError>;
}
