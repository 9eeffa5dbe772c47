//! Signs a user in to apps that have a secret and send no code challenge, each with one library and its default
//! settings. The apps have the routes of those in `relying_parties.rs`, except `/refresh`. `/logout` ends only the
//! session of the app.

use std::process::Command;

use serde_json::{Value, json};
use steward_tests::{Actor, App, Backend};

use crate::ann_and_a_project_of_olga;
use crate::program::{node, python_confidential};
use crate::relying_parties::RelyingParty;

/// A confidential client of a project that requires PKCE.
pub struct Registered {
    pub id: String,
    /// Empty if the client authenticates with a key.
    pub secret: String,
    /// Path of the client in the API.
    path: String,
    olga: Actor,
}

impl Registered {
    /// Registers a client with these settings as olga. The service has the user ann, too.
    pub async fn new(service: &App, settings: Value) -> Self {
        let (olga, project) = ann_and_a_project_of_olga(service, json!({"require_pkce": true})).await;
        let clients = format!("/project/{project}/client");
        let client = olga.post(&clients, settings).await.created();
        let (id, secret) = (client.id(), client["data"]["client_secret"].as_str().unwrap_or_default().to_owned());
        Self { path: format!("{clients}/{id}"), id, secret, olga }
    }

    /// Starts an app that uses the service as this client. It finds the secret in the environment variable
    /// `CLIENT_SECRET`.
    pub async fn start(&self, service: App, mut command: Command) -> RelyingParty {
        command.env("CLIENT_SECRET", &self.secret);
        RelyingParty::with_client(service, command, &self.id).await
    }
}

/// Registers a confidential client with the default settings in a project that requires PKCE, starts an app that
/// receives codes at this path, and signs ann in and out. The app knows this name of hers. The service refuses the app
/// after the client has been changed to require PKCE.
async fn signs_ann_in_and_out(command: Command, callback: &str, name: Option<&str>) {
    let service = App::start(Backend::Sqlite).await;
    let redirect_uri = format!("http://127.0.0.1{callback}");
    let settings = json!({"name": "App", "type": "confidential", "redirect_uris": [redirect_uri]});
    let client = Registered::new(&service, settings).await;

    let app = client.start(service, command).await;
    app.sign_in(&json!({"name": name, "email": "ann@example.com"})).await;
    app.end_session().await;

    client.olga.patch(&client.path, json!({"require_pkce": true})).await.ok();
    let page = app.open("/login").await;
    assert!(app.shows(&page), "The app sends a code challenge: {page}");
    assert_eq!(app.json("/user").await, Value::Null);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn django_allauth_signs_a_user_in_and_out() {
    let app = python_confidential("allauth_django.py").await;
    signs_ann_in_and_out(app, "/accounts/oidc/steward/login/callback/", Some("ann")).await;
}

/// By default, the library requests no scope that contains the name.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mozilla_django_oidc_signs_a_user_in_and_out() {
    signs_ann_in_and_out(python_confidential("mozilla_django.py").await, "/oidc/callback/", None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn social_auth_django_signs_a_user_in_and_out() {
    signs_ann_in_and_out(python_confidential("social_auth_django.py").await, "/complete/oidc/", Some("ann")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn authlib_0_15_signs_a_user_in_and_out() {
    signs_ann_in_and_out(python_confidential("authlib_0_15_flask.py").await, "/callback", Some("ann")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pyoidc_signs_a_user_in_and_out() {
    signs_ann_in_and_out(python_confidential("pyoidc_flask.py").await, "/callback", Some("ann")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn simple_oauth2_signs_a_user_in_and_out() {
    signs_ann_in_and_out(node("simple_oauth2.mjs").await, "/callback", Some("ann")).await;
}
