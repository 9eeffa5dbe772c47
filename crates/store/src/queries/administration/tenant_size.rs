//! Teams and projects by size, from the counters of the projects.

use async_trait::async_trait;
use const_format::concatcp;
use diesel::sql_types::{BigInt, Text};
use steward_domain::administration::{ProjectSize, SizeOrder, SizePage, TeamSize, TenantSizeReader};
use steward_domain::kernel::StoreError;

use super::Database;
use super::dialect::NOT_CANCELLED;
use super::kernel::quota::unsigned;
use super::kernel::statement::{Fragment, Statement};
use crate::sql_types::{Id, Uid};
use crate::tables::ColumnValue as _;

/// The SQL types of [`Row`].
type Columns = (Uid, Text, Text, Text, BigInt, BigInt, BigInt);
/// A team or project: its ID, name and slug, the slug of its team, and the numbers of its projects, items and bytes.
type Row = (Id, String, String, String, i64, i64, i64);

/// The size of every project, as the sum of its counters.
const SIZES: &str = concatcp!(
    "SELECT p.id, p.team_id, p.name, p.slug, CAST(coalesce(sum(u.items), 0) AS bigint) AS items, \
     CAST(coalesce(sum(u.bytes), 0) AS bigint) AS bytes FROM projects p LEFT JOIN project_usage u ON u.project_id = p.id \
     WHERE p.deleted_at IS NULL AND ",
    NOT_CANCELLED,
    " GROUP BY p.id, p.team_id, p.name, p.slug"
);
const PROJECTS: &str = concatcp!(
    "SELECT s.id, s.name, s.slug, t.slug, CAST(1 AS bigint), s.items, s.bytes FROM (",
    SIZES,
    ") AS s JOIN teams t ON t.id = s.team_id ORDER BY "
);
const TEAMS: &str = concatcp!(
    "SELECT t.id, t.name, t.slug, t.slug, count(s.id), CAST(coalesce(sum(s.items), 0) AS bigint), \
     CAST(coalesce(sum(s.bytes), 0) AS bigint) FROM teams t LEFT JOIN (",
    SIZES,
    ") AS s ON s.team_id = t.id GROUP BY t.id, t.name, t.slug ORDER BY "
);

/// Orders the teams or projects by a column, by its number, and then by their IDs.
fn page_of(all: &'static str, page: SizePage) -> Statement<Columns> {
    let mut statement = Statement::new();
    statement.sql(all);
    statement.sql(match page.order {
        SizeOrder::Items => "6",
        SizeOrder::Bytes => "7",
    });
    let bounds = [Fragment::Count(page.limit.into()), Fragment::Count(page.offset.into())];
    statement.push(" DESC, 1 LIMIT $1 OFFSET $2", &bounds);
    statement
}

#[async_trait]
impl TenantSizeReader for Database {
    async fn teams_by_size(&self, page: SizePage) -> Result<Vec<TeamSize>, StoreError> {
        let team = |(id, name, slug, _, projects, items, bytes): Row| {
            let (projects, items, bytes) = (unsigned(projects), unsigned(items), unsigned(bytes));
            Ok(TeamSize { id: id.0.into(), name: name.load()?, slug: slug.load()?, projects, items, bytes })
        };
        self.all_as(page_of(TEAMS, page), team).await
    }

    async fn projects_by_size(&self, page: SizePage) -> Result<Vec<ProjectSize>, StoreError> {
        let project = |(id, name, slug, team_slug, _, items, bytes): Row| {
            let (items, bytes, team_slug) = (unsigned(items), unsigned(bytes), team_slug.load()?);
            Ok(ProjectSize { id: id.0.into(), name: name.load()?, slug: slug.load()?, team_slug, items, bytes })
        };
        self.all_as(page_of(PROJECTS, page), project).await
    }
}
