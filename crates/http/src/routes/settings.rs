//! Settings of a project (contract 4).

use actix_web::{HttpResponse, web};
use serde::Serialize;
use serde_json::{Map, Value};
use steward_domain::model::{RedirectUri, SignInSettings};
use utoipa::{IntoParams, ToSchema};

use crate::Api;
use crate::error::ApiError;
use crate::extract::body::JsonBody;
use crate::extract::{Authenticated, PathIds, Query};
use crate::response::{self, Data};
use crate::route::{ApiRoute, operations};

pub(crate) fn routes() -> Vec<ApiRoute> {
    operations! {
        SettingsGet => get;
        SettingsUpdate => update;
        SettingsReset => reset;
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
}

impl From<SignInSettings> for SettingsBody {
    fn from(settings: SignInSettings) -> Self {
        let redirect_uris = settings.redirect_uris.iter().map(RedirectUri::to_string).collect();
        Self { auth: AuthSettings { redirect_uris, require_pkce: settings.require_pkce } }
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
    /// Dotted path of a setting: `auth`, `auth.redirect_uris` or `auth.require_pkce`. Can be repeated.
    #[param(example = json!(["auth.redirect_uris"]))]
    key: Vec<String>,
}

fn settings_response(settings: SignInSettings) -> HttpResponse {
    response::ok(&Data { data: SettingsBody::from(settings) })
}

/// Get project settings
///
/// Returns the settings of the project, with the default for each setting that was never changed.
#[utoipa::path(get, path = "/project/{id}/settings", tag = "projects",
    responses((status = 200, body = inline(Data<SettingsBody>))))]
pub(crate) async fn get(api: web::Data<Api>, caller: Authenticated, path: PathIds) -> Result<HttpResponse, ApiError> {
    Ok(settings_response(api.steward.projects.settings(&caller.0, path.project()?).await?))
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
    let (project, patch) = (path.project()?, body.unwrapped().object()?);
    Ok(settings_response(api.steward.projects.update_settings(&caller.0, project, &patch).await?))
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
    let (project, paths) = (path.project()?, query.all("key"));
    Ok(settings_response(api.steward.projects.reset_settings(&caller.0, project, &paths).await?))
}
