//! PostgreSQL-specific parts of the store: connections, migrations, and the SQL that differs from SQLite.

mod announcements;
mod citus;
mod connection;
mod dialect;
mod items;
mod migration_lease;
mod migrator;
mod partitions;
mod positions;
#[path = "../queries/mod.rs"]
mod queries;
mod sql_types;

use std::path::Path;
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use diesel::PgConnection;
#[cfg(feature = "scratch")]
use diesel::migration::MigrationSource;
use diesel::pg::Pg;
use diesel::r2d2::ConnectionManager;
use steward_domain::kernel::{HealthError, LaneStats, ProjectId, StoreError, StoreHealth};

use crate::error::{JobError, OpenError};
use crate::executor::{Executor, WorkerCounts};
use crate::job::{Outcome, stored};
use crate::migration::{self, MigrationStatus, Migrations};
use crate::position_marker::PositionMarker;
use crate::recent_set::{RecentSet, SmallTables};
use announcements::Announcements;
use citus::{ItemLayout, Nodes, prove};
use connection::connector::PostgresConnector;
use connection::establish::connect;
use connection::pooling::Pooling;
use connection::{address, pooling};
use items::item_batch::{without_transaction, write_items};
use items::recorded_item::recorded;
use migrator::MIGRATIONS;
use partitions::{drop_partitions, prepare};

pub(crate) use connection::establish::establish;

type Conn = PgConnection;
type Database = PostgresStore;
type Backend = Pg;
type Layout = ItemLayout;

/// A store that uses PostgreSQL.
pub struct PostgresStore {
    executor: Executor<PostgresConnector>,
    pooling: Arc<Pooling>,
    marker: Arc<PositionMarker>,
    announcements: Announcements,
    small_tables: Arc<SmallTables>,
    /// Projects whose items were locked within the last second. Their writes do not share statements with those of others, which
    /// would wait for the same locks.
    contended: Arc<RecentSet<ProjectId>>,
    /// Unknown until the database was asked.
    layout: OnceLock<Layout>,
    counts: WorkerCounts,
    /// If the items are distributed, and the connections are not pooled.
    nodes: OnceLock<Nodes>,
}

impl PostgresStore {
    /// Opens the store with `workers` interactive workers, each with one connection. Connections are opened on first
    /// use. `url` is a libpq connection URL; set `sslmode` in it to use TLS.
    pub fn open(url: &str, workers: u32) -> Result<Self, OpenError> {
        Self::open_with(url, workers.into())
    }

    /// Same as [`PostgresStore::open`], with worker counts for each lane.
    pub fn open_with(url: &str, workers: WorkerCounts) -> Result<Self, OpenError> {
        let pooling = Arc::new(Pooling::of(url));
        let manager = ConnectionManager::new(address::with_defaults(url));
        let announcements = Announcements::start(url, pooling.clone())?;
        let connector = PostgresConnector { manager, pooling: pooling.clone(), is_node: false };
        let executor = Executor::start("postgres", workers, connector)?;
        Ok(Self {
            executor,
            pooling,
            marker: Arc::default(),
            announcements,
            small_tables: Arc::default(),
            contended: Arc::default(),
            layout: OnceLock::new(),
            counts: workers,
            nodes: OnceLock::new(),
        })
    }

    /// Keeps the highest known position in a file outside the database, which need not exist. With it, more restores of the
    /// database to an earlier state are noticed: see `docs/decisions/0047-position-domains.md`.
    pub fn with_position_file(self, file: &Path) -> Result<Self, OpenError> {
        let marker = PositionMarker::in_file(file).map_err(OpenError::PositionFile)?;
        Ok(Self { marker: Arc::new(marker), ..self })
    }

    /// Runs pending migrations while services use the database, in one process at a time. Other processes wait. A migration that
    /// was interrupted is continued. Writes nothing if none is pending.
    pub fn migrate(url: &str) -> Result<(), OpenError> {
        pooling::check(url)?;
        migrator::migrate(url, &MIGRATIONS)
    }

    /// Same as [`PostgresStore::migrate`], with other migrations.
    #[cfg(feature = "scratch")]
    pub fn migrate_with(url: &str, migrations: &impl MigrationSource<Pg>) -> Result<(), OpenError> {
        migrator::migrate(url, migrations)
    }

    /// Distributes the data of items by project over `shards` shards on the workers of a Citus cluster.
    pub fn distribute(url: &str, shards: u32) -> Result<(), OpenError> {
        citus::distribute(url, shards)
    }

    /// Returns which migrations have been applied, and which one a process runs now.
    pub fn migration_status(url: &str) -> Result<MigrationStatus, OpenError> {
        migrator::status(&mut connect(url)?, &MIGRATIONS).map_err(OpenError::Migrate)
    }

    /// Returns an error unless all migrations have been applied and the database has what they create.
    pub fn check_schema(url: &str) -> Result<(), OpenError> {
        pooling::check(url)?;
        let mut conn = connect(url)?;
        let applied = migrator::checked(&mut conn)?;
        let pending: Migrations<Backend> = migration::pending(&MIGRATIONS, &applied).map_err(OpenError::Migrate)?;
        if pending.is_empty() { Ok(()) } else { Err(OpenError::Outdated) }
    }

    fn read<T, F>(&self, query: F) -> impl Future<Output = Result<T, StoreError>>
    where
        T: Send + 'static,
        F: FnOnce(&mut PgConnection) -> Result<T, JobError> + Send + 'static,
    {
        stored(self.executor.run(query))
    }

    /// Same as [`Self::read`]: only SQLite reads on the calling thread.
    fn read_short<T, F>(&self, query: F) -> impl Future<Output = Result<T, StoreError>>
    where
        T: Send + 'static,
        F: FnOnce(&mut PgConnection) -> Result<T, JobError> + Send + 'static,
    {
        self.read(query)
    }

    /// Runs `work`, which manages its own transaction. Returns the outer `Err` if the executor refused it or it took
    /// too long.
    fn run_write<T, F>(&self, work: F) -> impl Future<Output = Outcome<T>>
    where
        T: Send + 'static,
        F: FnOnce(&mut PgConnection) -> Result<T, JobError> + Send + 'static,
    {
        self.executor.run_write(work)
    }
}

#[async_trait]
impl StoreHealth for PostgresStore {
    async fn check(&self) -> Result<(), HealthError> {
        self.executor.check().await
    }

    fn lanes(&self) -> Vec<LaneStats> {
        self.executor.stats()
    }
}

#[cfg(test)]
mod tests {
    use steward_domain::mocks::id_of;

    use super::*;
    use crate::scratch::ScratchDatabase;

    #[test]
    fn items_are_found_by_an_index_without_statistics() {
        let database = ScratchDatabase::migrated().unwrap();
        let mut conn = establish(&database.url()).unwrap();
        let (project, user) = (id_of("project"), id_of("user"));
        let insert = format!(
            "SET session_replication_role = replica; ALTER TABLE items SET (autovacuum_enabled = false); \
             INSERT INTO items (project_id, user_id, table_name, id, value, created_at, updated_at, revision, bytes) \
             SELECT '{project}', '{user}', 'notes', n::text, '{{}}', now(), now(), 1, 2 FROM generate_series(1, 20000) n"
        );
        let never = ["Sort", "Seq Scan on items"];
        let later =
            ["(ROW(created_at, id) > ROW(", "(ROW(number_key, item_id) > ROW(", "(number_key IS NULL) AND (item_id > "];
        queries::kernel::plans::check_item_plans(&mut conn, &insert, ("items_pkey", "items_list"), later, &never);
        queries::kernel::plans::check_prefix_plan(&mut conn, "(id >= '7'::text) AND (id < '8'::text)");
        let plans = (
            "(table_name = 'notes'::text) AND (id > CASE WHEN",
            "(ROW(user_id, table_name, id) > ROW(",
            ") AND (id = (",
        );
        let never = ["items_list", "Seq Scan on items", "Bitmap"];
        queries::kernel::plans::check_project_item_plans(&mut conn, plans, &never);
    }

    #[test]
    fn statements_do_not_check_whether_their_job_is_abandoned_because_they_are_cancelled() {
        let database = ScratchDatabase::migrated().unwrap();
        let mut conn = establish(&database.url()).unwrap();
        assert!(!queries::kernel::cancellation::abandoned_statement_fails(&mut conn, "SELECT 1"));
    }

    #[test]
    fn synchronization_reads_by_indexes_without_statistics() {
        let database = ScratchDatabase::migrated().unwrap();
        let mut conn = establish(&database.url()).unwrap();
        let (project, user) = (id_of("project"), id_of("user"));
        let tables = ["items", "item_tombstones", "sync_receipts", "item_changes_default"];
        let without_statistics = tables.map(|table| format!("ALTER TABLE {table} SET (autovacuum_enabled = false);"));
        let insert = format!(
            "SET session_replication_role = replica; {} \
             INSERT INTO items (project_id, user_id, table_name, id, value, created_at, updated_at, revision, bytes, position) \
             SELECT '{project}', '{user}', 'notes', n::text, '{{}}', now(), now(), 1, 2, n FROM generate_series(1, 20000) n; \
             INSERT INTO item_tombstones (project_id, user_id, position, table_name, id) \
             SELECT '{project}', '{user}', n, 'notes', n::text FROM generate_series(1, 20000) n; \
             INSERT INTO sync_receipts (project_id, user_id, slot, digest) \
             SELECT '{project}', '{user}', n, '' FROM generate_series(1, 20000) n; \
             INSERT INTO item_changes (position, project_id, at, user_id, table_name, item_id, action, actor_kind, operation, \
             request_id) SELECT n, '{project}', '2026-01-01', '{user}', '', '', '', 'system', '', '' \
             FROM generate_series(1, 20000) n",
            without_statistics.concat()
        );
        let plans = [
            "item_changes_default_position_idx",
            "Index Scan using items_pkey on items",
            "using item_tombstones_pkey on item_tombstones",
            "(table_name = item_tombstones.table_name) AND (id = item_tombstones.id)",
            "Index Scan using sync_receipts_pkey on sync_receipts",
        ];
        let never = ["Seq Scan on item", "Seq Scan on sync_receipts", "Join"];
        queries::kernel::plans::check_sync_plans(&mut conn, &insert, plans, "->  Sort", &never);
    }

    #[test]
    fn addresses_of_users_are_found_by_an_index_without_statistics() {
        let database = ScratchDatabase::migrated().unwrap();
        let mut conn = establish(&database.url()).unwrap();
        let project = id_of("project");
        let without_statistics = ["accounts", "grants", "project_users"]
            .map(|table| format!("ALTER TABLE {table} SET (autovacuum_enabled = false);"));
        let insert = format!(
            "SET session_replication_role = replica; {} CREATE TEMPORARY TABLE n AS \
             SELECT n, lpad(to_hex(n), 32, '0')::uuid AS id FROM generate_series(1, 20000) n; \
             INSERT INTO accounts (id, email, email_folded, email_verified, password_hash, password_set_at, created_at, \
             revision) SELECT id, n || '@example.com', n || '@example.com', true, '', now(), now(), 1 FROM n; \
             INSERT INTO grants (id, account_id, project_id, scopes, created_at, updated_at, revision) \
             SELECT id, id, '{project}', 'openid email', now(), now(), 1 FROM n; \
             INSERT INTO project_users (project_id, id, account_id, user_did, pds_url, status, meta, profile, last_seen_at, \
             created_at, search, revision) SELECT '{project}', id, id, '', '', 'connected', '{{}}', '{{}}', now(), now(), \
             '', 1 FROM n",
            without_statistics.concat()
        );
        let never = ["Seq Scan on accounts", "Seq Scan on grants", "Seq Scan on project_users"];
        queries::kernel::plans::check_address_plans(&mut conn, &insert, &never);
    }

    #[test]
    fn events_are_found_by_an_index_without_statistics() {
        let database = ScratchDatabase::migrated().unwrap();
        let mut conn = establish(&database.url()).unwrap();
        let (team, project) = (id_of("team"), id_of("project"));
        let insert = format!(
            "ALTER TABLE item_changes_default SET (autovacuum_enabled = false); \
             INSERT INTO item_changes (position, project_id, at, team_id, user_id, table_name, item_id, action, actor_kind, \
             operation, request_id) SELECT n, '{project}', '2026-01-01', '{team}', '{project}', '', '', '', 'system', '', '' \
             FROM generate_series(1, 20000) n"
        );
        let never = ["Seq Scan on item_changes", "Seq Scan on audit_events"];
        // Without statistics, more events are expected to be skipped than there are, so an order is of no use.
        queries::kernel::plans::check_log_plans(&mut conn, &insert, "->  Sort", &never, &[]);
    }

    #[test]
    fn lists_and_statistics_read_indexes_that_contain_what_they_show() {
        let database = ScratchDatabase::migrated().unwrap();
        let mut conn = establish(&database.url()).unwrap();
        let (team, account) = (id_of("team"), id_of("account"));
        let insert = format!(
            "SET session_replication_role = replica; ALTER TABLE invites SET (autovacuum_enabled = false); \
             ALTER TABLE projects SET (autovacuum_enabled = false); CREATE TEMPORARY TABLE n AS \
             SELECT n, lpad(to_hex(n), 32, '0')::uuid AS id FROM generate_series(1, 20000) n; \
             INSERT INTO invites (id, team_id, recipient_kind, recipient, recipient_folded, roles, role_name, invited_by, \
             created_at, expires_at, state, delivery, decided_at, revision) SELECT id, '{team}', 'email', n, n, '', '', \
             '{account}', now(), now(), 'revoked', 'link', now(), 1 FROM n; \
             INSERT INTO projects (id, team_id, name, slug, profile, redirect_uris, require_pkce, legacy_scopes, \
             post_logout_redirect_uris, created_at, updated_at, revision) SELECT id, '{team}', '', n, '{{}}', '[]', true, \
             false, '[]', now(), now(), 1 FROM n"
        );
        queries::kernel::plans::check_list_plans(&mut conn, &insert, "Index Only Scan using projects_list");
    }

    #[test]
    fn a_search_in_the_log_examines_a_bounded_number_of_events() {
        let database = ScratchDatabase::migrated().unwrap();
        let mut conn = establish(&database.url()).unwrap();
        let (team, project) = (id_of("team"), id_of("project"));
        let insert = format!(
            "INSERT INTO item_changes (position, project_id, at, team_id, user_id, table_name, item_id, action, actor_kind, \
             operation, request_id) SELECT n, '{project}', '2026-01-01', '{team}', '{project}', 'notes', \
             CASE n WHEN 1 THEN 'oldest' ELSE 'other' END, 'item.created', 'system', '', '' FROM generate_series(1, 50010) n"
        );
        queries::kernel::plans::check_log_search(&mut conn, &insert);
    }
}
