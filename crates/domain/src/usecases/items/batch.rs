//! Several writes of items in one change: all are done, or none.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::{Items, Side, checked};
use crate::changes::{Changes, ItemPlace};
use crate::error::{Error, ResourceKind};
use crate::model::json::{is_large, is_large_text};
use crate::model::schema::Document;
use crate::model::{Caller, Item, ItemId, Precondition, ProjectId, ProjectUserId, StoredItem};
use crate::policy::Operation;
use crate::ports::CommitError;
use crate::usecases::{RetryError, retry_stale};

/// How many operations a batch may have.
const MAX_OPERATIONS: usize = 100;

/// One write of a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchOperation {
    /// The item.
    pub id: ItemId,
    /// What is done to it.
    pub step: BatchStep,
}

/// What is done to an item of a batch.
#[derive(Debug, Clone, PartialEq)]
pub enum BatchStep {
    /// Stored whole, over what was there.
    Put(Map<String, Value>),
    /// The fields that are named are changed; a null removes one.
    Patch(Map<String, Value>),
    /// Removed.
    Delete,
}

/// The writes of one table of one user.
struct Batch {
    project_id: ProjectId,
    user_id: ProjectUserId,
    table: String,
    operations: Vec<BatchOperation>,
}

/// What one operation comes to.
enum Planned {
    Put(Item, Precondition),
    Remove(ItemPlace),
}

impl Items {
    /// Does all of the operations, or none. Answers the items in their order; a removed one as it was.
    pub async fn batch(
        &self,
        caller: &Caller,
        side: Side,
        project: ProjectId,
        user: ProjectUserId,
        table: String,
        operations: Vec<BatchOperation>,
    ) -> Result<Vec<StoredItem>, Error> {
        let access = self.access.project_to_prove(caller, project).await?;
        let permit = access.permit_data(side.operation(Operation::ItemBatch, Operation::OwnItemBatch), user).await?;

        let batch = Arc::new(Batch::of(project, user, table, operations)?);
        let schema = self.schema(project, access.project().schema_number).await?;
        retry_stale(async || {
            let permit = permit.clone();
            let schema = &schema;
            let batch = &batch;
            let wanted = batch.wanted();
            let loaded = match wanted.as_slice() {
                [] => Vec::new(),
                ids => self.items.items_with_ids(batch.project_id, batch.user_id, &batch.table, ids).await?,
            };
            if loaded.is_empty() && !wanted.is_empty() {
                self.user_exists(batch.project_id, batch.user_id).await?;
            }

            let is_large = batch.is_large(&loaded);
            let has_indexed_fields = schema.has_indexed_fields(&batch.table);
            let (schema, planning) = (schema.clone(), batch.clone());
            let planned = self.compute.call(is_large, move || planning.planned(&schema, &loaded)).await??;
            let mut planned: Vec<(usize, Planned)> = planned.into_iter().enumerate().collect();
            // Two batches of the same items lock them in the same order, so that neither waits for the other forever.
            planned.sort_by(|(_, one), (_, other)| one.id().as_str().cmp(other.id().as_str()));
            let (places, writes): (Vec<usize>, Vec<Planned>) = planned.into_iter().unzip();

            let basis = *permit.basis();
            let nothing = Changes::by(permit, self.clock.now()).indexed(has_indexed_fields);
            let changes = writes.into_iter().fold(nothing, |changes, write| match write {
                Planned::Put(item, when) => changes.put(item, when),
                Planned::Remove(place) => changes.remove_item(place, Precondition::Exists),
            });
            match self.store.commit(changes).await {
                Ok(committed) => {
                    let stored = committed.items.into_iter().map(|outcome| outcome.stored);
                    let mut answered: Vec<(usize, StoredItem)> = places.into_iter().zip(stored).collect();
                    answered.sort_by_key(|(place, _)| *place);
                    Ok(answered.into_iter().map(|(_, stored)| stored).collect())
                }
                Err(CommitError::Stale(ResourceKind::Item) | CommitError::Orphaned) => {
                    self.access.confirm(caller, &basis).await?;
                    self.user_is_connected(batch.project_id, batch.user_id).await?;
                    Err(RetryError::Stale(ResourceKind::Item))
                }
                Err(other) => Err(Error::from(other).into()),
            }
        })
        .await
    }
}

impl Batch {
    /// Checks what can be told of the operations without looking anywhere.
    fn of(
        project_id: ProjectId,
        user_id: ProjectUserId,
        table: String,
        operations: Vec<BatchOperation>,
    ) -> Result<Self, Error> {
        if !(1..=MAX_OPERATIONS).contains(&operations.len()) {
            return Err(Error::invalid("operations", format_args!("must be 1 to {MAX_OPERATIONS} operations")));
        }
        let mut seen = HashSet::new();
        if let Some(index) = operations.iter().position(|operation| !seen.insert(operation.id.as_str())) {
            let error =
                Error::invalid("id", "stands twice in one batch; put what is done to an item into one operation");
            return Err(error.in_batch(index));
        }
        Ok(Self { project_id, user_id, table, operations })
    }

    /// Whether to look through it takes long.
    fn is_large(&self, loaded: &[StoredItem]) -> bool {
        let sent = self.operations.iter().filter_map(|operation| match &operation.step {
            BatchStep::Put(value) | BatchStep::Patch(value) => Some(value),
            BatchStep::Delete => None,
        });
        is_large(sent.flat_map(Map::values)) || is_large_text(loaded.iter().map(|stored| stored.item.value.as_str()))
    }

    /// The items that must be there.
    fn wanted(&self) -> Vec<ItemId> {
        let wanted = self.operations.iter().filter(|operation| !matches!(operation.step, BatchStep::Put(_)));
        wanted.map(|operation| operation.id.clone()).collect()
    }

    /// What the operations come to, or the first error.
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
        let place = ItemPlace {
            project_id: self.project_id,
            user_id: self.user_id,
            table: self.table.clone(),
            id: operation.id.clone(),
        };
        let there = || loaded.ok_or(Error::NotFound(ResourceKind::Item));
        Ok(match &operation.step {
            BatchStep::Put(value) => {
                let sent = Item::fields_of(value.clone());
                Planned::Put(checked(schema, &place, &sent, sent.clone())?, Precondition::None)
            }
            BatchStep::Patch(changes) => {
                let (loaded, sent) = (there()?, Item::fields_of(changes.clone()));
                let mut merged = loaded.item.value.fields()?;
                merged.extend(sent.clone());
                let item = checked(schema, &place, &sent, merged)?;
                Planned::Put(item, Precondition::Matches(vec![loaded.revision]))
            }
            BatchStep::Delete => {
                there()?;
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
    use crate::mocks::{id_of, instant};
    use crate::model::{ItemValue, Revision};

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
        let (project, user) = (id_of("project").into(), id_of("user").into());
        Batch::of(project, user, "notes".into(), operations.iter().map(operation).collect())
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
    fn a_batch_has_one_to_a_hundred_operations_each_of_another_item() {
        assert!(batch(&[]).is_err());
        let ids: Vec<String> = (0..=MAX_OPERATIONS).map(|n| n.to_string()).collect();
        let all: Vec<_> = ids.iter().map(|id| (id.as_str(), BatchStep::Delete)).collect();
        assert!(batch(&all[..MAX_OPERATIONS]).is_ok());
        assert!(batch(&all).is_err());
        let twice = [("a", BatchStep::Delete), ("b", BatchStep::Delete), ("a", BatchStep::Put(Map::new()))];
        assert_eq!(index_of(batch(&twice).err().unwrap()).0, 2);
    }

    #[test]
    fn a_patch_is_good_only_over_what_was_loaded() {
        let steps = [("a", BatchStep::Patch(value(json!({"rank": 2})))), ("b", BatchStep::Delete)];
        let there = [loaded("b", json!({})), loaded("a", json!({"title": "A", "rank": 1}))];
        let planned = batch(&steps).unwrap().planned(&schema(), &there).unwrap();
        let [Planned::Put(item, when), Planned::Remove(place)] = planned.as_slice() else { panic!() };
        assert_eq!(Value::Object(item.value.fields().unwrap()), json!({"title": "A", "rank": 2}));
        assert_eq!((when, place.id.as_str()), (&Precondition::Matches(vec![Revision(7)]), "b"));
    }

    #[test]
    fn the_first_fault_is_told_with_its_index() {
        let put = |fields| BatchStep::Put(value(fields));
        let good = ("a", put(json!({"title": "A"})));
        let there = [loaded("b", json!({"title": "B"}))];
        let error = |operations: &[(&str, BatchStep)]| {
            let planned = batch(operations).unwrap().planned(&schema(), &there);
            index_of(planned.err().unwrap())
        };
        let missing = ("c", BatchStep::Delete);
        let (index, why) = error(&[good.clone(), missing.clone(), ("d", put(json!({})))]);
        assert!(index == 1 && matches!(why, Error::NotFound(ResourceKind::Item)), "{why:?}");
        let (index, why) = error(&[("d", put(json!({}))), missing]);
        assert!(index == 0 && matches!(why, Error::InvalidItem(_)), "{why:?}");
        let (index, why) = error(&[good, ("b", BatchStep::Patch(value(json!({"title": null}))))]);
        assert!(index == 1 && matches!(why, Error::InvalidItem(_)), "{why:?}");
    }
}
