//! The audit log: read, sealed into chains, and forgotten when it is old. Its events are written by `UnitOfWork`.

use async_trait::async_trait;

use crate::model::{AuditEvent, AuditFilter, AuditScope, Page, PageRequest, Seal, TeamId, Time, Webhook};

use super::{StoreError, Wake};

/// Reads and seals the audit log.
///
/// Sealing writes beside `UnitOfWork`: it decides nothing, and what it adds follows from what is there.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait AuditLog: Send + Sync {
    /// Events, newest first, also those that have no place yet.
    async fn audit_events(
        &self,
        scope: AuditScope,
        filter: &AuditFilter,
        page: &PageRequest,
    ) -> Result<Page<AuditEvent>, StoreError>;

    /// Sealed events after a position, in the order of the chain. MUST also end by the bytes of [`PageSize::MAX`](crate::model::PageSize::MAX), and hold
    /// one event if there is any.
    async fn sealed_events(&self, scope: AuditScope, after: i64, most: u16) -> Result<Vec<AuditEvent>, StoreError>;

    /// Events that a webhook wants among those after one position up to another, in the order of the chain.
    async fn wanted_events(
        &self,
        webhook: &Webhook,
        after: i64,
        through: i64,
        most: u16,
    ) -> Result<Vec<AuditEvent>, StoreError>;

    /// The position of the last link of the team's chain; 0 before the first.
    async fn last_position(&self, team: TeamId) -> Result<i64, StoreError>;

    /// The next team, in the order of their ids, that has events without a place in its chain.
    async fn next_unsealed_team(&self, after: Option<TeamId>) -> Result<Option<TeamId>, StoreError>;

    /// Teams that have a chain, in the order of their ids, after this one.
    async fn sealed_teams(&self, after: Option<TeamId>, most: u16) -> Result<Vec<TeamId>, StoreError>;

    /// The last link of the team's chain, and its events that have no place yet, in the order in which they were written.
    async fn unsealed_events(&self, team: TeamId, most: u16) -> Result<(Option<Seal>, Vec<AuditEvent>), StoreError>;

    /// Gives events their places and wakes the webhooks that want them, all or none: by number, of this team. MUST answer
    /// `false`, and do nothing, when one has a place already, or a place is taken: somebody else was faster.
    async fn seal(&self, team: TeamId, seals: &[(i64, Seal)], wakes: &[Wake], now: Time) -> Result<bool, StoreError>;

    /// Forgets at most this many events from the beginning of the team's chain, or of what belongs to no team; up to the first
    /// that is not from before the given time. How many that were. MUST keep the last link of the chain.
    async fn forget_chain(&self, team: Option<TeamId>, before: Time, most: u16) -> Result<usize, StoreError>;
}
