//! Sessions of project users: where a user is signed in to the project, and signing them out.

use steward_api as wire;
use steward_domain::identity::TokenFamily;

use crate::route::serve;
use crate::serve::{Call, Outcome};

serve! {
    ListUserSessions => list;
    SignOutUser => sign_out;
}

fn user_session(family: TokenFamily) -> wire::UserSession {
    wire::UserSession {
        id: family.id.uuid().into(),
        scopes: family.scopes.to_string().split_whitespace().map(str::to_owned).collect(),
        signed_in_at: family.authenticated_at.into(),
        created_at: family.created_at.into(),
    }
}

async fn list(call: Call<wire::ListUserSessions>) -> Outcome<wire::ListUserSessions> {
    let (project, user) = call.path;
    let families = call.api.steward.user_sessions.list(&call.caller, project, user).await?;
    call.reply(families.into_iter().map(user_session).collect::<Vec<_>>())
}

async fn sign_out(call: Call<wire::SignOutUser>) -> Outcome<wire::SignOutUser> {
    let (project, user) = call.path;
    call.api.steward.user_sessions.sign_out(&call.caller, project, user, call.when()).await?;
    call.done()
}
