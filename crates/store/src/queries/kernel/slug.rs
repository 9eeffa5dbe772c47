//! Queries for reserved slugs: the current and former slugs of each team and project, which no other can take.

use diesel::prelude::*;
use steward_domain::kernel::{Slug, Unique};
use uuid::Uuid;

use super::Conn;
use super::statement::{Fragment, Statement};
use crate::error::JobError;

/// The slugs of teams or projects.
pub(crate) struct Slugs {
    /// $1 is the slug, $2 the team or project, which may already have reserved it.
    reserve: &'static str,
    /// Reserves the current slug. A version of the service without reservations may have assigned it.
    retain: &'static str,
    unique: Unique,
}

pub(crate) const TEAMS: Slugs = Slugs {
    reserve: "INSERT INTO team_slugs AS s (slug, team_id) VALUES ($1, $2) ON CONFLICT (slug) \
         DO UPDATE SET team_id = excluded.team_id WHERE s.team_id = excluded.team_id",
    retain: "INSERT INTO team_slugs (slug, team_id) SELECT slug, id FROM teams WHERE id = $1 ON CONFLICT DO NOTHING",
    unique: Unique::TeamSlug,
};
pub(crate) const PROJECTS: Slugs = Slugs {
    reserve: "INSERT INTO project_slugs AS s (slug, project_id) VALUES ($1, $2) ON CONFLICT (slug) \
         DO UPDATE SET project_id = excluded.project_id WHERE s.project_id = excluded.project_id",
    retain: "INSERT INTO project_slugs (slug, project_id) SELECT slug, id FROM projects WHERE id = $1 \
         ON CONFLICT DO NOTHING",
    unique: Unique::ProjectSlug,
};

impl Slugs {
    /// Reserves a slug. Fails if another team or project has it.
    pub(crate) fn reserve(&self, conn: &mut Conn, owner: impl Into<Uuid>, slug: &Slug) -> Result<(), JobError> {
        let values = [Fragment::text(slug.as_str()), Fragment::id(owner)];
        let reserved = Statement::<()>::numbered(self.reserve, &values).execute(conn)?;
        if reserved == 1 { Ok(()) } else { Err(JobError::Taken(self.unique)) }
    }

    /// Reserves the current slug.
    pub(crate) fn retain(&self, conn: &mut Conn, owner: impl Into<Uuid>) -> Result<(), JobError> {
        Ok(Statement::<()>::numbered(self.retain, &[Fragment::id(owner)]).execute(conn).map(drop)?)
    }
}
