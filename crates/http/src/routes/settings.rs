//! How people may sign in to a project (contract 4).

use actix_web::http::Method;
use actix_web::{HttpResponse, web};
use serde::Serialize;
use serde_json::{Map, Value};
use steward_domain::model::{RedirectUri, SignInSettings};
use utoipa::{IntoParams, ToSchema};

use super::{Address, at};
use crate::Api;
use crate::answer::{self, Data};
use crate::body::JsonBody;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{Authenticated, PathIds, Query};

pub(crate) fn mount(routes: &mut Vec<Address>) {
    at("/project/{id}/settings").get(get).on(Method::PATCH, update).on(Method::DELETE, reset).mount(routes);
}

#[derive(Serialize, ToSchema)]
pub(crate) struct SettingsBody {
    auth: AuthSettings,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct AuthSettings {
    /// Where codes may be sent. With none, only to loopback.
    redirect_uris: Vec<String>,
    /// Whether a client must use PKCE.
    require_pkce: bool,
}

impl From<SignInSettings> for SettingsBody {
    fn from(settings: SignInSettings) -> Self {
        let redirect_uris = settings.redirect_uris.iter().map(RedirectUri::to_string).collect();
        Self { auth: AuthSettings { redirect_uris, require_pkce: settings.require_pkce } }
    }
}

/// Merged into what is there (RFC 7396): null resets. Alone or under `data`.
#[derive(ToSchema)]
#[schema(value_type = Object)]
#[expect(dead_code, reason = "only describes what the domain merges")]
pub(crate) struct SettingsPatch(Map<String, Value>);

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "only describes the parameter that `reset` reads")]
pub(crate) struct ResetParameters {
    /// A dotted path like `auth.redirect_uris`; may be repeated.
    key: Vec<String>,
}

fn answered(settings: SignInSettings) -> HttpResponse {
    answer::ok(&Data { data: SettingsBody::from(settings) })
}

/// Read a project's settings
#[utoipa::path(get, path = "/project/{id}/settings", operation_id = "getSettings", tag = "projects",
    params(("id" = String, Path)), responses((status = 200, body = inline(Data<SettingsBody>))))]
pub(crate) async fn get(api: web::Data<Api>, caller: Authenticated, named: PathIds) -> Result<HttpResponse, ApiError> {
    Ok(answered(api.steward.projects.settings(&caller.0, named.project()?).await?))
}

/// Merge into a project's settings
#[utoipa::path(patch, path = "/project/{id}/settings", operation_id = "updateSettings", tag = "projects",
    params(("id" = String, Path)), request_body = SettingsPatch,
    responses((status = 200, body = inline(Data<SettingsBody>)), (status = 409, body = ErrorBody)))]
pub(crate) async fn update(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, patch) = (named.project()?, body.unwrapped().object()?);
    Ok(answered(api.steward.projects.update_settings(&caller.0, project, &patch).await?))
}

/// Reset settings to their defaults
#[utoipa::path(delete, path = "/project/{id}/settings", operation_id = "resetSettings", tag = "projects",
    params(("id" = String, Path), ResetParameters),
    responses((status = 200, body = inline(Data<SettingsBody>)), (status = 409, body = ErrorBody)))]
pub(crate) async fn reset(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let (project, paths) = (named.project()?, query.all("key"));
    Ok(answered(api.steward.projects.reset_settings(&caller.0, project, &paths).await?))
}
