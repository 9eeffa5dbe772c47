//! Lists of items: query parameters, pages and streams.

use std::sync::Arc;

use steward_api as wire;
use steward_domain::Steward;
use steward_domain::data::{Accessor, ItemPage, RawItemQuery};
use steward_domain::kernel::error::Error;
use steward_domain::kernel::{Caller, Compute, ProjectId, ProjectUserId};

use super::body::push_selected;
use crate::extract::item_cursor;
use crate::serve::Text;
use crate::streamed::{self, Chunk};

/// Returns a page, and the cursor of the next one.
pub(super) async fn page_text(
    compute: &Arc<dyn Compute>,
    ItemPage { items, next, query }: ItemPage,
) -> Result<(Text<wire::ItemListing>, Option<String>), Error> {
    let next_cursor = next.as_deref().map(item_cursor::encode);
    let pagination = wire::Pagination { limit: query.limit(), offset: query.offset(), count: items.len() };
    let mut text = push_selected(compute, b"{\"data\":[".to_vec(), items, query).await?;
    push_end(&mut text, &pagination, next_cursor.as_deref())?;
    Ok((text.into(), next_cursor))
}

/// Appends what follows the items.
fn push_end(text: &mut Vec<u8>, pagination: &wire::Pagination, next_cursor: Option<&str>) -> Result<(), Error> {
    text.extend_from_slice(b"],\"pagination\":");
    streamed::push(text, pagination)?;
    if let Some(cursor) = next_cursor {
        text.extend_from_slice(b",\"next_cursor\":");
        streamed::push(text, &cursor)?;
    }
    text.push(b'}');
    Ok(())
}

/// The unread rest of a list of items that was requested without a limit.
#[derive(Clone)]
pub(super) struct ItemStream {
    pub(super) accessor: Accessor,
    pub(super) project: ProjectId,
    pub(super) user: ProjectUserId,
    pub(super) table: String,
    pub(super) raw: RawItemQuery,
    pub(super) offset: u32,
    /// Number of items written so far.
    pub(super) count: usize,
}

impl ItemStream {
    /// Appends a page of the list and, after the last page, the end of the document.
    pub(super) async fn append(
        mut self,
        compute: &Arc<dyn Compute>,
        text: Vec<u8>,
        page: ItemPage,
    ) -> Result<Chunk<Self>, Error> {
        let rows = page.items.len();
        self.count = self.count.saturating_add(rows);
        let mut text = push_selected(compute, text, page.items, page.query).await?;
        if page.next.is_some() {
            self.raw.parameters.retain(|(name, _)| name != "offset");
            self.raw.cursor = page.next;
            self.raw.size = self.raw.size.after_chunk_of(rows);
            return Ok((text, Some(self)));
        }
        push_end(&mut text, &wire::Pagination { limit: None, offset: self.offset, count: self.count }, None)?;
        Ok((text, None))
    }

    /// Reads and writes the next page.
    pub(super) async fn next(self, steward: Arc<Steward>, caller: Option<Caller>) -> Result<Chunk<Self>, Error> {
        let caller = streamed::require_caller(caller)?;
        let page = steward.items.list(&caller, self.accessor, self.project, self.user, &self.table, &self.raw).await?;
        self.append(&steward.compute, Vec::new(), page).await
    }
}
