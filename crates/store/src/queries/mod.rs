//! The queries, and the ports that they implement. Each file contains those of one concept. They are compiled once for
//! each database, with that database's connection and SQL.

pub(crate) mod administration;
pub(crate) mod data;
mod identity;
pub(crate) mod kernel;

use diesel::{OptionalExtension as _, QueryResult};
use steward_domain::kernel::StoreError;

use super::dialect::{
    CLAIM_LOCK, FIELD_KEYS, FIELD_KIND, FIELDS, HAS_FIELD, IDS, KEY_VALUES, KEYS, LAST_SETTLED_POSITION,
    LAST_STARTED_POSITION, LAST_WRITTEN_POSITION, LOOKS_UP_IDS, NEWEST_UNPARTITIONED, OWN_LAST_POSITION,
    PARTITION_HINT, ROW_DELETED_TABLES, ROW_LOCK, RowByRow, SERVER, SETTLE_STATEMENTS, SETTLED_POSITION, SHARE_LOCK,
    SHORT_LOCK_TIMEOUT, SINGLE_STATEMENT_ITEMS, STORED_BYTES, WITHOUT_INDEX, field_path, in_snapshot, kinds_of,
    lock_domains, matching, next_position, own_first_position, push_has_position, push_is_of_this_life, push_life,
    push_position,
};
#[cfg(test)]
use super::dialect::{EXPLAIN, PlanColumns, PlanLine, plan_line};
use super::{Backend, Conn, Database, Layout, NOT_CANCELLED, drop_partitions, prepare, prove, recorded, write_items};
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
