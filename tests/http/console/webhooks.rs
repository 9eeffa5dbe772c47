//! Webhooks of teams and projects in the console.

use serde_json::json;
use steward_tests::{App, Backend, PASSWORD, Receiver, World, eventually, on_sqlite};

use super::{copyable, links_to, project_of, signed_in, team_of};

/// The addresses of the lists of webhooks of the team and the project, each with its path in the API.
fn scopes(world: &World) -> [(String, String); 2] {
    [("team", &world.team), ("project", &world.project)]
        .map(|(kind, id)| (format!("/console/{kind}s/{id}/webhooks"), format!("/{kind}/{id}/webhook")))
}

/// ID of the only webhook in the list of this path of the API.
async fn only_webhook(world: &World, path: &str) -> String {
    let listed = world.owner.get(path).await.ok();
    assert_eq!(listed["data"].as_array().unwrap().len(), 1);
    listed["data"][0]["id"].as_str().unwrap().to_owned()
}

// No event that these webhooks receive happens.
const URL: (&str, &str) = ("url", "https://example.com/hook");
const EVENTS: (&str, &str) = ("events", "schema.created");

/// The hints of forms in a service with these settings.
async fn hints(settings: &[(&str, &str)]) -> String {
    let app = App::start_with(Backend::Sqlite, settings).await;
    let world = World::make(&app, "acme").await;
    let browser = signed_in(&app, "acme-owner").await;
    let mut text = String::new();
    let pages = [
        format!("{}/webhooks/new", project_of(&world)),
        format!("{}/sign-in", project_of(&world)),
        format!("{}/invites/new", team_of(&world)),
        "/console/account/email".to_owned(),
        "/auth/forgot-password".to_owned(),
    ];
    for page in pages {
        text += &browser.open(&page).await.text();
    }
    text
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hints_follow_the_settings() {
    let (public, private) = ("reachable from the internet", "private network");
    let (no_mail, mail) = ("This service has no mail server.", "We will send you a link");
    let default = hints(&[("STEWARD_WEBHOOK_ALLOW_PRIVATE", "false")]).await;
    assert_eq!((default.matches(public).count(), default.matches(private).count()), (2, 0), "{default}");
    assert_eq!((default.matches(no_mail).count(), default.matches(mail).count()), (3, 0), "{default}");
    let (smtp, from) = (("STEWARD_SMTP_URL", "smtp://127.0.0.1:9"), ("STEWARD_MAIL_FROM", "steward@example.com"));
    let other = hints(&[("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true"), smtp, from]).await;
    assert_eq!((other.matches(public).count(), other.matches(private).count()), (0, 2), "{other}");
    assert_eq!((other.matches(no_mail).count(), other.matches(mail).count()), (0, 1), "{other}");
}

on_sqlite! {
    async fn webhooks_of_teams_and_projects_are_created_changed_and_deleted(app: &App) {
        let world = World::make(app, "acme").await;
        let browser = signed_in(app, "acme-owner").await;
        for (list, path) in scopes(&world) {
            let new = format!("{list}/new");
            let form = browser.open(&new).await;
            let refused = browser.submit(&form, &new, &[("url", "http://example.com"), EVENTS]).await;
            assert!(refused.status == 400 && refused.text().contains("must be an https URL"), "{refused}");
            let refused = browser.submit(&refused, &new, &[("url", "http://localhost:3000/hook")]).await;
            assert!(refused.text().contains("only to public addresses"), "{refused}");
            let command = copyable(&refused, "listen");
            assert!(command.starts_with("steward listen --server http"), "{command}");
            assert!(command.ends_with(" --forward-to http://localhost:3000/hook"), "{command}");
            let refused = browser.submit(&refused, &new, &[("url", "https://localhost/hook")]).await;
            assert!(refused.status == 400 && refused.text().contains("only private network addresses"), "{refused}");
            let created = browser.submit(&refused, &new, &[URL]).await;
            let secret = copyable(&created, "secret");
            assert!(created.heading() == "The webhook was created" && secret.starts_with("whsec_"), "{created}");
            let again = browser.submit(&refused, &new, &[URL]).await;
            assert_eq!(copyable(&again, "secret"), secret, "A repeated submission gets the first response.");
            let hook = format!("{list}/{}", only_webhook(&world, &path).await);
            assert!(links_to(&browser.open(&list).await, &hook));

            let edit = format!("{hook}/edit");
            let (first, second) = (browser.open(&edit).await, browser.open(&edit).await);
            let changed = browser.submit(&first, &edit, &[("events", "api_key.created"), ("ordering", "none")]).await;
            assert!(changed.is_at(&hook) && changed.text().contains("api_key.created"), "{changed}");
            assert!(changed.text().contains("In any order"), "{changed}");
            let stale = browser.submit(&second, &edit, &[("url", "https://example.com/mine")]).await;
            assert!(stale.status == 412 && stale.html.contains("value=\"https://example.com/mine\""), "{stale}");
            let changed = browser.submit(&stale, &edit, &[]).await;
            assert!(changed.is_at(&hook) && changed.text().contains("https://example.com/mine"), "{changed}");

            let rotate = format!("{hook}/rotate");
            let form = browser.open(&rotate).await;
            let rotated = browser.submit(&form, &rotate, &[]).await;
            assert_ne!(copyable(&rotated, "secret"), secret);
            let shown = browser.open(&hook).await;
            assert!(shown.text().contains("also signed with the previous secret until"), "{shown}");
            assert!(!shown.html.contains("whsec_"), "{shown}");

            let delete = format!("{hook}/delete");
            let form = browser.open(&delete).await;
            for _ in 0..2 {
                let deleted = browser.submit(&form, &delete, &[]).await;
                assert!(deleted.is_at(&list) && deleted.text().contains("The webhook was deleted."), "{deleted}");
            }
            assert!(browser.open(&list).await.text().contains("No webhooks yet"));
            assert_eq!(browser.open(&hook).await.status, 404);
        }
    }

    async fn secrets_and_deletions_of_webhooks_require_the_password_again(app: &App) {
        let world = World::make(app, "acme").await;
        let browser = signed_in(app, "acme-owner").await;
        let [(list, path), _] = scopes(&world);
        let new = format!("{list}/new");
        let form = browser.open(&new).await;
        app.age_sessions();
        let asked = browser.submit(&form, &new, &[URL, EVENTS]).await;
        assert_eq!(asked.heading(), "Confirm that it is you", "{asked}");
        let created = browser.submit(&asked, &new, &[("confirm_password", PASSWORD)]).await;
        assert!(copyable(&created, "secret").starts_with("whsec_"));
        let hook = format!("{list}/{}", only_webhook(&world, &path).await);
        for action in ["rotate", "delete"] {
            let address = format!("{hook}/{action}");
            let form = browser.open(&address).await;
            app.age_sessions();
            let asked = browser.submit(&form, &address, &[]).await;
            assert_eq!(asked.heading(), "Confirm that it is you", "{asked}");
            let done = browser.submit(&asked, &address, &[("confirm_password", PASSWORD)]).await;
            assert_eq!(done.status, 200, "{done}");
        }
        assert!(browser.open(&list).await.text().contains("No webhooks yet"));
    }

    async fn people_see_the_controls_of_webhooks_that_they_may_use(app: &App) {
        let world = World::make(app, "acme").await;
        world.member(app, "vic", "viewer").await;
        app.person("eve").await;
        let owner = signed_in(app, "acme-owner").await;
        let (viewer, stranger) = (signed_in(app, "vic").await, signed_in(app, "eve").await);
        for (list, path) in scopes(&world) {
            let new = format!("{list}/new");
            let form = owner.open(&new).await;
            let offered = form.form(&new).choices;
            assert_eq!(offered.contains(&("events".into(), "team.updated".into())), list.contains("/teams/"), "{form}");
            assert!(offered.contains(&("events".into(), "item.created".into())), "{form}");
            owner.submit(&form, &new, &[URL, EVENTS]).await;
            let hook = format!("{list}/{}", only_webhook(&world, &path).await);

            let (listed, shown) = (viewer.open(&list).await, viewer.open(&hook).await);
            assert!(listed.html.contains(&hook) && !listed.html.contains(&new), "{listed}");
            assert_eq!(shown.status, 200, "{shown}");
            assert_eq!(viewer.open(&new).await.status, 403);
            for action in ["edit", "rotate", "pause", "resume", "delete"] {
                let address = format!("{hook}/{action}");
                assert!(!shown.html.contains(&address), "{shown}");
                assert_eq!(viewer.open(&address).await.status, 403, "{address}");
            }
            let deliveries = viewer.open(&format!("{hook}/deliveries")).await;
            assert!(deliveries.status == 200 && deliveries.text().contains("No deliveries"), "{deliveries}");
            let test = format!("{hook}/test");
            assert!(!shown.html.contains(&test) && !deliveries.html.contains(&test), "{deliveries}");
            assert!(viewer.open(&test).await.is_at(&hook), "The path only accepts forms.");
            for address in [&list, &new, &hook] {
                assert_eq!(stranger.open(address).await.status, 404, "{address}");
            }
        }
        let [(of_team, path), (of_project, _)] = scopes(&world);
        let hook = only_webhook(&world, &path).await;
        assert_eq!(owner.open(&format!("{of_team}/{hook}")).await.status, 200);
        assert_eq!(owner.open(&format!("{of_project}/{hook}")).await.status, 404, "A project does not have it.");
    }
}

async fn deliveries_are_listed_sent_again_and_resumed(backend: Backend) {
    let app = App::start_with(backend, &[("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true")]).await;
    let (world, receiver) = (World::make(&app, "acme").await, Receiver::start().await);
    world.member(&app, "vic", "viewer").await;
    let (browser, [(list, path), _]) = (signed_in(&app, "acme-owner").await, scopes(&world));
    let new = format!("{list}/new");
    let form = browser.open(&new).await;
    browser.submit(&form, &new, &[("url", receiver.url.as_str()), ("events", "team.updated")]).await;
    let hook = format!("{list}/{}", only_webhook(&world, &path).await);
    let (resume, deliveries) = (format!("{hook}/resume"), format!("{hook}/deliveries"));

    receiver.respond_next(&[410]);
    world.owner.patch(&format!("/team/{}", world.team), json!({"name": "One"})).await.ok();
    let paused = eventually(async || {
        let page = browser.open(&hook).await;
        page.text().contains("Paused").then_some(page)
    })
    .await;
    assert!(paused.text().contains("The receiver returned status 410.") && paused.html.contains(&resume), "{paused}");
    let form = browser.open(&resume).await;
    let resumed = browser.submit(&form, &resume, &[]).await;
    assert!(resumed.is_at(&hook) && resumed.text().contains("The webhook was resumed."), "{resumed}");
    assert!(!resumed.html.contains(&resume), "{resumed}");

    receiver.once(2).await;
    let listed = eventually(async || {
        let page = browser.open(&deliveries).await;
        page.text().contains("Status 204").then_some(page)
    })
    .await;
    assert!(listed.text().contains("Failed The receiver returned status 410."), "{listed}");
    let failed = browser.open(&format!("{deliveries}?failed=1")).await;
    assert!(failed.text().contains("status 410") && !failed.text().contains("Status 204"), "{failed}");
    let none = browser.submit(&failed, &deliveries, &[]).await;
    assert!(none.status == 400 && none.text().contains("Select between 1 and 10 deliveries."), "{none}");
    let id = failed.id_in(&format!("{deliveries}/"), "");
    for _ in 0..2 {
        let sent = browser.submit(&listed, &deliveries, &[("delivery", id.as_str())]).await;
        assert!(sent.is_at(&deliveries) && sent.text().contains("was delivered again."), "{sent}");
        assert!(sent.text().contains("Redelivery"), "{sent}");
    }
    assert_eq!(receiver.received().len(), 3, "A repeated submission sends nothing.");
    let (one, viewer) = (format!("{deliveries}/{id}"), signed_in(&app, "vic").await);
    let shown = browser.open(&one).await;
    assert!(shown.text().contains("\"type\": \"team.updated\""), "{shown}");
    assert!(shown.text().contains("No body of the response is stored."), "{shown}");
    let sent = browser.submit(&shown, &deliveries, &[]).await;
    assert!(sent.is_at(&deliveries) && sent.text().contains("was delivered again."), "{sent}");
    let viewed = viewer.open(&deliveries).await;
    assert!(viewed.text().contains("Status 204"), "{viewed}");
    assert!(viewed.forms().iter().all(|form| form.action.path() != deliveries), "{viewed}");
    let viewed = viewer.open(&one).await;
    assert!(viewed.text().contains("you may not read it") && !viewed.html.contains("Send again"), "{viewed}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deliveries_are_listed_sent_again_and_resumed_with_sqlite() {
    deliveries_are_listed_sent_again_and_resumed(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deliveries_are_listed_sent_again_and_resumed_with_postgres() {
    deliveries_are_listed_sent_again_and_resumed(Backend::Postgres).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_webhook_is_paused_tested_and_resumed() {
    let app = App::start_with(Backend::Sqlite, &[("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true")]).await;
    let world = World::make(&app, "acme").await;
    let browser = signed_in(&app, "acme-owner").await;
    for (list, path) in scopes(&world) {
        let (receiver, new) = (Receiver::start().await, format!("{list}/new"));
        let form = browser.open(&new).await;
        browser.submit(&form, &new, &[("url", receiver.url.as_str()), EVENTS]).await;
        let hook = format!("{list}/{}", only_webhook(&world, &path).await);
        let [pause, resume, test, deliveries] =
            ["pause", "resume", "test", "deliveries"].map(|page| format!("{hook}/{page}"));
        let shown = browser.open(&hook).await;
        assert!(shown.html.contains(&pause) && !shown.html.contains(&resume), "{shown}");
        let form = browser.open(&pause).await;
        let paused = browser.submit(&form, &pause, &[]).await;
        assert!(paused.is_at(&hook) && paused.text().contains("The webhook was paused."), "{paused}");
        assert!(paused.text().contains("A member paused this webhook."), "{paused}");
        assert!(paused.html.contains(&resume) && !paused.html.contains(&pause), "{paused}");

        receiver.respond_next(&[500]);
        for _ in 0..2 {
            let failed = browser.submit(&paused, &test, &[]).await;
            let result = "The test event was sent. The receiver returned status 500.";
            assert!(failed.is_at(&deliveries) && failed.text().contains(result), "{failed}");
        }
        let listed = browser.open(&deliveries).await;
        assert!(listed.forms().iter().all(|form| form.action.path() != deliveries), "{listed}");
        let sent = browser.submit(&listed, &test, &[]).await;
        let result = "The test event was delivered. The receiver returned status 204.";
        assert!(sent.is_at(&deliveries) && sent.text().contains(result), "{sent}");
        assert!(sent.text().contains("webhook.test Test Delivered Status 204"), "{sent}");
        assert_eq!(receiver.received().len(), 2, "A repeated submission sends nothing.");

        let form = browser.open(&resume).await;
        let resumed = browser.submit(&form, &resume, &[]).await;
        assert!(resumed.is_at(&hook) && resumed.text().contains("The webhook was resumed."), "{resumed}");
        assert!(resumed.html.contains(&pause), "{resumed}");
    }
}
