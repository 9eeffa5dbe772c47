//! The rows of a backup, as they leave one database and enter another.

use diesel::QueryableByName;
use diesel::sql_types::Text;
use serde::{Deserialize, Serialize};

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq, QueryableByName, Serialize, Deserialize)]
pub struct BackupColumn {
    /// The name, the same in both databases.
    #[diesel(sql_type = Text)]
    pub name: String,
    /// The type in the database that was backed up.
    #[diesel(sql_type = Text)]
    #[serde(rename = "type")]
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
