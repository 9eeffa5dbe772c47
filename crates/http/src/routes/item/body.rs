//! Items in requests and responses.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use steward_domain::error::Error;
use steward_domain::model::{ItemQuery, StoredItem};
use steward_domain::ports::Compute;
use utoipa::ToSchema;

use crate::response::format_timestamp;

/// Larger pages, in bytes of the items' fields, are parsed on a compute thread.
const LARGE_SELECTION_BYTES: usize = 8 * 1024;

/// An item: `id`, `created_at`, `updated_at`, and its fields.
#[derive(ToSchema)]
#[schema(value_type = Object)]
pub(crate) struct ItemBody(
    // JSON text.
    String,
);

impl From<StoredItem> for ItemBody {
    fn from(StoredItem { item, created_at, updated_at, .. }: StoredItem) -> Self {
        let (created_at, updated_at) = (format_timestamp(created_at), format_timestamp(updated_at));
        let fields = item.value.as_str();
        // The text of the fields is appended to the head. An ID needs no escaping.
        let head = format!(
            "{{\"id\":\"{}\",\"created_at\":\"{created_at}\",\"updated_at\":\"{updated_at}\"",
            item.id.as_str()
        );
        let rest = fields.trim_start().strip_prefix('{').unwrap_or("}").trim_start();
        let comma = if rest.starts_with('}') { "" } else { "," };
        Self([&head, comma, rest].concat())
    }
}

impl ItemBody {
    /// Removes the members that the query does not select.
    fn restricted(self, query: &ItemQuery) -> Result<Self, Error> {
        if query.shows_all() {
            return Ok(self);
        }
        let mut members: Map<String, Value> =
            serde_json::from_str(&self.0).map_err(|error| Error::Internal(error.into()))?;
        members.retain(|name, _| query.shows(name));
        Ok(Self(Value::Object(members).to_string()))
    }

    /// Appends the item to a JSON document.
    pub(crate) fn push(&self, text: &mut Vec<u8>) {
        text.extend_from_slice(self.0.as_bytes());
    }
}

/// Appends items to a JSON array that was opened earlier, in this chunk or a previous one.
pub(super) fn push_items(text: &mut Vec<u8>, items: Vec<StoredItem>, query: Option<&ItemQuery>) -> Result<(), Error> {
    for stored in items {
        if text.last() != Some(&b'[') {
            text.push(b',');
        }
        let item = ItemBody::from(stored);
        let item = if let Some(query) = query { item.restricted(query)? } else { item };
        item.push(text);
    }
    Ok(())
}

/// Appends the selected members of items to a JSON array, like [`push_items`]. If many bytes must be parsed for that,
/// does so on a compute thread.
pub(super) async fn push_selected(
    compute: &Arc<dyn Compute>,
    mut text: Vec<u8>,
    items: Vec<StoredItem>,
    query: ItemQuery,
) -> Result<Vec<u8>, Error> {
    let bytes: usize = items.iter().map(|stored| stored.item.value.as_str().len()).sum();
    let is_large = !query.shows_all() && bytes > LARGE_SELECTION_BYTES;
    let push = move || {
        push_items(&mut text, items, Some(&query))?;
        Ok::<_, Error>(text)
    };
    compute.call(is_large, push).await?
}

/// Returns an item for the examples of the OpenAPI document.
pub(super) fn item_example() -> Value {
    json!({
        "id": "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55",
        "created_at": "2026-01-31T12:00:00.000Z",
        "updated_at": "2026-01-31T12:00:00.000Z",
        "title": "Buy milk",
        "done": false,
    })
}

/// Returns an item as the complete body of a response.
pub(super) fn item_document(stored: StoredItem) -> String {
    let ItemBody(item) = stored.into();
    format!("{{\"data\":{item}}}")
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"value": {"title": "Buy milk", "done": false}}))]
pub(crate) struct ItemValueBody {
    /// Fields of the item, as defined by the table in the schema. `id`, `created_at` and `updated_at` are ignored.
    #[schema(value_type = Object)]
    pub value: Map<String, Value>,
}
