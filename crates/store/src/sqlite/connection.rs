//! Opens and checks connections to SQLite.

use std::convert::Infallible;

use anyhow::anyhow;
use diesel::connection::SimpleConnection as _;
use diesel::r2d2::ConnectionManager;
use diesel::serialize::{self, IsNull, Output, ToSql};
use diesel::sql_types::{Bool, Nullable, Text};
use diesel::sqlite::Sqlite;
use diesel::{Connection as _, SqliteConnection, define_sql_function};
use r2d2::ManageConnection as _;
use steward_domain::kernel::{HealthError, case_folding};

use crate::error::OpenError;
use crate::executor::{self, ConnectionUse, Connector, OpenedConnection};

/// Settings of every connection: wait for locks, enforce foreign keys, return from a commit only after it is on disk, and
/// overwrite what is deleted with zeros.
const SESSION: &str = "PRAGMA busy_timeout = 4000; PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; \
     PRAGMA cache_size = -2000; PRAGMA temp_store = MEMORY; PRAGMA secure_delete = ON";

/// Opens and checks read connections.
pub(super) struct SqliteConnector {
    pub(super) manager: ConnectionManager<SqliteConnection>,
}

impl Connector for SqliteConnector {
    type Connection = SqliteConnection;
    type Row = Infallible;
    const HAS_ROW_REQUESTS: bool = false;

    fn connect(&self, purpose: ConnectionUse) -> Result<OpenedConnection<SqliteConnection>, anyhow::Error> {
        let mut connection = configure(self.manager.connect()?)?;
        // The control connection checks whether the file is writable, without waiting for locks.
        connection.batch_execute(match purpose {
            ConnectionUse::Pool(_) => "PRAGMA query_only = ON",
            ConnectionUse::Control => "PRAGMA busy_timeout = 0",
        })?;
        Ok(OpenedConnection { connection, backend: None })
    }

    fn is_alive(&self, connection: &mut SqliteConnection) -> bool {
        !self.manager.has_broken(connection)
    }

    fn check(&self, connection: &mut SqliteConnection) -> Result<(), HealthError> {
        // BEGIN IMMEDIATE alone also succeeds on a read-only file.
        const EMPTY_WRITE: &str = "BEGIN IMMEDIATE; DELETE FROM __diesel_schema_migrations WHERE 0; ROLLBACK";
        // A lock held by another writer shows that the file is writable.
        match connection.batch_execute(EMPTY_WRITE).map_err(|error| error.to_string()) {
            Ok(()) => Ok(()),
            Err(error) if error.contains("locked") => Ok(()),
            Err(error) if error.contains("readonly") => Err(HealthError::ReadOnly),
            Err(error) => Err(HealthError::Unreachable(anyhow!(error))),
        }
    }

    fn cancel(&self, _: &mut SqliteConnection, _: i32) -> Result<(), anyhow::Error> {
        // Readers detect the cancellation themselves: see `still_wanted`.
        Ok(())
    }
}

define_sql_function! {
    /// Returns true, or fails if the current job is abandoned. Used by `NOT_CANCELLED`.
    fn still_wanted() -> Bool;
}

define_sql_function! {
    /// Returns the text with the case of its characters folded. Used by patterns that ignore case.
    fn folded(text: Nullable<Text>) -> Nullable<Text>;
}

/// SQL value that is true while a caller waits for the current job, and an error afterwards.
#[derive(Debug)]
struct JobNotCancelled;

impl ToSql<Bool, Sqlite> for JobNotCancelled {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        if executor::still_wanted() {
            out.set_value(1_i32);
            Ok(IsNull::No)
        } else {
            Err("The job is cancelled: its caller no longer waits for it.".into())
        }
    }
}

pub(super) fn connect(path: &str) -> Result<SqliteConnection, OpenError> {
    configure(SqliteConnection::establish(path).map_err(|error| OpenError::Connect(error.into()))?)
}

/// Configures a new connection.
pub(super) fn configure(mut conn: SqliteConnection) -> Result<SqliteConnection, OpenError> {
    conn.batch_execute(SESSION).map_err(|error| OpenError::Connect(error.into()))?;
    let registered = still_wanted_utils::register_nondeterministic_impl(&conn, || JobNotCancelled);
    registered.map_err(|error| OpenError::Connect(error.into()))?;
    let registered =
        folded_utils::register_impl(&mut conn, |text: Option<String>| text.map(|text| case_folding::folded(&text)));
    registered.map_err(|error| OpenError::Connect(error.into()))?;
    Ok(conn)
}

/// Opens the writer's connection. The writer polls for the lock itself, at shorter intervals than SQLite.
pub(super) fn connect_writer(path: &str) -> Result<SqliteConnection, OpenError> {
    let mut conn = connect(path)?;
    conn.batch_execute("PRAGMA busy_timeout = 0").map_err(|error| OpenError::Connect(error.into()))?;
    Ok(conn)
}

/// Opens a connection for reads that must not wait.
pub(super) fn connect_point_reader(path: &str) -> Result<SqliteConnection, OpenError> {
    let mut conn = connect(path)?;
    let result = conn.batch_execute("PRAGMA busy_timeout = 0; PRAGMA query_only = ON");
    result.map_err(|error| OpenError::Connect(error.into()))?;
    Ok(conn)
}
