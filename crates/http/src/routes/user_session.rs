//! Sessions of project users: where a user is signed in to the project, and signing them out.

use actix_web::{HttpResponse, web};
use steward_api as wire;
use steward_domain::model::TokenFamily;

use crate::Api;
use crate::error::ApiError;
use crate::extract::{Authenticated, PathIds, precondition};
use crate::response;
use crate::route::{ApiRoute, routes};

pub(crate) fn routes() -> Vec<ApiRoute> {
    routes! {
        ListUserSessions => list;
        SignOutUser => sign_out;
    }
}

pub(crate) fn user_session(family: TokenFamily) -> wire::UserSession {
    wire::UserSession {
        id: family.id.uuid().into(),
        scopes: family.scopes.to_string().split_whitespace().map(str::to_owned).collect(),
        signed_in_at: family.authenticated_at.into(),
        created_at: family.created_at.into(),
    }
}

pub(crate) async fn list(api: web::Data<Api>, caller: Authenticated, path: PathIds) -> Result<HttpResponse, ApiError> {
    let families = api.steward.user_sessions.list(&caller.0, path.project()?, path.user()?).await?;
    let data: Vec<_> = families.into_iter().map(user_session).collect();
    Ok(response::ok(&wire::Data { data }))
}

pub(crate) async fn sign_out(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
) -> Result<HttpResponse, ApiError> {
    let (project, user, when) = (path.project()?, path.user()?, precondition::for_write(path.request())?);
    api.steward.user_sessions.sign_out(&caller.0, project, user, &when).await?;
    Ok(response::ok(&wire::Success { success: true }))
}
