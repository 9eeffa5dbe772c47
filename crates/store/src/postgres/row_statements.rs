//! Runs row requests: together in one statement, or alone.

use anyhow::anyhow;
use diesel::PgConnection;
use steward_domain::changes::{Changes, Write};
use steward_domain::error::ResourceKind;
use steward_domain::model::{AccessBasis, ItemPath, Revision, StoredItem};
use steward_domain::ports::{Committed, ItemOutcome, StoreError};

use super::PostgresStore;
use super::item_set::{self, Found, ItemWrite, Written};
use super::queries::{access_epoch, audit, commit, item, quota};
use super::row_request::{BasisCheck, ItemRead, PostgresRequest, WriteRequest};
use super::single_write::{self, SingleWrite, WriteKind};
use crate::error::JobError;
use crate::executor::{Reply, RowRequest, attempt};
use crate::sql_types::At;

impl PostgresStore {
    pub(super) async fn read_item(
        &self,
        path: &ItemPath,
        basis: &AccessBasis,
    ) -> Result<Option<StoredItem>, StoreError> {
        let request = |reply| PostgresRequest::Read(ItemRead { path: path.clone(), basis: *basis, reply });
        Ok(self.executor.run_row(request).await.map_err(StoreError::Unavailable)??)
    }

    pub(super) async fn is_basis_current(&self, basis: &AccessBasis) -> Result<bool, StoreError> {
        let request = |reply| PostgresRequest::Check(BasisCheck { basis: *basis, reply });
        Ok(self.executor.run_row(request).await.map_err(StoreError::Unavailable)??)
    }

    pub(super) async fn run_commit(&self, changes: Changes) -> Result<Result<Committed, JobError>, anyhow::Error> {
        match SingleWrite::of(&changes) {
            Some(write) => {
                let request = |reply| PostgresRequest::Write(WriteRequest::new(changes, write, reply));
                self.executor.run_row(request).await
            }
            None => self.run_write(move |conn| commit::run(conn, &changes)).await,
        }
    }
}

impl RowRequest<PgConnection> for PostgresRequest {
    fn writes(&self) -> bool {
        matches!(self, Self::Write(_))
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Read(_) | Self::Check(_) => 0,
            Self::Write(request) => request.write.bytes,
        }
    }

    fn joins(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Read(_), Self::Read(_)) | (Self::Check(_), Self::Check(_)) => true,
            (Self::Write(one), Self::Write(other)) => {
                let (one, other) = (&one.write, &other.write);
                (one.kind, one.has_keys) == (other.kind, other.has_keys) && one.path_hash != other.path_hash
            }
            _ => false,
        }
    }

    fn run_together(requests: &mut [Option<Self>], conn: &mut PgConnection) -> bool {
        let (mut reads, mut checks, mut writes) = (Vec::new(), Vec::new(), Vec::new());
        for (index, request) in requests.iter_mut().enumerate() {
            match request.take() {
                Some(Self::Read(read)) => reads.push((index, read)),
                Some(Self::Check(check)) => checks.push((index, check)),
                Some(Self::Write(write)) => writes.push((index, write)),
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
            Self::Check(BasisCheck { basis, reply }) => answer(reply, || access_epoch::is_current(conn, &basis)),
            Self::Write(request) => answer(request.reply, || commit::run(conn, &request.changes)),
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
    let bases: Vec<AccessBasis> = checks.iter().map(|(_, check)| check.basis).collect();
    let (are_current, is_reusable) = attempt(|| match bases.as_slice() {
        [basis] => Ok(vec![access_epoch::is_current(conn, basis)?]),
        _ => item_set::are_current(conn, &bases),
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

fn write_together(
    mut requests: Numbered<Box<WriteRequest>>,
    unanswered: &mut Unanswered,
    conn: &mut PgConnection,
) -> bool {
    requests
        .sort_by(|(_, one), (_, other)| single_write::key(&one.write.path).cmp(&single_write::key(&other.write.path)));
    let (written, is_reusable) = attempt(|| write_all(&requests, conn));
    let written = match written {
        Ok(Ok(written)) => written,
        // Nothing was written, so each is tried alone.
        Ok(Err(error)) if error.was_rolled_back() => Vec::new(),
        Ok(Err(error)) => {
            let cause = format!("{error:?}");
            requests.into_iter().for_each(|(_, request)| drop(request.reply.send(Err(anyhow!("{cause}")))));
            return is_reusable;
        }
        Err(error) => {
            let cause = format!("{error:#}");
            requests.into_iter().for_each(|(_, request)| drop(request.reply.send(Err(anyhow!("{cause}")))));
            return is_reusable;
        }
    };
    let mut written = written.into_iter();
    for (index, request) in requests {
        let result = match written.next() {
            Some(Written::Item(stored)) => Ok(committed(&request, stored)),
            Some(Written::Nothing) => Err(JobError::Stale(ResourceKind::Item)),
            Some(Written::Crowded) | None => {
                unanswered.push((index, PostgresRequest::Write(request)));
                continue;
            }
        };
        drop(request.reply.send(Ok(result)));
    }
    is_reusable
}

fn committed(request: &WriteRequest, stored: StoredItem) -> Committed {
    // A row with the first revision of this timestamp did not exist before.
    let at = request.changes.at();
    let created =
        request.write.kind != WriteKind::Delete && stored.created_at == at && stored.revision == Revision::first_at(at);
    Committed { items: vec![ItemOutcome { stored, created }], ..Committed::default() }
}

/// Writes the items of all requests, which are in the order of their keys.
fn write_all(requests: &[(usize, Box<WriteRequest>)], conn: &mut PgConnection) -> Result<Vec<Written>, JobError> {
    let Some((_, WriteRequest { write: first, .. })) = requests.first().map(|(index, first)| (index, &**first)) else {
        return Ok(Vec::new());
    };
    let project = |request: &WriteRequest| request.write.path.project_id;
    let mut writes: Vec<ItemWrite<'_>> = Vec::with_capacity(requests.len());
    for (number, (_, request)) in (0..).zip(requests) {
        let Some((write, event)) = request.recorded() else { continue };
        let of_project = requests.iter().map(|(_, other)| other).filter(|other| project(other) == project(request));
        let items = of_project.clone().count();
        let bytes: usize = of_project.clone().map(|other| other.write.bytes).sum();
        // All writes of a project use one counter row.
        let shard = of_project.clone().next().map_or(0, |first| quota::shard(&first.changes));
        writes.push(ItemWrite {
            path: request.write.path.clone(),
            value: if let Write::PutItem(item, _) = write { item.value.as_str() } else { "" },
            created_at: At(request.changes.at()),
            first_revision: Revision::first_at(request.changes.at()).0,
            wanted: request.write.wanted,
            basis: request.changes.permit().basis(),
            event: audit::item_change(&request.changes, number, event),
            shard,
            room: match first.kind {
                WriteKind::Put | WriteKind::Create => (signed(items), signed(bytes)),
                WriteKind::Replace => (0, signed(bytes)),
                WriteKind::Delete => (0, 0),
            },
        });
    }
    let writes: Vec<_> = writes.iter().collect();
    item_set::write(conn, first.kind, first.has_keys, &writes)
}

fn signed(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
