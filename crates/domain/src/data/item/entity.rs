//! Items: data that a project stores for its users, in tables described by its schema.

use serde_json::{Map, Value};

use crate::data::ItemId;
use crate::kernel::error::Error;
use crate::kernel::{ProjectId, ProjectUserId, Revision, Time};

/// Member names that the response uses itself. Fields with these names are ignored in requests
/// (docs/contract.md#items).
const RESERVED_MEMBERS: [&str; 3] = ["id", "created_at", "updated_at"];

/// A complete item to store.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// The project of the item.
    pub project_id: ProjectId,
    /// The user that the item belongs to.
    pub user_id: ProjectUserId,
    /// The table of the item.
    pub table: String,
    /// The ID, unique per user and table.
    pub id: ItemId,
    /// The fields of the item.
    pub value: ItemValue,
}

/// The fields of an item as the text of a JSON object. The text is passed from the store to the caller without parsing
/// unless the fields are needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemValue(String);

impl ItemValue {
    /// Serializes the fields.
    pub fn of(fields: &Map<String, Value>) -> Self {
        // Serialization of a JSON object cannot fail.
        Self(serde_json::to_string(fields).unwrap_or_default())
    }

    /// Wraps the text that a store has read.
    pub fn stored(text: String) -> Self {
        Self(text)
    }

    /// Returns the text of the JSON object.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Parses the fields.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a JSON object.
    pub fn fields(&self) -> Result<Map<String, Value>, Error> {
        serde_json::from_str(&self.0).map_err(|error| Error::Internal(error.into()))
    }
}

impl Item {
    /// The maximum size of a value, in bytes of JSON (docs/contract.md#items).
    pub const MAX_BYTES: usize = 256 * 1024;

    /// Removes the reserved member names from the value of a request. Null counts as absent and is removed later by
    /// [`Item::without_nulls`], after the check against the schema.
    pub fn fields_of(mut value: Map<String, Value>) -> Map<String, Value> {
        value.retain(|name, _| !RESERVED_MEMBERS.contains(&name.as_str()));
        value
    }

    /// Removes null fields: null counts as absent (docs/schema.md#items).
    pub fn without_nulls(mut value: Map<String, Value>) -> Map<String, Value> {
        value.retain(|_, value| !value.is_null());
        value
    }
}

/// Location of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemPath {
    /// The project of the user.
    pub project_id: ProjectId,
    /// The user who owns the item.
    pub user_id: ProjectUserId,
    /// Name of the table in the project's schema.
    pub table: String,
    /// ID of the item in the table.
    pub id: ItemId,
}

/// The key of an item among all items of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemKey {
    /// The table.
    pub table: String,
    /// The ID of the item.
    pub id: ItemId,
}

/// An item as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredItem {
    /// The item.
    pub item: Item,
    /// When it was first stored.
    pub created_at: Time,
    /// When it was last stored.
    pub updated_at: Time,
    /// The entity tag. It changes with every write and is never reused for the same item ID.
    pub revision: Revision,
}

/// The size of a table, of the items of all users.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSize {
    /// The name of the table.
    pub table: String,
    /// The number of items.
    pub items: u64,
    /// The length of their JSON in bytes.
    pub bytes: u64,
}

/// The sizes of the tables of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSizes {
    /// The tables.
    pub tables: Vec<TableSize>,
    /// Whether all items are counted. If not, the tables have at least these sizes.
    pub is_complete: bool,
}

impl TableSizes {
    /// The maximum number of items that are counted.
    pub const MAX_COUNTED: u32 = 10_000;
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reserved_members_are_not_fields_and_null_counts_as_absent() {
        let sent = json!({"id": 1, "created_at": 2, "a": null, "b": false}).as_object().unwrap().clone();
        let fields = Item::fields_of(sent);
        assert_eq!(fields.len(), 2);
        assert_eq!(Value::Object(Item::without_nulls(fields)), json!({"b": false}));
    }
}
