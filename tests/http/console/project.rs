//! Projects in the console: creating, overview, settings, sign-in and deletion.

use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::USER_AGENT;
use serde_json::{Value, json};
use steward_crypto::SystemClock;
use steward_domain::administration::Day;
use steward_domain::kernel::Clock as _;
use steward_tests::{Browser, Client, PASSWORD, Page, World, on_sqlite, parameter};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::{copyable, links_to, project_of, signed_in, team_of};

/// A GIF image of 16 x 16 pixels. It is valid UTF-8, so that the harness can send it in a form.
pub const GIF: &str = "GIF89a\x10\0\x10\0\0\0\0,\0\0\0\0\x10\0\x10\0\0\x02\x01D\0;";

async fn settings(world: &World) -> Value {
    world.owner.get(&format!("/project/{}/settings", world.project)).await.ok()["data"]["auth"].clone()
}

/// The current day in UTC.
fn today() -> Day {
    SystemClock.now().date_naive()
}

/// Checks the page of a project on the day on which it was set up.
fn check_overview(page: &Page, days: usize) {
    // The chart of the requests is drawn once the requests of the setup are stored.
    let bars = page.html.matches("class=\"chart-bar\"").count();
    assert!([days, 2 * days].contains(&bars), "{page}");
    assert_eq!(page.html.matches("<tr><td>20").count(), 2 * days, "The tables have the numbers of the charts.");
    for text in ["Users 1", "Active today 1", "Requests today", "API keys 1 200 0%", "Items 1 10,000,000 0%"] {
        assert!(page.text().contains(text), "{text}: {page}");
    }
}

on_sqlite! {
    async fn a_project_is_created_from_the_home_page_with_a_slug_of_its_own(app: &App) {
        let world = World::make(app, "acme").await;
        let browser = signed_in(app, "acme-owner").await;
        assert!(links_to(&browser.open("/").await, "/console/projects/new"));
        let new = format!("{}/projects/new", team_of(&world));
        let form = browser.open("/console/projects/new").await;
        assert!(form.is_at(&new), "A single team needs no choice. {form}");
        let refused = browser.submit(&form, &new, &[("name", "Rocket"), ("slug", "acme")]).await;
        assert!(refused.status == 409 && refused.html.contains("value=\"Rocket\""), "{refused}");
        for _ in 0..2 {
            let created = browser.submit(&refused, &new, &[("slug", "")]).await;
            assert!(created.heading() == "Rocket" && created.text().contains("was created."), "{created}");
        }
        let listed = world.owner.get("/project/").await.ok();
        let slugs: Vec<_> = listed["data"].as_array().unwrap().iter().map(|project| &project["slug"]).collect();
        assert!(slugs.len() == 2 && slugs.contains(&&json!("rocket")), "{slugs:?}");

        let second = json!({"name": "Second", "slug": "second"});
        world.owner.post("/team/", second).await.created();
        let choice = browser.open("/console/projects/new").await;
        assert!(choice.text().contains("Choose a team") && links_to(&choice, &new), "{choice}");
    }

    async fn the_overview_shows_users_and_usage(app: &App) {
        // At midnight in UTC, a day without active users begins. Then another project is set up.
        for name in ["acme", "other"] {
            let day = today();
            let world = World::make(app, name).await;
            let browser = signed_in(app, &format!("{name}-owner")).await;
            let mut pages = Vec::new();
            for (query, days) in [("", 30), ("?days=7", 7), ("?days=1000", 30)] {
                pages.push((browser.open(&format!("{}{query}", project_of(&world))).await, days));
            }
            if today() == day {
                return pages.iter().for_each(|(page, days)| check_overview(page, *days));
            }
        }
        panic!("Midnight passed twice.");
    }

    async fn the_steps_stay_until_they_are_done_and_a_test_person_is_one_that_is_removed_at_once(app: &App) {
        let world = World::make(app, "acme").await;
        world.member(app, "vic", "viewer").await;
        let second = json!({"name": "Second", "team_id": world.team, "slug": "second"});
        let project = world.owner.post("/project", second).await.created().id();
        let schema = json!({"schema": {"tables": {"notes": {"fields": {"title": {"type": "string", "required": true}}}}}});
        world.owner.post(&format!("/project/{project}/schema"), schema).await.ok();
        let (browser, overview) = (signed_in(app, "acme-owner").await, format!("/console/projects/{project}"));
        let page = browser.open(&overview).await;
        for step in ["Connect your app", "Sign in as the first person", "Store the first item", "Invite a colleague (done)"] {
            assert!(page.text().contains(step), "{step}: {page}");
        }
        assert!(!signed_in(app, "vic").await.open(&overview).await.text().contains("Next steps"));

        let (add, users) = (format!("{overview}/test-person"), format!("{overview}/users"));
        assert!(links_to(&page, &add), "{page}");
        let (first, second) = (browser.open(&add).await, browser.open(&add).await);
        let added = browser.submit(&first, &add, &[]).await;
        assert!(added.text().contains("This is a test person"), "{added}");
        let user = added.url.path().rsplit('/').next().unwrap().to_owned();
        let again = browser.submit(&second, &add, &[]).await;
        assert!(again.is_at(&users) && again.text().contains("You are already a user of this project."), "{again}");
        assert!(again.text().contains("Test person"), "{again}");
        let items = world.owner.get(&format!("/project/{project}/user/{user}/db/notes")).await.ok();
        assert_eq!(items["data"].as_array().unwrap().len(), 2, "{items:?}");
        let page = browser.open(&overview).await;
        assert!(page.text().contains("Store the first item (done)") && !links_to(&page, &add), "{page}");

        let erase = format!("{users}/{user}/erase");
        let form = browser.open(&erase).await;
        let erased = browser.submit(&form, &erase, &[("confirm", "acme-owner")]).await;
        assert!(erased.is_at(&users) && erased.text().contains("were erased."), "{erased}");
        assert!(links_to(&browser.open(&overview).await, &add), "The person can be added again.");
    }

    async fn the_page_connect_shows_the_first_sign_in(app: &App) {
        let world = World::make(app, "acme").await;
        let chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0 Safari/537.36";
        let browser = Browser::with_header(app, USER_AGENT, chrome);
        let page = browser.open(&format!("{}/connect", project_of(&world))).await;
        let page = browser.allow(page, "acme-owner").await;
        let text = page.text();
        assert!(text.contains("First sign-in at") && text.contains("UTC: acme-visitor"), "{text}");
        assert!(!text.contains("from Chrome"), "The browsers of others are not shown: {text}");

        let second = json!({"name": "Second", "team_id": world.team, "slug": "second"});
        let project = world.owner.post("/project", second).await.created().id();
        let connect = format!("/console/projects/{project}/connect");
        let text = browser.open(&connect).await.text();
        assert!(text.contains("Waiting for the first sign-in") && text.contains("Waiting for the first request"), "{text}");
        // The page looks again after a pause that grows, and stops after ten minutes.
        for (waited, next, pause) in [(0, 3, 3), (3, 6, 3), (100, 113, 13), (599, 629, 30)] {
            let page = browser.open(&format!("{connect}?waited={waited}")).await;
            let attributes = format!("&amp;waited={next}\" hx-trigger=\"every {pause}s\"");
            assert!(page.html.contains(&attributes) && !page.text().contains("Look again"), "{attributes}: {page}");
        }
        let ended = browser.open(&format!("{connect}?waited=629")).await;
        assert!(!ended.html.contains("hx-trigger") && ended.text().contains("Look again"), "{ended}");
        let client = Client::of(app, &World { project, ..world });
        let code = client.code(&browser, "acme-owner", &[]).await;
        client.redeem(&code, &[]).await.ok();
        let text = browser.open(&connect).await.text();
        assert!(text.contains("First sign-in at") && text.contains("from Chrome on Linux: acme-owner"), "{text}");
    }

    async fn the_page_connect_has_all_commands_and_files(app: &App) {
        let world = World::make(app, "acme").await;
        let browser = signed_in(app, "acme-owner").await;
        let connect = format!("{}/connect", project_of(&world));
        for (framework, name, file) in [("nextjs", "next", "app/layout.tsx"), ("flask", "flask", "tables.py")] {
            let page = browser.open(&format!("{connect}?framework={framework}")).await;
            assert!(page.html.contains(&format!("?framework={framework}\" aria-current=\"page\"")), "{page}");
            let line = format!("steward init --project {} --framework {name} --server {}", world.project, app.base);
            assert_eq!(copyable(&page, "init"), line);
            // Before the values, and the schema of the project is published.
            assert!(page.html.find(&line) < page.html.find("Does it work?"), "{page}");
            assert!(copyable(&page, "steps").contains(&format!("{}/sdk/", app.base)), "{page}");
            let labels = page.text();
            assert!([file, "steward.json", "schema.json"].iter().all(|label| labels.contains(label)), "{labels}");
        }
        // Where no line writes the app, the files come first, and the commands need nothing else.
        for (framework, file) in [("python", "notes.py"), ("expo", "App.tsx")] {
            let page = browser.open(&format!("{connect}?framework={framework}")).await;
            let (html, steps) = (&page.html, copyable(&page, "steps"));
            let save = html.find("First save the <a href=\"#files\">files below</a> in an empty directory.");
            assert!(save.is_some() && save < html.find("id=\"steps\"") && page.text().contains(file), "{page}");
            assert!(steps.starts_with(&format!("steward login --server {}\n", app.base)), "{steps}");
            assert!(!steps.contains("steward schema") && !html.contains("id=\"init\""), "{steps}");
        }
        let react = browser.open(&connect).await;
        assert!(react.html.contains("target/quick:$PATH") && !react.html.contains("First save the"), "{react}");
        let overview = browser.open(&project_of(&world)).await;
        let code = copyable(&overview, "typescript");
        assert!(code.contains("createAdmin") && !code.contains("fetch("), "{code}");
        assert!(copyable(&overview, "python").contains("from steward_sdk import Steward"), "{overview}");
        assert!(copyable(&overview, "rust").contains("use steward_client::"), "{overview}");
    }

    async fn settings_are_changed_and_the_rest_of_the_profile_stays(app: &App) {
        let world = World::make(app, "acme").await;
        let (path, browser) = (format!("/project/{}", world.project), signed_in(app, "acme-owner").await);
        let profile = json!({"profile": {"styles": {"accent": "red"}, "motto": "Up"}});
        world.owner.patch(&path, profile).await.ok();
        let settings = format!("{}/settings", project_of(&world));
        let form = browser.open(&settings).await;
        let refused = browser.submit(&form, &settings, &[("website", "x"), ("icon_url", "javascript:x")]).await;
        assert!(refused.status == 400 && refused.text().contains("Icon URL must be an http(s) URL"), "{refused}");
        let icon = "https://cdn.example/icon.png";
        let values = [("name", "Acme app"), ("website", "https://acme.example"), ("icon_url", icon),
            ("background_url", "https://cdn.example/back.png")];
        let done = browser.submit(&refused, &settings, &values).await;
        assert!(done.is_at(&settings) && done.text().contains("The project was changed."), "{done}");
        let project = world.owner.get(&path).await.ok();
        assert_eq!(project["data"]["name"], "Acme app");
        let styles = json!({"accent": "red", "background_url": "https://cdn.example/back.png"});
        assert_eq!(project["data"]["profile"], json!({"styles": styles, "motto": "Up", "icon_url": icon}));
        let stale = browser.submit(&form, &settings, &[("name", "Mine")]).await;
        assert!(stale.status == 412 && stale.html.contains("value=\"Mine\""), "{stale}");
        browser.submit(&done, &settings, &[("icon_url", ""), ("background_url", "")]).await;
        let project = world.owner.get(&path).await.ok();
        assert_eq!(project["data"]["profile"], json!({"styles": {"accent": "red"}, "motto": "Up"}));
    }

    async fn sign_in_settings_are_changed_and_their_sample_link_works(app: &App) {
        let world = World::make(app, "acme").await;
        let (sign_in, browser) = (format!("{}/sign-in", project_of(&world)), signed_in(app, "acme-owner").await);
        let form = browser.open(&sign_in).await;
        let addresses = "https://app.example/cb\r\n\r\nhttp://app.example/cb\r\nnonsense";
        let refused = browser.submit(&form, &sign_in, &[("redirect_uris", addresses)]).await;
        for line in ["Line 3 (\"http://app.example/cb\") must be an https URL", "Line 4 (\"nonsense\") must be"] {
            // Above the form, and below the field.
            assert!(refused.status == 400 && refused.text().matches(line).count() == 2, "{line}: {refused}");
        }
        assert!(refused.html.contains("http://app.example/cb"), "{refused}");
        let values = [("redirect_uris", "https://app.example/cb"), ("legacy_scopes", "yes"),
            ("post_logout_redirect_uris", "https://app.example/bye")];
        let done = browser.submit(&refused, &sign_in, &values).await;
        assert!(done.is_at(&sign_in) && done.text().contains("were changed."), "{done}");
        let stored = settings(&world).await;
        assert_eq!((&stored["require_pkce"], &stored["legacy_scopes"]), (&json!(true), &json!(true)));
        assert_eq!(stored["post_logout_redirect_uris"], json!(["https://app.example/bye"]));

        let link = copyable(&done, "link").replace("&#38;", "&").replace("&amp;", "&");
        let back = browser.sign_in_and_allow(&link, "acme-owner").await;
        assert!(back.starts_with("https://app.example/cb?"), "{back}");
        let code = parameter(&back, "code").unwrap();
        let exchange = copyable(&done, "exchange");
        let verifier = exchange.split("code_verifier=").nth(1).unwrap().trim();
        let body = json!({"grant_type": "authorization_code", "code": code, "code_verifier": verifier,
            "redirect_uri": "https://app.example/cb"});
        app.anonymous().post("/auth/token", body).await.ok();
    }

    async fn viewers_read_the_sign_in_settings_without_a_form(app: &App) {
        let world = World::make(app, "acme").await;
        world.member(app, "vic", "viewer").await;
        let (sign_in, browser) = (format!("{}/sign-in", project_of(&world)), signed_in(app, "vic").await);
        let page = browser.open(&sign_in).await;
        assert!(page.status == 200 && page.text().contains("PKCE Required"), "{page}");
        assert!(page.forms().iter().all(|form| form.action.path() != sign_in), "{page}");
    }

    async fn images_are_uploaded_and_removed(app: &App) {
        let world = World::make(app, "acme").await;
        let browser = signed_in(app, "acme-owner").await;
        for name in ["icon", "background"] {
            let image = format!("{}/images/{name}", project_of(&world));
            let form = browser.open(&image).await;
            let refused = browser.submit(&form, &image, &[("file", "not an image")]).await;
            assert!(refused.status == 400 && refused.text().contains("is not a PNG, JPEG, WebP or GIF"), "{refused}");
            let refused = browser.submit(&refused, &image, &[]).await;
            assert!(refused.status == 400 && refused.text().contains("Choose an image."), "{refused}");
            let large = "x".repeat(9 * 1024 * 1024);
            let refused = browser.submit(&refused, &image, &[("file", &large)]).await;
            assert!(refused.status == 400 && refused.text().contains("MiB. Send a smaller file."), "{refused}");
            let done = browser.submit(&refused, &image, &[("file", GIF)]).await;
            assert!(done.is_at(&image) && done.text().contains("The image was uploaded."), "{done}");
            let source = done.html.split("<img src=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
            assert_eq!(browser.open(&source).await.status, StatusCode::OK, "{source}");

            let remove = format!("{image}/remove");
            let page = browser.open(&remove).await;
            let removed = browser.submit(&page, &remove, &[]).await;
            assert!(removed.is_at(&image) && !removed.html.contains("<img"), "{removed}");
            assert_eq!(browser.open(&source).await.status, StatusCode::NOT_FOUND);
        }
        assert_eq!(browser.open(&format!("{}/images/other", project_of(&world))).await.status, StatusCode::NOT_FOUND);
    }

    async fn an_image_is_refused_without_permission_before_it_is_received(app: &App) {
        let world = World::make(app, "acme").await;
        world.member(app, "vic", "viewer").await;
        let cookie = signed_in(app, "vic").await.cookie_header();
        let address = app.base.strip_prefix("http://").unwrap();
        let mut stream = TcpStream::connect(address).await.unwrap();
        let head = format!(
            "POST {}/images/icon HTTP/1.1\r\nHost: {address}\r\nCookie: {cookie}\r\nContent-Length: 1000\r\n\
             Content-Type: multipart/form-data; boundary=cut\r\n\r\n",
            project_of(&world)
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut start = [0; 12];
        // Less than the time limit for a form to arrive.
        timeout(Duration::from_secs(30), stream.read_exact(&mut start)).await.unwrap().unwrap();
        assert_eq!(&start, b"HTTP/1.1 403");
    }

    async fn a_project_is_deleted_by_typing_its_slug(app: &App) {
        let world = World::make(app, "acme").await;
        let browser = signed_in(app, "acme-owner").await;
        let delete = format!("{}/delete", project_of(&world));
        app.age_sessions();
        let page = browser.open(&delete).await;
        let asked = browser.submit(&page, &delete, &[("confirm", "acme")]).await;
        assert_eq!(asked.heading(), "Confirm that it is you", "{asked}");
        let wrong = browser.submit(&asked, &delete, &[("confirm_password", "not the password")]).await;
        assert!(wrong.status == 400 && wrong.heading() == "Confirm that it is you", "{wrong}");
        world.owner.get(&format!("/project/{}", world.project)).await.ok();
        let done = browser.submit(&wrong, &delete, &[("confirm_password", PASSWORD)]).await;
        assert!(done.text().contains("The project acme was deleted."), "{done}");
        world.owner.get(&format!("/project/{}", world.project)).await.is_not_found();
    }
}
