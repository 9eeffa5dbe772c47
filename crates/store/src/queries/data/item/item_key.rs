//! Index keys of items, used to filter and sort. Each write of an item stores one key for each indexed field of its
//! table.

use std::collections::BTreeMap;

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};

use super::Conn;
use super::dialect::KEY_VALUES;
use super::kernel::statement::{Fragment, Statement};
use crate::error::JobError;
use crate::sql_types::Id;
use crate::tables::{indexed_fields, item_keys};

/// Beginning of the statement that stores keys. [`KEY_VALUES`] follows, and then the sources of the items `i` and the
/// fields `f`.
pub(crate) const STORE: &str = "INSERT INTO item_keys (project_id, field_id, owner_id, item_id, is_text, text_key, \
     number_key) SELECT i.project_id, f.id, i.user_id, i.id, ";
/// Updates an existing key only if it differs.
pub(crate) const ON_CONFLICT: &str = " ON CONFLICT (project_id, owner_id, item_id, field_id) \
     DO UPDATE SET text_key = excluded.text_key, number_key = excluded.number_key \
     WHERE item_keys.text_key IS DISTINCT FROM excluded.text_key \
     OR item_keys.number_key IS DISTINCT FROM excluded.number_key";

/// Stores the keys of the user's items of a table in an inclusive range of IDs. The fields are read first: most tables have
/// none, and items on another node cannot be joined with them.
pub(crate) fn store(
    conn: &mut Conn,
    (project, user, table): (Id, Id, &str),
    (first, last): (&str, &str),
) -> Result<(), JobError> {
    const FIELDS: &str =
        "SELECT id, kind, field FROM indexed_fields WHERE project_id = $1 AND table_name = $2 AND state <> 'retired'";
    const FROM: &str = " FROM items i CROSS JOIN \
         (SELECT CAST($1 AS bigint) AS id, CAST($2 AS text) AS kind, CAST($3 AS text) AS field) AS f \
         WHERE i.project_id = $4 AND i.user_id = $5 AND i.table_name = $6 AND i.id BETWEEN $7 AND $8";
    const STATEMENT: &str = const_format::concatcp!(STORE, KEY_VALUES, FROM, ON_CONFLICT);
    let fields: Statement<(BigInt, Text, Text)> =
        Statement::numbered(FIELDS, &[Fragment::Id(project), Fragment::Text(table.to_owned())]);
    for (id, kind, field) in fields.load::<(i64, String, String)>(conn)? {
        let [kind, field, table, first, last] =
            [kind.as_str(), field.as_str(), table, first, last].map(|text| Fragment::Text(text.to_owned()));
        let values = [Fragment::Count(id), kind, field, Fragment::Id(project), Fragment::Id(user), table, first, last];
        Statement::<()>::numbered(STATEMENT, &values).execute(conn)?;
    }
    Ok(())
}

/// Maximum number of item IDs in one statement.
const BATCH_SIZE: usize = 500;

/// Deletes the keys of a user's items. Each item is given as its table and ID.
pub(crate) fn delete<'a>(
    conn: &mut Conn,
    (project, user): (Id, Id),
    items: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<(), JobError> {
    let mut by_table: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (table, id) in items {
        by_table.entry(table).or_default().push(id);
    }
    for (table, ids) in by_table {
        let fields: Vec<i64> = indexed_fields::table
            .filter(indexed_fields::project_id.eq(project))
            .filter(indexed_fields::table_name.eq(table))
            .select(indexed_fields::id)
            .load(conn)?;
        if fields.is_empty() {
            continue;
        }
        for ids in ids.chunks(BATCH_SIZE) {
            let keys = item_keys::table
                .filter(item_keys::project_id.eq(project))
                .filter(item_keys::field_id.eq_any(&fields))
                .filter(item_keys::owner_id.eq(user))
                .filter(item_keys::item_id.eq_any(ids));
            diesel::delete(keys).execute(conn)?;
        }
    }
    Ok(())
}
