//! Commits a change: its writes and its audit events in one transaction.

use std::collections::HashMap;
use std::time::Duration;

use async_trait::async_trait;
use diesel::{Connection as _, RunQueryDsl as _};
use steward_domain::data::{ChangedUsers, Item, ItemPath};
use steward_domain::kernel::changes::{Changes, Entity, RecordedWrite, Write};
use steward_domain::kernel::policy::Quota;
use steward_domain::kernel::{CommitError, Committed, ItemOutcome, Time, UnitOfWork};

use super::administration::{audit, invite, project, team, webhook};
use super::data::item::{item_deletion, item_import, item_proofs, item_recording, item_write};
use super::data::{project_user, schema, schema_draft, sync, user_data};
use super::identity::{account, authorization, identity_provider, project_client, server_key};
use super::{Conn, Database, Layout, without_transaction, write_items};
use super::{access_epoch, idempotency, quota};
use crate::error::{JobError, expect_one, refused_commit};
use crate::sql_types::Id;
use crate::tables::{Revised as _, Stored as _};
use item_proofs::Proofs;
use item_recording::{Keys, Recording};
use quota::Sharing;

/// Maximum number of attempts to commit a change that runs into deadlocks.
const MAX_ATTEMPTS: u32 = 5;

#[async_trait]
impl UnitOfWork for Database {
    async fn commit(&self, changes: Changes) -> Result<Committed, CommitError> {
        changes.check_scope().map_err(|error| CommitError::Refused(error.into()))?;
        let mut announcement =
            Announcement { store: self, users: changes.writes().filter_map(Write::changed_user).collect() };
        let result = self.run_commit(changes).await.map_err(refused_commit)?;
        if result.is_err() {
            announcement.users = ChangedUsers::default();
        }
        Ok(result?)
    }
}

/// Reports the users whose items change when it is dropped: also if the caller has left, or does not learn the result, because
/// the change may be stored nevertheless.
struct Announcement<'a> {
    store: &'a Database,
    users: ChangedUsers,
}

impl Drop for Announcement<'_> {
    fn drop(&mut self) {
        self.store.announcements.add(std::mem::take(&mut self.users));
    }
}

/// Stores the change.
pub(crate) fn run(conn: &mut Conn, layout: Layout, changes: &Changes) -> Result<Committed, JobError> {
    retry_deadlocks(|| commit(conn, layout, changes))
}

/// Retries work that the database aborted because of a deadlock. Nothing of it was stored, so it can run again. The
/// pause lets the other transaction take the lock that it waits for: an immediate retry could take it first, and the
/// next deadlock would cost both of them another second.
fn retry_deadlocks<T>(mut work: impl FnMut() -> Result<T, JobError>) -> Result<T, JobError> {
    const PAUSE: Duration = Duration::from_millis(20);
    for attempt in 1..MAX_ATTEMPTS {
        match work() {
            Err(error) if error.is_deadlock() => tracing::warn!("A change ran into a deadlock and is retried."),
            result => return result,
        }
        std::thread::sleep(PAUSE * attempt);
    }
    work()
}

/// Stores the whole change or nothing. Inside another transaction, the change runs in a savepoint.
fn commit(conn: &mut Conn, layout: Layout, changes: &Changes) -> Result<Committed, JobError> {
    match attempt(conn, layout, changes) {
        Err(error) if quota::used_up(&error).is_some() => commit_with_new_shares(conn, layout, changes),
        result => result,
    }
}

/// Retries after dividing the remaining quotas again: first evenly, then all of it to this change. Quotas are divided
/// in a separate transaction: in the same one, a transaction that holds an item and waits for a counter row could
/// deadlock. While enough remains for the change, other changes may use it first, so this one keeps retrying. If too
/// little remains, it tries once, because the change may replace items of the same size.
fn commit_with_new_shares(conn: &mut Conn, layout: Layout, changes: &Changes) -> Result<Committed, JobError> {
    const MAX_ROUNDS: usize = 64;
    let mut exceeded = Quota::ItemsPerProject;
    let mut sharing = Sharing::Evenly;
    for _ in 0..MAX_ROUNDS {
        let short = conn.transaction(|conn| quota::share_out(conn, changes, sharing))?;
        match attempt(conn, layout, changes) {
            // While another change holds all that remains, this one has a share of neither quota: `short` is the
            // exceeded one.
            Err(error) => {
                let used_up = quota::used_up(&error).ok_or(error)?;
                exceeded = short.unwrap_or(used_up);
            }
            result => return result,
        }
        if short.is_some() && sharing == Sharing::AllToOne {
            break;
        }
        sharing = Sharing::AllToOne;
    }
    Err(JobError::OverQuota(exceeded, changes.limit(exceeded).unwrap_or(u64::MAX)))
}

fn attempt(conn: &mut Conn, layout: Layout, changes: &Changes) -> Result<Committed, JobError> {
    let is_single_item =
        matches!(changes.recorded_writes(), [RecordedWrite { write: Write::PutItem(..) | Write::RemoveItem(..), .. }]);
    let has_no_claim = changes.permit().request().claim.is_none();
    if is_single_item && has_no_claim && layout.is_local() {
        return without_transaction(apply_all(conn, layout, changes));
    }
    conn.transaction(|conn| apply_all(conn, layout, changes))
}

fn apply_all(conn: &mut Conn, layout: Layout, changes: &Changes) -> Result<Committed, JobError> {
    let mut committed = Committed::default();
    if let Some(claim) = changes.permit().request().claim.filter(|_| !changes.recorded_writes().is_empty()) {
        idempotency::take_effect(conn, claim)?;
    }
    quota::lock(conn, changes)?;
    let shard = quota::shard(changes);
    let mut proofs = Proofs::new(layout, changes.permit().basis());
    // The results of item writes that are written together, at the first one of them.
    let mut written: Option<HashMap<i64, ItemOutcome>> = None;
    for (number, RecordedWrite { write, event }) in (0..).zip(changes.recorded_writes()) {
        let is_written_together = match write {
            Write::PutItem(..) | Write::RestoreItem(..) | Write::ImportItem(..) => true,
            // Distributed items are deleted one by one, before the puts that need their space.
            Write::RemoveItem(..) => layout.is_local(),
            _ => false,
        };
        if is_written_together {
            let known = match &mut written {
                Some(written) => written,
                None => written.insert(write_items(conn, layout, changes)?),
            };
            if let Some(outcome) = known.remove(&number) {
                committed.items.push(outcome);
                continue;
            }
        }
        match write {
            Write::Insert(entity) | Write::Replace(entity) | Write::Remove(entity) => {
                write_entity(conn, layout, (write, entity), changes.at())?;
            }
            Write::Lock(team) => team::lock(conn, team)?,
            Write::Hold(member) => team::lock_member(conn, member)?,
            Write::PutItem(Item { project_id, user_id, .. }, _)
            | Write::RestoreItem(Item { project_id, user_id, .. }, _)
            | Write::ImportItem(Item { project_id, user_id, .. }, _)
            | Write::RemoveItem(ItemPath { project_id, user_id, .. }, _) => {
                let proof = proofs.of(conn, (*project_id, *user_id))?;
                let event = event.as_ref().ok_or_else(|| JobError::corrupt("an item write without its event"))?;
                let keys = match write {
                    Write::RemoveItem(..) => Keys::Deleted,
                    Write::RestoreItem(..) => Keys::Stored,
                    _ if changes.has_indexed_fields() => Keys::Stored,
                    _ => Keys::None,
                };
                let event = audit::new_event(changes, number, event);
                let (project, basis) = (Id(project_id.uuid()), changes.permit().basis());
                let recording = Recording { event, project, shard, keys, basis, proof };
                committed.items.push(item_write::write(conn, write, changes.at(), recording)?);
            }
            Write::UseInviteProof(id, proof) => invite::use_proof(conn, *id, proof)?,
            Write::AdvanceImport(import, problems) => item_import::advance(conn, import, problems)?,
            Write::KeepDeletion(deletion) => item_deletion::keep(conn, deletion, &committed.items)?,
            Write::EndDeletion(project, id) => item_deletion::end(conn, *project, *id)?,
            Write::EraseItems(project, user, limit) => {
                committed.erased += item_write::erase(conn, layout, (*project, *user), *limit, Some(number))?
            }
            Write::RemoveUserData(project, user, limit) => {
                committed.erased += user_data::remove(conn, layout, (*project, *user), *limit)?
            }
            Write::RecordReceipt(receipt) => {
                let items = i64::try_from(committed.items.len()).map_err(JobError::corrupt)?;
                committed.positions = Some(sync::record_receipt(conn, receipt, items)?);
            }
            Write::SaveDraft(draft) => schema_draft::save(conn, draft)?,
            Write::DiscardDraft(project, account) => schema_draft::discard(conn, *project, *account)?,
        }
    }
    access_epoch::increment(conn, changes.writes())?;
    team::raise_contents(conn, changes.writes(), changes.at())?;
    quota::verify(conn, changes)?;
    audit::record(conn, changes)?;
    Ok(committed)
}

/// Stores a write of an entity: as the queries of its concept say, otherwise as its row.
fn write_entity(conn: &mut Conn, layout: Layout, (write, entity): (&Write, &Entity), at: Time) -> Result<(), JobError> {
    match write {
        Write::Insert(Entity::Team(team)) => team::insert(conn, team),
        Write::Insert(Entity::Project(project)) => project::insert(conn, project),
        Write::Insert(Entity::Schema(version)) => schema::insert(conn, version),
        Write::Insert(Entity::ProjectUser(user)) => project_user::insert(conn, user),
        Write::Insert(Entity::Webhook(hook)) => webhook::insert(conn, hook),
        Write::Replace(Entity::Team(team)) => team::replace(conn, team),
        Write::Replace(Entity::Project(project)) => project::replace(conn, project),
        Write::Replace(Entity::Client(client)) => project_client::replace(conn, client),
        Write::Replace(Entity::ProjectUser(user)) => project_user::replace(conn, user),
        Write::Replace(Entity::ServerKey(key)) => server_key::replace(conn, key),
        Write::Replace(Entity::RefreshToken(token)) => authorization::replace_refresh_token(conn, token),
        Write::Replace(Entity::IdentityProvider(provider)) => identity_provider::replace(conn, provider),
        Write::Remove(Entity::Account(account)) => account::remove(conn, account, at),
        Write::Remove(Entity::Member(member)) => team::remove_member(conn, member),
        Write::Remove(Entity::Project(project)) => project::remove(conn, project, at),
        Write::Remove(Entity::Client(client)) => project_client::remove(conn, client, at),
        Write::Remove(Entity::ProjectUser(user)) => project_user::remove(conn, layout, user),
        Write::Remove(Entity::IdentityProvider(provider)) => identity_provider::remove(conn, provider, at),
        _ => expect_one(write_row(conn, write)?, entity.kind()),
    }
}

/// Makes the function that stores a write of an entity as its row, from the table of all entities.
macro_rules! row_writes {
    ($($variant:ident($entity:ident): $($verb:ident)*;)+) => {
        /// Returns the number of rows that have been written.
        fn write_row(conn: &mut Conn, write: &Write) -> Result<usize, JobError> {
            let rows = match write {
                $(Write::Insert(Entity::$variant(entity)) => {
                    diesel::insert_into(entity.table()).values(entity.row()?).execute(conn)
                })+
                $($(Write::$verb(Entity::$variant(entity)) => row_writes!($verb entity conn),)*)+
                _ => return Err(JobError::corrupt("a write that the entity does not have")),
            };
            Ok(rows?)
        }
    };
    (Replace $entity:ident $conn:ident) => {
        diesel::update($entity.current()?).set($entity.next_row()?).execute($conn)
    };
    (Remove $entity:ident $conn:ident) => {
        diesel::delete($entity.current()?).execute($conn)
    };
}

steward_domain::with_entities!(row_writes);
