//! Users of projects (docs/contract.md#project-users).

use std::sync::Arc;

use actix_web::{HttpResponse, web};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use steward_domain::error::{Error, FieldViolations, ResourceKind};
use steward_domain::model::{UserFilter, UserSearch, UserStats, UserStatus, VisibleUser};
use steward_domain::usecases::{DeletionProgress, Steward, UpdateUser};
use utoipa::{IntoParams, ToSchema};

use crate::Api;
use crate::error::ApiError;
use crate::extract::body::{JsonBody, unchecked};
use crate::extract::page::PageParameters;
use crate::extract::precondition;
use crate::extract::{Authenticated, OptionalCaller, PathIds, Query};
use crate::response::{self, Data, Deleted, Listing, format_timestamp};
use crate::route::{ApiRoute, operations};
use crate::streamed;

pub(crate) fn routes() -> Vec<ApiRoute> {
    operations! {
        UserList => list;
        UserConnect => connect;
        UserStats => stats;
        UserGet => get [PreconditionFailed];
        UserUpdate => update [PreconditionFailed];
        UserDelete => delete [PreconditionFailed];
    }
}

/// A user of a project.
#[derive(Serialize, ToSchema)]
pub(crate) struct UserBody {
    /// Unique ID of the user in the project. It differs from the account ID.
    #[schema(example = "018f2a3c-a4c2-7b15-9e60-4d1b7c9f0a38")]
    id: String,
    /// DID of the user's account.
    #[schema(example = "did:web:steward.example.com:u:018f2a3c91b77e028d546a0f3be27c19")]
    user_did: String,
    /// Base URL of the service that stores the user's data.
    #[schema(example = "https://steward.example.com")]
    pds_url: String,
    /// `connected`, `disconnected` (the user left the project) or `blocked` (by the project). Data can be written only
    /// for connected users.
    #[schema(example = "connected")]
    status: &'static str,
    /// Data that the project stores about the user.
    #[schema(value_type = Object, example = json!({"plan": "pro"}))]
    meta: Map<String, Value>,
    /// Name and username of the account, if they are set.
    #[schema(value_type = Object, example = json!({"name": "Ann", "username": "ann"}))]
    profile: Map<String, Value>,
    /// Current email address of the account. Null unless the user granted the scope `email` to the project: request it
    /// when users sign in. Null again when the user revokes the grant.
    #[schema(format = Email)]
    email: Option<String>,
    /// When the user last used the project, with a precision of 15 minutes.
    #[schema(format = DateTime)]
    last_seen_at: String,
    /// When the user first connected to the project.
    #[schema(format = DateTime)]
    created_at: String,
    /// When the deletion of the user started; null if it has not. It continues in the background. Until it is complete,
    /// the user is blocked, and their items and exports are not found.
    #[schema(format = DateTime)]
    deletion_started_at: Option<String>,
}

impl From<VisibleUser> for UserBody {
    fn from(VisibleUser { user, email }: VisibleUser) -> Self {
        Self {
            email: email.map(|email| email.to_string()),
            id: user.id.to_string(),
            user_did: user.user_did,
            pds_url: user.pds_url,
            status: user.status.as_str(),
            meta: user.meta.members().clone(),
            profile: user.profile.members().clone(),
            last_seen_at: format_timestamp(user.last_seen_at),
            created_at: format_timestamp(user.created_at),
            deletion_started_at: user.deletion_started_at.map(format_timestamp),
        }
    }
}

/// Changes to a user of a project. At least one field is required.
#[derive(Deserialize, ToSchema)]
pub(crate) struct UserPatch {
    /// Merged into the stored data about the user (RFC 7396): null removes a member. At most 64 KiB as JSON.
    #[schema(value_type = Option<Object>, example = json!({"plan": "pro"}))]
    meta: Option<Map<String, Value>>,
    /// `blocked` blocks the user; `connected` unblocks them.
    #[schema(example = "connected")]
    status: Option<String>,
}

impl UserPatch {
    fn parse(self, mut errors: FieldViolations) -> Result<UpdateUser, Error> {
        if self.meta.is_none() && self.status.is_none() {
            errors.check::<(), _>("meta", Err("at least one of `meta` and `status` is required"));
        }
        let status = match self.status.as_deref() {
            None => None,
            Some("blocked") => Some(UserStatus::Blocked),
            Some("connected") => Some(UserStatus::Connected),
            Some(_) => errors.check("status", Err("must be `blocked` or `connected`")),
        };
        errors.finish(Some(UpdateUser { meta: self.meta, status }))
    }
}

/// A filter for listing the users of a project.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "only describes the parameters that `user_filter` reads")]
pub(crate) struct UserParameters {
    /// Only users with this status: `connected`, `disconnected` or `blocked`.
    #[param(example = "connected")]
    status: Option<String>,
    /// Only users whose name, username or DID contains this text, or who granted this email address, ignoring case.
    #[param(min_length = 1, max_length = 100, example = "ann")]
    q: Option<String>,
}

fn user_filter(query: &Query) -> Result<UserFilter, ApiError> {
    const STATUS: &str = "must be `connected`, `disconnected` or `blocked`";
    let mut errors = FieldViolations::default();
    let status = query.get("status")?.map(|text| errors.check("status", UserStatus::parse(text).ok_or(STATUS)));
    let search = query.get("q")?.map(|text| errors.check("q", UserSearch::parse(text)));
    Ok(errors.finish(Some(UserFilter { status: status.flatten(), search: search.flatten() }))?)
}

/// Statistics of a project's users. Days are in UTC.
#[derive(Serialize, ToSchema)]
pub(crate) struct UserStatsBody {
    /// Number of users of the project.
    #[schema(example = 1280)]
    total: u64,
    /// Number of users who were active today.
    #[schema(example = 42)]
    dau: u64,
    /// Number of users who were active in the last 7 days, including today.
    #[schema(example = 210)]
    wau: u64,
    /// Number of users who were active in the last 30 days, including today.
    #[schema(example = 640)]
    mau: u64,
    /// Activity of each requested day, oldest first.
    series: Vec<DayBody>,
}

/// Activity of one day.
#[derive(Serialize, ToSchema)]
pub(crate) struct DayBody {
    /// Day in UTC.
    #[schema(format = Date)]
    date: String,
    /// Number of users who were active on this day.
    #[schema(example = 42)]
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

/// The access token of the person to connect.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConnectBody {
    /// Access token (JWT) of the person, for this project or for this service.
    #[schema(example = "eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl")]
    token: String,
}

/// A user who is connected to a project.
#[derive(Serialize, ToSchema)]
pub(crate) struct Connected {
    /// Always `true`.
    ok: bool,
    /// DID of the user's account.
    #[schema(example = "did:web:steward.example.com:u:018f2a3c91b77e028d546a0f3be27c19")]
    user_did: String,
    /// Base URL of the service that stores the user's data.
    #[schema(example = "https://steward.example.com")]
    pds_url: String,
}

/// List the users of a project
///
/// Returns the users that match the filter, newest first.
#[utoipa::path(get, path = "/project/{id}/user", tag = "project-users", params(UserParameters, PageParameters),
    responses((status = 200, body = inline(Listing<UserBody>))))]
pub(crate) async fn list(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let (project, filter, page) = (path.project()?, user_filter(&query)?, query.page()?);
    let read = async move |steward: Arc<Steward>, caller, page| {
        steward.project_users.list(&caller, project, &filter, &page).await
    };
    streamed::list(&api, &caller, path.request(), page, read, UserBody::from).await
}

/// Get user statistics
///
/// Returns the number of users of a project, and how many of them were active on each day up to today.
#[utoipa::path(get, path = "/project/{id}/user/stats", tag = "project-users",
    params(("days" = Option<u16>, Query, description = "Number of days in `series`: 1 to 365. Default: 30.")),
    responses((status = 200, body = UserStatsBody)))]
pub(crate) async fn stats(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let (project, period) = (path.project()?, query.period()?);
    let stats = api.steward.project_users.stats(&caller.0, project, period).await?;
    Ok(response::ok(&UserStatsBody::from(stats)))
}

/// Connect a user
///
/// Connects the person of an access token to a project. A user who left the project is connected again. Requires no
/// credential besides the token in the body.
#[utoipa::path(post, path = "/project/{id}/user/connect", tag = "project-users", request_body = ConnectBody,
    responses((status = 200, body = Connected)))]
pub(crate) async fn connect(
    api: web::Data<Api>,
    visitor: OptionalCaller,
    path: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, body) = (path.project()?, body.read(unchecked::<ConnectBody>)?);
    let user = api.steward.project_users.connect(visitor.request, project, &body.token).await?;
    Ok(response::ok(&Connected { ok: true, user_did: user.user_did, pds_url: user.pds_url }))
}

/// Get a user of a project
///
/// Returns a user of the project with the data that the project stores about them.
#[utoipa::path(get, path = "/project/{id}/user/{user_id}", tag = "project-users",
    responses((status = 200, body = inline(Data<UserBody>)),
        (status = 304, description = "The user has the ETag in `If-None-Match`.")))]
pub(crate) async fn get(api: web::Data<Api>, caller: Authenticated, path: PathIds) -> Result<HttpResponse, ApiError> {
    let user = api.steward.project_users.get(&caller.0, path.project()?, path.user()?).await?;
    let (revision, body) = (user.user.revision, Data { data: UserBody::from(user) });
    response::resource(path.request(), ResourceKind::ProjectUser, revision, &body)
}

/// Delete a user
///
/// Deletes a user with all data that the project stores about them, and revokes their tokens for the project. The deletion
/// of a user with much data continues in the background: until it is complete, `deletion_started_at` of the user is set,
/// their data is not found, and they cannot connect.
#[utoipa::path(delete, path = "/project/{id}/user/{user_id}", tag = "project-users",
    responses((status = 200, body = Deleted)))]
pub(crate) async fn delete(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
) -> Result<HttpResponse, ApiError> {
    let (project, user, when) = (path.project()?, path.user()?, precondition::for_write(path.request())?);
    let message = match api.steward.user_data.erase(&caller.0, project, user, &when).await? {
        DeletionProgress::Complete => "The user and their items are deleted.",
        DeletionProgress::Continues => "The user is blocked. Their items are being deleted in the background.",
    };
    Ok(response::ok(&Deleted { success: true, message }))
}

/// Update a user
///
/// Merges changes into the data that the project stores about a user, or blocks or unblocks the user.
#[utoipa::path(patch, path = "/project/{id}/user/{user_id}", tag = "project-users", request_body = UserPatch,
    responses((status = 200, body = inline(Data<UserBody>))))]
pub(crate) async fn update(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, user, when) = (path.project()?, path.user()?, precondition::for_write(path.request())?);
    let command = body.ignoring_fields_of::<UserBody>().read(UserPatch::parse)?;
    let user = api.steward.project_users.update(&caller.0, project, user, &command, &when).await?;
    let (revision, body) = (user.user.revision, Data { data: UserBody::from(user) });
    Ok(response::changed(revision, &body))
}
