//! Signs a user in to devices without a browser (RFC 8628), each with one library and its default settings. A device
//! prints its codes, the error of each request for tokens, and at last the user.

use std::process::Stdio;

use serde_json::{Value, json};
use steward_tests::{App, Backend, Browser, PASSWORD, TIMEOUT, report_missing};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Command;

use crate::ann_and_a_project_of_olga;
use crate::npm::read_line;
use crate::program::node;

/// Starts a device. Once it has requested tokens without success, ann enters its code and allows or denies access.
/// Returns what the device prints then.
async fn decided(app: &App, client_id: &str, file: &str, decision: &str) -> Value {
    let mut command = Command::from(node(file).await);
    command.env("ISSUER", &app.base).env("CLIENT_ID", client_id).kill_on_drop(true);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap_or_else(|error| report_missing("node", &error));
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();

    let codes = read_line(&mut child, &mut lines).await;
    assert_eq!(read_line(&mut child, &mut lines).await, json!({"error": "authorization_pending"}));
    let browser = Browser::new(app);
    let page = browser.open(codes["verification_uri"].as_str().unwrap()).await;
    let user_code = codes["user_code"].as_str().unwrap();
    let page = browser.submit(&page, "/auth/device", &[("user_code", user_code)]).await;
    let page = browser.submit(&page, "/auth/sign-in", &[("login", "ann"), ("password", PASSWORD)]).await;
    browser.submit(&page, "/auth/consent", &[("decision", decision)]).await;
    read_line(&mut child, &mut lines).await
}

/// Lets ann allow access to one device of a client that its project registered, and deny it to another.
async fn ann_decides(file: &str) {
    let app = App::start(Backend::Sqlite).await;
    let (olga, project) = ann_and_a_project_of_olga(&app, json!({})).await;
    let grant_types = ["urn:ietf:params:oauth:grant-type:device_code", "refresh_token"];
    let client = json!({"name": "Television", "type": "public", "redirect_uris": [], "grant_types": grant_types});
    let client = olga.post(&format!("/project/{project}/client"), client).await.created().id();

    let both = async { tokio::join!(decided(&app, &client, file, "allow"), decided(&app, &client, file, "deny")) };
    let (allowed, denied) = tokio::time::timeout(TIMEOUT, both).await.expect("The devices exceeded their time limit.");
    assert_eq!(allowed, json!({"name": "ann", "email": "ann@example.com", "refreshed": true}));
    assert_eq!(denied, json!({"error": "access_denied"}));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn oauth4webapi_signs_a_user_in_on_a_device() {
    ann_decides("oauth4webapi_device.mjs").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn openid_client_signs_a_user_in_on_a_device() {
    ann_decides("openid_client_device.mjs").await;
}
