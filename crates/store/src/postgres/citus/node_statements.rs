//! Reads and writes items on the node of their project, without the coordinator on the way.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Integer, Text};
use steward_domain::data::{ItemPath, StoredItem};
use steward_domain::kernel::changes::Changes;
use steward_domain::kernel::policy::Lane;
use steward_domain::kernel::work::Work;
use steward_domain::kernel::{AccessBasis, Committed, ProjectId, StoreError};

use super::distribution::layout;
use super::nodes::{Node, Nodes, Shard};
use super::{item_shard, item_values};
use crate::error::{Begun, JobError};
use crate::postgres::items::row_request::{BasisCheck, NodeWrite, PostgresRequest};
use crate::postgres::items::single_write::SingleWrite;
use crate::postgres::queries::kernel::statement::{Fragment, Statement};
use crate::postgres::{Layout, PostgresStore};

/// Where each shard of the items is: its number, its first and last hash, and the address of its node.
const SHARDS: &str = "SELECT s.shardid, s.shardminvalue::integer, s.shardmaxvalue::integer, n.nodename::text, n.nodeport \
     FROM pg_dist_shard s JOIN pg_dist_placement p USING (shardid) \
     JOIN pg_dist_node n ON n.groupid = p.groupid AND n.noderole = 'primary' WHERE s.logicalrelid = 'items'::regclass";

/// The SQL types of [`Shard`].
type ShardColumns = (BigInt, Integer, Integer, Text, Integer);

impl PostgresStore {
    /// Returns where the rows of items are. The first successful call asks the database.
    pub(in crate::postgres) async fn item_layout(&self) -> Result<Layout, StoreError> {
        if let Some(layout) = self.layout.get() {
            return Ok(*layout);
        }
        let layout = self.read(|conn| Ok(layout(conn)?)).await?;
        Ok(*self.layout.get_or_init(|| layout))
    }

    /// Returns the nodes to which statements on items are sent; `None` if they are sent to the database itself.
    pub(in crate::postgres) fn nodes(&self, layout: Layout) -> Option<&Nodes> {
        let has_nodes = !layout.is_local() && !self.pooling.is_known();
        has_nodes.then(|| self.nodes.get_or_init(|| Nodes::new(self.pooling.url(), self.counts, self.marker.clone())))
    }

    /// Returns the node that has the items of a project, and the number of their shard; `None` if that is not known.
    async fn node_of(&self, nodes: &Nodes, project: ProjectId) -> Option<(Arc<Node>, i64)> {
        if nodes.begins_reading() {
            // The last known places remain in use if this fails.
            let shards: Statement<ShardColumns> = Statement::numbered(SHARDS, &[]);
            if let Ok(shards) = self.read(move |conn| Ok(shards.load::<Shard>(conn)?)).await {
                nodes.place(shards);
            }
        }
        let hash = match nodes.hash_of(project) {
            Some(hash) => hash,
            None => {
                let hash: Statement<Integer> = Statement::numbered("SELECT worker_hash($1)", &[Fragment::id(project)]);
                let hash = self.read(move |conn| Ok(hash.get_result::<i32>(conn)?)).await.ok()?;
                nodes.remember(project, hash);
                hash
            }
        };
        nodes.node_of(hash)
    }

    /// Reads an item on its node, and then proves that the user was not being deleted and that the basis was current: access that
    /// has ended does not begin again. Returns `None` if the coordinator has to try.
    pub(in crate::postgres) async fn read_on_node(
        &self,
        nodes: &Nodes,
        path: &ItemPath,
        basis: &AccessBasis,
    ) -> Result<Option<Option<StoredItem>>, StoreError> {
        let Some((node, shard)) = self.node_of(nodes, path.project_id).await else { return Ok(None) };
        let place = path.clone();
        let read = move |conn: &mut PgConnection| {
            let Some(content) = item_shard::read(conn, &place, shard)? else { return Ok(None) };
            let scope = (place.project_id, place.user_id, place.table.as_str());
            Ok(Some(content.map(|content| content.in_table(scope)).transpose()?))
        };
        let found = match node.executor.run(read).await {
            Ok(Ok(Some(found))) => found,
            Err(error) if node.has_responded.load(Ordering::Relaxed) => return Err(StoreError::Unavailable(error)),
            // The shard was moved, which deletes its table here.
            Ok(Ok(None) | Err(_)) | Err(_) => return Ok(None),
        };
        node.has_responded.store(true, Ordering::Relaxed);
        let Some(found) = found else { return Ok(Some(None)) };
        let user = Some((path.project_id, path.user_id));
        let check = |reply| PostgresRequest::Check(BasisCheck { basis: *basis, user, reply });
        let is_proven = self.executor.run_row(check).await.map_err(StoreError::Unavailable)??;
        Ok(Some(is_proven.then_some(found)))
    }

    /// Writes the item of a change on its node. Returns `None` if nothing was written, and the coordinator has to try.
    pub(in crate::postgres) async fn write_on_node(
        &self,
        nodes: &Nodes,
        changes: Arc<Changes>,
        write: SingleWrite,
    ) -> Result<Option<Result<Committed, JobError>>, anyhow::Error> {
        if !item_values::can_write(write.statement.0) || Work::current().lane != Lane::Interactive {
            return Ok(None);
        }
        let Some((node, _)) = self.node_of(nodes, write.project).await else { return Ok(None) };
        let (coordinator, contended) = (node.coordinator.clone(), self.contended.clone());
        let request =
            |reply| PostgresRequest::NodeWrite(Box::new(NodeWrite { changes, write, coordinator, contended, reply }));
        match node.executor.run_row(request).await {
            Ok(result) => {
                node.has_responded.store(true, Ordering::Relaxed);
                Ok(result.transpose())
            }
            Err(error) if error.is::<Begun>() || node.has_responded.load(Ordering::Relaxed) => Err(error),
            Err(_) => Ok(None),
        }
    }
}
