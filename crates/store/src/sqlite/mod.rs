//! SQLite-specific parts of the store: connections, migrations, a single writer that groups commits, and the
//! SQL that differs from PostgreSQL.

mod connection;
mod dialect;
mod item_writes;
mod kept;
mod migrator;
mod point_readers;
mod positions;
#[cfg(test)]
mod prepared;
#[path = "../queries/mod.rs"]
mod queries;
mod rows;
mod sql_types;
mod writer;

use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use diesel::SqliteConnection;
use diesel::connection::SimpleConnection as _;
#[cfg(feature = "scratch")]
use diesel::migration::MigrationSource;
use diesel::r2d2::ConnectionManager;
use diesel::sqlite::Sqlite;
use steward_domain::kernel::work::Work;
use steward_domain::kernel::{AccessBasis, HealthError, LaneStats, ProjectId, ProjectUserId, StoreError, StoreHealth};
use tempfile::TempDir;

use crate::change_inbox::ChangeInbox;
use crate::dialect::Proof;
use crate::error::{JobError, OpenError};
use crate::executor::{self, Executor, WorkerCounts};
use crate::job::{Outcome, stored};
use crate::migration::{self, MigrationStatus, Migrations};
use crate::position_marker::PositionMarker;
use crate::recent_set::SmallTables;
use connection::{SqliteConnector, connect, connect_point_reader, connect_writer};
use dialect::{drop_partitions, prepare};
use item_writes::{without_transaction, write_items};
use migrator::MIGRATIONS;
use point_readers::PointReaders;
use queries::data::item::item_steps::in_steps as recorded;
use writer::Writer;

type Conn = SqliteConnection;
type Database = SqliteStore;
type Backend = Sqlite;

/// Where the rows of items are: in the same file as all others.
#[derive(Clone, Copy)]
pub(crate) struct Layout;

impl Layout {
    const fn is_local(self) -> bool {
        true
    }
}

/// A store that uses one SQLite file.
pub struct SqliteStore {
    readers: Executor<SqliteConnector>,
    point_readers: PointReaders,
    writer: Writer,
    marker: Arc<PositionMarker>,
    small_tables: Arc<SmallTables>,
    /// Changes of this process. Those of another one that uses the file are not reported.
    announcements: ChangeInbox,
    /// The directory of a temporary database, which is deleted with the store.
    _directory: Option<TempDir>,
}

impl SqliteStore {
    /// Opens the file with `readers` interactive readers and one writer. The file must have been created by
    /// [`SqliteStore::migrate`].
    pub fn open(path: &str, readers: u32) -> Result<Self, OpenError> {
        Self::open_with(path, readers.into())
    }

    /// Same as [`SqliteStore::open`], with reader counts for each lane.
    pub fn open_with(path: &str, readers: WorkerCounts) -> Result<Self, OpenError> {
        let reconnect_path = path.to_owned();
        let writer = Writer::start(connect_writer(path)?, move || connect_writer(&reconnect_path))?;
        let connector = SqliteConnector { manager: ConnectionManager::new(path) };
        let reconnect_path = path.to_owned();
        let point_readers = PointReaders::new(move || connect_point_reader(&reconnect_path));
        let readers = Executor::start("sqlite-readers", readers, connector)?;
        let (marker, small_tables, announcements) = (Arc::default(), Arc::default(), ChangeInbox::default());
        Ok(Self { readers, point_readers, writer, marker, small_tables, announcements, _directory: None })
    }

    /// Keeps the highest known position in a file outside the database, which need not exist. With it, more restores of the
    /// database to an earlier state are noticed: see `docs/decisions/0047-position-domains.md`.
    pub fn with_position_file(self, file: &Path) -> Result<Self, OpenError> {
        let marker = PositionMarker::in_file(file).map_err(OpenError::PositionFile)?;
        Ok(Self { marker: Arc::new(marker), ..self })
    }

    /// Creates a database in a temporary directory, which is deleted with the store. For tests, examples and programs
    /// without permanent data. A file instead of `:memory:`, because SQLite only supports concurrent readers and a
    /// writer for files.
    pub fn temporary() -> Result<Self, OpenError> {
        let directory = tempfile::tempdir().map_err(|error| OpenError::Migrate(error.into()))?;
        let path = directory.path().join("steward.db").to_string_lossy().into_owned();
        Self::migrate(&path)?;
        Ok(Self { _directory: Some(directory), ..Self::open(&path, 2)? })
    }

    /// Creates the file if it does not exist, readable by its owner only, and runs pending migrations, in one process at a time.
    pub fn migrate(path: &str) -> Result<(), OpenError> {
        create_private(path)?;
        let mut conn = connect(path)?;
        conn.batch_execute("PRAGMA journal_mode = WAL").map_err(|error| OpenError::Migrate(error.into()))?;
        migrator::migrate(&mut conn, &MIGRATIONS)
    }

    /// Same as [`SqliteStore::migrate`], with other migrations, of an existing file.
    #[cfg(feature = "scratch")]
    pub fn migrate_with(path: &str, migrations: &impl MigrationSource<Sqlite>) -> Result<(), OpenError> {
        migrator::migrate(&mut connect(path)?, migrations)
    }

    /// Returns which migrations have been applied. A file that does not exist is not created.
    pub fn migration_status(path: &str) -> Result<MigrationStatus, OpenError> {
        migrator::status(&mut connect_existing(path)?, &MIGRATIONS).map_err(OpenError::Migrate)
    }

    /// Returns an error unless the file exists, all migrations have been applied and it has what they create.
    pub fn check_schema(path: &str) -> Result<(), OpenError> {
        let mut conn = connect_existing(path)?;
        let applied = migrator::applied(&mut conn).map_err(|error| OpenError::Migrate(error.into()))?;
        migrator::check(&mut conn, &applied)?;
        let pending: Migrations<Backend> = migration::pending(&MIGRATIONS, &applied).map_err(OpenError::Migrate)?;
        if pending.is_empty() { Ok(()) } else { Err(OpenError::Outdated) }
    }

    fn read<T, F>(&self, query: F) -> impl Future<Output = Result<T, StoreError>>
    where
        T: Send + 'static,
        F: FnOnce(&mut SqliteConnection) -> Result<T, JobError> + Send + 'static,
    {
        stored(self.readers.run(query))
    }

    /// Runs a query that reads one row by its key, or a short page in the order of an index, on the calling thread if
    /// possible.
    async fn read_short<T, F>(&self, query: F) -> Result<T, StoreError>
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

    /// Runs `work` as part of a group commit. Returns the outer `Err` if nothing was written or the result is not known
    /// in time.
    fn run_write<T, F>(&self, work: F) -> impl Future<Output = Outcome<T>>
    where
        T: Send + 'static,
        F: FnOnce(&mut SqliteConnection) -> Result<T, JobError> + Send + 'static,
    {
        self.writer.run(work)
    }
}

/// Proves nothing: `item_writes` does.
fn prove(_: &mut Conn, _: Layout, _: (ProjectId, ProjectUserId), _: &AccessBasis) -> Result<Proof, JobError> {
    Ok(Proof::InStatement)
}

/// Opens a file unless it does not exist.
fn connect_existing(path: &str) -> Result<SqliteConnection, OpenError> {
    if Path::new(path).exists() { connect(path) } else { Err(OpenError::Outdated) }
}

/// Creates the file if it does not exist. Only its owner can read it, whatever the umask. SQLite gives the same
/// permissions to the files next to it.
fn create_private(path: &str) -> Result<(), OpenError> {
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(OpenError::Connect(error.into())),
        _ => Ok(()),
    }
}

#[async_trait]
impl StoreHealth for SqliteStore {
    async fn check(&self) -> Result<(), HealthError> {
        self.readers.check().await
    }

    fn lanes(&self) -> Vec<LaneStats> {
        [self.readers.stats(), self.writer.stats()].concat()
    }
}

#[cfg(test)]
mod tests {
    use diesel::prelude::*;
    use diesel_migrations::MigrationHarness as _;
    use steward_domain::mocks::id_of;

    use super::connection::configure;
    use super::*;

    /// The counters of a prepared statement (<https://www.sqlite.org/stmt.html>).
    #[derive(Debug, PartialEq, QueryableByName)]
    struct Runs {
        #[diesel(sql_type = diesel::sql_types::BigInt)]
        runs: i64,
        #[diesel(sql_type = diesel::sql_types::BigInt)]
        prepared_again: i64,
    }

    #[test]
    fn deleted_content_is_overwritten_in_the_file() {
        const MARKER: &str = "a password hash of a deleted account";
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("steward.db");
        let is_stored = || {
            let bytes = std::fs::read(&path).unwrap();
            bytes.windows(MARKER.len()).any(|window| window == MARKER.as_bytes())
        };
        let mut conn = connect(&path.to_string_lossy()).unwrap();
        let insert = format!(
            "PRAGMA journal_mode = WAL; CREATE TABLE t (x TEXT); WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT \
             n + 1 FROM numbers WHERE n < 1000) INSERT INTO t SELECT '{MARKER}' FROM numbers; PRAGMA wal_checkpoint(TRUNCATE)"
        );
        conn.batch_execute(&insert).unwrap();
        assert!(is_stored());
        conn.batch_execute("DELETE FROM t; PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
        assert!(!is_stored());
    }

    #[test]
    fn items_are_found_by_an_index_without_statistics() {
        let mut conn = configure(SqliteConnection::establish(":memory:").unwrap()).unwrap();
        conn.run_pending_migrations(MIGRATIONS).unwrap();
        let (project, user) = (id_of("project"), id_of("user"));
        let insert = format!(
            "PRAGMA foreign_keys = OFF; WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers \
             WHERE n < 2000) INSERT INTO items (project_id, user_id, table_name, id, value, created_at, updated_at, \
             revision, bytes) SELECT '{project}', '{user}', 'notes', CAST(n AS TEXT), '{{}}', '', '', 1, 2 FROM numbers"
        );
        let by_key = "(project_id=? AND user_id=? AND table_name=? AND id=?)";
        queries::kernel::plans::check_item_plans(
            &mut conn,
            &insert,
            (by_key, "INDEX items_list"),
            ["(created_at,id)>(?,?)", "(number_key,item_id)>(?,?)", "number_key=? AND item_id>?"],
            &["TEMP B-TREE", "SCAN items"],
        );
        queries::kernel::plans::check_prefix_plan(&mut conn, "id>? AND id<?");
        let plans =
            ("(project_id=? AND user_id=? AND table_name=? AND id>?)", "(user_id,table_name,id)>(?,?,?)", by_key);
        let never = ["TEMP B-TREE", "SCAN items", "items_list"];
        queries::kernel::plans::check_project_item_plans(&mut conn, plans, &never);
        // The list is prepared once for all limits.
        let counted = "SELECT run AS runs, reprep AS prepared_again FROM sqlite_stmt \
            WHERE sql LIKE '%FROM items%' AND sql NOT LIKE '%sqlite_stmt%'";
        let counted: Vec<Runs> = diesel::sql_query(counted).load(&mut conn).unwrap();
        assert_eq!(counted, [Runs { runs: 5, prepared_again: 0 }]);
    }

    #[test]
    fn a_statement_that_may_scan_many_rows_stops_when_its_job_is_abandoned() {
        let mut conn = configure(SqliteConnection::establish(":memory:").unwrap()).unwrap();
        conn.run_pending_migrations(MIGRATIONS).unwrap();
        let (project, user) = (id_of("project"), id_of("user"));
        let insert = format!(
            "PRAGMA foreign_keys = OFF; INSERT INTO project_users (project_id, id, account_id, user_did, pds_url, status, \
             meta, profile, last_seen_at, created_at, search, revision) VALUES ('{project}', '{user}', '{user}', '', '', \
             'connected', '{{}}', '{{}}', '', '', '', 1); \
             INSERT INTO items (project_id, user_id, table_name, id, value, created_at, updated_at, revision, bytes) \
             VALUES ('{project}', '{user}', 'notes', 'i1', '{{}}', '', '', 1, 2)"
        );
        assert!(queries::kernel::cancellation::abandoned_statement_fails(&mut conn, &insert));
    }

    #[test]
    fn synchronization_reads_by_indexes_without_statistics() {
        let mut conn = configure(SqliteConnection::establish(":memory:").unwrap()).unwrap();
        conn.run_pending_migrations(MIGRATIONS).unwrap();
        let plans = [
            "item_changes USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)",
            "SEARCH items USING INDEX sqlite_autoindex_items_1 (project_id=? AND user_id=?",
            "SEARCH item_tombstones USING PRIMARY KEY (project_id=? AND user_id=? AND position>? AND position<?)",
            "(project_id=? AND user_id=? AND table_name=? AND id=?)",
            "SEARCH sync_receipts USING PRIMARY KEY (project_id=? AND user_id=? AND slot=?)",
        ];
        queries::kernel::plans::check_sync_plans(&mut conn, "SELECT 1", plans, "TEMP B-TREE", &["SCAN"]);
    }

    #[test]
    fn addresses_of_users_are_found_by_an_index_without_statistics() {
        let mut conn = configure(SqliteConnection::establish(":memory:").unwrap()).unwrap();
        conn.run_pending_migrations(MIGRATIONS).unwrap();
        queries::kernel::plans::check_address_plans(&mut conn, "SELECT 1", &["SCAN"]);
    }

    #[test]
    fn events_are_found_by_an_index_without_statistics() {
        let mut conn = configure(SqliteConnection::establish(":memory:").unwrap()).unwrap();
        conn.run_pending_migrations(MIGRATIONS).unwrap();
        let (team, project) = (id_of("team"), id_of("project"));
        let insert = format!(
            "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2000) \
             INSERT INTO item_changes (position, project_id, at, team_id, user_id, table_name, item_id, action, actor_kind, \
             operation, request_id) SELECT n, '{project}', '', '{team}', '', '', '', '', 'system', '', '' FROM numbers"
        );
        queries::kernel::plans::check_log_plans(
            &mut conn,
            &insert,
            "TEMP B-TREE",
            &["SCAN item_changes", "SCAN audit_events"],
            &["item_changes USING INDEX", "audit_events USING INDEX"],
        );
    }

    #[test]
    fn lists_and_statistics_read_indexes_that_contain_what_they_show() {
        let mut conn = configure(SqliteConnection::establish(":memory:").unwrap()).unwrap();
        conn.run_pending_migrations(MIGRATIONS).unwrap();
        queries::kernel::plans::check_list_plans(&mut conn, "SELECT 1", "COVERING INDEX projects_list");
    }

    #[test]
    fn a_search_in_the_log_examines_a_bounded_number_of_events() {
        let mut conn = configure(SqliteConnection::establish(":memory:").unwrap()).unwrap();
        conn.run_pending_migrations(MIGRATIONS).unwrap();
        let (team, project) = (id_of("team"), id_of("project"));
        let insert = format!(
            "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 50010) \
             INSERT INTO item_changes (position, project_id, at, team_id, user_id, table_name, item_id, action, actor_kind, \
             operation, request_id) SELECT n, '{project}', '2026-01-01T00:00:00.000000Z', '{team}', '{project}', 'notes', \
             CASE n WHEN 1 THEN 'oldest' ELSE 'other' END, 'item.created', 'system', '', '' FROM numbers"
        );
        queries::kernel::plans::check_log_search(&mut conn, &insert);
    }
}
