//! Databases for tests: each test gets one of its own, gone with it.

use diesel::{Connection as _, PgConnection, RunQueryDsl as _};
use uuid::Uuid;

use crate::error::OpenError;

/// An empty database on a running PostgreSQL server; dropped with this value.
pub struct ScratchDatabase {
    server: String,
    name: String,
}

impl ScratchDatabase {
    /// Makes a database on the server that `TEST_DATABASE_URL` names, as a role that may make some.
    #[expect(clippy::disallowed_methods, reason = "tests are told their server by the environment")]
    pub fn create() -> Result<Self, OpenError> {
        const MISSING: OpenError = OpenError::Address("TEST_DATABASE_URL is not set; `make test` starts a server");
        let server = std::env::var("TEST_DATABASE_URL").map_err(|_| MISSING)?;
        let name = format!("steward_test_{}", Uuid::new_v4().as_simple());
        run(&server, &format!("CREATE DATABASE {name}"))?;
        Ok(Self { server, name })
    }

    /// Ends every connection to it, as a restart of the server would.
    pub fn disconnect_everybody(&self) -> Result<(), OpenError> {
        let statement =
            format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{}'", self.name);
        run(&self.server, &statement)
    }

    /// Its address.
    pub fn url(&self) -> String {
        let (rest, query) = match self.server.split_once('?') {
            Some((rest, query)) => (rest, format!("?{query}")),
            None => (self.server.as_str(), String::new()),
        };
        let stem = rest.rsplit_once('/').map_or(rest, |(stem, _)| stem);
        format!("{stem}/{}{query}", self.name)
    }
}

impl Drop for ScratchDatabase {
    fn drop(&mut self) {
        if let Err(error) = run(&self.server, &format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name)) {
            tracing::warn!(%error, "a scratch database was left behind");
        }
    }
}

fn run(server: &str, statement: &str) -> Result<(), OpenError> {
    let mut conn = PgConnection::establish(server).map_err(|error| OpenError::Connect(error.into()))?;
    diesel::sql_query(statement).execute(&mut conn).map_err(|error| OpenError::Connect(error.into()))?;
    Ok(())
}
