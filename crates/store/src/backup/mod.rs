//! Reads all rows of a database for a backup, and writes them into an empty database of either kind.
//!
//! A row is a JSON object that both databases read and write: UUIDs, timestamps and days as text, JSON as a string,
//! binary data in hexadecimal, and the rest as it is. The columns come from the database, so a new column is part of
//! every backup. Rows are streamed: memory does not depend on the size of the database.

mod batches;
#[cfg_attr(not(feature = "postgres"), path = "no_postgres.rs")]
mod postgres;
mod rows;
mod server_keys;
mod sql;
mod sqlite;
mod tables;

use anyhow::bail;

pub use rows::{BackupColumn, BackupRows, RowSink, RowSource};
pub use server_keys::server_keys;
pub use tables::{names, skipped};

/// The database to back up or restore.
#[derive(Debug, Clone, Copy)]
pub enum BackupDatabase<'a> {
    /// The path of an SQLite file.
    Sqlite(&'a str),
    /// A PostgreSQL connection URL.
    Postgres(&'a str),
}

impl BackupDatabase<'_> {
    /// Returns the kind of the database, as a backup names it.
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Sqlite(_) => "sqlite",
            Self::Postgres(_) => "postgres",
        }
    }
}

/// Sends all rows of one consistent snapshot of the database, table by table, each after the tables that it refers to.
/// Does not block a running service.
///
/// # Errors
///
/// If the database cannot be read, or if the sink fails.
pub fn export(database: BackupDatabase<'_>, sink: &mut dyn RowSink) -> anyhow::Result<()> {
    match database {
        BackupDatabase::Sqlite(path) => sqlite::export(path, sink),
        BackupDatabase::Postgres(url) => postgres::export(url, sink),
    }
}

/// Fails unless the database has no rows. A database without tables is empty.
///
/// # Errors
///
/// If the database cannot be read or is not empty.
pub fn check_empty(database: BackupDatabase<'_>) -> anyhow::Result<()> {
    match database {
        BackupDatabase::Sqlite(path) => sqlite::check_empty(path),
        BackupDatabase::Postgres(url) => postgres::check_empty(url),
    }
}

/// Fails if a backup has tables that this version does not know. Their rows would be lost.
///
/// # Errors
///
/// If there are such tables.
pub fn check_tables(source: &dyn RowSource) -> anyhow::Result<()> {
    let unknown: Vec<&str> = source.tables().into_iter().filter(|table| names().all(|name| name != *table)).collect();
    if !unknown.is_empty() {
        bail!(
            "The backup contains tables that this version does not know: {}. Restore with the version that made the \
             backup.",
            unknown.join(", ")
        );
    }
    Ok(())
}

/// Writes the rows of a backup into a migrated database without rows, in one transaction: all of them or, after an
/// error, none.
///
/// # Errors
///
/// If the database is not empty or rejects a row, if its tables or columns differ from those of the backup, or if the
/// source fails.
pub fn import(database: BackupDatabase<'_>, source: &mut dyn RowSource) -> anyhow::Result<()> {
    check_tables(source)?;
    match database {
        BackupDatabase::Sqlite(path) => sqlite::import(path, source),
        BackupDatabase::Postgres(url) => postgres::import(url, source),
    }
}
