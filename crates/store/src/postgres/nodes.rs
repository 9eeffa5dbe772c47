//! Knows on which node of a Citus cluster the items of a project are, and has connections to each node, so that reads and writes
//! of items do not pass through the coordinator.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use diesel::prelude::*;
use diesel::r2d2::ConnectionManager;
use diesel::sql_types::{Integer, Text};
use steward_domain::changes::Changes;
use steward_domain::model::{AccessBasis, ItemPath, ProjectId, StoredItem};
use steward_domain::policy::Lane;
use steward_domain::ports::{Committed, StoreError};
use steward_domain::work::Work;

use super::connection::PostgresConnector;
use super::node_write::{Coordinator, NodeWrite};
use super::pooling::Pooling;
use super::queries::item;
use super::row_request::{BasisCheck, PostgresRequest};
use super::single_write::SingleWrite;
use super::{PostgresStore, address, item_values};
use crate::error::{Begun, JobError};
use crate::executor::{Executor, Pool, WorkerCounts};
use crate::position_marker::PositionMarker;
use crate::sql_types::{Id, Uid};
use crate::tables::ItemContent;

/// After this time it is read again where the shards are. Until then, the earlier node of a moved project passes its statements
/// on.
const MAX_AGE: Duration = Duration::from_secs(5);
/// Maximum number of projects whose place is remembered.
const MAX_PROJECTS: usize = 65_536;

/// Where each shard of the items is: its first and last hash, and the address of its node.
const SHARDS: &str = "SELECT s.shardminvalue::integer AS first, s.shardmaxvalue::integer AS last, n.nodename::text AS host, \
     n.nodeport AS port FROM pg_dist_shard s JOIN pg_dist_placement p USING (shardid) \
     JOIN pg_dist_node n ON n.groupid = p.groupid AND n.noderole = 'primary' WHERE s.logicalrelid = 'items'::regclass";

#[derive(QueryableByName)]
struct Shard {
    #[diesel(sql_type = Integer)]
    first: i32,
    #[diesel(sql_type = Integer)]
    last: i32,
    #[diesel(sql_type = Text)]
    host: String,
    #[diesel(sql_type = Integer)]
    port: i32,
}

#[derive(QueryableByName)]
struct Hash {
    #[diesel(sql_type = Integer)]
    hash: i32,
}

/// The connections to a node.
pub(super) struct Node {
    executor: Executor<PostgresConnector>,
    /// Its own, so that a node that does not respond does not use up the connections of the others.
    coordinator: Arc<Coordinator>,
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
pub(super) struct Nodes {
    url: String,
    counts: WorkerCounts,
    marker: Arc<PositionMarker>,
    state: Mutex<State>,
}

impl Nodes {
    pub(super) fn new(url: &str, counts: WorkerCounts, marker: Arc<PositionMarker>) -> Self {
        let counts = WorkerCounts { heavy: 1, ..counts };
        Self { url: url.to_owned(), counts, marker, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the node that has the items of a project; `None` if that is not known.
    async fn of(&self, store: &PostgresStore, project: ProjectId) -> Option<Arc<Node>> {
        if self.begins_reading() {
            // The last known places remain in use if this fails.
            if let Ok(shards) = store.read(|conn| Ok(diesel::sql_query(SHARDS).load::<Shard>(conn)?)).await {
                let mut state = self.state();
                state.nodes.retain(|(host, port), _| shards.iter().any(|s| s.host == *host && s.port == *port));
                state.shards = shards;
            }
        }
        let known = self.state().hashes.get(&project).copied();
        let hash = match known {
            Some(hash) => hash,
            None => {
                let query = diesel::sql_query("SELECT worker_hash($1) AS hash").bind::<Uid, _>(Id(project.uuid()));
                let Hash { hash } = store.read(move |conn| Ok(query.get_result(conn)?)).await.ok()?;
                let mut state = self.state();
                if state.hashes.len() >= MAX_PROJECTS {
                    state.hashes.clear();
                }
                state.hashes.insert(project, hash);
                hash
            }
        };
        let mut state = self.state();
        let shard = state.shards.iter().find(|shard| (shard.first..=shard.last).contains(&hash))?;
        let place = (shard.host.clone(), shard.port);
        if let Some(node) = state.nodes.get(&place) {
            return Some(node.clone());
        }
        let node = Arc::new(self.start(&place)?);
        state.nodes.insert(place, node.clone());
        Some(node)
    }

    /// Returns whether the caller has to read where the shards are. Others go on with what is known.
    fn begins_reading(&self) -> bool {
        let mut state = self.state();
        let is_due = state.read_at.is_none_or(|read_at| read_at.elapsed() > MAX_AGE);
        if is_due {
            state.read_at = Some(Instant::now());
        }
        is_due
    }

    fn start(&self, (host, port): &(String, i32)) -> Option<Node> {
        let url = address::of_node(&self.url, host, *port);
        let pooling = Arc::new(Pooling::of(&url));
        let manager = ConnectionManager::new(address::with_defaults(&url));
        let connector = PostgresConnector { manager, pooling, is_node: true };
        let executor = Executor::start("node", self.counts, connector)
            .inspect_err(|error| tracing::warn!(%error, host, port, "Unable to connect to a node."));
        let connections = u32::try_from(self.counts.of(Pool::RowWrites)).unwrap_or(u32::MAX);
        let coordinator = Arc::new(Coordinator::new(&self.url, connections, self.marker.clone()));
        Some(Node { executor: executor.ok()?, coordinator })
    }

    /// Reads an item on its node, and then proves that the user was not being deleted and that the basis was current: access that
    /// has ended does not begin again. Returns `None` if the coordinator has to try.
    pub(super) async fn read_item(
        &self,
        store: &PostgresStore,
        path: &ItemPath,
        basis: &AccessBasis,
    ) -> Result<Option<Option<StoredItem>>, StoreError> {
        let Some(node) = self.of(store, path.project_id).await else { return Ok(None) };
        let place = path.clone();
        let read = move |conn: &mut PgConnection| {
            let content: Option<ItemContent> = item::unproven(&place).get_result(conn).optional()?;
            content.map(|content| content.in_table((place.project_id, place.user_id, &place.table))).transpose()
        };
        let Ok(Ok(found)) = node.executor.run(read).await else { return Ok(None) };
        let Some(found) = found else { return Ok(Some(None)) };
        let user = Some((path.project_id, path.user_id));
        let check = |reply| PostgresRequest::Check(BasisCheck { basis: *basis, user, reply });
        let is_proven = store.executor.run_row(check).await.map_err(StoreError::Unavailable)??;
        Ok(Some(is_proven.then_some(found)))
    }

    /// Writes the item of a change on its node. Returns `None` if nothing was written, and the coordinator has to try.
    pub(super) async fn write_item(
        &self,
        store: &PostgresStore,
        changes: Arc<Changes>,
        write: SingleWrite,
    ) -> Result<Option<Result<Committed, JobError>>, anyhow::Error> {
        if !item_values::can_write(write.statement.0) || Work::current().lane != Lane::Interactive {
            return Ok(None);
        }
        let Some(node) = self.of(store, write.project).await else { return Ok(None) };
        let coordinator = node.coordinator.clone();
        let request = |reply| PostgresRequest::NodeWrite(Box::new(NodeWrite { changes, write, coordinator, reply }));
        match node.executor.run_row(request).await {
            Ok(result) => Ok(result.transpose()),
            Err(error) if error.is::<Begun>() => Err(error),
            Err(_) => Ok(None),
        }
    }
}
