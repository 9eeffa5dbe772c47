//! Downloads of the console while the session or the access of the person changes.

use reqwest::header::COOKIE;
use serde_json::json;
use steward_tests::{App, Authenticator, Browser, PASSWORD, World, on_sqlite};

use super::{project_of, signed_in};
use crate::transport::streams::read_to_end;

/// The items of [`large_world`] have more bytes.
const TOTAL_BYTES: usize = 15_000_000;
/// More than the service reads and the operating system buffers before the browser reads on.
const MAX_CUT_BYTES: usize = 12_000_000;

/// The fixture with 61 items of 250 kB. All but the first are copied directly in the database.
async fn large_world(app: &App) -> World {
    let world = World::make(app, "acme").await;
    let value = json!({"title": "Large", "more": {"text": "x".repeat(250_000)}});
    world.owner.put(&world.item("large"), json!({"value": value})).await.created();
    app.execute_sql(&format!(
        "INSERT INTO items (project_id, user_id, table_name, id, value, created_at, updated_at, revision, bytes) \
         SELECT project_id, user_id, table_name, id || '-' || n, value, created_at, updated_at, revision, bytes \
         FROM items CROSS JOIN {} WHERE id = 'large'",
        app.numbers(1, 60)
    ));
    world
}

/// Starts to download all items, and reads the first chunk.
async fn begin(app: &App, world: &World, browser: &Browser) -> reqwest::Response {
    let path = format!("{}/users/{}/tables/notes/export?format=ndjson", project_of(world), world.user);
    let request = app.client.get(format!("{}{path}", app.base)).header(COOKIE, browser.cookie_header());
    let mut response = request.send().await.unwrap();
    assert_eq!(response.status().as_u16(), 200);
    response.chunk().await.unwrap().unwrap();
    response
}

/// Opens the page at this path and submits its form.
async fn submit(browser: &Browser, path: &str, values: &[(&str, &str)]) {
    let page = browser.open(path).await;
    let done = browser.submit(&page, path, values).await;
    assert_eq!(done.status, 200, "{done}");
}

on_sqlite! {
    async fn a_download_goes_on_when_the_password_is_confirmed_in_another_tab(app: &App) {
        let world = large_world(app).await;
        let browser = signed_in(app, "acme-owner").await;
        let new_key = format!("{}/keys/new", project_of(&world));
        app.age_sessions();
        let download = begin(app, &world, &browser).await;
        let cookie = browser.cookie_header();
        let form = browser.open(&new_key).await;
        let asked = browser.submit(&form, &new_key, &[("label", "CI"), ("roles", "read")]).await;
        assert_eq!(asked.heading(), "Confirm that it is you", "{asked}");
        let created = browser.submit(&asked, &new_key, &[("confirm_password", PASSWORD)]).await;
        assert_eq!(created.heading(), "The key was created", "{created}");
        assert_ne!(browser.cookie_header(), cookie, "The session must have a new cookie.");
        let (is_complete, length) = read_to_end(download).await;
        assert!(is_complete && length > TOTAL_BYTES, "{length}");
    }

    async fn a_download_ends_when_the_person_loses_the_session_or_the_access(app: &App) {
        let world = large_world(app).await;
        let owner = signed_in(app, "acme-owner").await;
        Authenticator::set_up(&owner).await;
        for end in ["sign-out", "password", "disable", "remove", "factor"] {
            let name = format!("reader-{end}");
            let member = world.member(app, &name, "viewer,db:read").await;
            let browser = signed_in(app, &name).await;
            let download = begin(app, &world, &browser).await;
            match end {
                "sign-out" => submit(&browser, "/auth/sign-out", &[]).await,
                "password" => {
                    let values = [("current_password", PASSWORD), ("password", "another horse battery")];
                    submit(&browser, "/console/account/password", &values).await;
                }
                "disable" => {
                    let email = format!("{name}@example.com");
                    let disabled = app.run(&["account", "disable", "--email", &email], "").await;
                    assert!(disabled.status.success());
                }
                "factor" => {
                    let settings = format!("/console/teams/{}/settings", world.team);
                    submit(&owner, &settings, &[("second_factor_from", "2026-01-01")]).await;
                }
                _ => {
                    world.owner.delete(&format!("/team/{}/member/{}", world.team, member.id)).await.ok();
                }
            }
            let (is_complete, length) = read_to_end(download).await;
            assert!(!is_complete && length < MAX_CUT_BYTES, "{end}: {length}");
        }
    }
}
