//! What the statements of both databases have in common.

use anyhow::bail;

use super::rows::{BackupColumn, RowSource};
use super::tables::{SKIPPED_COLUMNS, Table};

/// Returns an error for a database that contains rows.
pub(super) fn not_empty(table: &str) -> anyhow::Error {
    anyhow::anyhow!(
        "The database already contains data (in the table {table}). Restore into an empty one: a new SQLite file or a \
         new PostgreSQL database."
    )
}

pub(super) fn without_skipped(table: &str, columns: Vec<BackupColumn>) -> Vec<BackupColumn> {
    let is_skipped = |column: &BackupColumn| SKIPPED_COLUMNS.contains(&(table, column.name.as_str()));
    columns.into_iter().filter(|column| !is_skipped(column)).collect()
}

/// Fails unless a backup has the same columns as the database.
pub(super) fn check_columns(
    table: &str,
    own: &[BackupColumn],
    source: &dyn RowSource,
) -> anyhow::Result<Vec<BackupColumn>> {
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
pub(super) fn object_arguments(
    table: &Table,
    columns: &[BackupColumn],
    expression: impl Fn(&BackupColumn) -> String,
) -> String {
    let argument = |column: &BackupColumn| {
        let fixed = table.fixed.iter().find(|(name, _)| *name == column.name);
        let value = fixed.map_or_else(|| expression(column), |(_, value)| (*value).to_owned());
        format!("'{}', {value}", column.name)
    };
    columns.iter().map(argument).collect::<Vec<_>>().join(", ")
}

pub(super) fn quoted(columns: &[BackupColumn]) -> String {
    columns.iter().map(|column| format!("\"{}\"", column.name)).collect::<Vec<_>>().join(", ")
}
