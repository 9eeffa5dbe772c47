//! The statement that searches the items of all users in one table.

use const_format::concatcp;
use steward_domain::data::ItemQuery;
use steward_domain::data::item_query::Start;
use steward_domain::kernel::ProjectId;

use super::super::dialect::NOT_CANCELLED;
use super::super::kernel::statement::{Fragment, Statement};
use super::ListStatement;
use crate::sql_types::Id;
use crate::tables::OwnedItemColumns;

/// The key of an item among all items of a project: the user, the table and the ID.
pub(crate) type ProjectKey = (Id, String, String);

/// The items of a table. Not written as an equality: SQLite would then use another index than the primary key.
const SEARCH: &str = concatcp!(
    "SELECT user_id, id, value, created_at, updated_at, revision FROM items \
     WHERE items.project_id = $1 AND NOT (items.table_name <> $2) AND ",
    NOT_CANCELLED
);

/// Builds the statement that returns the items of a query among those after the first key, up to and including the last
/// one. In the order of the primary key, the first key is the start of the list.
pub(crate) fn project_search(
    (project, table): (ProjectId, &str),
    query: &ItemQuery,
    (first, last): (Option<&ProjectKey>, Option<&ProjectKey>),
    (start, limit): (&Start, i64),
) -> Statement<OwnedItemColumns> {
    // The range of keys limits what is read, so no other index is to be used.
    let mut list = ListStatement { statement: Statement::new(), ordered: None, by_id: true };
    list.statement.is_rare();
    list.statement.push(SEARCH, &[Fragment::id(project), Fragment::text(table)]);
    for (comparison, key) in [(" > ", first), (" <= ", last)] {
        if let Some((user, table, id)) = key {
            list.sql(" AND (items.user_id, items.table_name, items.id)");
            list.sql(comparison);
            list.statement.push("($1, $2, $3)", &[Fragment::Id(*user), Fragment::text(table), Fragment::text(id)]);
        }
    }
    list.conditions(query.conditions());
    if query.is_in_key_order() {
        list.sql(" ORDER BY items.user_id, items.table_name, items.id");
    } else {
        list.start(query.order(), start);
        list.order(query.order());
    }
    list.statement.push(" LIMIT $1", &[Fragment::Count(limit)]);
    list.statement
}
