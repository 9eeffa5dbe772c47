//! Schemas.

use serde_json::{Value, json};
use steward_tests::{World, on_both};

/// A project of team `world` without a schema.
async fn empty_project(world: &World) -> String {
    world.owner.post("/project", json!({"name": "Empty", "team_id": world.team})).await.created().id()
}

on_both! {
    async fn versions_are_published_one_after_the_other_and_kept_as_sent(app: &App) {
        let world = World::make(app, "acme").await;
        let project = empty_project(&world).await;
        let path = format!("/project/{project}/schema");
        assert_eq!(app.anon().get(&path).await.ok()["data"], json!([]));

        let document = json!({
            "zeta": {"b": 1, "a": [1, 2.5, "x", null]}, "project_id": project, "version": 1, "namespace": "n",
            "tables": {"t": {"fields": {"f": {"type": "string", "note": "kept"}}, "color": "red"}},
        });
        let published = world.owner.post(&path, json!({"schema": document})).await.ok();
        assert_eq!(published["data"]["schema"], document);
        assert_eq!(published["data"]["project_id"], json!(project));
        let read = app.anon().get(&path).await;
        let text = String::from_utf8_lossy(&read.body).into_owned();
        assert!(text.contains(&document.to_string()), "member for member: {text}");

        let next = json!({"tables": {}});
        let notes = json!({"schema": steward_tests::schema_of_notes()});
        world.key.post(&format!("/project/{}/schema/", world.project), notes).await.ok();
        world.owner.post(&path, json!({"schema": next})).await.ok();
        let all = app.anon().get(&format!("{path}?version=all")).await.ok();
        assert_eq!(all["count"], 2);
        let versions: Vec<&Value> =
            all["data"].as_array().unwrap().iter().map(|version| &version["schema"]["version"]).collect();
        assert_eq!(versions, [&json!(2), &json!(1)]);
        assert_eq!(app.anon().get(&format!("{path}?version=1")).await.ok()["data"][0]["schema"], document);
        for none in ["0", "9", "4294967296", "99999999999999999999"] {
            assert_eq!(app.anon().get(&format!("{path}?version={none}")).await.ok()["data"], json!([]), "{none}");
        }
        for bad in ["0x", "-1", "+1", "1.0", "latest", "ALL", ""] {
            app.anon().get(&format!("{path}?version={bad}")).await.refused(400, "invalid_request");
        }
        app.anon().get(&format!("/project/{}/schema", world.user)).await.is_unknown();
    }

    async fn a_document_with_faults_is_refused_with_all_of_them(app: &App) {
        let world = World::make(app, "acme").await;
        let path = format!("/project/{}/schema", world.project);
        let bad = json!({"project_id": "another", "version": "2", "tables": {"id": {"fields": {"f": {"type": "text"}}}}});
        let refusal = world.owner.post(&path, json!({"schema": bad})).await.refused(400, "invalid_schema");
        assert_eq!(refusal["valid"], false);
        let told: Vec<(&str, &str)> = refusal["errors"].as_array().unwrap().iter()
            .map(|error| (error["instancePath"].as_str().unwrap(), error["keyword"].as_str().unwrap())).collect();
        assert_eq!(told, [
            ("/version", "type"),
            ("/tables", "pattern"),
            ("/tables", "propertyNames"),
            ("/tables/id/fields/f/type", "enum"),
            ("/project_id", "const"),
        ]);
        world.owner.post(&path, json!({"schema": []})).await.refused(400, "invalid_request");
        world.owner.post(&path, json!({})).await.refused(400, "invalid_request");
        world.owner.post(&path, json!({"schema": {"version": 5, "tables": {}}})).await.refused(400, "invalid_schema");
        let retyped = json!({"version": 2, "tables": {"notes": {"fields": {"title": {"type": "json"}}}}});
        let refusal = world.owner.post(&path, json!({"schema": retyped})).await.refused(400, "invalid_schema");
        assert_eq!(refusal["errors"][0]["change"]["type"], "field_type_changed");
        assert_eq!(app.anon().get(&format!("{path}?version=all")).await.ok()["count"], 1);
    }

    async fn fifty_who_publish_one_version_at_once_make_one(app: &App) {
        let world = World::make(app, "acme").await;
        let path = format!("/project/{}/schema", world.project);
        let mut attempts = tokio::task::JoinSet::new();
        for number in 0..50 {
            let (owner, path) = (world.owner.clone(), path.clone());
            let mut document = json!({"schema": steward_tests::schema_of_notes()});
            (document["schema"]["version"], document["schema"]["number"]) = (json!(2), json!(number));
            attempts.spawn(async move { owner.post(&path, document).await.status.as_u16() });
        }
        let statuses = attempts.join_all().await;
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
        assert_eq!(statuses.iter().filter(|status| **status == 409).count(), 49, "{statuses:?}");
        let refusal = world.owner.post(&path, json!({"schema": {"version": 2, "tables": {}}})).await;
        let refusal = refusal.refused(409, "version_conflict");
        assert!(refusal["message"].as_str().unwrap().contains("version 2"), "{refusal:?}");
        assert_eq!(app.anon().get(&format!("{path}?version=all")).await.ok()["count"], 2);
    }

    async fn a_document_can_be_compared_and_verified_beforehand(app: &App) {
        let world = World::make(app, "acme").await;
        let (compare, verify) = ("/utils/schema/compareSchema", "/utils/schema/verifyUpdateSchema/");
        let published = app.anon().get(&format!("/project/{}/schema", world.project)).await.ok();
        let same = published["data"][0]["schema"].clone();
        assert_eq!(app.anon().post(compare, json!({"schema": same})).await.ok().0, json!({"valid": true, "changes": []}));

        let mut next = same.clone();
        next["version"] = json!(2);
        next["tables"]["more"] = json!({"fields": {}});
        let compared = app.anon().post(compare, json!({"schema": next})).await.ok();
        assert_eq!(compared["valid"], false);
        assert_eq!(compared["changes"][1], json!({"type": "table_added", "table": "more"}));
        let verdict = app.anon().post(verify, json!({"schema": next})).await.ok();
        assert_eq!((&verdict["valid"], &verdict["errors"]), (&json!(true), &json!([])));

        let verdict = app.anon().post(verify, json!({"schema": same})).await.ok();
        assert_eq!(verdict["message"], "Version must be incremented by 1");
        let verdict = app.anon().post(verify, json!({"schema": {}})).await.ok();
        assert_eq!((&verdict["valid"], &verdict["message"]), (&json!(false), &json!("schemas are invalid")));
        assert_eq!(verdict["errors"].as_array().unwrap().len(), 3);
        app.anon().post(compare, json!({"schema": {}})).await.refused(400, "invalid_schema");
        app.anon().post(compare, json!({})).await.refused(400, "invalid_request");
        next["project_id"] = json!(world.user);
        app.anon().post(compare, json!({"schema": next})).await.is_unknown();
    }

    async fn a_table_of_another_project_must_be_there(app: &App) {
        let world = World::make(app, "acme").await;
        let project = empty_project(&world).await;
        let path = format!("/project/{project}/schema");
        let with = |table: &str, kind: &str| json!({"schema": {"tables": {"theirs": {
            "origin": {"project_id": world.project, "table": table},
            "fields": {"title": {"type": kind}},
        }}}});
        let refusal = world.owner.post(&path, with("nothing", "string")).await.refused(400, "invalid_schema");
        assert_eq!(refusal["errors"][0]["params"]["originTable"], "nothing");
        world.owner.post(&path, with("notes", "json")).await.refused(400, "invalid_schema");
        let of_version = |version: Value| {
            let mut document = with("notes", "string");
            document["schema"]["tables"]["theirs"]["origin"]["version"] = version;
            document
        };
        for none in [0, 2, -1, 5_000_000_000_i64] {
            let refusal = world.owner.post(&path, of_version(json!(none))).await.refused(400, "invalid_schema");
            assert_eq!(refusal["errors"][0]["instancePath"], "/tables/theirs/origin", "{none}");
        }
        world.owner.post(&path, of_version(json!(1))).await.ok();
        world.owner.post(&path, with("notes", "string")).await.ok();
    }
}
