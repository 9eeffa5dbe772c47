//! Tests with third-party software: linters of the OpenAPI document, generated clients, OpenID Connect libraries.

mod npm;
mod openapi;
mod rust_generated;
mod rust_openidconnect;

use serde_json::json;
use steward_tests::App;

/// The redirect URI of the clients. Its port differs from the registered one, as for a program that picks a port at
/// start (RFC 8252 §7.3). Nothing listens on it.
const CALLBACK: &str = "http://127.0.0.1:49152/callback";

/// Creates a user `ann` and a project of another user that she can sign in to. Returns the two client IDs of the
/// project: its ID and its DID.
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
