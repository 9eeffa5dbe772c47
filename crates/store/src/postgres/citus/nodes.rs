//! The nodes of a Citus cluster: on which one the items of a project are, and connections to each.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use diesel::Queryable;
use diesel::r2d2::ConnectionManager;
use steward_domain::kernel::{ProjectId, lock};

use super::coordinator::Coordinator;
use crate::executor::{Executor, Pool, WorkerCounts};
use crate::position_marker::PositionMarker;
use crate::postgres::connection::address;
use crate::postgres::connection::connector::PostgresConnector;
use crate::postgres::connection::pooling::Pooling;

/// After this time it is read again where the shards are. Until then, the earlier node of a moved project passes its statements
/// on.
const MAX_AGE: Duration = Duration::from_secs(5);
/// Maximum number of projects whose hash is remembered.
const MAX_PROJECTS: usize = 65_536;

/// A part of the items, and where it is.
#[derive(Queryable)]
pub(super) struct Shard {
    id: i64,
    first: i32,
    last: i32,
    host: String,
    port: i32,
}

/// The connections to a node.
pub(super) struct Node {
    pub(super) executor: Executor<PostgresConnector>,
    /// Its own, so that a node that does not respond does not use up the connections of the others.
    pub(super) coordinator: Arc<Coordinator>,
    /// Whether it has responded before. If so, what it refuses later is not passed on to the coordinator, whose workers serve all
    /// projects.
    pub(super) has_responded: AtomicBool,
}

#[derive(Default)]
struct State {
    /// The hashes by which projects are distributed. They never change.
    hashes: HashMap<ProjectId, i32>,
    shards: Vec<Shard>,
    read_at: Option<Instant>,
    nodes: HashMap<(String, i32), Arc<Node>>,
}

/// The nodes of a cluster.
pub(in crate::postgres) struct Nodes {
    url: String,
    counts: WorkerCounts,
    marker: Arc<PositionMarker>,
    state: Mutex<State>,
}

impl Nodes {
    /// Knows no nodes yet. `url` is that of the coordinator.
    pub(in crate::postgres) fn new(url: &str, counts: WorkerCounts, marker: Arc<PositionMarker>) -> Self {
        let counts = WorkerCounts { heavy: 1, ..counts };
        Self { url: url.to_owned(), counts, marker, state: Mutex::default() }
    }

    /// Returns whether the caller has to read where the shards are. Others go on with what is known.
    pub(super) fn begins_reading(&self) -> bool {
        let mut state = lock(&self.state);
        let is_due = state.read_at.is_none_or(|read_at| read_at.elapsed() > MAX_AGE);
        if is_due {
            state.read_at = Some(Instant::now());
        }
        is_due
    }

    /// Replaces what is known of the shards, and closes the connections to nodes without any.
    pub(super) fn place(&self, shards: Vec<Shard>) {
        let mut state = lock(&self.state);
        state.nodes.retain(|(host, port), _| shards.iter().any(|shard| shard.host == *host && shard.port == *port));
        state.shards = shards;
    }

    /// Returns the hash of a project, if it is known.
    pub(super) fn hash_of(&self, project: ProjectId) -> Option<i32> {
        lock(&self.state).hashes.get(&project).copied()
    }

    /// Remembers the hash of a project.
    pub(super) fn remember(&self, project: ProjectId, hash: i32) {
        let mut state = lock(&self.state);
        if state.hashes.len() >= MAX_PROJECTS {
            state.hashes.clear();
        }
        state.hashes.insert(project, hash);
    }

    /// Returns the node that has the projects with this hash, and the number of their shard; `None` if that is not known.
    pub(super) fn node_of(&self, hash: i32) -> Option<(Arc<Node>, i64)> {
        let mut state = lock(&self.state);
        let shard = state.shards.iter().find(|shard| (shard.first..=shard.last).contains(&hash))?;
        let (shard, place) = (shard.id, (shard.host.clone(), shard.port));
        if let Some(node) = state.nodes.get(&place) {
            return Some((node.clone(), shard));
        }
        let node = Arc::new(self.start(&place)?);
        state.nodes.insert(place, node.clone());
        Some((node, shard))
    }

    fn start(&self, (host, port): &(String, i32)) -> Option<Node> {
        let url = address::of_node(&self.url, host, *port);
        let pooling = Arc::new(Pooling::of(&url));
        let manager = ConnectionManager::new(address::with_defaults(&url));
        let connector = PostgresConnector { manager, pooling, is_node: true };
        let executor = Executor::start("node", self.counts, connector)
            .inspect_err(|error| tracing::warn!(%error, host, port, "Unable to start the workers of a node."));
        let connections = u32::try_from(self.counts.of(Pool::RowWrites)).unwrap_or(u32::MAX);
        let coordinator = Arc::new(Coordinator::new(&self.url, connections, self.marker.clone()));
        Some(Node { executor: executor.ok()?, coordinator, has_responded: AtomicBool::new(false) })
    }
}
