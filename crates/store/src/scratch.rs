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
    /// Makes a database with this id in its name. `server` is the address of any database there, as a role that may make
    /// more.
    pub fn create(server: &str, id: Uuid) -> Result<Self, OpenError> {
        let name = format!("steward_test_{}", id.as_simple());
        run(server, &format!("CREATE DATABASE {name}"))?;
        Ok(Self { server: server.to_owned(), name })
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
