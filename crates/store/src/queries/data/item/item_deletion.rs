//! Queries for deletions of items that can be undone.

use diesel::prelude::*;
use steward_domain::data::{DeletedItem, ItemDeletion, ItemValue};
use steward_domain::kernel::{ItemDeletionId, ItemOutcome, ProjectId, ProjectUserId, Time};

use super::Conn;
use super::kernel::statement::{Fragment, Statement};
use crate::error::{JobError, expect_one};
use crate::sql_types::Id;
use crate::tables::{ColumnValue as _, ItemDeletionRow, item_deletions};

/// Reads the items of a deletion.
pub(crate) fn with_items(
    (row, items): (ItemDeletionRow, String),
) -> Result<(ItemDeletion, Vec<DeletedItem>), JobError> {
    let items: Vec<(String, i64, String)> = serde_json::from_str(&items).map_err(JobError::corrupt)?;
    let items = items.into_iter().map(|(id, created_at, value)| {
        let created_at = Time::from_timestamp_micros(created_at);
        // As it was written: PostgreSQL returns values with spaces and without exponents, and the text counts as bytes.
        let value: serde_json::Value = serde_json::from_str(&value).map_err(JobError::corrupt)?;
        Ok(DeletedItem {
            id: id.load()?,
            created_at: created_at.ok_or_else(|| JobError::corrupt("a deleted item with an invalid timestamp"))?,
            value: ItemValue::stored(value.to_string()),
        })
    });
    Ok((row.try_into()?, items.collect::<Result<_, JobError>>()?))
}

/// Stores the items that a change has removed, and forgets the oldest deletions of the project beyond its limits.
pub(crate) fn keep(conn: &mut Conn, deletion: &ItemDeletion, removed: &[ItemOutcome]) -> Result<(), JobError> {
    let items = removed.iter().map(|outcome| {
        let stored = &outcome.stored;
        (stored.item.id.as_str(), stored.created_at.timestamp_micros(), stored.item.value.as_str())
    });
    let items = serde_json::to_string(&items.collect::<Vec<_>>()).map_err(JobError::corrupt)?;
    let columns = (
        item_deletions::item_count.eq(i64::try_from(removed.len()).map_err(JobError::corrupt)?),
        item_deletions::bytes.eq(i64::try_from(items.len()).map_err(JobError::corrupt)?),
        item_deletions::items.eq(items),
    );
    diesel::insert_into(item_deletions::table).values((ItemDeletionRow::try_from(deletion)?, columns)).execute(conn)?;
    const FORGET: &str = "DELETE FROM item_deletions WHERE project_id = $1 AND id IN (SELECT id FROM \
         (SELECT id, sum(bytes) OVER newer AS total, count(*) OVER newer AS number FROM item_deletions \
         WHERE project_id = $1 WINDOW newer AS (ORDER BY id DESC)) AS kept WHERE total > $2 OR number > $3)";
    let bounds = [
        Fragment::id(deletion.project_id),
        Fragment::Count(i64::try_from(ItemDeletion::MAX_BYTES_PER_PROJECT).map_err(JobError::corrupt)?),
        Fragment::Count(ItemDeletion::MAX_PER_PROJECT.into()),
    ];
    Statement::<()>::numbered(FORGET, &bounds).execute(conn)?;
    Ok(())
}

/// Removes a deletion, which is undone. Fails if it was removed already.
pub(crate) fn end(conn: &mut Conn, project: ProjectId, id: ItemDeletionId) -> Result<(), JobError> {
    let ended = diesel::delete(item_deletions::table.find((Id(project.uuid()), Id(id.uuid())))).execute(conn)?;
    expect_one(ended, steward_domain::kernel::error::ResourceKind::Item)
}

/// Removes all deletions of a user, whose data is erased.
pub(crate) fn forget(conn: &mut Conn, project: ProjectId, user: ProjectUserId) -> Result<(), JobError> {
    let own = item_deletions::table.filter(item_deletions::project_id.eq(Id(project.uuid())));
    diesel::delete(own.filter(item_deletions::user_id.eq(Id(user.uuid())))).execute(conn)?;
    Ok(())
}
