//! Queries for projects, including those that access decisions rely on.

use async_trait::async_trait;
use std::sync::Arc;

use diesel::dsl::AsSelect;
use diesel::prelude::*;
use steward_domain::administration::{Day, Project, ProjectInTeam, ProjectMembership, ProjectReader, ProjectUsage};
use steward_domain::kernel::error::ResourceKind;
use steward_domain::kernel::policy::RoleSet;
use steward_domain::kernel::{
    AccessEpoch, AccountId, Cursor, Page, PageRequest, ProjectId, Slug, StoreError, TeamId, Time,
};

use super::kernel::page::{MeasuredRow, json_bytes};
use super::kernel::{page, quota, slug, usage};
use super::{Backend, Conn, Database};
use crate::error::{JobError, expect_one};
use crate::sql_types::{At, Id, Uid};
use crate::tables::{
    ColumnValue as _, ProjectRow, Revised as _, Stored as _, members, project_slugs, projects, schema_versions, teams,
};

/// A project with the name, the slug and the rule of its team, the number of its newest schema, and its access epoch.
pub(crate) type ProjectInTeamRow = (ProjectRow, String, String, Option<At>, Option<i32>, i64);

/// The columns of [`ProjectInTeamRow`].
#[diesel::dsl::auto_type(no_type_alias)]
pub(crate) fn project_in_team() -> _ {
    let project: AsSelect<ProjectRow, Backend> = ProjectRow::as_select();
    (project, teams::name, teams::slug, teams::second_factor_from, newest_number(), projects::access_epoch)
}

pub(crate) fn in_team(
    (project, team_name, team_slug, second_factor_from, number, epoch): ProjectInTeamRow,
) -> Result<ProjectInTeam, JobError> {
    Ok(ProjectInTeam {
        project: project.try_into()?,
        team_name: team_name.load()?,
        team_slug: team_slug.load()?,
        second_factor_from: second_factor_from.map(|at| at.0),
        schema_number: u32::try_from(number.unwrap_or_default()).map_err(JobError::corrupt)?,
        access_epoch: AccessEpoch(epoch),
    })
}

/// Subquery for the number of the newest schema of the project in the surrounding query.
#[diesel::dsl::auto_type]
fn newest_number() -> _ {
    let own = schema_versions::project_id.eq(projects::id);
    let newest = schema_versions::table.filter(own).select(schema_versions::number);
    newest.order(schema_versions::number.desc()).limit(1_i64).single_value()
}

#[async_trait]
impl ProjectReader for Database {
    async fn projects_of(
        &self,
        account: AccountId,
        one_factor_at: Option<Time>,
        page: &PageRequest,
    ) -> Result<Page<ProjectInTeam>, StoreError> {
        self.large_page(page, in_team, cursor_of, move |page, limit| {
            projects::table
                .inner_join(teams::table)
                .filter(projects::id.eq_any(newest_of(account, one_factor_at, page, limit)))
                .select(project_in_team())
                .order((projects::created_at.desc(), projects::id.desc()))
        })
        .await
    }

    async fn project(&self, id: ProjectId) -> Result<Option<ProjectInTeam>, StoreError> {
        let project = projects::table
            .inner_join(teams::table)
            .filter(projects::id.eq(Id(id.uuid())))
            .filter(projects::deleted_at.is_null());
        self.first_as(project.select(project_in_team()), in_team).await
    }

    async fn projects_in(&self, team: TeamId, page: &PageRequest) -> Result<Page<ProjectInTeam>, StoreError> {
        self.large_page(page, in_team, cursor_of, move |page, limit| {
            let all = projects::table
                .inner_join(teams::table)
                .filter(projects::team_id.eq(Id(team.uuid())))
                .filter(projects::deleted_at.is_null())
                .select(project_in_team());
            page::listed!(newest first, all, page, limit, projects::created_at, projects::id)
        })
        .await
    }

    async fn project_usage(&self, id: ProjectId) -> Result<ProjectUsage, StoreError> {
        self.read(move |conn| quota::usage(conn, id)).await
    }

    async fn project_requests(&self, id: ProjectId, since: Day) -> Result<Vec<(Day, u64)>, StoreError> {
        self.read(move |conn| usage::requests(conn, id, since)).await
    }

    async fn taken_project_slugs(&self, slugs: &[Slug]) -> Result<Vec<Slug>, StoreError> {
        let slugs: Vec<String> = slugs.iter().map(Slug::to_string).collect();
        let current = projects::table.filter(projects::slug.eq_any(slugs.clone())).select(projects::slug);
        let reserved = project_slugs::table.filter(project_slugs::slug.eq_any(slugs)).select(project_slugs::slug);
        self.all_as(current.union(reserved), |slug: String| slug.load()).await
    }
}

/// Selects the IDs of the projects on a page of those of an account, which an index contains in order for each team.
pub(crate) fn newest_of(
    account: AccountId,
    one_factor_at: Option<Time>,
    page: &PageRequest,
    limit: i64,
) -> projects::BoxedQuery<'static, Backend, Uid> {
    let of_account = members::table
        .inner_join(teams::table)
        .filter(members::account_id.eq(Id(account.uuid())))
        .select(members::team_id)
        .into_boxed::<Backend>();
    let of_account = match one_factor_at.map(At) {
        Some(at) => of_account.filter(teams::second_factor_from.is_null().or(teams::second_factor_from.gt(at))),
        None => of_account,
    };
    let own = projects::table
        .filter(projects::team_id.eq_any(of_account))
        .filter(projects::deleted_at.is_null())
        .select(projects::id);
    page::listed!(newest first, own, page, limit, projects::created_at, projects::id)
}

pub(crate) fn membership_of(
    conn: &mut Conn,
    account: AccountId,
    project: ProjectId,
) -> Result<Option<ProjectMembership>, JobError> {
    let row: Option<(String, ProjectInTeamRow)> = projects::table
        .inner_join(teams::table.inner_join(members::table))
        .filter(projects::id.eq(Id(project.uuid())))
        .filter(projects::deleted_at.is_null())
        .filter(members::account_id.eq(Id(account.uuid())))
        .select((members::roles, project_in_team()))
        .first(conn)
        .optional()?;
    row.map(|(roles, project)| {
        Ok(ProjectMembership { project: Arc::new(in_team(project)?), roles: RoleSet::from_stored(&roles) })
    })
    .transpose()
}

fn cursor_of(found: &ProjectInTeam) -> Cursor {
    page::cursor(found.project.created_at, found.project.id)
}

impl MeasuredRow for ProjectInTeamRow {
    fn bytes(&self) -> usize {
        json_bytes([Some(&self.0.profile), Some(&self.0.redirect_uris), Some(&self.0.post_logout_redirect_uris)])
    }
}

pub(crate) fn insert(conn: &mut Conn, project: &Project) -> Result<(), JobError> {
    diesel::insert_into(projects::table).values(project.row()?).execute(conn)?;
    quota::begin(conn, project.id)?;
    slug::PROJECTS.reserve(conn, project.id, &project.slug)
}

pub(crate) fn replace(conn: &mut Conn, project: &Project) -> Result<(), JobError> {
    slug::PROJECTS.retain(conn, project.id)?;
    expect_one(diesel::update(project.current()?).set(project.next_row()?).execute(conn)?, ResourceKind::Project)?;
    slug::PROJECTS.reserve(conn, project.id, &project.slug)
}

/// Marks the project as deleted and releases its slugs. [`super::deleted_project`] removes its other rows later.
pub(crate) fn remove(conn: &mut Conn, project: &Project, at: Time) -> Result<(), JobError> {
    let id = Id(project.id.uuid());
    let deleted = (
        projects::deleted_at.eq(At(at)),
        // A valid slug never starts with a hyphen, so this value cannot be taken.
        projects::slug.eq(format!("-{}", project.id)),
        projects::revision.eq(projects::revision + 1),
    );
    expect_one(diesel::update(project.current()?).set(deleted).execute(conn)?, ResourceKind::Project)?;
    Ok(diesel::delete(project_slugs::table.filter(project_slugs::project_id.eq(id))).execute(conn).map(drop)?)
}
