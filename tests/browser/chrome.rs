//! Chromium without a window, with a temporary profile. It is stopped at the end of the test.

use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use steward_tests::{TIMEOUT, free_port};
use tempfile::TempDir;
use thirtyfour::prelude::*;
use thirtyfour::{ChromeCapabilities, LoggingPrefsLogLevel};

/// Chromium without what a desktop needs. It takes half of the CPU time. Unlike Chromium, it ignores preferences.
const BINARY: &str = "/usr/bin/chromium-headless-shell";

/// Prevents Chromium from sending requests to other servers when it starts.
const FLAGS: &[&str] = &[
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
];

/// Time between two questions about a page. Each costs the browser and its driver some milliseconds.
pub const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// A browser with one window.
pub struct Chrome {
    pub driver: WebDriver,
    _process: ProcessGuard,
    _profile: TempDir,
}

impl Chrome {
    /// Starts the browser, with or without scripts.
    pub async fn start(scripts: bool) -> Self {
        Self::start_with(scripts, &[]).await
    }

    /// Starts the browser with additional flags.
    pub async fn start_with(scripts: bool, flags: &[&str]) -> Self {
        let (profile, port) = (tempfile::tempdir().unwrap(), free_port());
        let process = Command::new("chromedriver")
            .arg(format!("--port={port}"))
            .envs([("HOME", profile.path()), ("TMPDIR", profile.path())])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap_or_else(|error| panic!("chromedriver failed to start: {error}. Run tests/install-tools.sh."));
        let process = ProcessGuard(process);
        let mut capabilities = ChromeCapabilities::new();
        capabilities.set("browserName", "chrome-headless-shell").unwrap();
        capabilities.set_binary(BINARY).unwrap();
        for flag in FLAGS.iter().chain(flags) {
            capabilities.add_arg(flag).unwrap();
        }
        capabilities.add_arg(&format!("--user-data-dir={}", profile.path().join("profile").display())).unwrap();
        capabilities.set_browser_log_level(LoggingPrefsLogLevel::All).unwrap();
        let address = format!("http://127.0.0.1:{port}");
        let deadline = Instant::now() + TIMEOUT;
        let driver = loop {
            match WebDriver::new(&address, capabilities.clone()).await {
                Ok(driver) => break driver,
                Err(error) => {
                    assert!(Instant::now() < deadline, "Chromium did not start: {error}. Run tests/install-tools.sh.");
                }
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        };
        driver.set_page_load_timeout(TIMEOUT).await.unwrap();
        driver.set_script_timeout(TIMEOUT).await.unwrap();
        let chrome = Self { driver, _process: process, _profile: profile };
        if !scripts {
            chrome.turn_scripts_off().await;
        }
        chrome
    }

    /// Turns off the scripts of pages in the window. Those of the tests still run.
    async fn turn_scripts_off(&self) {
        self.tell("Emulation.setScriptExecutionDisabled", json!({"value": true})).await;
        self.open("data:text/html,<title>scripts are off</title><script>document.title = 'scripts are on'</script>")
            .await;
        assert_eq!(self.driver.title().await.unwrap(), "scripts are off");
    }

    pub async fn open(&self, address: &str) {
        self.driver.goto(address).await.unwrap();
    }

    /// Returns the visible text of the page.
    pub async fn text(&self) -> String {
        self.driver.find(By::Tag("body")).await.unwrap().text().await.unwrap()
    }

    /// Waits for a page with this text in its heading.
    #[track_caller]
    pub fn reaches<'a>(&'a self, words: &'a str) -> impl Future<Output = ()> + 'a {
        let location = std::panic::Location::caller();
        async move {
            let deadline = Instant::now() + TIMEOUT;
            loop {
                let heading = self.heading().await;
                if heading.contains(words) {
                    return;
                }
                assert!(Instant::now() < deadline, "{location}: The heading is \"{heading}\", expected \"{words}\".");
                tokio::time::sleep(POLL_INTERVAL).await;
            }
        }
    }

    /// Waits for the heading of the page and returns it.
    async fn heading(&self) -> String {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            // During navigation the element may disappear before it is read.
            let error = match self.driver.find(By::Tag("h1")).await {
                Ok(heading) => match heading.text().await {
                    Ok(text) => return text,
                    Err(error) => error,
                },
                Err(error) => error,
            };
            assert!(
                Instant::now() < deadline,
                "The page {:?} has no heading: {error}",
                self.driver.current_url().await
            );
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Enters a value in the field with this label.
    pub async fn fill(&self, label: &str, value: &str) {
        let path = format!("//input[@id = //label[starts-with(normalize-space(), '{label}')]/@for]");
        let field =
            self.driver.find(By::XPath(&path)).await.unwrap_or_else(|_| panic!("The page has no field \"{label}\"."));
        field.clear().await.unwrap();
        field.send_keys(value).await.unwrap();
    }

    /// Clicks a button or link and waits for the next page.
    pub async fn click(&self, words: &str) {
        self.click_below("", words).await;
    }

    /// Clicks a button or link of the content, which excludes the menus, and waits for the next page.
    pub async fn press(&self, words: &str) {
        self.click_below("//main", words).await;
    }

    async fn click_below(&self, element: &str, words: &str) {
        let path = format!("{element}//*[self::button or self::a][starts-with(normalize-space(), '{words}')]");
        let Ok(control) = self.driver.find(By::XPath(&path)).await else {
            panic!("The page has no button or link \"{words}\":\n{}", self.text().await)
        };
        // The header of the console stays at the top, over what has been scrolled there.
        control.scroll_into_view().await.unwrap();
        control.click().await.unwrap();
        let deadline = Instant::now() + TIMEOUT;
        while control.tag_name().await.is_ok() {
            assert!(Instant::now() < deadline, "\"{words}\" did not open another page.");
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        self.heading().await;
    }

    /// Goes back in the history and waits for another document than the current one.
    pub async fn back(&self) {
        self.asked("window.isLeft = true").await;
        self.driver.back().await.unwrap();
        let deadline = Instant::now() + TIMEOUT;
        loop {
            // During navigation the script may fail.
            let is_left = self.driver.execute("return window.isLeft === true", Vec::new()).await;
            if is_left.is_ok_and(|is_left| *is_left.json() == false) {
                break;
            }
            assert!(Instant::now() < deadline, "The browser did not go back.");
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        self.heading().await;
    }

    /// Signs in on the current page.
    pub async fn sign_in(&self, login: &str, password: &str) {
        self.fill("Email or username", login).await;
        self.fill("Password", password).await;
        self.click("Sign in").await;
    }

    /// Runs a script and returns its result.
    pub async fn asked(&self, script: &str) -> Value {
        self.driver.execute(script, Vec::new()).await.unwrap().json().clone()
    }

    /// Sends a command of the DevTools protocol.
    pub async fn tell(&self, command: &str, parameters: Value) -> Value {
        self.driver.cdp().send_raw(command, parameters).await.unwrap()
    }

    /// Shows pages in a color scheme and a window of this width.
    pub async fn show_in(&self, scheme: &str, width: u32) {
        self.set_color_scheme(scheme).await;
        self.resize(width, 900).await;
    }

    /// Sets the color scheme, light or dark. Without transitions, no color is halfway between the schemes.
    pub async fn set_color_scheme(&self, scheme: &str) {
        let no_motion = json!({"name": "prefers-reduced-motion", "value": "reduce"});
        let media = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}, no_motion]});
        self.tell("Emulation.setEmulatedMedia", media).await;
    }

    async fn resize(&self, width: u32, height: u64) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500});
        self.tell("Emulation.setDeviceMetricsOverride", size).await;
        // A finger points at a narrow window.
        self.tell("Emulation.setTouchEmulationEnabled", json!({"enabled": width < 500})).await;
    }

    /// Saves pictures of the whole current page in each color scheme and width, in the directory that the environment
    /// variable `STEWARD_SCREENSHOTS` names. Without it, saves nothing.
    pub async fn save_screenshots(&self, page: &str) {
        let Some(directory) = std::env::var_os("STEWARD_SCREENSHOTS").map(PathBuf::from) else { return };
        std::fs::create_dir_all(&directory).unwrap();
        let page = page.replace(|character: char| !character.is_ascii_alphanumeric(), "-");
        for (scheme, width) in [("light", 1280), ("light", 320), ("dark", 1280), ("dark", 320)] {
            self.show_in(scheme, width).await;
            let height = self.asked("return document.documentElement.scrollHeight").await.as_u64().unwrap();
            self.resize(width, height.clamp(900, 4_000)).await;
            self.driver.screenshot(&directory.join(format!("{page}-{scheme}-{width}.png"))).await.unwrap();
        }
    }

    /// Returns the console errors since the last call.
    pub async fn errors(&self) -> Vec<String> {
        let log = self.driver.browser_log().await.unwrap();
        log.into_iter().filter(|entry| entry.level == "SEVERE").map(|entry| entry.message).collect()
    }

    /// Stops the browser.
    pub async fn quit(self) {
        self.driver.clone().quit().await.unwrap();
    }
}

/// Stops a process and its children at the end of the test, even if the test fails.
pub struct ProcessGuard(pub Child);

impl Drop for ProcessGuard {
    fn drop(&mut self) {
        // Kill the process group: the browser would outlive the driver.
        drop(Command::new("kill").args(["-KILL", "--", &format!("-{}", self.0.id())]).stderr(Stdio::null()).status());
        drop(self.0.wait());
    }
}
