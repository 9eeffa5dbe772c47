//! The running service: its start and end, its connections and its background jobs.

mod connection;
mod migration_metrics;
pub mod serve;
pub mod shutdown;
mod starting;
mod workers;
