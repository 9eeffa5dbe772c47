//! Migrations: how each runs, and what is reported about them.

use std::collections::BTreeSet;

use anyhow::anyhow;
use diesel::backend::Backend;
use diesel::migration::{Migration, MigrationSource};

/// The end of the names of migrations that change many rows.
const IN_BATCHES: &str = "_in_batches";

/// How a migration runs. It follows from its name and its `metadata.toml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StepKind {
    /// All of it in one transaction.
    Transaction,
    /// A single statement that cannot run in a transaction: `CREATE INDEX CONCURRENTLY IF NOT EXISTS`, or its reverse.
    Concurrent,
    /// A single statement that changes a bounded number of rows, and is repeated in a transaction each until it changes fewer.
    Batches,
}

impl StepKind {
    pub(crate) fn of<DB: Backend>(migration: &dyn Migration<DB>) -> Self {
        if name_of(migration).ends_with(IN_BATCHES) {
            Self::Batches
        } else if migration.metadata().run_in_transaction() {
            Self::Transaction
        } else {
            Self::Concurrent
        }
    }
}

/// Returns the name of the folder of a migration.
pub(crate) fn name_of<DB: Backend>(migration: &dyn Migration<DB>) -> String {
    migration.name().to_string()
}

/// Returns the version of a migration: the number with which its name starts.
pub(crate) fn version_of<DB: Backend>(migration: &dyn Migration<DB>) -> String {
    migration.name().version().to_string()
}

/// The migrations of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MigrationStatus {
    /// Number of migrations of this version that have been applied.
    pub applied: usize,
    /// Names of those that have not, in their order.
    pub pending: Vec<String>,
    /// Versions that this program does not know: a later version of it has applied them.
    pub later: Vec<String>,
    /// The migration that a process runs now.
    pub running: Option<RunningMigration>,
}

/// A migration that a process runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningMigration {
    /// Name of the migration.
    pub name: String,
    /// Number of rows that it has changed in batches.
    pub rows: i64,
    /// How long it has been running.
    pub seconds: i64,
}

/// The migrations of a source, in their order.
pub(crate) type Migrations<DB> = Vec<Box<dyn Migration<DB>>>;

/// Returns the migrations of a source in their order.
pub(crate) fn sorted<DB: Backend>(source: &impl MigrationSource<DB>) -> anyhow::Result<Migrations<DB>> {
    let mut migrations = source.migrations().map_err(|error| anyhow!(error))?;
    migrations.sort_by_key(|migration| version_of(&**migration));
    Ok(migrations)
}

/// Returns the migrations of a source that have not been applied, in their order.
pub(crate) fn pending<DB: Backend>(
    source: &impl MigrationSource<DB>,
    applied: &BTreeSet<String>,
) -> anyhow::Result<Migrations<DB>> {
    let mut pending = sorted(source)?;
    pending.retain(|migration| !applied.contains(&version_of(&**migration)));
    Ok(pending)
}

/// Compares the applied versions with the migrations of a source.
pub(crate) fn status<DB: Backend>(
    source: &impl MigrationSource<DB>,
    applied: &BTreeSet<String>,
    running: Option<RunningMigration>,
) -> anyhow::Result<MigrationStatus> {
    let known: BTreeSet<String> = sorted(source)?.iter().map(|migration| version_of(&**migration)).collect();
    Ok(MigrationStatus {
        applied: known.intersection(applied).count(),
        pending: pending(source, applied)?.iter().map(|migration| name_of(&**migration)).collect(),
        later: applied.difference(&known).cloned().collect(),
        running,
    })
}
