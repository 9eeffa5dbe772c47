//! Deletes what is stored of a user who will be deleted, in bounded steps.

use diesel::RunQueryDsl as _;
use steward_domain::kernel::{ProjectId, ProjectUserId};

use super::activity;
use super::item::item_write;
use super::kernel::statement::{Fragment, Statement};
use super::{Conn, Layout};
use crate::error::JobError;

/// Statements that delete the rows of a user except items and active days: $1 is the project, $2 the user, $3 the maximum number of rows.
/// The order makes PostgreSQL read no more keys than it deletes, and rows are found by their whole key, because it may
/// scan all rows of the user for a part of it. Few rows remain in tables without an order: keys of items are deleted
/// with their items.
const USER_TABLES: [&str; 5] = [
    "DELETE FROM item_import_chunks WHERE (project_id, import_id, number) IN \
     (SELECT c.project_id, c.import_id, c.number FROM item_imports i \
     JOIN item_import_chunks c ON c.project_id = i.project_id AND c.import_id = i.id \
     WHERE i.project_id = $1 AND i.user_id = $2 ORDER BY c.project_id, c.import_id, c.number LIMIT $3)",
    "DELETE FROM item_tombstones WHERE (project_id, user_id, position, table_name, id) IN \
     (SELECT project_id, user_id, position, table_name, id FROM item_tombstones \
     WHERE project_id = $1 AND user_id = $2 ORDER BY position, table_name, id LIMIT $3)",
    "DELETE FROM sync_receipts WHERE (project_id, user_id, slot) IN \
     (SELECT project_id, user_id, slot FROM sync_receipts WHERE project_id = $1 AND user_id = $2 LIMIT $3)",
    "DELETE FROM sync_rejections WHERE id IN \
     (SELECT id FROM sync_rejections WHERE project_id = $1 AND user_id = $2 LIMIT $3)",
    "DELETE FROM item_keys WHERE (project_id, field_id, owner_id, item_id) IN \
     (SELECT project_id, field_id, owner_id, item_id FROM item_keys WHERE project_id = $1 AND owner_id = $2 \
     AND field_id IN (SELECT id FROM indexed_fields WHERE project_id = $1) LIMIT $3)",
];

/// Deletes at most `limit` rows of a user, and returns how many. Items come first.
pub(crate) fn remove(
    conn: &mut Conn,
    layout: Layout,
    (project, user): (ProjectId, ProjectUserId),
    limit: u16,
) -> Result<usize, JobError> {
    let mut removed = item_write::erase(conn, layout, (project, user), limit, None)?;
    for statement in USER_TABLES {
        let remaining = usize::from(limit).saturating_sub(removed);
        if remaining == 0 {
            break;
        }
        let remaining = Fragment::Count(i64::try_from(remaining).map_err(JobError::corrupt)?);
        let values = [Fragment::id(project), Fragment::id(user), remaining];
        removed += Statement::<()>::numbered(statement, &values).execute(conn)?;
    }
    let remaining = usize::from(limit).saturating_sub(removed);
    Ok(removed + activity::erase(conn, project, user, remaining)?)
}
