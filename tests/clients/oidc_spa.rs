//! Tests the npm package `oidc-spa` in an app without a server. A short run leaves it out.

use serde_json::json;
use steward_tests::{App, Backend, PASSWORD};

use crate::ann_and_a_project;
use crate::chrome::Chrome;
use crate::program::{Program, node};

mod full {
    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn oidc_spa_signs_a_user_in_and_out() {
        let service = App::start(Backend::Sqlite).await;
        let settings = json!({
            "redirect_uris": ["http://127.0.0.1/"],
            "post_logout_redirect_uris": ["http://127.0.0.1/"],
            "require_pkce": true,
        });
        let client_id = ann_and_a_project(&service, settings).await;
        let program = Program::start(node("oidc_spa.mjs").await, &service, &client_id).await;
        let chrome = Chrome::start(true).await;

        chrome.open(&program.origin).await;
        chrome.reaches("Nobody").await;
        chrome.click("Log in").await;
        chrome.sign_in("ann", PASSWORD).await;
        chrome.click("Allow").await;
        chrome.reaches("ann, ann@example.com").await;
        let refresh = "return oidc.renewTokens().then(() => oidc.getTokens()).then(tokens => tokens.refreshToken)";
        let (first, second) = (chrome.asked(refresh).await, chrome.asked(refresh).await);
        assert!(first.is_string() && second.is_string() && first != second, "{first}, {second}");
        assert_eq!(chrome.asked("return userInfo()").await, json!(["ann@example.com", true]));

        chrome.click("Log out").await;
        chrome.reaches("Nobody").await;
        chrome.click("Log in").await;
        chrome.reaches("Sign in").await;
        chrome.quit().await;
    }
}
