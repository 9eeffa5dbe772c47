//! Signs a user in to apps of libraries that push their requests (RFC 9126), and lets the apps act on their own behalf
//! with their secret (RFC 6749 §4.4). The apps have the routes of those in `relying_parties.rs`. `/logout` revokes the
//! refresh token and ends only the session of the app, and `/machine` returns what the service says about a token of
//! the app itself (RFC 7662). With a key in the environment variable `CLIENT_KEY`, the apps authenticate with
//! assertions (`private_key_jwt`) instead of a secret, and their tokens are bound to another key (RFC 9449).

use std::process::Command;

use serde_json::{Value, json};
use steward_tests::{App, Backend, Client};

use crate::confidential_clients::Registered;
use crate::program::node;

/// The members `x` and `y` of a public key for ES256, and `d` of the private one: the example of RFC 7515 §A.3.1.
const PUBLIC_KEY: (&str, &str) =
    ("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0");
const PRIVATE_KEY: &str = "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI";

/// Like [`pushes_requests_and_acts_on_its_own_behalf`], with a key instead of a secret, and with tokens that are bound
/// to a key. The client requires both, and that requests are pushed.
async fn uses_keys(mut command: Command) {
    let (x, y) = PUBLIC_KEY;
    let mut key = json!({"kty": "EC", "crv": "P-256", "x": x, "y": y, "alg": "ES256", "kid": "1"});
    let settings = json!({
        "jwks": {"keys": [key]},
        "require_dpop": true,
        "require_pushed_requests": true,
        "require_pkce": true,
    });
    key["d"] = json!(PRIVATE_KEY);
    command.env("CLIENT_KEY", key.to_string());
    signs_ann_in(command, settings).await;
}

async fn pushes_requests_and_acts_on_its_own_behalf(command: Command) {
    signs_ann_in(command, json!({})).await;
}

/// Registers a client that signs people in and acts on its own behalf, starts its app, and signs ann in and out.
async fn signs_ann_in(command: Command, more: Value) {
    let service = App::start(Backend::Sqlite).await;
    let mut settings = json!({
        "name": "App",
        "type": "confidential",
        "redirect_uris": ["http://127.0.0.1/callback"],
        "grant_types": ["authorization_code", "refresh_token", "client_credentials"],
        "roles": "read",
    });
    settings.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn oauth4webapi_authenticates_with_a_key_and_binds_its_tokens() {
    uses_keys(node("oauth4webapi.mjs").await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn openid_client_authenticates_with_a_key_and_binds_its_tokens() {
    uses_keys(node("openid_client.mjs").await).await;
}
