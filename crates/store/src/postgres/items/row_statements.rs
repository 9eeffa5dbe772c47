//! Runs row requests: together in one statement, or alone.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use anyhow::anyhow;
use diesel::PgConnection;
use steward_domain::data::{ItemPath, StoredItem};
use steward_domain::kernel::changes::Changes;
use steward_domain::kernel::error::ResourceKind;
use steward_domain::kernel::{AccessBasis, Committed, ItemOutcome, StoreError};

use super::connection::session::ROW_LOCK_TIMEOUT;
use super::item_set::{self, Found, ItemWrite, Written, share_counters};
use super::positions::with_positions;
use super::queries::data::item;
use super::queries::kernel::{access_epoch, commit};
use super::row_request::{BasisCheck, ItemRead, PostgresRequest, WriteRequest};
use super::single_write::SingleWrite;
use super::{Layout, PostgresStore, citus};
use crate::error::{Begun, JobError};
use crate::executor::{Reply, RowRequest, attempt};
use crate::job::Outcome;

impl PostgresStore {
    pub(in crate::postgres) async fn read_item(
        &self,
        path: &ItemPath,
        basis: &AccessBasis,
    ) -> Result<Option<StoredItem>, StoreError> {
        let layout = self.item_layout().await?;
        if let Some(nodes) = self.nodes(layout)
            && let Some(found) = self.read_on_node(nodes, path, basis).await?
        {
            return Ok(found);
        }
        if !layout.is_local() || self.pooling.is_known() {
            let (path, basis) = (path.clone(), *basis);
            return self
                .read(move |conn| {
                    let read = if layout.is_local() { item::get } else { citus::read };
                    read(conn, &path, &basis)
                })
                .await;
        }
        let request = |reply| PostgresRequest::Read(ItemRead { path: path.clone(), basis: *basis, reply });
        Ok(self.executor.run_row(request).await.map_err(StoreError::Unavailable)??)
    }

    pub(in crate::postgres) async fn is_basis_current(&self, basis: &AccessBasis) -> Result<bool, StoreError> {
        if self.pooling.is_known() {
            let basis = *basis;
            return self.read(move |conn| access_epoch::is_current(conn, &basis, None)).await;
        }
        let request = |reply| PostgresRequest::Check(BasisCheck { basis: *basis, user: None, reply });
        Ok(self.executor.run_row(request).await.map_err(StoreError::Unavailable)??)
    }

    pub(in crate::postgres) async fn run_commit(&self, changes: Changes) -> Outcome<Committed> {
        let layout = self.item_layout().await.map_err(anyhow::Error::from)?;
        // The settings that keep the rows of a shared statement in order belong to a session.
        let is_combined = !self.pooling.is_known();
        let changes = Arc::new(changes);
        let single = SingleWrite::of(&changes).filter(|write| is_combined && !self.contended.contains(&write.project));
        let single = match (single, self.nodes(layout)) {
            (Some(write), Some(nodes)) => match self.write_on_node(nodes, changes.clone(), write).await? {
                Some(result) => return Ok(result),
                None => None,
            },
            (single, _) => single,
        };
        match single {
            Some(write) => {
                let (marker, contended) = (self.marker.clone(), self.contended.clone());
                let request =
                    |reply| PostgresRequest::Write(Box::new(WriteRequest { changes, write, marker, contended, reply }));
                self.executor.run_row(request).await
            }
            None => {
                let marker = self.marker.clone();
                self.run_write(move |conn| with_positions(conn, &marker, |conn| commit::run(conn, layout, &changes)))
                    .await
            }
        }
    }
}

impl RowRequest<PgConnection> for PostgresRequest {
    fn writes(&self) -> bool {
        matches!(self, Self::Write(_) | Self::NodeWrite(_))
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Read(_) | Self::Check(_) => 0,
            Self::Write(request) => request.write.bytes,
            Self::NodeWrite(request) => request.write.bytes,
        }
    }

    fn joins(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Read(_), Self::Read(_)) | (Self::Check(_), Self::Check(_)) => true,
            (Self::Write(one), Self::Write(other)) => {
                let (one, other) = (&one.write, &other.write);
                one.statement == other.statement && one.item_hash != other.item_hash
            }
            (Self::NodeWrite(one), Self::NodeWrite(other)) => {
                let (one, other) = (&one.write, &other.write);
                one.statement.0 == other.statement.0 && one.item_hash != other.item_hash
            }
            _ => false,
        }
    }

    fn run_together(requests: &mut [Option<Self>], conn: &mut PgConnection) -> bool {
        let (mut reads, mut checks, mut writes, mut node_writes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (index, request) in requests.iter_mut().enumerate() {
            match request.take() {
                Some(Self::Read(read)) => reads.push((index, read)),
                Some(Self::Check(check)) => checks.push((index, check)),
                Some(Self::Write(write)) => writes.push((index, write)),
                Some(Self::NodeWrite(write)) => node_writes.push(*write),
                None => {}
            }
        }
        let mut unanswered = Vec::new();
        let mut is_reusable = true;
        if !reads.is_empty() {
            is_reusable &= read_together(reads, &mut unanswered, conn);
        }
        if !checks.is_empty() {
            is_reusable &= check_together(checks, &mut unanswered, conn);
        }
        if !writes.is_empty() {
            is_reusable &= write_together(writes, &mut unanswered, conn);
        }
        if !node_writes.is_empty() {
            is_reusable &= citus::write_on_node(node_writes, conn);
        }
        for (index, request) in unanswered {
            if let Some(place) = requests.get_mut(index) {
                *place = Some(request);
            }
        }
        is_reusable
    }

    fn run_alone(self, conn: &mut PgConnection) -> bool {
        match self {
            Self::Read(ItemRead { path, basis, reply }) => answer(reply, || item::get(conn, &path, &basis)),
            Self::Check(BasisCheck { basis, user, reply }) => {
                answer(reply, || access_epoch::is_current(conn, &basis, user))
            }
            Self::Write(request) => {
                let began = Instant::now();
                let is_reusable = answer(request.reply, || {
                    with_positions(conn, &request.marker, |conn| commit::run(conn, Layout::Local, &request.changes))
                });
                // The statement that it shared before probably waited for the same lock.
                if began.elapsed() >= ROW_LOCK_TIMEOUT {
                    request.contended.add(request.write.project);
                }
                is_reusable
            }
            Self::NodeWrite(request) => citus::write_on_node(vec![*request], conn),
        }
    }
}

/// Sends the result of the query. Returns whether the connection can be reused.
fn answer<T>(reply: Reply<T>, query: impl FnOnce() -> Result<T, JobError>) -> bool {
    let (result, is_reusable) = attempt(query);
    drop(reply.send(result));
    is_reusable
}

type Numbered<T> = Vec<(usize, T)>;
type Unanswered = Numbered<PostgresRequest>;

fn read_together(reads: Numbered<ItemRead>, unanswered: &mut Unanswered, conn: &mut PgConnection) -> bool {
    let asked: Vec<_> = reads.iter().map(|(_, read)| (&read.path, &read.basis)).collect();
    let (found, is_reusable) = attempt(|| match asked.as_slice() {
        [(path, basis)] => Ok(vec![item::get(conn, path, basis)?.map_or(Found::Nothing, Found::Item)]),
        _ => item_set::read(conn, &asked),
    });
    let found = found.ok().and_then(Result::ok).unwrap_or_default();
    // If the statement failed, each request finds out alone why.
    let mut found = found.into_iter();
    for (index, read) in reads {
        match found.next() {
            Some(Found::Nothing) => drop(read.reply.send(Ok(Ok(None)))),
            Some(Found::Item(item)) => drop(read.reply.send(Ok(Ok(Some(item))))),
            Some(Found::Large) | None => unanswered.push((index, PostgresRequest::Read(read))),
        }
    }
    is_reusable
}

fn check_together(checks: Numbered<BasisCheck>, unanswered: &mut Unanswered, conn: &mut PgConnection) -> bool {
    let asked: Vec<_> = checks.iter().map(|(_, check)| (&check.basis, check.user)).collect();
    let (are_current, is_reusable) = attempt(|| match asked.as_slice() {
        [(basis, user)] => Ok(vec![access_epoch::is_current(conn, basis, *user)?]),
        _ => item_set::are_current(conn, &asked),
    });
    let are_current = are_current.ok().and_then(Result::ok).unwrap_or_default();
    let mut are_current = are_current.into_iter();
    for (index, check) in checks {
        match are_current.next() {
            Some(is_current) => drop(check.reply.send(Ok(Ok(is_current)))),
            None => unanswered.push((index, PostgresRequest::Check(check))),
        }
    }
    is_reusable
}

fn write_together(requests: Numbered<Box<WriteRequest>>, unanswered: &mut Unanswered, conn: &mut PgConnection) -> bool {
    let (result, is_reusable) = attempt(|| write_all(&requests, conn));
    let written = match result {
        Ok(Ok(written)) => written,
        // Nothing was written, so each is tried alone.
        Ok(Err(error)) if error.was_rolled_back() => HashMap::new(),
        Ok(Err(error)) => return fail(requests, &error.to_string(), is_reusable),
        Err(error) => return fail(requests, &format!("{error:#}"), is_reusable),
    };
    answer_writes(requests, written, unanswered);
    is_reusable
}

/// Reports to all callers that it is not known whether their items were written. Returns `is_reusable`.
fn fail(requests: Numbered<Box<WriteRequest>>, cause: &str, is_reusable: bool) -> bool {
    requests.into_iter().for_each(|(_, request)| drop(request.reply.send(Err(Begun(anyhow!("{cause}")).into()))));
    is_reusable
}

fn answer_writes(
    requests: Numbered<Box<WriteRequest>>,
    mut written: HashMap<usize, Result<ItemOutcome, JobError>>,
    unanswered: &mut Unanswered,
) {
    for (index, request) in requests {
        match written.remove(&index) {
            Some(result) => {
                let committed = result.map(|outcome| Committed { items: vec![outcome], ..Committed::default() });
                drop(request.reply.send(Ok(committed)));
            }
            None => unanswered.push((index, PostgresRequest::Write(request))),
        }
    }
}

/// Writes the items of all requests in one statement. Returns the results by the indexes of the requests, without those
/// that have to run alone.
fn write_all(
    requests: &[(usize, Box<WriteRequest>)],
    conn: &mut PgConnection,
) -> Result<HashMap<usize, Result<ItemOutcome, JobError>>, JobError> {
    let mut indexed = Vec::with_capacity(requests.len());
    for (number, (index, request)) in (0..).zip(requests) {
        let recorded = request.changes.recorded_writes().first();
        let write = recorded.and_then(|recorded| ItemWrite::of(&request.changes, recorded, number));
        indexed.push((*index, write.ok_or_else(|| JobError::corrupt("a row request without an item"))?));
    }
    indexed.sort_by(|(_, one), (_, other)| one.shape.key().cmp(&other.shape.key()));
    let (indexes, mut writes): (Vec<usize>, Vec<ItemWrite<'_>>) = indexed.into_iter().unzip();
    share_counters(&mut writes);
    let mut results = HashMap::new();
    for ((index, write), written) in indexes.into_iter().zip(&writes).zip(item_set::write(conn, &writes)?) {
        match written {
            Written::Item(stored) => drop(results.insert(index, Ok(write.outcome(stored)))),
            Written::Nothing => drop(results.insert(index, Err(JobError::Stale(ResourceKind::Item)))),
            Written::Crowded => {}
        }
    }
    Ok(results)
}
