//! A signed-in person's own view of a project (docs/contract.md#own-data), with a token of the person for this project.

use actix_web::{HttpResponse, web};
use serde::Serialize;
use serde_json::{Map, Value};
use steward_domain::error::ResourceKind;
use steward_domain::model::{ServiceAddress, UserBearer};
use utoipa::ToSchema;

use crate::Api;
use crate::error::ApiError;
use crate::extract::{Authenticated, PathIds, Query, precondition};
use crate::response::{self, Data, Success, format_timestamp};
use crate::route::{ApiRoute, operations};

pub(crate) fn routes() -> Vec<ApiRoute> {
    operations! {
        OwnApp => get [PreconditionFailed];
        OwnAppLeave => leave [PreconditionFailed];
    }
}

/// A project and the caller as its user.
#[derive(Serialize, ToSchema)]
pub(crate) struct ConnectedApp {
    /// Unique ID of the project.
    id: String,
    /// Display name of the project.
    name: String,
    /// URL-friendly name of the project, unique in the service.
    slug: String,
    /// Website of the project; null if it has none.
    website: Option<String>,
    /// Public profile of the project, with the URLs of its images.
    #[schema(value_type = Object, example = json!({"icon_url": "https://example.com/icon.png"}))]
    profile: Map<String, Value>,
    /// ID of the caller as a user of the project. It differs from the account ID.
    #[schema(example = "018f2a3c-a4c2-7b15-9e60-4d1b7c9f0a38")]
    user_id: String,
    /// DID of the caller's account.
    #[schema(example = "did:web:steward.example.com:u:018f2a3c91b77e028d546a0f3be27c19")]
    user_did: String,
    /// Base URL of the service that stores the caller's data.
    #[schema(example = "https://steward.example.com")]
    pds_url: String,
    /// `connected` or `disconnected`.
    #[schema(example = "connected")]
    status: &'static str,
    /// Scopes of the token, separated by spaces.
    #[schema(example = "openid profile app:db:read")]
    scope: String,
    /// When the caller first connected to the project.
    #[schema(format = DateTime)]
    created_at: String,
    /// When the caller last used the project, with a precision of 15 minutes.
    #[schema(format = DateTime)]
    last_seen_at: String,
}

impl ConnectedApp {
    fn of(bearer: UserBearer, address: &ServiceAddress) -> Self {
        let UserBearer { project, user, scopes } = bearer;
        let project = &project.project;
        let profile = project.rendered_profile(address);
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
            created_at: format_timestamp(user.created_at),
            last_seen_at: format_timestamp(user.last_seen_at),
        }
    }
}

/// Get a connected project
///
/// Returns the project of the token, and the caller as its user.
#[utoipa::path(get, path = "/account/apps/{project_id}", tag = "account",
    responses((status = 200, body = inline(Data<ConnectedApp>)),
        (status = 304, description = "The project and the user have the ETag in `If-None-Match`.")))]
pub(crate) async fn get(api: web::Data<Api>, caller: Authenticated, path: PathIds) -> Result<HttpResponse, ApiError> {
    let project = path.app(&api.steward.address)?;
    let bearer = api.steward.project_users.own(&caller.0, project).await?;
    let (revision, body) = (bearer.user.revision, Data { data: ConnectedApp::of(bearer, &api.steward.address) });
    response::resource(path.request(), ResourceKind::ProjectUser, revision, &body)
}

/// Leave a project
///
/// Disconnects the caller from the project and revokes all of the caller's tokens for it. With `erase=true`, the
/// caller's items in the project are deleted first.
#[utoipa::path(delete, path = "/account/apps/{project_id}", tag = "account",
    params(("erase" = Option<bool>, Query,
        description = "Whether to delete the caller's items. Requires the scope `app:db:write`. Default: false.")),
    responses((status = 200, body = Success)))]
pub(crate) async fn leave(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let (project, erase) = (path.app(&api.steward.address)?, query.flag("erase")?);
    let when = precondition::for_write(path.request())?;
    api.steward.user_data.leave(&caller.0, project, erase, &when).await?;
    Ok(response::ok(&Success { success: true }))
}
