//! Teams and projects by size, from the counters of the projects.

use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use steward_domain::administration::{ProjectSize, SizeOrder, SizePage, TeamSize, TenantSizeReader};
use steward_domain::kernel::{Name, Slug, StoreError};

use super::dialect::NOT_CANCELLED;
use super::kernel::quota::unsigned;
use super::{Conn, Database};
use crate::error::JobError;
use crate::sql_types::{Id, Uid};

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Uid)]
    id: Id,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    slug: String,
    #[diesel(sql_type = Text)]
    team_slug: String,
    #[diesel(sql_type = BigInt)]
    projects: i64,
    #[diesel(sql_type = BigInt)]
    items: i64,
    #[diesel(sql_type = BigInt)]
    bytes: i64,
}

/// The size of every project, as the sum of its counters.
const SIZES: &str = "SELECT p.id, p.team_id, p.name, p.slug, CAST(coalesce(sum(u.items), 0) AS bigint) AS items, \
     CAST(coalesce(sum(u.bytes), 0) AS bigint) AS bytes FROM projects p LEFT JOIN project_usage u ON u.project_id = p.id \
     WHERE p.deleted_at IS NULL AND ";

fn projects(order: SizeOrder) -> String {
    format!(
        "SELECT s.id, s.name, s.slug, t.slug AS team_slug, CAST(1 AS bigint) AS projects, s.items, s.bytes \
         FROM ({SIZES}{NOT_CANCELLED} GROUP BY p.id, p.team_id, p.name, p.slug) AS s JOIN teams t ON t.id = s.team_id \
         ORDER BY s.{} DESC, s.id LIMIT $1 OFFSET $2",
        order.as_str()
    )
}

fn teams(order: SizeOrder) -> String {
    format!(
        "SELECT t.id, t.name, t.slug, t.slug AS team_slug, count(s.id) AS projects, \
         CAST(coalesce(sum(s.items), 0) AS bigint) AS items, CAST(coalesce(sum(s.bytes), 0) AS bigint) AS bytes \
         FROM teams t LEFT JOIN ({SIZES}{NOT_CANCELLED} GROUP BY p.id, p.team_id, p.name, p.slug) AS s \
         ON s.team_id = t.id GROUP BY t.id, t.name, t.slug ORDER BY {} DESC, 1 LIMIT $1 OFFSET $2",
        match order {
            SizeOrder::Items => 6,
            SizeOrder::Bytes => 7,
        }
    )
}

#[async_trait]
impl TenantSizeReader for Database {
    async fn teams_by_size(&self, page: SizePage) -> Result<Vec<TeamSize>, StoreError> {
        self.read(move |conn| {
            let rows = load(conn, teams(page.order), page)?;
            rows.into_iter().map(team).collect()
        })
        .await
    }

    async fn projects_by_size(&self, page: SizePage) -> Result<Vec<ProjectSize>, StoreError> {
        self.read(move |conn| {
            let rows = load(conn, projects(page.order), page)?;
            rows.into_iter().map(project).collect()
        })
        .await
    }
}

fn load(conn: &mut Conn, statement: String, page: SizePage) -> Result<Vec<Row>, JobError> {
    let query = diesel::sql_query(statement).bind::<BigInt, _>(i64::from(page.limit));
    Ok(query.bind::<BigInt, _>(i64::from(page.offset)).load(conn)?)
}

fn team(row: Row) -> Result<TeamSize, JobError> {
    Ok(TeamSize {
        id: row.id.0.into(),
        name: Name::stored(&row.name).map_err(JobError::corrupt)?,
        slug: Slug::parse(&row.slug).map_err(JobError::corrupt)?,
        projects: unsigned(row.projects),
        items: unsigned(row.items),
        bytes: unsigned(row.bytes),
    })
}

fn project(row: Row) -> Result<ProjectSize, JobError> {
    Ok(ProjectSize {
        id: row.id.0.into(),
        name: Name::stored(&row.name).map_err(JobError::corrupt)?,
        slug: Slug::parse(&row.slug).map_err(JobError::corrupt)?,
        team_slug: Slug::parse(&row.team_slug).map_err(JobError::corrupt)?,
        items: unsigned(row.items),
        bytes: unsigned(row.bytes),
    })
}
