//! Databases for tests. Each test gets its own database, which is deleted after the test.

use std::sync::OnceLock;

use anyhow::anyhow;
use diesel::connection::SimpleConnection as _;
use diesel::sql_types::Text;
use diesel::{Connection as _, QueryableByName, RunQueryDsl as _, SqliteConnection};
use uuid::Uuid;

use crate::error::OpenError;
use crate::postgres::{PostgresStore, establish};

/// An empty database on a running PostgreSQL server. Dropping this value drops the database.
pub struct ScratchDatabase {
    server: String,
    name: String,
}

impl ScratchDatabase {
    /// Creates a database on the server in `TEST_DATABASE_URL`. Its role must be allowed to create databases.
    pub fn create() -> Result<Self, OpenError> {
        Self::create_with("")
    }

    /// Creates a database with the current schema. All of them are copies of one, because migrating takes longer.
    pub fn migrated() -> Result<Self, OpenError> {
        static TEMPLATE: OnceLock<Result<ScratchDatabase, OpenError>> = OnceLock::new();
        let template = TEMPLATE.get_or_init(|| {
            let template = Self::create()?;
            PostgresStore::migrate(&template.url())?;
            Ok(template)
        });
        template.as_ref().map_err(|error| OpenError::Migrate(anyhow!("{error:?}")))?.copy()
    }

    /// Creates a copy of this database, to which nobody may be connected.
    pub fn copy(&self) -> Result<Self, OpenError> {
        Self::create_with(&format!("TEMPLATE {}", self.name))
    }

    #[expect(clippy::disallowed_methods, reason = "the environment configures the server for tests")]
    fn create_with(options: &str) -> Result<Self, OpenError> {
        const MISSING: OpenError =
            OpenError::Address("TEST_DATABASE_URL is not set. Run `make test`, which starts a server.");
        let server = with_long_connect_timeout(&std::env::var("TEST_DATABASE_URL").map_err(|_| MISSING)?);
        let name = format!("steward_test_{}", Uuid::new_v4().as_simple());
        run(&server, &format!("CREATE DATABASE {name} {options}"))?;
        Ok(Self { server, name })
    }

    /// Closes every connection to the database, like a server restart.
    pub fn disconnect_all(&self) -> Result<(), OpenError> {
        let statement =
            format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{}'", self.name);
        run(&self.server, &statement)
    }

    /// Returns every row of every table as text.
    pub fn contents(&self) -> Result<String, OpenError> {
        let failed = |error: diesel::result::Error| OpenError::Connect(error.into());
        let mut conn = establish(&self.url()).map_err(|error| OpenError::Connect(error.into()))?;
        let tables = "SELECT table_name::text AS text FROM information_schema.tables WHERE table_schema = 'public'";
        let tables: Vec<Line> = diesel::sql_query(tables).load(&mut conn).map_err(failed)?;
        let mut contents = String::new();
        for table in tables {
            let rows = format!("SELECT t::text AS text FROM \"{}\" t", table.text);
            let rows: Vec<Line> = diesel::sql_query(rows).load(&mut conn).map_err(failed)?;
            contents.extend(rows.into_iter().flat_map(|row| [row.text, "\n".to_owned()]));
        }
        Ok(contents)
    }

    /// Returns the connection URL of the database.
    pub fn url(&self) -> String {
        let (rest, query) = match self.server.split_once('?') {
            Some((rest, query)) => (rest, format!("?{query}")),
            None => (self.server.as_str(), String::new()),
        };
        let stem = rest.rsplit_once('/').map_or(rest, |(stem, _)| stem);
        format!("{stem}/{}{query}", self.name)
    }
}

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    text: String,
}

/// Runs a statement directly on the database of a store. `database` is a PostgreSQL URL or the path of a SQLite file.
pub fn execute_sql(database: &str, statement: &str) -> Result<(), OpenError> {
    if database.starts_with("postgres") {
        return run(database, statement);
    }
    let mut conn = SqliteConnection::establish(database).map_err(|error| OpenError::Connect(error.into()))?;
    let statement = format!("PRAGMA busy_timeout = 5000; {statement}");
    conn.batch_execute(&statement).map_err(|error| OpenError::Connect(error.into()))
}

impl Drop for ScratchDatabase {
    fn drop(&mut self) {
        if let Err(error) = run(&self.server, &format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name)) {
            tracing::warn!(%error, "Unable to drop a scratch database.");
        }
    }
}

/// Returns the URL with a long connection timeout: a loaded machine must not fail a test.
fn with_long_connect_timeout(server: &str) -> String {
    let separator = if server.contains('?') { '&' } else { '?' };
    format!("{server}{separator}connect_timeout=60")
}

fn run(server: &str, statement: &str) -> Result<(), OpenError> {
    let mut conn = establish(server).map_err(|error| OpenError::Connect(error.into()))?;
    diesel::sql_query(statement).execute(&mut conn).map_err(|error| OpenError::Connect(error.into()))?;
    Ok(())
}
