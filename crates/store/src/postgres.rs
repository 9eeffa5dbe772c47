//! What PostgreSQL does in its own way: session settings, the migration lock, the transaction of a change.

use std::time::Duration;

use anyhow::anyhow;
use const_format::concatcp;
use diesel::connection::SimpleConnection as _;
use diesel::dsl::sql;
use diesel::expression::SqlLiteral;
use diesel::pg::Pg;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::query_dsl::LoadQuery;
use diesel::r2d2::ConnectionManager;
use diesel::sql_types::{BigInt, Bool, Integer, Nullable, SmallInt, Text};
use diesel::{Connection as _, OptionalExtension as _, PgConnection, QueryResult, RunQueryDsl};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness as _, embed_migrations};
use r2d2::ManageConnection as _;
use steward_domain::model::item_query::Pattern;
use steward_domain::model::schema::FieldType;
use steward_domain::ports::{HealthError, LaneStats, StoreError};

use crate::error::{JobError, OpenError};
use crate::executor::{ConnectionUse, Connector, Executor, OpenedConnection, WorkerCounts};
use crate::postgres_address;
use crate::sql_types::{Instant, Uid};
use item_list::{FieldSql, Matching};
use item_path::KeySql;

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

#[path = "postgres_partitions.rs"]
mod partitions;
use partitions::{drop_partitions, prepare};

type Conn = PgConnection;
type Database = PostgresStore;
type Backend = Pg;
/// Rows are received one by one, so that a page can end by bytes.
type RowByRow = diesel::pg::PgRowByRowLoadingMode;

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/postgres");
/// Held while migrating, so that several servers may start at once. Any number that nothing else uses.
const MIGRATION_LOCK: i64 = 0x5374_6577_6172_6401;
/// How often a migration is tried that waits for a lock, and after what pause: some minutes in all.
const MIGRATION_ATTEMPTS: u32 = 60;
const MIGRATION_PAUSE: Duration = Duration::from_secs(1);
/// How long a statement may wait for a lock, and a transaction for its next statement.
const SESSION: &str = "SET lock_timeout = '3s'; SET idle_in_transaction_session_timeout = '10s'; SET TIME ZONE 'UTC'; \
     SET client_min_messages = warning";

/// A store in PostgreSQL.
pub struct PostgresStore {
    executor: Executor<PostgresConnector>,
}

impl PostgresStore {
    /// Connects lazily with this many workers for interactive work, each keeping a connection. The address is a libpq URL; TLS
    /// is asked for with `sslmode` in it.
    pub fn open(url: &str, workers: u32) -> Result<Self, OpenError> {
        Self::open_with(url, workers.into())
    }

    /// The same with this many workers for each lane.
    pub fn open_with(url: &str, workers: WorkerCounts) -> Result<Self, OpenError> {
        let connector = PostgresConnector { manager: ConnectionManager::new(postgres_address::completed(url)) };
        Ok(Self { executor: Executor::start("postgres", workers, connector)? })
    }

    /// Brings the tables up to date, one server at a time. A migration that waits too long for a lock is cancelled and
    /// tried again: all later requests for the lock would wait behind it.
    pub fn migrate(url: &str) -> Result<(), OpenError> {
        let url = postgres_address::completed(url);
        let mut conn = PgConnection::establish(&url).map_err(|error| OpenError::Connect(error.into()))?;
        let locked = diesel::sql_query("SELECT pg_advisory_lock($1)").bind::<BigInt, _>(MIGRATION_LOCK);
        locked.execute(&mut conn).map_err(|error| OpenError::Migrate(error.into()))?;
        // The lock ends with the connection.
        let limited = conn.batch_execute("SET lock_timeout = '2s'");
        limited.map_err(|error| OpenError::Migrate(error.into()))?;
        let mut attempt = 1;
        loop {
            match conn.run_pending_migrations(MIGRATIONS).map(drop) {
                Err(error) if attempt < MIGRATION_ATTEMPTS && error.to_string().contains("lock timeout") => {
                    attempt += 1;
                    std::thread::sleep(MIGRATION_PAUSE);
                }
                migrated => break migrated.map_err(|error| OpenError::Migrate(anyhow!(error)))?,
            }
        }
        let prepared = partitions::keep_order(&mut conn).and_then(|()| partitions::prepare_now(&mut conn));
        prepared.map_err(|error| OpenError::Migrate(anyhow!("{error:?}")))
    }

    /// Fails unless the tables are up to date.
    pub fn check_schema(url: &str) -> Result<(), OpenError> {
        let mut conn = PgConnection::establish(url).map_err(|error| OpenError::Connect(error.into()))?;
        let pending = conn.has_pending_migration(MIGRATIONS).map_err(|error| OpenError::Migrate(anyhow!(error)))?;
        if pending { Err(OpenError::Outdated) } else { Ok(()) }
    }

    async fn read<T, F>(&self, query: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&mut PgConnection) -> Result<T, JobError> + Send + 'static,
    {
        Ok(self.executor.run(query).await.map_err(StoreError::Unavailable)??)
    }

    /// Reads one row by its key.
    async fn read_row<T, F>(&self, query: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: Fn(&mut PgConnection) -> Result<T, JobError> + Send + 'static,
    {
        self.read(query).await
    }

    /// Does the work, which sees to its own transaction. `Err`: nobody could be asked.
    async fn write<T, F>(&self, work: F) -> Result<Result<T, JobError>, anyhow::Error>
    where
        T: Send + 'static,
        F: FnOnce(&mut PgConnection) -> Result<T, JobError> + Send + 'static,
    {
        self.executor.run(work).await
    }

    async fn check(&self) -> Result<(), HealthError> {
        self.executor.check().await
    }

    fn stats(&self) -> Vec<LaneStats> {
        self.executor.stats()
    }
}

/// Opens connections to PostgreSQL.
struct PostgresConnector {
    manager: ConnectionManager<PgConnection>,
}

impl Connector for PostgresConnector {
    type Connection = PgConnection;

    fn connect(&self, purpose: ConnectionUse) -> Result<OpenedConnection<PgConnection>, anyhow::Error> {
        let mut connection = self.manager.connect()?;
        let limit = purpose.statement_limit().as_millis();
        connection.batch_execute(&format!("SET statement_timeout = {limit}; {SESSION}"))?;
        let backend = diesel::select(sql::<Integer>("pg_backend_pid()")).get_result(&mut connection)?;
        Ok(OpenedConnection { connection, backend: Some(backend) })
    }

    fn is_alive(&self, connection: &mut PgConnection) -> bool {
        !self.manager.has_broken(connection) && self.manager.is_valid(connection).is_ok()
    }

    fn check(&self, connection: &mut PgConnection) -> Result<(), HealthError> {
        const IS_READ_ONLY: &str = "pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on'";
        match diesel::select(sql::<Bool>(IS_READ_ONLY)).get_result(connection) {
            Ok(false) => Ok(()),
            Ok(true) => Err(HealthError::ReadOnly),
            Err(error) => Err(HealthError::Unreachable(error.into())),
        }
    }

    fn cancel(&self, connection: &mut PgConnection, backend: i32) -> Result<(), anyhow::Error> {
        diesel::sql_query("SELECT pg_cancel_backend($1)").bind::<Integer, _>(backend).execute(connection)?;
        Ok(())
    }
}

/// Whether the job is still wanted, as part of a statement that may look at many rows. Here whoever does not want it any
/// more cancels the statement.
const NOT_CANCELLED: &str = "TRUE";

/// The kind of value that an item holds in a field, with the field's name between these; NULL: it does not have the field.
const FIELD_KIND: (&str, &str) = ("jsonb_typeof(items.value -> ", ")");
/// The names of the fields that an item holds.
const FIELD_KEYS: &str = "jsonb_object_keys(items.value) AS held (key)";

/// The kinds, as [`FIELD_KIND`] tells them, of the values that a field may hold.
const fn kinds_of(field: FieldType) -> &'static [&'static str] {
    match field {
        FieldType::String => &["string"],
        FieldType::Boolean => &["boolean"],
        FieldType::Number => &["number"],
        FieldType::Json => &["object", "array"],
    }
}

/// A write of an item records itself: see [`RecordedStatement`].
const SINGLE_STATEMENT_ITEMS: bool = true;

/// How many bytes the JSON of a stored item is.
const STORED_BYTES: &str = "items.bytes";

/// Writes an item, records and counts it. `None`: the condition did not hold, and nothing is recorded.
fn recorded<'q, Q, T>(conn: &mut Conn, written: Q, recording: item::Recording<'q>) -> QueryResult<Option<T>>
where
    RecordedStatement<'q, Q>: LoadQuery<'q, Conn, T>,
{
    RecordedStatement { written, recording }.get_result(conn).optional()
}

/// A statement on items together with its event in the audit trail and the count of its project, as one statement: all or
/// nothing without a transaction, in one round trip.
struct RecordedStatement<'e, Q> {
    written: Q,
    recording: item::Recording<'e>,
}

impl<Q: Query> Query for RecordedStatement<'_, Q> {
    type SqlType = Q::SqlType;
}

impl<Q> RunQueryDsl<Conn> for RecordedStatement<'_, Q> {}

impl<Q> QueryId for RecordedStatement<'_, Q> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<Q: QueryFragment<Pg>> QueryFragment<Pg> for RecordedStatement<'_, Q> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        let event = &self.recording.event;
        out.push_sql("WITH written AS (");
        self.written.walk_ast(out.reborrow())?;
        out.push_sql(
            "), recorded AS (INSERT INTO item_changes (project_id, user_id, table_name, item_id, position, at, team_id, \
             action, actor_kind, actor_id, token_id, operation, request_id, address) \
             SELECT project_id, user_id, table_name, id, event_position(",
        );
        out.push_bind_param::<BigInt, _>(&event.number)?;
        out.push_sql("), ");
        out.push_bind_param::<Instant, _>(&event.at)?;
        out.push_sql(", ");
        out.push_bind_param::<Nullable<Uid>, _>(&event.team_id)?;
        out.push_sql(", ");
        out.push_bind_param::<Text, _>(&event.action)?;
        out.push_sql(", ");
        out.push_bind_param::<Text, _>(&event.actor_kind)?;
        for id in [&event.actor_id, &event.token_id] {
            out.push_sql(", ");
            out.push_bind_param::<Nullable<Uid>, _>(id)?;
        }
        for text in [event.operation, event.request_id] {
            out.push_sql(", ");
            out.push_bind_param::<Text, _>(text)?;
        }
        out.push_sql(", ");
        out.push_bind_param::<Nullable<Text>, _>(&event.address)?;
        out.push_sql(" FROM written)");
        out.push_sql(match self.recording.keys {
            item::Keys::None => "",
            item::Keys::Stored => STORE_KEYS,
            item::Keys::Deleted => DELETE_KEYS,
        });
        out.push_sql(
            ", counted AS (UPDATE project_usage SET items = project_usage.items + written.item_change, \
             bytes = project_usage.bytes + written.byte_change FROM written \
             WHERE (written.item_change <> 0 OR written.byte_change <> 0) AND project_usage.project_id = ",
        );
        out.push_bind_param::<Uid, _>(&self.recording.project)?;
        out.push_sql(" AND project_usage.shard = ");
        out.push_bind_param::<SmallInt, _>(&self.recording.shard)?;
        out.push_sql(") SELECT * FROM written");
        Ok(())
    }
}

/// How a field of an item is read. Whole numbers of 64 bits are compared exactly and all others as doubles, as SQLite does.
const FIELDS: FieldSql = FieldSql {
    text: &["(CASE jsonb_typeof(value -> ", ") WHEN 'string' THEN value ->> ", " END) COLLATE \"C\""],
    number: &[
        "(CASE WHEN jsonb_typeof(value -> ",
        ") <> 'number' THEN NULL WHEN (value ->> ",
        ")::numeric BETWEEN -9223372036854775808 AND 9223372036854775807 THEN (value ->> ",
        ")::numeric ELSE (value ->> ",
        ")::float8::text::numeric END)",
    ],
    boolean: &["(CASE jsonb_typeof(value -> ", ") WHEN 'boolean' THEN (value ->> ", ")::boolean END)"],
    json: &["(CASE WHEN jsonb_typeof(value -> ", ") IN ('object', 'array') THEN 1 END)"],
    number_before: "CAST(",
    number_after: " AS numeric)",
};

/// The planner knows nothing of one user's keys, and may go through all items for one key. So it is given no choice: OFFSET
/// keeps the item of a key from being looked for before the key.
const KEYS: KeySql = KeySql {
    texts: " FROM item_keys",
    numbers: " FROM item_keys",
    joined: " CROSS JOIN LATERAL (SELECT project_id, user_id, table_name, id, value, created_at, updated_at, revision \
        FROM items WHERE id = item_id AND ",
    where_keys: " OFFSET 0) AS items WHERE ",
};

/// Keeps other servers off a field that this one works on.
const CLAIM_LOCK: &str = " FOR NO KEY UPDATE SKIP ROW_LOCK";
/// Items are locked in their order, as those who write several do; should someone else wait for them who has what comes
/// next, filling gives way long before the database would choose whom to refuse.
const ROW_LOCK: &str = " FOR NO KEY UPDATE";
/// Whoever would change the row waits; others may hold it too.
const SHARE_LOCK: &str = " FOR SHARE";
const SHORT_LOCK_TIMEOUT: &str = "SET LOCAL lock_timeout = '200ms'";

/// PageRows of the statement that writes an item: stores its keys. In the snapshot of that statement: see [`SETTLE_STATEMENTS`].
const STORE_KEYS: &str = concatcp!(
    ", keyed AS (",
    item_key::STORE,
    KEY_VALUES,
    " FROM written i, indexed_fields f WHERE",
    item_key::OF_FIELDS,
    item_key::OVER,
    ")"
);

/// PageRows of the statement that deletes an item: deletes its keys. One that another transaction stores meanwhile, while it
/// fills a new field, is left, and finds nothing.
const DELETE_KEYS: &str = ", keyed AS (DELETE FROM item_keys k USING written i, indexed_fields f WHERE \
     f.project_id = i.project_id AND f.table_name = i.table_name AND k.project_id = i.project_id \
     AND k.owner_id = i.user_id AND k.item_id = i.id AND k.field_id = f.id)";

/// The key of the item `i` by the field `f`: whether it is a text, the text, the number.
const KEY_VALUES: &str = "f.kind = 'string', \
     CASE WHEN f.kind = 'string' AND jsonb_typeof(i.value -> f.field) = 'string' \
         THEN substr(i.value ->> f.field, 1, 200) END, \
     CASE WHEN f.kind = 'string' OR jsonb_typeof(i.value -> f.field) IS DISTINCT FROM f.kind THEN NULL \
         WHEN f.kind = 'boolean' THEN (i.value ->> f.field)::boolean::integer \
         WHEN (i.value ->> f.field)::numeric BETWEEN -9223372036854775808 AND 9223372036854775807 \
             THEN (i.value ->> f.field)::numeric \
         ELSE (i.value ->> f.field)::float8::text::numeric END";

/// What a list in the order of creation says of its items: see the index `items_list`.
const PARTITION_HINT: &str = " AND created_at > '-infinity'";

/// A write that leaves out the keys of a field has a snapshot from before the field could be seen. First such snapshots have
/// to end: all that are as old as the transaction that notes the field here. A write with one of them got its transaction id
/// before the field is noted a second time, so once all smaller ids have ended, no such write is running any more. Other
/// replicas use the same role, or their snapshots could not be seen.
const SETTLE_STATEMENTS: [&str; 3] = [
    "UPDATE indexed_fields SET noted_by = pg_current_xact_id() WHERE state = 'new' AND noted_by IS NULL",
    "UPDATE indexed_fields SET seen_by = pg_current_xact_id() \
     WHERE state = 'new' AND seen_by IS NULL AND noted_by IS NOT NULL AND NOT EXISTS \
     (SELECT 1 FROM pg_stat_activity a WHERE a.datname = current_database() AND a.backend_type = 'client backend' \
     AND a.pid <> pg_backend_pid() AND age(a.backend_xmin) >= age(noted_by::xid))",
    "UPDATE indexed_fields SET state = 'filling' \
     WHERE state = 'new' AND seen_by < pg_snapshot_xmin(pg_current_snapshot())",
];

/// The position of an event by its place among those of its change.
fn next_position(number: i64) -> SqlLiteral<BigInt> {
    sql(&format!("event_position({number})"))
}

/// Below this position every change is stored, or never will be.
const SETTLED_POSITION: &str = "settled_position()";

/// The last position of transactions that have begun: later ones have higher positions.
const BEGUN_POSITION: &str = "(pg_snapshot_xmax(pg_current_snapshot())::text::bigint + position_offset()) * 4096 - 1";

/// The ids of the JSON array between these, as rows.
const IDS: (&str, &str) = ("(SELECT id::uuid FROM jsonb_array_elements_text(", ") AS id)");

/// The tables of events whose rows are deleted one by one: others go as a whole.
const UNPARTITIONED: [&str; 2] = ["audit_events_default", "item_changes_default"];

/// Reads what belongs together as it was at one moment.
fn at_the_same_time<T>(conn: &mut Conn, read: impl FnOnce(&mut Conn) -> Result<T, JobError>) -> Result<T, JobError> {
    conn.build_transaction().read_only().repeatable_read().run(read)
}

/// A field is named as it is.
fn field_path(name: &str) -> String {
    name.to_owned()
}

/// Under the collation "C" only the letters A to Z are folded.
fn matching(pattern: &Pattern) -> Matching {
    let like = item_list::like(pattern);
    if pattern.any_case {
        let pattern = like.to_ascii_lowercase();
        Matching { before: "lower(", between: ") LIKE ", pattern, after: " ESCAPE '\\'" }
    } else {
        Matching { before: "", between: " LIKE ", pattern: like, after: " ESCAPE '\\'" }
    }
}

#[cfg(test)]
#[path = "queries/plans.rs"]
mod plans;
#[cfg(test)]
const EXPLAIN: &str = "EXPLAIN (COSTS OFF) ";
#[cfg(test)]
type PlanColumns = Text;
#[cfg(test)]
type PlanLine = String;
#[cfg(test)]
fn plan_line(line: PlanLine) -> String {
    line
}

#[cfg(test)]
mod tests {
    use steward_domain::mocks::id_of;

    use super::*;
    use crate::scratch::ScratchDatabase;

    #[test]
    fn items_are_found_by_an_index_without_statistics() {
        let database = ScratchDatabase::create().unwrap();
        PostgresStore::migrate(&database.url()).unwrap();
        let mut conn = PgConnection::establish(&database.url()).unwrap();
        let (project, user) = (id_of("project"), id_of("user"));
        let insert = format!(
            "SET session_replication_role = replica; ALTER TABLE items SET (autovacuum_enabled = false); \
             INSERT INTO items (project_id, user_id, table_name, id, value, created_at, updated_at, revision, bytes) \
             SELECT '{project}', '{user}', 'notes', n::text, '{{}}', now(), now(), 1, 2 FROM generate_series(1, 20000) n"
        );
        let never = ["Sort", "Seq Scan on items"];
        plans::claim_plans(&mut conn, &insert, "items_pkey", "items_list", &never);
    }

    #[test]
    fn events_are_found_by_an_index_without_statistics() {
        let database = ScratchDatabase::create().unwrap();
        PostgresStore::migrate(&database.url()).unwrap();
        let mut conn = PgConnection::establish(&database.url()).unwrap();
        let (team, project) = (id_of("team"), id_of("project"));
        let insert = format!(
            "ALTER TABLE item_changes_default SET (autovacuum_enabled = false); \
             INSERT INTO item_changes (position, project_id, at, team_id, user_id, table_name, item_id, action, actor_kind, \
             operation, request_id) SELECT n, '{project}', '2026-01-01', '{team}', '{project}', '', '', '', 'system', '', '' \
             FROM generate_series(1, 20000) n"
        );
        let never = ["Seq Scan on item_changes", "Seq Scan on audit_events"];
        plans::claim_log_plans(&mut conn, &insert, "->  Sort", &never);
    }
}
