//! Queries for API keys.

use async_trait::async_trait;
use std::sync::Arc;

use diesel::prelude::*;
use steward_domain::administration::{ApiKey, ApiKeyReader, KeyBearer};
use steward_domain::kernel::{
    AccountId, ApiKeyId, KeyDigest, Named, Page, PageRequest, PresentedValue, ProjectId, ResourceScope, StoreError,
    TeamId,
};

use super::kernel::page;
use super::project::{ProjectInTeamRow, in_team, project_in_team};
use super::{Conn, Database};
use crate::error::JobError;
use crate::sql_types::Id;
use crate::tables::{ApiKeyRow, ColumnValue as _, api_keys, projects, teams};

#[async_trait]
impl ApiKeyReader for Database {
    async fn keys(&self, project: ProjectId, page: &PageRequest) -> Result<Page<ApiKey>, StoreError> {
        let keys = api_keys::table.filter(api_keys::project_id.eq(Id(project.uuid())));
        let keys = page::listed!(newest first, keys, page, page.rows(), api_keys::created_at, api_keys::id);
        self.page(keys, page, |key: &ApiKey| page::cursor(key.created_at, key.id)).await
    }

    async fn keys_created_by(&self, team: TeamId, account: AccountId) -> Result<Vec<ApiKey>, StoreError> {
        let account = Id(account.uuid());
        let created = api_keys::table
            .inner_join(projects::table)
            .filter(projects::team_id.eq(Id(team.uuid())))
            .filter(projects::deleted_at.is_null())
            .filter(api_keys::created_by.eq(account).or(api_keys::regenerated_by.eq(account)));
        self.all(created.order((api_keys::created_at.desc(), api_keys::id.desc()))).await
    }

    async fn key_labels(&self, projects: &[ProjectId], limit: u16) -> Result<Vec<Named>, StoreError> {
        let projects: Vec<Id> = projects.iter().map(|project| Id(project.uuid())).collect();
        let newest = api_keys::table.order((api_keys::created_at.desc(), api_keys::id.desc())).limit(limit.into());
        let columns = (api_keys::project_id, api_keys::id, api_keys::label, api_keys::hint);
        let labels = newest.filter(api_keys::project_id.eq_any(projects)).select(columns);
        self.all_as(labels, |(project, Id(id), name, hint): (Id, Id, String, String)| {
            Ok(Named { scope: ResourceScope::Project(project.load()?), id, name, hint })
        })
        .await
    }

    async fn key(&self, project: ProjectId, id: ApiKeyId) -> Result<Option<ApiKey>, StoreError> {
        self.first(api_keys::table.find((Id(project.uuid()), Id(id.uuid())))).await
    }
}

pub(crate) fn bearer(conn: &mut Conn, digests: &[KeyDigest]) -> Result<Option<KeyBearer>, JobError> {
    // There is one digest, unless the secret was changed. SQLite would prepare a statement with `IN` for each check.
    for KeyDigest { hex, .. } in digests {
        let is_replaced = api_keys::previous_digest.eq(hex).or(api_keys::earlier_digest.eq(hex));
        let row: Option<(ApiKeyRow, ProjectInTeamRow)> = api_keys::table
            .inner_join(projects::table.inner_join(teams::table))
            .filter(projects::deleted_at.is_null())
            .filter(api_keys::digest.eq(hex).or(is_replaced))
            .select((ApiKeyRow::as_select(), project_in_team()))
            .first(conn)
            .optional()?;
        if let Some((key, project)) = row {
            let (key, project) = (ApiKey::try_from(key)?, Arc::new(in_team(project)?));
            // Whether it still works is checked by the caller.
            let presented = key.matching(digests).unwrap_or(PresentedValue::Previous);
            return Ok(Some(KeyBearer { key, presented, project }));
        }
    }
    Ok(None)
}
