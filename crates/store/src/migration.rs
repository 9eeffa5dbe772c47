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
    /// A single statement that changes a bounded number of rows, and is repeated in a transaction each until few are left.
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

/// Returns the version of the last migration of a source; empty if it has none.
pub(crate) fn newest<DB: Backend>(source: &impl MigrationSource<DB>) -> anyhow::Result<String> {
    Ok(sorted(source)?.last().map(|migration| version_of(&**migration)).unwrap_or_default())
}

/// The sizes of the batches of a migration, which decide when it is complete.
#[derive(Debug, Default)]
pub(crate) struct Batches {
    largest: i64,
    small: u32,
}

impl Batches {
    /// Number of small batches after which a migration is complete.
    const MAX_SMALL: u32 = 10;

    /// Adds a batch that changed this number of rows. Returns whether the migration is complete: nothing is left, or ever again
    /// only the few rows that are added at the same time. One small batch is not enough, because rows that are deleted or
    /// locked at the same time make a batch smaller, too.
    pub(crate) fn are_complete_after(&mut self, rows: i64) -> bool {
        self.largest = self.largest.max(rows);
        self.small = if rows < self.largest / 2 { self.small.saturating_add(1) } else { 0 };
        rows == 0 || self.small >= Self::MAX_SMALL
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_complete_when_nothing_or_only_new_rows_are_left() {
        let count = |sizes: &[i64]| {
            let mut batches = Batches::default();
            sizes.iter().position(|rows| batches.are_complete_after(*rows))
        };
        assert_eq!(count(&[100, 99, 100, 60, 0]), Some(4));
        assert_eq!(count(&[100, 30, 99, 100]), None, "Rows were deleted during one batch.");
        let beside_writers = [[100; 3].as_slice(), &[7; 12]].concat();
        assert_eq!(count(&beside_writers), Some(12));
        assert_eq!(count(&[0]), Some(0));
    }
}
