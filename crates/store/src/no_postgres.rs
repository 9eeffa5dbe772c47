//! Takes the place of PostgreSQL in a build without the feature `postgres`: no database can be opened.

use crate::{MigrationStatus, OpenError, SqliteStore, WorkerCounts};

const MISSING: OpenError = OpenError::Address("this program is built without PostgreSQL.");

/// Fails with every URL.
pub struct PostgresStore;

impl PostgresStore {
    /// Fails.
    pub fn open_with(_: &str, _: WorkerCounts) -> Result<SqliteStore, OpenError> {
        Err(MISSING)
    }

    /// Fails.
    pub fn migrate(_: &str) -> Result<(), OpenError> {
        Err(MISSING)
    }

    /// Fails.
    pub fn migration_status(_: &str) -> Result<MigrationStatus, OpenError> {
        Err(MISSING)
    }

    /// Fails.
    pub fn distribute(_: &str, _: u32) -> Result<(), OpenError> {
        Err(MISSING)
    }

    /// Fails.
    pub fn check_schema(_: &str) -> Result<(), OpenError> {
        Err(MISSING)
    }
}
