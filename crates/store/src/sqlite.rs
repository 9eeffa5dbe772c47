//! What SQLite does in its own way: pragmas, the migration lock, and one writer that commits what waits together.

use std::path::Path;

use anyhow::anyhow;
use const_format::concatcp;
use diesel::connection::SimpleConnection as _;
use diesel::dsl::sql;
use diesel::expression::SqlLiteral;
use diesel::query_dsl::LoadQuery;
use diesel::r2d2::ConnectionManager;
use diesel::serialize::{self, IsNull, Output, ToSql};
use diesel::sql_types::{BigInt, Bool};
use diesel::sqlite::Sqlite;
use diesel::{Connection as _, OptionalExtension as _, RunQueryDsl, SqliteConnection, define_sql_function};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness as _, embed_migrations};
use r2d2::ManageConnection as _;
use steward_domain::model::Time;
use steward_domain::model::item_query::Pattern;
use steward_domain::model::schema::FieldType;
use steward_domain::ports::{HealthError, LaneStats, RetentionCutoff, StoreError};
use steward_domain::work::Work;

use crate::error::{JobError, OpenError};
use crate::executor::{self, ConnectionUse, Connector, Executor, OpenedConnection, WorkerCounts};
use crate::point_readers::PointReaders;
use crate::sql_types::Id;
use crate::writer::Writer;
use item::Keys;
use item_list::{FieldSql, Matching};
use item_path::KeySql;
use statement::{Fragment, Statement};

#[path = "queries/access_epoch.rs"]
mod access_epoch;
#[path = "queries/account.rs"]
mod account;
#[path = "queries/activity.rs"]
mod activity;
#[path = "queries/api_key.rs"]
mod api_key;
#[path = "queries/audit.rs"]
mod audit;
#[path = "queries/audit_log.rs"]
mod audit_log;
#[path = "queries/audit_seal.rs"]
mod audit_seal;
#[path = "queries/authorization.rs"]
mod authorization;
#[path = "queries/backlog.rs"]
mod backlog;
#[path = "queries/commit.rs"]
mod commit;
#[path = "queries/deleted_project.rs"]
mod deleted_project;
#[path = "queries/email_link.rs"]
mod email_link;
#[path = "queries/idempotency.rs"]
mod idempotency;
#[path = "queries/invite.rs"]
mod invite;
#[path = "queries/item.rs"]
mod item;
#[path = "queries/item_index.rs"]
mod item_index;
#[path = "queries/item_key.rs"]
mod item_key;
#[path = "queries/item_list.rs"]
mod item_list;
#[path = "queries/item_path.rs"]
mod item_path;
#[path = "queries/lease.rs"]
mod lease;
#[path = "queries/mismatch.rs"]
mod mismatch;
#[path = "queries/page.rs"]
mod page;
#[path = "queries/personal_token.rs"]
mod personal_token;
#[path = "queries/ports.rs"]
mod ports;
#[path = "queries/project.rs"]
mod project;
#[path = "queries/project_user.rs"]
mod project_user;
#[path = "queries/quota.rs"]
mod quota;
#[path = "queries/rate_limit.rs"]
mod rate_limit;
#[path = "queries/schema.rs"]
mod schema;
#[path = "queries/server_key.rs"]
mod server_key;
#[path = "queries/session.rs"]
mod session;
#[path = "queries/slug.rs"]
mod slug;
#[path = "queries/statement.rs"]
mod statement;
#[path = "queries/sweep.rs"]
mod sweep;
#[path = "queries/team.rs"]
mod team;
#[path = "queries/token_family.rs"]
mod token_family;
#[path = "queries/usage.rs"]
mod usage;
#[path = "queries/webhook.rs"]
mod webhook;

type Conn = SqliteConnection;
type Database = SqliteStore;
type Backend = Sqlite;
/// Rows are read one by one, so that a page can end by bytes.
type RowByRow = diesel::connection::DefaultLoadingMode;

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/sqlite");
/// Every connection waits for a lock, checks foreign keys, and answers a commit only once it is on the disk.
const SESSION: &str = "PRAGMA busy_timeout = 4000; PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; \
     PRAGMA cache_size = -2000; PRAGMA temp_store = MEMORY";

/// A store in one SQLite file.
pub struct SqliteStore {
    readers: Executor<SqliteConnector>,
    point_readers: PointReaders,
    writer: Writer,
}

impl SqliteStore {
    /// Opens the file, which [`SqliteStore::migrate`] made, with this many readers for interactive work and one writer.
    pub fn open(path: &str, readers: u32) -> Result<Self, OpenError> {
        Self::open_with(path, readers.into())
    }

    /// The same with this many readers for each lane.
    pub fn open_with(path: &str, readers: WorkerCounts) -> Result<Self, OpenError> {
        let again = path.to_owned();
        let writer = Writer::start(connect_writer(path)?, move || connect_writer(&again))?;
        let connector = SqliteConnector { manager: ConnectionManager::new(path) };
        let again = path.to_owned();
        let point_readers = PointReaders::new(move || connect_point_reader(&again));
        Ok(Self { readers: Executor::start("sqlite-readers", readers, connector)?, point_readers, writer })
    }

    /// Makes the file if it is not there and brings the tables up to date, one process at a time.
    pub fn migrate(path: &str) -> Result<(), OpenError> {
        let mut conn = connect(path)?;
        conn.batch_execute("PRAGMA journal_mode = WAL").map_err(|error| OpenError::Migrate(error.into()))?;
        conn.immediate_transaction(|conn| {
            conn.run_pending_migrations(MIGRATIONS).map_err(|error| anyhow!(error))?;
            Ok::<_, anyhow::Error>(())
        })
        .map_err(OpenError::Migrate)
    }

    /// Fails unless the file is there and its tables are up to date.
    pub fn check_schema(path: &str) -> Result<(), OpenError> {
        if !Path::new(path).exists() {
            return Err(OpenError::Outdated);
        }
        let pending = connect(path)?.has_pending_migration(MIGRATIONS);
        if pending.map_err(|error| OpenError::Migrate(anyhow!(error)))? { Err(OpenError::Outdated) } else { Ok(()) }
    }

    async fn read<T, F>(&self, query: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&mut SqliteConnection) -> Result<T, JobError> + Send + 'static,
    {
        Ok(self.readers.run(query).await.map_err(StoreError::Unavailable)??)
    }

    /// Reads one row by its key.
    async fn read_row<T, F>(&self, query: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: Fn(&mut SqliteConnection) -> Result<T, JobError> + Send + 'static,
    {
        let span = executor::span("sqlite-point-readers", Work::current().lane);
        if let Some(found) = span.in_scope(|| self.point_readers.read(&query)) {
            return Ok(found);
        }
        self.read(query).await
    }

    /// Does the work among what is committed together. `Err`: nothing was written.
    async fn write<T, F>(&self, work: F) -> Result<Result<T, JobError>, anyhow::Error>
    where
        T: Send + 'static,
        F: FnOnce(&mut SqliteConnection) -> Result<T, JobError> + Send + 'static,
    {
        self.writer.run(work).await
    }

    async fn check(&self) -> Result<(), HealthError> {
        self.readers.check().await
    }

    fn stats(&self) -> Vec<LaneStats> {
        [self.readers.stats(), self.writer.stats()].concat()
    }
}

/// Opens connections that read.
struct SqliteConnector {
    manager: ConnectionManager<SqliteConnection>,
}

impl Connector for SqliteConnector {
    type Connection = SqliteConnection;

    fn connect(&self, purpose: ConnectionUse) -> Result<OpenedConnection<SqliteConnection>, anyhow::Error> {
        let mut connection = prepared(self.manager.connect()?)?;
        // Whether the file can be written to is found out by whoever waits for nobody.
        connection.batch_execute(match purpose {
            ConnectionUse::Lane(_) => "PRAGMA query_only = ON",
            ConnectionUse::Control => "PRAGMA busy_timeout = 0",
        })?;
        Ok(OpenedConnection { connection, backend: None })
    }

    fn is_alive(&self, connection: &mut SqliteConnection) -> bool {
        !self.manager.has_broken(connection)
    }

    fn check(&self, connection: &mut SqliteConnection) -> Result<(), HealthError> {
        // BEGIN IMMEDIATE alone succeeds on a read-only file too.
        const EMPTY_WRITE: &str = "BEGIN IMMEDIATE; DELETE FROM __diesel_schema_migrations WHERE 0; ROLLBACK";
        // Whoever writes right now shows that it can be written to.
        match connection.batch_execute(EMPTY_WRITE).map_err(|error| error.to_string()) {
            Ok(()) => Ok(()),
            Err(error) if error.contains("locked") => Ok(()),
            Err(error) if error.contains("readonly") => Err(HealthError::ReadOnly),
            Err(error) => Err(HealthError::Unreachable(anyhow!(error))),
        }
    }

    fn cancel(&self, _: &mut SqliteConnection, _: i32) -> Result<(), anyhow::Error> {
        // Readers notice it themselves: see `still_wanted`.
        Ok(())
    }
}

/// Whether the job is still wanted, as part of a statement that may look at many rows: asked for each, it ends the statement
/// once nobody waits for it. A function is all that SQLite lets us interrupt a statement with.
const NOT_CANCELLED: &str = "still_wanted()";

define_sql_function! {
    /// See `NOT_CANCELLED`.
    fn still_wanted() -> Bool;
}

/// True; an error when it is not.
#[derive(Debug)]
struct JobNotCancelled;

impl ToSql<Bool, Sqlite> for JobNotCancelled {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        if executor::still_wanted() {
            out.set_value(1_i32);
            Ok(IsNull::No)
        } else {
            Err("nobody waits for it any more".into())
        }
    }
}

fn connect(path: &str) -> Result<SqliteConnection, OpenError> {
    prepared(SqliteConnection::establish(path).map_err(|error| OpenError::Connect(error.into()))?)
}

/// Sets up a new connection.
fn prepared(mut conn: SqliteConnection) -> Result<SqliteConnection, OpenError> {
    conn.batch_execute(SESSION).map_err(|error| OpenError::Connect(error.into()))?;
    let registered = still_wanted_utils::register_nondeterministic_impl(&conn, || JobNotCancelled);
    registered.map_err(|error| OpenError::Connect(error.into()))?;
    Ok(conn)
}

/// A connection of the writer: it looks for the lock itself, more often than SQLite would.
fn connect_writer(path: &str) -> Result<SqliteConnection, OpenError> {
    let mut conn = connect(path)?;
    conn.batch_execute("PRAGMA busy_timeout = 0").map_err(|error| OpenError::Connect(error.into()))?;
    Ok(conn)
}

/// A connection for reads that must not wait.
fn connect_point_reader(path: &str) -> Result<SqliteConnection, OpenError> {
    let mut conn = connect(path)?;
    let unwaiting = conn.batch_execute("PRAGMA busy_timeout = 0; PRAGMA query_only = ON");
    unwaiting.map_err(|error| OpenError::Connect(error.into()))?;
    Ok(conn)
}

/// The kind of value that an item holds in a field, with the field's name between these; NULL: it does not have the field.
const FIELD_KIND: (&str, &str) = ("json_type(items.value, '$.\"' || ", " || '\"')");
/// The names of the fields that an item holds.
const FIELD_KEYS: &str = "json_each(items.value) AS held";

/// The kinds, as [`FIELD_KIND`] tells them, of the values that a field may hold.
const fn kinds_of(field: FieldType) -> &'static [&'static str] {
    match field {
        FieldType::String => &["text"],
        FieldType::Boolean => &["true", "false"],
        FieldType::Number => &["integer", "real"],
        FieldType::Json => &["object", "array"],
    }
}

/// A write of an item and its record are two statements here: a round trip is a function call.
const SINGLE_STATEMENT_ITEMS: bool = false;

/// How many bytes the JSON of a stored item is.
const STORED_BYTES: &str = "items.bytes";

/// Writes an item, records and counts it. `None`: the condition did not hold, and nothing is recorded.
fn recorded<'q, Q>(
    conn: &mut Conn,
    written: Q,
    recording: item::Recording<'_>,
) -> Result<Option<(item::Row, i64, i64)>, JobError>
where
    Q: RunQueryDsl<Conn> + LoadQuery<'q, Conn, (item::Row, i64, i64)>,
{
    let written = written.get_result(conn).optional()?;
    if let Some((row, items, bytes)) = &written {
        if (*items, *bytes) != (0, 0) {
            quota::counted(conn, recording.project.0, recording.shard, *items, *bytes)?;
        }
        match recording.keys {
            Keys::None => {}
            Keys::Stored => item_key::store(conn, (row.project_id, row.user_id, &row.table_name), (&row.id, &row.id))?,
            Keys::Deleted => {
                item_key::delete(conn, (row.project_id, row.user_id), [(row.table_name.as_str(), row.id.as_str())])?
            }
        }
        record(conn, row, recording.event)?;
    }
    Ok(written)
}

/// Stores the event of a write of an item. Not left to Diesel's query builder, which prepares it anew each time.
fn record(conn: &mut Conn, item: &item::Row, change: audit::ItemChange<'_>) -> Result<(), JobError> {
    let optional_id = |id: Option<Id>| id.map_or(Fragment::Sql("NULL"), Fragment::Id);
    let values = [
        Fragment::Id(item.project_id),
        Fragment::Id(item.user_id),
        Fragment::Text(item.table_name.clone()),
        Fragment::Text(item.id.clone()),
        Fragment::At(change.at),
        optional_id(change.team_id),
        Fragment::Text(change.action),
        Fragment::Text(change.actor_kind.to_owned()),
        optional_id(change.actor_id),
        optional_id(change.token_id),
        Fragment::Text(change.operation.to_owned()),
        Fragment::Text(change.request_id.to_owned()),
        change.address.map_or(Fragment::Sql("NULL"), Fragment::Text),
        Fragment::Sql(position(change.number)),
    ];
    const RECORD: &str = "INSERT INTO item_changes (project_id, user_id, table_name, item_id, at, team_id, action, \
         actor_kind, actor_id, token_id, operation, request_id, address, position) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)";
    Statement::<()>::numbered(RECORD, &values).execute(conn)?;
    Ok(())
}

/// The position of the next event, whatever its number in its change. There is one writer; what was sealed is counted too, as it
/// may be forgotten.
fn position(_: i64) -> &'static str {
    concatcp!("(1 + ", BEGUN_POSITION, ")")
}

/// The last position of what was written.
const BEGUN_POSITION: &str = "(SELECT max(coalesce((SELECT max(position) FROM audit_events), 0), \
     coalesce((SELECT max(position) FROM item_changes), 0), (SELECT position FROM audit_progress)))";

fn next_position(number: i64) -> SqlLiteral<BigInt> {
    sql(position(number))
}

/// Below this position every change is stored, or never will be: there is one writer.
const SETTLED_POSITION: &str = "9223372036854775807";

/// The ids of the JSON array between these, as rows.
const IDS: (&str, &str) = ("(SELECT value AS id FROM json_each(", "))");

/// The tables of events whose rows are deleted one by one: here all.
const UNPARTITIONED: [&str; 2] = ["audit_events", "item_changes"];

/// Here tables have no parts that could go as a whole.
fn drop_partitions(_: &mut Conn, _: &RetentionCutoff) -> Result<usize, JobError> {
    Ok(0)
}

fn prepare(_: &mut Conn, _: Time) -> Result<(), JobError> {
    Ok(())
}

/// The key of the item `i` by the field `f`: whether it is a text, the text, the number.
const KEY_VALUES: &str = "f.kind = 'string', \
     CASE WHEN f.kind = 'string' AND json_type(i.value, '$.\"' || f.field || '\"') = 'text' \
         THEN substr(json_extract(i.value, '$.\"' || f.field || '\"'), 1, 200) END, \
     CASE WHEN f.kind = 'number' AND json_type(i.value, '$.\"' || f.field || '\"') IN ('integer', 'real') \
             OR f.kind = 'boolean' AND json_type(i.value, '$.\"' || f.field || '\"') IN ('true', 'false') \
         THEN json_extract(i.value, '$.\"' || f.field || '\"') END";

/// What a list in the order of creation says of its items.
const PARTITION_HINT: &str = "";

/// How a field of an item is read.
const FIELDS: FieldSql = FieldSql {
    text: &["(CASE json_type(value, ", ") WHEN 'text' THEN json_extract(value, ", ") END)"],
    number: &["(CASE WHEN json_type(value, ", ") IN ('integer', 'real') THEN json_extract(value, ", ") END)"],
    boolean: &["(CASE json_type(value, ", ") WHEN 'true' THEN 1 WHEN 'false' THEN 0 END)"],
    json: &["(CASE WHEN json_type(value, ", ") IN ('object', 'array') THEN 1 END)"],
    // With the sign, or SQLite would make numbers of the keys it compares with, and use no index for it.
    number_before: "+CAST(",
    number_after: " AS NUMERIC)",
};

/// It knows nothing of how many keys are alike, so it is told which index to use, and by CROSS to begin there.
const KEYS: KeySql = KeySql {
    texts: " FROM item_keys INDEXED BY item_keys_text",
    numbers: " FROM item_keys INDEXED BY item_keys_number",
    joined: " CROSS JOIN items WHERE id = item_id AND ",
    where_keys: " AND ",
};

/// There is one writer, so nothing is claimed, locked or yielded, and every write that comes sees a field that was published.
const CLAIM_LOCK: &str = "";
const ROW_LOCK: &str = "";
const SHARE_LOCK: &str = "";
const SHORT_LOCK_TIMEOUT: &str = "";
const SETTLE_STATEMENTS: [&str; 1] = ["UPDATE indexed_fields SET state = 'filling' WHERE state = 'new'"];

/// Reads what belongs together as it was at one moment.
fn at_the_same_time<T>(conn: &mut Conn, read: impl FnOnce(&mut Conn) -> Result<T, JobError>) -> Result<T, JobError> {
    conn.transaction(read)
}

/// A field is named by a JSON path. Names hold no quotes: schemas see to that.
fn field_path(name: &str) -> String {
    format!("$.\"{name}\"")
}

/// LIKE does not tell the cases of A to Z apart, and GLOB does.
fn matching(pattern: &Pattern) -> Matching {
    if pattern.any_case {
        Matching { before: "", between: " LIKE ", pattern: item_list::like(pattern), after: " ESCAPE '\\'" }
    } else {
        let escaped = |piece: &String| piece.replace('[', "[[]").replace('?', "[?]");
        let glob = pattern.pieces.iter().map(escaped).collect::<Vec<_>>().join("*");
        Matching { before: "", between: " GLOB ", pattern: glob, after: "" }
    }
}

#[cfg(test)]
#[path = "queries/plans.rs"]
mod plans;
#[cfg(test)]
const EXPLAIN: &str = "EXPLAIN QUERY PLAN ";
#[cfg(test)]
type PlanColumns =
    (diesel::sql_types::Integer, diesel::sql_types::Integer, diesel::sql_types::Integer, diesel::sql_types::Text);
#[cfg(test)]
type PlanLine = (i32, i32, i32, String);
#[cfg(test)]
fn plan_line((.., line): PlanLine) -> String {
    line
}

#[cfg(test)]
mod tests {
    use steward_domain::mocks::id_of;

    use super::*;

    #[test]
    fn items_are_found_by_an_index_without_statistics() {
        let mut conn = prepared(SqliteConnection::establish(":memory:").unwrap()).unwrap();
        conn.run_pending_migrations(MIGRATIONS).unwrap();
        let (project, user) = (id_of("project"), id_of("user"));
        let insert = format!(
            "PRAGMA foreign_keys = OFF; WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers \
             WHERE n < 2000) INSERT INTO items (project_id, user_id, table_name, id, value, created_at, updated_at, \
             revision, bytes) SELECT '{project}', '{user}', 'notes', CAST(n AS TEXT), '{{}}', '', '', 1, 2 FROM numbers"
        );
        let by_key = "(project_id=? AND user_id=? AND table_name=? AND id=?)";
        plans::claim_plans(&mut conn, &insert, by_key, "INDEX items_list", &["TEMP B-TREE", "SCAN items"]);
    }

    #[test]
    fn events_are_found_by_an_index_without_statistics() {
        let mut conn = prepared(SqliteConnection::establish(":memory:").unwrap()).unwrap();
        conn.run_pending_migrations(MIGRATIONS).unwrap();
        let (team, project) = (id_of("team"), id_of("project"));
        let insert = format!(
            "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2000) \
             INSERT INTO item_changes (position, project_id, at, team_id, user_id, table_name, item_id, action, actor_kind, \
             operation, request_id) SELECT n, '{project}', '', '{team}', '', '', '', '', 'system', '', '' FROM numbers"
        );
        plans::claim_log_plans(&mut conn, &insert, "TEMP B-TREE", &["SCAN item_changes", "SCAN audit_events"]);
    }
}
