//! Batches of item writes: all of them are applied, or none.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use chrono::TimeDelta;
use serde_json::{Map, Value};

use super::{Accessor, Items, checked, no_item};
use crate::changes::Changes;
use crate::error::{Error, ResourceKind};
use crate::model::json::{is_large, is_large_text};
use crate::model::schema::Document;
use crate::model::{
    Caller, Item, ItemDeletion, ItemId, ItemPath, Precondition, ProjectId, ProjectUserId, StoredItem, Time,
};
use crate::policy::{Lane, Operation};
use crate::ports::CommitError;
use crate::usecases::{RetryError, retry_stale};
use crate::work::Work;

/// Maximum number of operations in a batch.
pub(super) const MAX_OPERATIONS: usize = 100;

/// One write of a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchOperation {
    /// ID of the item; unique within the batch.
    pub id: ItemId,
    /// The write to apply.
    pub step: BatchStep,
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
    Remove(ItemPath),
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
        project: ProjectId,
        user: ProjectUserId,
        table: String,
        items: Vec<(ItemId, Map<String, Value>)>,
    ) -> Result<(), Error> {
        Work::set_lane(Lane::Heavy);
        let operations = items.into_iter().map(|(id, value)| BatchOperation { id, step: BatchStep::Put(value) });
        let operations = operations.collect();
        let batch = Batch {
            project_id: project,
            user_id: user,
            table,
            operations,
            limit: Self::MAX_IMPORTED,
            deletion: None,
            created_before: Some(self.core.now()),
        };
        self.apply(caller, Accessor::Project, batch).await?;
        Ok(())
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
        project: ProjectId,
        user: ProjectUserId,
        table: String,
        operations: Vec<BatchOperation>,
        created_before: Option<Time>,
    ) -> Result<Vec<StoredItem>, Error> {
        if created_before.is_some_and(|before| before < self.core.now() - Self::MAX_AGE) {
            let message = format_args!("must be at most {} days ago", Self::MAX_AGE.num_days());
            return Err(Error::invalid("created_before", message));
        }
        let batch = Batch {
            project_id: project,
            user_id: user,
            table,
            operations,
            limit: MAX_OPERATIONS,
            deletion: None,
            created_before,
        };
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
        retry_stale(async || {
            let permit = permit.clone();
            let required_ids = batch.required_ids();
            let loaded = match required_ids.as_slice() {
                [] => Vec::new(),
                ids => self.core.store.items.items_with_ids(batch.project_id, batch.user_id, &batch.table, ids).await?,
            };
            if loaded.is_empty() && !required_ids.is_empty() {
                self.user_exists(batch.project_id, batch.user_id).await?;
            }

            let is_large = batch.is_large(&loaded);
            let has_indexed_fields = schema.has_indexed_fields(&batch.table);
            let (schema, planned_batch) = (schema.clone(), batch.clone());
            let planned =
                self.core.system.compute.call(is_large, move || planned_batch.planned(&schema, &loaded)).await??;
            let mut planned: Vec<(usize, Planned)> = planned.into_iter().enumerate().collect();
            // Batches lock items in the order of their IDs, so that two batches of the same items cannot deadlock.
            planned.sort_by(|(_, a), (_, b)| a.id().as_str().cmp(b.id().as_str()));
            let places: Vec<usize> = planned.iter().map(|(place, _)| *place).collect();

            let basis = *permit.basis();
            let empty = Changes::by(permit, self.core.now()).indexed(has_indexed_fields);
            let before = batch.created_before;
            let changes = planned.into_iter().fold(empty, |changes, (place, write)| match (write, before) {
                (Planned::Put(item, Precondition::None), Some(before)) => {
                    let created_at = created_at(before, place, changes.at());
                    changes.import(item, created_at)
                }
                (Planned::Put(item, when), _) => changes.put(item, when),
                (Planned::Remove(place), _) => changes.remove_item(place, Precondition::Exists),
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

    /// IDs of the items that must exist.
    fn required_ids(&self) -> Vec<ItemId> {
        let operations = self.operations.iter().filter(|operation| !matches!(operation.step, BatchStep::Put(_)));
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
        let place = ItemPath {
            project_id: self.project_id,
            user_id: self.user_id,
            table: self.table.clone(),
            id: operation.id.clone(),
        };
        let existing = || loaded.ok_or_else(|| no_item(schema, &self.table));
        Ok(match &operation.step {
            BatchStep::Put(value) => {
                let sent = Item::fields_of(value.clone());
                Planned::Put(checked(schema, &place, &sent, sent.clone())?, Precondition::None)
            }
            BatchStep::Patch(changes) => {
                let (loaded, sent) = (existing()?, Item::fields_of(changes.clone()));
                let mut merged = loaded.item.value.fields()?;
                merged.extend(sent.clone());
                let item = checked(schema, &place, &sent, merged)?;
                Planned::Put(item, Precondition::Matches(vec![loaded.revision]))
            }
            BatchStep::Delete => {
                existing()?;
                Planned::Remove(place)
            }
        })
    }
}

impl Planned {
    fn id(&self) -> &ItemId {
        match self {
            Self::Put(item, _) => &item.id,
            Self::Remove(place) => &place.id,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::mocks::{MockStore, a_caller, id_of, instant, mock_core};
    use crate::model::{ItemValue, Revision};
    use crate::work::Tenant;

    fn schema() -> Document {
        let fields = json!({"title": {"type": "string", "required": true}, "rank": {"type": "number"}});
        let document = json!({"project_id": "p", "version": 1, "tables": {"notes": {"fields": fields}}});
        Document::parse(&document).unwrap()
    }

    fn value(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    fn batch(operations: &[(&str, BatchStep)]) -> Result<Batch, Error> {
        let operation =
            |(id, step): &(&str, BatchStep)| BatchOperation { id: ItemId::parse(id).unwrap(), step: step.clone() };
        let (project_id, user_id) = (id_of("project").into(), id_of("user").into());
        let operations = operations.iter().map(operation).collect();
        Batch {
            project_id,
            user_id,
            table: "notes".into(),
            operations,
            limit: MAX_OPERATIONS,
            deletion: None,
            created_before: None,
        }
        .checked()
    }

    fn loaded(id: &str, fields: Value) -> StoredItem {
        let item = Item {
            project_id: id_of("project").into(),
            user_id: id_of("user").into(),
            table: "notes".into(),
            id: ItemId::parse(id).unwrap(),
            value: ItemValue::of(&value(fields)),
        };
        StoredItem { item, created_at: instant(), updated_at: instant(), revision: Revision(7) }
    }

    #[track_caller]
    fn index_of(error: Error) -> (usize, Error) {
        match error {
            Error::InBatch { index, error } => (index, *error),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_batch_has_one_to_a_hundred_operations_on_distinct_items() {
        assert!(batch(&[]).is_err());
        let ids: Vec<String> = (0..=MAX_OPERATIONS).map(|n| n.to_string()).collect();
        let all: Vec<_> = ids.iter().map(|id| (id.as_str(), BatchStep::Delete)).collect();
        assert!(batch(&all[..MAX_OPERATIONS]).is_ok());
        assert!(batch(&all).is_err());
        let duplicate = [("a", BatchStep::Delete), ("b", BatchStep::Delete), ("a", BatchStep::Put(Map::new()))];
        assert_eq!(index_of(batch(&duplicate).err().unwrap()).0, 2);
    }

    #[tokio::test]
    async fn an_import_is_heavy_work_and_a_batch_is_not() {
        let mut store = MockStore::default();
        store.access.expect_project_membership().returning(|_, _| Ok(None));
        let items = Items::new(&mock_core(store));
        let (project, user) = (ProjectId::from(id_of("project")), ProjectUserId::from(id_of("user")));
        let caller = a_caller("ann");
        let lane = async |imports: bool| {
            let work = Work { lane: Lane::Interactive, tenant: Tenant::Service };
            let apply = async {
                let failed = if imports {
                    items.import(&caller, project, user, "notes".into(), Vec::new()).await.is_err()
                } else {
                    items
                        .batch(&caller, Accessor::Project, project, user, "notes".into(), Vec::new(), None)
                        .await
                        .is_err()
                };
                assert!(failed, "The caller has no access.");
                Work::current().lane
            };
            work.scope(apply).await
        };
        assert_eq!((lane(true).await, lane(false).await), (Lane::Heavy, Lane::Interactive));
    }

    #[test]
    fn a_patch_applies_only_to_the_loaded_revision() {
        let steps = [("a", BatchStep::Patch(value(json!({"rank": 2})))), ("b", BatchStep::Delete)];
        let loaded_items = [loaded("b", json!({})), loaded("a", json!({"title": "A", "rank": 1}))];
        let planned = batch(&steps).unwrap().planned(&schema(), &loaded_items).unwrap();
        let [Planned::Put(item, when), Planned::Remove(place)] = planned.as_slice() else { panic!() };
        assert_eq!(Value::Object(item.value.fields().unwrap()), json!({"title": "A", "rank": 2}));
        assert_eq!((when, place.id.as_str()), (&Precondition::Matches(vec![Revision(7)]), "b"));
    }

    #[test]
    fn the_first_error_is_reported_with_its_index() {
        let put = |fields| BatchStep::Put(value(fields));
        let valid = ("a", put(json!({"title": "A"})));
        let loaded_items = [loaded("b", json!({"title": "B"}))];
        let error = |operations: &[(&str, BatchStep)]| {
            let planned = batch(operations).unwrap().planned(&schema(), &loaded_items);
            index_of(planned.err().unwrap())
        };
        let missing = ("c", BatchStep::Delete);
        let (index, why) = error(&[valid.clone(), missing.clone(), ("d", put(json!({})))]);
        assert!(index == 1 && matches!(why, Error::NotFound(ResourceKind::Item)), "{why:?}");
        let (index, why) = error(&[("d", put(json!({}))), missing]);
        assert!(index == 0 && matches!(why, Error::InvalidItem(_)), "{why:?}");
        let (index, why) = error(&[valid, ("b", BatchStep::Patch(value(json!({"title": null}))))]);
        assert!(index == 1 && matches!(why, Error::InvalidItem(_)), "{why:?}");
    }
}
