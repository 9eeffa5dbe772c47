//! Items in requests and responses.

use std::sync::Arc;

use serde_json::{Map, Value};
use steward_api::Timestamp;
use steward_domain::error::Error;
use steward_domain::model::{ItemQuery, StoredItem};
use steward_domain::ports::Compute;

/// Larger pages, in bytes of the items' fields, are parsed on a compute thread.
const LARGE_SELECTION_BYTES: usize = 8 * 1024;

/// An item as JSON text: the form of [`steward_api::Item`], without parsing what the store has as text.
pub(crate) struct ItemText(String);

impl From<StoredItem> for ItemText {
    fn from(StoredItem { item, created_at, updated_at, .. }: StoredItem) -> Self {
        let (created_at, updated_at) = (Timestamp::from(created_at), Timestamp::from(updated_at));
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

impl ItemText {
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
        let item = ItemText::from(stored);
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

/// Returns an item as the complete body of a response.
pub(super) fn item_document(stored: StoredItem) -> String {
    let ItemText(item) = stored.into();
    format!("{{\"data\":{item}}}")
}
