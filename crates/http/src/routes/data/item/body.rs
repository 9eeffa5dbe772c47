//! Items in requests and responses.

use std::io::Write as _;
use std::sync::Arc;

use serde_json::{Map, Value};
use steward_api::{Data, Item, Timestamp};
use steward_domain::data::{ItemQuery, StoredItem};
use steward_domain::kernel::Compute;
use steward_domain::kernel::error::Error;

use crate::serve::Answer;
use crate::streamed;

/// Larger pages, in bytes of the items' fields, are parsed on a compute thread.
pub(super) const LARGE_SELECTION_BYTES: usize = 8 * 1024;

/// Bytes that an item has beside its ID and its fields: names, timestamps and punctuation.
const FRAME_BYTES: usize = 128;

/// Appends an item as JSON: the form of [`steward_api::Item`], without parsing what the store has as text.
pub(crate) fn push_item(text: &mut Vec<u8>, StoredItem { item, created_at, updated_at, .. }: &StoredItem) {
    let (created_at, updated_at) = (Timestamp::from(*created_at), Timestamp::from(*updated_at));
    let (id, fields) = (item.id.as_str(), item.value.as_str());
    text.reserve(fields.len().saturating_add(id.len()).saturating_add(FRAME_BYTES));
    // An ID needs no escaping. The text of the fields is appended to the head. Writing to memory cannot fail.
    let head = write!(text, "{{\"id\":\"{id}\",\"created_at\":\"{created_at}\",\"updated_at\":\"{updated_at}\"");
    debug_assert!(head.is_ok());
    let rest = fields.trim_start().strip_prefix('{').unwrap_or("}").trim_start();
    if !rest.starts_with('}') {
        text.push(b',');
    }
    text.extend_from_slice(rest.as_bytes());
}

/// Appends the members of an item that the query selects.
fn push_members(text: &mut Vec<u8>, stored: &StoredItem, query: &ItemQuery) -> Result<(), Error> {
    let mut item = Vec::new();
    push_item(&mut item, stored);
    let parsed: serde_json::Result<Map<String, Value>> = serde_json::from_slice(&item);
    let mut members = parsed.map_err(|error| Error::Internal(error.into()))?;
    members.retain(|name, _| query.shows(name));
    streamed::push(text, &members)
}

/// Appends items to a JSON array that was opened earlier, in this chunk or a previous one.
fn push_items(text: &mut Vec<u8>, items: &[StoredItem], query: Option<&ItemQuery>) -> Result<(), Error> {
    for stored in items {
        if text.last() != Some(&b'[') {
            text.push(b',');
        }
        match query {
            Some(query) => push_selected_item(text, stored, query)?,
            None => push_item(text, stored),
        }
    }
    Ok(())
}

/// Appends the selected members of an item.
pub(super) fn push_selected_item(text: &mut Vec<u8>, stored: &StoredItem, query: &ItemQuery) -> Result<(), Error> {
    if query.shows_all() {
        push_item(text, stored);
        return Ok(());
    }
    push_members(text, stored, query)
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
    text.reserve(if query.shows_all() { bytes.saturating_add(items.len().saturating_mul(FRAME_BYTES)) } else { 0 });
    let push = move || {
        push_items(&mut text, &items, Some(&query))?;
        Ok::<_, Error>(text)
    };
    compute.call(is_large, push).await?
}

impl Answer<Data<Item>> for &StoredItem {
    fn text(self) -> Result<Vec<u8>, Error> {
        let mut text = Vec::with_capacity(self.item.value.as_str().len().saturating_add(FRAME_BYTES.saturating_mul(2)));
        text.extend_from_slice(b"{\"data\":");
        push_item(&mut text, self);
        text.push(b'}');
        Ok(text)
    }
}

impl Answer<Data<Vec<Item>>> for Vec<StoredItem> {
    fn text(self) -> Result<Vec<u8>, Error> {
        let mut text = b"{\"data\":[".to_vec();
        push_items(&mut text, &self, None)?;
        text.extend_from_slice(b"]}");
        Ok(text)
    }
}
