//! Apps in Chromium that use the published SDKs, with only the base address changed.

use std::process::Command;

use serde_json::{Value, json};
use steward_tests::{App, PASSWORD, eventually, install_npm_package};

use crate::ann_and_a_project_of_olga;
use crate::chrome::Chrome;
use crate::program::Program;

/// The apps: names and contents.
const FILES: &[(&str, &str)] = &[
    (".npmrc", include_str!("npm-sdks/.npmrc")),
    ("app.mjs", include_str!("npm-sdks/app.mjs")),
    ("expo.mjs", include_str!("npm-sdks/expo.mjs")),
    ("native.mjs", include_str!("npm-sdks/native.mjs")),
    ("package.json", include_str!("npm-sdks/package.json")),
    ("package-lock.json", include_str!("npm-sdks/package-lock.json")),
    ("react.mjs", include_str!("npm-sdks/react.mjs")),
];

/// Access tokens expire before this many seconds have passed. They are valid for 15 minutes.
const AFTER_EXPIRY: u32 = 16 * 60;

/// Starts an app for a project with the settings for older programs and a table `notes` with these fields.
pub async fn start(service: &App, module: &str, callback: &str, fields: Value) -> Program {
    let settings = json!({
        "redirect_uris": [format!("http://127.0.0.1{callback}")],
        "require_pkce": false,
        "legacy_scopes": true,
    });
    let (olga, project) = ann_and_a_project_of_olga(service, settings).await;
    let tables = json!({"notes": {"type": "collection", "fields": fields}});
    let schema = json!({"schema": {"project_id": project, "version": 1, "tables": tables}});
    olga.post(&format!("/project/{project}/schema"), schema).await.ok();

    let install = || install_npm_package(env!("CARGO_TARGET_TMPDIR"), "npm-sdks", FILES);
    let directory = tokio::task::spawn_blocking(install).await.unwrap();
    let mut command = Command::new("node");
    // Node.js 18 tries only the first address of localhost, which is often ::1.
    command.args(["--dns-result-order=ipv4first", "app.mjs", module]).current_dir(directory);
    Program::start(command, service, &project).await
}

/// Opens the app and signs ann in.
pub async fn sign_in(chrome: &Chrome, app: &Program) {
    chrome.open(&app.origin).await;
    chrome.reaches("Nobody").await;
    chrome.click("Log in").await;
    chrome.sign_in("ann", PASSWORD).await;
    // The service asks for consent only once, but on loopback for a confirmation each time.
    if chrome.driver.current_url().await.unwrap().path() == "/auth/consent" {
        let is_granted = chrome.text().await.contains("Continue as");
        chrome.click(if is_granted { "Continue as" } else { "Allow" }).await;
    }
}

/// Waits until a script returns this value.
pub async fn returns(chrome: &Chrome, script: &str, expected: Value) {
    eventually(async || (chrome.asked(script).await == expected).then_some(())).await;
}

/// Shifts the clocks of the service and of the browsers, so that tokens expire during a test.
pub struct Clock(steward_tests::Clock);

impl Clock {
    pub async fn new() -> Self {
        Self(steward_tests::Clock::new(env!("CARGO_TARGET_TMPDIR")).await)
    }

    /// Settings of a service with this clock.
    pub fn settings(&self) -> [(&str, &str); 2] {
        self.0.settings()
    }

    /// Expires all access tokens. In the browsers, only pages that are loaded later have the new time.
    pub async fn expire_tokens(&self, browsers: &[&Chrome]) {
        self.0.set(AFTER_EXPIRY);
        for chrome in browsers {
            chrome.tell("Page.addScriptToEvaluateOnNewDocument", json!({"source": shift_script()})).await;
        }
    }
}

/// The script that shifts the clock of a page as [`Clock::expire_tokens`] does.
pub fn shift_script() -> String {
    format!("{{ const now = Date.now; Date.now = () => now() + {AFTER_EXPIRY}000 }}")
}
