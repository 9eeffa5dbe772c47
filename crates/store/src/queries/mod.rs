//! The queries, and the ports that they implement. Each file contains those of one concept. They are compiled once for
//! each database, with that database's connection and SQL.

pub(crate) mod administration;
pub(crate) mod data;
mod identity;
pub(crate) mod kernel;

use diesel::{OptionalExtension as _, QueryResult};
use steward_domain::kernel::StoreError;

use super::{Backend, Conn, Database, Layout, dialect, drop_partitions, prepare, prove, recorded, write_items};
use crate::error::JobError;
use crate::job::stored;

impl Database {
    /// Returns the entity whose row the query reads, if there is one.
    fn read_one<R, T, F>(&self, query: F) -> impl Future<Output = Result<Option<T>, StoreError>>
    where
        T: TryFrom<R, Error = JobError> + Send + 'static,
        F: FnOnce(&mut Conn) -> QueryResult<R> + Send + 'static,
    {
        self.read(|conn| query(conn).optional()?.map(T::try_from).transpose())
    }

    /// Returns the entities whose rows the query reads.
    fn read_all<R, T, F>(&self, query: F) -> impl Future<Output = Result<Vec<T>, StoreError>>
    where
        T: TryFrom<R, Error = JobError> + Send + 'static,
        F: FnOnce(&mut Conn) -> QueryResult<Vec<R>> + Send + 'static,
    {
        self.read(|conn| query(conn)?.into_iter().map(T::try_from).collect())
    }

    /// Runs `work`, which manages its own transaction.
    fn write<T, F>(&self, work: F) -> impl Future<Output = Result<T, StoreError>>
    where
        T: Send + 'static,
        F: FnOnce(&mut Conn) -> Result<T, JobError> + Send + 'static,
    {
        stored(self.run_write(work))
    }
}
