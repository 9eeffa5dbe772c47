//! Queries for projects, including those that access decisions rely on.

use async_trait::async_trait;
use std::sync::Arc;

use diesel::dsl::AsSelect;
use diesel::prelude::*;
use steward_domain::administration::{Day, Project, ProjectInTeam, ProjectMembership, ProjectReader, ProjectUsage};
use steward_domain::kernel::error::ResourceKind;
use steward_domain::kernel::policy::RoleSet;
use steward_domain::kernel::{
    AccessEpoch, AccountId, Cursor, Name, Page, PageRequest, ProjectId, Slug, StoreError, TeamId, Time,
};

use super::dialect::RowByRow;
use super::kernel::page::{MeasuredRow, PageRows, json_bytes};
use super::kernel::{page, quota, slug, usage};
use super::{Conn, Database};
use crate::error::{JobError, expect_one};
use crate::sql_types::{At, Id};
use crate::tables::{ProjectRow, Revised as _, Stored as _, members, project_slugs, projects, schema_versions, teams};

/// A project with the name, the slug and the rule of its team, the number of its newest schema, and its access epoch.
pub(crate) type ProjectInTeamRow = (ProjectRow, String, String, Option<At>, Option<i32>, i64);

/// The columns of [`ProjectInTeamRow`].
#[diesel::dsl::auto_type(no_type_alias)]
pub(crate) fn project_in_team() -> _ {
    let project: AsSelect<ProjectRow, super::Backend> = ProjectRow::as_select();
    (project, teams::name, teams::slug, teams::second_factor_from, newest_number(), projects::access_epoch)
}

pub(crate) fn in_team(
    (project, team_name, team_slug, second_factor_from, number, epoch): ProjectInTeamRow,
) -> Result<ProjectInTeam, JobError> {
    Ok(ProjectInTeam {
        project: project.try_into()?,
        team_name: Name::stored(&team_name).map_err(JobError::corrupt)?,
        team_slug: Slug::parse(&team_slug).map_err(JobError::corrupt)?,
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
        let page = page.clone();
        self.read(move |conn| projects_of(conn, account, one_factor_at, &page)).await
    }

    async fn project(&self, id: ProjectId) -> Result<Option<ProjectInTeam>, StoreError> {
        self.read(move |conn| {
            let row: Option<ProjectInTeamRow> = projects::table
                .inner_join(teams::table)
                .filter(projects::id.eq(Id(id.uuid())))
                .filter(projects::deleted_at.is_null())
                .select(project_in_team())
                .first(conn)
                .optional()?;
            row.map(in_team).transpose()
        })
        .await
    }

    async fn projects_in(&self, team: TeamId, page: &PageRequest) -> Result<Page<ProjectInTeam>, StoreError> {
        let page = page.clone();
        self.read(move |conn| projects_in(conn, team, &page)).await
    }

    async fn project_usage(&self, id: ProjectId) -> Result<ProjectUsage, StoreError> {
        self.read(move |conn| quota::usage(conn, id)).await
    }

    async fn project_requests(&self, id: ProjectId, since: Day) -> Result<Vec<(Day, u64)>, StoreError> {
        self.read(move |conn| usage::requests(conn, id, since)).await
    }

    async fn taken_project_slugs(&self, slugs: &[Slug]) -> Result<Vec<Slug>, StoreError> {
        let slugs = slugs.to_vec();
        self.read(move |conn| {
            let requested = || slugs.iter().map(Slug::as_str);
            let current = projects::table.filter(projects::slug.eq_any(requested())).select(projects::slug);
            let reserved =
                project_slugs::table.filter(project_slugs::slug.eq_any(requested())).select(project_slugs::slug);
            let found: Vec<String> = current.union(reserved).load(conn)?;
            found.iter().map(|slug| Slug::parse(slug).map_err(JobError::corrupt)).collect()
        })
        .await
    }
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
    Cursor { at: found.project.created_at, id: found.project.id.to_string() }
}

impl MeasuredRow for ProjectInTeamRow {
    fn bytes(&self) -> usize {
        json_bytes([Some(&self.0.profile), Some(&self.0.redirect_uris), Some(&self.0.post_logout_redirect_uris)])
    }
}

fn projects_of(
    conn: &mut Conn,
    account: AccountId,
    one_factor_at: Option<Time>,
    request: &PageRequest,
) -> Result<Page<ProjectInTeam>, JobError> {
    page::read_page(request, in_team, cursor_of, |request, part: &mut PageRows<ProjectInTeamRow>| {
        let mut query = projects::table
            .inner_join(teams::table.inner_join(members::table))
            .filter(members::account_id.eq(Id(account.uuid())))
            .filter(projects::deleted_at.is_null())
            .select(project_in_team())
            .order((projects::created_at.desc(), projects::id.desc()))
            .limit(part.limit())
            .into_boxed();
        if let Some(at) = one_factor_at.map(At) {
            query = query.filter(teams::second_factor_from.is_null().or(teams::second_factor_from.gt(at)));
        }
        query = page::before_cursor!(query, request, projects::created_at, projects::id);
        part.take(query.load_iter::<ProjectInTeamRow, RowByRow>(conn)?)
    })
}

fn projects_in(conn: &mut Conn, team: TeamId, request: &PageRequest) -> Result<Page<ProjectInTeam>, JobError> {
    page::read_page(request, in_team, cursor_of, |request, part: &mut PageRows<ProjectInTeamRow>| {
        let mut query = projects::table
            .inner_join(teams::table)
            .filter(projects::team_id.eq(Id(team.uuid())))
            .filter(projects::deleted_at.is_null())
            .select(project_in_team())
            .order((projects::created_at.desc(), projects::id.desc()))
            .limit(part.limit())
            .into_boxed();
        query = page::before_cursor!(query, request, projects::created_at, projects::id);
        part.take(query.load_iter::<ProjectInTeamRow, RowByRow>(conn)?)
    })
}

pub(crate) fn insert(conn: &mut Conn, project: &Project) -> Result<(), JobError> {
    diesel::insert_into(projects::table).values(project.row()?).execute(conn)?;
    quota::begin(conn, project.id)?;
    slug::reserve_for_project(conn, project.id, &project.slug)
}

pub(crate) fn replace(conn: &mut Conn, project: &Project) -> Result<(), JobError> {
    slug::retention_of_project(conn, project.id)?;
    expect_one(diesel::update(project.current()?).set(project.next_row()?).execute(conn)?, ResourceKind::Project)?;
    slug::reserve_for_project(conn, project.id, &project.slug)
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
    diesel::delete(project_slugs::table.filter(project_slugs::project_id.eq(id))).execute(conn)?;
    Ok(())
}
