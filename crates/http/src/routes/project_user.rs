//! Users of projects (contract 7).

use std::sync::Arc;

use actix_web::http::Method;
use actix_web::{HttpResponse, web};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use steward_domain::error::{Error, FieldViolations};
use steward_domain::model::{Period, ProjectUser, UserFilter, UserSearch, UserStats, UserStatus};
use steward_domain::usecases::{Steward, UpdateUser};
use utoipa::{IntoParams, ToSchema};

use super::{Address, at};
use crate::Api;
use crate::answer::{self, Data, Listing, moment};
use crate::body::{JsonBody, whole};
use crate::error::{ApiError, ErrorBody};
use crate::extract::page::PageParameters;
use crate::extract::{Authenticated, PathIds, Query, Visitor};
use crate::streamed;

pub(crate) fn mount(routes: &mut Vec<Address>) {
    at("/project/{id}/user").get(list).mount(routes);
    at("/project/{id}/user/connect").on(Method::POST, connect).mount(routes);
    at("/project/{id}/user/stats").get(stats).mount(routes);
    at("/project/{id}/user/{user_id}").get(get).on(Method::PATCH, update).on(Method::DELETE, delete).mount(routes);
}

#[derive(Serialize, ToSchema)]
pub(crate) struct UserBody {
    id: String,
    user_did: String,
    pds_url: String,
    /// `connected`, `disconnected` or `blocked`.
    status: &'static str,
    #[schema(value_type = Object)]
    meta: Map<String, Value>,
    #[schema(value_type = Object)]
    profile: Map<String, Value>,
    #[schema(format = DateTime)]
    last_seen_at: String,
    #[schema(format = DateTime)]
    created_at: String,
}

impl From<ProjectUser> for UserBody {
    fn from(user: ProjectUser) -> Self {
        Self {
            id: user.id.to_string(),
            user_did: user.user_did,
            pds_url: user.pds_url,
            status: user.status.as_str(),
            meta: user.meta.members().clone(),
            profile: user.profile.members().clone(),
            last_seen_at: moment(user.last_seen_at),
            created_at: moment(user.created_at),
        }
    }
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct UpdateUserBody {
    /// Merged into what is there (RFC 7396): null removes.
    #[schema(value_type = Option<Object>)]
    meta: Option<Map<String, Value>>,
    /// `blocked` shuts the person out; `connected` lets them in again.
    status: Option<String>,
}

impl UpdateUserBody {
    fn parse(self, mut errors: FieldViolations) -> Result<UpdateUser, Error> {
        if self.meta.is_none() && self.status.is_none() {
            errors.note::<(), _>("meta", Err("send meta, a status, or both"));
        }
        let status = match self.status.as_deref() {
            None => None,
            Some("blocked") => Some(UserStatus::Blocked),
            Some("connected") => Some(UserStatus::Connected),
            Some(_) => errors.note("status", Err("must be blocked or connected")),
        };
        errors.or(Some(UpdateUser { meta: self.meta, status }))
    }
}

/// Which users are wanted.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "only describes the parameters that `wanted` reads")]
pub(crate) struct UserParameters {
    /// Only those who are `connected`, `disconnected` or `blocked`.
    status: Option<String>,
    /// Only those whose name, username or DID holds this, in whatever letter case.
    #[param(min_length = 1, max_length = 100)]
    q: Option<String>,
}

fn wanted(query: &Query) -> Result<UserFilter, ApiError> {
    const STATUS: &str = "must be connected, disconnected or blocked";
    let mut errors = FieldViolations::default();
    let status = query.get("status")?.map(|text| errors.note("status", UserStatus::parse(text).ok_or(STATUS)));
    let search = query.get("q")?.map(|text| errors.note("q", UserSearch::parse(text)));
    Ok(errors.or(Some(UserFilter { status: status.flatten(), search: search.flatten() }))?)
}

/// How a project is used. Days are those of UTC.
#[derive(Serialize, ToSchema)]
pub(crate) struct UserStatsBody {
    /// How many users the project has.
    total: u64,
    /// How many were active today.
    dau: u64,
    /// How many were active in the last 7 days, today among them.
    wau: u64,
    /// How many were active in the last 30 days, today among them.
    mau: u64,
    /// Each day that was asked for, the oldest first.
    series: Vec<DayBody>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct DayBody {
    #[schema(format = Date)]
    date: String,
    active_users: u64,
}

impl From<UserStats> for UserStatsBody {
    fn from(stats: UserStats) -> Self {
        let day =
            |(day, active_users): (steward_domain::model::Day, u64)| DayBody { date: day.to_string(), active_users };
        Self {
            total: stats.total,
            dau: stats.daily,
            wau: stats.weekly,
            mau: stats.monthly,
            series: stats.series.into_iter().map(day).collect(),
        }
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct UserDeleted {
    success: bool,
    message: &'static str,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConnectBody {
    /// The person's access token.
    token: String,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Connected {
    ok: bool,
    user_did: String,
    pds_url: String,
}

/// List the users of a project, newest first
#[utoipa::path(get, path = "/project/{id}/user", operation_id = "listUsers", tag = "project-users",
    params(("id" = String, Path), UserParameters, PageParameters),
    responses((status = 200, body = inline(Listing<UserBody>))))]
pub(crate) async fn list(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let (project, filter, page) = (named.project()?, wanted(&query)?, query.page()?);
    let read = async move |steward: Arc<Steward>, caller, page| {
        steward.project_users.list(&caller, project, &filter, &page).await
    };
    streamed::list(&api, &caller, named.request(), page, read, UserBody::from).await
}

/// Tell how a project is used: its users, and how many of them were active when
#[utoipa::path(get, path = "/project/{id}/user/stats", operation_id = "getUserStats", tag = "project-users",
    params(("id" = String, Path), ("days" = Option<u16>, Query, description = "1 to 365; 30 unless given")),
    responses((status = 200, body = UserStatsBody)))]
pub(crate) async fn stats(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let project = named.project()?;
    let period = query.get("days")?.map(Period::parse).transpose();
    let period = period.map_err(|error| Error::invalid("days", error))?.unwrap_or_default();
    let stats = api.steward.project_users.stats(&caller.0, project, period).await?;
    Ok(answer::ok(&UserStatsBody::from(stats)))
}

/// Connect the holder of an access token to a project
#[utoipa::path(post, path = "/project/{id}/user/connect", operation_id = "connectUser", tag = "project-users",
    params(("id" = String, Path)), request_body = ConnectBody,
    responses((status = 200, body = Connected), (status = 409, body = ErrorBody)))]
pub(crate) async fn connect(
    api: web::Data<Api>,
    visitor: Visitor,
    named: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, body) = (named.project()?, body.read(whole::<ConnectBody>)?);
    let user = api.steward.project_users.connect(visitor.request, project, &body.token).await?;
    Ok(answer::ok(&Connected { ok: true, user_did: user.user_did, pds_url: user.pds_url }))
}

/// Read a user of a project
#[utoipa::path(get, path = "/project/{id}/user/{user_id}", operation_id = "getUser", tag = "project-users",
    params(("id" = String, Path), ("user_id" = String, Path)),
    responses((status = 200, body = inline(Data<UserBody>))))]
pub(crate) async fn get(api: web::Data<Api>, caller: Authenticated, named: PathIds) -> Result<HttpResponse, ApiError> {
    let user = api.steward.project_users.get(&caller.0, named.project()?, named.user()?).await?;
    Ok(answer::ok(&Data { data: UserBody::from(user) }))
}

/// Erase a user with everything that the project keeps of them
///
/// Their tokens for the project end. Should the service stop in the middle, a blocked user is left: delete them again.
#[utoipa::path(delete, path = "/project/{id}/user/{user_id}", operation_id = "deleteUser", tag = "project-users",
    params(("id" = String, Path), ("user_id" = String, Path)),
    responses((status = 200, body = UserDeleted), (status = 409, body = ErrorBody)))]
pub(crate) async fn delete(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
) -> Result<HttpResponse, ApiError> {
    api.steward.user_data.erase(&caller.0, named.project()?, named.user()?).await?;
    Ok(answer::ok(&UserDeleted { success: true, message: "the user and their items are deleted" }))
}

/// Merge into what a project notes about a user, or block and unblock them
#[utoipa::path(patch, path = "/project/{id}/user/{user_id}", operation_id = "updateUser", tag = "project-users",
    params(("id" = String, Path), ("user_id" = String, Path)), request_body = UpdateUserBody,
    responses((status = 200, body = inline(Data<UserBody>)), (status = 409, body = ErrorBody)))]
pub(crate) async fn update(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, user, command) =
        (named.project()?, named.user()?, body.of_entity::<UserBody>().read(UpdateUserBody::parse)?);
    let user = api.steward.project_users.update(&caller.0, project, user, &command).await?;
    Ok(answer::ok(&Data { data: UserBody::from(user) }))
}
