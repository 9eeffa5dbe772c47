//! Migrates a PostgreSQL database that is in use: no statement keeps others waiting for a lock, and a migration that was
//! interrupted is continued by the next process (docs/decisions/0022-migrations.md).

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow};
use diesel::connection::SimpleConnection as _;
use diesel::dsl::sql;
use diesel::migration::{Migration, MigrationSource};
use diesel::pg::Pg;
use diesel::result::Error as DieselError;
use diesel::sql_types::{BigInt, Bool, Text};
use diesel::{Connection as _, PgConnection as Conn, QueryResult, RunQueryDsl as _, sql_query};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness as _, embed_migrations};

use super::connection::establish::connect;
use super::connection::pooling::is_pooled;
use super::migration_lease::{self, MigrationLease};
use super::partitions;
use crate::error::OpenError;
use crate::migration::{self, Batches, MigrationStatus, StepKind, name_of, version_of};
use crate::schema_check;

/// A migration in a transaction waits only this long for a lock, because all later requests for the lock queue behind it.
const LOCK_TIMEOUT: &str = "SET LOCAL lock_timeout = '200ms'";
/// Maximum number of attempts of a migration that times out on a lock: a few minutes in total.
const MAX_ATTEMPTS: u32 = 60;
/// The pause before the next attempt, which grows by itself up to its maximum: others may wait for the same lock.
const PAUSE: Duration = Duration::from_secs(1);
const MAX_PAUSE: Duration = Duration::from_secs(5);
/// The minimum pause after a batch.
const MIN_REST: Duration = Duration::from_millis(20);
/// Maximum number of attempts to create an index.
const MAX_CREATIONS: u32 = 3;
/// Interval at which progress is written to the log.
const REPORT_INTERVAL: Duration = Duration::from_secs(10);
/// Number of rows that this connection has changed, since some earlier time. Only the difference means something.
const CHANGED_ROWS: &str =
    "(SELECT coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0)::bigint FROM pg_stat_xact_user_tables)";
/// The migrations of this version.
pub(super) const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/postgres");
/// What each migration creates. `make generate` writes it.
const SCHEMA: &str = include_str!("../../../../migrations/postgres-schema.txt");
/// One line for each column, valid index, function and view. Not those of partitions, which are created later.
const FOUND_SCHEMA: &str = r"WITH schema AS (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
    SELECT concat('column ', c.relname, '.', a.attname, ' ', format_type(a.atttypid, a.atttypmod),
        CASE WHEN a.attnotnull THEN ' not null' END, CASE WHEN a.atthasdef THEN ' default' END) AS text
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN schema ON schema.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped
    AND c.relname NOT LIKE '\_\_%'
    UNION ALL SELECT concat('index ', c.relname)
    FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
    JOIN schema ON schema.oid = c.relnamespace
    WHERE i.indisvalid AND NOT t.relispartition AND t.relname NOT LIKE '\_\_%'
    UNION ALL SELECT concat('function ', p.proname) FROM pg_proc p JOIN schema ON schema.oid = p.pronamespace
    UNION ALL SELECT concat('view ', c.relname) FROM pg_class c JOIN schema ON schema.oid = c.relnamespace
    WHERE c.relkind = 'v'";
/// Indexes that a canceled or failed statement left. They are not used, but are maintained by every write.
const INVALID_INDEXES: &str = "SELECT c.oid::regclass::text FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid \
     JOIN pg_namespace n ON n.oid = c.relnamespace \
     WHERE NOT i.indisvalid AND n.nspname = current_schema() AND c.relkind = 'i'";
/// Whether an index is being created. The process that requested it may have ended: PostgreSQL notices that late.
const IS_CREATING_INDEX: &str = "EXISTS (SELECT FROM pg_stat_progress_create_index WHERE datname = current_database())";

/// Why a step ended early.
enum StepError {
    /// Another process has the lease now.
    LeaseEnded,
    Failed(anyhow::Error),
}

impl From<DieselError> for StepError {
    fn from(error: DieselError) -> Self {
        match error {
            // Of the statements that check the lease.
            DieselError::NotFound => Self::LeaseEnded,
            error => Self::Failed(error.into()),
        }
    }
}

/// Applies all pending migrations. Waits for another process that does it already.
pub(super) fn migrate(url: &str, source: &impl MigrationSource<Pg>) -> Result<(), OpenError> {
    let conn = &mut connect(url)?;
    if !is_pooled(url).map_err(|error| OpenError::Connect(error.into()))? {
        // Limits of the role do not apply to the creation of an index.
        conn.batch_execute("SET statement_timeout = 0; SET lock_timeout = 0")
            .map_err(|error| OpenError::Migrate(error.into()))?;
    }
    loop {
        // Without a write: an up-to-date database may be a standby.
        let applied = applied(conn).map_err(|error| OpenError::Migrate(error.into()))?;
        if migration::pending(source, &applied).map_err(OpenError::Migrate)?.is_empty() {
            return Ok(());
        }
        checked(conn)?;
        let lease = MigrationLease::acquire(url, conn).map_err(|error| OpenError::Migrate(error.into()))?;
        match run(conn, source, &lease) {
            Ok(()) => lease.release(conn).map_err(|error| OpenError::Migrate(error.into()))?,
            Err(StepError::LeaseEnded) => {
                tracing::warn!("The lease on migrations ended, because it was not renewed in time.");
            }
            Err(StepError::Failed(error)) => {
                // Otherwise the next process waits until the lease expires.
                drop(lease.release(conn));
                return Err(OpenError::Migrate(error));
            }
        }
    }
}

/// Returns which migrations have been applied, and which one is running. Writes nothing.
pub(super) fn status(conn: &mut Conn, source: &impl MigrationSource<Pg>) -> anyhow::Result<MigrationStatus> {
    let (applied, running) = (applied(conn)?, migration_lease::running(conn)?);
    migration::status(source, &applied, running)
}

/// Returns the versions that have been applied. Writes nothing.
pub(super) fn applied(conn: &mut Conn) -> QueryResult<BTreeSet<String>> {
    let exists = sql::<Bool>("to_regclass('__diesel_schema_migrations') IS NOT NULL");
    if !diesel::select(exists).get_result::<bool>(conn)? {
        return Ok(BTreeSet::new());
    }
    let versions: Vec<String> = sql::<Text>("SELECT version::text FROM __diesel_schema_migrations").load(conn)?;
    Ok(versions.into_iter().collect())
}

/// Applies the pending migrations one after the other.
fn run(conn: &mut Conn, source: &impl MigrationSource<Pg>, lease: &MigrationLease) -> Result<(), StepError> {
    // Creates the table of the applied versions.
    conn.applied_migrations().map_err(|error| StepError::Failed(anyhow!(error)))?;
    // Read again: the previous holder of the lease may have applied some.
    let pending = migration::pending(source, &applied(conn)?).map_err(StepError::Failed)?;
    let all = pending.len();
    for (index, migration) in pending.iter().enumerate() {
        let (name, began) = (name_of(&**migration), Instant::now());
        lease.begin(conn, &name)?;
        tracing::info!(migration = name, number = index.saturating_add(1), of = all, "Migrating the database.");
        let applied = match StepKind::of(&**migration) {
            StepKind::Transaction => in_transaction(conn, &**migration, lease),
            StepKind::Concurrent => concurrently(conn, &**migration, lease),
            StepKind::Batches => in_batches(conn, &**migration, lease),
        };
        applied.map_err(|error| match error {
            StepError::Failed(error) => StepError::Failed(error.context(format!("Migration {name} failed"))),
            ended @ StepError::LeaseEnded => ended,
        })?;
        tracing::info!(migration = name, seconds = began.elapsed().as_secs_f64(), "Migrated the database.");
    }
    partitions::prepare_now(conn).map_err(|error| StepError::Failed(anyhow!("{error:?}")))
}

/// Runs `work` in a transaction that ends with a check of the lease. It is canceled if it waits too long for a lock, and
/// then repeated. Returns the number of rows that it changed.
fn retried(
    conn: &mut Conn,
    lease: &MigrationLease,
    work: impl Fn(&mut Conn) -> anyhow::Result<()>,
) -> Result<i64, StepError> {
    let mut attempt = 1;
    loop {
        let result = conn.transaction(|conn| {
            conn.batch_execute(LOCK_TIMEOUT)?;
            let before = changed_rows(conn)?;
            work(conn).map_err(StepError::Failed)?;
            let changed = changed_rows(conn)?.saturating_sub(before);
            lease.check(conn, changed)?;
            Ok(changed)
        });
        match result {
            Err(StepError::Failed(error)) if attempt < MAX_ATTEMPTS && is_about_locks(&error) => {
                thread::sleep(PAUSE.saturating_mul(attempt).min(MAX_PAUSE));
                attempt += 1;
            }
            result => return result,
        }
    }
}

fn is_about_locks(error: &anyhow::Error) -> bool {
    let message = format!("{error:#}");
    message.contains("lock timeout") || message.contains("deadlock detected")
}

/// Returns which migrations have been applied. Fails unless the database has what they create.
pub(super) fn checked(conn: &mut Conn) -> Result<BTreeSet<String>, OpenError> {
    // One snapshot: another process may be migrating.
    let mut snapshot = conn.build_transaction().repeatable_read().read_only();
    let read = snapshot.run(|conn| Ok::<_, DieselError>((applied(conn)?, found_schema(conn)?)));
    let (applied, found) = read.map_err(|error| OpenError::Migrate(error.into()))?;
    let newest = migration::newest::<Pg>(&MIGRATIONS).map_err(OpenError::Migrate)?;
    schema_check::check((SCHEMA, &newest), &applied, &found)?;
    Ok(applied)
}

/// Describes the tables, indexes and functions of the database.
fn found_schema(conn: &mut Conn) -> QueryResult<BTreeSet<String>> {
    Ok(sql::<Text>(FOUND_SCHEMA).load(conn)?.into_iter().collect())
}

fn changed_rows(conn: &mut Conn) -> QueryResult<i64> {
    diesel::select(sql::<BigInt>(CHANGED_ROWS)).get_result(conn)
}

fn record(conn: &mut Conn, migration: &dyn Migration<Pg>) -> anyhow::Result<()> {
    let version = version_of(migration);
    let recorded = sql_query("INSERT INTO __diesel_schema_migrations (version) VALUES ($1)");
    recorded.bind::<Text, _>(version).execute(conn).context("It was applied by another process").map(drop)
}

fn execute(conn: &mut Conn, migration: &dyn Migration<Pg>) -> anyhow::Result<()> {
    migration.run(conn).map_err(|error| anyhow!(error))
}

fn in_transaction(conn: &mut Conn, migration: &dyn Migration<Pg>, lease: &MigrationLease) -> Result<(), StepError> {
    retried(conn, lease, |conn| {
        execute(conn, migration)?;
        record(conn, migration)
    })
    .map(drop)
}

/// Runs a statement that waits for all older transactions, and therefore has no time limit.
fn concurrently(conn: &mut Conn, migration: &dyn Migration<Pg>, lease: &MigrationLease) -> Result<(), StepError> {
    for _ in 0..MAX_CREATIONS {
        await_creations(conn, lease)?;
        for index in sql::<Text>(INVALID_INDEXES).load::<String>(conn)? {
            tracing::info!(index, "Dropping an index that was not completed.");
            lease.check(conn, 0)?;
            conn.batch_execute(&format!("DROP INDEX CONCURRENTLY IF EXISTS {index}"))?;
        }
        lease.check(conn, 0)?;
        execute(conn, migration).map_err(StepError::Failed)?;
        // The statement creates nothing if an index of this name exists, even one that was not completed.
        if sql::<Text>(INVALID_INDEXES).load::<String>(conn)?.is_empty() {
            return retried(conn, lease, |conn| record(conn, migration)).map(drop);
        }
    }
    Err(StepError::Failed(anyhow!("An index is not valid after it was created. Does another program create indexes?")))
}

/// Waits until no connection creates an index.
fn await_creations(conn: &mut Conn, lease: &MigrationLease) -> Result<(), StepError> {
    let mut reported_at = Instant::now();
    while diesel::select(sql::<Bool>(IS_CREATING_INDEX)).get_result(conn)? {
        if reported_at.elapsed() >= REPORT_INTERVAL {
            reported_at = Instant::now();
            tracing::info!("Waiting for an index that another connection creates.");
            lease.check(conn, 0)?;
        }
        thread::sleep(PAUSE);
    }
    Ok(())
}

/// Repeats a statement until none of the rows that were there is left. Rests as long as each batch took, so that requests get at
/// least half of the database's time.
fn in_batches(conn: &mut Conn, migration: &dyn Migration<Pg>, lease: &MigrationLease) -> Result<(), StepError> {
    let (mut rows, mut batches, mut reported_at) = (0_i64, Batches::default(), Instant::now());
    loop {
        let began = Instant::now();
        let changed = retried(conn, lease, |conn| execute(conn, migration))?;
        if batches.are_complete_after(changed) {
            return retried(conn, lease, |conn| record(conn, migration)).map(drop);
        }
        rows = rows.saturating_add(changed);
        if reported_at.elapsed() >= REPORT_INTERVAL {
            reported_at = Instant::now();
            tracing::info!(migration = name_of(migration), rows, "Migrating the database in batches.");
        }
        thread::sleep(began.elapsed().max(MIN_REST));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::migration::sorted;
    use crate::scratch::ScratchDatabase;

    #[test]
    fn the_file_lists_what_each_migration_creates() {
        let database = ScratchDatabase::create().unwrap();
        let mut conn = connect(&database.url()).unwrap();
        conn.applied_migrations().unwrap();
        let steps = sorted(&MIGRATIONS).unwrap().into_iter().map(|migration| {
            conn.run_migration(&*migration).unwrap();
            (version_of(&*migration), found_schema(&mut conn).unwrap())
        });
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../migrations/postgres-schema.txt");
        schema_check::compare_file(path, steps);
    }
}
