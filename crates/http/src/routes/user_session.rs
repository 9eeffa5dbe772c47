//! Sessions of project users: where a user is signed in to the project, and signing them out.

use actix_web::{HttpResponse, web};
use serde::Serialize;
use steward_domain::model::TokenFamily;
use utoipa::ToSchema;

use crate::Api;
use crate::error::ApiError;
use crate::extract::{Authenticated, PathIds, precondition};
use crate::response::{self, Data, Success, format_timestamp};
use crate::route::{ApiRoute, operations};

pub(crate) fn routes() -> Vec<ApiRoute> {
    operations! {
        UserSessionList => list;
        UserSignOut => sign_out [PreconditionFailed];
    }
}

/// A sign-in of a user to a project.
#[derive(Serialize, ToSchema)]
pub(crate) struct UserSessionBody {
    /// Unique ID of the sign-in. `GET /auth/session` returns it as `session_id`.
    #[schema(example = "018f2a41-03d7-7a5e-8c19-5b2e6f7d8a90")]
    id: String,
    /// Scopes of the tokens.
    #[schema(example = json!(["openid", "profile", "app:db:read"]))]
    scopes: Vec<String>,
    /// When the person entered their password. A browser that is already signed in does not ask for it again.
    #[schema(format = DateTime)]
    signed_in_at: String,
    /// When the project received its tokens.
    #[schema(format = DateTime)]
    created_at: String,
}

impl From<TokenFamily> for UserSessionBody {
    fn from(family: TokenFamily) -> Self {
        Self {
            id: family.id.to_string(),
            scopes: family.scopes.to_string().split_whitespace().map(str::to_owned).collect(),
            signed_in_at: format_timestamp(family.authenticated_at),
            created_at: format_timestamp(family.created_at),
        }
    }
}

/// List a user's sessions
///
/// Returns the active sign-ins of a user to the project, newest first: at most 1,000. A sign-in is active until it is
/// revoked or its refresh token expires.
#[utoipa::path(get, path = "/project/{id}/user/{user_id}/session", tag = "project-users",
    responses((status = 200, body = inline(Data<Vec<UserSessionBody>>))))]
pub(crate) async fn list(api: web::Data<Api>, caller: Authenticated, path: PathIds) -> Result<HttpResponse, ApiError> {
    let families = api.steward.user_sessions.list(&caller.0, path.project()?, path.user()?).await?;
    let data: Vec<_> = families.into_iter().map(UserSessionBody::from).collect();
    Ok(response::ok(&Data { data }))
}

/// Sign out a user
///
/// Ends all sign-ins of a user to the project. Their refresh tokens are revoked, and this service no longer accepts
/// their access tokens. A service that only verifies the signature of an access token accepts it until it expires. The
/// person stays signed in to this service and to other projects, and can sign in to the project again: block the user
/// to prevent that.
#[utoipa::path(delete, path = "/project/{id}/user/{user_id}/session", tag = "project-users",
    responses((status = 200, body = Success)))]
pub(crate) async fn sign_out(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
) -> Result<HttpResponse, ApiError> {
    let (project, user, when) = (path.project()?, path.user()?, precondition::for_write(path.request())?);
    api.steward.user_sessions.sign_out(&caller.0, project, user, &when).await?;
    Ok(response::ok(&Success { success: true }))
}
