//! Items of a project's users (docs/contract.md#items).

use std::collections::HashMap;
use std::ops::Deref;

use crate::openapi::{IntoParams, ToSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::operation::operations;

/// Declares the operations for one prefix: those of any user, and those of the signed-in user.
macro_rules! mounted {
    (
        $rows:ident, $tag:literal, $prefix:literal, $list_items:ident, $create_item:ident, $get_item:ident,
        $put_item:ident, $patch_item:ident, $delete_item:ident, $batch_items:ident, $created:literal
        $(, deviates($deviates:literal))?
    ) => {
        operations! {
            $rows, $tag;

            /// List items
            ///
            /// Returns the items of a user in a table that meet all conditions. Without `limit`, all items are streamed.
            $list_items Get $prefix, Reads Safe, at(UserTable), query(ItemQueryParameters),
                200(ItemListing, "The items."), deviates("docs/contract.md#item-queries"), command("item list");

            /// Create an item
            ///
            /// The service generates the ID of the item.
            $create_item Post $prefix, Writes Keyed, at(UserTable), body(ItemValue),
                $created(data Item, "The new item.", example item_example), shows(Item), ignores()
                $(, deviates($deviates))?,
                errors("invalid_item", "item_too_large", "user_not_connected", "quota_exceeded"),
                command("item create");

            /// Get an item
            ///
            /// The response has an `ETag`. `If-None-Match` and `If-Match` are supported.
            $get_item Get concat!($prefix, "/{item_id}"), Reads Safe, at(UserTable, Item),
                200(data Item, "The item.", example item_example), 304("The item has the ETag in `If-None-Match`."),
                shows(Item), errors("precondition_failed"), command("item get");

            /// Create or replace an item
            ///
            /// Stores the complete item under the ID in the path. Fields that are absent are removed. `If-Match` and
            /// `If-None-Match` are supported.
            $put_item Put concat!($prefix, "/{item_id}"), Writes Keyed, at(UserTable, NewItem), body(ItemValue),
                200(data Item, "The item was replaced.", example item_example),
                201(data Item, "The item was created.", example item_example), shows(Item), ignores(),
                deviates("docs/contract.md#items"),
                errors("invalid_item", "item_too_large", "user_not_connected", "quota_exceeded", "precondition_failed"),
                command("item put");

            /// Update fields of an item
            ///
            /// Fields that are absent stay as they are. `null` removes a field. `If-Match` and `If-None-Match` are supported.
            $patch_item Patch concat!($prefix, "/{item_id}"), Writes Keyed, at(UserTable, Item), body(ItemValue),
                200(data Item, "The item after the update.", example item_example), shows(Item), ignores(),
                errors("invalid_item", "item_too_large", "user_not_connected", "quota_exceeded", "precondition_failed"),
                command("item patch");

            /// Delete an item
            ///
            /// Returns the item as it was before. `If-Match` and `If-None-Match` are supported.
            $delete_item Delete concat!($prefix, "/{item_id}"), Writes Keyed, at(UserTable, Item),
                200(data Item, "The deleted item.", example item_example),
                deviates("docs/contract.md#items: what was deleted"),
                errors("user_not_connected", "precondition_failed"), command("item delete");

            /// Write several items
            ///
            /// Performs up to 100 operations, each on a different item. Either all of them take effect, or none. Returns the items
            /// in the order of the operations; a deleted item is returned as it was before. Each operation can have its own
            /// `if_match` and `if_none_match`.
            $batch_items Post concat!($prefix, "/batch"), Writes Keyed ConditionsInBody, at(UserTable), body(ItemBatch),
                200(data [Item], "The items after the operations.", example items_example),
                deviates("the results of a batch are complete, in the order of its operations"),
                errors("invalid_item", "item_too_large", "precondition_failed", "user_not_connected", "quota_exceeded"),
                command("item batch");
        }
    };
}

mounted!(
    USER_ROWS,
    "project-users",
    "/project/{id}/user/{user_id}/db/{table_id}",
    ListItems,
    CreateItem,
    GetItem,
    PutItem,
    PatchItem,
    DeleteItem,
    BatchItems,
    200,
    deviates("docs/contract.md#own-data: 201 only for a user's own items")
);
mounted!(
    OWN_ROWS,
    "account",
    "/account/{project_id}/db/{table_id}",
    ListOwnItems,
    CreateOwnItem,
    GetOwnItem,
    PutOwnItem,
    PatchOwnItem,
    DeleteOwnItem,
    BatchOwnItems,
    201
);

/// Operations on items.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct ItemBatch {
    /// Operations, each on a different item. Either all of them take effect, or none; the error contains the `index` of
    /// the first operation that failed.
    #[schema(value_type = Vec<ItemOperation>, example = json!([
        {"op": "put", "id": "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55", "value": {"title": "Buy milk", "done": false}},
        {"op": "patch", "id": "018f2a3c-9b40-7a12-8c5d-6e7f80912a3b", "value": {"done": true}},
        {"op": "delete", "id": "018f2a3d-0a1b-7c2d-8e3f-405162738495"}
    ]))]
    pub operations: Vec<Value>,
    /// New items that are put count as created before this time, at most seven days ago, each one a microsecond before
    /// the item of the operation before it: a list of the newest items has the order of the operations. A time in the
    /// future counts as now. By default, all of them count as created now.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-01-31T12:00:00.000Z")]
    pub created_before: Option<String>,
}

/// One operation of a batch.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(tag = "op", rename_all = "lowercase", deny_unknown_fields)]
pub enum ItemOperation {
    /// Creates or replaces an item.
    #[schema(title = "ItemPut")]
    Put {
        /// ID of the item: 1 to 128 characters of `[A-Za-z0-9._~-]`, other than `.` and `..`.
        id: String,
        /// All fields of the item.
        #[schema(value_type = Object)]
        value: Map<String, Value>,
        /// Like the header `If-Match`: `*` if the item must exist, or the quoted entity tags of which it must have one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(example = "\"5\"")]
        if_match: Option<String>,
        /// Like the header `If-None-Match`: `*` if the item must not exist, or quoted entity tags that it must not have.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(example = "*")]
        if_none_match: Option<String>,
    },
    /// Updates fields of an item.
    #[schema(title = "ItemPatch")]
    Patch {
        /// ID of the item.
        id: String,
        /// Fields to change; null removes a field.
        #[schema(value_type = Object)]
        value: Map<String, Value>,
        /// Like the header `If-Match`: `*` if the item must exist, or the quoted entity tags of which it must have one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(example = "\"5\"")]
        if_match: Option<String>,
        /// Like the header `If-None-Match`: `*` if the item must not exist, or quoted entity tags that it must not have.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(example = "*")]
        if_none_match: Option<String>,
    },
    /// Deletes an item.
    #[schema(title = "ItemDelete")]
    Delete {
        /// ID of the item.
        id: String,
        /// Like the header `If-Match`: `*` if the item must exist, or the quoted entity tags of which it must have one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(example = "\"5\"")]
        if_match: Option<String>,
        /// Like the header `If-None-Match`: `*` if the item must not exist, or quoted entity tags that it must not have.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(example = "*")]
        if_none_match: Option<String>,
    },
}

/// An item: `id`, `created_at`, `updated_at`, and its fields.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
#[schema(value_type = Object)]
pub struct Item(pub Map<String, Value>);

impl Deref for Item {
    type Target = Map<String, Value>;

    fn deref(&self) -> &Map<String, Value> {
        &self.0
    }
}

/// The fields of an item.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({"value": {"title": "Buy milk", "done": false}}))]
pub struct ItemValue {
    /// Fields of the item, as defined by the table in the schema. `id`, `created_at` and `updated_at` are ignored.
    #[schema(value_type = Object)]
    pub value: Map<String, Value>,
}

/// Items, and the part of the list that they are.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ItemListing {
    /// The items.
    #[schema(example = json!([item()]))]
    pub data: Vec<Item>,
    /// Which part of the list the response contains.
    pub pagination: Pagination,
    /// Cursor of the next page; absent if there are no more items, or if no `limit` was set.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Mi4xLkV4YW1wbGU")]
    pub next_cursor: Option<String>,
}

/// Which part of a list a response contains.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Pagination {
    /// The limit that was applied: `limit` of the request; null if it was not set, so that all items were returned.
    #[schema(example = 20)]
    pub limit: Option<u16>,
    /// Value of `offset` in the request; 0 if it was not set.
    #[schema(example = 0)]
    pub offset: u32,
    /// Number of items in the response.
    pub count: usize,
}

/// Parameters of an item query (docs/contract.md#item-queries).
#[derive(Debug, Clone, Default, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ItemQueryParameters {
    /// Conditions: any number of parameters, each with the name of a field, `id`, `created_at` or `updated_at`, and a
    /// value of the form `operator.value`. An item must meet all of them. Operators: `eq`, `neq`, `gt`, `gte`, `lt`,
    /// `lte`, `in.(a,"b,c")` or `in.a,b`, and `is.null`. Text fields also support `like` and `ilike`, with `*` as the
    /// wildcard and `\*` as an asterisk. Boolean fields support only `eq`, `neq`, `is.null`, `is.true` and `is.false`;
    /// JSON fields only `is.null`. The prefix `not.` negates an operator. A comparison with an absent value never matches,
    /// negated or not.
    #[param(style = Form, explode, required = false, value_type = Object)]
    pub conditions: Option<HashMap<String, String>>,
    /// Return only the item with this ID, or items whose ID meets a condition.
    pub id: Option<String>,
    /// Sort order, such as `rank.desc,title.asc`. Absent values sort last, and equal items are sorted by ID. By
    /// default, the newest items come first.
    pub order: Option<String>,
    /// Maximum number of items to return. A page also ends at 4 MiB. Without it, all items are returned.
    pub limit: Option<u16>,
    /// Number of items to skip. It cannot be combined with `cursor`.
    pub offset: Option<u32>,
    /// The `next_cursor` of the previous page. Send it with the same order and conditions.
    pub cursor: Option<String>,
    /// Comma-separated members of the items to return besides `id`, such as `title,rank`.
    pub select: Option<String>,
}

/// Returns an item for the examples of the OpenAPI document.
fn item() -> Value {
    json!({
        "id": "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55",
        "created_at": "2026-01-31T12:00:00.000Z",
        "updated_at": "2026-01-31T12:00:00.000Z",
        "title": "Buy milk",
        "done": false,
    })
}

fn item_example() -> Value {
    json!({"data": item()})
}

fn items_example() -> Value {
    json!({"data": [item()]})
}
