//! Batches of item writes: all of them are applied, or none.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use chrono::TimeDelta;
use serde_json::{Map, Value};

use super::{checked, no_item};
use crate::data::schema::Document;
use crate::data::{Accessor, Item, ItemDeletion, ItemId, ItemPath, Items, StoredItem};
use crate::kernel::changes::Changes;
use crate::kernel::error::{Error, ResourceKind};
use crate::kernel::policy::{Lane, Operation};
use crate::kernel::text::json::{is_large, is_large_text};
use crate::kernel::work::Work;
use crate::kernel::{Caller, CommitError, Precondition, ProjectId, ProjectUserId, RetryError, Time, retry_stale};

/// Maximum number of operations in a batch.
pub const MAX_OPERATIONS: usize = 100;

/// One write of a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchOperation {
    /// ID of the item; unique within the batch.
    pub id: ItemId,
    /// The write to apply.
    pub step: BatchStep,
    /// What the stored item must meet.
    pub when: Precondition,
}

impl BatchOperation {
    /// A write without a precondition.
    pub fn unconditional(id: ItemId, step: BatchStep) -> Self {
        Self { id, step, when: Precondition::None }
    }
}

/// A write to one item of a batch.
#[derive(Debug, Clone, PartialEq)]
pub enum BatchStep {
    /// Create or replace the item.
    Put(Map<String, Value>),
    /// Change the given fields; null removes a field.
    Patch(Map<String, Value>),
    /// Delete the item.
    Delete,
}

/// The writes to one table of one user.
pub(super) struct Batch {
    pub(super) project_id: ProjectId,
    pub(super) user_id: ProjectUserId,
    pub(super) table: String,
    pub(super) operations: Vec<BatchOperation>,
    /// The maximum number of operations.
    pub(super) limit: usize,
    /// Keeps the deleted items, so that it can be undone.
    pub(super) deletion: Option<ItemDeletion>,
    /// The operations are lines of an import: see [`created_at`].
    pub(super) created_before: Option<Time>,
}

/// The write that results from one operation.
enum Planned {
    Put(Item, Precondition),
    Remove(ItemPath, Precondition),
}

impl Items {
    /// The maximum number of items that [`Items::import`] stores at once.
    pub const MAX_IMPORTED: usize = 1_000;
    /// How long ago new items of a batch may count as created.
    pub const MAX_AGE: TimeDelta = TimeDelta::days(7);

    /// Creates or replaces all of the items, or none. A list of the newest items has the order of `items`: each new one
    /// counts as created a microsecond before the one before it. Unlike a batch, this is heavy work: one transaction writes many
    /// items. The caller MUST limit their size.
    pub async fn import(
        &self,
        caller: &Caller,
        project_id: ProjectId,
        user_id: ProjectUserId,
        table: String,
        items: Vec<(ItemId, Map<String, Value>)>,
    ) -> Result<(), Error> {
        Work::set_lane(Lane::Heavy);
        let operations = items.into_iter().map(|(id, value)| BatchOperation::unconditional(id, BatchStep::Put(value)));
        let (operations, created_before) = (operations.collect(), Some(self.core.now()));
        let limit = Self::MAX_IMPORTED;
        let batch = Batch { project_id, user_id, table, operations, limit, deletion: None, created_before };
        self.apply(caller, Accessor::Project, batch).await.map(drop)
    }

    /// Applies all of the operations, or none. Returns the items in the order of the operations; for a deleted item,
    /// its last state. With `created_before`, items that are put and do not exist yet count as created before that time,
    /// each a microsecond before the one of the operation before it, so that a list of the newest items has the order of
    /// the operations. A time in the future counts as now.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if `created_before` is more than [`MAX_AGE`](Self::MAX_AGE) ago. Others as those of a write.
    #[expect(clippy::too_many_arguments, reason = "the parts of a request")]
    pub async fn batch(
        &self,
        caller: &Caller,
        accessor: Accessor,
        project_id: ProjectId,
        user_id: ProjectUserId,
        table: String,
        operations: Vec<BatchOperation>,
        created_before: Option<Time>,
    ) -> Result<Vec<StoredItem>, Error> {
        if created_before.is_some_and(|before| before < self.core.now() - Self::MAX_AGE) {
            let message = format_args!("must be at most {} days ago", Self::MAX_AGE.num_days());
            return Err(Error::invalid("created_before", message));
        }
        let limit = MAX_OPERATIONS;
        let batch = Batch { project_id, user_id, table, operations, limit, deletion: None, created_before };
        self.apply(caller, accessor, batch).await
    }

    pub(super) async fn apply(
        &self,
        caller: &Caller,
        accessor: Accessor,
        batch: Batch,
    ) -> Result<Vec<StoredItem>, Error> {
        let access = self.core.access.project_with_basis(caller, batch.project_id).await?;
        let operation = accessor.operation(Operation::ItemBatch, Operation::OwnItemBatch);
        let permit = access.permit_data(operation, batch.user_id).await?;

        let batch = Arc::new(batch.checked()?);
        let schema = self.schema(batch.project_id, access.project().schema_number).await?;
        let mut was_stale = false;
        retry_stale(async || {
            let permit = permit.clone();
            let read_ids = batch.read_ids(was_stale);
            let loaded = match read_ids.as_slice() {
                [] => Vec::new(),
                ids => self.core.ports.items.items_with_ids(batch.project_id, batch.user_id, &batch.table, ids).await?,
            };
            if loaded.is_empty() && !read_ids.is_empty() {
                self.core.readable_user(batch.project_id, batch.user_id).await?;
            }

            let is_large = batch.is_large(&loaded);
            let has_indexed_fields = schema.has_indexed_fields(&batch.table);
            let (schema, planned_batch) = (schema.clone(), batch.clone());
            let planned =
                self.core.system.compute.call(is_large, move || planned_batch.planned(&schema, &loaded)).await?;
            // The first error is reported, and it may be that of an item that was not read.
            if planned.is_err() && !was_stale && batch.read_ids(true).len() > read_ids.len() {
                was_stale = true;
                return Err(RetryError::Stale(ResourceKind::Item));
            }
            let planned = planned?;
            let mut planned: Vec<(usize, Planned)> = planned.into_iter().enumerate().collect();
            // Deletions come first, because a store may count each write. Batches lock items in the order of their IDs, so that two
            // batches of the same items rarely deadlock: a store that writes them by kind retries.
            planned.sort_by(|(_, a), (_, b)| a.turn().cmp(&b.turn()));
            let places: Vec<usize> = planned.iter().map(|(place, _)| *place).collect();

            let basis = *permit.basis();
            let empty = Changes::by(permit, self.core.now()).indexed(has_indexed_fields);
            let before = batch.created_before;
            let changes = planned.into_iter().fold(empty, |changes, (place, write)| match (write, before) {
                (Planned::Put(item, when @ (Precondition::None | Precondition::Absent)), Some(before)) => {
                    let created_at = created_at(before, place, changes.at());
                    if when == Precondition::None {
                        changes.import(item, created_at)
                    } else {
                        changes.restore(item, created_at)
                    }
                }
                (Planned::Put(item, when), _) => changes.put(item, when),
                (Planned::Remove(path, when), _) => changes.remove_item(path, when),
            });
            let changes = batch.deletion.clone().into_iter().fold(changes, Changes::keep_deletion);
            match self.core.commit(changes).await {
                Ok(committed) => {
                    let stored = committed.items.into_iter().map(|outcome| outcome.stored);
                    let mut results: Vec<(usize, StoredItem)> = places.into_iter().zip(stored).collect();
                    results.sort_by_key(|(place, _)| *place);
                    Ok(results.into_iter().map(|(_, stored)| stored).collect())
                }
                Err(CommitError::Stale(ResourceKind::Item) | CommitError::Orphaned) => {
                    self.core.access.confirm(caller, &basis).await?;
                    self.user_is_connected(batch.project_id, batch.user_id).await?;
                    was_stale = true;
                    Err(RetryError::Stale(ResourceKind::Item))
                }
                Err(other) => Err(Error::from(other).into()),
            }
        })
        .await
    }
}

/// Returns the time at which the item of an operation counts as created. It is never later than `now`.
fn created_at(before: Time, place: usize, now: Time) -> Time {
    let micros = i64::try_from(place).unwrap_or(i64::MAX / 2).saturating_add(1);
    before.min(now) - TimeDelta::microseconds(micros)
}

impl Batch {
    /// Checks the operations without reading from the store.
    fn checked(self) -> Result<Self, Error> {
        let limit = self.limit;
        if !(1..=limit).contains(&self.operations.len()) {
            return Err(Error::invalid("operations", format_args!("must contain 1 to {limit} operations")));
        }
        let mut seen = HashSet::new();
        if let Some(index) = self.operations.iter().position(|operation| !seen.insert(operation.id.as_str())) {
            let error = Error::invalid(
                "id",
                "must not be repeated in a batch; combine all changes to an item in one operation",
            );
            return Err(error.in_batch(index));
        }
        Ok(self)
    }

    /// Whether planning the batch is expensive.
    fn is_large(&self, loaded: &[StoredItem]) -> bool {
        let sent = self.operations.iter().filter_map(|operation| match &operation.step {
            BatchStep::Put(value) | BatchStep::Patch(value) => Some(value),
            BatchStep::Delete => None,
        });
        is_large(sent.flat_map(Map::values)) || is_large_text(loaded.iter().map(|stored| stored.item.value.as_str()))
    }

    /// IDs of the items that are read before the operations are planned: all but those that are put whatever is stored, and
    /// those that are created, unless the batch failed before.
    fn read_ids(&self, was_stale: bool) -> Vec<ItemId> {
        let is_read = |operation: &&BatchOperation| match (&operation.step, &operation.when) {
            (BatchStep::Put(_), Precondition::None) => false,
            (BatchStep::Put(_), Precondition::Absent) => was_stale,
            _ => true,
        };
        let operations = self.operations.iter().filter(is_read);
        operations.map(|operation| operation.id.clone()).collect()
    }

    /// Returns the writes that result from the operations, or the first error.
    fn planned(&self, schema: &Document, loaded: &[StoredItem]) -> Result<Vec<Planned>, Error> {
        let loaded: HashMap<&str, &StoredItem> =
            loaded.iter().map(|stored| (stored.item.id.as_str(), stored)).collect();
        let operations = self.operations.iter().enumerate();
        let planned = operations.map(|(index, operation)| {
            let loaded = loaded.get(operation.id.as_str()).copied();
            self.planned_one(schema, operation, loaded).map_err(|error| error.in_batch(index))
        });
        planned.collect()
    }

    fn planned_one(
        &self,
        schema: &Document,
        operation: &BatchOperation,
        loaded: Option<&StoredItem>,
    ) -> Result<Planned, Error> {
        let Self { project_id, user_id, ref table, .. } = *self;
        let place = ItemPath { project_id, user_id, table: table.clone(), id: operation.id.clone() };
        let existing = || {
            let loaded = loaded.ok_or_else(|| no_item(schema, &self.table))?;
            operation.when.check(ResourceKind::Item, loaded.revision)?;
            Ok::<_, Error>(loaded)
        };
        Ok(match &operation.step {
            BatchStep::Put(value) => {
                let sent = Item::fields_of(value.clone());
                let item = checked(schema, &place, &sent, sent.clone())?;
                let when = match (&operation.when, loaded) {
                    (Precondition::None, _) => Precondition::None,
                    (when, loaded) if !when.holds(loaded.map(|loaded| loaded.revision)) => {
                        return Err(Error::PreconditionFailed(ResourceKind::Item));
                    }
                    (_, Some(loaded)) => Precondition::Matches(vec![loaded.revision]),
                    (_, None) => Precondition::Absent,
                };
                Planned::Put(item, when)
            }
            BatchStep::Patch(changes) => {
                let (loaded, sent) = (existing()?, Item::fields_of(changes.clone()));
                let mut merged = loaded.item.value.fields()?;
                merged.extend(sent.clone());
                let item = checked(schema, &place, &sent, merged)?;
                Planned::Put(item, Precondition::Matches(vec![loaded.revision]))
            }
            BatchStep::Delete => {
                let loaded = existing()?;
                let when = match operation.when {
                    Precondition::None => Precondition::Exists,
                    _ => Precondition::Matches(vec![loaded.revision]),
                };
                Planned::Remove(place, when)
            }
        })
    }
}

impl Planned {
    /// What decides when the write is made: whether it adds an item, and its ID.
    fn turn(&self) -> (bool, &str) {
        match self {
            Self::Put(item, _) => (true, item.id.as_str()),
            Self::Remove(path, _) => (false, path.id.as_str()),
        }
    }
}
