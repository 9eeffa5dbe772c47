//! Writes of items. There is one writer, so the version that is stored is read first: a statement that checks it and
//! returns what it has written takes twice as long.

use std::collections::HashMap;

use const_format::concatcp;
use diesel::sql_types::BigInt;
use diesel::{OptionalExtension as _, RunQueryDsl as _};
use steward_domain::data::{Item, ItemPath, StoredItem};
use steward_domain::kernel::changes::{Changes, Event, RecordedWrite, Write};
use steward_domain::kernel::error::ResourceKind;
use steward_domain::kernel::{ItemOutcome, Precondition, ProjectId, ProjectUserId, Revision, Time};

use super::dialect::NEXT_POSITION;
use super::kept::{Kept, kept};
use super::queries::administration::audit;
use super::queries::data::item::item_recording::ITEM_CREATED;
use super::queries::data::item::{self, item_key, item_write};
use super::queries::kernel::statement::{Fragment, Statement};
use super::queries::kernel::{access_epoch, quota};
use super::{Conn, Layout};
use crate::error::JobError;
use crate::sql_types::{At, Id, Instant, Json};
use crate::tables::ItemContent;

kept! {
    ReadVersion -> (BigInt, Instant, BigInt, BigInt) = "SELECT rowid, created_at, revision, bytes FROM items \
        WHERE project_id = ? AND user_id = ? AND table_name = ? AND id = ?";
    Insert -> () = "INSERT INTO items \
        (project_id, user_id, table_name, id, value, created_at, updated_at, revision, bytes, position) \
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    Replace -> () = "UPDATE items SET value = ?, updated_at = ?, revision = revision + 1, bytes_before = bytes, \
        bytes = ?, position = ? WHERE rowid = ?";
    Delete -> () = "DELETE FROM items WHERE rowid = ?";
    /// Stores that an item was deleted, at the position of its event.
    Bury -> () = "INSERT INTO item_tombstones (project_id, user_id, table_name, id, position) \
        VALUES (?, ?, ?, ?, ?)";
    Record -> () = "INSERT INTO item_changes (project_id, user_id, table_name, item_id, at, team_id, action, \
        actor_kind, actor_id, token_id, operation, request_id, address, position) \
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
}

/// A stored version of an item: its row, when it was created, its revision, and its size.
type Version = (i64, At, i64, i64);

/// The user of an item.
type Owner = (ProjectId, ProjectUserId);

/// Writes the items of a change, with their events. Returns the results by the numbers of the writes.
pub(super) fn write_items(
    conn: &mut Conn,
    _: Layout,
    changes: &Changes,
) -> Result<HashMap<i64, ItemOutcome>, JobError> {
    let mut writes = ItemWrites { changes, proven: None, position: 0, items: 0, bytes: 0 };
    let mut outcomes = HashMap::new();
    for (number, RecordedWrite { write, event }) in (0..).zip(changes.recorded_writes()) {
        // Each write of an item has one.
        let Some(event) = event else { continue };
        let outcome = match write {
            Write::PutItem(item, when) => writes.put(conn, item, changes.at(), when),
            Write::RestoreItem(item, created_at) => writes.put(conn, item, *created_at, &Precondition::Absent),
            Write::ImportItem(item, created_at) => writes.put(conn, item, *created_at, &Precondition::None),
            Write::RemoveItem(path, when) => writes.remove(conn, path, when),
            _ => continue,
        }?;
        if changes.has_indexed_fields() && !matches!(write, Write::RemoveItem(..))
            || matches!(write, Write::RestoreItem(..))
        {
            let Item { project_id, user_id, table, id, .. } = &outcome.stored.item;
            item_key::store(conn, (Id(project_id.uuid()), Id(user_id.uuid()), table), (id.as_str(), id.as_str()))?;
        }
        writes.record(conn, &outcome, event)?;
        outcomes.insert(number, outcome);
    }
    writes.count(conn)?;
    Ok(outcomes)
}

/// Returns the result of the write of one item without a savepoint. What a caller can cause is refused before anything is
/// written. If the database fails later, the writer rolls back its group.
pub(super) fn without_transaction<T>(result: Result<T, JobError>) -> Result<T, JobError> {
    match result {
        Err(error) if quota::used_up(&error).is_some() => Err(error),
        Err(JobError::Database(error)) => Err(JobError::Unfinished(error)),
        result => result,
    }
}

/// The item writes of a change.
struct ItemWrites<'a> {
    changes: &'a Changes,
    /// The user who is connected. The basis of the access decision is current for the items of this user.
    proven: Option<Owner>,
    /// Position of the last event.
    position: i64,
    /// Items and bytes that the changes to the items of this user add to the usage of the project.
    items: i64,
    bytes: i64,
}

impl ItemWrites<'_> {
    /// Proves once for each user that the items may be written, and moves to the position of the next event.
    fn prove(&mut self, conn: &mut Conn, owner: Owner) -> Result<(), JobError> {
        if self.proven == Some(owner) {
            self.position += 1;
            return Ok(());
        }
        self.count(conn)?;
        let mut proof: Statement<BigInt> = Statement::new();
        proof.sql(concatcp!("SELECT ", NEXT_POSITION, " FROM project_users WHERE "));
        item_write::is_connected(&mut proof, owner.0, owner.1);
        access_epoch::push_basis_condition(&mut proof, self.changes.permit().basis());
        let position: Option<i64> = proof.get_result(conn).optional()?;
        self.position = position.ok_or(STALE)?;
        self.proven = Some(owner);
        Ok(())
    }

    /// Stores an item. One that does not exist yet counts as created at this time.
    fn put(
        &mut self,
        conn: &mut Conn,
        item: &Item,
        created_at: Time,
        when: &Precondition,
    ) -> Result<ItemOutcome, JobError> {
        let (owner, at) = ((item.project_id, item.user_id), self.changes.at());
        self.prove(conn, owner)?;
        let key = || key(owner, &item.table, item.id.as_str());
        let version = version(conn, key())?;
        if !when.holds(version.map(|(_, _, revision, _)| Revision(revision))) {
            return Err(STALE);
        }
        let value = Fragment::Json(Json(item.value.as_str().to_owned()));
        let bytes = i64::try_from(item.value.as_str().len()).map_err(JobError::corrupt)?;
        let (updated, size, position) = (Fragment::at(at), Fragment::Count(bytes), Fragment::Count(self.position));
        let (created_at, revision) = match version {
            None => {
                self.add(conn, 1, bytes)?;
                let ([project, user, table, id], first) = (key(), Revision::first_at(at));
                let (created, revision) = (Fragment::at(created_at), Fragment::Count(first.0));
                let row = [project, user, table, id, value, created, updated, revision, size, position];
                Kept::<Insert, _>::new(row).execute(conn)?;
                (created_at, first)
            }
            Some((row, created_at, revision, bytes_before)) => {
                self.add(conn, 0, bytes - bytes_before)?;
                Kept::<Replace, _>::new([value, updated, size, position, Fragment::Count(row)]).execute(conn)?;
                (created_at.0, Revision(revision).next())
            }
        };
        let stored = StoredItem { item: item.clone(), created_at, updated_at: at, revision };
        Ok(ItemOutcome { stored, created: version.is_none() })
    }

    fn remove(&mut self, conn: &mut Conn, path: &ItemPath, when: &Precondition) -> Result<ItemOutcome, JobError> {
        let owner = (path.project_id, path.user_id);
        self.prove(conn, owner)?;
        let key = || key(owner, &path.table, path.id.as_str());
        let version = version(conn, key())?.filter(|(_, _, revision, _)| when.holds(Some(Revision(*revision))));
        let (row, _, _, bytes) = version.ok_or(STALE)?;
        let content: ItemContent = item::unproven(path).get_result(conn)?;
        let stored = content.in_table((owner.0, owner.1, &path.table))?;
        self.add(conn, -1, -bytes)?;
        Kept::<Delete, _>::new([Fragment::Count(row)]).execute(conn)?;
        let item = [(path.table.as_str(), path.id.as_str())];
        item_key::delete(conn, (Id(owner.0.uuid()), Id(owner.1.uuid())), item)?;
        let [project, user, table, id] = key();
        Kept::<Bury, _>::new([project, user, table, id, Fragment::Count(self.position)]).execute(conn)?;
        Ok(ItemOutcome { stored, created: false })
    }

    /// Stores the event of a write.
    fn record(&self, conn: &mut Conn, outcome: &ItemOutcome, event: &Event) -> Result<(), JobError> {
        let (item, event) = (&outcome.stored.item, audit::new_event(self.changes, 0, event));
        let [project, user, table, id] = key((item.project_id, item.user_id), &item.table, item.id.as_str());
        let action = if outcome.created { ITEM_CREATED.to_owned() } else { event.action };
        let [kind, operation, request] = [event.actor_kind, event.operation, event.request_id].map(Fragment::text);
        let [team, actor, token] = [event.team_id, event.actor_id, event.token_id].map(Fragment::OptionalId);
        let (at, action, position) = (Fragment::At(event.at), Fragment::Text(action), Fragment::Count(self.position));
        let address = Fragment::OptionalText(event.address);
        let row =
            [project, user, table, id, at, team, action, kind, actor, token, operation, request, address, position];
        Kept::<Record, _>::new(row).execute(conn)?;
        Ok(())
    }

    /// Adds to the usage of the project. If the change has one write, what exceeds a quota is refused before it.
    fn add(&mut self, conn: &mut Conn, items: i64, bytes: i64) -> Result<(), JobError> {
        (self.items, self.bytes) = (self.items + items, self.bytes + bytes);
        if self.changes.recorded_writes().len() == 1 { self.count(conn) } else { Ok(()) }
    }

    /// Stores how the usage of the project changes.
    fn count(&mut self, conn: &mut Conn) -> Result<(), JobError> {
        let (items, bytes) = (std::mem::take(&mut self.items), std::mem::take(&mut self.bytes));
        match self.proven {
            Some((project, _)) if (items, bytes) != (0, 0) => {
                quota::counted(conn, project.uuid(), quota::shard(self.changes), items, bytes)
            }
            _ => Ok(()),
        }
    }
}

const STALE: JobError = JobError::Stale(ResourceKind::Item);

fn key((project, user): Owner, table: &str, id: &str) -> [Fragment; 4] {
    [Fragment::id(project), Fragment::id(user), Fragment::text(table), Fragment::text(id)]
}

fn version(conn: &mut Conn, key: [Fragment; 4]) -> Result<Option<Version>, JobError> {
    Ok(Kept::<ReadVersion, _>::new(key).get_result(conn).optional()?)
}
