//! Queries for published schemas.

use async_trait::async_trait;
use diesel::prelude::*;
use steward_domain::model::schema::{Document, SchemaVersion};
use steward_domain::model::{Cursor, Page, PageRequest, ProjectId};
use steward_domain::ports::{SchemaReader, StoreError};

use super::page::{MeasuredRow, PageRows};
use super::{Conn, Database, RowByRow, item_index, page};
use crate::error::JobError;
use crate::sql_types::{At, Id, Json};
use crate::tables::schema_versions;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = schema_versions)]
struct Row {
    id: Id,
    project_id: Id,
    number: i32,
    document: Json,
    published_at: At,
}

impl TryFrom<Row> for SchemaVersion {
    type Error = JobError;

    fn try_from(row: Row) -> Result<Self, JobError> {
        let document = serde_json::from_str(&row.document.0).map_err(JobError::corrupt)?;
        Ok(Self {
            id: row.id.0.into(),
            project_id: row.project_id.0.into(),
            number: u32::try_from(row.number).map_err(JobError::corrupt)?,
            document: Document::parse(&document).map_err(|_| JobError::corrupt("an invalid schema document"))?,
            published_at: row.published_at.0,
        })
    }
}

impl MeasuredRow for Row {
    fn bytes(&self) -> usize {
        self.document.0.len()
    }
}

#[async_trait]
impl SchemaReader for Database {
    async fn schema(&self, project: ProjectId, number: u32) -> Result<Option<SchemaVersion>, StoreError> {
        self.read(move |conn| {
            let Ok(number) = i32::try_from(number) else { return Ok(None) };
            let row = schema_versions::table
                .filter(schema_versions::project_id.eq(Id(project.uuid())))
                .filter(schema_versions::number.eq(number))
                .select(Row::as_select())
                .first(conn)
                .optional()?;
            row.map(TryInto::try_into).transpose()
        })
        .await
    }

    async fn newest_schema(&self, project: ProjectId) -> Result<Option<SchemaVersion>, StoreError> {
        self.read(move |conn| {
            let row = schema_versions::table
                .filter(schema_versions::project_id.eq(Id(project.uuid())))
                .order(schema_versions::number.desc())
                .select(Row::as_select())
                .first(conn)
                .optional()?;
            row.map(TryInto::try_into).transpose()
        })
        .await
    }

    async fn schemas(&self, project: ProjectId, page: &PageRequest) -> Result<Page<SchemaVersion>, StoreError> {
        let page = page.clone();
        self.read(move |conn| list(conn, project, &page)).await
    }
}

/// Lists versions from the newest to the oldest, which is in descending order of number. The cursor's ID is the number.
fn list(conn: &mut Conn, project: ProjectId, request: &PageRequest) -> Result<Page<SchemaVersion>, JobError> {
    let cursor = |version: &SchemaVersion| Cursor { at: version.published_at, id: version.number.to_string() };
    page::read_page(request, Row::try_into, cursor, |request, part: &mut PageRows<Row>| {
        let mut query = schema_versions::table
            .filter(schema_versions::project_id.eq(Id(project.uuid())))
            .select(Row::as_select())
            .order(schema_versions::number.desc())
            .limit(part.limit())
            .into_boxed();
        if let Some(cursor) = &request.after {
            query = query.filter(schema_versions::number.lt(cursor.id.parse::<i32>().unwrap_or_default()));
        }
        part.take(query.load_iter::<Row, RowByRow>(conn)?)
    })
}

pub(super) fn insert(conn: &mut Conn, version: &SchemaVersion) -> Result<(), JobError> {
    let row = Row {
        id: Id(version.id.uuid()),
        project_id: Id(version.project_id.uuid()),
        number: i32::try_from(version.number).map_err(JobError::corrupt)?,
        document: Json(version.document.to_json()),
        published_at: At(version.published_at),
    };
    diesel::insert_into(schema_versions::table).values(row).execute(conn)?;
    item_index::note(conn, version)
}
