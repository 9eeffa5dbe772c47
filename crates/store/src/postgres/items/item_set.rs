//! Reads and writes several items in one statement, each for its own request. All rows are in the order of their key,
//! so that two statements lock them in the same order and cannot deadlock.

use const_format::concatcp;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable};
use steward_domain::data::{ItemPath, StoredItem};
use steward_domain::kernel::changes::{Changes, RecordedWrite};
use steward_domain::kernel::{AccessBasis, ItemOutcome, ProjectId, ProjectUserId, Revision, Time};

use super::Conn;
use super::arrays::{ArrayStatement, Column};
use super::dialect::EVENT_POSITION;
use super::queries::administration::audit::{self, NewEvent};
use super::queries::data::item::item_recording::ITEM_CREATED;
use super::queries::kernel::quota;
use super::recorded_item::{DELETE_KEYS, STORE_KEYS};
use super::single_write::{WriteKind, WriteShape};
use crate::dialect::MAX_WRITES;
use crate::error::JobError;
use crate::sql_types::{At, Id, Instant, Json, JsonDoc};
use crate::tables::ItemContent;

/// Larger items are read alone, so that a statement returns a bounded number of bytes.
const MAX_READ_BYTES: &str = "65536";

/// The condition that the store still has the basis of the access decision of row `q`.
pub(in crate::postgres) const IS_CURRENT: &str = "(q.project_epoch IS NULL OR \
     (SELECT access_epoch FROM projects WHERE projects.id = q.basis_project) = q.project_epoch) \
     AND (q.account_epoch IS NULL OR \
     (SELECT access_epoch FROM accounts WHERE accounts.id = q.basis_account) = q.account_epoch) \
     AND (q.signed_by IS NULL OR (SELECT TRUE FROM server_keys WHERE server_keys.id = q.signed_by))";

/// The columns that [`IS_CURRENT`] compares.
const BASIS: &str = "basis_project, project_epoch, basis_account, account_epoch, signed_by";

pub(in crate::postgres) fn basis_columns<'a>(
    bases: impl Iterator<Item = &'a AccessBasis> + Clone,
) -> Vec<Column<'static>> {
    let project = |basis: &'a AccessBasis| basis.project.as_ref();
    let account = |basis: &'a AccessBasis| basis.account.as_ref();
    vec![
        Column::Ids(bases.clone().map(|basis| project(basis).map(|(id, _)| Id(id.uuid()))).collect()),
        Column::Counts(bases.clone().map(|basis| project(basis).map(|(_, epoch)| epoch.0)).collect()),
        Column::Ids(bases.clone().map(|basis| account(basis).map(|(id, _)| Id(id.uuid()))).collect()),
        Column::Counts(bases.clone().map(|basis| account(basis).map(|(_, epoch)| epoch.0)).collect()),
        Column::Ids(bases.map(|basis| basis.signed_by.map(|key| Id(key.uuid()))).collect()),
    ]
}

/// Returns for each basis whether the store still has it, and the user, if there is one, is not being deleted.
pub(in crate::postgres) fn are_current(
    conn: &mut Conn,
    checks: &[(&AccessBasis, Option<(ProjectId, ProjectUserId)>)],
) -> Result<Vec<bool>, JobError> {
    const AFTER: &str = concatcp!(") WITH ORDINALITY AS q (", BASIS, ", number) WHERE ", IS_CURRENT);
    const AFTER_WITH_USERS: &str = concatcp!(
        ") WITH ORDINALITY AS q (",
        BASIS,
        ", project_id, user_id, number) WHERE (SELECT deletion_started_at FROM project_users u \
         WHERE u.project_id = q.project_id AND u.id = q.user_id) IS NULL AND ",
        IS_CURRENT
    );
    let users = checks.iter().map(|(_, user)| *user);
    let mut columns = basis_columns(checks.iter().map(|(basis, _)| *basis));
    let mut after = AFTER;
    if users.clone().any(|user| user.is_some()) {
        columns.push(Column::Ids(users.clone().map(|user| user.map(|(project, _)| Id(project.uuid()))).collect()));
        columns.push(Column::Ids(users.map(|user| user.map(|(_, user)| Id(user.uuid()))).collect()));
        after = AFTER_WITH_USERS;
    }
    let statement: ArrayStatement<'_, BigInt> = ArrayStatement::new("SELECT q.number - 1 FROM unnest(", columns, after);
    let mut are_current = vec![false; checks.len()];
    for number in statement.load::<i64>(conn)? {
        set(&mut are_current, number, true);
    }
    Ok(are_current)
}

/// An item that was asked for.
pub(in crate::postgres) enum Found {
    /// There is no item, or the access decision is no longer valid.
    Nothing,
    Item(StoredItem),
    /// The item is large and has to be read alone.
    Large,
}

/// Reads items. The results have the order of `asked`.
pub(in crate::postgres) fn read(conn: &mut Conn, asked: &[(&ItemPath, &AccessBasis)]) -> Result<Vec<Found>, JobError> {
    const AFTER: &str = concatcp!(
        ") WITH ORDINALITY AS q (project_id, user_id, table_name, id, ",
        BASIS,
        ", number) JOIN items i ON i.project_id = q.project_id AND i.user_id = q.user_id \
         AND i.table_name = q.table_name AND i.id = q.id \
         WHERE (SELECT deletion_started_at FROM project_users u WHERE u.project_id = q.project_id AND u.id = q.user_id) \
         IS NULL AND ",
        IS_CURRENT
    );
    const BEFORE: &str = concatcp!(
        "SELECT q.number - 1, CASE WHEN i.bytes <= ",
        MAX_READ_BYTES,
        " THEN i.value END, i.created_at, i.updated_at, i.revision FROM unnest("
    );
    let mut columns = path_columns(asked.iter().map(|(path, _)| *path));
    columns.extend(basis_columns(asked.iter().map(|(_, basis)| *basis)));
    let statement: ArrayStatement<'_, (BigInt, Nullable<JsonDoc>, Instant, Instant, BigInt)> =
        ArrayStatement::new(BEFORE, columns, AFTER);
    let mut found: Vec<Found> = asked.iter().map(|_| Found::Nothing).collect();
    for (number, value, created_at, updated_at, revision) in statement.load::<(i64, Option<Json>, At, At, i64)>(conn)? {
        let asked = usize::try_from(number).ok().and_then(|number| asked.get(number));
        let Some((path, _)) = asked else { continue };
        let item = match value {
            None => Found::Large,
            Some(value) => Found::Item(stored(path, value, (created_at, updated_at), revision)?),
        };
        set(&mut found, number, item);
    }
    Ok(found)
}

pub(in crate::postgres) fn path_columns<'a>(paths: impl Iterator<Item = &'a ItemPath> + Clone) -> Vec<Column<'a>> {
    vec![
        Column::Ids(paths.clone().map(|path| Some(Id(path.project_id.uuid()))).collect()),
        Column::Ids(paths.clone().map(|path| Some(Id(path.user_id.uuid()))).collect()),
        Column::Texts(paths.clone().map(|path| Some(path.table.as_str())).collect()),
        Column::Texts(paths.map(|path| Some(path.id.as_str())).collect()),
    ]
}

pub(in crate::postgres) fn stored(
    path: &ItemPath,
    value: Json,
    (created_at, updated_at): (At, At),
    revision: i64,
) -> Result<StoredItem, JobError> {
    let content = ItemContent { id: path.id.as_str().to_owned(), value, created_at, updated_at, revision };
    content.in_table((path.project_id, path.user_id, &path.table))
}

fn set<T>(results: &mut [T], number: i64, result: T) {
    if let Some(place) = usize::try_from(number).ok().and_then(|number| results.get_mut(number)) {
        *place = result;
    }
}

/// One item to write.
pub(in crate::postgres) struct ItemWrite<'a> {
    pub(in crate::postgres) shape: WriteShape<'a>,
    at: Time,
    pub(in crate::postgres) basis: &'a AccessBasis,
    pub(in crate::postgres) event: NewEvent<'a>,
    /// Counter row of the project.
    pub(in crate::postgres) shard: i16,
    /// Items and bytes that must remain in the counter row for the write to be tried; zero if that is not checked: then
    /// the statement fails if the row has too little room.
    pub(in crate::postgres) room: (i64, i64),
}

impl<'a> ItemWrite<'a> {
    /// Returns a write of the change; `None` if no statement of several items knows it. `number` is that of its event.
    pub(in crate::postgres) fn of(changes: &'a Changes, recorded: &'a RecordedWrite, number: i64) -> Option<Self> {
        let event = audit::new_event(changes, number, recorded.event.as_ref()?);
        let (at, basis, shard) = (changes.at(), changes.permit().basis(), quota::shard(changes));
        Some(Self { shape: WriteShape::of(changes, &recorded.write)?, at, basis, event, shard, room: (0, 0) })
    }

    /// Returns what distinguishes the statement that writes the item: its kind, and whether it writes keys.
    pub(in crate::postgres) fn statement(&self) -> (WriteKind, bool) {
        (self.shape.kind, self.shape.has_keys)
    }

    /// Returns the revision of the item if it does not exist yet.
    pub(in crate::postgres) fn first_revision(&self) -> i64 {
        Revision::first_at(self.at).0
    }

    /// Returns the outcome of the write. An item with the first revision of this time did not exist before.
    pub(in crate::postgres) fn outcome(&self, stored: StoredItem) -> ItemOutcome {
        let is_first = stored.revision == Revision::first_at(self.at) && stored.created_at == self.shape.created_at;
        ItemOutcome { created: is_first && self.shape.kind != WriteKind::Delete, stored }
    }
}

/// Lets all writes of a project use one counter row, and asks for room for all of them, which [`write`] checks. The writes are in
/// the order of their keys.
pub(in crate::postgres) fn share_counters(writes: &mut [ItemWrite<'_>]) {
    writes.chunk_by_mut(|one, other| one.shape.path.project_id == other.shape.path.project_id).for_each(reserve);
}

fn reserve(writes: &mut [ItemWrite<'_>]) {
    let Some(shard) = writes.first().map(|write| write.shard) else { return };
    let room = writes.iter().fold((0_i64, 0_i64), |(items, bytes), write| {
        let is_new = matches!(write.shape.kind, WriteKind::Put | WriteKind::Create);
        (items.saturating_add(is_new.into()), bytes.saturating_add(write.shape.bytes()))
    });
    for write in writes {
        (write.shard, write.room) = (shard, room);
    }
}

/// Result of writing one item.
pub(in crate::postgres) enum Written {
    /// The condition did not hold.
    Nothing,
    Item(StoredItem),
    /// Not tried, because the counter row may have too little room.
    Crowded,
}

/// Writes items with their events, keys and counts. All MUST have the same [`ItemWrite::statement`] and be in the order of
/// their keys, each key once; the numbers of their events, below 1,024, distinguish them, and those of a project MUST have
/// the same counter row. The results have the same order. Fails as a whole or not at all.
pub(in crate::postgres) fn write(conn: &mut Conn, writes: &[ItemWrite<'_>]) -> Result<Vec<Written>, JobError> {
    let Some((kind, has_keys)) = writes.first().map(ItemWrite::statement) else { return Ok(Vec::new()) };
    let statement: ArrayStatement<'_, WrittenColumns> =
        ArrayStatement::new(BEFORE, columns(writes), after(kind, has_keys));
    let mut results: Vec<Written> = writes.iter().map(|_| Written::Nothing).collect();
    for (number, value, created_at, updated_at, revision) in statement.load::<WrittenRow>(conn)? {
        let index = writes.iter().position(|write| write.event.number == number);
        let Some((result, write)) = index.and_then(|index| Some((results.get_mut(index)?, writes.get(index)?))) else {
            return Err(JobError::corrupt("a statement wrote an item that it was not given"));
        };
        *result = match (value, created_at, updated_at, revision) {
            (Some(value), Some(created_at), Some(updated_at), Some(revision)) => {
                Written::Item(stored(&write.shape.path, value, (created_at, updated_at), revision)?)
            }
            _ => Written::Crowded,
        };
    }
    Ok(results)
}

fn columns<'a>(writes: &'a [ItemWrite<'a>]) -> Vec<Column<'a>> {
    let mut columns = vec![Column::Counts(writes.iter().map(|write| Some(write.event.number)).collect())];
    columns.extend(path_columns(writes.iter().map(|write| &write.shape.path)));
    columns.extend([
        Column::Documents(writes.iter().map(|write| document(write.shape.value)).collect()),
        Column::Times(writes.iter().map(|write| At(write.shape.created_at)).collect()),
        Column::Times(writes.iter().map(|write| write.event.at).collect()),
        Column::Counts(writes.iter().map(|write| Some(write.first_revision())).collect()),
        Column::Counts(writes.iter().map(|write| Some(write.shape.bytes())).collect()),
        Column::Counts(writes.iter().map(|write| write.shape.wanted).collect()),
        Column::Counts(writes.iter().map(|write| Some(write.shard.into())).collect()),
        Column::Counts(writes.iter().map(|write| Some(write.room.0)).collect()),
        Column::Counts(writes.iter().map(|write| Some(write.room.1)).collect()),
        Column::Ids(writes.iter().map(|write| write.event.team_id).collect()),
        Column::Texts(writes.iter().map(|write| Some(write.event.action.as_str())).collect()),
        Column::Texts(writes.iter().map(|write| Some(write.event.actor_kind)).collect()),
        Column::Ids(writes.iter().map(|write| write.event.actor_id).collect()),
        Column::Ids(writes.iter().map(|write| write.event.token_id).collect()),
        Column::Texts(writes.iter().map(|write| Some(write.event.operation)).collect()),
        Column::Texts(writes.iter().map(|write| Some(write.event.request_id)).collect()),
        Column::Texts(writes.iter().map(|write| write.event.address.as_deref()).collect()),
    ]);
    columns.extend(basis_columns(writes.iter().map(|write| write.basis)));
    columns
}

/// Returns the value as a document. A deletion has none, but every row of the column needs one.
pub(in crate::postgres) fn document(value: &str) -> Json {
    Json(if value.is_empty() { "null" } else { value }.to_owned())
}

type WrittenColumns = (BigInt, Nullable<JsonDoc>, Nullable<Instant>, Nullable<Instant>, Nullable<BigInt>);
type WrittenRow = (i64, Option<Json>, Option<At>, Option<At>, Option<i64>);

/// The statement before its columns.
const BEFORE: &str = "WITH asked AS MATERIALIZED (SELECT q.*, coalesce((SELECT s.items + q.new_items <= s.max_items \
     AND s.bytes + q.new_bytes <= s.max_bytes FROM project_usage s WHERE s.project_id = q.project_id \
     AND s.shard = q.shard), FALSE) AS has_room FROM unnest(";

/// The statement after its columns, up to the write. Subqueries instead of joins keep the rows in order.
const ASKED: &str = concatcp!(
    ") AS q (number, project_id, user_id, table_name, id, value, created_at, at, first_revision, bytes, wanted, \
     shard, new_items, new_bytes, team_id, action, actor_kind, actor_id, token_id, operation, request_id, address, ",
    BASIS,
    ") WHERE (SELECT status FROM project_users u WHERE u.project_id = q.project_id AND u.id = q.user_id) = 'connected' \
     AND ",
    IS_CURRENT,
    "), written AS ("
);

const INSERT: &str = concatcp!(
    "INSERT INTO items (project_id, user_id, table_name, id, value, created_at, updated_at, revision, bytes, position) \
     SELECT project_id, user_id, table_name, id, value, created_at, at, first_revision, bytes, ",
    EVENT_POSITION,
    "number FROM asked WHERE has_room ON CONFLICT (project_id, user_id, table_name, id)"
);

/// The position of an event contains its number.
const INSERTED: &str = concatcp!(
    " RETURNING position & ",
    MAX_WRITES - 1,
    " AS number, project_id, user_id, table_name, id, value, created_at, \
     updated_at, revision, CASE WHEN bytes_before IS NULL THEN 1 ELSE 0 END AS item_change, \
     bytes - coalesce(bytes_before, 0) AS byte_change)"
);

const PUT: &str = concatcp!(
    INSERT,
    " DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at, revision = items.revision + 1, \
     bytes = excluded.bytes, position = excluded.position, bytes_before = items.bytes",
    INSERTED
);

const CREATE: &str = concatcp!(INSERT, " DO NOTHING", INSERTED);

const IS_ASKED: &str = " WHERE q.has_room AND i.project_id = q.project_id AND i.user_id = q.user_id \
     AND i.table_name = q.table_name AND i.id = q.id AND (q.wanted IS NULL OR i.revision = q.wanted) \
     RETURNING q.number, i.project_id, i.user_id, i.table_name, i.id, i.value, i.created_at, i.updated_at, i.revision, ";

const REPLACE: &str = concatcp!(
    "UPDATE items i SET value = q.value, updated_at = q.at, revision = i.revision + 1, bytes = q.bytes, \
     position = ",
    EVENT_POSITION,
    "q.number, bytes_before = i.bytes FROM asked q",
    IS_ASKED,
    "0 AS item_change, i.bytes - i.bytes_before AS byte_change)"
);

const DELETE: &str =
    concatcp!("DELETE FROM items i USING asked q", IS_ASKED, "-1 AS item_change, -i.bytes AS byte_change)");

/// Looks up what was written in a hash table. A join would compare each row with each other one: the planner expects one row.
/// `IS TRUE` keeps the condition from becoming a join.
const RECORD: &str = concatcp!(
    ", recorded AS (INSERT INTO item_changes (project_id, user_id, table_name, item_id, position, at, team_id, action, \
     actor_kind, actor_id, token_id, operation, request_id, address) \
     SELECT q.project_id, q.user_id, q.table_name, q.id, ",
    EVENT_POSITION,
    "q.number, q.at, q.team_id, \
     CASE WHEN q.number IN (SELECT number FROM written WHERE item_change > 0) THEN '",
    ITEM_CREATED,
    "' ELSE q.action END, q.actor_kind, q.actor_id, q.token_id, q.operation, q.request_id, q.address \
     FROM asked q WHERE (q.number IN (SELECT number FROM written)) IS TRUE)"
);

const BURY: &str = concatcp!(
    ", buried AS (INSERT INTO item_tombstones (project_id, user_id, position, table_name, id) \
     SELECT project_id, user_id, ",
    EVENT_POSITION,
    "number, table_name, id FROM written)"
);

/// All writes of a project have the same counter row.
const FINISH: &str = ", counted AS (UPDATE project_usage s SET items = s.items + c.items, bytes = s.bytes + c.bytes \
     FROM (SELECT project_id, (SELECT q.shard FROM asked q WHERE q.project_id = w.project_id LIMIT 1) AS shard, \
     sum(item_change)::bigint AS items, sum(byte_change)::bigint AS bytes FROM written w GROUP BY project_id \
     HAVING sum(item_change) <> 0 OR sum(byte_change) <> 0 ORDER BY project_id) c \
     WHERE s.project_id = c.project_id AND s.shard = c.shard) \
     SELECT number, value, created_at, updated_at, revision FROM written \
     UNION ALL SELECT number, NULL, NULL, NULL, NULL FROM asked WHERE NOT has_room";

fn after(kind: WriteKind, has_keys: bool) -> &'static str {
    match (kind, has_keys) {
        (WriteKind::Put, true) => concatcp!(ASKED, PUT, RECORD, STORE_KEYS, FINISH),
        (WriteKind::Put, false) => concatcp!(ASKED, PUT, RECORD, FINISH),
        (WriteKind::Create, true) => concatcp!(ASKED, CREATE, RECORD, STORE_KEYS, FINISH),
        (WriteKind::Create, false) => concatcp!(ASKED, CREATE, RECORD, FINISH),
        (WriteKind::Replace, true) => concatcp!(ASKED, REPLACE, RECORD, STORE_KEYS, FINISH),
        (WriteKind::Replace, false) => concatcp!(ASKED, REPLACE, RECORD, FINISH),
        (WriteKind::Delete, _) => concatcp!(ASKED, DELETE, RECORD, BURY, DELETE_KEYS, FINISH),
    }
}

#[cfg(test)]
mod tests {
    use diesel::connection::SimpleConnection as _;
    use diesel::sql_types::Text;

    use super::*;
    use crate::postgres::connection::establish::connect;
    use crate::postgres::connection::planning;
    use crate::scratch::ScratchDatabase;

    #[test]
    fn writes_are_not_compared_with_each_other() {
        let database = ScratchDatabase::migrated().unwrap();
        let mut conn = connect(&database.url()).unwrap();
        conn.batch_execute(&planning::of_session()).unwrap();
        for kind in [WriteKind::Put, WriteKind::Create, WriteKind::Replace, WriteKind::Delete] {
            let explain: ArrayStatement<'_, Text> =
                ArrayStatement::new(concatcp!("EXPLAIN (COSTS OFF) ", BEFORE), columns(&[]), after(kind, true));
            let plan = explain.load::<String>(&mut conn).unwrap().join("\n");
            assert!(plan.contains("(hashed SubPlan") && !plan.contains("Join Filter: (w"), "{plan}");
        }
    }
}
