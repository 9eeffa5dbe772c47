//! How items are found: through all of the table, or by the keys of an indexed field when that is the shorter way.

use diesel::prelude::*;
use steward_domain::model::item_query::{Comparison, Condition, Property, Test};
use steward_domain::model::schema::FieldType;
use steward_domain::model::{ItemQuery, ProjectId, ProjectUserId};

use super::item_list::{item_count, key_count};
use super::{Conn, KEYS};
use crate::error::JobError;
use crate::sql_types::Id;
use crate::tables::indexed_fields;

/// This many items are found one by one faster than a table is gone through.
const MAX_COUNTED: i64 = 1_000;

/// Where a database is told to read keys, and then the item of each.
pub(super) struct KeySql {
    pub texts: &'static str,
    pub numbers: &'static str,
    /// Stands between the keys and the place of items.
    pub joined: &'static str,
    /// Stands between the place of items and conditions on keys.
    pub where_keys: &'static str,
}

/// A field that every item of its table is keyed by.
#[derive(Debug)]
pub(super) struct Index {
    pub id: i64,
    field: String,
    kind: FieldType,
}

impl Index {
    pub(super) fn is_text(&self) -> bool {
        self.kind == FieldType::String
    }

    /// Where its keys are read.
    pub(super) fn source(&self) -> &'static str {
        if self.is_text() { KEYS.texts } else { KEYS.numbers }
    }

    /// The column that holds its keys.
    pub(super) fn column(&self) -> &'static str {
        if self.is_text() { "text_key" } else { "number_key" }
    }

    pub(super) fn is_of(&self, property: &Property) -> bool {
        matches!(property, Property::Field { name, kind } if *name == self.field && *kind == self.kind)
    }

    /// Whether its keys tell which items cannot fulfil the condition.
    pub(super) fn narrows(&self, condition: &Condition) -> bool {
        let by_value = match condition.test {
            Test::Compares(comparison, _) => comparison != Comparison::Neq,
            Test::In(_) | Test::Is(_) => true,
            Test::Like(_) | Test::IsNull => false,
        };
        by_value && !condition.negated && self.is_of(&condition.property)
    }
}

/// How items are found.
#[derive(Debug)]
pub(super) enum Path {
    /// By looking through the table, or by what every item is found by.
    Through,
    /// By the few keys that the conditions on their field leave.
    Narrowed(Index),
    /// In the order of the keys.
    Ordered(Index),
}

impl Path {
    pub(super) fn index(&self) -> Option<&Index> {
        match self {
            Self::Through => None,
            Self::Narrowed(index) | Self::Ordered(index) => Some(index),
        }
    }

    pub(super) fn orders(&self) -> Option<&Index> {
        match self {
            Self::Ordered(index) => Some(index),
            Self::Through | Self::Narrowed(_) => None,
        }
    }
}

/// Whether keys could be of use: most lists ask for no field at all.
pub(super) fn asks_for_a_field(query: &ItemQuery) -> bool {
    let first = query.order().first().map(|key| &key.property);
    let mut asked = query.conditions().iter().map(|condition| &condition.property).chain(first);
    asked.any(|property| matches!(property, Property::Field { .. }))
}

/// Whether no more items are looked at than are asked for, and a few: by an index in their order, from one end of what the
/// conditions leave.
pub(super) fn is_bounded(query: &ItemQuery, path: &Path) -> bool {
    let order = query.order();
    let is_in_order = match (path, order) {
        (Path::Narrowed(_), _) => return true,
        (Path::Ordered(_), _) => true,
        (Path::Through, [only]) => only.property == Property::Id,
        (Path::Through, [first, last]) => {
            let same_way = first.descending == last.descending;
            first.property == Property::CreatedAt && last.property == Property::Id && same_way
        }
        (Path::Through, _) => false,
    };
    let is_end_of_order = |property: &Property| order.first().is_some_and(|first| first.property == *property);
    let is_cheap = |condition: &Condition| match (&condition.property, &condition.test) {
        _ if condition.negated => false,
        (Property::Id, Test::Compares(Comparison::Eq, _) | Test::In(_)) => true,
        (property, Test::Compares(comparison, _)) => *comparison != Comparison::Neq && is_end_of_order(property),
        _ => false,
    };
    is_in_order && query.conditions().iter().all(is_cheap) && i64::from(query.offset()) <= MAX_COUNTED
}

/// Whether so few items are in the table that all of them may be looked at.
pub(super) fn is_small(conn: &mut Conn, place: (ProjectId, ProjectUserId, &str)) -> Result<bool, JobError> {
    let count: i64 = item_count(place, MAX_COUNTED + 1).get_result(conn)?;
    Ok(count <= MAX_COUNTED)
}

/// The shortest way to what is asked. Whether a condition leaves few items is counted, not guessed: what a database knows of
/// the keys of all projects together says nothing of one user's.
pub(super) fn choose(
    conn: &mut Conn,
    (project, user, table): (ProjectId, ProjectUserId, &str),
    query: &ItemQuery,
) -> Result<Path, JobError> {
    let first = query.order().first();
    let mut ordered = None;
    for index in filled(conn, project, table)? {
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
    Ok(ordered.map_or(Path::Through, Path::Ordered))
}

fn filled(conn: &mut Conn, project: ProjectId, table: &str) -> Result<Vec<Index>, JobError> {
    let rows: Vec<(i64, String, String)> = indexed_fields::table
        .filter(indexed_fields::project_id.eq(Id(project.uuid())))
        .filter(indexed_fields::table_name.eq(table))
        .filter(indexed_fields::state.eq("filled"))
        .select((indexed_fields::id, indexed_fields::field, indexed_fields::kind))
        .load(conn)?;
    rows.into_iter().map(|(id, field, kind)| Ok(Index { id, field, kind: kind_of(&kind)? })).collect()
}

fn kind_of(text: &str) -> Result<FieldType, JobError> {
    let kind = FieldType::ALL.into_iter().find(|kind| kind.as_str() == text);
    kind.ok_or_else(|| JobError::corrupt("a kind of field that is none"))
}
