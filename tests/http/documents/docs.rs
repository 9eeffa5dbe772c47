//! The documentation at `/docs`, and as files.

use std::collections::{BTreeSet, VecDeque};

use serde_json::json;
use steward_tests::{App, Browser, Form, World, on_sqlite};
use url::Url;

/// The ID of the project in samples.
const EXAMPLE: &str = "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55";

/// The value of a field of a form.
fn value<'a>(form: &'a Form, name: &str) -> Option<&'a str> {
    form.fields.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
}

on_sqlite! {
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

    async fn an_operation_is_tried_as_the_person_who_is_signed_in(app: &App) {
        let world = World::make(app, "reader").await;
        let browser = Browser::signed_in(app, "reader-owner").await;
        let path = "/docs/reference/getProject";
        let page = browser.open(path).await;
        assert_eq!(value(&page.form(path), "path.id"), Some(world.project.as_str()));
        let tried = browser.submit(&page, path, &[]).await;
        assert!(tried.status == 200 && tried.text().contains("Response: 200 OK"), "{tried}");
        assert!(tried.html.contains(&format!("&quot;{}&quot;", world.project)) || tried.html.contains(&format!("&#34;{}&#34;", world.project)), "{tried}");
        let unknown = browser.submit(&tried, path, &[("path.id", EXAMPLE)]).await;
        assert!(unknown.status == 404 && unknown.text().contains("Response: 404 Not Found"), "{unknown}");

        // A change is confirmed, and happens once however often the form is sent.
        let (path, body) = ("/docs/reference/createTeam", json!({"name": "Tried", "slug": "tried"}).to_string());
        let page = browser.open(path).await;
        let unconfirmed = browser.submit(&page, path, &[("body", &body)]).await;
        assert!(unconfirmed.status == 422 && unconfirmed.text().contains("Confirm that"), "{unconfirmed}");
        let teams = async || world.owner.get("/team").await.ok().0.to_string().matches("Tried").count();
        assert_eq!(teams().await, 0);
        let confirmed = [("body", body.as_str()), ("confirm", "yes")];
        let created = browser.submit(&unconfirmed, path, &confirmed).await;
        assert!(created.text().contains("Response: 201 Created"), "{created}");
        let again = browser.submit(&unconfirmed, path, &confirmed).await;
        assert!(again.text().contains("Response: 201 Created"), "{again}");
        let next = browser.submit(&created, path, &confirmed).await;
        assert!(next.status == 409 && next.text().contains("slug"), "{next}");
        assert_eq!(teams().await, 1);

        // The path of an operation stays its own.
        let path = "/docs/reference/deleteTeam";
        for id in ["", ".", "..", &format!("../team/{}", world.team), &format!("{}/member", world.team)] {
            let page = browser.open(path).await;
            let refused = browser.submit(&page, path, &[("path.team_id", id), ("confirm", "yes")]).await;
            assert!([400, 404, 422].contains(&refused.status.as_u16()), "{refused}");
        }
        world.owner.get(&format!("/team/{}", world.team)).await.ok();

        // A streamed response is complete, although its caller is authenticated again while it is sent.
        for (operation, expected) in [("exportUser", "exported_at"), ("listProjects", &world.project)] {
            let path = format!("/docs/reference/{operation}");
            let page = browser.open(&path).await;
            let user = page.form(&path).fields.iter().any(|(name, _)| name == "path.user_id");
            let fields = [("path.user_id", world.user.as_str())];
            let tried = browser.submit(&page, &path, if user { &fields } else { &[] }).await;
            assert!(tried.text().contains("Response: 200 OK") && tried.html.contains(expected), "{tried}");
            assert!(!tried.text().contains("The response failed"), "{tried}");
        }
    }

    async fn a_list_is_tried_with_conditions(app: &App) {
        let world = World::make(app, "reader").await;
        let notes = format!("/project/{}/user/{}/db/notes", world.project, world.user);
        for (id, title) in [("water", "Water plants"), ("call", "Call & write")] {
            world.owner.put(&format!("{notes}/{id}"), json!({"value": {"title": title}})).await.created();
        }
        let browser = Browser::signed_in(app, "reader-owner").await;
        let path = "/docs/reference/listItems";
        let page = browser.open(path).await;
        let mut fields = vec![("path.user_id", world.user.as_str()), ("path.table_id", "notes")];
        fields.push(("query.conditions", "title=like.Call %26*&done=is.null"));
        let tried = browser.submit(&page, path, &fields).await;
        assert!(tried.text().contains("Response: 200 OK") && tried.text().contains("Call & write"), "{tried}");
        assert!(!tried.html.contains("Water plants"), "{tried}");
        fields[2].1 = "nowhere=eq.1";
        let refused = browser.submit(&page, path, &fields).await;
        assert!(refused.status == 400 && refused.text().contains("nowhere"), "{refused}");
    }

    async fn the_navigation_is_open_where_the_reader_is(app: &App) {
        let browser = Browser::new(app);
        let open = "<details open>";
        for (path, titles) in [
            ("/docs/guides/webhooks", vec!["Guides"]),
            ("/docs/reference/createTeam", vec!["API reference", "Teams"]),
            ("/docs/decisions/0065-documentation", vec!["Background", "Decisions"]),
            ("/docs", vec![]),
        ] {
            let html = browser.open(path).await.html;
            let navigation = html.split("id=\"pages\"").nth(1).unwrap().split("</nav>").next().unwrap();
            let opened = navigation.split(open).skip(1).map(|rest| {
                let title = rest.split("<summary>").nth(1).unwrap();
                title.split('<').next().unwrap()
            });
            assert_eq!(opened.collect::<Vec<_>>(), titles, "{path}");
        }
        let page = browser.open("/docs/guides/webhooks").await;
        assert_eq!(page.html.matches("<script").count(), 1, "{page}");
        assert!(page.html.contains("<script src=\"/docs/assets/docs.js\" defer></script>"), "{page}");
        let policy = page.headers["content-security-policy"].to_str().unwrap();
        assert!(policy.contains("script-src 'self'; style-src 'self'") && !policy.contains("unsafe"), "{policy}");
    }

    async fn an_operation_is_not_tried_for_other_sites(app: &App) {
        let world = World::make(app, "reader").await;
        let browser = Browser::signed_in(app, "reader-owner").await;
        let path = "/docs/reference/deleteProject";
        let token = value(&browser.open(path).await.form(path), "csrf").unwrap().to_owned();
        let send = async |csrf: &str, site: &str| {
            let fields = [("csrf", csrf), ("path.id", &world.project), ("confirm", "yes")];
            let request = reqwest::Client::new().post(format!("{}{path}", app.base)).form(&fields);
            request.header("Cookie", browser.cookie_header()).header("Sec-Fetch-Site", site).send().await.unwrap()
        };
        let stranger = World::make(app, "stranger").await;
        let other = Browser::signed_in(app, "stranger-owner").await;
        let foreign = value(&other.open(path).await.form(path), "csrf").unwrap().to_owned();
        for (csrf, site) in [("", "same-origin"), (foreign.as_str(), "same-origin"), (token.as_str(), "cross-site")] {
            assert_eq!(send(csrf, site).await.status(), 403, "{csrf} {site}");
        }
        world.owner.get(&format!("/project/{}", world.project)).await.ok();
        stranger.owner.get(&format!("/project/{}", stranger.project)).await.ok();
        assert_eq!(send(&token, "same-origin").await.status(), 200);
        world.owner.get(&format!("/project/{}", world.project)).await.refused(404, "not_found");
    }

    async fn the_session_does_not_reach_an_operation_that_is_tried_with_a_key(app: &App) {
        let world = World::make(app, "reader").await;
        let browser = Browser::signed_in(app, "reader-owner").await;
        let path = "/docs/reference/authorize";
        let page = browser.open(path).await;
        let key = world.key.credential.clone().unwrap();
        let fields = [
            ("key", key.as_str()),
            ("query.client_id", &world.project),
            ("query.redirect_uri", "http://localhost:9/callback"),
            ("query.response_type", "code"),
            ("query.scope", "openid"),
            ("query.code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
            ("query.code_challenge_method", "S256"),
        ];
        let tried = browser.submit(&page, path, &fields).await;
        assert!(tried.text().contains("location:") && tried.text().contains("/auth/sign-in"), "{tried}");
        let silent = [&fields[..], &[("query.prompt", "none")]].concat();
        let tried = browser.submit(&page, path, &silent).await;
        assert!(tried.html.contains("error=login_required") && !tried.html.contains("callback?code="), "{tried}");
    }

    async fn an_operation_is_tried_with_a_credential(app: &App) {
        let (world, stranger) = (World::make(app, "keys").await, World::make(app, "stranger").await);
        let key = world.key.credential.clone().unwrap();
        let path = "/docs/reference/getProject";
        let (anonymous, signed_in) = (Browser::new(app), Browser::signed_in(app, "stranger-owner").await);
        for browser in [&anonymous, &signed_in] {
            let page = browser.open(path).await;
            let tried = browser.submit(&page, path, &[("path.id", &world.project), ("key", &key)]).await;
            assert!(tried.text().contains("Response: 200 OK"), "{tried}");
            assert!(!tried.html.contains(&key), "The credential is not shown again.");
            let wrong = browser.submit(&page, path, &[("path.id", &world.project), ("key", "invented")]).await;
            assert!(wrong.status == 401 && wrong.text().contains("Response: 401"), "{wrong}");
            // The credential counts, and nothing else does.
            let other = browser.submit(&page, path, &[("path.id", &stranger.project), ("key", &key)]).await;
            assert!(other.status == 403 || other.status == 404, "{other}");
        }
        let page = anonymous.open(path).await;
        let without = anonymous.submit(&page, path, &[("path.id", &world.project)]).await;
        assert!(without.status == 401, "{without}");
        let fields = [("path.id", world.project.as_str()), ("key", &key)];
        let request = reqwest::Client::new().post(format!("{}{path}", app.base)).form(&fields);
        assert_eq!(request.header("Sec-Fetch-Site", "cross-site").send().await.unwrap().status(), 403);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_operation_whose_request_is_json_can_be_tried() {
    let app = App::start(steward_tests::Backend::Sqlite).await;
    let document = app.anonymous().get("/docs/json").await.json();
    let browser = Browser::new(&app);
    let mut tried = 0;
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let address = format!("/docs/reference/{}", operation["operationId"].as_str().unwrap());
            let page = browser.open(&address).await;
            let form = page.forms().into_iter().find(|form| form.action.path() == address);
            let content = operation["requestBody"]["content"].as_object();
            let is_json = content.is_none_or(|content| content.keys().next().unwrap() == "application/json");
            assert_eq!(form.is_some(), is_json, "{method} {path}");
            let Some(form) = form else { continue };
            for name in path.split('{').skip(1).filter_map(|rest| rest.split('}').next()) {
                assert!(value(&form, &format!("path.{name}")).is_some(), "{address} {name}");
            }
            assert_eq!(value(&form, "body").is_some(), operation.get("requestBody").is_some(), "{address}");
            tried += 1;
        }
    }
    assert!(tried > 120, "{tried}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_response_to_an_operation_is_bounded() {
    let app = App::start(steward_tests::Backend::Sqlite).await;
    let browser = Browser::new(&app);
    let path = "/docs/reference/getOpenApi";
    let page = browser.open(path).await;
    let tried = browser.submit(&page, path, &[]).await;
    assert!(tried.text().contains("The response is longer") && tried.html.len() < 1_000_000, "{}", tried.html.len());
    let fields = [("body", "x".repeat(300 * 1024)), ("confirm", "yes".to_owned())];
    let request = reqwest::Client::new().post(format!("{}/docs/reference/createTeam", app.base)).form(&fields);
    assert_eq!(request.send().await.unwrap().status(), 413);
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
