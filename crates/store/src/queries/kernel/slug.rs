//! Queries for reserved slugs: the current and former slugs of each team and project, which no other can take.

use diesel::prelude::*;
use diesel::upsert::excluded;
use steward_domain::kernel::{ProjectId, Slug, TeamId, Unique};

use super::Conn;
use crate::error::JobError;
use crate::sql_types::Id;
use crate::tables::{project_slugs, projects, team_slugs, teams};

/// Reserves a slug for a team. The team may already have reserved it.
pub(crate) fn reserve_for_team(conn: &mut Conn, team: TeamId, slug: &Slug) -> Result<(), JobError> {
    let row = (team_slugs::slug.eq(slug.as_str()), team_slugs::team_id.eq(Id(team.uuid())));
    let own = team_slugs::team_id.eq(excluded(team_slugs::team_id));
    let reserved = diesel::insert_into(team_slugs::table).values(row).on_conflict(team_slugs::slug);
    let reserved = reserved.do_update().set(team_slugs::team_id.eq(excluded(team_slugs::team_id)));
    expect_reserved(diesel::query_dsl::methods::FilterDsl::filter(reserved, own).execute(conn)?, Unique::TeamSlug)
}

/// Reserves the current slug of a team. A version of the service without reservations may have assigned it.
pub(crate) fn retention_of_team(conn: &mut Conn, team: TeamId) -> Result<(), JobError> {
    let own = teams::table.filter(teams::id.eq(Id(team.uuid()))).select((teams::slug, teams::id));
    let insert =
        diesel::insert_into(team_slugs::table).values(own).into_columns((team_slugs::slug, team_slugs::team_id));
    insert.on_conflict_do_nothing().execute(conn)?;
    Ok(())
}

/// Reserves a slug for a project. The project may already have reserved it.
pub(crate) fn reserve_for_project(conn: &mut Conn, project: ProjectId, slug: &Slug) -> Result<(), JobError> {
    let row = (project_slugs::slug.eq(slug.as_str()), project_slugs::project_id.eq(Id(project.uuid())));
    let own = project_slugs::project_id.eq(excluded(project_slugs::project_id));
    let reserved = diesel::insert_into(project_slugs::table).values(row).on_conflict(project_slugs::slug);
    let reserved = reserved.do_update().set(project_slugs::project_id.eq(excluded(project_slugs::project_id)));
    expect_reserved(diesel::query_dsl::methods::FilterDsl::filter(reserved, own).execute(conn)?, Unique::ProjectSlug)
}

/// Reserves the current slug of a project.
pub(crate) fn retention_of_project(conn: &mut Conn, project: ProjectId) -> Result<(), JobError> {
    let own = projects::table.filter(projects::id.eq(Id(project.uuid()))).select((projects::slug, projects::id));
    let insert = diesel::insert_into(project_slugs::table).values(own);
    let insert = insert.into_columns((project_slugs::slug, project_slugs::project_id));
    insert.on_conflict_do_nothing().execute(conn)?;
    Ok(())
}

/// Returns [`JobError::Taken`] unless the reservation affected exactly one row.
fn expect_reserved(rows: usize, unique: Unique) -> Result<(), JobError> {
    if rows == 1 { Ok(()) } else { Err(JobError::Taken(unique)) }
}
