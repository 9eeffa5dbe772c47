//! A person's data in a project: export, deletion, and leaving a project.

use serde_json::{Value, json};
use steward_tests::{Actor, App, Client, World, eventually, notes_schema, on_both, on_sqlite};

/// Signs up a person and signs them in to the project. Returns a caller with the access token, the token response, and
/// the ID of the project's user.
async fn visitor(app: &App, world: &World, username: &str, scope: &str) -> (Actor, Value, String) {
    app.person(username).await;
    let tokens = Client::of(app, world).tokens(app, username, &[("scope", scope)]).await;
    let users = world.owner.get(&format!("/project/{}/user?q={username}", world.project)).await.ok();
    let id = users["data"][0]["id"].as_str().unwrap().to_owned();
    (app.bearer(tokens["access_token"].as_str().unwrap()), tokens.0, id)
}

const ALL: &str = "openid profile email app:db:write";

on_both! {
    async fn an_export_contains_all_data_of_a_user(app: &App) {
        let world = World::make(app, "acme").await;
        let mut schema = notes_schema();
        schema["tables"]["about"] = json!({"fields": {"n": {"type": "number"}}});
        world.owner.post(&format!("/project/{}/schema", world.project), json!({"schema": schema})).await.ok();
        let (ann, _, id) = visitor(app, &world, "ann", ALL).await;
        let user = format!("/project/{}/user/{id}", world.project);
        world.owner.patch(&user, json!({"meta": {"plan": "pro \"quoted\""}})).await.ok();
        let empty = world.owner.get(&format!("{user}/export")).await.ok();
        assert_eq!(empty["items"], json!({}));
        for number in 0..70 {
            let item = json!({"value": {"title": format!("Note {number} \"ü\"")}});
            world.owner.put(&format!("{user}/db/notes/n{number:02}"), item).await.created();
        }
        world.owner.put(&format!("{user}/db/about/x"), json!({"value": {"n": 1.5}})).await.created();

        let response = world.key.get(&format!("{user}/export/")).await;
        assert_eq!(response.header("Content-Disposition"), format!("attachment; filename=\"user-{id}.json\""));
        assert_eq!((response.header("Content-Type"), response.header("Cache-Control")), ("application/json", "no-store"));
        let export = response.ok();
        assert_eq!((&export["user"]["id"], &export["user"]["profile"]["username"]), (&json!(id), &json!("ann")));
        assert_eq!(export["user"]["meta"]["plan"], "pro \"quoted\"");
        assert_eq!(export["grant"]["scope"], ALL);
        assert_eq!(export["active_days"].as_array().unwrap().len(), 1);
        let tables: Vec<&String> = export["items"].as_object().unwrap().keys().collect();
        assert_eq!(tables, ["about", "notes"]);
        let notes = export["items"]["notes"].as_array().unwrap();
        let ids: Vec<String> = notes.iter().map(|note| note["id"].as_str().unwrap().to_owned()).collect();
        assert_eq!(ids, (0..70).map(|number| format!("n{number:02}")).collect::<Vec<_>>());
        assert_eq!(notes[69]["title"], "Note 69 \"ü\"");

        let own = ann.get(&format!("/account/apps/{}/export", world.project)).await.ok();
        for part in ["user", "grant", "items"] {
            assert_eq!(own[part], export[part], "{part}");
        }
        world.owner.get(&format!("/project/{}/user/{}/export", world.project, world.team)).await.is_not_found();
    }

    async fn no_data_of_a_deleted_user_remains(app: &App) {
        let world = World::make(app, "acme").await;
        let (ann, tokens, id) = visitor(app, &world, "ann", ALL).await;
        let user = format!("/project/{}/user/{id}", world.project);
        ann.post(&format!("/account/{}/db/notes", world.project), json!({"value": {"title": "Mine"}})).await.created();
        world.key.delete(&user).await.ok();
        for deleted in [user.clone(), format!("{user}/export"), format!("{user}/db/notes")] {
            world.owner.get(&deleted).await.is_not_found();
        }
        world.owner.delete(&user).await.is_not_found();
        ann.get(&format!("/account/apps/{}", world.project)).await.refused(401, "unauthorized");
        let client = Client::of(app, &world);
        client.refresh(tokens["refresh_token"].as_str().unwrap()).await.refused(400, "invalid_grant");
        let stats = world.owner.get(&format!("/project/{}/user/stats", world.project)).await.ok();
        assert_eq!((&stats["total"], &stats["mau"]), (&json!(1), &json!(1)));
        let untouched = world.owner.get(&world.item("first")).await.ok();
        assert_eq!(untouched["data"]["title"], "First", "The data of other users must remain.");
        let again = client.tokens(app, "ann", &[("scope", ALL)]).await;
        let ann = app.bearer(again["access_token"].as_str().unwrap());
        let fresh = ann.get(&format!("/account/apps/{}/export", world.project)).await.ok();
        assert_eq!((&fresh["items"], &fresh["user"]["meta"]), (&json!({}), &json!({})), "A user who returns has no data.");
        assert_ne!(fresh["user"]["id"], json!(id));
    }

    async fn an_interrupted_deletion_of_a_user_continues_in_the_background(app: &App) {
        let world = World::make(app, "acme").await;
        let (ann, tokens, id) = visitor(app, &world, "ann", ALL).await;
        let user = format!("/project/{}/user/{id}", world.project);
        let note = format!("{user}/db/notes/mine");
        world.owner.put(&note, json!({"value": {"title": "Mine"}})).await.created();
        let deletion_started_at = |at: &str| {
            let set = format!("status = 'blocked', deletion_started_at = '{at}'");
            app.execute_sql(&format!("UPDATE project_users SET {set} WHERE id = '{id}'"));
        };
        deletion_started_at("2100-01-01T00:00:00.000000Z");
        let shown = world.owner.get(&user).await.ok();
        assert_eq!((&shown["data"]["status"], shown["data"]["deletion_started_at"].is_string()), (&json!("blocked"), true));
        for hidden in [note.clone(), format!("{user}/db/notes"), format!("{user}/export")] {
            world.owner.get(&hidden).await.is_not_found();
        }
        let connected = json!({"status": "connected"});
        world.owner.patch(&user, connected).await.refused(409, "conflict");
        world.owner.put(&note, json!({"value": {"title": "New"}})).await.refused(409, "user_not_connected");
        ann.get(&format!("/account/apps/{}", world.project)).await.is_forbidden();
        let token = json!({"token": tokens["access_token"]});
        app.anonymous().post(&format!("/project/{}/user/connect", world.project), token).await.is_forbidden();

        deletion_started_at("2020-01-01T00:00:00.000000Z");
        eventually(async || (world.owner.get(&user).await.status == 404).then_some(())).await;
        let untouched = world.owner.get(&world.item("first")).await.ok();
        assert_eq!(untouched["data"]["title"], "First", "The data of other users must remain.");
        let again = Client::of(app, &world).tokens(app, "ann", &[("scope", ALL)]).await;
        let fresh = app.bearer(again["access_token"].as_str().unwrap());
        let fresh = fresh.get(&format!("/account/apps/{}/export", world.project)).await.ok();
        assert_eq!(fresh["items"], json!({}), "A user who returns has no data.");
        assert_ne!(fresh["user"]["id"], json!(id));
    }

    async fn a_request_deletes_a_part_of_much_data_and_the_background_the_rest(app: &App) {
        let world = World::make(app, "acme").await;
        let user = format!("/project/{}/user/{}", world.project, world.user);
        let copies = "INSERT INTO user_activity (project_id, user_id, day) SELECT project_id, id, ";
        let days = match app.directory().join("steward.db").exists() {
            true => "date('1980-01-01', '+' || n || ' days') FROM project_users, (WITH RECURSIVE numbers(n) AS \
                (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 10999) SELECT n FROM numbers)",
            false => "date '1980-01-01' + n FROM project_users, generate_series(0, 10999) AS n",
        };
        app.execute_sql(&format!("{copies}{days} WHERE id = '{}'", world.user));

        let started = world.owner.delete(&user).await.ok();
        assert!(started["message"].as_str().unwrap().contains("in the background"), "{started:?}");
        assert!(world.owner.get(&user).await.ok()["data"]["deletion_started_at"].is_string());
        world.owner.get(&world.item("first")).await.is_not_found();
        app.execute_sql("UPDATE project_users SET deletion_started_at = '2020-01-01T00:00:00.000000Z'");
        eventually(async || (world.owner.get(&user).await.status == 404).then_some(())).await;
    }

    async fn of_concurrent_deletions_of_a_user_one_succeeds(app: &App) {
        let world = World::make(app, "acme").await;
        let mut attempts = tokio::task::JoinSet::new();
        for _ in 0..8 {
            let (owner, path) = (world.owner.clone(), format!("/project/{}/user/{}", world.project, world.user));
            attempts.spawn(async move { owner.delete(&path).await.status.as_u16() });
        }
        let statuses = attempts.join_all().await;
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
        assert!(statuses.iter().all(|status| [200, 404].contains(status)), "{statuses:?}");
    }

    async fn a_person_who_leaves_a_project_keeps_their_items(app: &App) {
        let world = World::make(app, "acme").await;
        let (ann, tokens, id) = visitor(app, &world, "ann", ALL).await;
        let (app_of, notes) = (format!("/account/apps/{}", world.project), format!("/account/{}/db/notes", world.project));
        ann.post(&notes, json!({"value": {"title": "Mine"}})).await.created();
        ann.delete(&format!("{app_of}?erase=perhaps")).await.refused(400, "invalid_request");
        assert_eq!(ann.delete(&app_of).await.ok()["success"], true);
        ann.get(&app_of).await.refused(401, "unauthorized");
        let client = Client::of(app, &world);
        client.refresh(tokens["refresh_token"].as_str().unwrap()).await.refused(400, "invalid_grant");
        let user = format!("/project/{}/user/{id}", world.project);
        assert_eq!(world.owner.get(&user).await.ok()["data"]["status"], "disconnected");
        let export = world.owner.get(&format!("{user}/export")).await.ok();
        assert_eq!((&export["grant"], export["items"]["notes"].as_array().unwrap().len()), (&json!(null), 1));
        let again = client.tokens(app, "ann", &[("scope", ALL)]).await;
        let ann = app.bearer(again["access_token"].as_str().unwrap());
        assert_eq!(ann.get(&notes).await.ok()["pagination"]["count"], 1);
    }

    async fn a_person_who_leaves_a_project_can_delete_their_items(app: &App) {
        let world = World::make(app, "acme").await;
        let (ann, _, id) = visitor(app, &world, "ann", ALL).await;
        let (reader, _, _) = visitor(app, &world, "bob", "app:db:read").await;
        let app_of = format!("/account/apps/{}", world.project);
        for number in 0..3 {
            let path = format!("/account/{}/db/notes/n{number}", world.project);
            ann.put(&path, json!({"value": {"title": "Mine"}})).await.created();
        }
        reader.delete(&format!("{app_of}?erase=true")).await.is_forbidden();
        reader.get(&app_of).await.ok();
        ann.delete(&format!("{app_of}/?erase=true")).await.ok();
        ann.get(&app_of).await.refused(401, "unauthorized");
        let user = format!("/project/{}/user/{id}", world.project);
        assert_eq!(world.owner.get(&format!("{user}/export")).await.ok()["items"], json!({}));
        assert_eq!(world.owner.get(&user).await.ok()["data"]["status"], "disconnected");
        world.owner.get(&world.item("first")).await.ok();
    }
}

on_sqlite! {
    async fn an_export_needs_permission_to_read_users_and_their_data(app: &App) {
        let (world, other) = (World::make(app, "acme").await, World::make(app, "other").await);
        let path = format!("/project/{}/user/{}/export", world.project, world.user);
        for (name, roles, allowed) in
            [("a", "user:read", false), ("b", "db:read", false), ("c", "user:read,db:read", true), ("d", "viewer", false)]
        {
            let member = world.member(app, &format!("member-{name}"), roles).await;
            let status = member.get(&path).await.status.as_u16();
            assert_eq!(status, if allowed { 200 } else { 403 }, "{roles}");
        }
        other.key.get(&path).await.is_not_found();
        let other_project = format!("/project/{}/user/{}/export", other.project, world.user);
        other.owner.get(&other_project).await.is_not_found();
        let (ann, _, _) = visitor(app, &world, "ann", "openid").await;
        ann.get(&format!("/account/apps/{}/export", world.project)).await.is_forbidden();
        let (bob, _, _) = visitor(app, &world, "bob", "app:db:read").await;
        bob.get(&format!("/account/apps/{}/export", other.project)).await.is_not_found();
        let own = bob.get(&format!("/account/apps/{}/export", world.project)).await.ok();
        assert_eq!(own["user"]["profile"]["username"], "bob");
    }

    async fn only_a_user_of_a_project_can_leave_it(app: &App) {
        let world = World::make(app, "acme").await;
        let app_of = format!("/account/apps/{}", world.project);
        world.visitor.delete(&app_of).await.refused(401, "unauthorized");
        world.key.delete(&app_of).await.is_forbidden();
        app.anonymous().delete(&app_of).await.refused(401, "unauthorized");
    }
}
