//! Checks the accessibility of pages with axe-core.

use serde_json::{Value, json};
use steward_tests::{App, Backend, Client, World, install_npm_package};

use crate::chrome::Chrome;

const FILES: &[(&str, &str)] = &[
    (".npmrc", include_str!("npm/.npmrc")),
    ("package.json", include_str!("npm/package.json")),
    ("package-lock.json", include_str!("npm/package-lock.json")),
];

/// Success criteria of WCAG 2 A and AA.
const CRITERIA: [&str; 5] = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/// A script that reports the violations of the given rules on the current page, or that none of them applied.
const ACCESSIBILITY_CHECK: &str = r#"
    const [only, done] = arguments;
    const problems = ({violations, passes, incomplete}) => {
        if (violations.length + passes.length + incomplete.length === 0) return ['no rule applied'];
        return violations.flatMap(({id, nodes}) => nodes.map(({html}) => `${id}: ${html}`));
    };
    axe.run(document, {runOnly: only, resultTypes: ['violations'], selectors: false}).then(
        (results) => done(problems(results)),
        (error) => done([String(error)]),
    );
"#;

/// The script of axe-core.
pub struct Axe(String);

impl Axe {
    pub async fn install() -> Self {
        let install = || install_npm_package(env!("CARGO_TARGET_TMPDIR"), "npm-browser", FILES);
        let directory = tokio::task::spawn_blocking(install).await.unwrap();
        Self(std::fs::read_to_string(directory.join("node_modules/axe-core/axe.min.js")).unwrap())
    }

    /// Checks the current page.
    pub async fn check(&self, chrome: &Chrome, page: &str) {
        // Once for each document: reading the script takes longer than many checks.
        if chrome.asked("return typeof axe === 'undefined'").await == true {
            chrome.asked(&self.0).await;
        }
        assert_eq!(Self::violations(chrome, json!(CRITERIA)).await, json!([]), "{page}");
    }

    /// Checks the colors of the current page, which was checked in the other color scheme.
    pub async fn check_colors(&self, chrome: &Chrome, page: &str) {
        let rule = json!({"type": "rule", "values": ["color-contrast"]});
        assert_eq!(Self::violations(chrome, rule).await, json!([]), "{page}");
    }

    async fn violations(chrome: &Chrome, only: Value) -> Value {
        chrome.driver.execute_async(ACCESSIBILITY_CHECK, vec![only]).await.unwrap().json().clone()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_root_and_addresses_without_a_page_are_accessible() {
    let app = App::start(Backend::Sqlite).await;
    let chrome = Chrome::start(true).await;
    let axe = Axe::install().await;
    for scheme in ["light", "dark"] {
        chrome.set_color_scheme(scheme).await;
        for (path, heading) in [
            ("/", "Project administration"),
            ("/teams", "Page not found"),
            ("/auth/revoke", "Page not found"),
            ("/auth/sign-in", "Sign in"),
            ("/auth/device", "Connect a device"),
        ] {
            chrome.open(&format!("{}{path}", app.base)).await;
            chrome.reaches(heading).await;
            assert_eq!(chrome.asked("return document.documentElement.lang").await, "en");
            axe.check(&chrome, &format!("{path} {scheme}")).await;
        }
    }
    chrome.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_in_german_with_the_colors_of_a_project_is_accessible() {
    let app = App::start(Backend::Sqlite).await;
    let (chrome, axe) = (Chrome::start(true).await, Axe::install().await);
    let world = World::make(&app, "acme").await;
    let address = format!("{}{}", app.base, Client::of(&app, &world).authorize(&[("ui_locales", "de")]));
    // Hard to read on white, on black, and on everything.
    for (accent, background) in [("#ffe600", "#ffffff"), ("#101040", "#000000"), ("#808080", "#7f7f7f")] {
        let look = json!({
            "accent_color": accent, "background_color": background, "tos_uri": "https://acme.example/terms",
            "policy_uri": "https://acme.example/privacy",
        });
        world.owner.patch(&format!("/project/{}/settings", world.project), json!({"auth": look})).await.ok();
        for scheme in ["light", "dark"] {
            chrome.show_in(scheme, 1280).await;
            chrome.open(&address).await;
            chrome.reaches("Anmelden").await;
            assert_eq!(chrome.asked("return document.documentElement.lang").await, "de");
            let script = "return getComputedStyle(document.querySelector('.button-primary')).backgroundColor";
            let shown = chrome.asked(script).await;
            assert_eq!(shown.as_str().unwrap(), rgb(accent), "The policy must allow the stylesheet.");
            axe.check(&chrome, &format!("{accent} on {background}, {scheme}")).await;
        }
    }
    chrome.quit().await;
}

/// A color as browsers return it.
fn rgb(color: &str) -> String {
    let share = |at: usize| u8::from_str_radix(&color[at..at + 2], 16).unwrap();
    format!("rgb({}, {}, {})", share(1), share(3), share(5))
}
