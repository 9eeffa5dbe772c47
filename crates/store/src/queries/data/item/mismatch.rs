//! Finds items that no longer match a schema document. Each table is scanned once, in slices in primary key order, and
//! each item is checked against every query about its table. No statement takes long, however many items or queries
//! there are.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use const_format::concatcp;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{Bool, Text};
use steward_domain::data::ItemId;
use steward_domain::data::schema::{Mismatch, MismatchQuery, Mismatches};
use steward_domain::kernel::ProjectId;

use super::Conn;
use super::dialect::{FIELD_KEYS, FIELD_KIND, NOT_CANCELLED, kinds_of};
use super::kernel::statement::{Fragment, Statement};
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
        let mut after = None;
        loop {
            let rows: Vec<MismatchRow> = slice(Id(project.uuid()), &table, &table_queries, after.take()).load(conn)?;
            let Some((user, id, _)) = rows.last() else { break };
            after = Some((*user, id.clone()));
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

/// The user and the ID of an item, and one digit per query: `1` if the item matches the query, else `0`.
type MismatchRow = (Id, String, String);

fn count_mismatches(rows: Vec<MismatchRow>, results: &mut [&mut Mismatches], samples: usize) -> Result<(), JobError> {
    for (_, id, matches) in rows.into_iter().filter(|(.., matches)| matches.contains('1')) {
        let id = ItemId::stored(&id).map_err(JobError::corrupt)?;
        for (mismatches, _) in results.iter_mut().zip(matches.bytes()).filter(|(_, digit)| *digit == b'1') {
            mismatches.count = mismatches.count.saturating_add(1);
            if mismatches.samples.len() < samples && !mismatches.samples.contains(&id) {
                mismatches.samples.push(id.clone());
            }
        }
    }
    Ok(())
}

/// Builds the statement that reads the next slice of a table, after the last scanned item.
fn slice(
    project: Id,
    table: &str,
    queries: &[&MismatchQuery],
    after: Option<(Id, String)>,
) -> Statement<(Uid, Text, Text)> {
    let mut slice = Statement::new();
    slice.is_rare();
    slice.sql("SELECT items.user_id, items.id, ");
    for (index, query) in queries.iter().enumerate() {
        slice.sql(if index == 0 { "CASE WHEN 1 = 0" } else { " || CASE WHEN 1 = 0" });
        for mismatch in &query.any {
            slice.sql(" OR ");
            has_mismatch(&mut slice, mismatch);
        }
        slice.sql(" THEN '1' ELSE '0' END");
    }
    // Not written as an equality: SQLite would then use another index than the primary key and sort every slice.
    const TABLE: &str =
        concatcp!(" FROM items WHERE items.project_id = $1 AND NOT (items.table_name <> $2) AND ", NOT_CANCELLED);
    let table = Fragment::text(table);
    slice.push(TABLE, &[Fragment::Id(project), table.clone()]);
    if let Some((user, id)) = after {
        const AFTER: &str = " AND (items.user_id, items.table_name, items.id) > ($1, $2, $3)";
        slice.push(AFTER, &[Fragment::Id(user), table, Fragment::Text(id)]);
    }
    slice.sql(" ORDER BY items.user_id, items.table_name, items.id LIMIT ");
    slice.count(SLICE_ROWS);
    slice
}

/// Appends the condition that an item has the mismatch. Only names are parameters; all other text is constant.
pub(super) fn has_mismatch<T>(slice: &mut Statement<T>, mismatch: &Mismatch) {
    const KIND: &str = concatcp!("coalesce(", FIELD_KIND.0, "$1", FIELD_KIND.1, ", 'null')");
    match mismatch {
        Mismatch::Stored => slice.sql("1 = 1"),
        Mismatch::Holds(field) => slice.push(concatcp!(KIND, " <> 'null'"), &[Fragment::text(field)]),
        Mismatch::Lacks(field) => slice.push(concatcp!(KIND, " = 'null'"), &[Fragment::text(field)]),
        Mismatch::HoldsOther(field, kind) => {
            slice.push(concatcp!(KIND, " NOT IN ('null'"), &[Fragment::text(field)]);
            for text in kinds_of(*kind).iter().flat_map(|kind| [", '", *kind, "'"]) {
                slice.sql(text);
            }
            slice.sql(")");
        }
        Mismatch::HoldsBeside(fields) => {
            slice.sql(concatcp!("EXISTS (SELECT 1 FROM ", FIELD_KEYS));
            for (index, field) in fields.iter().enumerate() {
                slice.sql(if index == 0 { " WHERE held.key NOT IN (" } else { ", " });
                slice.text(field);
            }
            slice.sql(if fields.is_empty() { ")" } else { "))" });
        }
    }
}
