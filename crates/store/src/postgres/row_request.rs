//! The row requests of PostgreSQL.

use std::sync::Arc;

use steward_domain::data::{ItemPath, StoredItem};
use steward_domain::kernel::changes::Changes;
use steward_domain::kernel::{AccessBasis, Committed, ProjectId, ProjectUserId};

use super::citus::Coordinator;
use super::single_write::SingleWrite;
use crate::executor::Reply;
use crate::position_marker::PositionMarker;
use crate::recent_set::RecentSet;

/// A request for one row.
pub(super) enum PostgresRequest {
    Read(ItemRead),
    Check(BasisCheck),
    Write(Box<WriteRequest>),
    NodeWrite(Box<NodeWrite>),
}

/// Reads an item.
pub(super) struct ItemRead {
    pub(super) path: ItemPath,
    pub(super) basis: AccessBasis,
    pub(super) reply: Reply<Option<StoredItem>>,
}

/// Checks whether an access decision is still valid.
pub(super) struct BasisCheck {
    pub(super) basis: AccessBasis,
    /// A user who must not be being deleted.
    pub(super) user: Option<(ProjectId, ProjectUserId)>,
    pub(super) reply: Reply<bool>,
}

/// Writes an item.
pub(super) struct WriteRequest {
    pub(super) changes: Arc<Changes>,
    pub(super) write: SingleWrite,
    pub(super) marker: Arc<PositionMarker>,
    /// Where the project is added if its items are locked.
    pub(super) contended: Arc<RecentSet<ProjectId>>,
    pub(super) reply: Reply<Committed>,
}

/// Writes an item on the node of its project. The reply is `None` if nothing was written, and the coordinator has to try.
pub(super) struct NodeWrite {
    pub(super) changes: Arc<Changes>,
    pub(super) write: SingleWrite,
    pub(super) coordinator: Arc<Coordinator>,
    /// Where the project is added if its items are locked, or its quota is used up.
    pub(super) contended: Arc<RecentSet<ProjectId>>,
    pub(super) reply: Reply<Option<Committed>>,
}
