//! The lease on the migrations of a PostgreSQL database: a row, so that it also works behind a pooler, where the
//! advisory lock of a session may belong to another client. A process that waits for it polls: a waiting statement would block
//! `CREATE INDEX CONCURRENTLY`.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use std::{mem, thread};

use diesel::connection::SimpleConnection as _;
use diesel::dsl::sql;
use diesel::result::Error as DieselError;
use diesel::sql_types::{BigInt, Bool, Text};
use diesel::{OptionalExtension as _, PgConnection, QueryResult, RunQueryDsl as _, sql_query};

use super::connection::establish::establish;
use crate::migration::RunningMigration;

/// Its name starts like that of Diesel's table: it belongs to the migrations, not to the schema.
const CREATE: &str = "CREATE TABLE IF NOT EXISTS __steward_migration_lease (
    is_only_row boolean PRIMARY KEY DEFAULT true CHECK (is_only_row),
    holder text NOT NULL,
    expires_at timestamptz NOT NULL,
    -- The migration that the holder runs; empty between two.
    migration text NOT NULL DEFAULT '',
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    changed_rows bigint NOT NULL DEFAULT 0
)";
const EXISTS: &str = "to_regclass('__steward_migration_lease') IS NOT NULL";
/// A holder that has not renewed its lease for this time has ended.
const TTL: &str = "clock_timestamp() + interval '20 seconds'";
const RENEWAL_INTERVAL: Duration = Duration::from_secs(4);
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// Time after which a waiting process reports again what it waits for.
const REPORT_INTERVAL: Duration = Duration::from_secs(10);

/// The lease of this process. A thread renews it, on a connection of its own, until it is dropped.
pub(super) struct MigrationLease {
    holder: String,
    stop: Option<Sender<()>>,
    renewal: Option<JoinHandle<()>>,
}

impl MigrationLease {
    /// Waits until no other process has the lease. Reports in the log what it waits for.
    pub(super) fn acquire(url: &str, conn: &mut PgConnection) -> QueryResult<Self> {
        create(conn)?;
        let mut reported_at: Option<Instant> = None;
        let holder = loop {
            if let Some(holder) = try_acquire(conn)? {
                break holder;
            }
            if reported_at.is_none_or(|at| at.elapsed() >= REPORT_INTERVAL) {
                reported_at = Some(Instant::now());
                let running = running(conn)?;
                let (migration, rows) = running.map_or_else(Default::default, |running| (running.name, running.rows));
                tracing::info!(migration, rows, "Another process migrates the database. Waiting for it.");
            }
            thread::sleep(POLL_INTERVAL);
        };
        let (stop, stopped) = channel();
        let (url, renewed) = (url.to_owned(), holder.clone());
        let renewal = thread::Builder::new().name("migration-lease".to_owned()).spawn(move || {
            let mut conn = None;
            while stopped.recv_timeout(RENEWAL_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                conn = renew(&url, mem::take(&mut conn), &renewed);
            }
        });
        let renewal = renewal.map_err(|error| DieselError::QueryBuilderError(error.into()))?;
        Ok(Self { holder, stop: Some(stop), renewal: Some(renewal) })
    }

    /// Records that a migration starts.
    pub(super) fn begin(&self, conn: &mut PgConnection, migration: &str) -> QueryResult<()> {
        let began = "UPDATE __steward_migration_lease SET migration = $2, started_at = clock_timestamp(), changed_rows = 0 \
             WHERE holder = $1";
        let rows = sql_query(began).bind::<Text, _>(&self.holder).bind::<Text, _>(migration).execute(conn)?;
        held(rows)
    }

    /// Adds to the number of changed rows. MUST be the last statement of each transaction that migrates: it fails if the
    /// lease has ended, for example because this process was suspended, so that no two processes migrate at once.
    pub(super) fn check(&self, conn: &mut PgConnection, changed_rows: i64) -> QueryResult<()> {
        let checked = format!(
            "UPDATE __steward_migration_lease SET changed_rows = changed_rows + $2, expires_at = {TTL} WHERE holder = $1"
        );
        let rows = sql_query(checked).bind::<Text, _>(&self.holder).bind::<BigInt, _>(changed_rows).execute(conn)?;
        held(rows)
    }

    /// Ends the lease, so that a process that waits for it continues at once.
    pub(super) fn release(mut self, conn: &mut PgConnection) -> QueryResult<()> {
        self.end_renewal();
        let released = sql_query("DELETE FROM __steward_migration_lease WHERE holder = $1");
        released.bind::<Text, _>(&self.holder).execute(conn).map(drop)
    }

    fn end_renewal(&mut self) {
        drop(self.stop.take());
        if let Some(renewal) = self.renewal.take()
            && renewal.join().is_err()
        {
            tracing::error!("The thread that renews the lease on migrations panicked.");
        }
    }
}

impl Drop for MigrationLease {
    fn drop(&mut self) {
        self.end_renewal();
    }
}

/// Returns the migration that another process runs now.
pub(super) fn running(conn: &mut PgConnection) -> QueryResult<Option<RunningMigration>> {
    if !exists(conn)? {
        return Ok(None);
    }
    let running = "SELECT migration, changed_rows, extract(epoch FROM clock_timestamp() - started_at)::bigint \
         FROM __steward_migration_lease WHERE expires_at > clock_timestamp() AND migration <> ''";
    let running: Option<(String, i64, i64)> = sql::<(Text, BigInt, BigInt)>(running).get_result(conn).optional()?;
    Ok(running.map(|(name, rows, seconds)| RunningMigration { name, rows, seconds }))
}

fn held(rows: usize) -> QueryResult<()> {
    if rows == 1 { Ok(()) } else { Err(DieselError::NotFound) }
}

/// Creates the table. If two processes do this at once, PostgreSQL fails for one of them, although the statement says
/// `IF NOT EXISTS`.
fn create(conn: &mut PgConnection) -> QueryResult<()> {
    if exists(conn)? {
        return Ok(());
    }
    let created = conn.batch_execute(CREATE);
    if created.is_err() && exists(conn)? { Ok(()) } else { created }
}

fn exists(conn: &mut PgConnection) -> QueryResult<bool> {
    diesel::select(sql::<Bool>(EXISTS)).get_result(conn)
}

fn try_acquire(conn: &mut PgConnection) -> QueryResult<Option<String>> {
    let acquired = format!(
        "INSERT INTO __steward_migration_lease AS lease (holder, expires_at) VALUES (gen_random_uuid()::text, {TTL}) \
         ON CONFLICT (is_only_row) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at, migration = '' \
         WHERE lease.expires_at <= clock_timestamp() RETURNING holder"
    );
    sql::<Text>(&acquired).get_result(conn).optional()
}

/// Renews the lease. Returns the connection for the next time, unless it failed. A lease that cannot be renewed ends.
fn renew(url: &str, conn: Option<PgConnection>, holder: &str) -> Option<PgConnection> {
    let mut conn = conn.or_else(|| establish(url).ok())?;
    let renewed = format!("UPDATE __steward_migration_lease SET expires_at = {TTL} WHERE holder = $1");
    sql_query(renewed).bind::<Text, _>(holder).execute(&mut conn).ok().map(|_| conn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::ScratchDatabase;

    #[test]
    fn a_process_that_was_suspended_for_too_long_can_not_migrate() {
        let database = ScratchDatabase::create().unwrap();
        let mut conn = establish(&database.url()).unwrap();
        let suspended = MigrationLease::acquire(&database.url(), &mut conn).unwrap();
        suspended.check(&mut conn, 1).unwrap();
        assert_eq!(try_acquire(&mut conn).unwrap(), None);
        conn.batch_execute("UPDATE __steward_migration_lease SET expires_at = clock_timestamp()").unwrap();
        let next = MigrationLease::acquire(&database.url(), &mut conn).unwrap();
        assert_eq!(suspended.check(&mut conn, 1), Err(DieselError::NotFound));
        next.begin(&mut conn, "0002_next").unwrap();
        next.check(&mut conn, 2).unwrap();
        let running = running(&mut conn).unwrap().unwrap();
        assert_eq!((running.name.as_str(), running.rows), ("0002_next", 2));
        next.release(&mut conn).unwrap();
        assert!(try_acquire(&mut conn).unwrap().is_some());
    }
}
