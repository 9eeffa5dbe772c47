//! A signed-in person's own view of a project (docs/contract.md#own-data), with a token of the person for this project.

use actix_web::{HttpResponse, web};
use steward_api as wire;
use steward_domain::error::ResourceKind;
use steward_domain::model::{ServiceAddress, UserBearer};

use crate::Api;
use crate::error::ApiError;
use crate::extract::{Authenticated, PathIds, Query, precondition};
use crate::response;
use crate::route::{ApiRoute, routes};
use crate::routes::project::{project_presentation, project_summary};

pub(crate) fn routes() -> Vec<ApiRoute> {
    routes! {
        GetOwnApp => get;
        LeaveOwnApp => leave;
    }
}

fn connected_app(bearer: UserBearer, address: &ServiceAddress) -> wire::ConnectedApp {
    let UserBearer { project, user, scopes } = bearer;
    let project = &project.project;
    wire::ConnectedApp {
        summary: project_summary(project),
        presentation: project_presentation(project, address),
        user_id: user.id.uuid().into(),
        user_did: user.user_did,
        pds_url: user.pds_url,
        status: user.status.as_str().into(),
        scope: scopes.to_string(),
        created_at: user.created_at.into(),
        last_seen_at: user.last_seen_at.into(),
    }
}

pub(crate) async fn get(api: web::Data<Api>, caller: Authenticated, path: PathIds) -> Result<HttpResponse, ApiError> {
    let project = path.app(&api.steward.address)?;
    let bearer = api.steward.project_users.own(&caller.0, project).await?;
    let (revision, body) = (bearer.user.revision, wire::Data { data: connected_app(bearer, &api.steward.address) });
    response::resource(path.request(), ResourceKind::ProjectUser, revision, &body)
}

pub(crate) async fn leave(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let (project, erase) = (path.app(&api.steward.address)?, query.flag("erase")?);
    let when = precondition::for_write(path.request())?;
    api.steward.user_data.leave(&caller.0, project, erase, &when).await?;
    Ok(response::ok(&wire::Success { success: true }))
}
