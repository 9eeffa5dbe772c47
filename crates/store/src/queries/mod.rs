//! The queries, and the ports that they implement. Each file contains those of one concept. They are compiled once for
//! each database, with that database's connection and SQL.

pub(crate) mod administration;
pub(crate) mod data;
mod identity;
pub(crate) mod kernel;

use diesel::dsl::{AsSelect, Limit, Select};
use diesel::query_builder::QueryId;
use diesel::query_dsl::LoadQuery;
use diesel::query_dsl::methods::{ExecuteDsl, LimitDsl, SelectDsl};
use diesel::{Connection as _, OptionalExtension as _, RunQueryDsl, Selectable, SelectableHelper as _};
use steward_domain::kernel::{Cursor, Page, PageRequest, StoreError};

use super::dialect::RowByRow;
use super::{
    Backend, Conn, Database, Layout, dialect, drop_partitions, prepare, prove, recorded, without_transaction,
    write_items,
};
use crate::error::JobError;
use crate::job::stored;
use crate::tables::Stored;
use kernel::page::{self, MeasuredRow};

/// The columns of the rows of an entity.
type Columns<T> = AsSelect<<T as Stored>::Row, Backend>;

/// An entity that is read as one row.
trait Loaded:
    Stored<Row: Selectable<Backend, SelectExpression: QueryId>>
    + TryFrom<<Self as Stored>::Row, Error = JobError>
    + Send
    + 'static
{
}

impl<T> Loaded for T where
    T: Stored<Row: Selectable<Backend, SelectExpression: QueryId>>
        + TryFrom<<T as Stored>::Row, Error = JobError>
        + Send
        + 'static
{
}

impl Database {
    /// Returns the entity of the first row that the query finds.
    fn first<T, Q>(&self, query: Q) -> impl Future<Output = Result<Option<T>, StoreError>>
    where
        T: Loaded,
        Q: SelectDsl<Columns<T>>,
        Select<Q, Columns<T>>: RunQueryDsl<Conn> + LimitDsl + Send + 'static,
        Limit<Select<Q, Columns<T>>>: LoadQuery<'static, Conn, T::Row>,
    {
        self.first_as(query.select(T::Row::as_select()), T::try_from)
    }

    /// Returns what the first row of the query stands for.
    fn first_as<Q, R, T>(
        &self,
        query: Q,
        parse: impl FnOnce(R) -> Result<T, JobError> + Send + 'static,
    ) -> impl Future<Output = Result<Option<T>, StoreError>>
    where
        Q: RunQueryDsl<Conn> + LimitDsl + Send + 'static,
        Limit<Q>: LoadQuery<'static, Conn, R>,
        T: Send + 'static,
    {
        self.read(move |conn| query.first::<R>(conn).optional()?.map(parse).transpose())
    }

    /// Returns the entities whose rows the query finds.
    fn all<T, Q>(&self, query: Q) -> impl Future<Output = Result<Vec<T>, StoreError>>
    where
        T: Loaded,
        Q: SelectDsl<Columns<T>>,
        Select<Q, Columns<T>>: LoadQuery<'static, Conn, T::Row> + Send + 'static,
    {
        self.all_as(query.select(T::Row::as_select()), T::try_from)
    }

    /// Returns what the rows of the query stand for.
    fn all_as<Q, R, T>(
        &self,
        query: Q,
        parse: impl FnMut(R) -> Result<T, JobError> + Send + 'static,
    ) -> impl Future<Output = Result<Vec<T>, StoreError>>
    where
        Q: LoadQuery<'static, Conn, R> + Send + 'static,
        T: Send + 'static,
    {
        self.read(move |conn| query.load::<R>(conn)?.into_iter().map(parse).collect())
    }

    /// Returns a page of entities. The query is that of the request: see [`kernel::page`].
    fn page<T, Q>(
        &self,
        query: Q,
        request: &PageRequest,
        cursor: impl Fn(&T) -> Cursor + Send + 'static,
    ) -> impl Future<Output = Result<Page<T>, StoreError>>
    where
        T: Loaded,
        Q: SelectDsl<Columns<T>>,
        Select<Q, Columns<T>>: LoadQuery<'static, Conn, T::Row> + Send + 'static,
    {
        self.page_as(query.select(T::Row::as_select()), request, T::try_from, cursor)
    }

    /// Returns a page of what the rows of the query stand for.
    fn page_as<Q, R, T>(
        &self,
        query: Q,
        request: &PageRequest,
        parse: impl FnMut(R) -> Result<T, JobError> + Send + 'static,
        cursor: impl Fn(&T) -> Cursor + Send + 'static,
    ) -> impl Future<Output = Result<Page<T>, StoreError>>
    where
        Q: LoadQuery<'static, Conn, R> + Send + 'static,
        T: Send + 'static,
    {
        let rows = self.all_as(query, parse);
        async move { Ok(Page::of(rows.await?, request, cursor)) }
    }

    /// Returns a page of what rows stand for that may be large. `query` makes the query of a part of the page, which reads
    /// a number of rows.
    fn large_page<Q, R, T>(
        &self,
        request: &PageRequest,
        parse: fn(R) -> Result<T, JobError>,
        cursor: fn(&T) -> Cursor,
        query: impl Fn(&PageRequest, i64) -> Q + Send + 'static,
    ) -> impl Future<Output = Result<Page<T>, StoreError>>
    where
        Q: LoadQuery<'static, Conn, R, RowByRow> + 'static,
        R: MeasuredRow + 'static,
        T: Send + 'static,
    {
        let request = request.clone();
        self.read(move |conn| {
            page::read_page(&request, parse, cursor, |request, part| {
                part.take(query(request, part.limit()).load_iter::<R, RowByRow>(conn)?)
            })
        })
    }

    /// Runs `work`, which manages its own transaction.
    fn write<T, F>(&self, work: F) -> impl Future<Output = Result<T, StoreError>>
    where
        T: Send + 'static,
        F: FnOnce(&mut Conn) -> Result<T, JobError> + Send + 'static,
    {
        stored(self.run_write(work))
    }

    /// Runs `work` in a transaction.
    fn transact<T, F>(&self, work: F) -> impl Future<Output = Result<T, StoreError>>
    where
        T: Send + 'static,
        F: FnOnce(&mut Conn) -> Result<T, JobError> + Send + 'static,
    {
        self.write(move |conn| conn.transaction(work))
    }

    /// Runs a statement, whatever the number of rows that it changes.
    fn execute<Q>(&self, statement: Q) -> impl Future<Output = Result<(), StoreError>>
    where
        Q: RunQueryDsl<Conn> + ExecuteDsl<Conn> + Send + 'static,
    {
        self.write(move |conn| Ok(statement.execute(conn).map(drop)?))
    }
}
