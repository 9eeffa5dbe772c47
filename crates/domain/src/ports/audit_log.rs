//! The audit log: read, sealed into chains, and forgotten when it is old. Its events are written by `UnitOfWork`.

use async_trait::async_trait;

use crate::model::{AuditEvent, AuditFilter, AuditScope, Page, PageRequest, Seal, TeamId, Time};

use super::StoreError;

/// Reads and seals the audit log.
///
/// Sealing writes beside `UnitOfWork`: it decides nothing, and what it adds follows from what is there.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait AuditLog: Send + Sync {
    /// Events, newest first.
    async fn audit_events(
        &self,
        scope: AuditScope,
        filter: &AuditFilter,
        page: &PageRequest,
    ) -> Result<Page<AuditEvent>, StoreError>;

    /// Sealed events after a position, in the order of the chain.
    async fn sealed_events(&self, scope: AuditScope, after: i64, most: u16) -> Result<Vec<AuditEvent>, StoreError>;

    /// The position of the last link of the team's chain; 0 before the first.
    async fn last_position(&self, team: TeamId) -> Result<i64, StoreError>;

    /// Teams that have events without a place in their chain.
    async fn unsealed_teams(&self, most: u16) -> Result<Vec<TeamId>, StoreError>;

    /// Teams that have a chain, in the order of their ids, after this one.
    async fn sealed_teams(&self, after: Option<TeamId>, most: u16) -> Result<Vec<TeamId>, StoreError>;

    /// The last link of the team's chain, and its events that have no place yet, in the order in which they were written.
    async fn unsealed_events(&self, team: TeamId, most: u16) -> Result<(Option<Seal>, Vec<AuditEvent>), StoreError>;

    /// Gives events their places, all or none: by number, of this team. MUST answer `false`, and do nothing, when one has a
    /// place already, or a place is taken: somebody else was faster.
    async fn seal(&self, team: TeamId, seals: &[(i64, Seal)]) -> Result<bool, StoreError>;

    /// Forgets so many events from before a moment; tells how many it were. MUST keep the last link of every chain, and
    /// what has no place yet in a chain that it belongs to.
    async fn forget_events(&self, before: Time, most: u16) -> Result<usize, StoreError>;
}
