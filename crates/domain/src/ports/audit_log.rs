//! The audit log: read, sealed into chains, and forgotten when it is old. Its events are written by `UnitOfWork`.

use async_trait::async_trait;
use chrono::TimeDelta;

use crate::model::{
    AuditChain, AuditEvent, AuditFilter, AuditScope, AuditSeal, Page, PageRequest, TeamId, Time, Webhook,
};

use super::{StoreError, WebhookWake};

/// Events that a webhook wants.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WantedEvents {
    /// The events.
    pub events: Vec<AuditEvent>,
    /// There are no others up to this position.
    pub through: i64,
}

/// What is to be sealed next.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UnsealedEvents {
    /// Everything up to this position is sealed.
    pub after: i64,
    /// The next events, in order.
    pub events: Vec<AuditEvent>,
    /// The last seals of their chains, of those that have one.
    pub last_seals: Vec<AuditSeal>,
}

/// What is sealed at once.
#[derive(Debug, Clone, PartialEq)]
pub struct SealedBatch {
    /// Everything up to this position was sealed before.
    pub after: i64,
    /// It seals every event above that position, up to this one.
    pub through: i64,
    /// When it happens.
    pub at: Time,
    /// A seal for each chain that has events among them.
    pub seals: Vec<AuditSeal>,
    /// The webhooks that want some of them.
    pub wakes: Vec<WebhookWake>,
}

/// From when on events are kept. `None`: all of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RetentionCutoff {
    /// All events except changes of items.
    pub events: Option<Time>,
    /// Changes of items.
    pub item_changes: Option<Time>,
}

impl RetentionCutoff {
    /// How much longer events may be kept, so that a store can forget many of them as a whole.
    pub const TOLERANCE: TimeDelta = TimeDelta::weeks(1);
}

/// Reads and seals the audit log.
///
/// Sealing writes beside `UnitOfWork`: it decides nothing, and what it adds follows from what is there. An event is settled
/// once every change that might still stand before it is stored, or never will be.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait AuditLog: Send + Sync {
    /// Events, newest first, also those that are not settled or sealed.
    async fn audit_events(
        &self,
        scope: AuditScope,
        filter: &AuditFilter,
        page: &PageRequest,
    ) -> Result<Page<AuditEvent>, StoreError>;

    /// Settled events after a position, in order. MUST also end by the bytes of [`PageSize::MAX`](crate::model::PageSize::MAX),
    /// and hold one event if there is any.
    async fn settled_events(&self, scope: AuditScope, after: i64, most: u16) -> Result<Vec<AuditEvent>, StoreError>;

    /// Events that a webhook wants among those after one position up to another that is sealed, in order. MUST look at a
    /// bounded number of events, and say how far it looked.
    async fn wanted_events(
        &self,
        webhook: &Webhook,
        after: i64,
        through: i64,
        most: u16,
    ) -> Result<WantedEvents, StoreError>;

    /// Everything up to this position is sealed.
    async fn sealed_position(&self) -> Result<i64, StoreError>;

    /// Whether settled events are not sealed. MUST cost the same however many there are.
    async fn has_unsealed_events(&self) -> Result<bool, StoreError>;

    /// The next settled events that are not sealed, of all chains, in order. MUST also end by bytes, as above.
    async fn unsealed_events(&self, most: u16) -> Result<UnsealedEvents, StoreError>;

    /// Stores seals and wakes webhooks, all or none. MUST return `false`, and do nothing, unless exactly what is before the
    /// batch is sealed: somebody else was faster.
    async fn seal(&self, batch: &SealedBatch) -> Result<bool, StoreError>;

    /// Chains of a team, or of all teams, after this one, in the order of the ids of teams and chains.
    async fn chains(
        &self,
        team: Option<TeamId>,
        after: Option<AuditChain>,
        most: u16,
    ) -> Result<Vec<AuditChain>, StoreError>;

    /// The seals of a chain after this number, in order.
    async fn seals(&self, chain: AuditChain, after: i64, most: u16) -> Result<Vec<AuditSeal>, StoreError>;

    /// The events of a chain after one position up to another, in order. MUST also end by bytes, as above.
    async fn sealed_events(
        &self,
        chain: AuditChain,
        after: i64,
        through: i64,
        most: u16,
    ) -> Result<Vec<AuditEvent>, StoreError>;

    /// From when on events have been kept so far.
    async fn retention_cutoff(&self) -> Result<RetentionCutoff, StoreError>;

    /// Forgets some of the sealed events that are older than this, the oldest first. How many rows or parts of tables those
    /// were. MUST keep what is younger or not sealed, and remember from when on events are kept. MAY keep events longer, by up to [`RetentionCutoff::TOLERANCE`].
    async fn forget_old_events(&self, retention_cutoff: &RetentionCutoff, most: u16) -> Result<usize, StoreError>;

    /// Forgets at most this many seals from the beginning of a chain, up to the first that was not made before the given
    /// time. How many those were. MUST keep the last seal.
    async fn forget_seals(&self, chain: AuditChain, before: Time, most: u16) -> Result<usize, StoreError>;

    /// Prepares for the events of this week and the next ones. Any number of processes may do it.
    async fn prepare(&self, now: Time) -> Result<(), StoreError>;
}
