//! A signed-in person's own view of what a project keeps for them (contract 7): the same items, by the person's token.

use actix_web::http::{Method, StatusCode};
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Serialize;
use serde_json::{Map, Value};
use steward_domain::changes::ItemPlace;
use steward_domain::error::Error;
use steward_domain::model::{Caller, ServiceAddress, UserBearer};
use steward_domain::usecases::Side;
use utoipa::ToSchema;

use super::item::{ItemBody, ItemListing, ItemQueryParameters, ItemValueBody, data, found, listed, shown, shown_all};
use super::item_batch::BatchBody;
use super::{Address, at};
use crate::Api;
use crate::answer::{self, Data, Success, moment};
use crate::body::{JsonBody, whole};
use crate::error::{ApiError, ErrorBody};
use crate::extract::precondition;
use crate::extract::{Authenticated, CachedCaller, PathIds, Query};
use crate::rate_limit::count_batch;

pub(crate) fn mount(routes: &mut Vec<Address>) {
    at("/account/apps/{project_id}").get(app_of).on(Method::DELETE, leave).mount(routes);
    at("/account/{project_id}/db/{table_id}").get(list).on(Method::POST, create).mount(routes);
    // An item may be called batch: what is not posted there is about that item.
    one_at("/account/{project_id}/db/{table_id}/{item_id:batch}").on(Method::POST, batch).mount(routes);
    one_at("/account/{project_id}/db/{table_id}/{item_id}").mount(routes);
}

fn one_at(path: &'static str) -> Address {
    at(path).get(get).on(Method::PUT, put).on(Method::PATCH, patch).on(Method::DELETE, delete)
}

/// A project as its user sees it.
#[derive(Serialize, ToSchema)]
pub(crate) struct ConnectedApp {
    id: String,
    name: String,
    slug: String,
    website: Option<String>,
    #[schema(value_type = Object)]
    profile: Map<String, Value>,
    user_id: String,
    user_did: String,
    pds_url: String,
    /// `connected` or `disconnected`.
    status: &'static str,
    /// What the token allows.
    scope: String,
    #[schema(format = DateTime)]
    created_at: String,
    #[schema(format = DateTime)]
    last_seen_at: String,
}

impl ConnectedApp {
    fn of(bearer: UserBearer, address: &ServiceAddress) -> Self {
        let UserBearer { project, user, scopes } = bearer;
        let project = &project.project;
        let profile = project.shown_profile(address);
        Self {
            id: project.id.to_string(),
            name: project.name.to_string(),
            slug: project.slug.to_string(),
            website: project.website.as_ref().map(|website| website.as_str().to_owned()),
            profile,
            user_id: user.id.to_string(),
            user_did: user.user_did,
            pds_url: user.pds_url,
            status: user.status.as_str(),
            scope: scopes.to_string(),
            created_at: moment(user.created_at),
            last_seen_at: moment(user.last_seen_at),
        }
    }
}

/// Where the caller's own item is.
fn own_place(api: &Api, named: &PathIds) -> Result<impl Fn(&Caller) -> Result<ItemPlace, Error>, ApiError> {
    let (project_id, table, id) = (named.app(&api.steward.address)?, named.table()?, named.item_id()?);
    Ok(move |caller: &Caller| {
        let user_id = caller.user()?.user.id;
        Ok(ItemPlace { project_id, user_id, table: table.clone(), id: id.clone() })
    })
}

/// Tell what the caller is in a project
#[utoipa::path(get, path = "/account/apps/{project_id}", operation_id = "getOwnApp", tag = "account",
    params(("project_id" = String, Path)), responses((status = 200, body = inline(Data<ConnectedApp>))))]
pub(crate) async fn app_of(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
) -> Result<HttpResponse, ApiError> {
    let project = named.app(&api.steward.address)?;
    let bearer = api.steward.project_users.own(&caller.0, project).await?;
    Ok(answer::ok(&Data { data: ConnectedApp::of(bearer, &api.steward.address) }))
}

/// Leave a project: the caller is disconnected, and every token for it ends
///
/// With `erase=true`, for which the token needs the scope app:db:write, the caller's items there are erased.
#[utoipa::path(delete, path = "/account/apps/{project_id}", operation_id = "leaveOwnApp", tag = "account",
    params(("project_id" = String, Path), ("erase" = Option<bool>, Query)),
    responses((status = 200, body = Success), (status = 409, body = ErrorBody)))]
pub(crate) async fn leave(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let erase = match query.get("erase")? {
        None | Some("false") => false,
        Some("true") => true,
        Some(_) => return Err(Error::invalid("erase", "must be true or false").into()),
    };
    api.steward.user_data.leave(&caller.0, named.app(&api.steward.address)?, erase).await?;
    Ok(answer::ok(&Success { success: true }))
}

/// List the caller's items in a table, filtered and ordered
#[utoipa::path(get, path = "/account/{project_id}/db/{table_id}", operation_id = "listOwnItems", tag = "account",
    params(("project_id" = String, Path), ("table_id" = String, Path), ItemQueryParameters),
    responses((status = 200, body = ItemListing)))]
pub(crate) async fn list(
    api: web::Data<Api>,
    caller: CachedCaller,
    named: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let (project, table) = (named.app(&api.steward.address)?, named.table()?);
    let place_of = |caller: &Caller| Ok((project, caller.user()?.user.id, table.clone()));
    listed(&api, caller, Side::User, &named, &query, place_of).await
}

/// Make an item of one's own
#[utoipa::path(post, path = "/account/{project_id}/db/{table_id}", operation_id = "createOwnItem", tag = "account",
    params(("project_id" = String, Path), ("table_id" = String, Path)), request_body = ItemValueBody,
    responses((status = 201, body = inline(Data<ItemBody>)), (status = 409, body = ErrorBody)))]
pub(crate) async fn create(
    api: web::Data<Api>,
    caller: CachedCaller,
    named: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, table) = (named.app(&api.steward.address)?, named.table()?);
    let value = body.read(whole::<ItemValueBody>)?.value;
    let create = async |caller: &Caller| {
        let user = caller.user()?.user.id;
        api.steward.items.create(caller, Side::User, project, user, table.clone(), value.clone()).await
    };
    let stored = caller.act(create).await?;
    Ok(shown(StatusCode::CREATED, stored))
}

/// Read an item of one's own
#[utoipa::path(get, path = "/account/{project_id}/db/{table_id}/{item_id}", operation_id = "getOwnItem", tag = "account",
    params(("project_id" = String, Path), ("table_id" = String, Path), ("item_id" = String, Path)),
    responses((status = 200, body = inline(Data<ItemBody>)), (status = 304, description = "as the caller has it"),
        (status = 412, body = ErrorBody)))]
pub(crate) async fn get(api: web::Data<Api>, caller: CachedCaller, named: PathIds) -> Result<HttpResponse, ApiError> {
    let (place, when) = (own_place(&api, &named)?, precondition::of_read(named.request())?);
    let get = async |caller: &Caller| api.steward.items.get(caller, Side::User, &place(caller)?).await;
    found(caller.act(get).await?, &when)
}

/// Store an item of one's own whole
#[utoipa::path(put, path = "/account/{project_id}/db/{table_id}/{item_id}", operation_id = "putOwnItem", tag = "account",
    params(("project_id" = String, Path), ("table_id" = String, Path), ("item_id" = String, Path)),
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
    let (place, when) = (own_place(&api, &named)?, precondition::of(named.request())?);
    let value = body.read(whole::<ItemValueBody>)?.value;
    let put = async |caller: &Caller| {
        api.steward.items.put(caller, Side::User, place(caller)?, value.clone(), when.clone()).await
    };
    let outcome = caller.act(put).await?;
    let status = if outcome.created { StatusCode::CREATED } else { StatusCode::OK };
    Ok(shown(status, outcome.stored))
}

/// Change fields of an item of one's own; null removes one
#[utoipa::path(patch, path = "/account/{project_id}/db/{table_id}/{item_id}", operation_id = "patchOwnItem",
    tag = "account",
    params(("project_id" = String, Path), ("table_id" = String, Path), ("item_id" = String, Path)),
    request_body = ItemValueBody,
    responses((status = 200, body = inline(Data<ItemBody>)), (status = 409, body = ErrorBody), (status = 412, body = ErrorBody)))]
pub(crate) async fn patch(
    api: web::Data<Api>,
    caller: CachedCaller,
    named: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (place, when) = (own_place(&api, &named)?, precondition::of(named.request())?);
    let value = body.read(whole::<ItemValueBody>)?.value;
    let patch = async |caller: &Caller| {
        api.steward.items.patch(caller, Side::User, &place(caller)?, value.clone(), when.clone()).await
    };
    let stored = caller.act(patch).await?;
    Ok(shown(StatusCode::OK, stored))
}

/// Remove an item of one's own; answers it as it was
#[utoipa::path(delete, path = "/account/{project_id}/db/{table_id}/{item_id}", operation_id = "deleteOwnItem",
    tag = "account",
    params(("project_id" = String, Path), ("table_id" = String, Path), ("item_id" = String, Path)),
    responses((status = 200, body = inline(Data<ItemBody>)), (status = 409, body = ErrorBody), (status = 412, body = ErrorBody)))]
pub(crate) async fn delete(
    api: web::Data<Api>,
    caller: CachedCaller,
    named: PathIds,
) -> Result<HttpResponse, ApiError> {
    let (place, when) = (own_place(&api, &named)?, precondition::of(named.request())?);
    let delete =
        async |caller: &Caller| api.steward.items.delete(caller, Side::User, place(caller)?, when.clone()).await;
    let stored = caller.act(delete).await?;
    Ok(answer::json_builder().body(data(stored)))
}

/// Write several items of one's own at once: all of the operations are done, or none
#[utoipa::path(post, path = "/account/{project_id}/db/{table_id}/batch", operation_id = "batchOwnItems", tag = "account",
    params(("project_id" = String, Path), ("table_id" = String, Path)), request_body = BatchBody,
    responses((status = 200, body = inline(Data<Vec<ItemBody>>)), (status = 409, body = ErrorBody)))]
pub(crate) async fn batch(
    api: web::Data<Api>,
    request: HttpRequest,
    caller: CachedCaller,
    named: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, table) = (named.app(&api.steward.address)?, named.table()?);
    let operations = body.read(BatchBody::parse)?;
    count_batch(&request, operations.len())?;
    let batch = async |caller: &Caller| {
        let user = caller.user()?.user.id;
        api.steward.items.batch(caller, Side::User, project, user, table.clone(), operations.clone()).await
    };
    let stored = caller.act(batch).await?;
    shown_all(stored)
}
