//! Settings of a project (docs/contract.md#project-settings).

use actix_web::{HttpResponse, web};
use steward_api as wire;
use steward_domain::error::ResourceKind;
use steward_domain::model::{Project, RedirectUri};

use crate::Api;
use crate::error::ApiError;
use crate::extract::body::JsonBody;
use crate::extract::precondition;
use crate::extract::{Authenticated, PathIds, Query};
use crate::response;
use crate::route::{ApiRoute, routes};

pub(crate) fn routes() -> Vec<ApiRoute> {
    routes! {
        GetSettings => get;
        UpdateSettings => update;
        ResetSettings => reset;
    }
}

pub(crate) fn project_settings(Project { sign_in, .. }: &Project) -> wire::ProjectSettings {
    let texts = |uris: &[RedirectUri]| uris.iter().map(RedirectUri::to_string).collect();
    wire::ProjectSettings {
        auth: wire::SignInSettings {
            redirect_uris: texts(&sign_in.redirect_uris),
            require_pkce: sign_in.require_pkce,
            legacy_scopes: sign_in.legacy_scopes,
            email_codes: sign_in.email_codes,
            second_factor_from: sign_in.second_factor_from.map(Into::into),
            post_logout_redirect_uris: texts(&sign_in.post_logout_redirect_uris),
            backchannel_logout_uri: sign_in.backchannel_logout_uri.as_ref().map(|url| url.as_str().to_owned()),
            accent_color: sign_in.accent_color.map(|color| color.to_string()),
            background_color: sign_in.background_color.map(|color| color.to_string()),
            tos_uri: sign_in.tos_uri.as_ref().map(|url| url.as_str().to_owned()),
            policy_uri: sign_in.policy_uri.as_ref().map(|url| url.as_str().to_owned()),
        },
    }
}

/// Returns the settings after a change. They are a part of the project and share its revision.
fn changed(project: &Project) -> HttpResponse {
    response::changed(project.revision, &wire::Data { data: project_settings(project) })
}

pub(crate) async fn get(api: web::Data<Api>, caller: Authenticated, path: PathIds) -> Result<HttpResponse, ApiError> {
    let project = api.steward.projects.settings(&caller.0, path.project()?).await?;
    let body = wire::Data { data: project_settings(&project) };
    response::resource(path.request(), ResourceKind::Project, project.revision, &body)
}

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

pub(crate) async fn reset(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let (project, when, paths) = (path.project()?, precondition::for_write(path.request())?, query.all("key"));
    Ok(changed(&api.steward.projects.reset_settings(&caller.0, project, &paths, &when).await?))
}
