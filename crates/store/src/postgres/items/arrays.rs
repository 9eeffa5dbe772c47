//! A statement over many rows, whose values are passed as one array per column.

use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::sql_types::{Array, BigInt, Nullable, Text};

use super::Conn;
use crate::dialect::text_query;
use crate::sql_types::{At, Id, Instant, Json, JsonDoc, Uid};

/// The values of one column.
pub(in crate::postgres) enum Column<'a> {
    Ids(Vec<Option<Id>>),
    Counts(Vec<Option<i64>>),
    Texts(Vec<Option<&'a str>>),
    Times(Vec<At>),
    Documents(Vec<Json>),
}

/// A statement of constant text around the columns, which are separated by commas. `T` is the SQL type of its rows. Its
/// text does not depend on the number of rows, so it is prepared once per connection.
pub(in crate::postgres) struct ArrayStatement<'a, T> {
    before: &'static str,
    columns: Vec<Column<'a>>,
    after: &'static str,
    rows: std::marker::PhantomData<T>,
}

impl<'a, T> ArrayStatement<'a, T> {
    pub(in crate::postgres) fn new(before: &'static str, columns: Vec<Column<'a>>, after: &'static str) -> Self {
        Self { before, columns, after, rows: std::marker::PhantomData }
    }
}

text_query!([T] ArrayStatement<'_, T> => T);

impl<T> QueryFragment<Pg> for ArrayStatement<'_, T> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(self.before);
        for (index, column) in self.columns.iter().enumerate() {
            out.push_sql(if index == 0 { "" } else { ", " });
            match column {
                Column::Ids(ids) => out.push_bind_param::<Array<Nullable<Uid>>, _>(ids)?,
                Column::Counts(counts) => out.push_bind_param::<Array<Nullable<BigInt>>, _>(counts)?,
                Column::Texts(texts) => out.push_bind_param::<Array<Nullable<Text>>, _>(texts)?,
                Column::Times(times) => out.push_bind_param::<Array<Instant>, _>(times)?,
                Column::Documents(documents) => out.push_bind_param::<Array<JsonDoc>, _>(documents)?,
            }
        }
        out.push_sql(self.after);
        Ok(())
    }
}
