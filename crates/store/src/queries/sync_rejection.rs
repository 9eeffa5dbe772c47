//! Rejected changes of devices.

use diesel::prelude::*;
use diesel::sql_types::BigInt;
use steward_domain::model::{Cursor, Page, PageRequest, ProjectId, SyncKey, SyncRejection};

use super::{Conn, page};
use crate::error::JobError;
use crate::sql_types::{At, Id, Uid};
use crate::tables::sync_rejections;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = sync_rejections)]
struct Row {
    id: Id,
    project_id: Id,
    user_id: Id,
    at: At,
    device: String,
    table_name: String,
    item_id: String,
    code: String,
    message: String,
}

impl TryFrom<Row> for SyncRejection {
    type Error = JobError;

    fn try_from(row: Row) -> Result<Self, JobError> {
        Ok(Self {
            id: row.id.0.into(),
            project_id: row.project_id.0.into(),
            user_id: row.user_id.0.into(),
            at: row.at.0,
            device: row.device,
            key: SyncKey { table: row.table_name, id: row.item_id },
            code: row.code,
            message: row.message,
        })
    }
}

impl From<&SyncRejection> for Row {
    fn from(rejection: &SyncRejection) -> Self {
        Self {
            id: Id(rejection.id.uuid()),
            project_id: Id(rejection.project_id.uuid()),
            user_id: Id(rejection.user_id.uuid()),
            at: At(rejection.at),
            device: rejection.device.clone(),
            table_name: rejection.key.table.clone(),
            item_id: rejection.key.id.clone(),
            code: rejection.code.clone(),
            message: rejection.message.clone(),
        }
    }
}

/// Stores rejections of one project, and deletes its oldest ones beyond `max_kept`.
pub(super) fn record(conn: &mut Conn, rejections: &[SyncRejection], max_kept: u16) -> Result<(), JobError> {
    const DELETE_OLD: &str = "DELETE FROM sync_rejections WHERE project_id = $1 AND id IN (SELECT id FROM sync_rejections \
         WHERE project_id = $1 ORDER BY at DESC, id DESC LIMIT 1000 OFFSET $2)";
    let Some(project) = rejections.first().map(|rejection| Id(rejection.project_id.uuid())) else { return Ok(()) };
    conn.transaction(|conn| {
        let rows: Vec<Row> = rejections.iter().map(Row::from).collect();
        diesel::insert_into(sync_rejections::table).values(rows).execute(conn)?;
        let delete = diesel::sql_query(DELETE_OLD).bind::<Uid, _>(project).bind::<BigInt, _>(i64::from(max_kept));
        delete.execute(conn)?;
        Ok(())
    })
}

pub(super) fn list(
    conn: &mut Conn,
    project: ProjectId,
    request: &PageRequest,
) -> Result<Page<SyncRejection>, JobError> {
    let mut query = sync_rejections::table
        .filter(sync_rejections::project_id.eq(Id(project.uuid())))
        .select(Row::as_select())
        .order((sync_rejections::at.desc(), sync_rejections::id.desc()))
        .limit(request.rows())
        .into_boxed();
    if let Some((at, id)) = page::after(request) {
        query = query.filter(sync_rejections::at.lt(at).or(sync_rejections::at.eq(at).and(sync_rejections::id.lt(id))));
    }
    let rows: Vec<Row> = query.load(conn)?;
    page::parse_page(rows, request, |rejection: &SyncRejection| Cursor {
        at: rejection.at,
        id: rejection.id.to_string(),
    })
}
