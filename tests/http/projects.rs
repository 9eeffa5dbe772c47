//! Projects.

use serde_json::json;
use steward_tests::{World, on_both};

on_both! {
    async fn a_project_is_made_listed_and_read(app: &App) {
        let ann = app.person("ann").await;
        let team = ann.post("/team", json!({"name": "Acme", "slug": "acme"})).await.created().id();
        let made = ann.post("/project", json!({"name": "Rock & Roll", "team_id": team})).await.created();
        assert_eq!(made["data"]["slug"], "rock-roll");
        let second = ann.post("/project/", json!({"name": "Rock & Roll", "team_id": team})).await.created();
        assert_eq!(second["data"]["slug"], "rock-roll-2");

        let list = ann.get("/project/").await.ok();
        assert_eq!(list["data"][0]["id"], json!(second.id()), "newest first");
        let listed = &list["data"][1];
        assert_eq!((&listed["team_id"], &listed["team_slug"]), (&json!(team), &json!("acme")));
        assert!(listed["profile"]["styles"].is_object());
        let read = ann.get(&format!("/project/{}/", made.id())).await.ok();
        assert_eq!((&read["data"]["name"], &read["data"]["team_id"]), (&json!("Rock & Roll"), &json!(team)));
    }

    async fn a_bad_project_is_refused(app: &App) {
        let (ann, eve) = (app.person("ann").await, app.person("eve").await);
        let team = ann.post("/team", json!({"name": "Acme", "slug": "acme"})).await.created().id();
        ann.post("/project", json!({"name": "", "team_id": team})).await.refused(400, "invalid_request");
        ann.post("/project", json!({"name": "???", "team_id": team})).await.refused(400, "invalid_request");
        ann.post("/project", json!({"name": "A", "team_id": team, "slug": "docs"})).await.refused(400, "slug_reserved");
        ann.post("/project", json!({"name": "A", "team_id": team, "slug": "a--b"})).await.refused(400, "invalid_request");
        ann.post("/project", json!({"name": "A", "team_id": "x"})).await.is_unknown();
        ann.post("/project", json!({"name": "A"})).await.refused(400, "invalid_request");
        eve.post("/project", json!({"name": "A", "team_id": team})).await.is_unknown();
        ann.post("/project", json!({"name": "A", "team_id": team, "slug": "a"})).await.created();
        ann.post("/project", json!({"name": "A", "team_id": team, "slug": "A"})).await.refused(409, "slug_taken");
        let named = ann.post("/project", json!({"name": "Docs", "team_id": team})).await.created();
        assert_eq!(named["data"]["slug"], "docs-2");
    }

    async fn a_key_lists_its_one_project(app: &App) {
        let world = World::make(app, "acme").await;
        world.owner.post("/project", json!({"name": "Other", "team_id": world.team})).await.created();
        let list = world.key.get("/project").await.ok();
        assert_eq!(list["data"].as_array().unwrap().len(), 1);
        assert_eq!(list["data"][0]["id"], json!(world.project));
        let first = world.owner.get("/project?limit=1").await.ok();
        assert!(first["next_cursor"].is_string());
    }

    async fn fifty_who_want_one_slug_at_once_make_one_project(app: &App) {
        let world = World::make(app, "acme").await;
        let mut attempts = tokio::task::JoinSet::new();
        for _ in 0..50 {
            let (owner, body) = (world.owner.clone(), json!({"name": "X", "slug": "wanted", "team_id": world.team}));
            attempts.spawn(async move { owner.post("/project", body).await.status.as_u16() });
        }
        let statuses = attempts.join_all().await;
        assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
        assert_eq!(statuses.iter().filter(|status| **status == 409).count(), 49, "{statuses:?}");
    }
}
