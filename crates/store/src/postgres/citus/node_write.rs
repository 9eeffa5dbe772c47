//! Writes items on the node of their projects: the coordinator proves what the writes rely on and numbers their events,
//! and one transaction on the node writes them.

use anyhow::anyhow;
use diesel::RunQueryDsl as _;
use diesel::connection::{AnsiTransactionManager, SimpleConnection as _, TransactionManager as _};
use diesel::sql_types::Bool;
use steward_domain::kernel::error::ResourceKind;
use steward_domain::kernel::{Committed, ItemOutcome};

use super::coordinator::Coordinator;
use super::item_values::{self, ItemKeyRow};
use crate::error::{Begun, JobError};
use crate::executor::attempt;
use crate::postgres::Conn;
use crate::postgres::items::arrays::{ArrayStatement, Column};
use crate::postgres::items::item_set::{ItemWrite, Written, share_counters};
use crate::postgres::items::row_request::NodeWrite;
use crate::postgres::queries::kernel::position_domain;
use crate::sql_types::Id;

/// Why the items were not written on the node.
#[derive(Debug, thiserror::Error)]
enum NodeError {
    /// Nothing was written.
    #[error("{0:#}")]
    Refused(anyhow::Error),
    /// A statement failed, and nothing was written.
    #[error("{0}")]
    RolledBack(#[from] JobError),
    /// The commit failed, so it is not known whether the items were written.
    #[error("{0}")]
    Unknown(JobError),
}

/// The results in the order of the requests.
type Results = Vec<Result<ItemOutcome, JobError>>;

/// Writes the items on their node. Those that it refuses are written through the coordinator.
pub(in crate::postgres) fn write_on_node(mut requests: Vec<NodeWrite>, node: &mut Conn) -> bool {
    let (result, is_reusable) = attempt(|| Ok(write_all(&requests, node)));
    let error = match result {
        Ok(Ok(Ok(results))) => {
            for (request, result) in requests.into_iter().zip(results) {
                let committed = |outcome| Some(Committed { items: vec![outcome], ..Committed::default() });
                drop(request.reply.send(Ok(result.map(committed))));
            }
            return is_reusable;
        }
        Ok(Ok(Err(error))) => error,
        Ok(Err(error)) => NodeError::Unknown(error),
        Err(error) => NodeError::Unknown(JobError::Corrupt(error)),
    };
    if let NodeError::Unknown(error) = error {
        let cause = error.to_string();
        requests.into_iter().for_each(|request| drop(request.reply.send(Err(Begun(anyhow!("{cause}")).into()))));
        return false;
    }
    tracing::debug!(%error, "Writes on a node were refused.");
    let is_broken = matches!(&error, NodeError::RolledBack(error) if error.breaks_connection());
    requests.sort_by_key(|request| request.write.project);
    let mut projects: Vec<Vec<NodeWrite>> = Vec::new();
    for request in requests {
        match projects.last_mut() {
            Some(project) if project.iter().any(|other| other.write.project == request.write.project) => {
                project.push(request);
            }
            _ => projects.push(vec![request]),
        }
    }
    let is_single = projects.len() == 1;
    let mut is_reusable = !is_broken;
    for project in projects {
        if is_reusable && !is_single {
            // A project that is locked or at its quota does not hold up those of others.
            is_reusable = write_on_node(project, node);
            continue;
        }
        for request in project {
            if is_single {
                request.contended.add(request.write.project);
            }
            drop(request.reply.send(Ok(Ok(None))));
        }
    }
    is_reusable
}

/// Writes the items of the requests: all whose users are connected and whose access decisions are current or, after an error,
/// none.
fn write_all(requests: &[NodeWrite], node: &mut Conn) -> Result<Results, NodeError> {
    let Some(first) = requests.first() else { return Ok(Vec::new()) };
    let mut writes = Vec::with_capacity(requests.len());
    for (number, request) in (0..).zip(requests) {
        let recorded = request.changes.recorded_writes().first();
        let write = recorded.and_then(|recorded| ItemWrite::of(&request.changes, recorded, number));
        writes.push(write.ok_or_else(|| JobError::corrupt("a row request without an item"))?);
    }
    writes.sort_by(|one, other| one.shape.key().cmp(&other.shape.key()));
    share_counters(&mut writes);

    let Coordinator { connections, marker } = first.coordinator.as_ref();
    let mut proofs = connections.get().map_err(|error| NodeError::Refused(error.into()))?;
    for _ in 0..2 {
        AnsiTransactionManager::begin_transaction(&mut *proofs).map_err(JobError::from)?;
        let written = write(&mut proofs, node, &writes);
        if matches!(written, Err(NodeError::RolledBack(JobError::NoPosition))) {
            AnsiTransactionManager::rollback_transaction(&mut *proofs).map_err(JobError::from)?;
            marker.raise(position_domain::open(&mut proofs, marker)?);
            continue;
        }
        // It held locks only. What the node has committed is stored, whatever becomes of it.
        if let Err(error) = AnsiTransactionManager::commit_transaction(&mut *proofs) {
            tracing::debug!(%error, "A proof of writes has ended with an error.");
        }
        return written;
    }
    Err(JobError::NoPosition.into())
}

/// Writes the items in a transaction on the node, while one on the coordinator keeps their position unsettled.
fn write(proofs: &mut Conn, node: &mut Conn, writes: &[ItemWrite<'_>]) -> Result<Results, NodeError> {
    let (first_position, proven) = item_values::prove(proofs, writes)?;
    let mut results: Results = writes.iter().map(|_| Err(JobError::Stale(ResourceKind::Item))).collect();
    if proven.is_empty() {
        return Ok(results);
    }
    let keys = item_values::keys(proofs, &proven)?;
    AnsiTransactionManager::begin_transaction(node).map_err(JobError::from)?;
    let written = write_here(proofs, node, first_position, (&proven, &keys));
    if written.is_err() {
        AnsiTransactionManager::rollback_transaction(node).map_err(JobError::from)?;
    }
    let written = written?;
    AnsiTransactionManager::commit_transaction(node).map_err(|error| NodeError::Unknown(error.into()))?;
    for (write, written) in proven.iter().zip(written) {
        let result = usize::try_from(write.event.number).ok().and_then(|number| results.get_mut(number));
        if let (Some(result), Written::Item(stored)) = (result, written) {
            *result = Ok(write.outcome(stored));
        }
    }
    Ok(results)
}

fn write_here(
    proofs: &mut Conn,
    node: &mut Conn,
    first_position: i64,
    (writes, keys): (&[&ItemWrite<'_>], &[ItemKeyRow]),
) -> Result<Vec<Written>, NodeError> {
    let written = item_values::write(node, first_position, writes, keys)?;
    if !are_here(node, writes)? {
        return Err(NodeError::Refused(anyhow!("The projects are on several nodes.")));
    }
    // If the transaction on the coordinator has ended, the position may be settled.
    proofs.batch_execute("SELECT 1").map_err(JobError::from)?;
    Ok(written)
}

/// Returns whether all projects are on this node. Writes on several nodes are committed in two phases, and may be visible only
/// after their position is settled.
fn are_here(node: &mut Conn, writes: &[&ItemWrite<'_>]) -> Result<bool, JobError> {
    const ARE_HERE: &str = "SELECT NOT EXISTS (SELECT FROM unnest(";
    const ON_THIS_NODE: &str = ") AS q (project_id) WHERE NOT EXISTS (SELECT FROM pg_dist_placement \
         WHERE shardid = get_shard_id_for_distribution_column('items', q.project_id) \
         AND groupid = (SELECT groupid FROM pg_dist_local_group)))";
    let mut projects: Vec<Option<Id>> =
        writes.iter().map(|write| Some(Id(write.shape.path.project_id.uuid()))).collect();
    projects.dedup_by_key(|project| project.map(|project| project.0));
    if projects.len() < 2 {
        return Ok(true);
    }
    let statement: ArrayStatement<'_, Bool> = ArrayStatement::new(ARE_HERE, vec![Column::Ids(projects)], ON_THIS_NODE);
    Ok(statement.get_result(node)?)
}
