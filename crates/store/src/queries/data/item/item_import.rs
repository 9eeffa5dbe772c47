//! Queries for imports of items that run in the background.

use async_trait::async_trait;
use diesel::prelude::*;
use steward_domain::data::{
    AppendOutcome, ImportRecord, ImportState, ItemImport, ItemImportStore, LineProblem, RecordContent,
};
use steward_domain::kernel::error::ResourceKind;
use steward_domain::kernel::{ItemImportId, ProjectId, ProjectUserId, StoreError, Time};
use uuid::Uuid;

use super::kernel::quota;
use super::kernel::statement::{Fragment, Statement};
use super::{Conn, Database};
use crate::error::{JobError, expect_one};
use crate::sql_types::{At, Id};
use crate::tables::{
    ColumnValue as _, ItemImportRow, item_import_chunks, item_import_problems, item_imports, project_users,
};

/// Number of imports that a list contains.
const MAX_LISTED: i64 = 10;
/// Number of portions that are deleted at a time.
const FORGET_BATCH_SIZE: i64 = 20;

/// A record as it is stored: the number of its line, its kind, and its parts.
type StoredRecord = (u64, String, Vec<String>);

const CELLS: &str = "cells";
const TEXT: &str = "text";
const REFUSED: &str = "refused";

fn to_stored(record: ImportRecord) -> StoredRecord {
    let (kind, parts) = match record.content {
        RecordContent::Cells(cells) => (CELLS, cells),
        RecordContent::Text(text) => (TEXT, vec![text]),
        RecordContent::Refused(field, why) => (REFUSED, std::iter::once(why).chain(field).collect()),
    };
    (record.line, kind.to_owned(), parts)
}

fn from_stored((line, kind, parts): StoredRecord) -> Result<ImportRecord, JobError> {
    let mut rest = parts.into_iter();
    let content = match kind.as_str() {
        CELLS => RecordContent::Cells(rest.collect()),
        TEXT => RecordContent::Text(rest.next().unwrap_or_default()),
        REFUSED => {
            let why = rest.next().unwrap_or_default();
            RecordContent::Refused(rest.next(), why)
        }
        _ => return Err(JobError::corrupt("a record of an import with an unknown kind")),
    };
    Ok(ImportRecord { line, content })
}

#[async_trait]
impl ItemImportStore for Database {
    async fn insert_import(&self, import: &ItemImport) -> Result<bool, StoreError> {
        let import = import.clone();
        self.transact(move |conn| insert(conn, &import)).await
    }

    async fn append_import(
        &self,
        import: &ItemImport,
        portions: Vec<Vec<ImportRecord>>,
        limit: u64,
    ) -> Result<AppendOutcome, StoreError> {
        let import = import.clone();
        self.transact(move |conn| append(conn, &import, portions, limit)).await
    }

    async fn change_import(&self, import: &ItemImport) -> Result<bool, StoreError> {
        let row = (import.clone(), import.state.as_str());
        self.write(move |conn| {
            let (import, state) = row;
            let active = [ImportState::Uploading.as_str(), ImportState::Running.as_str()];
            // What a step has stored in the meantime stays, and the job deletes the remaining portions.
            let changed = diesel::update(item_imports::table)
                .filter(item_imports::project_id.eq(Id(import.project_id.uuid())))
                .filter(item_imports::id.eq(Id(import.id.uuid())))
                .filter(item_imports::state.eq_any(active))
                .set((
                    item_imports::state.eq(state),
                    item_imports::is_check.eq(import.is_check),
                    item_imports::message.eq(&import.message),
                    item_imports::updated_at.eq(At(import.updated_at)),
                ))
                .execute(conn)?;
            Ok(changed > 0)
        })
        .await
    }

    async fn forget_portions(&self, import: &ItemImport) -> Result<(), StoreError> {
        const FORGET: &str = "DELETE FROM item_import_chunks WHERE (project_id, import_id, number) IN \
             (SELECT project_id, import_id, number FROM item_import_chunks WHERE project_id = $1 AND import_id = $2 \
             ORDER BY number LIMIT $3)";
        let (project, id) = (Id(import.project_id.uuid()), Id(import.id.uuid()));
        self.transact(move |conn| {
            let values = [Fragment::Id(project), Fragment::Id(id), Fragment::Count(FORGET_BATCH_SIZE)];
            let forgotten = Statement::<()>::numbered(FORGET, &values).execute(conn)?;
            if i64::try_from(forgotten).map_err(JobError::corrupt)? < FORGET_BATCH_SIZE {
                diesel::update(item_imports::table.find((project, id)))
                    .set(item_imports::has_work.eq(false))
                    .execute(conn)?;
            }
            Ok(())
        })
        .await
    }

    async fn imports(
        &self,
        project: ProjectId,
        user: ProjectUserId,
        table: &str,
    ) -> Result<Vec<ItemImport>, StoreError> {
        let own = item_imports::table
            .filter(item_imports::project_id.eq(Id(project.uuid())))
            .filter(item_imports::user_id.eq(Id(user.uuid())))
            .filter(item_imports::table_name.eq(table.to_owned()));
        self.all(own.order(item_imports::id.desc()).limit(MAX_LISTED)).await
    }

    async fn import(&self, project: ProjectId, id: ItemImportId) -> Result<Option<ItemImport>, StoreError> {
        self.first(item_imports::table.find((Id(project.uuid()), Id(id.uuid())))).await
    }

    async fn import_problems(&self, import: &ItemImport, limit: u64) -> Result<Vec<LineProblem>, StoreError> {
        let problems = item_import_problems::table
            .filter(item_import_problems::project_id.eq(Id(import.project_id.uuid())))
            .filter(item_import_problems::import_id.eq(Id(import.id.uuid())))
            .select((item_import_problems::line, item_import_problems::field, item_import_problems::message))
            .order(item_import_problems::number)
            .limit(i64::store(&limit)?);
        let problem = |(line, field, message): (i64, _, _)| Ok(LineProblem { line: line.load()?, field, message });
        self.all_as(problems, problem).await
    }

    async fn import_records(&self, import: &ItemImport, chunk: u64) -> Result<Vec<ImportRecord>, StoreError> {
        let key = (Id(import.project_id.uuid()), Id(import.id.uuid()), i64::store(&chunk)?);
        let records = item_import_chunks::table.find(key).select(item_import_chunks::records);
        let parse = |records: String| -> Result<Vec<ImportRecord>, JobError> {
            let records: Vec<StoredRecord> = serde_json::from_str(&records).map_err(JobError::corrupt)?;
            records.into_iter().map(from_stored).collect()
        };
        Ok(self.first_as(records, parse).await?.unwrap_or_default())
    }

    async fn import_to_continue(
        &self,
        after: Option<ProjectId>,
        interrupted_before: Time,
    ) -> Result<Option<ItemImport>, StoreError> {
        let is_received = item_imports::state.ne(ImportState::Uploading.as_str());
        let waiting = item_imports::table
            .filter(item_imports::has_work.eq(true))
            .filter(item_imports::project_id.gt(Id(after.map_or(Uuid::nil(), ProjectId::uuid))))
            .filter(is_received.or(item_imports::updated_at.lt(At(interrupted_before))));
        self.first(waiting.order((item_imports::project_id, item_imports::id))).await
    }
}

/// Stores a new import, unless too many imports of the project have not ended or its user does not exist.
fn insert(conn: &mut Conn, import: &ItemImport) -> Result<bool, JobError> {
    const FORGET: &str = "DELETE FROM item_imports WHERE project_id = $1 AND NOT has_work AND id NOT IN \
         (SELECT id FROM item_imports WHERE project_id = $1 ORDER BY id DESC LIMIT $2)";
    let project = Id(import.project_id.uuid());
    quota::lock_project(conn, import.project_id)?;
    let user = project_users::table
        .filter(project_users::project_id.eq(project))
        .filter(project_users::id.eq(Id(import.user_id.uuid())));
    let active: i64 = item_imports::table
        .filter(item_imports::has_work.eq(true))
        .filter(item_imports::project_id.eq(project))
        .count()
        .get_result(conn)?;
    let has_user: bool = diesel::select(diesel::dsl::exists(user)).get_result(conn)?;
    if active >= i64::from(ItemImport::MAX_ACTIVE) || !has_user {
        return Ok(false);
    }
    let kept = Fragment::Count(i64::from(ItemImport::MAX_KEPT).saturating_sub(1));
    Statement::<()>::numbered(FORGET, &[Fragment::Id(project), kept]).execute(conn)?;
    diesel::insert_into(item_imports::table).values(ItemImportRow::try_from(import)?).execute(conn)?;
    Ok(true)
}

fn append(
    conn: &mut Conn,
    import: &ItemImport,
    portions: Vec<Vec<ImportRecord>>,
    limit: u64,
) -> Result<AppendOutcome, JobError> {
    let row = ItemImportRow::try_from(import)?;
    let (project, id, bytes, end) = (row.project_id, row.id, row.bytes, row.chunks);
    let others: Vec<i64> = item_imports::table
        .filter(item_imports::project_id.eq(project))
        .filter(item_imports::has_work.eq(true))
        .filter(item_imports::id.ne(id))
        .select(item_imports::bytes)
        .load(conn)?;
    let total = others.into_iter().fold(bytes, i64::saturating_add);
    if u64::try_from(total).unwrap_or(u64::MAX) > limit {
        return Ok(AppendOutcome::OverLimit);
    }
    let appended = diesel::update(item_imports::table)
        .filter(item_imports::project_id.eq(project))
        .filter(item_imports::id.eq(id))
        .filter(item_imports::state.eq(ImportState::Uploading.as_str()))
        .set(row)
        .execute(conn)?;
    if appended == 0 {
        return Ok(AppendOutcome::Ended);
    }
    let count = i64::try_from(portions.len()).map_err(JobError::corrupt)?;
    for (number, records) in (end.saturating_sub(count)..).zip(portions) {
        let records: Vec<_> = records.into_iter().map(to_stored).collect();
        diesel::insert_into(item_import_chunks::table)
            .values((
                item_import_chunks::project_id.eq(project),
                item_import_chunks::import_id.eq(id),
                item_import_chunks::number.eq(number),
                item_import_chunks::records.eq(serde_json::to_string(&records).map_err(JobError::corrupt)?),
            ))
            .execute(conn)?;
    }
    Ok(AppendOutcome::Stored)
}

/// Stores an import after its next portion, and deletes the portion. Fails if the import ended or another process imported
/// the portion.
pub(crate) fn advance(conn: &mut Conn, import: &ItemImport, problems: &[LineProblem]) -> Result<(), JobError> {
    let row = ItemImportRow::try_from(import)?;
    let (project, id, total) = (row.project_id, row.id, row.problems);
    let imported = row.next_chunk.saturating_sub(1);
    let advanced = diesel::update(item_imports::table)
        .filter(item_imports::project_id.eq(project))
        .filter(item_imports::id.eq(id))
        .filter(item_imports::state.eq(ImportState::Running.as_str()))
        .filter(item_imports::next_chunk.eq(imported))
        .set(row)
        .execute(conn)?;
    expect_one(advanced, ResourceKind::Item)?;
    diesel::delete(item_import_chunks::table.find((project, id, imported))).execute(conn)?;
    let first = total.saturating_sub(i64::try_from(problems.len()).map_err(JobError::corrupt)?);
    for (number, problem) in (first..).zip(problems) {
        diesel::insert_into(item_import_problems::table)
            .values((
                item_import_problems::project_id.eq(project),
                item_import_problems::import_id.eq(id),
                item_import_problems::number.eq(number),
                item_import_problems::line.eq(i64::try_from(problem.line).map_err(JobError::corrupt)?),
                item_import_problems::field.eq(&problem.field),
                item_import_problems::message.eq(&problem.message),
            ))
            .execute(conn)?;
    }
    Ok(())
}

/// Cancels the imports of a user whose data is erased. The job deletes what is left of their files.
pub(crate) fn cancel_all(conn: &mut Conn, project: ProjectId, user: ProjectUserId) -> Result<(), JobError> {
    let active = [ImportState::Uploading.as_str(), ImportState::Running.as_str()];
    diesel::update(item_imports::table)
        .filter(item_imports::project_id.eq(Id(project.uuid())))
        .filter(item_imports::user_id.eq(Id(user.uuid())))
        .filter(item_imports::state.eq_any(active))
        .set((
            item_imports::state.eq(ImportState::Failed.as_str()),
            item_imports::message.eq("The user's data was erased."),
        ))
        .execute(conn)?;
    Ok(())
}
