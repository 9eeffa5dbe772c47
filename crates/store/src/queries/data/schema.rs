//! Queries for published schemas.

use async_trait::async_trait;
use diesel::prelude::*;
use steward_domain::data::SchemaReader;
use steward_domain::data::schema::SchemaVersion;
use steward_domain::kernel::{Cursor, Page, PageRequest, ProjectId, StoreError};

use super::dialect::RowByRow;
use super::item::item_index;
use super::kernel::page;
use super::kernel::page::{MeasuredRow, PageRows};
use super::{Conn, Database};
use crate::error::JobError;
use crate::sql_types::Id;
use crate::tables::{SchemaVersionRow, Stored as _, schema_versions};

impl MeasuredRow for SchemaVersionRow {
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
                .select(SchemaVersionRow::as_select())
                .first(conn)
                .optional()?;
            row.map(TryInto::try_into).transpose()
        })
        .await
    }

    async fn newest_schema(&self, project: ProjectId) -> Result<Option<SchemaVersion>, StoreError> {
        self.read_one(move |conn| {
            schema_versions::table
                .filter(schema_versions::project_id.eq(Id(project.uuid())))
                .order(schema_versions::number.desc())
                .select(SchemaVersionRow::as_select())
                .first(conn)
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
    page::read_page(request, SchemaVersionRow::try_into, cursor, |request, part: &mut PageRows<SchemaVersionRow>| {
        let mut query = schema_versions::table
            .filter(schema_versions::project_id.eq(Id(project.uuid())))
            .select(SchemaVersionRow::as_select())
            .order(schema_versions::number.desc())
            .limit(part.limit())
            .into_boxed();
        if let Some(cursor) = &request.after {
            query = query.filter(schema_versions::number.lt(cursor.id.parse::<i32>().unwrap_or_default()));
        }
        part.take(query.load_iter::<SchemaVersionRow, RowByRow>(conn)?)
    })
}

pub(crate) fn insert(conn: &mut Conn, version: &SchemaVersion) -> Result<(), JobError> {
    diesel::insert_into(schema_versions::table).values(version.row()?).execute(conn)?;
    item_index::note(conn, version)
}
