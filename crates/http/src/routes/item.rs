//! Items of a project's users (contract 7), answered flat.

use std::collections::HashMap;
use std::sync::Arc;

use actix_web::http::{Method, StatusCode};
use actix_web::{HttpRequest, HttpResponse, web};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use steward_domain::error::{Error, ResourceKind};
use steward_domain::model::{
    Caller, ItemPage, ItemQuery, PageSize, Precondition, ProjectId, ProjectUserId, RawItemQuery, StoredItem,
};
use steward_domain::usecases::{Side, Steward};
use utoipa::{IntoParams, ToSchema};

use super::item_batch::BatchBody;
use super::{Address, at};
use crate::Api;
use crate::answer::{self, Data, moment};
use crate::body::{JsonBody, whole};
use crate::error::{ApiError, ErrorBody};
use crate::extract::page;
use crate::extract::precondition::{self, etag};
use crate::extract::{CachedCaller, PathIds, Query};
use crate::rate_limit::count_batch;
use crate::streamed::{self, Reader, Source};

pub(crate) fn mount(routes: &mut Vec<Address>) {
    at("/project/{id}/user/{user_id}/db/{table_id}").get(list).on(Method::POST, create).mount(routes);
    // An item may be called batch: what is not posted there is about that item.
    one_at("/project/{id}/user/{user_id}/db/{table_id}/{item_id:batch}").on(Method::POST, batch).mount(routes);
    one_at("/project/{id}/user/{user_id}/db/{table_id}/{item_id}").mount(routes);
}

fn one_at(path: &'static str) -> Address {
    at(path).get(get).on(Method::PUT, put).on(Method::PATCH, patch).on(Method::DELETE, delete)
}

/// An item: `id`, `created_at`, `updated_at`, and its fields beside them.
#[derive(ToSchema)]
#[schema(value_type = Object)]
pub(crate) struct ItemBody(
    // As JSON text.
    String,
);

impl From<StoredItem> for ItemBody {
    fn from(StoredItem { item, created_at, updated_at, .. }: StoredItem) -> Self {
        let (created_at, updated_at) = (moment(created_at), moment(updated_at));
        let fields = item.value.as_str();
        // The text of the fields goes on where the head ends. An id needs no escaping.
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
    /// The members that are asked for.
    fn narrowed(self, query: &ItemQuery) -> Result<Self, Error> {
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

/// Appends items to a JSON array that was opened before, in this piece or an earlier one.
fn push_items(text: &mut Vec<u8>, items: Vec<StoredItem>, query: Option<&ItemQuery>) -> Result<(), Error> {
    for stored in items {
        if text.last() != Some(&b'[') {
            text.push(b',');
        }
        let item = ItemBody::from(stored);
        let item = if let Some(query) = query { item.narrowed(query)? } else { item };
        item.push(text);
    }
    Ok(())
}

#[derive(ToSchema)]
#[expect(dead_code, reason = "only describes what is written as text")]
pub(crate) struct ItemListing {
    data: Vec<ItemBody>,
    pagination: Pagination,
    next_cursor: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Pagination {
    /// The `limit` of the request; without one, the same as `count`.
    limit: usize,
    offset: u32,
    /// How many items are in this answer.
    count: usize,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ItemValueBody {
    /// The fields.
    #[schema(value_type = Object)]
    pub value: Map<String, Value>,
}

/// What a list of items can be asked for (contract 9).
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "only describes the parameters that the domain parses")]
pub(crate) struct ItemQueryParameters {
    /// Conditions: any number of parameters that are named after a field, `id`, `created_at` or `updated_at`, each
    /// `operator.value`; all must hold. Operators: `eq`, `neq`, `gt`, `gte`, `lt`, `lte`, `in.(a,"b,c")`, `is.null`; of texts
    /// also `like` and `ilike`, with `*` as the wildcard; of booleans `eq`, `neq`, `is.null`, `is.true`, `is.false`; of json
    /// fields `is.null`. Each also after `not.`. A comparison with an absent value never holds, negated or not.
    #[param(style = Form, explode, value_type = Object)]
    conditions: Option<HashMap<String, String>>,
    /// One item by its id, or a condition on ids.
    id: Option<String>,
    /// Such as `rank.desc,title.asc`; what is absent comes last, equal ones by id. Without it, newest first.
    order: Option<String>,
    /// At most this many, and at most 4 MiB; without it, all.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u16>,
    /// After this many. Not together with `cursor`.
    offset: Option<u32>,
    /// The `next_cursor` of the page before, with the same order and conditions.
    cursor: Option<String>,
    /// Only these members of the items, and `id`: `title,rank`.
    select: Option<String>,
}

/// The items of a user in a table, from either side.
pub(crate) async fn listed(
    api: &web::Data<Api>,
    caller: CachedCaller,
    side: Side,
    named: &PathIds,
    query: &Query,
    place_of: impl Fn(&Caller) -> Result<(ProjectId, ProjectUserId, String), Error>,
) -> Result<HttpResponse, ApiError> {
    let sent = query.of_items()?;
    let list = async |caller: &Caller| {
        let (project, user, table) = place_of(caller)?;
        let page = api.steward.items.list(caller, side, project, user, &table, &sent).await?;
        Ok((project, user, table, page))
    };
    let (project, user, table, page) = caller.act(list).await?;
    if page.next.is_none() || page.query.limit().is_some() {
        return one_page(named, page);
    }
    let begun = AllItems { side, project, user, table, sent, offset: page.query.offset(), count: 0 };
    let (written, rest) = begun.written(b"{\"data\":[".to_vec(), page)?;
    Ok(Reader::of(named.request(), api)?.respond(answer::json_builder(), written, rest))
}

fn one_page(named: &PathIds, ItemPage { items, next, query }: ItemPage) -> Result<HttpResponse, ApiError> {
    let next_cursor = next.as_deref().map(page::encode_of_items);
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
    let mut response = answer::linked(named.request(), next_cursor.as_deref());
    Ok(response.content_type("application/json").body(text))
}

/// What remains of a list of items that was asked for without a limit.
struct AllItems {
    side: Side,
    project: ProjectId,
    user: ProjectUserId,
    table: String,
    sent: RawItemQuery,
    offset: u32,
    /// How many items were written.
    count: usize,
}

impl AllItems {
    /// Appends a page of the list; after the last one also what closes the document.
    fn written(mut self, mut text: Vec<u8>, page: ItemPage) -> Result<(Vec<u8>, Option<Self>), Error> {
        let rows = page.items.len();
        self.count = self.count.saturating_add(rows);
        push_items(&mut text, page.items, Some(&page.query))?;
        if page.next.is_some() {
            self.sent.parameters.retain(|(name, _)| name != "offset");
            self.sent.cursor = page.next;
            self.sent.size = PageSize::after_piece_of(rows);
            return Ok((text, Some(self)));
        }
        text.extend_from_slice(b"],\"pagination\":");
        streamed::push(&mut text, &Pagination { limit: self.count, offset: self.offset, count: self.count })?;
        text.push(b'}');
        Ok((text, None))
    }
}

impl Source for AllItems {
    async fn piece(self, steward: &Arc<Steward>, caller: Option<Caller>) -> Result<(Vec<u8>, Option<Self>), Error> {
        let caller = streamed::known(caller)?;
        let page = steward.items.list(&caller, self.side, self.project, self.user, &self.table, &self.sent).await?;
        self.written(Vec::new(), page)
    }
}

/// An item, unless the caller wants it only in another state than it is in.
pub(crate) fn found(
    stored: StoredItem,
    (wanted, unwanted): &(Precondition, Precondition),
) -> Result<HttpResponse, ApiError> {
    if !wanted.holds(Some(stored.revision)) {
        return Err(Error::PreconditionFailed(ResourceKind::Item).into());
    }
    if !unwanted.holds(Some(stored.revision)) {
        return Ok(HttpResponse::NotModified().insert_header(etag(stored.revision)).finish());
    }
    Ok(shown(StatusCode::OK, stored))
}

pub(crate) fn shown(status: StatusCode, stored: StoredItem) -> HttpResponse {
    let tag = etag(stored.revision);
    HttpResponse::build(status).insert_header(tag).content_type("application/json").body(data(stored))
}

/// An item as the whole of a response.
pub(crate) fn data(stored: StoredItem) -> String {
    let ItemBody(item) = stored.into();
    format!("{{\"data\":{item}}}")
}

/// What became of each operation of a batch.
pub(crate) fn shown_all(stored: Vec<StoredItem>) -> Result<HttpResponse, ApiError> {
    let mut text = b"{\"data\":[".to_vec();
    push_items(&mut text, stored, None)?;
    text.extend_from_slice(b"]}");
    Ok(answer::json_builder().body(text))
}

/// List a user's items in a table, filtered and ordered
#[utoipa::path(get, path = "/project/{id}/user/{user_id}/db/{table_id}", operation_id = "listItems",
    tag = "project-users", params(("id" = String, Path), ("user_id" = String, Path), ("table_id" = String, Path), ItemQueryParameters),
    responses((status = 200, body = ItemListing)))]
pub(crate) async fn list(
    api: web::Data<Api>,
    caller: CachedCaller,
    named: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let place = (named.project()?, named.user()?, named.table()?);
    listed(&api, caller, Side::Project, &named, &query, |_| Ok(place.clone())).await
}

/// Make an item
#[utoipa::path(post, path = "/project/{id}/user/{user_id}/db/{table_id}", operation_id = "createItem",
    tag = "project-users", params(("id" = String, Path), ("user_id" = String, Path), ("table_id" = String, Path)),
    request_body = ItemValueBody,
    responses((status = 200, body = inline(Data<ItemBody>)), (status = 409, body = ErrorBody)))]
pub(crate) async fn create(
    api: web::Data<Api>,
    caller: CachedCaller,
    named: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, user, table) = (named.project()?, named.user()?, named.table()?);
    let value = body.read(whole::<ItemValueBody>)?.value;
    let items = &api.steward.items;
    let create =
        async |caller: &Caller| items.create(caller, Side::Project, project, user, table.clone(), value.clone()).await;
    let stored = caller.act(create).await?;
    Ok(shown(StatusCode::OK, stored))
}

/// Read an item
#[utoipa::path(get, path = "/project/{id}/user/{user_id}/db/{table_id}/{item_id}", operation_id = "getItem",
    tag = "project-users",
    params(("id" = String, Path), ("user_id" = String, Path), ("table_id" = String, Path), ("item_id" = String, Path)),
    responses((status = 200, body = inline(Data<ItemBody>)), (status = 304, description = "as the caller has it"),
        (status = 412, body = ErrorBody)))]
pub(crate) async fn get(api: web::Data<Api>, caller: CachedCaller, named: PathIds) -> Result<HttpResponse, ApiError> {
    let (place, when) = (named.item()?, precondition::of_read(named.request())?);
    let get = async |caller: &Caller| api.steward.items.get(caller, Side::Project, &place).await;
    found(caller.act(get).await?, &when)
}

/// Store an item whole
#[utoipa::path(put, path = "/project/{id}/user/{user_id}/db/{table_id}/{item_id}", operation_id = "putItem",
    tag = "project-users",
    params(("id" = String, Path), ("user_id" = String, Path), ("table_id" = String, Path), ("item_id" = String, Path)),
    request_body = ItemValueBody,
    responses((status = 200, body = inline(Data<ItemBody>), description = "replaced"),
        (status = 201, body = inline(Data<ItemBody>), description = "created"),
        (status = 409, body = ErrorBody), (status = 412, body = ErrorBody)))]
pub(crate) async fn put(
    api: web::Data<Api>,
    caller: CachedCaller,
    named: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (place, when, body) = (named.item()?, precondition::of(named.request())?, body.read(whole::<ItemValueBody>)?);
    let items = &api.steward.items;
    let put =
        async |caller: &Caller| items.put(caller, Side::Project, place.clone(), body.value.clone(), when.clone()).await;
    let outcome = caller.act(put).await?;
    let status = if outcome.created { StatusCode::CREATED } else { StatusCode::OK };
    Ok(shown(status, outcome.stored))
}

/// Change fields of an item; null removes one
#[utoipa::path(patch, path = "/project/{id}/user/{user_id}/db/{table_id}/{item_id}", operation_id = "patchItem",
    tag = "project-users",
    params(("id" = String, Path), ("user_id" = String, Path), ("table_id" = String, Path), ("item_id" = String, Path)),
    request_body = ItemValueBody,
    responses((status = 200, body = inline(Data<ItemBody>)), (status = 409, body = ErrorBody), (status = 412, body = ErrorBody)))]
pub(crate) async fn patch(
    api: web::Data<Api>,
    caller: CachedCaller,
    named: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (place, when, body) = (named.item()?, precondition::of(named.request())?, body.read(whole::<ItemValueBody>)?);
    let items = &api.steward.items;
    let patch =
        async |caller: &Caller| items.patch(caller, Side::Project, &place, body.value.clone(), when.clone()).await;
    let stored = caller.act(patch).await?;
    Ok(shown(StatusCode::OK, stored))
}

/// Remove an item; answers it as it was
#[utoipa::path(delete, path = "/project/{id}/user/{user_id}/db/{table_id}/{item_id}", operation_id = "deleteItem",
    tag = "project-users",
    params(("id" = String, Path), ("user_id" = String, Path), ("table_id" = String, Path), ("item_id" = String, Path)),
    responses((status = 200, body = inline(Data<ItemBody>)), (status = 409, body = ErrorBody), (status = 412, body = ErrorBody)))]
pub(crate) async fn delete(
    api: web::Data<Api>,
    caller: CachedCaller,
    named: PathIds,
) -> Result<HttpResponse, ApiError> {
    let (place, when) = (named.item()?, precondition::of(named.request())?);
    let items = &api.steward.items;
    let delete = async |caller: &Caller| items.delete(caller, Side::Project, place.clone(), when.clone()).await;
    let stored = caller.act(delete).await?;
    Ok(answer::json_builder().body(data(stored)))
}

/// Write several items at once: all of the operations are done, or none
#[utoipa::path(post, path = "/project/{id}/user/{user_id}/db/{table_id}/batch", operation_id = "batchItems",
    tag = "project-users", params(("id" = String, Path), ("user_id" = String, Path), ("table_id" = String, Path)),
    request_body = BatchBody, responses((status = 200, body = inline(Data<Vec<ItemBody>>)), (status = 409, body = ErrorBody)))]
pub(crate) async fn batch(
    api: web::Data<Api>,
    request: HttpRequest,
    caller: CachedCaller,
    named: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, user, table) = (named.project()?, named.user()?, named.table()?);
    let operations = body.read(BatchBody::parse)?;
    count_batch(&request, operations.len())?;
    let items = &api.steward.items;
    let batch = async |caller: &Caller| {
        items.batch(caller, Side::Project, project, user, table.clone(), operations.clone()).await
    };
    let stored = caller.act(batch).await?;
    shown_all(stored)
}
