//! Opens every page of the console in the browser: it loads without errors, is accessible in both color schemes and
//! fits a narrow window, and some page links to it.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use steward_tests::{App, Backend, Browser, ConsoleWorld, PASSWORD, console_page, console_pages};
use url::Url;

use super::{Console, is_complete};
use crate::accessibility::Axe;

/// Pages that the browser downloads as a file.
const FILES: &[&str] = &[
    "/console/teams/{team}/audit/export",
    "/console/projects/{project}/audit/export",
    "/console/projects/{project}/schema/download",
    "/console/projects/{project}/users/{user}/export",
    "/console/projects/{project}/users/{user}/tables/{table}/export",
    "/console/account/export/file",
    "/console/operator/mail/preview",
];

/// The page that only the link in an email leads to.
const OF_EMAIL: &str = "/console/account/email/confirm";

/// Pages that nothing links to in the state of the fixture, and what leads to them.
const LINKED_IN_ANOTHER_STATE: &[(&str, &str)] = &[
    ("/console/start", "the home page of a person without projects"),
    ("/console/teams/{team}/webhooks/{webhook}/pause", "the page of an active webhook"),
    ("/console/projects/{project}/webhooks/{webhook}/pause", "the page of an active webhook"),
    ("/console/projects/{project}/test-person", "the overview of a project without users"),
    ("/console/projects/{project}/schema/publish", "the form that publishes reviewed changes"),
    ("/console/projects/{project}/users/{user}/tables/{table}/undo", "the message about deleted items"),
    ("/console/account/apps/revoke", "a form for each app with access"),
    ("/console/operator/accounts/{account}/enable", "the page of a disabled account"),
    ("/console/operator/accounts/{account}/keep-factors", "the page of an account whose factors will be removed"),
    ("/console/account/lost-factors/keep", "the page while a removal is scheduled"),
    (OF_EMAIL, "the email to a new address"),
];

/// A script that returns the problems of the current page in a narrow window.
const LAYOUT_CHECK: &str = r#"
    const problems = [];
    const {responseStatus} = performance.getEntriesByType('navigation')[0];
    if (responseStatus !== 200) problems.push(`status ${responseStatus}`);
    const root = document.documentElement;
    if (root.scrollWidth > window.innerWidth) problems.push(`wider than the window: ${root.scrollWidth}`);
    if (document.querySelectorAll('h1').length !== 1) problems.push('not one h1');
    if (document.querySelectorAll('main').length !== 1) problems.push('not one main');
    return problems;
"#;

/// A script that returns the addresses that the current page links or submits to.
const TARGETS: &str = "return [...document.links].map((link) => link.href)
    .concat([...document.forms].map((form) => form.getAttribute('action')))";

/// Checks the current page in both color schemes, wide and narrow.
pub(super) async fn check(console: &Console, axe: &Axe, page: &str) {
    let chrome = &console.chrome;
    for (scheme, width) in [("light", 1280), ("dark", 320)] {
        chrome.show_in(scheme, width).await;
        let view = format!("{page} {scheme} {width}");
        match scheme {
            "dark" if !is_complete() => axe.check_colors(chrome, &view).await,
            _ => axe.check(chrome, &view).await,
        }
    }
    assert_eq!(chrome.asked(LAYOUT_CHECK).await, json!([]), "{page}");
    chrome.save_screenshots(page).await;
}

/// Opens each page and returns the pages of the console that something links to.
async fn check_pages(console: &Console, axe: &Axe, pages: &[String], addresses: &[String]) -> BTreeSet<String> {
    let (mut linked, base) = (BTreeSet::new(), Url::parse(&console.base).unwrap());
    for address in addresses {
        console.open(address).await;
        check(console, axe, address).await;
        let targets: Value = console.chrome.asked(TARGETS).await;
        let targets = targets.as_array().unwrap().iter().filter_map(|target| base.join(target.as_str()?).ok());
        let own = targets.filter(|target| target.origin() == base.origin());
        linked.extend(own.filter_map(|target| console_page(pages, target.path()).map(str::to_owned)));
        assert_eq!(console.chrome.errors().await, Vec::<String>::new(), "{address}");
    }
    linked
}

/// Checks the pages that show an invalid form, ask for the password, and show a secret.
async fn check_states(app: &App, console: &Console, axe: &Axe, project: &str) {
    console.open(&format!("/console/projects/{project}/keys/new")).await;
    console.enter("label", "Example key").await;
    console.press("Create the key", "Your input has errors.").await;
    check_state(console, axe, "an invalid form").await;
    app.age_sessions();
    console.select("[id=roles-read]").await;
    console.press("Create the key", "Your input is kept.").await;
    check_state(console, axe, "the question for the password").await;
    console.enter("confirm_password", PASSWORD).await;
    console.press("Continue", "The key was created").await;
    check_state(console, axe, "a secret").await;
}

/// Checks a page that a form led to. Chromium logs the status of rejected forms.
async fn check_state(console: &Console, axe: &Axe, state: &str) {
    check(console, axe, state).await;
    let errors = console.chrome.errors().await;
    assert!(errors.iter().all(|error| error.contains("status of 400")), "{state}: {errors:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_page_is_linked_accessible_and_free_of_errors() {
    let app = App::start(Backend::Sqlite).await;
    let scene = ConsoleWorld::make(&app, "acme").await;
    app.make_operator("acme-owner").await;
    let token = Browser::signed_in(&app, "acme-owner").await.create_token().await;
    let console = Console::sign_in(&app, true, "acme-owner").await;
    let axe = Axe::install().await;

    let pages = console_pages();
    let opened = pages.iter().filter(|page| !FILES.contains(&page.as_str()) && *page != OF_EMAIL);
    let mut addresses: Vec<String> = opened.map(|page| scene.address(page, &token)).collect();
    addresses.insert(0, "/".to_owned());
    let linked = check_pages(&console, &axe, &pages, &addresses).await;
    let in_another_state: Vec<&str> = LINKED_IN_ANOTHER_STATE.iter().map(|(page, _)| *page).collect();
    let exceptions: Vec<&str> = [FILES, in_another_state.as_slice()].concat();
    let unknown: Vec<&str> = exceptions.into_iter().filter(|page| !pages.iter().any(|known| known == page)).collect();
    assert!(unknown.is_empty(), "The console has no pages {unknown:?}");
    let unlinked: Vec<&String> =
        pages.iter().filter(|page| !linked.contains(*page) && !in_another_state.contains(&page.as_str())).collect();
    assert!(unlinked.is_empty(), "Nothing links to {unlinked:?}");

    check_states(&app, &console, &axe, &scene.world.project).await;
    console.quit().await;
}
