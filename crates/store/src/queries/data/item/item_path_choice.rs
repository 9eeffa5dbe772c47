//! Chooses the access path for a list of items.

use diesel::prelude::*;
use steward_domain::data::ItemQuery;
use steward_domain::data::schema::FieldType;
use steward_domain::kernel::{ProjectId, ProjectUserId};

use super::Conn;
use super::item_list::{item_count, key_count};
use super::item_path::{self, Index, MAX_COUNTED, Path};
use crate::error::JobError;
use crate::sql_types::Id;
use crate::tables::indexed_fields;

/// Returns whether the table has so few items that all of them may be scanned.
pub(crate) fn is_small(conn: &mut Conn, scope: (ProjectId, ProjectUserId, &str)) -> Result<bool, JobError> {
    let count: i64 = item_count(scope, MAX_COUNTED + 1).get_result(conn)?;
    Ok(count <= MAX_COUNTED)
}

/// Chooses the fastest path for the query. Items that match a condition are counted, not estimated: the statistics of
/// the database cover the keys of all projects together and say nothing about the keys of one user.
pub(crate) fn choose(
    conn: &mut Conn,
    (project, user, table): (ProjectId, ProjectUserId, &str),
    query: &ItemQuery,
) -> Result<Path, JobError> {
    if !item_path::uses_field(query) {
        return Ok(Path::Scan);
    }
    let first = query.order().first();
    let mut ordered = None;
    for index in filled_indexes(conn, project, table)? {
        if query.conditions().iter().any(|condition| index.narrows(condition)) {
            let count: i64 = key_count(&index, (project, user), query, MAX_COUNTED + 1).get_result(conn)?;
            if count <= MAX_COUNTED {
                return Ok(Path::Narrowed(index));
            }
        }
        if first.is_some_and(|first| index.is_of(&first.property)) {
            ordered = Some(index);
        }
    }
    Ok(ordered.map_or(Path::Scan, Path::Ordered))
}

fn filled_indexes(conn: &mut Conn, project: ProjectId, table: &str) -> Result<Vec<Index>, JobError> {
    let rows: Vec<(i64, String, String)> = indexed_fields::table
        .filter(indexed_fields::project_id.eq(Id(project.uuid())))
        .filter(indexed_fields::table_name.eq(table))
        .filter(indexed_fields::state.eq("filled"))
        .select((indexed_fields::id, indexed_fields::field, indexed_fields::kind))
        .load(conn)?;
    // An index of a field type that only a newer version of the service knows is not used.
    let index = |(id, field, kind): (i64, String, String)| Some(Index { id, field, kind: kind_of(&kind)? });
    Ok(rows.into_iter().filter_map(index).collect())
}

fn kind_of(text: &str) -> Option<FieldType> {
    FieldType::ALL.into_iter().find(|kind| kind.as_str() == text)
}
