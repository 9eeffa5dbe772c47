//! Stores Steward's data in SQLite or PostgreSQL. Both use the same queries: the files under `queries/` are compiled
//! once into [`postgres`] and once into [`sqlite`], which contain the database-specific parts.

#![cfg_attr(
    feature = "postgres",
    expect(clippy::duplicate_mod, reason = "the shared queries are compiled once for each database")
)]

pub mod backup;
mod change_inbox;
mod dialect;
mod error;
mod executor;
mod fair_queue;
mod job;
mod migration;
mod position_marker;
#[cfg_attr(not(feature = "postgres"), path = "no_postgres.rs")]
pub mod postgres;
mod recent_set;
mod schema_check;
#[cfg(feature = "scratch")]
pub mod scratch;
mod sql_types;
pub mod sqlite;
mod tables;

pub use error::OpenError;
pub use executor::WorkerCounts;
pub use migration::{MigrationStatus, RunningMigration};
pub use postgres::PostgresStore;
pub use sqlite::SqliteStore;
