//! Items: the data of a project's users, in the tables of its schema.

use std::fmt::Display;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value, json};
use steward_api::{
    BatchItems, BatchOwnItems, CreateItem, CreateOwnItem, Data, DeleteItem, DeleteOwnItem, GetItem, GetOwnItem, Item,
    ItemBatch, ItemOperation, ItemValue, ListItems, ListOwnItems, PatchItem, PatchOwnItem, PutItem, PutOwnItem,
    Timestamp,
};

use crate::mounted::Mounted;
use crate::{Call, List};

/// Maximum number of operations in one batch.
pub const MAX_BATCH_OPERATIONS: usize = 100;

/// Operations of the items of a user in one table.
#[derive(Debug, Clone)]
pub struct Items(pub(crate) Mounted);

impl Items {
    /// Lists the items, newest first. Filters are [`query`](List::query) parameters such as `rank` and `gte.3`; others
    /// are `order` and `select`.
    pub fn list(&self) -> List<Item> {
        self.0.list::<ListItems, ListOwnItems>(&[])
    }

    /// Returns an item.
    pub fn get(&self, item_id: impl Display) -> Call<(), Data<Item>> {
        self.0.call::<GetItem, GetOwnItem>(&[&item_id])
    }

    /// Creates an item. The service generates its ID.
    pub fn create(&self, value: Map<String, Value>) -> Call<ItemValue, Data<Item>> {
        self.0.call::<CreateItem, CreateOwnItem>(&[]).body(&ItemValue { value })
    }

    /// Creates or replaces an item.
    pub fn put(&self, item_id: impl Display, value: Map<String, Value>) -> Call<ItemValue, Data<Item>> {
        self.0.call::<PutItem, PutOwnItem>(&[&item_id]).body(&ItemValue { value })
    }

    /// Updates fields of an item. Null removes a field.
    pub fn patch(&self, item_id: impl Display, changes: Map<String, Value>) -> Call<ItemValue, Data<Item>> {
        self.0.call::<PatchItem, PatchOwnItem>(&[&item_id]).body(&ItemValue { value: changes })
    }

    /// Deletes an item. Returns it as it was before.
    pub fn delete(&self, item_id: impl Display) -> Call<(), Data<Item>> {
        self.0.call::<DeleteItem, DeleteOwnItem>(&[&item_id])
    }

    /// Performs 1 to [`MAX_BATCH_OPERATIONS`] operations, each on a different item: all of them, or none. Returns the
    /// items in the order of the operations. An error that one operation causes has the detail `index`.
    ///
    /// New items count as created before `created_before`, at most seven days ago, so that a list of the newest items has
    /// the order of the operations. A time in the future counts as now.
    pub fn batch(
        &self,
        operations: &[ItemOperation],
        created_before: Option<DateTime<Utc>>,
    ) -> Call<ItemBatch, Data<Vec<Item>>> {
        let operations = operations.iter().map(|operation| json!(operation)).collect();
        let created_before = created_before.map(|time| Timestamp::from(time).to_string());
        self.0.call::<BatchItems, BatchOwnItems>(&[]).body(&ItemBatch { operations, created_before })
    }
}
