//! `steward migrate`: migrates and distributes the database, or reports which migrations are pending.

use anyhow::bail;
use serde_json::json;
use steward_store::{MigrationStatus, PostgresStore, SqliteStore};

use crate::cli::Migrate;
use crate::config::{Config, Database};
use crate::files::{new_database, private_files};
use crate::{terminal, wiring};

pub fn run(config: &Config, arguments: &Migrate) -> anyhow::Result<()> {
    if !arguments.status {
        private_files::protect(config);
        new_database::warn(config);
        wiring::migrate(&config.database)?;
        if arguments.distribute {
            let Database::Postgres(url) = &config.database else {
                bail!("Only a PostgreSQL database can be distributed.");
            };
            PostgresStore::distribute(url, arguments.shards)?;
        }
        return Ok(());
    }
    let MigrationStatus { applied, pending, later, running } = match &config.database {
        Database::Sqlite(path) => SqliteStore::migration_status(&path.to_string_lossy())?,
        Database::Postgres(url) => PostgresStore::migration_status(url)?,
    };
    let running = running
        .map(|running| json!({"migration": running.name, "changed_rows": running.rows, "seconds": running.seconds}));
    let status = json!({"applied": applied, "pending": pending, "later_versions": later, "running": running});
    terminal::print(&status.to_string())?;
    if pending.is_empty() { Ok(()) } else { bail!("{} migrations are pending.", pending.len()) }
}
