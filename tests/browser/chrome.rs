//! Chromium, with a profile of its own, that ends with the test.

use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use steward_tests::free_port;
use tempfile::TempDir;
use thirtyfour::prelude::*;
use thirtyfour::{ChromeCapabilities, LoggingPrefsLogLevel};

/// Chromium asks many a server for something as it starts; none of that belongs into a test.
const FLAGS: &[&str] = &[
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
];

/// How long a page may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// A browser with one window.
pub struct Chrome {
    pub driver: WebDriver,
    _process: Guard,
    _profile: TempDir,
}

impl Chrome {
    /// Starts it, with scripts or without.
    pub async fn start(scripts: bool) -> Self {
        let (profile, port) = (tempfile::tempdir().unwrap(), free_port());
        let process = Command::new("chromedriver")
            .arg(format!("--port={port}"))
            .envs([("HOME", profile.path()), ("TMPDIR", profile.path())])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap_or_else(|error| panic!("chromedriver cannot be started ({error}): run tests/install-tools.sh"));
        let process = Guard(process);
        let mut wanted = ChromeCapabilities::new();
        for flag in FLAGS {
            wanted.add_arg(flag).unwrap();
        }
        wanted.add_arg(&format!("--user-data-dir={}", profile.path().join("profile").display())).unwrap();
        wanted.set_browser_log_level(LoggingPrefsLogLevel::All).unwrap();
        if !scripts {
            let off = json!({"profile.managed_default_content_settings.javascript": 2});
            wanted.add_experimental_option("prefs", off).unwrap();
        }
        let address = format!("http://127.0.0.1:{port}");
        let patience = Instant::now() + PATIENCE;
        let driver = loop {
            match WebDriver::new(&address, wanted.clone()).await {
                Ok(driver) => break driver,
                Err(error) => assert!(Instant::now() < patience, "no Chromium (run tests/install-tools.sh): {error}"),
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        };
        Self { driver, _process: process, _profile: profile }
    }

    pub async fn open(&self, address: &str) {
        self.driver.goto(address).await.unwrap();
    }

    /// What a person reads.
    pub async fn text(&self) -> String {
        self.driver.find(By::Tag("body")).await.unwrap().text().await.unwrap()
    }

    /// Waits for the page with this in its heading.
    #[track_caller]
    pub fn reaches<'a>(&'a self, words: &'a str) -> impl Future<Output = ()> + 'a {
        let asked_at = std::panic::Location::caller();
        async move {
            let patience = Instant::now() + PATIENCE;
            loop {
                let heading = self.heading().await;
                if heading.contains(words) {
                    return;
                }
                assert!(Instant::now() < patience, "{asked_at}: \"{heading}\", not \"{words}\"");
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    }

    /// The heading of the page, as soon as it has one.
    async fn heading(&self) -> String {
        let patience = Instant::now() + PATIENCE;
        loop {
            // Between two pages the element may be gone before it is read.
            if let Ok(heading) = self.driver.find(By::Tag("h1")).await
                && let Ok(text) = heading.text().await
            {
                return text;
            }
            assert!(Instant::now() < patience, "no heading");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Types into the field with this label.
    pub async fn fill(&self, label: &str, value: &str) {
        let path = format!("//input[@id = //label[starts-with(normalize-space(), '{label}')]/@for]");
        let field = self.driver.find(By::XPath(&path)).await.unwrap_or_else(|_| panic!("no field {label}"));
        field.clear().await.unwrap();
        field.send_keys(value).await.unwrap();
    }

    /// Presses a button, or follows a link, and waits for the page that it leads to.
    pub async fn press(&self, words: &str) {
        let path = format!("//*[self::button or self::a][starts-with(normalize-space(), '{words}')]");
        let control = self.driver.find(By::XPath(&path)).await;
        let control = match control {
            Ok(control) => control,
            Err(_) => panic!("nothing to press that says \"{words}\":\n{}", self.text().await),
        };
        control.click().await.unwrap();
        let patience = Instant::now() + PATIENCE;
        while control.tag_name().await.is_ok() {
            assert!(Instant::now() < patience, "\"{words}\" leads nowhere");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        self.heading().await;
    }

    /// Signs in at the page that is open.
    pub async fn sign_in(&self, login: &str, password: &str) {
        self.fill("Email or username", login).await;
        self.fill("Password", password).await;
        self.press("Sign in").await;
    }

    /// What a script answers.
    pub async fn asked(&self, script: &str) -> Value {
        self.driver.execute(script, Vec::new()).await.unwrap().json().clone()
    }

    /// A command of the DevTools protocol.
    pub async fn tell(&self, command: &str, parameters: Value) -> Value {
        self.driver.cdp().send_raw(command, parameters).await.unwrap()
    }

    /// What the console tells of errors since it was asked last.
    pub async fn errors(&self) -> Vec<String> {
        let log = self.driver.browser_log().await.unwrap();
        log.into_iter().filter(|entry| entry.level == "SEVERE").map(|entry| entry.message).collect()
    }

    /// Ends it.
    pub async fn quit(self) {
        self.driver.clone().quit().await.unwrap();
    }
}

/// The driver and the browser that it started: both end with the test, also with one that fails.
struct Guard(Child);

impl Drop for Guard {
    fn drop(&mut self) {
        // The browser is in the driver's process group, and would outlive the driver alone.
        drop(Command::new("kill").args(["-KILL", "--", &format!("-{}", self.0.id())]).stderr(Stdio::null()).status());
        drop(self.0.wait());
    }
}
