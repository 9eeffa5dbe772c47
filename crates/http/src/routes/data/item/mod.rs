//! Items of a project's users (docs/contract.md#items). In responses, the fields of an item are members next to its ID
//! and timestamps.

mod batch;
mod body;
mod list;

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use steward_api as wire;
use steward_api::path::{App, Item, Project, User};
use steward_domain::data::{Accessor, ItemId, ItemPath, StoredItem};
use steward_domain::kernel::error::{Error, ResourceKind};
use steward_domain::kernel::policy::Operation;
use steward_domain::kernel::{Caller, Precondition, ProjectId, ProjectUserId};

use self::batch::parse_item_batch;
use self::body::{item_document, json_builder, push_items};
use self::list::{ItemStream, page_response};
use crate::Api;
use crate::error::ApiError;
use crate::extract::body::{JsonBody, unchecked};
use crate::extract::precondition::{self, etag};
use crate::extract::{CachedCaller, PathIds, Query};
use crate::route::{ApiRoute, routes};
use crate::streamed::Reader;
use steward_web::count_operation;

pub(crate) use self::body::push_item;

pub(crate) fn routes() -> Vec<ApiRoute> {
    routes! {
        ListItems => list;
        CreateItem => create;
        BatchItems => batch;
        GetItem => get;
        PutItem => put;
        PatchItem => patch;
        DeleteItem => delete;
        ListOwnItems => list;
        CreateOwnItem => create_own;
        BatchOwnItems => batch;
        GetOwnItem => get;
        PutOwnItem => put;
        PatchOwnItem => patch;
        DeleteOwnItem => delete;
    }
}

/// The table in the path of a request: a table of a project's user, or of the caller.
struct UserTable {
    project: ProjectId,
    /// The user; `None` if it is the caller.
    user: Option<ProjectUserId>,
    table: String,
}

impl UserTable {
    fn of(path: &PathIds) -> Result<Self, ApiError> {
        if path.names("user_id") {
            Ok(Self { project: path.read::<Project>()?, user: Some(path.read::<User>()?), table: path.table()? })
        } else {
            Ok(Self { project: path.read::<App>()?, user: None, table: path.table()? })
        }
    }

    fn accessor(&self) -> Accessor {
        if self.user.is_some() { Accessor::Project } else { Accessor::User }
    }

    fn user(&self, caller: &Caller) -> Result<ProjectUserId, Error> {
        self.user.map_or_else(|| Ok(caller.user()?.user.id), Ok)
    }

    fn item(&self, caller: &Caller, id: &ItemId) -> Result<ItemPath, Error> {
        let user_id = self.user(caller)?;
        Ok(ItemPath { project_id: self.project, user_id, table: self.table.clone(), id: id.clone() })
    }
}

/// Returns an item, or 412 or 304 if `If-Match` or `If-None-Match` requires it.
fn conditional_response(
    stored: StoredItem,
    (if_match, if_none_match): &(Precondition, Precondition),
) -> Result<HttpResponse, ApiError> {
    if_match.check(ResourceKind::Item, stored.revision)?;
    if !if_none_match.holds(Some(stored.revision)) {
        return Ok(HttpResponse::NotModified().insert_header(etag(stored.revision)).finish());
    }
    Ok(item_response(StatusCode::OK, stored))
}

fn item_response(status: StatusCode, stored: StoredItem) -> HttpResponse {
    let tag = etag(stored.revision);
    HttpResponse::build(status).insert_header(tag).content_type("application/json").body(item_document(&stored))
}

/// Returns the items after the operations of a batch, in the order of the operations.
fn batch_response(stored: Vec<StoredItem>) -> Result<HttpResponse, ApiError> {
    let mut text = b"{\"data\":[".to_vec();
    push_items(&mut text, &stored, None)?;
    text.extend_from_slice(b"]}");
    Ok(json_builder().body(text))
}

pub(crate) async fn list(
    api: web::Data<Api>,
    caller: CachedCaller,
    path: PathIds,
    query: Query<wire::ItemQueryParameters>,
) -> Result<HttpResponse, ApiError> {
    let (table, raw) = (UserTable::of(&path)?, query.item_query()?);
    let (project, accessor) = (table.project, table.accessor());
    let list = async |caller: &Caller| {
        let user = table.user(caller)?;
        let page = api.steward.items.list(caller, accessor, project, user, &table.table, &raw).await?;
        Ok((user, page))
    };
    let (user, page) = caller.run_as_caller(list).await?;
    if page.next.is_none() || page.query.limit().is_some() {
        return page_response(&api.steward.compute, &path, page).await;
    }
    let offset = page.query.offset();
    let stream = ItemStream { accessor, project, user, table: table.table, raw, offset, count: 0 };
    let (text, rest) = stream.append(&api.steward.compute, b"{\"data\":[".to_vec(), page).await?;
    Ok(Reader::of(path.request(), &api)?.respond(json_builder(), text, rest))
}

pub(crate) async fn create(
    api: web::Data<Api>,
    caller: CachedCaller,
    path: PathIds,
    body: JsonBody<wire::ItemValue>,
) -> Result<HttpResponse, ApiError> {
    create_item(StatusCode::OK, &api, caller, &path, body).await
}

pub(crate) async fn create_own(
    api: web::Data<Api>,
    caller: CachedCaller,
    path: PathIds,
    body: JsonBody<wire::ItemValue>,
) -> Result<HttpResponse, ApiError> {
    create_item(StatusCode::CREATED, &api, caller, &path, body).await
}

async fn create_item(
    status: StatusCode,
    api: &Api,
    caller: CachedCaller,
    path: &PathIds,
    body: JsonBody<wire::ItemValue>,
) -> Result<HttpResponse, ApiError> {
    let table = UserTable::of(path)?;
    let value = body.read(unchecked)?.value;
    let create = async |caller: &Caller| {
        let (user, name) = (table.user(caller)?, table.table.clone());
        api.steward.items.create(caller, table.accessor(), table.project, user, name, value.clone()).await
    };
    Ok(item_response(status, caller.run_as_caller(create).await?))
}

pub(crate) async fn get(api: web::Data<Api>, caller: CachedCaller, path: PathIds) -> Result<HttpResponse, ApiError> {
    let (table, id, preconditions) =
        (UserTable::of(&path)?, path.read::<Item>()?, precondition::for_read(path.request())?);
    let get = async |caller: &Caller| api.steward.items.get(caller, table.accessor(), &table.item(caller, &id)?).await;
    conditional_response(caller.run_as_caller(get).await?, &preconditions)
}

pub(crate) async fn put(
    api: web::Data<Api>,
    caller: CachedCaller,
    path: PathIds,
    body: JsonBody<wire::ItemValue>,
) -> Result<HttpResponse, ApiError> {
    let (table, id, preconditions) =
        (UserTable::of(&path)?, path.new_item_id()?, precondition::for_write(path.request())?);
    let value = body.read(unchecked)?.value;
    let put = async |caller: &Caller| {
        let item = table.item(caller, &id)?;
        api.steward.items.put(caller, table.accessor(), item, value.clone(), preconditions.clone()).await
    };
    let outcome = caller.run_as_caller(put).await?;
    let status = if outcome.created { StatusCode::CREATED } else { StatusCode::OK };
    Ok(item_response(status, outcome.stored))
}

pub(crate) async fn patch(
    api: web::Data<Api>,
    caller: CachedCaller,
    path: PathIds,
    body: JsonBody<wire::ItemValue>,
) -> Result<HttpResponse, ApiError> {
    let (table, id, preconditions) =
        (UserTable::of(&path)?, path.read::<Item>()?, precondition::for_write(path.request())?);
    let value = body.read(unchecked)?.value;
    let patch = async |caller: &Caller| {
        let item = table.item(caller, &id)?;
        api.steward.items.patch(caller, table.accessor(), &item, value.clone(), preconditions.clone()).await
    };
    Ok(item_response(StatusCode::OK, caller.run_as_caller(patch).await?))
}

pub(crate) async fn delete(api: web::Data<Api>, caller: CachedCaller, path: PathIds) -> Result<HttpResponse, ApiError> {
    let (table, id, preconditions) =
        (UserTable::of(&path)?, path.read::<Item>()?, precondition::for_write(path.request())?);
    let delete = async |caller: &Caller| {
        api.steward.items.delete(caller, table.accessor(), table.item(caller, &id)?, preconditions.clone()).await
    };
    Ok(json_builder().body(item_document(&caller.run_as_caller(delete).await?)))
}

pub(crate) async fn batch(
    api: web::Data<Api>,
    request: HttpRequest,
    caller: CachedCaller,
    path: PathIds,
    body: JsonBody<wire::ItemBatch>,
) -> Result<HttpResponse, ApiError> {
    let table = UserTable::of(&path)?;
    let (operations, created_before) = body.read(parse_item_batch)?;
    let operation = match table.accessor() {
        Accessor::Project => Operation::ItemBatch,
        Accessor::User => Operation::OwnItemBatch,
    };
    count_operation(&request, operation, operations.len())?;
    let batch = async |caller: &Caller| {
        let (user, name) = (table.user(caller)?, table.table.clone());
        let (items, accessor, operations) = (&api.steward.items, table.accessor(), operations.clone());
        items.batch(caller, accessor, table.project, user, name, operations, created_before).await
    };
    batch_response(caller.run_as_caller(batch).await?)
}
