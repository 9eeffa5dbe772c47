//! SQL that differs from SQLite.

use const_format::concatcp;
use diesel::QueryResult;
use diesel::connection::SimpleConnection as _;
use diesel::dsl::sql;
use diesel::expression::SqlLiteral;
use diesel::sql_types::BigInt;
use steward_domain::data::item_query::Pattern;
use steward_domain::data::schema::FieldType;

use super::Conn;
use super::queries::kernel::statement::Statement;
use crate::dialect::{FieldSql, KeySql, MAX_WRITES, Matching, like_pattern};
use crate::error::JobError;
use crate::position_marker::PositionMarker;

/// Rows are loaded one at a time, so that a page can end at a byte limit.
pub(super) type RowByRow = diesel::pg::PgRowByRowLoadingMode;

/// SQL condition that stops statements that may scan many rows once their job is abandoned. Always true in PostgreSQL,
/// where the executor cancels the statement instead.
pub(super) const NOT_CANCELLED: &str = "TRUE";

/// SQL prefix and suffix around a field name: the JSON type of the field's value in an item, or NULL if the field is
/// absent.
pub(super) const FIELD_KIND: (&str, &str) = ("jsonb_typeof(items.value -> ", ")");
/// Table expression with the names of the fields of an item.
pub(super) const FIELD_KEYS: &str = "jsonb_object_keys(items.value) AS held (key)";

/// The JSON types, as returned by [`FIELD_KIND`], that a field of this type accepts.
pub(super) const fn kinds_of(field: FieldType) -> &'static [&'static str] {
    match field {
        FieldType::String => &["string"],
        FieldType::Boolean => &["boolean"],
        FieldType::Number => &["number"],
        FieldType::Json => &["object", "array"],
    }
}

/// Column with the JSON length of a stored item in bytes.
pub(super) const STORED_BYTES: &str = "items.bytes";

/// SQL that reads a field of an item. 64-bit integers are compared exactly and all other numbers as doubles, as in
/// SQLite.
pub(super) const FIELDS: FieldSql = FieldSql {
    text: &["(CASE jsonb_typeof(value -> ", ") WHEN 'string' THEN value ->> ", " END) COLLATE \"C\""],
    number: &[
        "(CASE WHEN jsonb_typeof(value -> ",
        ") <> 'number' THEN NULL WHEN (value -> ",
        ")::numeric BETWEEN -9223372036854775808 AND 9223372036854775807 THEN (value -> ",
        ")::numeric ELSE (value -> ",
        ")::float8::text::numeric END)",
    ],
    boolean: &["(CASE jsonb_typeof(value -> ", ") WHEN 'boolean' THEN (value ->> ", ")::boolean END)"],
    json: &["(CASE WHEN jsonb_typeof(value -> ", ") IN ('object', 'array') THEN 1 END)"],
    number_before: "CAST(",
    number_after: " AS numeric)",
};

/// Settings for statements that read in the order of the primary key. Without statistics, the planner would read all items of
/// the project and sort them.
pub(super) const KEY_ORDER: &str = "SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; \
     SET LOCAL enable_sort = off; SET LOCAL jit = off";

/// SQL that reads the items of users in a table, in the order of the users and IDs: $1 is the project, $2 the table, $3 the IDs of
/// the users as JSON, $4 the first of them, $5 the last ID of that user before the list, $6 the last user, $7 the limit. Each
/// lookup in the primary key has the limit, because what they find is sorted.
pub(super) const PROJECT_ITEMS: &str = "SELECT user_id, id, value, created_at, updated_at, revision \
     FROM (SELECT owner::uuid AS owner FROM jsonb_array_elements_text($3) AS owner) AS owners CROSS JOIN LATERAL \
     (SELECT user_id, id, value, created_at, updated_at, revision FROM items \
     WHERE project_id = $1 AND user_id = owner AND table_name = $2 \
     AND id > CASE WHEN owner = $4 THEN $5 ELSE '' END ORDER BY id LIMIT $7) AS found \
     ORDER BY user_id, id LIMIT $7";

/// SQL that looks up the items of users: $1 is the project, $2 the IDs of the users as JSON, $3 the keys as JSON (arrays
/// of a table and an ID), $4 the limit.
pub(super) const ITEMS_WITH_KEYS: &str = "SELECT user_id, table_name, id \
     FROM (SELECT owner::uuid AS owner, key ->> 0 AS key_table, key ->> 1 AS key_id \
     FROM jsonb_array_elements_text($2) AS owner CROSS JOIN jsonb_array_elements($3) AS key) AS wanted \
     CROSS JOIN LATERAL (SELECT user_id, table_name, id FROM items WHERE project_id = $1 AND user_id = owner \
     AND table_name = key_table AND id = key_id LIMIT 1) AS found LIMIT $4";

/// SQL prefix and suffix around a JSON object with one field: a condition that an item meets whose field has this value. It
/// is redundant beside the comparison of the field, but takes a third of its time, and most items fail it. It is FALSE where
/// the comparison is NULL, so it cannot be negated.
pub(super) const HAS_FIELD: Option<(&str, &str)> = Some(("value @> CAST(", " AS jsonb) AND "));

/// The planner has no statistics on the keys of one user and may scan all items for one key. `OFFSET 0` is an
/// optimization fence: the key is looked up before its item.
pub(super) const KEYS: KeySql = KeySql {
    texts: " FROM item_keys",
    numbers: " FROM item_keys",
    joined: " CROSS JOIN LATERAL (SELECT project_id, user_id, table_name, id, value, created_at, updated_at, revision \
        FROM items WHERE id = item_id AND ",
    where_keys: " OFFSET 0) AS items WHERE ",
};

/// Row lock that prevents other servers from processing the same field.
pub(super) const CLAIM_LOCK: &str = " FOR NO KEY UPDATE SKIP LOCKED";
/// Row lock for items. Items are locked in key order, as in writes of several items. If a deadlock is still possible,
/// the fill step times out (see [`SHORT_LOCK_TIMEOUT`]) long before the database would abort one of the transactions.
pub(super) const ROW_LOCK: &str = " FOR NO KEY UPDATE";
/// Shared row lock: updates of the row wait, other shared locks do not.
pub(super) const SHARE_LOCK: &str = " FOR SHARE";
pub(super) const SHORT_LOCK_TIMEOUT: &str = "SET LOCAL lock_timeout = '200ms'";

/// SQL columns of the key of item `i` for field `f`: whether it is text, the text value, and the numeric value.
pub(super) const KEY_VALUES: &str = "f.kind = 'string', \
     CASE WHEN f.kind = 'string' AND jsonb_typeof(i.value -> f.field) = 'string' \
         THEN substr(i.value ->> f.field, 1, 200) END, \
     CASE WHEN f.kind = 'string' OR jsonb_typeof(i.value -> f.field) IS DISTINCT FROM f.kind THEN NULL \
         WHEN f.kind = 'boolean' THEN (i.value ->> f.field)::boolean::integer \
         WHEN (i.value ->> f.field)::numeric BETWEEN -9223372036854775808 AND 9223372036854775807 \
             THEN (i.value ->> f.field)::numeric \
         ELSE (i.value ->> f.field)::float8::text::numeric END";

/// Condition that enables the partial index `items_list` for lists in creation order.
pub(super) const PARTITION_HINT: &str = " AND created_at > '-infinity'";

/// Whether a list of items with these IDs joins the IDs with the items.
pub(super) const LOOKS_UP_IDS: bool = true;

/// SQL before a column so that no index is used for it. Empty: without [`PARTITION_HINT`], none is.
pub(super) const WITHOUT_INDEX: &str = "";

/// Statements that move a new field to the state `filling` once every running write sees it. A write that omits the
/// keys of the field uses a snapshot from before the field was visible. The first statement records the current
/// transaction ID in `noted_by`. The second waits until all snapshots as old as that transaction have ended, and
/// records `seen_by`. A write with such a snapshot got its transaction ID before `seen_by`. The third waits until all
/// transactions with smaller IDs have ended, so no such write is running. All replicas must use the same role;
/// otherwise their snapshots are not visible here.
pub(super) const SETTLE_STATEMENTS: [&str; 3] = [
    "UPDATE indexed_fields SET noted_by = pg_current_xact_id() WHERE state = 'new' AND noted_by IS NULL",
    "UPDATE indexed_fields SET seen_by = pg_current_xact_id() \
     WHERE state = 'new' AND seen_by IS NULL AND noted_by IS NOT NULL AND NOT EXISTS \
     (SELECT 1 FROM pg_stat_activity a WHERE a.datname = current_database() AND a.backend_type = 'client backend' \
     AND a.pid <> pg_backend_pid() AND age(a.backend_xmin) >= age(noted_by::xid))",
    "UPDATE indexed_fields SET state = 'filling' \
     WHERE state = 'new' AND seen_by < pg_snapshot_xmin(pg_current_snapshot())",
];

/// SQL prefix of the position of an event; the index of its write within the change follows. It is NULL, which no event can
/// have, if a domain of positions must be opened first.
pub(super) const EVENT_POSITION: &str = "(SELECT base FROM transaction_position) + ";

/// SQL expression for the position of an event; `number` is the index of its write within the change.
pub(super) fn next_position(number: i64) -> SqlLiteral<BigInt> {
    sql(&format!("{EVENT_POSITION}{number}"))
}

/// Appends the position of an item change; `number` is the index of its write within the change.
pub(super) fn push_position<T>(statement: &mut Statement<T>, number: i64) {
    statement.sql(EVENT_POSITION);
    statement.count(number);
}

/// SQL expression for the last position of the current transaction.
pub(super) const OWN_LAST_POSITION: &str = concatcp!(EVENT_POSITION, MAX_WRITES - 1);

/// Returns the first position of the current transaction.
pub(super) fn own_first_position(last: i64, _: i64) -> i64 {
    last.saturating_sub(MAX_WRITES - 1)
}

/// SQL expression for the last position that is settled.
pub(super) const LAST_SETTLED_POSITION: &str = "(settled_position() - 1)";

/// SQL expression for the settled position: all transactions that write below it have ended. The table, which has a single
/// row, makes Citus evaluate the function where the positions are given, and not on the nodes with the events.
pub(super) const SETTLED_POSITION: &str = "(SELECT settled_position() FROM audit_progress)";

/// SQL expression for the last position of all transactions that have started. Later transactions write higher
/// positions.
pub(super) const LAST_STARTED_POSITION: &str =
    "(position_of(pg_snapshot_xmax(pg_current_snapshot())::text::bigint) - 1)";

/// SQL expression for the last position of all events.
pub(super) const LAST_WRITTEN_POSITION: &str = "(SELECT greatest(position, (SELECT max(position) FROM audit_events), \
    (SELECT max(position) FROM item_changes)) FROM audit_progress)";

/// The columns of [`ServerColumns`](super::queries::kernel::position_domain::ServerColumns) after the first.
pub(super) const SERVER: &str =
    ", server_cluster(), pg_current_xact_id()::text::bigint, extract(epoch FROM now())::bigint / 3600";

/// Appends the number of the life of the server, from one of its starts to its end.
pub(super) fn push_life<T>(statement: &mut Statement<T>, _: &PositionMarker) {
    statement.sql("server_life()");
}

/// Appends a query of whether the current transaction has positions.
pub(super) fn push_has_position<T>(statement: &mut Statement<T>, _: &PositionMarker) {
    statement.sql("SELECT EXISTS (SELECT 1 FROM transaction_position)");
}

/// Appends the condition that a domain belongs to this life of the server.
pub(super) fn push_is_of_this_life<T>(statement: &mut Statement<T>, domain: i64) {
    statement.sql(" AND EXISTS (SELECT 1 FROM position_domains WHERE life = server_life() AND domain = ");
    statement.count(domain);
    statement.sql(")");
}

/// Lets one process at a time open a domain.
pub(super) fn lock_domains(conn: &mut Conn) -> QueryResult<()> {
    conn.batch_execute("LOCK TABLE position_domains IN SHARE ROW EXCLUSIVE MODE")
}

/// SQL prefix and suffix around a JSON array of IDs: a subquery with one row per ID.
pub(super) const IDS: (&str, &str) = ("(SELECT id::uuid FROM jsonb_array_elements_text(", ") AS id)");

/// The tables of events and of their marks whose rows are deleted individually. All other partitions are dropped as a
/// whole.
pub(super) const ROW_DELETED_TABLES: [&str; 3] = ["audit_events_default", "item_changes_default", "event_marks"];

/// SQL query of the timestamp of the newest event in a default partition. The index of positions answers it.
pub(super) const NEWEST_UNPARTITIONED: &str = "SELECT max(at) AS newest FROM \
     ((SELECT at FROM audit_events_default ORDER BY position DESC LIMIT 1) \
     UNION ALL (SELECT at FROM item_changes_default ORDER BY position DESC LIMIT 1)) AS unpartitioned";

/// Runs several reads on one consistent snapshot.
pub(super) fn in_snapshot<T>(
    conn: &mut Conn,
    read: impl FnOnce(&mut Conn) -> Result<T, JobError>,
) -> Result<T, JobError> {
    conn.build_transaction().read_only().repeatable_read().run(read)
}

/// Returns the SQL parameter that selects a field: the plain name.
pub(super) fn field_path(name: &str) -> String {
    name.to_owned()
}

/// Builds the SQL for a pattern. With the collation "C", `lower` folds the letters A to Z. Of the others, only those are
/// folded that the pattern contains, because the rest does not match anyway.
pub(super) fn matching(pattern: &Pattern) -> Matching {
    let like = like_pattern(pattern);
    let after = " ESCAPE '\\'";
    if !pattern.any_case {
        return Matching { before: "", parameters: vec![(" LIKE ", like)], after };
    }
    let (folded, letters): (String, String) = pattern.folds_beyond_ascii().into_iter().unzip();
    if letters.is_empty() {
        return Matching { before: "lower(", parameters: vec![(") LIKE ", like)], after };
    }
    let parameters = vec![("), ", letters), (", ", folded), (") LIKE ", like)];
    Matching { before: "translate(lower(", parameters, after }
}

#[cfg(test)]
pub(super) const EXPLAIN: &str = "EXPLAIN (COSTS OFF) ";
#[cfg(test)]
pub(super) type PlanColumns = diesel::sql_types::Text;
#[cfg(test)]
pub(super) type PlanLine = String;
#[cfg(test)]
pub(super) fn plan_line(line: PlanLine) -> String {
    line
}
