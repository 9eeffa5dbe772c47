//! Unknown members of a body are refused, so that a misspelled restriction never grants more access. All violations of
//! a body are reported together (docs/contract.md#request-bodies).

use serde_json::{Map, Value, json};
use steward_tests::{App, Body, Client, Described, World, on_sqlite};

use crate::laws::operations;

const LATER: &str = "2030-01-31T12:00:00Z";

/// Fields and codes of the violations in an error.
fn violations(error: &Body) -> Vec<(&str, &str)> {
    let listed = error["errors"].as_array().unwrap();
    listed.iter().map(|one| (one["field"].as_str().unwrap(), one["code"].as_str().unwrap())).collect()
}

/// Operations with a JSON body that ignore unknown parameters (RFC 6749 §3.2, RFC 7591 §2,
/// docs/contract.md#request-bodies).
const OAUTH: &[&str] = &["exchangeToken", "introspectToken", "registerClient", "revokeToken"];

/// Every operation of the document with a JSON body.
pub fn with_json_body(app: &App) -> Vec<&Described> {
    let has_json_body = |described: &&Described| {
        described.operation.pointer("/requestBody/content/application~1json").is_some()
            && !OAUTH.contains(&described.id.as_str())
    };
    app.openapi.operations.iter().filter(has_json_body).collect()
}

on_sqlite! {
    async fn every_operation_refuses_unknown_members(app: &App) {
        let world = World::make(app, "acme").await;
        let tokens = Client::of(app, &world).tokens(app, "acme-visitor", &[]).await;
        let user = app.bearer(tokens["access_token"].as_str().unwrap());
        let operations = with_json_body(app);
        assert!(operations.len() > 30, "{}", operations.len());
        for described in operations {
            let mut body = operations::valid_body(described, &world);
            body["a_misspelled_restriction"] = json!(true);
            let caller = if described.path.starts_with("/account/") { &user } else { &world.owner };
            let path = operations::path(&described.path, &world);
            let response = caller.send(described.method.clone(), &path, Some(body), &[]).await;
            let error = response.refused(400, "unknown_field");
            assert_eq!(violations(&error), [("a_misspelled_restriction", "unknown_field")], "{}", described.id);
        }
        let keys = world.owner.get(&format!("/project/{}/key", world.project)).await.ok();
        assert_eq!(keys["data"].as_array().unwrap().len(), 1, "No key must be created.");
    }

    async fn a_misspelled_restriction_grants_nothing_and_gets_a_suggestion(app: &App) {
        let world = World::make(app, "acme").await;
        let token = json!({"label": "x", "roles": "viewer", "expires_at": LATER, "project_ids": [world.project]});
        let error = world.owner.post("/auth/pat", token).await.refused(400, "unknown_field");
        assert!(error["message"].as_str().unwrap().contains("did you mean `projects`?"), "{error:?}");
        let key = json!({"label": "x", "roles": "read", "expiresAt": LATER});
        let error = world.owner.post(&format!("/project/{}/key", world.project), key).await;
        let error = error.refused(400, "unknown_field");
        assert!(error["message"].as_str().unwrap().contains("did you mean `expires_at`?"), "{error:?}");
        let tokens = world.owner.get("/auth/pat").await.ok();
        assert_eq!(tokens["data"], json!([]));
    }

    async fn a_returned_resource_can_be_sent_back(app: &App) {
        let world = World::make(app, "acme").await;
        let (project, team) = (format!("/project/{}", world.project), format!("/team/{}", world.team));
        let shown = world.owner.get(&project).await.ok();
        world.owner.patch(&project, shown["data"].clone()).await.ok();
        world.owner.patch(&project, json!({"data": shown["data"]})).await.ok();
        let shown = world.owner.get(&team).await.ok();
        world.owner.patch(&team, shown["data"].clone()).await.ok();
        let key = format!("{project}/key/{}", world.key_id);
        let shown = world.owner.get(&key).await.ok();
        world.owner.patch(&key, shown["key"].clone()).await.ok();
        let user = format!("{project}/user/{}", world.user);
        let shown = world.owner.get(&user).await.ok();
        world.owner.patch(&user, shown["data"].clone()).await.ok();
        let settings = format!("{project}/settings");
        let shown = world.owner.get(&settings).await.ok();
        world.owner.patch(&settings, json!({"data": shown["data"]})).await.ok();
        let shown = world.owner.get(&world.item("first")).await.ok();
        world.owner.put(&world.item("first"), json!({"value": shown["data"]})).await.ok();
    }

    async fn an_update_that_names_another_resource_or_owner_is_refused(app: &App) {
        let world = World::make(app, "acme").await;
        let other = world.owner.post("/team", json!({"name": "Other", "slug": "other"})).await.created().id();
        let (project, team) = (format!("/project/{}", world.project), format!("/team/{}", world.team));
        let shop = json!({"name": "Web shop", "type": "public", "redirect_uris": ["https://app.example/"]});
        let client = world.owner.post(&format!("{project}/client"), shop).await.created().id();
        let google = json!({"kind": "google", "client_id": "x", "name": "Google"});
        let provider = world.owner.post(&format!("{project}/identity-provider"), google).await.created().id();
        let hook = json!({"url": "https://hooks.example/x", "events": ["*"]});
        let webhook = world.owner.post(&format!("{project}/webhook"), hook).await.created().id();
        let members = world.owner.get(&format!("{team}/member")).await.ok();
        let member = members["data"][0]["account_id"].as_str().unwrap();
        for (path, id, change) in [
            (project.clone(), "id", json!({"name": "New"})),
            (project.clone(), "team_id", json!({"name": "New"})),
            (team.clone(), "id", json!({"name": "New"})),
            (format!("{team}/member/{member}"), "account_id", json!({"role_name": "New"})),
            (format!("{project}/key/{}", world.key_id), "id", json!({"label": "New"})),
            (format!("{project}/client/{client}"), "id", json!({"name": "New"})),
            (format!("{project}/identity-provider/{provider}"), "id", json!({"name": "New"})),
            (format!("{project}/webhook/{webhook}"), "id", json!({"events": ["team.updated"]})),
            (format!("{project}/user/{}", world.user), "id", json!({"meta": {"plan": "new"}})),
            (format!("{project}/schema"), "project_id", json!({"schema": {"description": "New"}})),
        ] {
            for named in [json!(other), json!("x"), json!(5)] {
                let mut body = change.clone();
                body[id] = named;
                let error = world.owner.patch(&path, body).await.refused(400, "invalid_request");
                assert_eq!(violations(&error), [(id, "invalid_value")], "{path}");
            }
        }
        let moved = json!({"data": {"name": "New", "team_id": other}});
        world.owner.patch(&project, moved).await.refused(400, "invalid_request");
        let shown = world.owner.get(&project).await.ok();
        assert_eq!((&shown["data"]["name"], &shown["data"]["team_id"]), (&json!("acme"), &json!(world.team)));

        // Times and counters are ignored, as is an ID in the value of an item.
        let same = json!({"name": "New", "id": world.project.to_uppercase(), "team_id": world.team.to_uppercase(),
            "created_at": "2000-01-01T00:00:00Z", "usage": {}});
        assert_eq!(world.owner.patch(&project, same).await.ok()["data"]["name"], "New");
        world.owner.patch(&project, json!({"name": "Newer", "team_id": null})).await.ok();
        let item = json!({"value": {"title": "x", "id": other, "created_at": 1}});
        world.owner.put(&world.item("first"), item).await.ok();
    }

    async fn all_violations_of_a_body_are_reported_together(app: &App) {
        let world = World::make(app, "acme").await;
        let keys = format!("/project/{}/key", world.project);
        let body = json!({"labl": "x", "roles": "king", "is_private": "yes", "expires_at": "tomorrow"});
        let error = world.owner.post(&keys, body).await.refused(400, "unknown_field");
        assert_eq!(violations(&error), [
            ("labl", "unknown_field"),
            ("is_private", "invalid_type"),
            ("label", "missing_field"),
            ("roles", "invalid_value"),
            ("expires_at", "invalid_value"),
        ]);
        let error = world.owner.post("/team", json!({})).await.refused(400, "invalid_request");
        assert_eq!(violations(&error), [("name", "missing_field"), ("slug", "missing_field")]);
        let error = world.owner.post("/team", json!({"name": null, "slug": "A B"})).await.refused(400, "invalid_request");
        assert_eq!(violations(&error), [("name", "missing_field"), ("slug", "invalid_value")]);

        let many: Map<String, Value> = (0..5_000).map(|n| (format!("m{n}"), json!(n))).collect();
        let response = world.owner.post("/team", Value::Object(many)).await;
        assert!(response.body.len() < 32 * 1024, "{} bytes", response.body.len());
        let error = response.refused(400, "unknown_field");
        assert_eq!((violations(&error).len(), &error["truncated"]), (100, &json!(true)));
    }
}
