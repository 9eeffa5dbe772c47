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
pub(in crate::postgres) enum PostgresRequest {
    Read(ItemRead),
    Check(BasisCheck),
    Write(Box<WriteRequest>),
    NodeWrite(Box<NodeWrite>),
}

/// Reads an item.
pub(in crate::postgres) struct ItemRead {
    pub(in crate::postgres) path: ItemPath,
    pub(in crate::postgres) basis: AccessBasis,
    pub(in crate::postgres) reply: Reply<Option<StoredItem>>,
}

/// Checks whether an access decision is still valid.
pub(in crate::postgres) struct BasisCheck {
    pub(in crate::postgres) basis: AccessBasis,
    /// A user who must not be being deleted.
    pub(in crate::postgres) user: Option<(ProjectId, ProjectUserId)>,
    pub(in crate::postgres) reply: Reply<bool>,
}

/// Writes an item.
pub(in crate::postgres) struct WriteRequest {
    pub(in crate::postgres) changes: Arc<Changes>,
    pub(in crate::postgres) write: SingleWrite,
    pub(in crate::postgres) marker: Arc<PositionMarker>,
    /// Where the project is added if its items are locked.
    pub(in crate::postgres) contended: Arc<RecentSet<ProjectId>>,
    pub(in crate::postgres) reply: Reply<Committed>,
}

/// Writes an item on the node of its project. The reply is `None` if nothing was written, and the coordinator has to try.
pub(in crate::postgres) struct NodeWrite {
    pub(in crate::postgres) changes: Arc<Changes>,
    pub(in crate::postgres) write: SingleWrite,
    pub(in crate::postgres) coordinator: Arc<Coordinator>,
    /// Where the project is added if its items are locked, or its quota is used up.
    pub(in crate::postgres) contended: Arc<RecentSet<ProjectId>>,
    pub(in crate::postgres) reply: Reply<Option<Committed>>,
}
