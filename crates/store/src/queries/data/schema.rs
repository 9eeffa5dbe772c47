//! Queries for published schemas.

use async_trait::async_trait;
use diesel::prelude::*;
use steward_domain::data::SchemaReader;
use steward_domain::data::schema::SchemaVersion;
use steward_domain::kernel::{Page, PageRequest, ProjectId, StoreError};

use super::item::item_index;
use super::kernel::page;
use super::kernel::page::MeasuredRow;
use super::{Backend, Conn, Database};
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
        let Ok(number) = i32::try_from(number) else { return Ok(None) };
        let versions = schema_versions::table.filter(schema_versions::project_id.eq(Id(project.uuid())));
        self.first(versions.filter(schema_versions::number.eq(number))).await
    }

    async fn newest_schema(&self, project: ProjectId) -> Result<Option<SchemaVersion>, StoreError> {
        let versions = schema_versions::table.filter(schema_versions::project_id.eq(Id(project.uuid())));
        self.first(versions.order(schema_versions::number.desc())).await
    }

    async fn schemas(&self, project: ProjectId, page: &PageRequest) -> Result<Page<SchemaVersion>, StoreError> {
        // From the newest to the oldest, which is in descending order of number. The cursor's ID is the number.
        let cursor = |version: &SchemaVersion| page::cursor(version.published_at, version.number);
        self.large_page(page, <SchemaVersion as TryFrom<SchemaVersionRow>>::try_from, cursor, move |page, limit| {
            let versions = schema_versions::table
                .filter(schema_versions::project_id.eq(Id(project.uuid())))
                .select(SchemaVersionRow::as_select())
                .order(schema_versions::number.desc())
                .limit(limit)
                .into_boxed::<Backend>();
            match &page.after {
                Some(cursor) => {
                    versions.filter(schema_versions::number.lt(cursor.id.parse::<i32>().unwrap_or_default()))
                }
                None => versions,
            }
        })
        .await
    }
}

pub(crate) fn insert(conn: &mut Conn, version: &SchemaVersion) -> Result<(), JobError> {
    diesel::insert_into(schema_versions::table).values(version.row()?).execute(conn)?;
    item_index::note(conn, version)
}
