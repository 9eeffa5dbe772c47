//! Signs a user in to apps that register themselves (RFC 7591): with an API key as the initial access token, or without
//! one in a project that the operator has opened. The apps have the routes of those in `relying_parties.rs`. The one
//! with an MCP client has no `/logout`, because the library does not sign out.

use std::process::Command;

use serde_json::json;
use steward_tests::{Actor, App, Backend};

use crate::ann_and_a_project_of_olga;
use crate::program::node;
use crate::relying_parties::RelyingParty;

/// A project without clients that requires PKCE, and its owner. The service has the user ann, too.
struct Project {
    olga: Actor,
    id: String,
}

impl Project {
    async fn new(service: &App) -> Self {
        let (olga, id) = ann_and_a_project_of_olga(service, json!({"require_pkce": true})).await;
        Self { olga, id }
    }

    /// Creates a private API key with this role. Returns its value.
    async fn key(&self, role: &str) -> String {
        let new = json!({"label": "Key", "roles": role, "is_private": true});
        let key = self.olga.post(&format!("/project/{}/key", self.id), new).await.ok();
        key["key"]["value"].as_str().unwrap().to_owned()
    }

    /// Starts an app that registers itself, and signs ann in. `registered`: its name, its type, and whether nobody
    /// has checked it.
    async fn signs_ann_in(&self, service: App, command: Command, registered: (&str, &str, bool)) -> RelyingParty {
        let app = RelyingParty::with_client(service, command, "").await;
        app.sign_in_and_refresh().await;
        let clients = self.olga.get(&format!("/project/{}/client", self.id)).await.ok();
        let [client] = clients["data"].as_array().unwrap().as_slice() else {
            panic!("The app did not register itself once: {clients:?}")
        };
        let (name, client_type, registered_itself) = registered;
        let expected = json!([name, client_type, registered_itself]);
        assert_eq!(json!([client["name"], client["type"], client["registered_itself"]]), expected);
        app
    }
}

/// Lets an app that signs people in with its secret register itself with an initial access token.
async fn registers_itself(mut command: Command) {
    let service = App::start(Backend::Sqlite).await;
    let project = Project::new(&service).await;
    command.env("INITIAL_ACCESS_TOKEN", project.key("client:register").await);
    let app = project.signs_ann_in(service, command, ("Unnamed client", "confidential", false)).await;
    app.end_session().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn oauth4webapi_registers_itself() {
    registers_itself(node("oauth4webapi.mjs").await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn openid_client_registers_itself() {
    registers_itself(node("openid_client.mjs").await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mcp_sdk_registers_itself() {
    let service = App::start(Backend::Sqlite).await;
    let project = Project::new(&service).await;
    let mut program = node("mcp_sdk.mjs").await;
    program.env("SERVER_KEY", project.key("read").await);
    program.env("INITIAL_ACCESS_TOKEN", project.key("client:register").await);
    project.signs_ann_in(service, program, ("Notes", "confidential", false)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mcp_sdk_registers_itself_in_an_open_project() {
    let mut service = App::start(Backend::Sqlite).await;
    let project = Project::new(&service).await;
    service.set("STEWARD_OPEN_REGISTRATION", &project.id);
    service.restart().await;
    let mut program = node("mcp_sdk.mjs").await;
    program.env("SERVER_KEY", project.key("read").await);
    project.signs_ann_in(service, program, ("Notes", "public", true)).await;
}
