//! SQL that differs from PostgreSQL.

use const_format::concatcp;
use diesel::dsl::sql;
use diesel::expression::SqlLiteral;
use diesel::sql_types::BigInt;
use diesel::{Connection as _, QueryResult};
use steward_domain::administration::RetentionCutoff;
use steward_domain::data::item_query::Pattern;
use steward_domain::data::schema::FieldType;
use steward_domain::kernel::Time;

use super::Conn;
use super::queries::kernel::statement::Statement;
use crate::dialect::{FieldSql, KeySql, Matching, like_pattern};
use crate::error::JobError;
use crate::position_marker::PositionMarker;

/// Rows are loaded one at a time, so that a page can end at a byte limit.
pub(super) type RowByRow = diesel::connection::DefaultLoadingMode;

/// SQL condition for statements that may scan many rows. It is evaluated for each row and fails the statement once the
/// job is abandoned. A function is the only available way to interrupt a statement in SQLite.
pub(super) const NOT_CANCELLED: &str = "still_wanted()";

/// SQL prefix and suffix around a field name: the JSON type of the field's value in an item, or NULL if the field is
/// absent.
pub(super) const FIELD_KIND: (&str, &str) = ("json_type(items.value, '$.\"' || ", " || '\"')");
/// Table expression with the names of the fields of an item.
pub(super) const FIELD_KEYS: &str = "json_each(items.value) AS held";

/// The JSON types, as returned by [`FIELD_KIND`], that a field of this type accepts.
pub(super) const fn kinds_of(field: FieldType) -> &'static [&'static str] {
    match field {
        FieldType::String => &["text"],
        FieldType::Boolean => &["true", "false"],
        FieldType::Number => &["integer", "real"],
        FieldType::Json => &["object", "array"],
    }
}

/// Column with the JSON length of a stored item in bytes.
pub(super) const STORED_BYTES: &str = "items.bytes";

/// SQL expression for the position of the next event, independent of its index in the change, because there is one
/// writer. The sealed position counts too: sealed events may have been deleted.
pub(super) const NEXT_POSITION: &str = concatcp!("max(1 + ", LAST_STARTED_POSITION, ", ", DOMAIN_START, ")");

/// Appends the position of an item change.
pub(super) fn push_position<T>(statement: &mut Statement<T>, _: i64) {
    statement.sql(NEXT_POSITION);
}

/// SQL expression for the last position of the current change.
pub(super) const OWN_LAST_POSITION: &str = LAST_STARTED_POSITION;

/// Returns the first position of a change with this number of item writes, which have sequential positions.
pub(super) fn own_first_position(last: i64, writes: i64) -> i64 {
    last.saturating_sub(writes).saturating_add(1)
}

/// SQL expression for the last position that is settled: every written position, because there is one writer.
pub(super) const LAST_SETTLED_POSITION: &str = LAST_STARTED_POSITION;

/// SQL expression for the first position of the newest domain.
const DOMAIN_START: &str = "(SELECT coalesce(max(domain), 0) << 34 FROM position_domains)";

/// SQL expression for the last position of all events.
pub(super) const LAST_WRITTEN_POSITION: &str = LAST_STARTED_POSITION;

/// The columns of [`ServerColumns`](super::queries::kernel::position_domain::ServerColumns) after the first.
pub(super) const SERVER: &str = ", 'sqlite', 0, unixepoch() / 3600";

/// Appends the number of this process.
pub(super) fn push_life<T>(statement: &mut Statement<T>, marker: &PositionMarker) {
    statement.count(marker.process);
}

/// Appends a query of whether this process has positions.
pub(super) fn push_has_position<T>(statement: &mut Statement<T>, marker: &PositionMarker) {
    statement.sql("SELECT EXISTS (SELECT 1 FROM position_domains WHERE life = ");
    push_life(statement, marker);
    statement.sql(")");
}

/// Does nothing: a domain may be that of another process, and the file does not change while it is open.
pub(super) fn push_is_of_this_life<T>(_: &mut Statement<T>, _: i64) {}

/// Does nothing: there is one writer.
pub(super) fn lock_domains(_: &mut Conn) -> QueryResult<()> {
    Ok(())
}

/// SQL expression for the last position that was written.
pub(super) const LAST_STARTED_POSITION: &str = "(SELECT max(coalesce((SELECT max(position) FROM audit_events), 0), \
     coalesce((SELECT max(position) FROM item_changes), 0), (SELECT position FROM audit_progress)))";

pub(super) fn next_position(_: i64) -> SqlLiteral<BigInt> {
    sql(NEXT_POSITION)
}

/// SQL expression for the settled position: the maximum, because there is one writer and all stored events are
/// committed.
pub(super) const SETTLED_POSITION: &str = "9223372036854775807";

/// SQL prefix and suffix around a JSON array of IDs: a subquery with one row per ID.
pub(super) const IDS: (&str, &str) = ("(SELECT value AS id FROM json_each(", "))");

/// The tables of events and of their marks whose rows are deleted individually. SQLite has no partitions, so these are
/// all of them.
pub(super) const ROW_DELETED_TABLES: [&str; 3] = ["audit_events", "item_changes", "event_marks"];

/// Does nothing: SQLite tables have no partitions.
pub(super) fn drop_partitions(_: &mut Conn, _: &RetentionCutoff) -> Result<usize, JobError> {
    Ok(0)
}

pub(super) fn prepare(_: &mut Conn, _: Time) -> Result<(), JobError> {
    Ok(())
}

/// SQL columns of the key of item `i` for field `f`: whether it is text, the text value, and the numeric value.
pub(super) const KEY_VALUES: &str = "f.kind = 'string', \
     CASE WHEN f.kind = 'string' AND json_type(i.value, '$.\"' || f.field || '\"') = 'text' \
         THEN substr(json_extract(i.value, '$.\"' || f.field || '\"'), 1, 200) END, \
     CASE WHEN f.kind = 'number' AND json_type(i.value, '$.\"' || f.field || '\"') IN ('integer', 'real') \
             OR f.kind = 'boolean' AND json_type(i.value, '$.\"' || f.field || '\"') IN ('true', 'false') \
         THEN json_extract(i.value, '$.\"' || f.field || '\"') END";

/// Condition for lists in creation order. Empty: SQLite needs none.
pub(super) const PARTITION_HINT: &str = "";

/// Whether a list of items with these IDs joins the IDs with the items. SQLite searches the primary key for each.
pub(super) const LOOKS_UP_IDS: bool = false;

/// SQL before a column so that no index is used for it. Without it, SQLite reads the items of a table in order of
/// creation, rather than looking up those with a few IDs and sorting them.
pub(super) const WITHOUT_INDEX: &str = "+";

/// Settings for statements that read in the order of the primary key. SQLite has no statistics.
pub(super) const KEY_ORDER: &str = "";

/// SQL that reads the items of users in a table, in the order of the users and IDs: $1 is the project, $2 the table, $3 the IDs of
/// the users as JSON, $4 the first of them, $5 the last ID of that user before the list, $6 the last user, $7 the limit. The
/// plus signs keep SQLite from searching all items of these users in another index.
pub(super) const PROJECT_ITEMS: &str = "SELECT items.user_id, items.id, items.value, items.created_at, \
     items.updated_at, items.revision FROM project_users AS owners CROSS JOIN items \
     WHERE owners.project_id = $1 AND owners.id >= $4 AND owners.id <= $6 AND owners.deletion_started_at IS NULL \
     AND items.project_id = $1 AND items.user_id = +owners.id AND items.table_name = $2 \
     AND items.id > CASE WHEN owners.id = $4 THEN $5 ELSE '' END ORDER BY owners.id, items.id LIMIT $7";

/// SQL that looks up the items of users: $1 is the project, $2 the IDs of the users as JSON, $3 the keys as JSON (arrays
/// of a table and an ID), $4 the limit.
pub(super) const ITEMS_WITH_KEYS: &str = concatcp!(
    "SELECT items.user_id, items.table_name, items.id FROM json_each($2) AS owners CROSS JOIN json_each($3) AS keys \
     CROSS JOIN items WHERE ",
    NOT_CANCELLED,
    " AND items.project_id = $1 AND items.user_id = owners.value AND items.table_name = keys.value ->> 0 \
     AND items.id = keys.value ->> 1 LIMIT $4"
);

/// SQL that reads a field of an item.
pub(super) const FIELDS: FieldSql = FieldSql {
    text: &["(CASE json_type(value, ", ") WHEN 'text' THEN json_extract(value, ", ") END)"],
    number: &["(CASE WHEN json_type(value, ", ") IN ('integer', 'real') THEN json_extract(value, ", ") END)"],
    boolean: &["(CASE json_type(value, ", ") WHEN 'true' THEN 1 WHEN 'false' THEN 0 END)"],
    json: &["(CASE WHEN json_type(value, ", ") IN ('object', 'array') THEN 1 END)"],
    // The unary plus removes the affinity of the cast. Otherwise SQLite would convert the keys to numbers and use no
    // index.
    number_before: "+CAST(",
    number_after: " AS NUMERIC)",
};

/// SQL prefix and suffix around a JSON object with one field: a condition that an item meets whose field has this value. SQLite
/// has no such operator.
pub(super) const HAS_FIELD: Option<(&str, &str)> = None;

/// SQLite has no statistics on the selectivity of the keys, so the SQL names the index to use, and `CROSS JOIN` makes
/// it the outer loop.
pub(super) const KEYS: KeySql = KeySql {
    texts: " FROM item_keys INDEXED BY item_keys_text",
    numbers: " FROM item_keys INDEXED BY item_keys_number",
    joined: " CROSS JOIN items WHERE id = item_id AND ",
    where_keys: " AND ",
};

/// No claims and row locks are needed because there is one writer, and every later write sees a published field.
pub(super) const CLAIM_LOCK: &str = "";
pub(super) const ROW_LOCK: &str = "";
pub(super) const SHARE_LOCK: &str = "";
pub(super) const SHORT_LOCK_TIMEOUT: &str = "";
pub(super) const SETTLE_STATEMENTS: [&str; 1] =
    ["UPDATE indexed_fields SET state = 'filling' WHERE state <> 'filled' AND state = 'new'"];

/// SQL query of the timestamp of the newest event in a default partition: there are no partitions.
pub(super) const NEWEST_UNPARTITIONED: &str = "SELECT NULL AS newest";

/// Runs several reads on one consistent snapshot.
pub(super) fn in_snapshot<T>(
    conn: &mut Conn,
    read: impl FnOnce(&mut Conn) -> Result<T, JobError>,
) -> Result<T, JobError> {
    conn.transaction(read)
}

/// Returns the SQL parameter that selects a field: a JSON path. Schemas do not allow quotes in field names.
pub(super) fn field_path(name: &str) -> String {
    format!("$.\"{name}\"")
}

/// Builds the SQL for a pattern. `LIKE` ignores the case of A to Z; `GLOB` does not.
pub(super) fn matching(pattern: &Pattern) -> Matching {
    if !pattern.any_case {
        let escaped = |piece: &String| piece.replace('[', "[[]").replace('?', "[?]").replace('*', "[*]");
        let glob = pattern.pieces.iter().map(escaped).collect::<Vec<_>>().join("*");
        return Matching { before: "", parameters: vec![(" GLOB ", glob)], after: "" };
    }
    let needs_folding = !pattern.folds_beyond_ascii().is_empty();
    let (before, between) = if needs_folding { ("folded(", ") LIKE ") } else { ("", " LIKE ") };
    Matching { before, parameters: vec![(between, like_pattern(pattern))], after: " ESCAPE '\\'" }
}

#[cfg(test)]
pub(super) const EXPLAIN: &str = "EXPLAIN QUERY PLAN ";
#[cfg(test)]
pub(super) type PlanColumns =
    (diesel::sql_types::Integer, diesel::sql_types::Integer, diesel::sql_types::Integer, diesel::sql_types::Text);
#[cfg(test)]
pub(super) type PlanLine = (i32, i32, i32, String);
#[cfg(test)]
pub(super) fn plan_line((.., line): PlanLine) -> String {
    line
}
