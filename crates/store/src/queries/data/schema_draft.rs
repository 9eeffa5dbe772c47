//! Queries for drafts of schemas.

use async_trait::async_trait;
use diesel::prelude::*;
use steward_domain::data::{DraftSummary, SchemaDraft, SchemaDraftReader};
use steward_domain::kernel::{AccountId, ProjectId, StoreError};

use super::{Conn, Database};
use crate::error::JobError;
use crate::sql_types::{At, Id};
use crate::tables::{ColumnValue as _, SchemaDraftRow, accounts, schema_drafts};

#[async_trait]
impl SchemaDraftReader for Database {
    async fn schema_draft(&self, project: ProjectId, account: AccountId) -> Result<Option<SchemaDraft>, StoreError> {
        self.first(schema_drafts::table.find((Id(project.uuid()), Id(account.uuid())))).await
    }

    async fn schema_drafts(&self, project: ProjectId) -> Result<Vec<DraftSummary>, StoreError> {
        let drafts = schema_drafts::table
            .inner_join(accounts::table)
            .filter(schema_drafts::project_id.eq(Id(project.uuid())))
            .select((
                schema_drafts::account_id,
                accounts::name,
                accounts::username,
                schema_drafts::based_on,
                schema_drafts::updated_at,
            ))
            .order((schema_drafts::updated_at.desc(), schema_drafts::account_id))
            .limit(i64::from(SchemaDraft::MAX_PER_PROJECT));
        let summary = |(account, name, username, based_on, updated_at): (Id, Option<String>, _, i32, At)| {
            Ok(DraftSummary {
                account_id: account.load()?,
                person: name.or(username),
                based_on: based_on.load()?,
                updated_at: updated_at.0,
            })
        };
        self.all_as(drafts, summary).await
    }
}

/// Stores a draft in place of the one that the account has in the project, if any.
pub(crate) fn save(conn: &mut Conn, draft: &SchemaDraft) -> Result<(), JobError> {
    diesel::insert_into(schema_drafts::table)
        .values(SchemaDraftRow::try_from(draft)?)
        .on_conflict((schema_drafts::project_id, schema_drafts::account_id))
        .do_update()
        .set(SchemaDraftRow::try_from(draft)?)
        .execute(conn)?;
    Ok(())
}

/// Deletes the draft that the account has in the project, if any.
pub(crate) fn discard(conn: &mut Conn, project: ProjectId, account: AccountId) -> Result<(), JobError> {
    Ok(diesel::delete(schema_drafts::table.find((Id(project.uuid()), Id(account.uuid())))).execute(conn).map(drop)?)
}
