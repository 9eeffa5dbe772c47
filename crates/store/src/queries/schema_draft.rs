//! Queries for drafts of schemas.

use async_trait::async_trait;
use diesel::prelude::*;
use steward_domain::model::{AccountId, DraftEditor, DraftSummary, ProjectId, SchemaDraft};
use steward_domain::ports::{SchemaDraftReader, StoreError};

use super::{Conn, Database};
use crate::error::JobError;
use crate::sql_types::{At, Id};
use crate::tables::{accounts, schema_drafts};

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = schema_drafts)]
struct Row {
    project_id: Id,
    account_id: Id,
    editor: String,
    content: String,
    based_on: i32,
    updated_at: At,
}

impl TryFrom<Row> for SchemaDraft {
    type Error = JobError;

    fn try_from(row: Row) -> Result<Self, JobError> {
        Ok(Self {
            project_id: row.project_id.0.into(),
            account_id: row.account_id.0.into(),
            editor: DraftEditor::parse(&row.editor)
                .ok_or_else(|| JobError::corrupt("a draft with an unknown editor"))?,
            content: row.content,
            based_on: u32::try_from(row.based_on).map_err(JobError::corrupt)?,
            updated_at: row.updated_at.0,
        })
    }
}

#[async_trait]
impl SchemaDraftReader for Database {
    async fn schema_draft(&self, project: ProjectId, account: AccountId) -> Result<Option<SchemaDraft>, StoreError> {
        self.read(move |conn| {
            let row: Option<Row> = schema_drafts::table
                .find((Id(project.uuid()), Id(account.uuid())))
                .select(Row::as_select())
                .first(conn)
                .optional()?;
            row.map(TryInto::try_into).transpose()
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
pub(super) fn save(conn: &mut Conn, draft: &SchemaDraft) -> Result<(), JobError> {
    let row = || -> Result<Row, JobError> {
        Ok(Row {
            project_id: Id(draft.project_id.uuid()),
            account_id: Id(draft.account_id.uuid()),
            editor: draft.editor.as_str().to_owned(),
            content: draft.content.clone(),
            based_on: i32::try_from(draft.based_on).map_err(JobError::corrupt)?,
            updated_at: At(draft.updated_at),
        })
    };
    diesel::insert_into(schema_drafts::table)
        .values(row()?)
        .on_conflict((schema_drafts::project_id, schema_drafts::account_id))
        .do_update()
        .set(row()?)
        .execute(conn)?;
    Ok(())
}

/// Deletes the draft that the account has in the project, if any.
pub(super) fn discard(conn: &mut Conn, project: ProjectId, account: AccountId) -> Result<(), JobError> {
    diesel::delete(schema_drafts::table.find((Id(project.uuid()), Id(account.uuid())))).execute(conn)?;
    Ok(())
}
