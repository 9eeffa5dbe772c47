//! Settings of a project (docs/contract.md#project-settings).

use steward_api as wire;
use steward_domain::administration::Project;
use steward_domain::identity::RedirectUri;

use crate::route::serve;
use crate::serve::{Call, Outcome};

serve! {
    GetSettings => get;
    UpdateSettings => update;
    ResetSettings => reset;
}

fn project_settings(Project { sign_in, .. }: &Project) -> wire::ProjectSettings {
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

async fn get(call: Call<wire::GetSettings>) -> Outcome<wire::GetSettings> {
    let project = call.api.steward.projects.settings(&call.caller, call.path).await?;
    call.shows(project.revision, project_settings(&project))
}

async fn update(call: Call<wire::UpdateSettings>) -> Outcome<wire::UpdateSettings> {
    let (patch, allow_private) = (call.body()?.unwrapped().object()?, call.api.allow_private_webhooks);
    let projects = &call.api.steward.projects;
    let project = projects.update_settings(&call.caller, call.path, &patch, allow_private, call.when()).await?;
    call.shows(project.revision, project_settings(&project))
}

async fn reset(call: Call<wire::ResetSettings>) -> Outcome<wire::ResetSettings> {
    let (paths, projects) = (call.query().all("key"), &call.api.steward.projects);
    let project = projects.reset_settings(&call.caller, call.path, &paths, call.when()).await?;
    call.shows(project.revision, project_settings(&project))
}
