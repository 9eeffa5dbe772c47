//! Lists of items: query parameters, pages and streams.

use std::collections::HashMap;
use std::sync::Arc;

use actix_web::HttpResponse;
use serde::Serialize;
use steward_domain::error::Error;
use steward_domain::model::{Caller, ItemPage, PageSize, ProjectId, ProjectUserId, RawItemQuery};
use steward_domain::ports::Compute;
use steward_domain::usecases::{Accessor, Steward};
use utoipa::{IntoParams, ToSchema};

use super::body::{ItemBody, item_example, push_selected};
use crate::error::ApiError;
use crate::extract::{PathIds, item_cursor};
use crate::response;
use crate::streamed::{self, Source};

#[derive(ToSchema)]
#[expect(dead_code, reason = "only describes a response that is written as text")]
pub(crate) struct ItemListing {
    /// The items.
    #[schema(example = json!([item_example()]))]
    data: Vec<ItemBody>,
    /// Which part of the list the response contains.
    pagination: Pagination,
    /// Cursor of the next page; absent if there are no more items, or if no `limit` was set.
    #[schema(example = "Mi4xLkV4YW1wbGU")]
    next_cursor: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Pagination {
    /// The limit that was applied: `limit` of the request; null if it was not set, so that all items were returned.
    #[schema(example = 20)]
    limit: Option<u16>,
    /// Value of `offset` in the request; 0 if it was not set.
    #[schema(example = 0)]
    offset: u32,
    /// Number of items in the response.
    count: usize,
}

/// Parameters of an item query (docs/contract.md#item-queries).
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "only describes the parameters that the domain parses")]
pub(crate) struct ItemQueryParameters {
    /// Conditions: any number of parameters, each with the name of a field, `id`, `created_at` or `updated_at`, and a
    /// value of the form `operator.value`. An item must meet all of them. Operators: `eq`, `neq`, `gt`, `gte`, `lt`,
    /// `lte`, `in.(a,"b,c")` or `in.a,b`, and `is.null`. Text fields also support `like` and `ilike`, with `*` as the wildcard.
    /// Boolean fields support only `eq`, `neq`, `is.null`, `is.true` and `is.false`; JSON fields only `is.null`. The
    /// prefix `not.` negates an operator. A comparison with an absent value never matches, negated or not.
    #[param(style = Form, explode, value_type = Object)]
    conditions: Option<HashMap<String, String>>,
    /// Return only the item with this ID, or items whose ID meets a condition.
    id: Option<String>,
    /// Sort order, such as `rank.desc,title.asc`. Absent values sort last, and equal items are sorted by ID. By
    /// default, the newest items come first.
    order: Option<String>,
    /// Maximum number of items to return. A page also ends at 4 MiB. Without it, all items are returned.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u16>,
    /// Number of items to skip. It cannot be combined with `cursor`.
    offset: Option<u32>,
    /// The `next_cursor` of the previous page. Send it with the same order and conditions.
    cursor: Option<String>,
    /// Comma-separated members of the items to return besides `id`, such as `title,rank`.
    select: Option<String>,
}

pub(super) async fn page_response(
    compute: &Arc<dyn Compute>,
    path: &PathIds,
    ItemPage { items, next, query }: ItemPage,
) -> Result<HttpResponse, ApiError> {
    let next_cursor = next.as_deref().map(item_cursor::encode);
    let pagination = Pagination { limit: query.limit(), offset: query.offset(), count: items.len() };
    let mut text = push_selected(compute, b"{\"data\":[".to_vec(), items, query).await?;
    text.extend_from_slice(b"],\"pagination\":");
    streamed::push(&mut text, &pagination)?;
    if let Some(cursor) = &next_cursor {
        text.extend_from_slice(b",\"next_cursor\":");
        streamed::push(&mut text, cursor)?;
    }
    text.push(b'}');
    let mut response = response::linked(path.request(), next_cursor.as_deref());
    Ok(response.content_type("application/json").body(text))
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
    ) -> Result<(Vec<u8>, Option<Self>), Error> {
        let rows = page.items.len();
        self.count = self.count.saturating_add(rows);
        let mut text = push_selected(compute, text, page.items, page.query).await?;
        if page.next.is_some() {
            self.raw.parameters.retain(|(name, _)| name != "offset");
            self.raw.cursor = page.next;
            self.raw.size = PageSize::after_chunk_of(rows);
            return Ok((text, Some(self)));
        }
        text.extend_from_slice(b"],\"pagination\":");
        streamed::push(&mut text, &Pagination { limit: None, offset: self.offset, count: self.count })?;
        text.push(b'}');
        Ok((text, None))
    }
}

impl Source for ItemStream {
    async fn next_chunk(
        self,
        steward: &Arc<Steward>,
        caller: Option<Caller>,
    ) -> Result<(Vec<u8>, Option<Self>), Error> {
        let caller = streamed::require_caller(caller)?;
        let page = steward.items.list(&caller, self.accessor, self.project, self.user, &self.table, &self.raw).await?;
        self.append(&steward.compute, Vec::new(), page).await
    }
}
