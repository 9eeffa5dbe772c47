//! The manifest of a backup: what the archive contains, with checksums.

use serde::{Deserialize, Serialize};
use steward_store::backup::BackupColumn;

/// The format of archives that this version writes and reads.
pub const FORMAT: u32 = 1;
/// Names of the manifest, and of the file with its checksum, in the archive.
pub const MANIFEST: &str = "manifest.json";
pub const MANIFEST_CHECKSUM: &str = "manifest.json.sha256";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    pub format: u32,
    /// Version of the program that made the backup.
    pub version: String,
    pub created_at: String,
    /// Kind of the database that was backed up: `sqlite` or `postgres`.
    pub database: String,
    pub tables: Vec<TablePart>,
    pub images: Vec<Part>,
    /// Images that were deleted while the backup was made.
    pub missing_images: Vec<String>,
}

/// A file in the archive.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    pub name: String,
    pub bytes: u64,
    pub sha256: String,
}

/// The rows of a table: one JSON object per line, compressed with gzip.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TablePart {
    pub table: String,
    pub columns: Vec<BackupColumn>,
    pub rows: u64,
    pub file: Part,
}

impl Manifest {
    /// Returns the number of rows of all tables.
    pub fn rows(&self) -> u64 {
        self.tables.iter().map(|table| table.rows).sum()
    }
}
