//! Settings of a project (docs/contract.md#project-settings).

use actix_web::{HttpResponse, web};
use serde::Serialize;
use serde_json::{Map, Value};
use steward_domain::error::ResourceKind;
use steward_domain::model::{Project, RedirectUri};
use utoipa::{IntoParams, ToSchema};

use crate::Api;
use crate::error::ApiError;
use crate::extract::body::JsonBody;
use crate::extract::precondition;
use crate::extract::{Authenticated, PathIds, Query};
use crate::response::{self, Data};
use crate::route::{ApiRoute, operations};

pub(crate) fn routes() -> Vec<ApiRoute> {
    operations! {
        SettingsGet => get [PreconditionFailed];
        SettingsUpdate => update [PreconditionFailed];
        SettingsReset => reset [PreconditionFailed];
    }
}

/// Settings of a project.
#[derive(Serialize, ToSchema)]
pub(crate) struct SettingsBody {
    /// Sign-in settings.
    auth: AuthSettings,
}

/// Sign-in settings of a project.
#[derive(Serialize, ToSchema)]
pub(crate) struct AuthSettings {
    /// URIs that may receive authorization codes: at most 50. If the list is empty, only loopback URIs may.
    #[schema(example = json!(["https://example.com/callback"]))]
    redirect_uris: Vec<String>,
    /// Whether clients must use PKCE (RFC 7636). Default: `true`.
    require_pkce: bool,
    /// Whether a token that was granted only `openid`, `profile` or `email` can also read and write the user's own
    /// items, for programs that do not request the scopes of items. Default: `false`.
    legacy_scopes: bool,
    /// URIs that a person may be redirected to after signing out: at most 50. If the list is empty, only loopback URIs
    /// may.
    #[schema(example = json!(["https://example.com/signed-out"]))]
    post_logout_redirect_uris: Vec<String>,
    /// URL that receives a logout token when a session ends (OpenID Connect Back-Channel Logout 1.0); null if none is
    /// registered.
    #[schema(example = "https://example.com/backchannel-logout")]
    backchannel_logout_uri: Option<String>,
}

impl From<&Project> for SettingsBody {
    fn from(Project { sign_in, .. }: &Project) -> Self {
        let texts = |uris: &[RedirectUri]| uris.iter().map(RedirectUri::to_string).collect();
        Self {
            auth: AuthSettings {
                redirect_uris: texts(&sign_in.redirect_uris),
                require_pkce: sign_in.require_pkce,
                legacy_scopes: sign_in.legacy_scopes,
                post_logout_redirect_uris: texts(&sign_in.post_logout_redirect_uris),
                backchannel_logout_uri: sign_in.backchannel_logout_uri.as_ref().map(|url| url.as_str().to_owned()),
            },
        }
    }
}

/// Changes to the settings, in the same format as the settings, at the top level or in `data`. They are merged into the
/// stored settings (RFC 7396): null resets a setting to its default.
#[derive(ToSchema)]
#[schema(value_type = Object, example = json!({"auth": {"redirect_uris": ["https://example.com/callback"]}}))]
#[expect(dead_code, reason = "only describes the body that the domain merges")]
pub(crate) struct SettingsPatch(Map<String, Value>);

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "only describes the parameter that `reset` reads")]
pub(crate) struct ResetParameters {
    /// Dotted path of a setting: `auth`, `auth.redirect_uris`, `auth.require_pkce`, `auth.legacy_scopes`,
    /// `auth.post_logout_redirect_uris` or `auth.backchannel_logout_uri`. Can be repeated.
    #[param(example = json!(["auth.redirect_uris"]))]
    key: Vec<String>,
}

/// Returns the settings after a change. They are a part of the project and share its revision.
fn changed(project: &Project) -> HttpResponse {
    response::changed(project.revision, &Data { data: SettingsBody::from(project) })
}

/// Get project settings
///
/// Returns the settings of the project, with the default for each setting that was never changed.
#[utoipa::path(get, path = "/project/{id}/settings", tag = "projects",
    responses((status = 200, body = inline(Data<SettingsBody>)),
        (status = 304, description = "The settings have the ETag in `If-None-Match`.")))]
pub(crate) async fn get(api: web::Data<Api>, caller: Authenticated, path: PathIds) -> Result<HttpResponse, ApiError> {
    let project = api.steward.projects.settings(&caller.0, path.project()?).await?;
    let body = Data { data: SettingsBody::from(&project) };
    response::resource(path.request(), ResourceKind::Project, project.revision, &body)
}

/// Update project settings
///
/// Merges changes into the settings of a project (RFC 7396) and returns all settings.
#[utoipa::path(patch, path = "/project/{id}/settings", tag = "projects", request_body = SettingsPatch,
    responses((status = 200, body = inline(Data<SettingsBody>))))]
pub(crate) async fn update(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, when, patch) =
        (path.project()?, precondition::for_write(path.request())?, body.unwrapped().object()?);
    let allow_private = api.allow_private_webhooks;
    Ok(changed(&api.steward.projects.update_settings(&caller.0, project, &patch, allow_private, &when).await?))
}

/// Reset project settings
///
/// Resets settings of a project to their defaults and returns all settings.
#[utoipa::path(delete, path = "/project/{id}/settings", tag = "projects", params(ResetParameters),
    responses((status = 200, body = inline(Data<SettingsBody>))))]
pub(crate) async fn reset(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let (project, when, paths) = (path.project()?, precondition::for_write(path.request())?, query.all("key"));
    Ok(changed(&api.steward.projects.reset_settings(&caller.0, project, &paths, &when).await?))
}
