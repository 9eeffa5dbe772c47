//! Keeps Steward's things in SQLite or PostgreSQL. One set of queries serves both: the files under `queries/` are
//! compiled once into [`postgres`] and once into [`sqlite`], which hold what differs.

#![expect(clippy::duplicate_mod, reason = "that is how one set of queries serves two databases")]

mod error;
mod executor;
mod fair_queue;
mod point_readers;
pub mod postgres;
mod postgres_address;
#[cfg(feature = "scratch")]
pub mod scratch;
mod sql_types;
pub mod sqlite;
mod tables;
mod writer;

pub use error::OpenError;
pub use executor::WorkerCounts;
pub use postgres::PostgresStore;
pub use sqlite::SqliteStore;
