//! Users of projects (docs/contract.md#project-users).

use std::sync::Arc;

use actix_web::{HttpResponse, web};
use steward_api as wire;
use steward_domain::error::{Error, FieldViolations, ResourceKind};
use steward_domain::model::{UserFilter, UserSearch, UserStats, UserStatus, VisibleUser};
use steward_domain::usecases::{DeletionProgress, Steward, UpdateUser};

use crate::Api;
use crate::error::ApiError;
use crate::extract::body::{JsonBody, unchecked};
use crate::extract::precondition;
use crate::extract::{Authenticated, OptionalCaller, PathIds, Query};
use crate::response;
use crate::route::{ApiRoute, routes};
use crate::streamed;

pub(crate) fn routes() -> Vec<ApiRoute> {
    routes! {
        ListUsers => list;
        ConnectUser => connect;
        GetUserStats => stats;
        GetUser => get;
        UpdateUser => update;
        DeleteUser => delete;
    }
}

pub(crate) fn project_user(VisibleUser { user, email }: VisibleUser) -> wire::ProjectUser {
    wire::ProjectUser {
        email: email.map(|email| email.to_string()),
        id: user.id.uuid().into(),
        user_did: user.user_did,
        pds_url: user.pds_url,
        status: user.status.as_str().into(),
        meta: user.meta.members().clone(),
        profile: user.profile.members().clone(),
        last_seen_at: user.last_seen_at.into(),
        created_at: user.created_at.into(),
        deletion_started_at: user.deletion_started_at.map(Into::into),
    }
}

fn parse_user_changes(body: wire::UserChanges, mut errors: FieldViolations) -> Result<UpdateUser, Error> {
    let settable = |text: &str| match text {
        "blocked" => Ok(UserStatus::Blocked),
        "connected" => Ok(UserStatus::Connected),
        _ => Err("must be `blocked` or `connected`"),
    };
    let status = errors.check_given("status", body.status.as_deref(), settable);
    errors.finish(Some(UpdateUser { meta: body.meta, status }))
}

fn user_filter(query: &Query) -> Result<UserFilter, ApiError> {
    const STATUS: &str = "must be `connected`, `disconnected` or `blocked`";
    let mut errors = FieldViolations::default();
    let filter = UserFilter {
        status: errors.check_given("status", query.get("status")?, |text| UserStatus::parse(text).ok_or(STATUS)),
        search: errors.check_given("q", query.get("q")?, UserSearch::parse),
    };
    Ok(errors.finish(Some(filter))?)
}

pub(crate) fn user_stats(stats: UserStats) -> wire::UserStats {
    let day = |(day, active_users): (steward_domain::model::Day, u64)| wire::ActiveUsers {
        date: day.to_string(),
        active_users,
    };
    wire::UserStats {
        total: stats.total,
        dau: stats.daily,
        wau: stats.weekly,
        mau: stats.monthly,
        series: stats.series.into_iter().map(day).collect(),
    }
}

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
    streamed::list(&api, &caller, path.request(), page, read, project_user).await
}

pub(crate) async fn stats(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let (project, period) = (path.project()?, query.period()?);
    let stats = api.steward.project_users.stats(&caller.0, project, period).await?;
    Ok(response::ok(&user_stats(stats)))
}

pub(crate) async fn connect(
    api: web::Data<Api>,
    visitor: OptionalCaller,
    path: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, body) = (path.project()?, body.read(unchecked::<wire::UserConnection>)?);
    let user = api.steward.project_users.connect(visitor.request, project, body.token.expose()).await?;
    Ok(response::ok(&wire::ConnectedUser { ok: true, user_did: user.user_did, pds_url: user.pds_url }))
}

pub(crate) async fn get(api: web::Data<Api>, caller: Authenticated, path: PathIds) -> Result<HttpResponse, ApiError> {
    let user = api.steward.project_users.get(&caller.0, path.project()?, path.user()?).await?;
    let (revision, body) = (user.user.revision, wire::Data { data: project_user(user) });
    response::resource(path.request(), ResourceKind::ProjectUser, revision, &body)
}

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
    Ok(response::ok(&wire::Deleted { success: true, message: message.into() }))
}

pub(crate) async fn update(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, user, when) = (path.project()?, path.user()?, precondition::for_write(path.request())?);
    let command = body.with_ids([("id", user.uuid())]).read_changes(parse_user_changes)?;
    let user = api.steward.project_users.update(&caller.0, project, user, &command, &when).await?;
    let (revision, body) = (user.user.revision, wire::Data { data: project_user(user) });
    Ok(response::changed(revision, &body))
}
