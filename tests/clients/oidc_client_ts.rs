//! Tests the npm package `oidc-client-ts` in an app without a server.

use serde_json::json;
use steward_tests::{App, Backend, PASSWORD};

use crate::ann_and_a_project;
use crate::chrome::Chrome;
use crate::program::{Program, node};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn oidc_client_ts_signs_a_user_in_and_out() {
    let service = App::start(Backend::Sqlite).await;
    let settings = json!({
        "redirect_uris": ["http://127.0.0.1/callback"],
        "post_logout_redirect_uris": ["http://127.0.0.1"],
        "require_pkce": true,
    });
    let client_id = ann_and_a_project(&service, settings).await;
    let program = Program::start(node("oidc_client_ts.mjs").await, &service, &client_id).await;
    let chrome = Chrome::start(true).await;

    chrome.open(&program.origin).await;
    chrome.click("Log in").await;
    chrome.sign_in("ann", PASSWORD).await;
    chrome.click("Allow").await;
    chrome.reaches("ann, ann@example.com").await;
    let refresh = async || chrome.asked("return manager.signinSilent().then(user => user.refresh_token)").await;
    let (first, second) = (refresh().await, refresh().await);
    assert!(first.is_string() && second.is_string() && first != second, "{first}, {second}");
    chrome.open(&program.origin).await;
    chrome.reaches("ann, ann@example.com").await;

    chrome.click("Log out").await;
    chrome.reaches("Nobody").await;
    chrome.click("Log in").await;
    chrome.reaches("Sign in").await;
    chrome.quit().await;
}
