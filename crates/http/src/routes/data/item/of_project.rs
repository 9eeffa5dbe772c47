//! The items of all users of a project (docs/contract.md#items-of-all-users).

use steward_api as wire;
use steward_domain::data::item_query::ItemPosition;
use steward_domain::data::{ItemQuery, ProjectItemPage, StoredItem, TableSize};
use steward_domain::kernel::error::Error;

use super::body::{LARGE_SELECTION_BYTES, push_selected_item};
use crate::extract::item_cursor;
use crate::route::serve;
use crate::serve::{Call, Outcome, Text};
use crate::streamed;

serve! {
    ListProjectTables => tables;
    ListProjectItems => list;
}

async fn tables(call: Call<wire::ListProjectTables>) -> Outcome<wire::ListProjectTables> {
    let sizes = call.api.steward.items.tables(&call.caller, call.path).await?;
    let shown = |TableSize { table, items, bytes }| wire::ProjectTable { table, items, bytes };
    call.reply(wire::ProjectTables { data: sizes.tables.into_iter().map(shown).collect(), complete: sizes.is_complete })
}

async fn list(call: Call<wire::ListProjectItems>) -> Outcome<wire::ListProjectItems> {
    let ((project, table), raw) = (&call.path, call.query().item_query()?);
    let steward = &call.api.steward;
    let ProjectItemPage { page, stopped } = steward.items.list_of_project(&call.caller, *project, table, &raw).await?;
    let next_cursor = page.next.as_deref().map(item_cursor::encode);
    let bytes: usize = page.items.iter().map(|stored| stored.item.value.as_str().len()).sum();
    let (items, query, cursor) = (page.items, page.query, next_cursor.clone());
    let write = move || written(&items, &query, stopped.as_ref(), cursor.as_deref());
    let text = steward.compute.call(bytes > LARGE_SELECTION_BYTES, write).await??;
    call.linked_page(Text::from(text), next_cursor.as_deref())
}

/// Returns the text of the response.
fn written(
    items: &[StoredItem],
    query: &ItemQuery,
    stopped: Option<&ItemPosition>,
    next_cursor: Option<&str>,
) -> Result<Vec<u8>, Error> {
    let mut text = b"{\"data\":[".to_vec();
    for (index, stored) in items.iter().enumerate() {
        text.extend_from_slice(if index == 0 { b"{\"user_id\":" } else { b",{\"user_id\":" });
        streamed::push(&mut text, &wire::UserId::from(stored.item.user_id.uuid()))?;
        text.extend_from_slice(b",\"item\":");
        push_selected_item(&mut text, stored, query)?;
        text.push(b'}');
    }
    text.push(b']');
    if let Some(stopped) = stopped {
        let stop = wire::SearchStop { limit: ItemQuery::MAX_EXAMINED, user_id: stopped.user.uuid().into() };
        text.extend_from_slice(b",\"stopped\":");
        streamed::push(&mut text, &stop)?;
    }
    if let Some(cursor) = next_cursor {
        text.extend_from_slice(b",\"next_cursor\":");
        streamed::push(&mut text, &cursor)?;
    }
    text.push(b'}');
    Ok(text)
}
