//! Deletes the remaining rows of deleted projects, in bounded batches.

use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use steward_domain::model::{DeletedProject, ProjectId, ProjectImages};
use steward_domain::ports::{DeletedProjects, StoreError};
use uuid::Uuid;

use super::Database;
use crate::error::JobError;
use crate::sql_types::{Id, Json, Uid};
use crate::tables::{ColumnValue as _, projects};

/// Statements that delete the rows of a project, in the order in which they can be deleted: $1 is the project, $2 the
/// maximum number of rows. Rows in other tables are few, and are deleted together with the rows to which they belong.
const PROJECT_TABLES: [&str; 13] = [
    "DELETE FROM item_import_chunks WHERE (import_id, number) IN \
     (SELECT import_id, number FROM item_import_chunks WHERE project_id = $1 LIMIT $2) AND project_id = $1",
    "DELETE FROM items WHERE (user_id, table_name, id) IN \
     (SELECT user_id, table_name, id FROM items WHERE project_id = $1 LIMIT $2) AND project_id = $1",
    "DELETE FROM item_keys WHERE (owner_id, item_id, field_id) IN \
     (SELECT owner_id, item_id, field_id FROM item_keys WHERE project_id = $1 LIMIT $2) AND project_id = $1",
    "DELETE FROM item_tombstones WHERE (user_id, position, table_name, id) IN \
     (SELECT user_id, position, table_name, id FROM item_tombstones WHERE project_id = $1 LIMIT $2) \
     AND project_id = $1",
    "DELETE FROM sync_receipts WHERE (user_id, slot) IN \
     (SELECT user_id, slot FROM sync_receipts WHERE project_id = $1 LIMIT $2) AND project_id = $1",
    "DELETE FROM user_activity WHERE (user_id, day) IN \
     (SELECT user_id, day FROM user_activity WHERE project_id = $1 LIMIT $2) AND project_id = $1",
    "DELETE FROM project_users WHERE id IN (SELECT id FROM project_users WHERE project_id = $1 LIMIT $2) \
     AND project_id = $1",
    "DELETE FROM refresh_tokens WHERE id IN (SELECT t.id FROM refresh_tokens t \
     JOIN token_families f ON f.id = t.family_id \
     JOIN grants g ON g.account_id = f.account_id AND g.project_id = f.project_id WHERE g.project_id = $1 LIMIT $2)",
    "DELETE FROM token_families WHERE id IN (SELECT f.id FROM token_families f \
     JOIN grants g ON g.account_id = f.account_id AND g.project_id = f.project_id WHERE g.project_id = $1 LIMIT $2)",
    "DELETE FROM grants WHERE id IN (SELECT id FROM grants WHERE project_id = $1 LIMIT $2)",
    "DELETE FROM api_keys WHERE id IN (SELECT id FROM api_keys WHERE project_id = $1 LIMIT $2)",
    "DELETE FROM schema_versions WHERE id IN (SELECT id FROM schema_versions WHERE project_id = $1 LIMIT $2)",
    "DELETE FROM deliveries WHERE id IN (SELECT d.id FROM deliveries d \
     JOIN webhooks w ON w.id = d.webhook_id WHERE w.project_id = $1 LIMIT $2)",
];

/// The few counter rows, which no foreign key deletes on another node.
const USAGE: &str = "DELETE FROM project_usage WHERE project_id = $1";

#[async_trait]
impl DeletedProjects for Database {
    async fn deleted_project(&self, after: Option<ProjectId>) -> Result<Option<DeletedProject>, StoreError> {
        self.read(move |conn| {
            let row: Option<(Id, Option<Json>, Option<Json>)> = projects::table
                .filter(projects::deleted_at.is_not_null())
                .filter(projects::id.gt(Id(after.map_or(Uuid::nil(), ProjectId::uuid))))
                .select((projects::id, projects::icon, projects::background))
                .order(projects::id)
                .first(conn)
                .optional()?;
            let parse = |(id, icon, background): (Id, Option<Json>, Option<Json>)| {
                let images = ProjectImages { icon: icon.load()?, background: background.load()? };
                Ok(DeletedProject { id: id.0.into(), images })
            };
            row.map(parse).transpose()
        })
        .await
    }

    async fn remove_data(&self, project: ProjectId, limit: u16) -> Result<bool, StoreError> {
        self.write(move |conn| {
            let deleted = || {
                projects::table.filter(projects::id.eq(Id(project.uuid()))).filter(projects::deleted_at.is_not_null())
            };
            if diesel::select(diesel::dsl::not(diesel::dsl::exists(deleted()))).get_result(conn)? {
                return Ok(false);
            }
            let limit = usize::from(limit);
            let mut removed = 0;
            for statement in PROJECT_TABLES {
                let remaining = i64::try_from(limit - removed).map_err(JobError::corrupt)?;
                removed += diesel::sql_query(statement)
                    .bind::<Uid, _>(Id(project.uuid()))
                    .bind::<BigInt, _>(remaining)
                    .execute(conn)?;
                if removed >= limit {
                    return Ok(true);
                }
            }
            // A write that was allowed before stores its item until the user of the item is deleted. So the end is a pass that
            // finds nothing.
            if removed > 0 {
                return Ok(true);
            }
            diesel::sql_query(USAGE).bind::<Uid, _>(Id(project.uuid())).execute(conn)?;
            diesel::delete(deleted()).execute(conn)?;
            Ok(false)
        })
        .await
    }
}
