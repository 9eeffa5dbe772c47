//! The documentation at `/docs`, and as files.

use std::collections::{BTreeSet, VecDeque};

use serde_json::json;
use steward_tests::{App, Browser, World, on_both};
use url::Url;

/// The ID of the project in samples.
const EXAMPLE: &str = "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55";

on_both! {
    async fn samples_are_for_the_service_and_the_project_of_the_reader(app: &App) {
        let world = World::make(app, "reader").await;
        let more = json!({"name": "Xylophone", "team_id": world.team, "slug": "reader-second"});
        let second = world.owner.post("/project", more).await.created().id();
        let path = "/docs/reference/createKey";
        let anonymous = Browser::new(app).open(path).await;
        assert!(anonymous.html.contains(&format!("{}/project/{EXAMPLE}/key", app.base)), "{anonymous}");
        assert!(!anonymous.html.contains("localhost:3003") && !anonymous.html.contains(&world.project));

        let browser = Browser::signed_in(app, "reader-owner").await;
        let mut shown = BTreeSet::new();
        for project in [&world.project, &second] {
            let page = browser.open(&format!("/docs/project?id={project}&path=reference/createKey")).await;
            assert!(page.is_at(path), "{page}");
            assert!(page.html.contains(&format!("{}/project/{project}/key", app.base)), "{page}");
            assert!(!page.html.contains(EXAMPLE), "{page}");
            assert_eq!(page.headers["cache-control"], "no-store");
            shown.insert(project);
        }
        assert_eq!(shown.len(), 2);

        // A project of others is not shown, even if the browser asks for it.
        World::make(app, "stranger").await;
        let other = Browser::signed_in(app, "stranger-owner").await;
        let page = other.open(&format!("/docs/project?id={}&path=reference/createKey", world.project)).await;
        assert!(!page.html.contains(&world.project) && !page.html.contains("Xylophone"), "{page}");
        assert_eq!(other.open("/docs/project?id=x&path=//evil.example").await.status, 404);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_link_of_the_documentation_is_dead() {
    let app = App::start(steward_tests::Backend::Sqlite).await;
    let (browser, base) = (Browser::new(&app), Url::parse(&app.base).unwrap());
    let (mut seen, mut dead) = (BTreeSet::new(), Vec::new());
    let mut open = VecDeque::from([(base.join("/docs").unwrap(), base.clone())]);
    while let Some((mut url, from)) = open.pop_front() {
        url.set_fragment(None);
        let is_page = url.path().starts_with("/docs") && !url.path().ends_with(".json") && url.path() != "/docs/json";
        if url.origin() != base.origin() || !is_page || !seen.insert(url.clone()) {
            continue;
        }
        let page = browser.open(url.as_str()).await;
        if page.status != 200 {
            dead.push(format!("{url} at {from}"));
        }
        if !url.path().ends_with(".md") && !url.path().ends_with(".txt") {
            open.extend(page.links().iter().filter_map(|link| Some((url.join(link).ok()?, url.clone()))));
        }
    }
    assert!(dead.is_empty() && seen.len() > 250, "{} pages, of which are dead: {dead:#?}", seen.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_search_shows_pages_and_escapes_the_query() {
    let app = App::start(steward_tests::Backend::Sqlite).await;
    let browser = Browser::new(&app);
    let page = browser.open("/docs/search?q=rotate+an+API+key").await;
    assert!(page.links().iter().any(|link| link.starts_with("/docs/guides/roles-and-keys")), "{page}");
    let page = browser.open("/docs/search?q=%3Cxyzzyx%3E").await;
    assert!(page.status == 200 && !page.html.contains("<xyzzyx") && page.text().contains("No page"), "{page}");
    let page = browser.open("/docs/search").await;
    assert!(page.text().contains("Enter words"), "{page}");
    assert_eq!(browser.open(&format!("/docs/search?q={}", "project+".repeat(1_000))).await.status, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_are_available_as_markdown() {
    let app = App::start(steward_tests::Backend::Sqlite).await;
    let index = app.anonymous().get("/docs/llms.txt").await;
    let index = String::from_utf8(index.body).unwrap();
    assert!(index.starts_with("# Steward\n\n> "), "{index}");
    let address = format!("{}/docs/guides/react.md", app.base);
    assert!(index.contains(&format!("({address})")), "{index}");
    let text = app.anonymous().get("/docs/guides/react.md").await;
    assert!(text.header("Content-Type").starts_with("text/markdown"), "{:?}", text.headers);
    let text = String::from_utf8(text.body).unwrap();
    assert!(text.starts_with("# React") && !text.contains("localhost:3003"), "{text}");
    let operation = app.anonymous().get("/docs/reference/createTeam.md").await;
    assert!(String::from_utf8(operation.body).unwrap().contains("POST /team"));
    assert_eq!(app.anonymous().get("/docs/asyncapi.json").await.json()["asyncapi"], "3.0.0");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_documentation_is_written_as_files_whose_links_work() {
    let app = App::start(steward_tests::Backend::Sqlite).await;
    let directory = tempfile::tempdir().unwrap();
    let site = directory.path().join("site");
    let written = app.run(&["docs", site.to_str().unwrap()], "").await;
    assert!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
    let (mut open, mut seen) = (VecDeque::from(["/".to_owned()]), BTreeSet::new());
    while let Some(link) = open.pop_front() {
        let path = link.split('#').next().unwrap().to_owned();
        if !path.starts_with('/') || !seen.insert(path.clone()) {
            continue;
        }
        let file = site.join(path.trim_start_matches('/'));
        let file = if file.is_dir() { file.join("index.html") } else { file };
        let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{path}: {error}"));
        if file.extension().is_some_and(|extension| extension == "html") {
            let links = ["href", "src"].map(|name| format!(" {name}=\""));
            open.extend(
                links
                    .iter()
                    .flat_map(|start| text.split(start.as_str()).skip(1))
                    .map(|rest| rest.split('"').next().unwrap().to_owned()),
            );
            assert!(!text.contains("/docs/search") && !text.contains("<script"), "{path}");
        }
    }
    assert!(seen.len() > 250, "{}", seen.len());
    let again = app.run(&["docs", site.to_str().unwrap()], "").await;
    assert!(!again.status.success(), "Nothing is replaced without a confirmation.");
}
