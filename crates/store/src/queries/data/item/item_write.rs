//! Writes of items in PostgreSQL. A write is one conditional statement: it takes effect only if the precondition holds
//! and the user is connected. Nothing is read first.

use const_format::concatcp;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};
use steward_domain::data::{Item, ItemPath, StoredItem, UserStatus};
use steward_domain::kernel::changes::Write;
use steward_domain::kernel::error::ResourceKind;
use steward_domain::kernel::{ItemOutcome, Precondition, ProjectId, ProjectUserId, Revision, Time};

use super::dialect::{STORED_BYTES, push_position};
use super::item_recording::Recording;
use super::kernel::statement::{Fragment, Statement};
use super::kernel::{access_epoch, quota};
use super::{Conn, Layout};
use super::{item_deletion, item_import, item_key};
use crate::dialect::Proof;
use crate::error::JobError;
use crate::sql_types::{Id, Json};
use crate::tables::{ItemColumns, ItemRow, item_tombstones};

/// Stores or deletes an item, if the precondition holds and its user is connected. A restored item counts as created when it
/// was first created, and an imported one at its own time, if it does not exist yet.
pub(crate) fn write(
    conn: &mut Conn,
    write: &Write,
    at: Time,
    recording: Recording<'_>,
) -> Result<ItemOutcome, JobError> {
    let (row, created_at) = match write {
        Write::PutItem(item, when) => {
            let row = match when {
                Precondition::None => insert(conn, item, (at, at), Some(&[]), recording)?,
                Precondition::NoneOf(unwanted) => insert(conn, item, (at, at), Some(unwanted), recording)?,
                Precondition::Absent => insert(conn, item, (at, at), None, recording)?,
                Precondition::Exists | Precondition::Matches(_) | Precondition::ExistsExcept(_) => {
                    update(conn, item, at, when, recording)?
                }
            };
            (row, Some(at))
        }
        Write::RestoreItem(item, first) => (insert(conn, item, (*first, at), None, recording)?, Some(*first)),
        Write::ImportItem(item, first) => (insert(conn, item, (*first, at), Some(&[]), recording)?, Some(*first)),
        Write::RemoveItem(path, when) => (remove(conn, path, when, recording)?, None),
        _ => return Err(JobError::corrupt("a write of an item that is none")),
    };
    let stored = StoredItem::try_from(row.ok_or(JobError::Stale(ResourceKind::Item))?)?;
    // A row with the first revision of this timestamp did not exist before.
    let created = created_at == Some(stored.created_at) && stored.revision == Revision::first_at(at);
    Ok(ItemOutcome { stored, created })
}

/// Inserts the item if its user exists and is connected. An existing item is overwritten unless it has one of the
/// unwanted revisions; it is never overwritten if `overwrite` is `None`. Not built with Diesel's query builder, which
/// prepares upserts and updates each time: that takes longer than writing.
fn insert(
    conn: &mut Conn,
    item: &Item,
    (created_at, at): (Time, Time),
    overwrite: Option<&[Revision]>,
    recording: Recording<'_>,
) -> Result<Option<ItemRow>, JobError> {
    let value = Json(item.value.as_str().to_owned());
    let bytes = i64::try_from(value.0.len()).map_err(JobError::corrupt)?;
    let mut insert: Statement<Written> = Statement::new();
    insert.sql(
        "INSERT INTO items (project_id, user_id, table_name, id, value, created_at, updated_at, revision, bytes, position) ",
    );
    let owner = [Fragment::id(item.project_id), Fragment::id(item.user_id)];
    match recording.proof {
        Proof::InStatement => insert.sql("SELECT project_id, id, "),
        Proof::Before { .. } => insert.push("VALUES ($1, $2, ", &owner),
    }
    let values = [
        Fragment::text(&item.table),
        Fragment::text(item.id.as_str()),
        Fragment::Json(value),
        Fragment::at(created_at),
        Fragment::at(at),
        Fragment::Count(Revision::first_at(at).0),
        Fragment::Count(bytes),
    ];
    insert.push("$1, $2, $3, $4, $5, $6, $7, ", &values);
    recording.push_position(&mut insert);
    match recording.proof {
        Proof::InStatement => {
            insert.sql(" FROM project_users WHERE ");
            is_connected(&mut insert, item.project_id, item.user_id);
            access_epoch::push_basis_condition(&mut insert, recording.basis);
        }
        Proof::Before { .. } => insert.sql(")"),
    }
    insert.sql(" ON CONFLICT (project_id, user_id, table_name, id)");
    match overwrite {
        None => insert.sql(" DO NOTHING"),
        Some(unwanted) => {
            insert.sql(OVERWRITE);
            if !unwanted.is_empty() {
                insert.sql(" WHERE items.revision NOT IN ");
                list_revisions(&mut insert, unwanted);
            }
        }
    }
    insert.sql(concatcp!(RETURNING, PUT));
    recorded(conn, insert, recording)
}

/// Overwrites the item if it exists, the precondition holds, and its user is connected.
fn update(
    conn: &mut Conn,
    item: &Item,
    at: Time,
    precondition: &Precondition,
    recording: Recording<'_>,
) -> Result<Option<ItemRow>, JobError> {
    let value = Json(item.value.as_str().to_owned());
    let bytes = i64::try_from(value.0.len()).map_err(JobError::corrupt)?;
    const BEFORE: &str = concatcp!("UPDATE items SET bytes_before = ", STORED_BYTES, ", bytes = $1, position = ");
    const AFTER: &str = ", value = $1, updated_at = $2, revision = revision + 1 WHERE project_id = ";
    let mut update: Statement<Written> = Statement::numbered(BEFORE, &[Fragment::Count(bytes)]);
    recording.push_position(&mut update);
    update.push(AFTER, &[Fragment::Json(value), Fragment::at(at)]);
    update.rest_of_table(item.project_id, item.user_id, &item.table);
    update.push(" AND id = $1", &[Fragment::text(item.id.as_str())]);
    push_proof(&mut update, (item.project_id, item.user_id), &recording);
    push_revision_condition(&mut update, precondition);
    update.sql(concatcp!(RETURNING, PUT));
    recorded(conn, update, recording)
}

/// SQL types of a written item, of the change in the number of items, and of the change in bytes.
type Written = (ItemColumns, BigInt, BigInt);

fn recorded(
    conn: &mut Conn,
    written: Statement<Written>,
    recording: Recording<'_>,
) -> Result<Option<ItemRow>, JobError> {
    Ok(super::recorded(conn, written, recording)?.map(|(row, ..)| row))
}

/// Columns for the items and bytes that an insert or update of an item adds.
const PUT: &str = ", CAST(CASE WHEN bytes_before IS NULL THEN 1 ELSE 0 END AS bigint) AS item_change, \
     bytes - coalesce(bytes_before, 0) AS byte_change";

const OVERWRITE: &str = concatcp!(
    " DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at, revision = items.revision + 1, \
     bytes = excluded.bytes, position = excluded.position, bytes_before = ",
    STORED_BYTES
);
const RETURNING: &str = " RETURNING project_id, user_id, table_name, id, value, created_at, updated_at, revision";

/// Appends the condition that the item's user is connected and the basis of the access decision is current, unless that was
/// proven before.
fn push_proof(
    statement: &mut Statement<Written>,
    (project, user): (ProjectId, ProjectUserId),
    recording: &Recording<'_>,
) {
    if recording.proof == Proof::InStatement {
        statement.sql(" AND EXISTS (SELECT 1 FROM project_users WHERE ");
        is_connected(statement, project, user);
        statement.sql(")");
        access_epoch::push_basis_condition(statement, recording.basis);
    }
}

/// Appends the condition that a row is that of the item's user, and that the user is connected.
pub(crate) fn is_connected<T>(statement: &mut Statement<T>, project: ProjectId, user: ProjectUserId) {
    const CONDITION: &str = "project_users.project_id = $1 AND project_users.id = $2 AND project_users.status = $3";
    let values = [Fragment::id(project), Fragment::id(user), Fragment::text(UserStatus::Connected.as_str())];
    statement.push(CONDITION, &values);
}

/// Appends the condition that a precondition sets on the revision of an existing row.
fn push_revision_condition(statement: &mut Statement<Written>, precondition: &Precondition) {
    let (operator, revisions) = match precondition {
        Precondition::None | Precondition::Exists | Precondition::Absent => return,
        Precondition::Matches(wanted) => (" AND revision IN ", wanted),
        Precondition::NoneOf(unwanted) | Precondition::ExistsExcept(unwanted) => (" AND revision NOT IN ", unwanted),
    };
    // Nothing is in an empty list, but `NOT IN (NULL)` is never true.
    if revisions.is_empty() && !matches!(precondition, Precondition::Matches(_)) {
        return;
    }
    statement.sql(operator);
    list_revisions(statement, revisions);
}

/// Appends the revisions as a list, which may be empty.
fn list_revisions(statement: &mut Statement<Written>, revisions: &[Revision]) {
    if revisions.len() > 1 {
        statement.is_rare();
    }
    statement.sql(if revisions.is_empty() { "(NULL" } else { "(" });
    for (index, revision) in revisions.iter().enumerate() {
        statement.sql(if index == 0 { "" } else { ", " });
        statement.count(revision.0);
    }
    statement.sql(")");
}

/// Deletes the item if the precondition holds and its user is connected.
fn remove(
    conn: &mut Conn,
    path: &ItemPath,
    precondition: &Precondition,
    recording: Recording<'_>,
) -> Result<Option<ItemRow>, JobError> {
    const REMOVED: &str =
        concatcp!(RETURNING, ", CAST(-1 AS bigint) AS item_change, -", STORED_BYTES, " AS byte_change");
    if matches!(precondition, Precondition::Absent) {
        return Ok(None);
    }
    let mut delete: Statement<Written> = Statement::new();
    delete.sql("DELETE FROM items WHERE ");
    super::push_key(&mut delete, path);
    push_proof(&mut delete, (path.project_id, path.user_id), &recording);
    push_revision_condition(&mut delete, precondition);
    delete.sql(REMOVED);
    recorded(conn, delete, recording)
}

/// Deletes up to `limit` of the user's items, and returns how many. Deletions can no longer be undone. `number` is the index of the write within the change
/// by which devices notice the deletion; `None` if the user is deleted too. Raw SQL, because Diesel's query builder does
/// not support DELETE with a limit. The order makes PostgreSQL read no more keys than it deletes.
pub(crate) fn erase(
    conn: &mut Conn,
    layout: Layout,
    (project, user): (ProjectId, ProjectUserId),
    limit: u16,
    number: Option<i64>,
) -> Result<usize, JobError> {
    item_deletion::forget(conn, project, user)?;
    item_import::cancel_all(conn, project, user)?;
    const BEFORE: &str = "(project_id, user_id, table_name, id) IN (SELECT project_id, user_id, table_name, id \
         FROM items WHERE project_id = $1 AND user_id = $2 ORDER BY table_name, id LIMIT $3) RETURNING table_name, id, ";
    let values = [Fragment::id(project), Fragment::id(user), Fragment::Count(limit.into())];
    let mut erase: Statement<(Text, Text, BigInt)> = Statement::new();
    erase.sql("DELETE FROM items WHERE ");
    if !layout.is_local() {
        // Without it, all nodes would take part in the deletion, and it would be visible on each at another time.
        erase.push("project_id = $1 AND ", &values);
    }
    erase.push(concatcp!(BEFORE, STORED_BYTES), &values);
    let erased: Vec<(String, String, i64)> = erase.load(conn)?;
    let keys = erased.iter().map(|(table, id, _)| (table.as_str(), id.as_str()));
    item_key::delete(conn, (Id(project.uuid()), Id(user.uuid())), keys)?;
    if let Some(number) = number.filter(|_| !erased.is_empty()) {
        let mut position: Statement<Nullable<BigInt>> = Statement::new();
        position.sql("SELECT ");
        push_position(&mut position, number);
        let position: Option<i64> = position.get_result(conn)?;
        let position = position.ok_or(JobError::NoPosition)?;
        let tombstone = |(table, id, _): &(String, String, i64)| {
            (
                item_tombstones::project_id.eq(Id(project.uuid())),
                item_tombstones::user_id.eq(Id(user.uuid())),
                item_tombstones::position.eq(position),
                item_tombstones::table_name.eq(table.clone()),
                item_tombstones::id.eq(id.clone()),
            )
        };
        let tombstones: Vec<_> = erased.iter().map(tombstone).collect();
        diesel::insert_into(item_tombstones::table).values(tombstones).execute(conn)?;
    }
    let items = i64::try_from(erased.len()).map_err(JobError::corrupt)?;
    let bytes: i64 = erased.iter().map(|(.., bytes)| bytes).sum();
    quota::counted(conn, project.uuid(), 0, -items, -bytes)?;
    Ok(erased.len())
}
