//! Keys of a project in the console.

use serde_json::json;
use steward_tests::{App, PASSWORD, World, eventually, on_sqlite};

use super::{copyable, links_to, project_of, signed_in};

fn keys_of(world: &World) -> String {
    format!("{}/keys", project_of(world))
}

/// Status of a request to the project with this key.
async fn status_with(app: &App, world: &World, key: &str) -> u16 {
    app.bearer(key).get(&format!("/project/{}", world.project)).await.status.as_u16()
}

async fn count(world: &World) -> usize {
    let keys = world.owner.get(&format!("/project/{}/key", world.project)).await.ok();
    keys["data"].as_array().unwrap().len()
}

on_sqlite! {
    async fn a_key_is_created_once_and_its_value_is_shown_once(app: &App) {
        let world = World::make(app, "acme").await;
        let (browser, keys) = (signed_in(app, "acme-owner").await, keys_of(&world));
        let new = format!("{keys}/new");
        let form = browser.open(&new).await;
        let values = [("label", "CI"), ("roles", "read"), ("roles", "db:write"), ("expires_at", "2099-01-31")];
        let created = browser.submit(&form, &new, &values).await;
        assert!(created.status == 200 && created.heading() == "The key was created", "{created}");
        let value = copyable(&created, "key");
        assert!(copyable(&created, "curl").contains(&value) && copyable(&created, "rust").contains(&value));
        assert_eq!(status_with(app, &world, &value).await, 200);

        let again = browser.submit(&form, &new, &values).await;
        assert_eq!(copyable(&again, "key"), value, "A repeated submission gets the first response.");
        assert_eq!(count(&world).await, 2);
        let list = browser.open(&keys).await;
        for text in ["CI", "read, db:write", "31 January 2099, 00:00 UTC"] {
            assert!(list.text().contains(text), "{text}: {list}");
        }
        assert!(!list.html.contains(&value), "{list}");
    }

    async fn a_refused_key_keeps_what_was_entered(app: &App) {
        let world = World::make(app, "acme").await;
        let browser = signed_in(app, "acme-owner").await;
        let new = format!("{}/new", keys_of(&world));
        let form = browser.open(&new).await;
        let refused = browser.submit(&form, &new, &[("label", "Shop"), ("visibility", "public")]).await;
        assert!(refused.status == 400 && refused.html.contains("value=\"Shop\""), "{refused}");
        assert!(refused.text().contains("Roles must contain at least one role or permission."), "{refused}");
        assert!(refused.text().contains("with the access token of the signed-in user"), "{refused}");
        for roles in ["read", "write", "admin", "db:read"] {
            let refused = browser.submit(&refused, &new, &[("roles", roles)]).await;
            let reason = "must be one or more of project:read, schema:read for a public key";
            assert!(refused.status == 400 && refused.text().contains(reason), "{refused}");
        }
        for (date, error) in [("2001-01-01", "must be in the future"), ("tomorrow", "must be a date")] {
            let refused = browser.submit(&refused, &new, &[("roles", "project:read"), ("expires_at", date)]).await;
            assert!(refused.status == 400 && refused.text().contains(error), "{refused}");
        }
        assert_eq!(count(&world).await, 1);
        let created = browser.submit(&refused, &new, &[("roles", "project:read")]).await;
        let value = copyable(&created, "key");
        assert!(value.starts_with("stw_pk_") && created.text().contains("Everyone can see it"), "{created}");

        let keys = world.owner.get(&format!("/project/{}/key", world.project)).await.ok();
        let edit = format!("{}/{}/edit", keys_of(&world), keys["data"][0]["id"].as_str().unwrap());
        let form = browser.open(&edit).await;
        assert!(form.html.contains("value=\"schema:read\"") && !form.html.contains("value=\"db:read\""), "{form}");
        browser.submit(&form, &edit, &[("roles", "schema:read")]).await;
        assert!(browser.open(&edit).await.text().contains("A public key can have only"));
    }

    async fn the_value_of_a_key_requires_the_password_again(app: &App) {
        let world = World::make(app, "acme").await;
        let browser = signed_in(app, "acme-owner").await;
        let new = format!("{}/new", keys_of(&world));
        let form = browser.open(&new).await;
        app.age_sessions();
        let asked = browser.submit(&form, &new, &[("label", "CI"), ("roles", "read")]).await;
        assert_eq!(asked.heading(), "Confirm that it is you", "{asked}");
        let wrong = browser.submit(&asked, &new, &[("confirm_password", "not the password")]).await;
        assert!(wrong.status == 400 && wrong.heading() == "Confirm that it is you", "{wrong}");
        assert_eq!(count(&world).await, 1);
        let created = browser.submit(&wrong, &new, &[("confirm_password", PASSWORD)]).await;
        assert_eq!(status_with(app, &world, &copyable(&created, "key")).await, 200);

        for action in ["rotate", "delete"] {
            let address = format!("{}/{}/{action}", keys_of(&world), world.key_id);
            let form = browser.open(&address).await;
            app.age_sessions();
            let asked = browser.submit(&form, &address, &[]).await;
            assert_eq!(asked.heading(), "Confirm that it is you", "{asked}");
            let form = browser.submit(&asked, &address, &[("confirm_password", PASSWORD)]).await;
            assert_eq!(form.status, 200, "{form}");
        }
        assert_eq!(count(&world).await, 1);
    }

    async fn a_rotated_key_shows_whether_its_previous_value_works(app: &App) {
        let world = World::make(app, "acme").await;
        let (browser, keys) = (signed_in(app, "acme-owner").await, keys_of(&world));
        let (key, verify) = (format!("{keys}/{}", world.key_id), format!("{keys}/verify"));
        let (rotate, old) = (format!("{key}/rotate"), world.key.credential.clone().unwrap());
        let shown = browser.open(&key).await;
        assert!(shown.text().contains("Only the current value works."), "{shown}");

        let form = browser.open(&rotate).await;
        let rotated = browser.submit(&form, &rotate, &[("grace_seconds", "3600")]).await;
        assert!(rotated.text().contains("The previous value works until"), "{rotated}");
        let new = copyable(&rotated, "key");
        for value in [&old, &new] {
            assert_eq!(status_with(app, &world, value).await, 200);
        }
        let shown = browser.open(&key).await;
        assert!(shown.text().contains("Previous value works until") && !shown.html.contains(&new), "{shown}");
        assert!(browser.open(&keys).await.text().contains("Previous value works"));
        let form = browser.open(&rotate).await;
        assert!(form.text().contains("The previous value works until"), "{form}");
        browser.submit(&form, &rotate, &[("grace_seconds", "3600")]).await;
        let shown = browser.open(&key).await.text();
        assert!(shown.contains("Previous value works until") && shown.contains("Earlier value works until"), "{shown}");
        assert_eq!(status_with(app, &world, &old).await, 200);

        let form = browser.open(&verify).await;
        let valid = browser.submit(&form, &verify, &[("value", format!(" {old}\n").as_str())]).await;
        assert!(valid.text().contains("The value is valid") && !valid.html.contains(&old), "{valid}");
        assert!(links_to(&valid, &key), "{valid}");

        let form = browser.open(&rotate).await;
        let rotated = browser.submit(&form, &rotate, &[("grace_seconds", "0")]).await;
        assert!(rotated.text().contains("The previous value no longer works."), "{rotated}");
        assert_eq!(status_with(app, &world, &new).await, 401);
        let invalid = browser.submit(&valid, &verify, &[("value", new.as_str())]).await;
        assert!(invalid.text().contains("The value is not valid"), "{invalid}");
    }

    async fn the_previous_values_of_a_key_are_revoked(app: &App) {
        let world = World::make(app, "acme").await;
        let (browser, key) = (signed_in(app, "acme-owner").await, format!("{}/{}", keys_of(&world), world.key_id));
        let (revoke, old) = (format!("{key}/revoke-previous"), world.key.credential.as_deref().unwrap());
        assert!(!links_to(&browser.open(&key).await, &revoke));
        let regenerate = format!("/project/{}/key/{}/regenerate", world.project, world.key_id);
        world.owner.post(&regenerate, json!({"grace_seconds": 600})).await.ok();
        assert!(links_to(&browser.open(&key).await, &revoke));
        let revoked = browser.submit(&browser.open(&revoke).await, &revoke, &[]).await;
        assert!(revoked.is_at(&key) && revoked.text().contains("Only the current value works."), "{revoked}");
        assert_eq!(status_with(app, &world, old).await, 401);
    }

    async fn a_key_is_edited_and_a_stale_form_keeps_what_was_entered(app: &App) {
        let world = World::make(app, "acme").await;
        let browser = signed_in(app, "acme-owner").await;
        let key = format!("{}/{}", keys_of(&world), world.key_id);
        let edit = format!("{key}/edit");
        let (first, second) = (browser.open(&edit).await, browser.open(&edit).await);
        assert!(first.form(&edit).fields.contains(&("roles".into(), "admin".into())), "{first}");
        let changed = browser.submit(&first, &edit, &[("label", "Reader"), ("roles", "read")]).await;
        assert!(changed.is_at(&key) && changed.heading() == "Reader", "{changed}");
        assert!(changed.text().contains("The key was changed."), "{changed}");
        let stale = browser.submit(&second, &edit, &[("label", "Mine"), ("roles", "db:read")]).await;
        assert!(stale.status == 412 && stale.html.contains("value=\"Mine\""), "{stale}");
        assert_eq!(browser.open(&key).await.heading(), "Reader");
        let changed = browser.submit(&stale, &edit, &[]).await;
        assert!(changed.is_at(&key) && changed.text().contains("db:read"), "{changed}");
    }

    async fn a_rotation_does_not_hide_that_a_key_was_used(app: &App) {
        let world = World::make(app, "acme").await;
        let (browser, keys) = (signed_in(app, "acme-owner").await, keys_of(&world));
        let (project, connect) = (format!("/project/{}", world.project), keys.replace("/keys", "/connect"));
        world.key.get(&project).await.ok();
        let is_shown = async || {
            let (list, connect) = (browser.open(&keys).await, browser.open(&connect).await);
            !list.html.contains("data-label=\"Last used\">Never") && connect.text().contains("Last request at")
        };
        // The use is recorded in the background.
        eventually(async || is_shown().await.then_some(())).await;
        for grace in [60, 0] {
            let regenerate = format!("{project}/key/{}/regenerate", world.key_id);
            world.owner.post(&regenerate, json!({"grace_seconds": grace})).await.ok();
            assert!(is_shown().await, "{grace}");
        }
    }

    async fn a_deleted_key_stops_working(app: &App) {
        let world = World::make(app, "acme").await;
        let (browser, keys) = (signed_in(app, "acme-owner").await, keys_of(&world));
        let delete = format!("{keys}/{}/delete", world.key_id);
        // The use is recorded in the background.
        world.key.get(&format!("/project/{}", world.project)).await.ok();
        let form = eventually(async || {
            let form = browser.open(&delete).await;
            form.html.contains("It was last used on <time datetime=\"").then_some(form)
        })
        .await;
        assert!(form.text().contains("server"), "{form}");
        for _ in 0..2 {
            let deleted = browser.submit(&form, &delete, &[]).await;
            assert!(deleted.is_at(&keys) && deleted.text().contains("The key was deleted."), "{deleted}");
        }
        assert!(browser.open(&keys).await.text().contains("No keys yet"));
        assert_eq!(status_with(app, &world, world.key.credential.as_deref().unwrap()).await, 401);
        assert_eq!(browser.open(&delete).await.status, 404);
    }

    async fn people_see_the_controls_of_keys_that_they_may_use(app: &App) {
        let world = World::make(app, "acme").await;
        world.member(app, "vic", "viewer").await;
        world.member(app, "dev", "developer").await;
        app.person("eve").await;
        let keys = keys_of(&world);
        let (new, key) = (format!("{keys}/new"), format!("{keys}/{}", world.key_id));

        let viewer = signed_in(app, "vic").await;
        let (list, shown) = (viewer.open(&keys).await, viewer.open(&key).await);
        assert!(list.status == 200 && !list.html.contains(&new), "{list}");
        assert!(shown.status == 200 && list.html.contains(&format!("{keys}/verify")), "{shown}");
        for action in ["edit", "rotate", "delete"] {
            let address = format!("{key}/{action}");
            assert!(!shown.html.contains(&address), "{shown}");
            assert_eq!(viewer.open(&address).await.status, 403, "{address}");
        }
        assert_eq!(viewer.open(&new).await.status, 403);

        // A developer may not grant all roles of the key, whose new value they would see.
        let developer = signed_in(app, "dev").await;
        let offered = developer.open(&new).await.form(&new).choices;
        for (role, is_offered) in [("read", true), ("db:write", true), ("admin", false), ("audit:read", false)] {
            assert_eq!(offered.contains(&("roles".into(), role.into())), is_offered, "{role}");
        }
        let shown = developer.open(&key).await;
        for (action, status) in [("edit", 200), ("rotate", 403), ("delete", 200)] {
            let address = format!("{key}/{action}");
            assert_eq!(shown.html.contains(&address), status == 200, "{shown}");
            assert_eq!(developer.open(&address).await.status, status, "{address}");
        }

        let stranger = signed_in(app, "eve").await;
        for address in [&keys, &new, &key] {
            assert_eq!(stranger.open(address).await.status, 404, "{address}");
        }
    }
}
