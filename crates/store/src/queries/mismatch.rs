//! Items that do not fit a document any more. Each table is walked once, a slice at a time in the order of the primary
//! key, and each item is held against every query about its table, so that neither the number of items nor that of
//! queries makes one statement long.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{BigInt, Text};
use steward_domain::model::schema::{Mismatch, MismatchQuery, Mismatches};
use steward_domain::model::{ItemId, ProjectId};

use super::{Backend, Conn, FIELD_KEYS, FIELD_KIND, kinds_of};
use crate::error::JobError;
use crate::executor::still_wanted;
use crate::sql_types::{Id, Uid};
use crate::tables::items;

/// How many items one statement looks at.
const SLICE_ROWS: i64 = 2_000;
/// How long a search may take in all. It is looked at between statements.
const TIME_LIMIT: Duration = Duration::from_secs(8);

/// Answers each query in its place; `None`: it takes too long.
pub(super) fn find(
    conn: &mut Conn,
    project: ProjectId,
    queries: &[MismatchQuery],
    samples: usize,
) -> Result<Option<Vec<Mismatches>>, JobError> {
    let deadline = Instant::now() + TIME_LIMIT;
    let mut found = vec![Mismatches::default(); queries.len()];
    for table in tables_with_items(conn, project, queries)? {
        let of_table = |(query, _): &(&MismatchQuery, &mut Mismatches)| query.table == table;
        let (asked, mut told): (Vec<_>, Vec<_>) = queries.iter().zip(&mut found).filter(of_table).unzip();
        let mut walk = SliceStatement { project: Id(project.uuid()), table: &table, asked, after: None };
        while let Some(rows) = walk.next_slice(conn)? {
            note(rows, &mut told, samples)?;
            if Instant::now() > deadline || !still_wanted() {
                return Ok(None);
            }
        }
    }
    Ok(Some(found))
}

/// The tables that are asked about and hold anything: most that a document adds hold nothing.
fn tables_with_items(conn: &mut Conn, project: ProjectId, queries: &[MismatchQuery]) -> Result<Vec<String>, JobError> {
    let asked: BTreeSet<&str> = queries.iter().map(|query| query.table.as_str()).collect();
    let tables = items::table
        .filter(items::project_id.eq(Id(project.uuid())))
        .filter(items::table_name.eq_any(asked))
        .select(items::table_name)
        .distinct();
    Ok(tables.load(conn)?)
}

/// An item, and for each query a `1` when it asks for the item.
#[derive(Queryable)]
struct MismatchRow {
    user_id: Id,
    id: String,
    asked_for: String,
}

fn note(rows: Vec<MismatchRow>, told: &mut [&mut Mismatches], samples: usize) -> Result<(), JobError> {
    for row in rows.into_iter().filter(|row| row.asked_for.contains('1')) {
        let id = ItemId::parse(&row.id).map_err(JobError::corrupt)?;
        for (mismatches, _) in told.iter_mut().zip(row.asked_for.bytes()).filter(|(_, asked_for)| *asked_for == b'1') {
            mismatches.count = mismatches.count.saturating_add(1);
            if mismatches.samples.len() < samples && !mismatches.samples.contains(&id) {
                mismatches.samples.push(id.clone());
            }
        }
    }
    Ok(())
}

/// The statement for the next slice of a table.
struct SliceStatement<'a> {
    project: Id,
    table: &'a str,
    asked: Vec<&'a MismatchQuery>,
    /// User and id of the last item that was looked at.
    after: Option<(Id, String)>,
}

impl SliceStatement<'_> {
    /// The next items; `None`: that was all.
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
        for (place, query) in self.asked.iter().enumerate() {
            out.push_sql(if place == 0 { "CASE WHEN " } else { " || CASE WHEN " });
            any(&query.any, &mut out)?;
            out.push_sql(" THEN '1' ELSE '0' END");
        }
        out.push_sql(" FROM items WHERE items.project_id = ");
        out.push_bind_param::<Uid, _>(&self.project)?;
        // Said so because SQLite, told of equality, leaves the primary key for another index and sorts every slice.
        out.push_sql(" AND NOT (items.table_name <> ");
        out.push_bind_param::<Text, _>(self.table)?;
        out.push_sql(")");
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

fn any<'b>(errors: &'b [Mismatch], out: &mut AstPass<'_, 'b, Backend>) -> QueryResult<()> {
    out.push_sql("1 = 0");
    for error in errors {
        out.push_sql(" OR ");
        one(error, out)?;
    }
    Ok(())
}

/// Whether an item has the error. No bind parameter but names: the rest is from here.
fn one<'b>(error: &'b Mismatch, out: &mut AstPass<'_, 'b, Backend>) -> QueryResult<()> {
    match error {
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
            for (place, field) in fields.iter().enumerate() {
                out.push_sql(if place == 0 { " WHERE held.key NOT IN (" } else { ", " });
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
