//! Schemas: publication, validation, comparison and references to other projects.

use serde_json::{Value, json};
use steward_tests::{World, on_both, on_both_in_full, on_sqlite};

use crate::CONCURRENT;

/// Creates a project without a schema in the team. Returns its ID.
async fn empty_project(world: &World) -> String {
    world.owner.post("/project", json!({"name": "Empty", "team_id": world.team})).await.created().id()
}

on_both_in_full! {
    async fn versions_are_published_sequentially_and_stored_unchanged(app: &App) {
        let world = World::make(app, "acme").await;
        let project = empty_project(&world).await;
        let path = format!("/project/{project}/schema");
        assert_eq!(app.anonymous().get(&path).await.ok()["data"], json!([]));

        let document = json!({
            "zeta": {"b": 1, "a": [1, 2.5, "x", null]}, "project_id": project, "version": 1, "namespace": "n",
            "tables": {"t": {"fields": {"f": {"type": "string", "note": "kept"}}, "color": "red"}},
        });
        let published = world.owner.post(&path, json!({"schema": document})).await.ok();
        assert_eq!(published["data"]["schema"], document);
        assert_eq!(published["data"]["project_id"], json!(project));
        let read = app.anonymous().get(&path).await;
        let text = String::from_utf8_lossy(&read.body).into_owned();
        assert!(text.contains(&document.to_string()), "The document must be identical: {text}");

        let next = json!({"tables": {}});
        let notes = json!({"schema": steward_tests::notes_schema()});
        world.key.post(&format!("/project/{}/schema/", world.project), notes).await.ok();
        world.owner.post(&path, json!({"schema": next})).await.ok();
        let all = app.anonymous().get(&format!("{path}?version=all")).await.ok();
        assert_eq!(all["count"], 2);
        let versions: Vec<&Value> =
            all["data"].as_array().unwrap().iter().map(|version| &version["schema"]["version"]).collect();
        assert_eq!(versions, [&json!(2), &json!(1)]);
        assert_eq!(app.anonymous().get(&format!("{path}?version=1")).await.ok()["data"][0]["schema"], document);
        for missing in ["0", "9", "4294967296", "99999999999999999999"] {
            assert_eq!(app.anonymous().get(&format!("{path}?version={missing}")).await.ok()["data"], json!([]), "{missing}");
        }
        for invalid in ["0x", "-1", "+1", "1.0", "latest", "ALL", ""] {
            app.anonymous().get(&format!("{path}?version={invalid}")).await.refused(400, "invalid_request");
        }
        app.anonymous().get(&format!("/project/{}/schema", world.user)).await.is_not_found();
    }
}

on_sqlite! {
    async fn all_violations_of_a_document_are_reported(app: &App) {
        let world = World::make(app, "acme").await;
        let path = format!("/project/{}/schema", world.project);
        let invalid = json!({"project_id": "another", "version": "2", "tables": {"id": {"fields": {"f": {"type": "text"}}}}});
        let error = world.owner.post(&path, json!({"schema": invalid})).await.refused(400, "invalid_schema");
        assert_eq!(error["valid"], false);
        let message = error["message"].as_str().unwrap();
        let types = "/tables/id/fields/f/type: must be equal to one of the allowed values: string, boolean, number, json";
        assert!(message.contains(types), "{message}");
        let violations: Vec<(&str, &str)> = error["errors"].as_array().unwrap().iter()
            .map(|one| (one["instancePath"].as_str().unwrap(), one["keyword"].as_str().unwrap())).collect();
        assert_eq!(violations, [
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
        let error = world.owner.post(&path, json!({"schema": retyped})).await.refused(400, "invalid_schema");
        assert_eq!(error["errors"][0]["change"]["type"], "field_type_changed");
        assert_eq!(app.anonymous().get(&format!("{path}?version=all")).await.ok()["count"], 1);
    }

    async fn a_document_can_be_compared_and_verified_before_publication(app: &App) {
        let world = World::make(app, "acme").await;
        let (compare, verify) = ("/utils/schema/compareSchema", "/utils/schema/verifyUpdateSchema/");
        let published = app.anonymous().get(&format!("/project/{}/schema", world.project)).await.ok();
        let same = published["data"][0]["schema"].clone();
        assert_eq!(app.anonymous().post(compare, json!({"schema": same})).await.ok().0, json!({"valid": true, "changes": []}));

        let mut next = same.clone();
        next["version"] = json!(2);
        next["tables"]["more"] = json!({"fields": {}});
        let compared = app.anonymous().post(compare, json!({"schema": next})).await.ok();
        assert_eq!(compared["valid"], false);
        assert_eq!(compared["changes"][1], json!({"type": "table_added", "table": "more"}));
        let result = app.anonymous().post(verify, json!({"schema": next})).await.ok();
        assert_eq!((&result["valid"], &result["errors"]), (&json!(true), &json!([])));

        let result = app.anonymous().post(verify, json!({"schema": same})).await.ok();
        assert_eq!(result["message"], "Version must be incremented by 1");
        let result = app.anonymous().post(verify, json!({"schema": {}})).await.ok();
        assert_eq!((&result["valid"], &result["message"]), (&json!(false), &json!("schemas are invalid")));
        assert_eq!(result["errors"].as_array().unwrap().len(), 3);
        app.anonymous().post(compare, json!({"schema": {}})).await.refused(400, "invalid_schema");
        app.anonymous().post(compare, json!({})).await.refused(400, "invalid_request");
        next["project_id"] = json!(world.user);
        app.anonymous().post(compare, json!({"schema": next})).await.is_not_found();
    }

    async fn members_without_effect_are_stored_and_reported(app: &App) {
        let world = World::make(app, "acme").await;
        let path = format!("/project/{}/schema", world.project);
        let misspelt = json!([{
            "path": "/tables/notes/fields/title/requierd",
            "message": "`requierd` has no effect. Did you mean `required`?",
        }]);
        let mut document = app.anonymous().get(&path).await.ok()["data"][0]["schema"].clone();
        document["version"] = json!(2);
        let correct = document.clone();
        document["tables"]["notes"]["fields"]["title"]["requierd"] = json!(true);

        let verify = "/utils/schema/verifyUpdateSchema";
        let verified = app.anonymous().post(verify, json!({"schema": document})).await.ok();
        assert_eq!((&verified["valid"], &verified["warnings"]), (&json!(true), &misspelt));
        let mut stale = document.clone();
        stale["version"] = json!(7);
        let refused = app.anonymous().post(verify, json!({"schema": stale})).await.ok();
        assert_eq!((&refused["valid"], &refused["warnings"]), (&json!(false), &misspelt));
        for verified in [json!({"schema": correct}), json!({"schema": {}})] {
            let verified = app.anonymous().post(verify, verified).await.ok();
            assert_eq!(verified.0.get("warnings"), None, "{verified:?}");
        }
        let dry_run = format!("{path}?dry_run=true");
        let dry = world.owner.post(&dry_run, json!({"schema": correct})).await.ok();
        assert_eq!(dry.0.get("warnings"), None, "{dry:?}");
        let dry = world.owner.post(&dry_run, json!({"schema": document})).await.ok();
        assert_eq!(dry["warnings"], misspelt);

        let published = world.owner.post(&path, json!({"schema": document})).await.ok();
        assert_eq!((&published["warnings"], &published["data"]["schema"]), (&misspelt, &document));
        let read = app.anonymous().get(&path).await;
        let text = String::from_utf8_lossy(&read.body).into_owned();
        assert!(text.contains(&document.to_string()) && !text.contains("warnings"), "{text}");
        let without = json!({"tables": {"notes": {"fields": {"title": {"requierd": null}}}}});
        let patched = world.owner.patch(&path, json!({"schema": without})).await.ok();
        assert_eq!(patched.0.get("warnings"), None, "{patched:?}");
        let unique = json!({"tables": {"notes": {"fields": {"title": {"unique": true}}}}});
        let patched = world.owner.patch(&path, json!({"schema": unique})).await.ok();
        assert_eq!(patched["warnings"][0]["path"], "/tables/notes/fields/title/unique");
        let back = world.owner.post(&format!("{path}/rollback"), json!({"version": 2})).await.ok();
        assert_eq!(back["warnings"], misspelt);
    }

    async fn a_referenced_table_of_another_project_must_exist(app: &App) {
        let world = World::make(app, "acme").await;
        let project = empty_project(&world).await;
        let path = format!("/project/{project}/schema");
        let with = |table: &str, kind: &str| json!({"schema": {"tables": {"theirs": {
            "origin": {"project_id": world.project, "table": table},
            "fields": {"title": {"type": kind}},
        }}}});
        let error = world.owner.post(&path, with("nothing", "string")).await.refused(400, "invalid_schema");
        assert_eq!(error["errors"][0]["params"]["originTable"], "nothing");
        world.owner.post(&path, with("notes", "json")).await.refused(400, "invalid_schema");
        let with_version = |version: Value| {
            let mut document = with("notes", "string");
            document["schema"]["tables"]["theirs"]["origin"]["version"] = version;
            document
        };
        for missing in [0, 2, -1, 5_000_000_000_i64] {
            let error = world.owner.post(&path, with_version(json!(missing))).await.refused(400, "invalid_schema");
            assert_eq!(error["errors"][0]["instancePath"], "/tables/theirs/origin", "{missing}");
        }
        world.owner.post(&path, with_version(json!(1))).await.ok();
        world.owner.post(&path, with("notes", "string")).await.ok();
    }
}

// The database decides these races.
on_both! {
    async fn concurrent_publications_of_one_version_publish_one(app: &App) {
        let world = World::make(app, "acme").await;
        let path = format!("/project/{}/schema", world.project);
        let mut attempts = tokio::task::JoinSet::new();
        for number in 0..CONCURRENT {
            let (owner, path) = (world.owner.clone(), path.clone());
            let mut document = json!({"schema": steward_tests::notes_schema()});
            (document["schema"]["version"], document["schema"]["number"]) = (json!(2), json!(number));
            attempts.spawn(async move { owner.post(&path, document).await.status.as_u16() });
        }
        let statuses = attempts.join_all().await;
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
        assert_eq!(statuses.iter().filter(|status| **status == 409).count(), CONCURRENT - 1, "{statuses:?}");
        let error = world.owner.post(&path, json!({"schema": {"version": 2, "tables": {}}})).await;
        let error = error.refused(409, "version_conflict");
        assert!(error["message"].as_str().unwrap().contains("version 2"), "{error:?}");
        assert_eq!(app.anonymous().get(&format!("{path}?version=all")).await.ok()["count"], 2);
    }
}
