//! Tests with third-party software: linters of the OpenAPI document, generated clients, OpenID Connect libraries, SDKs.

#[expect(dead_code, reason = "The tests of the pages use the rest of it.")]
#[path = "../browser/chrome.rs"]
mod chrome;
mod comparisons;
mod confidential_clients;
mod connect;
mod devices;
mod example_axum;
mod examples;
mod generated_clients;
mod keycloak_js;
mod live_items;
mod npm;
mod oauth_libraries;
mod oidc_client_ts;
mod oidc_spa;
mod openapi;
mod openapi_generator;
mod program;
mod python_sdk;
mod relying_parties;
mod rust_generated;
mod rust_oauth2;
mod rust_openidconnect;
mod schema_types;
mod sdk;
mod sdk_expo;
mod sdk_react;
mod self_registration;
mod typescript_sdk;
mod upstream;
mod upstream_sign_in;
mod webhook_guide;

use serde_json::{Value, json};
use steward_tests::{Actor, App, Backend, Browser, is_short};

/// The redirect URI of the clients. Its port differs from the registered one, as for a program that picks a port at
/// start (RFC 8252 §7.3). Nothing listens on it.
const CALLBACK: &str = "http://127.0.0.1:49152/callback";

/// The URI that the service redirects to after signing out.
const SIGNED_OUT: &str = "http://127.0.0.1:49152/signed-out";

/// The databases of the services that a program is used with, where the database matters little: one of them in a short
/// run.
fn backends() -> &'static [Backend] {
    if is_short() { &[Backend::Postgres] } else { &[Backend::Sqlite, Backend::Postgres] }
}

/// Creates a user `ann` and a project of another user that she can sign in to. Returns the client IDs of the project:
/// its ID, its DID, and its DID without the port of the service.
async fn ann_and_a_client(app: &App) -> [String; 3] {
    let settings = json!({
        "redirect_uris": ["http://127.0.0.1/callback"],
        "post_logout_redirect_uris": ["http://127.0.0.1/signed-out"],
        "require_pkce": true,
    });
    let project = ann_and_a_project(app, settings).await;
    let (host, port) = app.base.trim_start_matches("http://").split_once(':').unwrap();
    let did = |host: &str| format!("did:web:{host}:projects:{}", project.replace('-', ""));
    let dids = (did(&format!("{host}%3A{port}")), did(host));
    [project, dids.0, dids.1]
}

/// Creates a user `ann` and a project of another user with these sign-in settings. Returns the ID of the project.
async fn ann_and_a_project(app: &App, settings: Value) -> String {
    ann_and_a_project_of_olga(app, settings).await.1
}

/// Creates a user `ann` and a project of the user `olga` with these sign-in settings. Returns olga and the ID of the
/// project.
async fn ann_and_a_project_of_olga(app: &App, settings: Value) -> (Actor, String) {
    app.person("ann").await;
    let owner = app.person("olga").await;
    let team = owner.post("/team/", json!({"name": "Acme", "slug": "acme"})).await.created().id();
    let project = owner.post("/project/", json!({"name": "Rocket", "team_id": team})).await.created().id();
    owner.patch(&format!("/project/{project}/settings"), json!({"auth": settings})).await.ok();
    (owner, project)
}

/// Opens a client's logout request. The service redirects to the client, and its session ends: the client's next
/// authorization request asks for the password.
async fn sign_out(browser: &Browser, logout: &str, authorize: &str) {
    let page = browser.open(logout).await;
    assert!(page.left && page.url.as_str() == SIGNED_OUT, "{page}");
    let page = browser.open(authorize).await;
    assert!(page.is_at("/auth/sign-in"), "{page}");
}
