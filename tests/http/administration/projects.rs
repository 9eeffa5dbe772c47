//! Projects: creation, slugs, updates and deletion.

use serde_json::json;
use steward_tests::{Browser, Client, World, eventually, on_both, on_both_in_full, on_sqlite};

use crate::CONCURRENT;

on_both_in_full! {
    async fn a_project_is_created_listed_and_read(app: &App) {
        let ann = app.person("ann").await;
        let team = ann.post("/team", json!({"name": "Acme", "slug": "acme"})).await.created().id();
        let created = ann.post("/project", json!({"name": "Rock & Roll", "team_id": team})).await.created();
        assert_eq!(created["data"]["slug"], "rock-roll");
        let second = ann.post("/project/", json!({"name": "Rock & Roll", "team_id": team})).await.created();
        assert_eq!(second["data"]["slug"], "rock-roll-2");

        let list = ann.get("/project/").await.ok();
        assert_eq!(list["data"][0]["id"], json!(second.id()), "The newest project must be first.");
        let listed = &list["data"][1];
        assert_eq!((&listed["team_id"], &listed["team_slug"]), (&json!(team), &json!("acme")));
        assert!(listed["profile"]["styles"].is_object());
        let read = ann.get(&format!("/project/{}/", created.id())).await.ok();
        assert_eq!((&read["data"]["name"], &read["data"]["team_id"]), (&json!("Rock & Roll"), &json!(team)));
    }

    async fn deleting_a_project_deletes_its_data_and_grants(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let client = Client::of(app, &world);
        let tokens = client.tokens(app, "ann", &[]).await;
        let ann = app.bearer(tokens["access_token"].as_str().unwrap());
        let notes = format!("/account/{}/db/notes", world.project);
        ann.get(&notes).await.ok();

        world.owner.delete(&format!("/project/{}", world.project)).await.ok();
        ann.get(&notes).await.refused(401, "unauthorized");
        let refused = client.refresh(tokens["refresh_token"].as_str().unwrap()).await;
        assert!(matches!(refused.status.as_u16(), 400 | 401), "{refused}");
        // No remaining row prevents the deletion of the team.
        world.owner.delete(&format!("/team/{}", world.team)).await.ok();
    }
}

on_sqlite! {
    async fn an_invalid_project_is_refused(app: &App) {
        let (ann, eve) = (app.person("ann").await, app.person("eve").await);
        let team = ann.post("/team", json!({"name": "Acme", "slug": "acme"})).await.created().id();
        ann.post("/project", json!({"name": "", "team_id": team})).await.refused(400, "invalid_request");
        ann.post("/project", json!({"name": "???", "team_id": team})).await.refused(400, "invalid_request");
        ann.post("/project", json!({"name": "A", "team_id": team, "slug": "docs"})).await.refused(400, "slug_reserved");
        ann.post("/project", json!({"name": "A", "team_id": team, "slug": "a--b"})).await.refused(400, "invalid_request");
        ann.post("/project", json!({"name": "A", "team_id": "x"})).await.is_not_found();
        ann.post("/project", json!({"name": "A"})).await.refused(400, "invalid_request");
        eve.post("/project", json!({"name": "A", "team_id": team})).await.is_not_found();
        ann.post("/project", json!({"name": "A", "team_id": team, "slug": "a"})).await.created();
        ann.post("/project", json!({"name": "A", "team_id": team, "slug": "A"})).await.refused(409, "slug_taken");
        let named = ann.post("/project", json!({"name": "Docs", "team_id": team})).await.created();
        assert_eq!(named["data"]["slug"], "docs-2");
    }

    async fn requests_with_access_to_a_project_are_counted(app: &App) {
        let (ann, eve) = (app.person("ann").await, app.person("eve").await);
        let team = ann.post("/team", json!({"name": "Acme", "slug": "acme"})).await.created().id();
        let id = ann.post("/project", json!({"name": "Rocket", "team_id": team})).await.created().id();
        let project = format!("/project/{id}");
        for _ in 0..2 {
            ann.get(&project).await.ok();
        }
        // The ID of the team is not the ID of a user.
        ann.get(&format!("{project}/user/{team}")).await.is_not_found();
        eve.get(&project).await.is_not_found();
        eve.get(&format!("{project}/profile")).await.ok();

        // Pages of the console are not counted, so the number stays the same while this waits for it.
        let (browser, overview) = (Browser::signed_in(app, "ann").await, format!("/console/projects/{id}"));
        eventually(async || browser.open(&overview).await.text().contains("Requests today 3 ").then_some(())).await;
        let path = format!("{project}/request/stats?days=7");
        let stats = ann.get(&path).await.ok();
        let (series, three) = (stats["series"].as_array().unwrap(), json!(3));
        assert_eq!((series.len(), &series[6]["requests"]), (7, &three));
        assert_eq!((&stats["today"], &stats["total"]), (&three, &three));
        ann.get(&format!("{project}/request/stats?days=0")).await.refused(400, "invalid_request");
        eve.get(&path).await.is_not_found();
    }

    async fn a_key_lists_only_its_own_project(app: &App) {
        let world = World::make(app, "acme").await;
        world.owner.post("/project", json!({"name": "Other", "team_id": world.team})).await.created();
        let list = world.key.get("/project").await.ok();
        assert_eq!(list["data"].as_array().unwrap().len(), 1);
        assert_eq!(list["data"][0]["id"], json!(world.project));
        let first = world.owner.get("/project?limit=1").await.ok();
        assert!(first["next_cursor"].is_string());
    }

    async fn a_name_that_many_projects_have_still_gets_a_slug(app: &App) {
        let world = World::make(app, "acme").await;
        let mut slugs = std::collections::BTreeSet::new();
        for _ in 0..53 {
            let project = json!({"name": "Crowded", "team_id": world.team});
            let created = world.owner.post("/project/", project).await.created();
            slugs.insert(created["data"]["slug"].as_str().unwrap().to_owned());
        }
        assert_eq!(slugs.len(), 53, "{slugs:?}");
    }

    async fn a_former_slug_of_a_project_stays_reserved(app: &App) {
        let (world, other) = (World::make(app, "acme").await, World::make(app, "other").await);
        let path = format!("/project/{}", world.project);
        world.owner.patch(&path, json!({"slug": "apex"})).await.ok();
        assert_eq!(app.anonymous().get("/project/slug?slug=acme").await.ok()["available"], false);
        let others = format!("/project/{}", other.project);
        other.owner.patch(&others, json!({"slug": "acme"})).await.refused(409, "slug_taken");
        let named = other.owner.post("/project", json!({"name": "Acme", "team_id": other.team})).await.created();
        assert_eq!(named["data"]["slug"], "acme-2", "A generated slug must avoid reserved slugs.");
        world.owner.patch(&path, json!({"slug": "acme"})).await.ok();
    }

    async fn a_projects_name_slug_and_profile_are_updated(app: &App) {
        let (world, _other) = (World::make(app, "acme").await, World::make(app, "other").await);
        let path = format!("/project/{}", world.project);
        let change = json!({"data": {"name": " Rocket ", "slug": "rocket", "website": "https://rocket.example",
            "profile": {"icon_url": "https://cdn.example/i.png", "styles": {"background_url": "x"}}}});
        let changed = world.owner.patch(&path, change).await.ok();
        assert_eq!((&changed["data"]["name"], &changed["data"]["slug"]), (&json!("Rocket"), &json!("rocket")));
        let merged = world.key.patch(&path, json!({"profile": {"styles": null}, "website": null})).await.ok();
        assert_eq!(merged["data"]["profile"], json!({"icon_url": "https://cdn.example/i.png"}));
        assert_eq!(world.owner.get(&path).await.ok()["data"]["website"], json!(null));
        for (invalid, code) in [
            (json!({}), "invalid_request"),
            (json!({"website": "javascript:alert(1)"}), "invalid_request"),
            (json!({"name": ""}), "invalid_request"),
            (json!({"slug": "admin"}), "slug_reserved"),
            (json!({"profile": {"x": "y".repeat(70_000)}}), "invalid_request"),
        ] {
            world.owner.patch(&path, invalid).await.refused(400, code);
        }
        world.owner.patch(&path, json!({"slug": "other"})).await.refused(409, "slug_taken");
        let available = app.anonymous().get("/project/slug?slug=other").await.ok();
        assert_eq!(available.0, json!({"available": false}));
        assert_eq!(app.anonymous().get("/project/slug?slug=free").await.ok().0, json!({"available": true}));
        let error = app.anonymous().get("/project/slug?slug=Not%20a%20slug!").await.refused(400, "invalid_request");
        assert_eq!(error["slugified"], "not-a-slug");
    }

    async fn a_deleted_project_is_immediately_not_found_for_everyone(app: &App) {
        let world = World::make(app, "acme").await;
        let (project, team) = (format!("/project/{}", world.project), format!("/team/{}", world.team));
        let developer = world.member(app, "dev", "developer").await;
        developer.delete(&project).await.refused(403, "forbidden");
        world.key.delete(&project).await.refused(403, "forbidden");
        world.visitor.delete(&project).await.is_not_found();

        let admin = world.member(app, "admin", "admin").await;
        assert!(admin.delete(&project).await.ok()["message"].is_string());
        world.owner.delete(&project).await.is_not_found();
        for path in ["", "/schema", "/key", "/user", "/settings", "/upload", "/audit", "/webhook"] {
            world.owner.get(&format!("{project}{path}")).await.is_not_found();
        }
        world.owner.get(&world.notes()).await.is_not_found();
        for path in ["/profile", "/schema"] {
            app.anonymous().get(&format!("{project}{path}")).await.is_not_found();
        }
        let token = json!({"token": world.visitor.credential});
        app.anonymous().post(&format!("{project}/user/connect"), token).await.is_not_found();
        world.key.get("/auth/token").await.refused(401, "unauthorized");
        assert_eq!(world.owner.get("/project").await.ok()["data"], json!([]));

        let log = world.owner.get(&format!("{team}/audit?action=project.deleted")).await.ok();
        assert_eq!(log["data"][0]["target"]["id"], json!(world.project));
        world.owner.post("/project", json!({"name": "Again", "slug": "acme", "team_id": world.team})).await.created();
    }
}

// The database decides these races.
on_both! {
    async fn concurrent_requests_for_one_slug_create_one_project(app: &App) {
        let world = World::make(app, "acme").await;
        let mut attempts = tokio::task::JoinSet::new();
        for _ in 0..CONCURRENT {
            let (owner, body) = (world.owner.clone(), json!({"name": "X", "slug": "wanted", "team_id": world.team}));
            attempts.spawn(async move { owner.post("/project", body).await.status.as_u16() });
        }
        let statuses = attempts.join_all().await;
        assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
        assert_eq!(statuses.iter().filter(|status| **status == 409).count(), CONCURRENT - 1, "{statuses:?}");
    }
}
