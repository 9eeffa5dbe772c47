//! Queries for the clients that projects registered.

use async_trait::async_trait;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use steward_domain::administration::ProjectInTeam;
use steward_domain::identity::{ProjectClient, ProjectClientReader};
use steward_domain::kernel::error::ResourceKind;
use steward_domain::kernel::{
    AccountId, Named, ProjectClientId, ProjectId, ResourceScope, ServerKeyId, StoreError, TeamId, Time,
};

use super::administration::project::{in_team, project_in_team};
use super::kernel::page::MAX_ROWS;
use super::server_key;
use super::{Conn, Database};
use crate::error::{JobError, expect_one};
use crate::sql_types::{At, Id, Json};
use crate::tables::{ColumnValue as _, ProjectClientRow, Revised as _, project_clients, projects, teams};

#[async_trait]
impl ProjectClientReader for Database {
    async fn clients(&self, project: ProjectId) -> Result<Vec<ProjectClient>, StoreError> {
        let own = project_clients::table
            .filter(project_clients::project_id.eq(Id(project.uuid())))
            .filter(project_clients::deleted_at.is_null());
        self.all(own.order((project_clients::created_at, project_clients::id)).limit(MAX_ROWS)).await
    }

    async fn clients_created_by(&self, team: TeamId, account: AccountId) -> Result<Vec<ProjectClient>, StoreError> {
        let account = Id(account.uuid());
        let created = existing()
            .filter(projects::team_id.eq(Id(team.uuid())))
            .filter(project_clients::created_by.eq(account).or(project_clients::configured_by.eq(account)));
        self.all(created.order((project_clients::created_at, project_clients::id))).await
    }

    async fn client_names(&self, projects: &[ProjectId], limit: u16) -> Result<Vec<Named>, StoreError> {
        let projects: Vec<Id> = projects.iter().map(|project| Id(project.uuid())).collect();
        let own = project_clients::table.filter(project_clients::project_id.eq_any(projects));
        let newest = own.order((project_clients::created_at.desc(), project_clients::id.desc())).limit(limit.into());
        let columns = (project_clients::project_id, project_clients::id, project_clients::name);
        // As an expression: SQLite would otherwise prefer the index of deleted clients, and read those of all projects.
        let exists = sql::<Bool>("coalesce(project_clients.deleted_at, NULL) IS NULL");
        let names = newest.filter(exists).select(columns);
        self.all_as(names, |(project, Id(id), name): (Id, Id, String)| {
            Ok(Named { scope: ResourceScope::Project(project.load()?), id, name, hint: String::new() })
        })
        .await
    }

    async fn client(&self, id: ProjectClientId) -> Result<Option<ProjectClient>, StoreError> {
        self.first(existing().filter(project_clients::id.eq(Id(id.uuid())))).await
    }

    async fn client_bearer(
        &self,
        id: ProjectClientId,
        signed_by: ServerKeyId,
    ) -> Result<Option<(ProjectClient, ProjectInTeam)>, StoreError> {
        let client = project_clients::table
            .inner_join(projects::table.inner_join(teams::table))
            .filter(project_clients::id.eq(Id(id.uuid())))
            .filter(project_clients::deleted_at.is_null())
            .filter(projects::deleted_at.is_null())
            .filter(server_key::is_stored(Id(signed_by.uuid())))
            .select((ProjectClientRow::as_select(), project_in_team()));
        let parse = |(client, project): (ProjectClientRow, _)| Ok((client.try_into()?, in_team(project)?));
        self.first_as(client, parse).await
    }
}

/// Selects the clients that are not deleted, of projects that are not deleted.
#[diesel::dsl::auto_type(no_type_alias)]
fn existing() -> _ {
    let existing = project_clients::table.inner_join(projects::table).filter(project_clients::deleted_at.is_null());
    existing.filter(projects::deleted_at.is_null())
}

pub(crate) fn replace(conn: &mut Conn, client: &ProjectClient) -> Result<(), JobError> {
    let target = client.current()?.filter(project_clients::deleted_at.is_null());
    expect_one(diesel::update(target).set(client.next_row()?).execute(conn)?, ResourceKind::Client)
}

/// Marks a client as deleted. A job deletes it after the tokens that were issued to it, which can be many.
pub(crate) fn remove(conn: &mut Conn, client: &ProjectClient, at: Time) -> Result<(), JobError> {
    let target = client.current()?.filter(project_clients::deleted_at.is_null());
    let deleted = (
        project_clients::deleted_at.eq(At(at)),
        project_clients::secret_digest.eq(None::<String>),
        project_clients::secret_hint.eq(None::<String>),
        project_clients::previous_digest.eq(None::<String>),
        project_clients::previous_expires_at.eq(None::<At>),
        project_clients::earlier_digest.eq(None::<String>),
        project_clients::earlier_expires_at.eq(None::<At>),
        project_clients::logo.eq(None::<Json>),
        project_clients::revision.eq(project_clients::revision + 1),
    );
    expect_one(diesel::update(target).set(deleted).execute(conn)?, ResourceKind::Client)
}
