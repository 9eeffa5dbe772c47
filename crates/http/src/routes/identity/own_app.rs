//! A signed-in person's own view of a project (docs/contract.md#own-data), with a token of the person for this project.

use steward_api as wire;
use steward_domain::data::UserBearer;
use steward_domain::kernel::ServiceAddress;

use crate::route::serve;
use crate::routes::administration::project::{project_presentation, project_summary};
use crate::serve::{Call, Outcome};

serve! {
    GetOwnApp => get;
    LeaveOwnApp => leave;
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

async fn get(call: Call<wire::GetOwnApp>) -> Outcome<wire::GetOwnApp> {
    let bearer = call.api.steward.project_users.own(&call.caller, call.path).await?;
    call.shows(bearer.user.revision, connected_app(bearer, &call.api.steward.address))
}

async fn leave(call: Call<wire::LeaveOwnApp>) -> Outcome<wire::LeaveOwnApp> {
    let erase = call.query().flag("erase")?;
    call.api.steward.user_data.leave(&call.caller, call.path, erase, call.when()).await?;
    call.done()
}
