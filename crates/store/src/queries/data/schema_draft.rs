//! Queries for drafts of schemas.

use async_trait::async_trait;
use diesel::prelude::*;
use steward_domain::data::{DraftSummary, SchemaDraft, SchemaDraftReader};
use steward_domain::kernel::{AccountId, ProjectId, StoreError};

use super::{Conn, Database};
use crate::error::JobError;
use crate::sql_types::{At, Id};
use crate::tables::{SchemaDraftRow, accounts, schema_drafts};

#[async_trait]
impl SchemaDraftReader for Database {
    async fn schema_draft(&self, project: ProjectId, account: AccountId) -> Result<Option<SchemaDraft>, StoreError> {
        self.read_one(move |conn| {
            schema_drafts::table
                .find((Id(project.uuid()), Id(account.uuid())))
                .select(SchemaDraftRow::as_select())
                .first(conn)
        })
        .await
    }

    async fn schema_drafts(&self, project: ProjectId) -> Result<Vec<DraftSummary>, StoreError> {
        self.read(move |conn| {
            let rows: Vec<(Id, Option<String>, Option<String>, i32, At)> = schema_drafts::table
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
                .limit(i64::from(SchemaDraft::MAX_PER_PROJECT))
                .load(conn)?;
            let summary = |(account, name, username, based_on, updated_at): (Id, Option<String>, _, i32, At)| {
                Ok(DraftSummary {
                    account_id: account.0.into(),
                    person: name.or(username),
                    based_on: u32::try_from(based_on).map_err(JobError::corrupt)?,
                    updated_at: updated_at.0,
                })
            };
            rows.into_iter().map(summary).collect()
        })
        .await
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
    diesel::delete(schema_drafts::table.find((Id(project.uuid()), Id(account.uuid())))).execute(conn)?;
    Ok(())
}
