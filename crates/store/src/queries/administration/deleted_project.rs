//! Deletes the remaining rows of deleted projects, in bounded batches.

use async_trait::async_trait;
use diesel::prelude::*;
use steward_domain::administration::{DeletedProject, DeletedProjects, Image, ProjectImages};
use steward_domain::kernel::{ProjectId, StoreError};
use uuid::Uuid;

use super::kernel::statement::{Fragment, Statement};
use super::{Conn, Database};
use crate::error::JobError;
use crate::sql_types::{Id, Json};
use crate::tables::{ColumnValue as _, grants, project_clients, projects, refresh_tokens, token_families};

/// Statements that delete the rows of a project, in the order in which they can be deleted: $1 is the project, $2 the
/// maximum number of rows. The order of rows makes PostgreSQL read no more keys than it deletes, and rows are found by their
/// whole key, because it may scan all rows of the project for a part of it. Rows in other tables are few, and are deleted
/// together with the rows to which they belong.
const PROJECT_TABLES: [&str; 13] = [
    "DELETE FROM item_import_chunks WHERE (project_id, import_id, number) IN \
     (SELECT project_id, import_id, number FROM item_import_chunks WHERE project_id = $1 \
     ORDER BY import_id, number LIMIT $2) AND project_id = $1",
    "DELETE FROM items WHERE (project_id, user_id, table_name, id) IN \
     (SELECT project_id, user_id, table_name, id FROM items WHERE project_id = $1 \
     ORDER BY user_id, table_name, id LIMIT $2) AND project_id = $1",
    "DELETE FROM item_keys WHERE (project_id, owner_id, item_id, field_id) IN \
     (SELECT project_id, owner_id, item_id, field_id FROM item_keys WHERE project_id = $1 \
     ORDER BY owner_id, item_id, field_id LIMIT $2) AND project_id = $1",
    "DELETE FROM item_tombstones WHERE (project_id, user_id, position, table_name, id) IN \
     (SELECT project_id, user_id, position, table_name, id FROM item_tombstones WHERE project_id = $1 \
     ORDER BY user_id, position, table_name, id LIMIT $2) AND project_id = $1",
    "DELETE FROM sync_receipts WHERE (project_id, user_id, slot) IN \
     (SELECT project_id, user_id, slot FROM sync_receipts WHERE project_id = $1 ORDER BY user_id, slot LIMIT $2) \
     AND project_id = $1",
    "DELETE FROM user_activity WHERE (project_id, user_id, day) IN \
     (SELECT project_id, user_id, day FROM user_activity WHERE project_id = $1 ORDER BY user_id, day LIMIT $2) \
     AND project_id = $1",
    "DELETE FROM project_users WHERE id IN (SELECT id FROM project_users WHERE project_id = $1 LIMIT $2) \
     AND project_id = $1",
    "DELETE FROM api_keys WHERE id IN (SELECT id FROM api_keys WHERE project_id = $1 LIMIT $2)",
    "DELETE FROM project_clients WHERE id IN (SELECT id FROM project_clients WHERE project_id = $1 LIMIT $2)",
    "DELETE FROM schema_versions WHERE id IN (SELECT id FROM schema_versions WHERE project_id = $1 LIMIT $2)",
    "DELETE FROM linked_identities WHERE id IN (SELECT i.id FROM linked_identities i \
     JOIN identity_providers p ON p.id = i.provider_id WHERE p.project_id = $1 LIMIT $2)",
    "DELETE FROM identity_providers WHERE id IN (SELECT id FROM identity_providers WHERE project_id = $1 LIMIT $2)",
    "DELETE FROM deliveries WHERE id IN (SELECT d.id FROM deliveries d \
     JOIN webhooks w ON w.id = d.webhook_id WHERE w.project_id = $1 LIMIT $2)",
];

/// The few counter rows, which no foreign key deletes on another node.
const USAGE: &str = "DELETE FROM project_usage WHERE project_id = $1";

#[async_trait]
impl DeletedProjects for Database {
    async fn deleted_project(&self, after: Option<ProjectId>) -> Result<Option<DeletedProject>, StoreError> {
        let deleted = projects::table
            .filter(projects::deleted_at.is_not_null())
            .filter(projects::id.gt(Id(after.map_or(Uuid::nil(), ProjectId::uuid))))
            .select((projects::id, projects::icon, projects::background))
            .order(projects::id);
        let parse = |(id, icon, background): (Id, Option<Json>, Option<Json>)| {
            let images = ProjectImages { icon: icon.load()?, background: background.load()? };
            Ok(DeletedProject { id: id.0.into(), images })
        };
        self.first_as(deleted, parse).await
    }

    async fn logos(&self, project: ProjectId) -> Result<Vec<Image>, StoreError> {
        let logos = project_clients::table
            .filter(project_clients::project_id.eq(Id(project.uuid())))
            .filter(project_clients::logo.is_not_null())
            .select(project_clients::logo.assume_not_null());
        self.all_as(logos, |logo: Json| logo.load()).await
    }

    async fn remove_data(&self, project: ProjectId, limit: u16) -> Result<bool, StoreError> {
        self.write(move |conn| {
            let deleted = || {
                projects::table.filter(projects::id.eq(Id(project.uuid()))).filter(projects::deleted_at.is_not_null())
            };
            if diesel::select(diesel::dsl::not(diesel::dsl::exists(deleted()))).get_result(conn)? {
                return Ok(false);
            }
            let limit = i64::from(limit);
            let mut removed = remove_grants(conn, project, limit)?;
            for statement in PROJECT_TABLES {
                if removed >= limit {
                    return Ok(true);
                }
                let values = [Fragment::id(project), Fragment::Count(limit - removed)];
                let count = Statement::<()>::numbered(statement, &values).execute(conn)?;
                removed = removed.saturating_add(i64::try_from(count).map_err(JobError::corrupt)?);
            }
            // A write that was allowed before stores its item until the user of the item is deleted. So the end is a pass that
            // finds nothing.
            if removed > 0 {
                return Ok(true);
            }
            Statement::<()>::numbered(USAGE, &[Fragment::id(project)]).execute(conn)?;
            diesel::delete(deleted()).execute(conn)?;
            Ok(false)
        })
        .await
    }
}

/// Deletes some grants of a project, after their token families and refresh tokens, up to `limit` rows of each kind. Returns
/// the number of deleted rows. Grants are deleted with their tokens, so that no step passes those without tokens.
fn remove_grants(conn: &mut Conn, project: ProjectId, limit: i64) -> Result<i64, JobError> {
    let project = Id(project.uuid());
    let granted: Vec<(Id, Id)> = grants::table
        .filter(grants::project_id.eq(project))
        .select((grants::id, grants::account_id))
        .limit(limit)
        .load(conn)?;
    let (granted, accounts): (Vec<Id>, Vec<Id>) = granted.into_iter().unzip();
    let families: Vec<Id> = token_families::table
        .filter(token_families::account_id.eq_any(accounts))
        .filter(token_families::project_id.eq(project))
        .select(token_families::id)
        .limit(limit)
        .load(conn)?;
    let tokens: Vec<Id> = refresh_tokens::table
        .filter(refresh_tokens::family_id.eq_any(&families))
        .select(refresh_tokens::id)
        .limit(limit)
        .load(conn)?;
    let is_full = |rows: &[Id]| i64::try_from(rows.len()).is_ok_and(|count| count >= limit);
    let mut removed = diesel::delete(refresh_tokens::table.filter(refresh_tokens::id.eq_any(&tokens))).execute(conn)?;
    if !is_full(&tokens) {
        removed += diesel::delete(token_families::table.filter(token_families::id.eq_any(&families))).execute(conn)?;
        if !is_full(&families) {
            removed += diesel::delete(grants::table.filter(grants::id.eq_any(&granted))).execute(conn)?;
        }
    }
    i64::try_from(removed).map_err(JobError::corrupt)
}
