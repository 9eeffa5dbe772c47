//! Finds items that no longer match a schema document. Each table is scanned once, in slices in primary key order, and
//! each item is checked against every query about its table. No statement takes long, however many items or queries
//! there are.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{BigInt, Bool, Text};
use steward_domain::data::ItemId;
use steward_domain::data::schema::{Mismatch, MismatchQuery, Mismatches};
use steward_domain::kernel::ProjectId;

use super::dialect::{FIELD_KEYS, FIELD_KIND, NOT_CANCELLED, kinds_of};
use super::{Backend, Conn};
use crate::error::JobError;
use crate::executor::still_wanted;
use crate::sql_types::{Id, Uid};
use crate::tables::items;

/// Maximum number of items that one statement scans.
const SLICE_ROWS: i64 = 2_000;
/// Maximum total duration of a search. It is checked between statements.
const TIME_LIMIT: Duration = Duration::from_secs(8);

/// Returns one result per query, in the order of the queries. `None` if the search takes too long or is cancelled.
pub(crate) fn find(
    conn: &mut Conn,
    project: ProjectId,
    queries: &[MismatchQuery],
    samples: usize,
) -> Result<Option<Vec<Mismatches>>, JobError> {
    let deadline = Instant::now() + TIME_LIMIT;
    let mut found = vec![Mismatches::default(); queries.len()];
    for table in tables_with_items(conn, project, queries)? {
        let of_table = |(query, _): &(&MismatchQuery, &mut Mismatches)| query.table == table;
        let (table_queries, mut results): (Vec<_>, Vec<_>) = queries.iter().zip(&mut found).filter(of_table).unzip();
        let mut statement =
            SliceStatement { project: Id(project.uuid()), table: &table, queries: table_queries, after: None };
        while let Some(rows) = statement.next_slice(conn)? {
            count_mismatches(rows, &mut results, samples)?;
            if Instant::now() > deadline || !still_wanted() {
                return Ok(None);
            }
        }
    }
    Ok(Some(found))
}

/// Returns the queried tables that contain items. Most tables that a document adds are empty.
fn tables_with_items(conn: &mut Conn, project: ProjectId, queries: &[MismatchQuery]) -> Result<Vec<String>, JobError> {
    let names: BTreeSet<&str> = queries.iter().map(|query| query.table.as_str()).collect();
    let tables = items::table
        .filter(items::project_id.eq(Id(project.uuid())))
        .filter(items::table_name.eq_any(names))
        .filter(sql::<Bool>(NOT_CANCELLED))
        .select(items::table_name)
        .distinct();
    Ok(tables.load(conn)?)
}

/// An item, and one digit per query: `1` if the item matches the query, else `0`.
#[derive(Queryable)]
struct MismatchRow {
    user_id: Id,
    id: String,
    matches: String,
}

fn count_mismatches(rows: Vec<MismatchRow>, results: &mut [&mut Mismatches], samples: usize) -> Result<(), JobError> {
    for row in rows.into_iter().filter(|row| row.matches.contains('1')) {
        let id = ItemId::stored(&row.id).map_err(JobError::corrupt)?;
        for (mismatches, _) in results.iter_mut().zip(row.matches.bytes()).filter(|(_, digit)| *digit == b'1') {
            mismatches.count = mismatches.count.saturating_add(1);
            if mismatches.samples.len() < samples && !mismatches.samples.contains(&id) {
                mismatches.samples.push(id.clone());
            }
        }
    }
    Ok(())
}

/// The statement that reads the next slice of a table.
struct SliceStatement<'a> {
    project: Id,
    table: &'a str,
    queries: Vec<&'a MismatchQuery>,
    /// User and ID of the last scanned item.
    after: Option<(Id, String)>,
}

impl SliceStatement<'_> {
    /// Returns the next items, or `None` at the end of the table.
    fn next_slice(&mut self, conn: &mut Conn) -> Result<Option<Vec<MismatchRow>>, JobError> {
        let rows: Vec<MismatchRow> = (&*self).load(conn)?;
        let Some(last) = rows.last() else { return Ok(None) };
        self.after = Some((last.user_id, last.id.clone()));
        Ok(Some(rows))
    }
}

impl Query for SliceStatement<'_> {
    type SqlType = (Uid, Text, Text);
}

impl RunQueryDsl<Conn> for &SliceStatement<'_> {}

impl QueryId for SliceStatement<'_> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl QueryFragment<Backend> for SliceStatement<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Backend>) -> QueryResult<()> {
        out.push_sql("SELECT items.user_id, items.id, ");
        for (index, query) in self.queries.iter().enumerate() {
            out.push_sql(if index == 0 { "CASE WHEN " } else { " || CASE WHEN " });
            any(&query.any, &mut out)?;
            out.push_sql(" THEN '1' ELSE '0' END");
        }
        out.push_sql(" FROM items WHERE items.project_id = ");
        out.push_bind_param::<Uid, _>(&self.project)?;
        // Not written as an equality: SQLite would then use another index than the primary key and sort every slice.
        out.push_sql(" AND NOT (items.table_name <> ");
        out.push_bind_param::<Text, _>(self.table)?;
        out.push_sql(") AND ");
        out.push_sql(NOT_CANCELLED);
        if let Some((user, id)) = &self.after {
            out.push_sql(" AND (items.user_id, items.table_name, items.id) > (");
            out.push_bind_param::<Uid, _>(user)?;
            out.push_sql(", ");
            out.push_bind_param::<Text, _>(self.table)?;
            out.push_sql(", ");
            out.push_bind_param::<Text, _>(id)?;
            out.push_sql(")");
        }
        out.push_sql(" ORDER BY items.user_id, items.table_name, items.id LIMIT ");
        out.push_bind_param::<BigInt, _>(&SLICE_ROWS)
    }
}

fn any<'b>(mismatches: &'b [Mismatch], out: &mut AstPass<'_, 'b, Backend>) -> QueryResult<()> {
    out.push_sql("1 = 0");
    for mismatch in mismatches {
        out.push_sql(" OR ");
        one(mismatch, out)?;
    }
    Ok(())
}

/// Appends the condition that an item has the mismatch. Only names are bind parameters; all other text is constant.
fn one<'b>(mismatch: &'b Mismatch, out: &mut AstPass<'_, 'b, Backend>) -> QueryResult<()> {
    match mismatch {
        Mismatch::Stored => out.push_sql("1 = 1"),
        Mismatch::Holds(field) => {
            kind_of(field, out)?;
            out.push_sql(" <> 'null'");
        }
        Mismatch::Lacks(field) => {
            kind_of(field, out)?;
            out.push_sql(" = 'null'");
        }
        Mismatch::HoldsOther(field, kind) => {
            kind_of(field, out)?;
            out.push_sql(" NOT IN ('null'");
            for kind in kinds_of(*kind) {
                out.push_sql(", '");
                out.push_sql(kind);
                out.push_sql("'");
            }
            out.push_sql(")");
        }
        Mismatch::HoldsBeside(fields) => {
            out.push_sql("EXISTS (SELECT 1 FROM ");
            out.push_sql(FIELD_KEYS);
            for (index, field) in fields.iter().enumerate() {
                out.push_sql(if index == 0 { " WHERE held.key NOT IN (" } else { ", " });
                out.push_bind_param::<Text, _>(field)?;
            }
            out.push_sql(if fields.is_empty() { ")" } else { "))" });
        }
    }
    Ok(())
}

fn kind_of<'b>(field: &'b String, out: &mut AstPass<'_, 'b, Backend>) -> QueryResult<()> {
    out.push_sql("coalesce(");
    out.push_sql(FIELD_KIND.0);
    out.push_bind_param::<Text, _>(field)?;
    out.push_sql(FIELD_KIND.1);
    out.push_sql(", 'null')");
    Ok(())
}
