//! Tests the API reference page: its operations, search, token, requests, and accessibility.

use std::time::Instant;

use serde_json::Value;
use steward_tests::{App, Backend, TIMEOUT};
use thirtyfour::prelude::*;

use crate::accessibility::Axe;
use crate::chrome::{Chrome, POLL_INTERVAL};

/// A script that returns the visible text of the page, including that of web components.
const TEXT: &str = r#"
    const text = (node) => {
        if (node.nodeType === Node.TEXT_NODE) return node.data;
        if (['SCRIPT', 'STYLE'].includes(node.nodeName)) return '';
        const children = [...(node.shadowRoot ?? node).childNodes];
        return children.map(text).join(' ') + (node.nodeName === 'TEXTAREA' ? node.value : '');
    };
    return text(document.body);
"#;

/// Waits until the page contains these words.
async fn shows(chrome: &Chrome, words: &str) {
    let deadline = Instant::now() + TIMEOUT;
    loop {
        let text = chrome.asked(TEXT).await;
        if text.as_str().is_some_and(|text| text.contains(words)) {
            return;
        }
        assert!(Instant::now() < deadline, "The page lacks \"{words}\": {text}");
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

/// Returns the search field, which is in a web component.
async fn search_field(chrome: &Chrome) -> WebElement {
    let reference = chrome.driver.find(By::Tag("rapi-doc")).await.unwrap();
    let root = reference.get_shadow_root().await.unwrap();
    root.find(By::Css("#nav-bar-search")).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_reference_shows_operations_and_is_accessible() {
    let app = App::start(Backend::Sqlite).await;
    let chrome = Chrome::start(true).await;
    let axe = Axe::install().await;

    chrome.open(&format!("{}/docs", app.base)).await;
    assert_eq!(chrome.driver.title().await.unwrap(), "Steward API reference");
    assert_eq!(chrome.asked("return document.documentElement.lang").await, "en");
    shows(&chrome, "Create a team").await;
    axe.check(&chrome, "overview").await;

    // Enter in the search field filters the list of operations, and Enter on an entry opens it.
    let enter = char::from(Key::Enter);
    search_field(&chrome).await.send_keys(format!("rotate the secret{enter}")).await.unwrap();
    let filtered = "return [...document.querySelector('rapi-doc').shadowRoot.querySelectorAll('.nav-bar-path')]
        .filter((entry) => entry.checkVisibility()).map((entry) => entry.textContent.trim())";
    let deadline = Instant::now() + TIMEOUT;
    loop {
        let entries: Value = chrome.asked(filtered).await;
        let entries = entries.as_array().unwrap();
        if !entries.is_empty() && entries.iter().all(|entry| entry.as_str().unwrap().contains("Rotate")) {
            break;
        }
        assert!(Instant::now() < deadline, "The search found {} operations.", entries.len());
        tokio::time::sleep(POLL_INTERVAL).await;
    }

    chrome.asked("document.querySelector('rapi-doc').shadowRoot.querySelector('.nav-bar-path').focus()").await;
    chrome.driver.action_chain().send_keys(enter.to_string()).perform().await.unwrap();
    shows(&chrome, "/rotate-secret").await;

    for (hash, words) in [
        ("post-/team", "The caller becomes the owner"),
        ("get-/team", "List teams"),
        ("post-/auth/token", "Exchange a code"),
        ("post-/project/-id-/upload/icon", "Upload"),
        ("auth", "Personal access token of a user"),
    ] {
        chrome.open(&format!("{}/docs#{hash}", app.base)).await;
        shows(&chrome, words).await;
        axe.check(&chrome, hash).await;
    }

    // The page remembers the token that a reader enters.
    let reference = chrome.driver.find(By::Tag("rapi-doc")).await.unwrap();
    let row = reference.get_shadow_root().await.unwrap().find(By::Id("security-scheme-accessToken")).await.unwrap();
    row.find(By::Tag("input")).await.unwrap().send_keys("example-token").await.unwrap();
    row.find(By::Tag("button")).await.unwrap().click().await.unwrap();
    chrome.driver.refresh().await.unwrap();
    shows(&chrome, "Personal access token of a user").await;
    let scheme = "return document.querySelector('rapi-doc').resolvedSpec.securitySchemes[0].finalKeyValue";
    assert_eq!(chrome.asked(scheme).await, "Bearer example-token");

    let requests = chrome.asked("return performance.getEntriesByType('resource').map(({name}) => name)").await;
    let requests: Vec<&str> = requests.as_array().unwrap().iter().map(|url| url.as_str().unwrap()).collect();
    let own = |url: &&str| url.starts_with(&app.base) || url.starts_with("data:");
    assert!(requests.len() >= 4 && requests.iter().all(own), "{requests:?}");
    assert_eq!(chrome.errors().await, Vec::<String>::new());
    chrome.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_reference_shows_operations_on_a_narrow_screen() {
    let app = App::start(Backend::Sqlite).await;
    let chrome = Chrome::start(true).await;
    chrome.driver.set_window_rect(0, 0, 520, 900).await.unwrap();
    chrome.open(&format!("{}/docs", app.base)).await;
    shows(&chrome, "The caller becomes the owner").await;
    chrome.quit().await;
}
