//! Signs a user in to apps of libraries that push their requests (RFC 9126), and lets the apps act on their own behalf with
//! their secret (RFC 6749 §4.4). The apps have the routes of those in `relying_parties.rs`. `/logout` revokes the
//! refresh token and ends only the session of the app, and `/machine` returns what the service says about a token of
//! the app itself (RFC 7662).

use std::process::Command;

use serde_json::json;
use steward_tests::{App, Backend, Client};

use crate::confidential_clients::Registered;
use crate::program::node;

/// Registers a client that signs people in and acts on its own behalf, starts its app, and signs ann in and out.
async fn pushes_requests_and_acts_on_its_own_behalf(command: Command) {
    let service = App::start(Backend::Sqlite).await;
    let settings = json!({
        "name": "App",
        "type": "confidential",
        "redirect_uris": ["http://127.0.0.1/callback"],
        "grant_types": ["authorization_code", "refresh_token", "client_credentials"],
        "roles": "read",
    });
    let registered = Registered::new(&service, settings).await;
    let client = Client::new(&service, &registered.id);
    let app = registered.start(service, command).await;

    let request = app.authorization_request().await;
    let mut names: Vec<_> = request.query_pairs().map(|(name, _)| name).collect();
    names.sort();
    assert_eq!(names, ["client_id", "request_uri"], "The app did not push its request: {request}");

    let refresh_token = app.sign_in_and_refresh().await;
    assert_eq!(app.json("/machine").await, json!({"scope": "read", "active": true}));
    app.end_session().await;
    let (id, secret) = (&registered.id, &registered.secret);
    let form = format!("grant_type=refresh_token&refresh_token={refresh_token}&client_id={id}&client_secret={secret}");
    client.post("/auth/token", &form).await.refused(400, "invalid_grant");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn oauth4webapi_pushes_requests_and_acts_on_its_own_behalf() {
    pushes_requests_and_acts_on_its_own_behalf(node("oauth4webapi.mjs").await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn openid_client_pushes_requests_and_acts_on_its_own_behalf() {
    pushes_requests_and_acts_on_its_own_behalf(node("openid_client.mjs").await).await;
}
