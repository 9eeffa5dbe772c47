//! Users of projects (docs/contract.md#project-users).

use steward_api as wire;
use steward_domain::administration::UserStats;
use steward_domain::data::{UpdateUser, UserFilter, UserSearch, UserStatus, VisibleUser};
use steward_domain::identity::DeletionProgress;
use steward_domain::kernel::error::{Error, FieldViolations};

use crate::error::ApiError;
use crate::extract::Query;
use crate::extract::body::unchecked;
use crate::route::serve;
use crate::serve::{Call, Open, Outcome};

serve! {
    ListUsers => list;
    ConnectUser => connect;
    GetUserStats => stats;
    GetUser => get;
    UpdateUser => update;
    DeleteUser => delete;
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

fn user_filter(query: &Query<(wire::UserParameters, wire::PageParameters)>) -> Result<UserFilter, ApiError> {
    const STATUS: &str = "must be `connected`, `disconnected` or `blocked`";
    let mut errors = FieldViolations::default();
    let filter = UserFilter {
        status: errors.check_given("status", query.get("status")?, |text| UserStatus::parse(text).ok_or(STATUS)),
        search: errors.check_given("q", query.get("q")?, UserSearch::parse),
    };
    Ok(errors.finish(Some(filter))?)
}

fn user_stats(stats: UserStats) -> wire::UserStats {
    let day = |(day, active_users): (steward_domain::administration::Day, u64)| wire::ActiveUsers {
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

async fn list(call: Call<wire::ListUsers>) -> Outcome<wire::ListUsers> {
    let (project, filter) = (call.path, user_filter(&call.query())?);
    call.list(project_user, async move |steward, caller, page| {
        steward.project_users.list(&caller, project, &filter, &page).await
    })
    .await
}

async fn stats(call: Call<wire::GetUserStats>) -> Outcome<wire::GetUserStats> {
    let period = call.query().period()?;
    call.reply(user_stats(call.api.steward.project_users.stats(&call.caller, call.path, period).await?))
}

async fn connect(call: Call<wire::ConnectUser, Open>) -> Outcome<wire::ConnectUser> {
    let body = call.body()?.read(unchecked)?;
    let users = &call.api.steward.project_users;
    let user = users.connect(call.caller.clone(), call.path, body.token.expose()).await?;
    call.reply(wire::ConnectedUser { ok: true, user_did: user.user_did, pds_url: user.pds_url })
}

async fn get(call: Call<wire::GetUser>) -> Outcome<wire::GetUser> {
    let (project, id) = call.path;
    let user = call.api.steward.project_users.get(&call.caller, project, id).await?;
    call.shows(user.user.revision, project_user(user))
}

async fn update(call: Call<wire::UpdateUser>) -> Outcome<wire::UpdateUser> {
    let (project, id) = call.path;
    let command = call.body()?.with_id("id", id.uuid()).read_changes(parse_user_changes)?;
    let user = call.api.steward.project_users.update(&call.caller, project, id, &command, call.when()).await?;
    call.shows(user.user.revision, project_user(user))
}

async fn delete(call: Call<wire::DeleteUser>) -> Outcome<wire::DeleteUser> {
    let (project, id) = call.path;
    let message = match call.api.steward.user_data.erase(&call.caller, project, id, call.when()).await? {
        DeletionProgress::Complete => "The user and their items are deleted.",
        DeletionProgress::Continues => "The user is blocked. Their items are being deleted in the background.",
    };
    call.reply(wire::Deleted { success: true, message: message.into() })
}
