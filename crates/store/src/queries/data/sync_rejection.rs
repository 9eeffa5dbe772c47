//! Rejected changes of devices.

use diesel::prelude::*;
use diesel::sql_types::BigInt;
use steward_domain::data::SyncRejection;
use steward_domain::kernel::{Cursor, Page, PageRequest, ProjectId};

use super::Conn;
use super::kernel::page;
use crate::error::JobError;
use crate::sql_types::{Id, Uid};
use crate::tables::{SyncRejectionRow, sync_rejections};

/// Stores rejections of one project, and deletes its oldest ones beyond `max_kept`.
pub(crate) fn record(conn: &mut Conn, rejections: &[SyncRejection], max_kept: u16) -> Result<(), JobError> {
    const DELETE_OLD: &str = "DELETE FROM sync_rejections WHERE project_id = $1 AND id IN (SELECT id FROM sync_rejections \
         WHERE project_id = $1 ORDER BY at DESC, id DESC LIMIT 1000 OFFSET $2)";
    let Some(project) = rejections.first().map(|rejection| Id(rejection.project_id.uuid())) else { return Ok(()) };
    conn.transaction(|conn| {
        let rows: Vec<SyncRejectionRow> =
            rejections.iter().map(SyncRejectionRow::try_from).collect::<Result<_, _>>()?;
        diesel::insert_into(sync_rejections::table).values(rows).execute(conn)?;
        let delete = diesel::sql_query(DELETE_OLD).bind::<Uid, _>(project).bind::<BigInt, _>(i64::from(max_kept));
        delete.execute(conn)?;
        Ok(())
    })
}

pub(crate) fn list(
    conn: &mut Conn,
    project: ProjectId,
    request: &PageRequest,
) -> Result<Page<SyncRejection>, JobError> {
    let mut query = sync_rejections::table
        .filter(sync_rejections::project_id.eq(Id(project.uuid())))
        .select(SyncRejectionRow::as_select())
        .order((sync_rejections::at.desc(), sync_rejections::id.desc()))
        .limit(request.rows())
        .into_boxed();
    query = page::before_cursor!(query, request, sync_rejections::at, sync_rejections::id);
    let rows: Vec<SyncRejectionRow> = query.load(conn)?;
    page::parse_page(rows, request, |rejection: &SyncRejection| Cursor {
        at: rejection.at,
        id: rejection.id.to_string(),
    })
}
