//! Reads all rows of a database for a backup, and writes them into an empty database of either kind.
//!
//! A row is a JSON object that both databases read and write: UUIDs, timestamps and days as text, JSON as a string,
//! binary data in hexadecimal, and the rest as it is. The columns come from the database, so a new column is part of
//! every backup. Rows are streamed: memory does not depend on the size of the database.

mod batches;
mod postgres;
mod server_keys;
mod sqlite;
mod tables;

use anyhow::bail;
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Bool, Text};

use batches::insert_rows;
use tables::{SKIPPED_COLUMNS, Table};

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

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq, QueryableByName)]
pub struct BackupColumn {
    /// The name, the same in both databases.
    #[diesel(sql_type = Text)]
    pub name: String,
    /// The type in the database that was backed up.
    #[diesel(sql_type = Text)]
    pub sql_type: String,
}

/// Receives the rows of a backup.
pub trait RowSink {
    /// Begins a table. The rows that follow belong to it.
    fn table(&mut self, name: &'static str, columns: &[BackupColumn]) -> anyhow::Result<()>;

    /// Receives a row: a JSON object on one line.
    fn row(&mut self, json: &str) -> anyhow::Result<()>;
}

/// The rows of a table, one line of JSON each.
pub type BackupRows<'a> = Box<dyn Iterator<Item = anyhow::Result<String>> + 'a>;

/// Provides the rows of a backup.
pub trait RowSource {
    /// Returns the names of all tables in the backup.
    fn tables(&self) -> Vec<&str>;

    /// Returns the columns of a table; `None` if the backup does not contain it.
    fn columns(&self, table: &str) -> Option<&[BackupColumn]>;

    /// Returns the rows of a table.
    fn rows(&mut self, table: &str) -> anyhow::Result<BackupRows<'_>>;
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

/// A row of a backup.
#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    line: String,
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = Bool)]
    found: bool,
}

/// Returns an error for a database that contains rows.
fn not_empty(table: &str) -> anyhow::Error {
    anyhow::anyhow!(
        "The database already contains data (in the table {table}). Restore into an empty one: a new SQLite file or a \
         new PostgreSQL database."
    )
}

fn without_skipped(table: &str, columns: Vec<BackupColumn>) -> Vec<BackupColumn> {
    let is_skipped = |column: &BackupColumn| SKIPPED_COLUMNS.contains(&(table, column.name.as_str()));
    columns.into_iter().filter(|column| !is_skipped(column)).collect()
}

/// Fails unless a backup has the same columns as the database.
fn check_columns(table: &str, own: &[BackupColumn], source: &dyn RowSource) -> anyhow::Result<Vec<BackupColumn>> {
    let Some(stored) = source.columns(table) else { bail!("The backup does not contain the table {table}.") };
    let names = |columns: &[BackupColumn]| columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>();
    if names(own) != names(stored) {
        bail!(
            "The columns of the table {table} differ between the backup and this version. Restore with the version that \
             made the backup, then upgrade."
        );
    }
    Ok(stored.to_vec())
}

/// The columns of a row as the arguments of a function that creates a JSON object.
fn object_arguments(table: &Table, columns: &[BackupColumn], expression: impl Fn(&BackupColumn) -> String) -> String {
    let argument = |column: &BackupColumn| {
        let fixed = table.fixed.iter().find(|(name, _)| *name == column.name);
        let value = fixed.map_or_else(|| expression(column), |(_, value)| (*value).to_owned());
        format!("'{}', {value}", column.name)
    };
    columns.iter().map(argument).collect::<Vec<_>>().join(", ")
}

fn quoted(columns: &[BackupColumn]) -> String {
    columns.iter().map(|column| format!("\"{}\"", column.name)).collect::<Vec<_>>().join(", ")
}
