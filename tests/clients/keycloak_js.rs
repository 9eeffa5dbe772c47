//! Tests the npm package `keycloak-js` in an app without a server. By default, it receives codes in the fragment. It
//! expects refresh tokens that are JWTs, so its client has none.

use serde_json::json;
use steward_tests::{App, Backend, PASSWORD};

use crate::ann_and_a_project_of_olga;
use crate::chrome::Chrome;
use crate::program::{Program, node};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keycloak_js_signs_a_user_in_and_out() {
    let service = App::start(Backend::Sqlite).await;
    let settings = json!({"post_logout_redirect_uris": ["http://127.0.0.1/"]});
    let (olga, project) = ann_and_a_project_of_olga(&service, settings).await;
    let client = json!({
        "name": "App", "type": "public", "redirect_uris": ["http://127.0.0.1/"], "grant_types": ["authorization_code"],
    });
    let client = olga.post(&format!("/project/{project}/client"), client).await.created().id();
    let program = Program::start(node("keycloak_js.mjs").await, &service, &client).await;
    let chrome = Chrome::start(true).await;

    chrome.open(&program.origin).await;
    chrome.reaches("Nobody").await;
    chrome.click("Log in").await;
    chrome.sign_in("ann", PASSWORD).await;
    chrome.click("Allow").await;
    let session = service.anonymous().post("/auth/login", json!({"username": "ann", "password": PASSWORD})).await.ok();
    let account = service.bearer(session["access_token"].as_str().unwrap()).get("/auth/userinfo").await.ok();
    let ann = &account["sub"];
    chrome.reaches(&format!("User {}", ann.as_str().unwrap())).await;
    assert_eq!(chrome.asked("return [keycloak.idTokenParsed.sub, keycloak.tokenParsed.sub]").await, json!([ann, ann]));

    assert_eq!(chrome.asked("return keycloak.loadUserInfo().then(user => user.sub)").await, *ann);

    chrome.click("Log out").await;
    chrome.reaches("Nobody").await;
    chrome.click("Log in").await;
    chrome.reaches("Sign in").await;
    chrome.quit().await;
}
