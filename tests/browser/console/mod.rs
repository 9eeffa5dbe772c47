//! The console in the browser, with and without scripts.

mod deliveries;
mod first_run;
mod grid;
mod imports;
mod invites;
mod pages;
mod parts;
mod protection;
mod schema;
mod tasks;
mod waiting;

use std::time::Instant;

use steward_tests::{App, PASSWORD, TIMEOUT, eventually, is_short};
use thirtyfour::prelude::*;

use crate::chrome::{Chrome, POLL_INTERVAL};

/// Whether each task is performed with and without scripts on both databases, and each page is checked in full in both
/// color schemes. A short run checks each of them once.
fn is_complete() -> bool {
    !is_short()
}

/// A browser in which a person uses the console.
struct Console {
    base: String,
    chrome: Chrome,
}

impl Console {
    /// Starts a browser, with or without scripts, in which nobody is signed in.
    async fn start(app: &App, scripts: bool) -> Self {
        Self { base: app.base.clone(), chrome: Chrome::start(scripts).await }
    }

    /// Starts a browser, with or without scripts, and signs a person in.
    async fn sign_in(app: &App, scripts: bool, username: &str) -> Self {
        let console = Self::start(app, scripts).await;
        console.open("/auth/sign-in").await;
        console.chrome.sign_in(username, PASSWORD).await;
        console.chrome.reaches("Home").await;
        console
    }

    async fn open(&self, path: &str) {
        self.chrome.open(&format!("{}{path}", self.base)).await;
    }

    async fn find(&self, css: &str) -> WebElement {
        let found = self.chrome.driver.find(By::Css(css)).await;
        found.unwrap_or_else(|error| panic!("The page has no element {css}: {error}"))
    }

    /// Enters a value in the field with this ID.
    async fn enter(&self, id: &str, value: &str) {
        let field = self.find(&format!("[id='{id}']")).await;
        field.clear().await.unwrap();
        field.send_keys(value).await.unwrap();
    }

    /// Clicks an element, also if a page that refreshes itself replaces it just now.
    async fn click(&self, css: &str) {
        eventually(async || self.find(css).await.click().await.ok()).await;
    }

    /// Selects a checkbox, a radio button or an option.
    async fn select(&self, css: &str) {
        let control = self.find(css).await;
        if !control.is_selected().await.unwrap() {
            control.click().await.unwrap();
        }
    }

    /// Clicks a button or link of the content and waits for the page with this text.
    async fn press(&self, words: &str, expected: &str) {
        self.chrome.press(words).await;
        self.shows(expected).await;
    }

    /// Waits until the content contains this text.
    async fn shows(&self, words: &str) {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            // While a page loads, its elements may disappear before they are read.
            let text = match self.chrome.driver.find(By::Tag("main")).await {
                Ok(content) => content.text().await.unwrap_or_default(),
                Err(_) => String::new(),
            };
            if text.contains(words) {
                return;
            }
            assert!(Instant::now() < deadline, "The page lacks \"{words}\":\n{text}");
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Checks that the browser reported no errors and no violations of the policy, and stops it.
    async fn quit(self) {
        let mut errors = self.chrome.errors().await;
        // Chromium reports the status of forms that were refused.
        errors.retain(|error| !error.contains("status of 400"));
        assert_eq!(errors, Vec::<String>::new());
        self.chrome.quit().await;
    }
}
