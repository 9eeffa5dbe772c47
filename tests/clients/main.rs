//! Sign-in at the service with clients that other people wrote: what a developer's own program would use.

mod npm;
mod rust_openidconnect;

use serde_json::json;
use steward_tests::App;

/// Where the clients are called back: another port than the registered one, as a program picks it when it starts
/// (RFC 8252 §7.3). Nobody listens there.
const CALLBACK: &str = "http://127.0.0.1:49152/callback";

/// Makes a person `ann`, and a project of somebody else's that has her sign in; answers the two names that the project
/// has as a client: its id and its DID.
async fn ann_and_a_client(app: &App) -> [String; 2] {
    app.person("ann").await;
    let owner = app.person("olga").await;
    let team = owner.post("/team/", json!({"name": "Acme", "slug": "acme"})).await.created().id();
    let project = owner.post("/project/", json!({"name": "Rocket", "team_id": team})).await.created().id();
    let settings = json!({"auth": {"redirect_uris": ["http://127.0.0.1/callback"], "require_pkce": true}});
    owner.patch(&format!("/project/{project}/settings"), settings).await.ok();
    let host = app.base.trim_start_matches("http://").replace(':', "%3A");
    let did = format!("did:web:{host}:projects:{}", project.replace('-', ""));
    [project, did]
}
