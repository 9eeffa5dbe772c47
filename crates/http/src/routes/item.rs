//! Items of a project's users (contract 7), answered flat.

use std::collections::HashMap;
use std::sync::Arc;

use actix_web::http::{Method, StatusCode};
use actix_web::{HttpRequest, HttpResponse, web};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use steward_domain::error::{Error, Kind};
use steward_domain::model::{
    Caller, ItemPage, ItemQuery, PageSize, Precondition, ProjectId, ProjectUserId, SentQuery, StoredItem,
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
use crate::extract::{Known, Named, Query};
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
pub(crate) struct ItemBody(Map<String, Value>);

impl Serialize for ItemBody {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl From<StoredItem> for ItemBody {
    fn from(stored: StoredItem) -> Self {
        let mut members = Map::new();
        members.insert("id".into(), json!(stored.item.id.as_str()));
        members.insert("created_at".into(), json!(moment(stored.created_at)));
        members.insert("updated_at".into(), json!(moment(stored.updated_at)));
        members.extend(stored.item.value);
        Self(members)
    }
}

impl ItemBody {
    /// The members that are asked for.
    fn narrowed(mut self, query: &ItemQuery) -> Self {
        self.0.retain(|name, _| query.shows(name));
        self
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ItemListing {
    data: Vec<ItemBody>,
    pagination: Pagination,
    #[serde(skip_serializing_if = "Option::is_none")]
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
    caller: &Known,
    side: Side,
    named: &Named,
    query: &Query,
    (project, user, table): (ProjectId, ProjectUserId, String),
) -> Result<HttpResponse, ApiError> {
    let sent = query.of_items()?;
    let page = api.steward.items.list(&caller.0, side, project, user, &table, &sent).await?;
    if page.next.is_none() || page.query.limit().is_some() {
        return Ok(one_page(named, page));
    }
    let begun = AllItems { side, project, user, table, sent, offset: page.query.offset(), count: 0 };
    let (written, rest) = begun.written(b"{\"data\":[".to_vec(), page)?;
    Ok(Reader::of(named.request(), api)?.respond(answer::json_builder(), written, rest))
}

fn one_page(named: &Named, ItemPage { items, next, query }: ItemPage) -> HttpResponse {
    let next_cursor = next.as_deref().map(page::encode_of_items);
    let limit = query.limit().map_or(items.len(), usize::from);
    let pagination = Pagination { limit, offset: query.offset(), count: items.len() };
    let data = items.into_iter().map(|stored| ItemBody::from(stored).narrowed(&query)).collect();
    let mut response = answer::linked(named.request(), next_cursor.as_deref());
    response.json(ItemListing { data, pagination, next_cursor })
}

/// What remains of a list of items that was asked for without a limit.
struct AllItems {
    side: Side,
    project: ProjectId,
    user: ProjectUserId,
    table: String,
    sent: SentQuery,
    offset: u32,
    /// How many items were written.
    count: usize,
}

impl AllItems {
    /// Appends a page of the list; after the last one also what closes the document.
    fn written(mut self, mut text: Vec<u8>, page: ItemPage) -> Result<(Vec<u8>, Option<Self>), Error> {
        let rows = page.items.len();
        self.count = self.count.saturating_add(rows);
        let shown = page.items.into_iter().map(|stored| ItemBody::from(stored).narrowed(&page.query));
        streamed::push_members(&mut text, shown)?;
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
        return Err(Error::PreconditionFailed(Kind::Item).into());
    }
    if !unwanted.holds(Some(stored.revision)) {
        return Ok(HttpResponse::NotModified().insert_header(etag(stored.revision)).finish());
    }
    Ok(shown(StatusCode::OK, stored))
}

pub(crate) fn shown(status: StatusCode, stored: StoredItem) -> HttpResponse {
    let tag = etag(stored.revision);
    HttpResponse::build(status).insert_header(tag).json(Data { data: ItemBody::from(stored) })
}

/// List a user's items in a table, filtered and ordered
#[utoipa::path(get, path = "/project/{id}/user/{user_id}/db/{table_id}", operation_id = "listItems",
    tag = "project-users", params(("id" = String, Path), ("user_id" = String, Path), ("table_id" = String, Path), ItemQueryParameters),
    responses((status = 200, body = ItemListing)))]
pub(crate) async fn list(
    api: web::Data<Api>,
    caller: Known,
    named: Named,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let place = (named.project()?, named.user()?, named.table()?);
    listed(&api, &caller, Side::Project, &named, &query, place).await
}

/// Make an item
#[utoipa::path(post, path = "/project/{id}/user/{user_id}/db/{table_id}", operation_id = "createItem",
    tag = "project-users", params(("id" = String, Path), ("user_id" = String, Path), ("table_id" = String, Path)),
    request_body = ItemValueBody,
    responses((status = 200, body = inline(Data<ItemBody>)), (status = 409, body = ErrorBody)))]
pub(crate) async fn create(
    api: web::Data<Api>,
    caller: Known,
    named: Named,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, user, table) = (named.project()?, named.user()?, named.table()?);
    let value = body.read(whole::<ItemValueBody>)?.value;
    let stored = api.steward.items.create(&caller.0, Side::Project, project, user, table, value).await?;
    Ok(shown(StatusCode::OK, stored))
}

/// Read an item
#[utoipa::path(get, path = "/project/{id}/user/{user_id}/db/{table_id}/{item_id}", operation_id = "getItem",
    tag = "project-users",
    params(("id" = String, Path), ("user_id" = String, Path), ("table_id" = String, Path), ("item_id" = String, Path)),
    responses((status = 200, body = inline(Data<ItemBody>)), (status = 304, description = "as the caller has it"),
        (status = 412, body = ErrorBody)))]
pub(crate) async fn get(api: web::Data<Api>, caller: Known, named: Named) -> Result<HttpResponse, ApiError> {
    let (place, when) = (named.item()?, precondition::of_read(named.request())?);
    found(api.steward.items.get(&caller.0, Side::Project, &place).await?, &when)
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
    caller: Known,
    named: Named,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (place, when, body) = (named.item()?, precondition::of(named.request())?, body.read(whole::<ItemValueBody>)?);
    let outcome = api.steward.items.put(&caller.0, Side::Project, place, body.value, when).await?;
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
    caller: Known,
    named: Named,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (place, when, body) = (named.item()?, precondition::of(named.request())?, body.read(whole::<ItemValueBody>)?);
    let stored = api.steward.items.patch(&caller.0, Side::Project, &place, body.value, when).await?;
    Ok(shown(StatusCode::OK, stored))
}

/// Remove an item; answers it as it was
#[utoipa::path(delete, path = "/project/{id}/user/{user_id}/db/{table_id}/{item_id}", operation_id = "deleteItem",
    tag = "project-users",
    params(("id" = String, Path), ("user_id" = String, Path), ("table_id" = String, Path), ("item_id" = String, Path)),
    responses((status = 200, body = inline(Data<ItemBody>)), (status = 409, body = ErrorBody), (status = 412, body = ErrorBody)))]
pub(crate) async fn delete(api: web::Data<Api>, caller: Known, named: Named) -> Result<HttpResponse, ApiError> {
    let (place, when) = (named.item()?, precondition::of(named.request())?);
    let stored = api.steward.items.delete(&caller.0, Side::Project, place, when).await?;
    Ok(answer::ok(&Data { data: ItemBody::from(stored) }))
}

/// Write several items at once: all of the operations are done, or none
#[utoipa::path(post, path = "/project/{id}/user/{user_id}/db/{table_id}/batch", operation_id = "batchItems",
    tag = "project-users", params(("id" = String, Path), ("user_id" = String, Path), ("table_id" = String, Path)),
    request_body = BatchBody, responses((status = 200, body = inline(Data<Vec<ItemBody>>)), (status = 409, body = ErrorBody)))]
pub(crate) async fn batch(
    api: web::Data<Api>,
    request: HttpRequest,
    caller: Known,
    named: Named,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, user, table) = (named.project()?, named.user()?, named.table()?);
    let operations = body.read(BatchBody::parse)?;
    count_batch(&request, operations.len())?;
    let stored = api.steward.items.batch(&caller.0, Side::Project, project, user, table, operations).await?;
    Ok(answer::ok(&Data { data: stored.into_iter().map(ItemBody::from).collect::<Vec<_>>() }))
}
