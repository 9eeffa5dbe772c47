//! Items of a project's users (contract 7). In responses, the fields of an item are members beside its ID and
//! timestamps.

use std::collections::HashMap;
use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use steward_domain::changes::ItemPath;
use steward_domain::error::{Error, ResourceKind};
use steward_domain::model::{
    Caller, ItemId, ItemPage, ItemQuery, PageSize, Precondition, ProjectId, ProjectUserId, RawItemQuery, StoredItem,
};
use steward_domain::usecases::{Side, Steward};
use utoipa::{IntoParams, ToSchema};

use super::item_batch::BatchBody;
use crate::Api;
use crate::error::ApiError;
use crate::extract::body::{JsonBody, unchecked};
use crate::extract::page;
use crate::extract::precondition::{self, etag};
use crate::extract::{CachedCaller, PathIds, Query};
use crate::middleware::rate_limit::count_batch;
use crate::response::{self, Data, format_timestamp};
use crate::route::{ApiRoute, Mount, operations};
use crate::streamed::{self, Reader, Source};

/// The operations with which a project administers the items of its users.
const OF_USER: Mount = Mount { prefix: "/project/{id}/user/{user_id}/db/{table_id}", tag: "project-users" };
/// The operations with which users read and write their own items.
const OWN: Mount = Mount { prefix: "/account/{project_id}/db/{table_id}", tag: "account" };

pub(crate) fn routes() -> Vec<ApiRoute> {
    let of_user = operations! {
        ItemList => list;
        ItemCreate => create [InvalidItem, ItemTooLarge, UserNotConnected, QuotaExceeded];
        ItemBatch => batch [InvalidItem, ItemTooLarge, UserNotConnected, QuotaExceeded, PreconditionFailed];
        ItemGet => get [PreconditionFailed];
        ItemPut => put [InvalidItem, ItemTooLarge, UserNotConnected, QuotaExceeded, PreconditionFailed];
        ItemPatch => patch [InvalidItem, ItemTooLarge, UserNotConnected, QuotaExceeded, PreconditionFailed];
        ItemDelete => delete [UserNotConnected, PreconditionFailed];
    };
    let own = operations! {
        OwnItemList => list;
        OwnItemCreate => create_own [InvalidItem, ItemTooLarge, UserNotConnected, QuotaExceeded];
        OwnItemBatch => batch [InvalidItem, ItemTooLarge, UserNotConnected, QuotaExceeded, PreconditionFailed];
        OwnItemGet => get [PreconditionFailed];
        OwnItemPut => put [InvalidItem, ItemTooLarge, UserNotConnected, QuotaExceeded, PreconditionFailed];
        OwnItemPatch => patch [InvalidItem, ItemTooLarge, UserNotConnected, QuotaExceeded, PreconditionFailed];
        OwnItemDelete => delete [UserNotConnected, PreconditionFailed];
    };
    OF_USER.routes(of_user).into_iter().chain(OWN.routes(own)).collect()
}

/// The table in the path of a request: a table of a project's user, or of the caller.
struct UserTable {
    project: ProjectId,
    /// The user; `None` if it is the caller.
    user: Option<ProjectUserId>,
    table: String,
}

impl UserTable {
    fn of(path: &PathIds, api: &Api) -> Result<Self, ApiError> {
        if path.names("user_id") {
            Ok(Self { project: path.project()?, user: Some(path.user()?), table: path.table()? })
        } else {
            Ok(Self { project: path.app(&api.steward.address)?, user: None, table: path.table()? })
        }
    }

    fn side(&self) -> Side {
        if self.user.is_some() { Side::Project } else { Side::User }
    }

    fn user(&self, caller: &Caller) -> Result<ProjectUserId, Error> {
        self.user.map_or_else(|| Ok(caller.user()?.user.id), Ok)
    }

    fn item(&self, caller: &Caller, id: &ItemId) -> Result<ItemPath, Error> {
        let user_id = self.user(caller)?;
        Ok(ItemPath { project_id: self.project, user_id, table: self.table.clone(), id: id.clone() })
    }
}

/// An item: `id`, `created_at`, `updated_at` and, beside them, its fields.
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
fn push_items(text: &mut Vec<u8>, items: Vec<StoredItem>, query: Option<&ItemQuery>) -> Result<(), Error> {
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

/// Returns an item for the examples of the OpenAPI document.
fn item_example() -> Value {
    json!({
        "id": "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55",
        "created_at": "2026-01-31T12:00:00.000Z",
        "updated_at": "2026-01-31T12:00:00.000Z",
        "title": "Buy milk",
        "done": false,
    })
}

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
    /// Value of `limit` in the request; the same as `count` if it was not set.
    #[schema(example = 20)]
    limit: usize,
    /// Value of `offset` in the request; 0 if it was not set.
    #[schema(example = 0)]
    offset: u32,
    /// Number of items in the response.
    count: usize,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"value": {"title": "Buy milk", "done": false}}))]
pub(crate) struct ItemValueBody {
    /// Fields of the item, as defined by the table in the schema. `id`, `created_at` and `updated_at` are ignored.
    #[schema(value_type = Object)]
    pub value: Map<String, Value>,
}

/// Parameters of an item query (contract 9).
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "only describes the parameters that the domain parses")]
pub(crate) struct ItemQueryParameters {
    /// Conditions: any number of parameters, each with the name of a field, `id`, `created_at` or `updated_at`, and a
    /// value of the form `operator.value`. An item must meet all of them. Operators: `eq`, `neq`, `gt`, `gte`, `lt`,
    /// `lte`, `in.(a,"b,c")` and `is.null`. Text fields also support `like` and `ilike`, with `*` as the wildcard.
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

fn page_response(path: &PathIds, ItemPage { items, next, query }: ItemPage) -> Result<HttpResponse, ApiError> {
    let next_cursor = next.as_deref().map(page::encode_item_cursor);
    let limit = query.limit().map_or(items.len(), usize::from);
    let pagination = Pagination { limit, offset: query.offset(), count: items.len() };
    let mut text = b"{\"data\":[".to_vec();
    push_items(&mut text, items, Some(&query))?;
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
struct ItemStream {
    side: Side,
    project: ProjectId,
    user: ProjectUserId,
    table: String,
    raw: RawItemQuery,
    offset: u32,
    /// Number of items written so far.
    count: usize,
}

impl ItemStream {
    /// Appends a page of the list and, after the last page, the end of the document.
    fn append(mut self, mut text: Vec<u8>, page: ItemPage) -> Result<(Vec<u8>, Option<Self>), Error> {
        let rows = page.items.len();
        self.count = self.count.saturating_add(rows);
        push_items(&mut text, page.items, Some(&page.query))?;
        if page.next.is_some() {
            self.raw.parameters.retain(|(name, _)| name != "offset");
            self.raw.cursor = page.next;
            self.raw.size = PageSize::after_chunk_of(rows);
            return Ok((text, Some(self)));
        }
        text.extend_from_slice(b"],\"pagination\":");
        streamed::push(&mut text, &Pagination { limit: self.count, offset: self.offset, count: self.count })?;
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
        let page = steward.items.list(&caller, self.side, self.project, self.user, &self.table, &self.raw).await?;
        self.append(Vec::new(), page)
    }
}

/// Returns an item, or 412 or 304 if `If-Match` or `If-None-Match` requires it.
fn conditional_response(
    stored: StoredItem,
    (if_match, if_none_match): &(Precondition, Precondition),
) -> Result<HttpResponse, ApiError> {
    if !if_match.holds(Some(stored.revision)) {
        return Err(Error::PreconditionFailed(ResourceKind::Item).into());
    }
    if !if_none_match.holds(Some(stored.revision)) {
        return Ok(HttpResponse::NotModified().insert_header(etag(stored.revision)).finish());
    }
    Ok(item_response(StatusCode::OK, stored))
}

fn item_response(status: StatusCode, stored: StoredItem) -> HttpResponse {
    let tag = etag(stored.revision);
    HttpResponse::build(status).insert_header(tag).content_type("application/json").body(item_document(stored))
}

/// Returns an item as the complete body of a response.
fn item_document(stored: StoredItem) -> String {
    let ItemBody(item) = stored.into();
    format!("{{\"data\":{item}}}")
}

/// Returns the items after the operations of a batch, in the order of the operations.
fn batch_response(stored: Vec<StoredItem>) -> Result<HttpResponse, ApiError> {
    let mut text = b"{\"data\":[".to_vec();
    push_items(&mut text, stored, None)?;
    text.extend_from_slice(b"]}");
    Ok(response::json_builder().body(text))
}

/// List items
///
/// Returns the items of a user in a table that meet all conditions. Without `limit`, all items are streamed.
#[utoipa::path(get, path = "", params(ItemQueryParameters),
    responses((status = 200, body = ItemListing, description = "The items.")))]
pub(crate) async fn list(
    api: web::Data<Api>,
    caller: CachedCaller,
    path: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let (table, raw) = (UserTable::of(&path, &api)?, query.item_query()?);
    let (project, side) = (table.project, table.side());
    let list = async |caller: &Caller| {
        let user = table.user(caller)?;
        let page = api.steward.items.list(caller, side, project, user, &table.table, &raw).await?;
        Ok((user, page))
    };
    let (user, page) = caller.act(list).await?;
    if page.next.is_none() || page.query.limit().is_some() {
        return page_response(&path, page);
    }
    let offset = page.query.offset();
    let stream = ItemStream { side, project, user, table: table.table, raw, offset, count: 0 };
    let (text, rest) = stream.append(b"{\"data\":[".to_vec(), page)?;
    Ok(Reader::of(path.request(), &api)?.respond(response::json_builder(), text, rest))
}

/// Create an item
///
/// The service generates the ID of the item.
#[utoipa::path(post, path = "", request_body = ItemValueBody,
    responses((status = 200, body = inline(Data<ItemBody>), description = "The new item.",
        example = json!({"data": item_example()}))))]
pub(crate) async fn create(
    api: web::Data<Api>,
    caller: CachedCaller,
    path: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    create_item(StatusCode::OK, &api, caller, &path, body).await
}

/// Create an item
///
/// The service generates the ID of the item.
#[utoipa::path(post, path = "", request_body = ItemValueBody,
    responses((status = 201, body = inline(Data<ItemBody>), description = "The new item.",
        example = json!({"data": item_example()}))))]
pub(crate) async fn create_own(
    api: web::Data<Api>,
    caller: CachedCaller,
    path: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    create_item(StatusCode::CREATED, &api, caller, &path, body).await
}

async fn create_item(
    status: StatusCode,
    api: &Api,
    caller: CachedCaller,
    path: &PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let table = UserTable::of(path, api)?;
    let value = body.read(unchecked::<ItemValueBody>)?.value;
    let create = async |caller: &Caller| {
        let (user, name) = (table.user(caller)?, table.table.clone());
        api.steward.items.create(caller, table.side(), table.project, user, name, value.clone()).await
    };
    Ok(item_response(status, caller.act(create).await?))
}

/// Get an item
///
/// The response has an `ETag`. `If-None-Match` and `If-Match` are supported.
#[utoipa::path(get, path = "/{item_id}",
    responses((status = 200, body = inline(Data<ItemBody>), description = "The item.",
            example = json!({"data": item_example()})),
        (status = 304, description = "The item has the ETag in `If-None-Match`.")))]
pub(crate) async fn get(api: web::Data<Api>, caller: CachedCaller, path: PathIds) -> Result<HttpResponse, ApiError> {
    let (table, id, preconditions) =
        (UserTable::of(&path, &api)?, path.item_id()?, precondition::for_read(path.request())?);
    let get = async |caller: &Caller| api.steward.items.get(caller, table.side(), &table.item(caller, &id)?).await;
    conditional_response(caller.act(get).await?, &preconditions)
}

/// Create or replace an item
///
/// Stores the complete item under the ID in the path. Fields that are absent are removed. `If-Match` and
/// `If-None-Match` are supported.
#[utoipa::path(put, path = "/{item_id}", request_body = ItemValueBody,
    responses((status = 200, body = inline(Data<ItemBody>), description = "The item was replaced.",
            example = json!({"data": item_example()})),
        (status = 201, body = inline(Data<ItemBody>), description = "The item was created.",
            example = json!({"data": item_example()}))))]
pub(crate) async fn put(
    api: web::Data<Api>,
    caller: CachedCaller,
    path: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (table, id, preconditions) =
        (UserTable::of(&path, &api)?, path.item_id()?, precondition::for_write(path.request())?);
    let value = body.read(unchecked::<ItemValueBody>)?.value;
    let put = async |caller: &Caller| {
        let item = table.item(caller, &id)?;
        api.steward.items.put(caller, table.side(), item, value.clone(), preconditions.clone()).await
    };
    let outcome = caller.act(put).await?;
    let status = if outcome.created { StatusCode::CREATED } else { StatusCode::OK };
    Ok(item_response(status, outcome.stored))
}

/// Update fields of an item
///
/// Fields that are absent stay as they are. `null` removes a field. `If-Match` and `If-None-Match` are supported.
#[utoipa::path(patch, path = "/{item_id}", request_body = ItemValueBody,
    responses((status = 200, body = inline(Data<ItemBody>), description = "The item after the update.",
        example = json!({"data": item_example()}))))]
pub(crate) async fn patch(
    api: web::Data<Api>,
    caller: CachedCaller,
    path: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (table, id, preconditions) =
        (UserTable::of(&path, &api)?, path.item_id()?, precondition::for_write(path.request())?);
    let value = body.read(unchecked::<ItemValueBody>)?.value;
    let patch = async |caller: &Caller| {
        let item = table.item(caller, &id)?;
        api.steward.items.patch(caller, table.side(), &item, value.clone(), preconditions.clone()).await
    };
    Ok(item_response(StatusCode::OK, caller.act(patch).await?))
}

/// Delete an item
///
/// Returns the item as it was before. `If-Match` and `If-None-Match` are supported.
#[utoipa::path(delete, path = "/{item_id}",
    responses((status = 200, body = inline(Data<ItemBody>), description = "The deleted item.",
        example = json!({"data": item_example()}))))]
pub(crate) async fn delete(api: web::Data<Api>, caller: CachedCaller, path: PathIds) -> Result<HttpResponse, ApiError> {
    let (table, id, preconditions) =
        (UserTable::of(&path, &api)?, path.item_id()?, precondition::for_write(path.request())?);
    let delete = async |caller: &Caller| {
        api.steward.items.delete(caller, table.side(), table.item(caller, &id)?, preconditions.clone()).await
    };
    Ok(response::json_builder().body(item_document(caller.act(delete).await?)))
}

/// Write several items
///
/// Performs up to 100 operations, each on a different item. Either all of them take effect, or none. Returns the items
/// in the order of the operations; a deleted item is returned as it was before.
#[utoipa::path(post, path = "/batch", request_body = BatchBody,
    responses((status = 200, body = inline(Data<Vec<ItemBody>>), description = "The items after the operations.",
        example = json!({"data": [item_example()]}))))]
pub(crate) async fn batch(
    api: web::Data<Api>,
    request: HttpRequest,
    caller: CachedCaller,
    path: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let table = UserTable::of(&path, &api)?;
    let operations = body.read(BatchBody::parse)?;
    count_batch(&request, operations.len())?;
    let batch = async |caller: &Caller| {
        let (user, name) = (table.user(caller)?, table.table.clone());
        api.steward.items.batch(caller, table.side(), table.project, user, name, operations.clone()).await
    };
    batch_response(caller.act(batch).await?)
}
