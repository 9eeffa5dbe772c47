//! Schema changes after the first version: patches, rollbacks, and their effects on stored items.

use serde_json::{Value, json};
use steward_tests::{Answer, World, on_both, on_sqlite};

use crate::CONCURRENT;

/// Path of the project's schema.
fn path(world: &World) -> String {
    format!("/project/{}/schema", world.project)
}

/// Path of the project's schema with a query.
fn path_with(world: &World, query: &str) -> String {
    format!("{}?{query}", path(world))
}

/// Published versions, oldest first.
async fn versions(world: &World) -> Vec<Value> {
    let all = world.owner.get(&path_with(world, "version=all")).await.ok();
    let data = all["data"].as_array().unwrap().iter().rev();
    data.map(|version| version["schema"].clone()).collect()
}

/// The latest published document.
async fn latest(world: &World) -> Value {
    versions(world).await.pop().unwrap()
}

/// Asserts that the publication was refused because stored items would violate the schema. Returns the breaking
/// changes.
#[track_caller]
fn assert_breaking(response: Answer) -> Vec<Value> {
    let error = response.refused(409, "schema_breaking");
    assert_eq!(error["diff"]["class"], "breaking");
    assert!(error["message"].as_str().unwrap().contains("allow_destructive=true"), "{error:?}");
    breaking_changes(&error["diff"])
}

fn breaking_changes(diff: &Value) -> Vec<Value> {
    diff["changes"].as_array().unwrap().iter().filter(|change| change["class"] == "breaking").cloned().collect()
}

on_both! {
    async fn breaking_changes_need_allow_destructive(app: &App) {
        let world = World::make(app, "acme").await;
        let empty = json!({"schema": {"tables": {}}});
        let changes = assert_breaking(world.owner.post(&path(&world), empty.clone()).await);
        assert_eq!(changes, [json!({"type": "table_removed", "table": "notes", "class": "breaking",
            "affected_items": 1, "sample_ids": ["first"]})]);
        let required = json!({"schema": {"tables": {"notes": {"fields": {"rank": {"required": true}}}}}});
        assert_breaking(world.owner.patch(&path(&world), required.clone()).await);
        let removed = json!({"schema": {"tables": {"notes": {"fields": {"title": null}}}}});
        assert_breaking(world.key.patch(&path(&world), removed).await);
        assert_eq!(versions(&world).await.len(), 1);

        // Changes that affect no stored item are accepted.
        let unused = json!({"schema": {"tables": {"notes": {"fields": {"more": null, "done": null}}}}});
        world.owner.patch(&path(&world), unused).await.ok();
        world.owner.patch(&path(&world), json!({"schema": {"tables": {"more": {"fields": {}}}}})).await.ok();
        world.owner.patch(&path(&world), json!({"schema": {"tables": {"more": null}}})).await.ok();
        world.owner.patch(&world.item("first"), json!({"value": {"rank": 1}})).await.ok();
        world.owner.patch(&path(&world), required).await.ok();
        world.owner.delete(&world.item("first")).await.ok();
        world.owner.post(&path(&world), empty).await.ok();
        assert_eq!(versions(&world).await.len(), 6);
    }

    async fn concurrent_patches_are_each_published_or_refused(app: &App) {
        let world = World::make(app, "acme").await;
        let mut attempts = tokio::task::JoinSet::new();
        for number in 0..20 {
            // Half of the requests use a key, whose permissions are loaded when the request is authenticated.
            let (caller, path) = (if number % 2 == 0 { &world.owner } else { &world.key }.clone(), path(&world));
            let changes = json!({"schema": {"tables": {format!("table_{number}"): {"fields": {}}}}});
            attempts.spawn(async move { (number, caller.patch(&path, changes).await) });
        }
        let mut accepted = Vec::new();
        for (number, response) in attempts.join_all().await {
            if response.status == 200 {
                accepted.push(format!("table_{number}"));
            } else {
                response.refused(409, "version_conflict");
            }
        }
        assert!(!accepted.is_empty());
        let versions = versions(&world).await;
        let numbers: Vec<&Value> = versions.iter().map(|schema| &schema["version"]).collect();
        assert_eq!(json!(numbers), json!((1..=accepted.len() + 1).collect::<Vec<_>>()));
        let latest = versions.last().unwrap()["tables"].as_object().unwrap();
        assert_eq!(latest.len(), accepted.len() + 1);
        assert!(accepted.iter().all(|table| latest.contains_key(table)), "{accepted:?} of {latest:?}");
    }

    async fn of_concurrent_patches_with_one_version_number_one_is_accepted(app: &App) {
        let world = World::make(app, "acme").await;
        let mut attempts = tokio::task::JoinSet::new();
        for number in 0..CONCURRENT {
            let (owner, path) = (world.owner.clone(), path(&world));
            let changes = json!({"schema": {"version": 2, "number": number}});
            attempts.spawn(async move { owner.patch(&path, changes).await });
        }
        let (accepted, refused): (Vec<_>, Vec<_>) = attempts.join_all().await.into_iter().partition(|response| response.status == 200);
        assert_eq!((accepted.len(), refused.len()), (1, CONCURRENT - 1));
        for response in refused {
            assert!(response.refused(409, "version_conflict")["message"].as_str().unwrap().contains("version 2"));
        }
        assert_eq!(versions(&world).await.len(), 2);
    }

    async fn items_written_while_a_field_becomes_required_stay_readable(app: &App) {
        let world = World::make(app, "acme").await;
        world.owner.delete(&world.item("first")).await.ok();
        let mut writes = tokio::task::JoinSet::new();
        for number in 0..CONCURRENT {
            let (owner, path) = (world.owner.clone(), world.item(&format!("n{number}")));
            writes.spawn(async move { (path.clone(), owner.put(&path, json!({"value": {"title": "x"}})).await) });
        }
        let required = json!({"schema": {"tables": {"notes": {"fields": {"rank": {"required": true}}}}}});
        let published = world.owner.patch(&path(&world), required).await;
        let mut stored = 0;
        for (path, response) in writes.join_all().await {
            match response.status.as_u16() {
                201 => {
                    stored += 1;
                    world.owner.get(&path).await.ok();
                }
                _ => drop(response.refused(400, "invalid_item")),
            }
        }
        assert_eq!(world.owner.get(&world.notes()).await.ok()["data"].as_array().unwrap().len(), stored);
        if published.status != 200 {
            assert_breaking(published);
        }
        // Writes are always validated against the latest version.
        let rank = latest(&world).await["tables"]["notes"]["fields"]["rank"]["required"] == true;
        let after = world.owner.put(&world.item("after"), json!({"value": {"title": "x"}})).await;
        assert_eq!(after.status.as_u16(), if rank { 400 } else { 201 });
    }
}

on_sqlite! {
    async fn changes_are_merged_into_the_latest_version(app: &App) {
        let world = World::make(app, "acme").await;
        let first = latest(&world).await;
        let changes = json!({"namespace": "n", "tables": {
            "notes": {"fields": {"rank": {"indexed": true}, "tags": {"type": "json"}}},
            "more": {"fields": {"f": {"type": "string"}}},
        }});
        let patched = world.key.patch(&path(&world), json!({"schema": changes})).await.ok();
        let mut expected = first.clone();
        expected["version"] = json!(2);
        expected["namespace"] = json!("n");
        expected["tables"]["notes"]["fields"]["rank"]["indexed"] = json!(true);
        expected["tables"]["notes"]["fields"]["tags"] = json!({"type": "json"});
        expected["tables"]["more"] = json!({"fields": {"f": {"type": "string"}}});
        assert_eq!(patched["data"]["schema"], expected);
        assert_eq!(patched.0.get("diff"), None);

        let changes = json!({"version": 3, "namespace": null, "tables": {"more": null}});
        world.owner.patch(&path(&world), json!({"schema": changes})).await.ok();
        expected["version"] = json!(3);
        expected.as_object_mut().unwrap().shift_remove("namespace");
        expected["tables"].as_object_mut().unwrap().shift_remove("more");
        assert_eq!(latest(&world).await.to_string(), expected.to_string(), "The documents must be identical.");

        let empty = json!({"name": "Empty", "team_id": world.team});
        let empty = world.owner.post("/project", empty).await.created().id();
        let changes = json!({"schema": {"tables": {"t": {"fields": {}}}}});
        let created = world.owner.patch(&format!("/project/{empty}/schema/"), changes).await.ok();
        let expected = json!({"project_id": empty, "version": 1, "tables": {"t": {"fields": {}}}});
        assert_eq!(created["data"]["schema"], expected, "Without a version, the patch is the whole document.");
    }

    async fn patches_are_validated_like_whole_documents(app: &App) {
        let world = World::make(app, "acme").await;
        let patch = async |changes: Value| world.owner.patch(&path(&world), json!({"schema": changes})).await;
        let retyped = json!({"tables": {"notes": {"fields": {"title": {"type": "json"}}}}});
        let error = patch(retyped).await.refused(400, "invalid_schema");
        assert_eq!((&error["valid"], &error["errors"][0]["change"]["type"]), (&json!(false), &json!("field_type_changed")));
        let error = patch(json!({"tables": {"id": {"fields": {}}}, "project_id": "another"})).await;
        let error = error.refused(400, "invalid_schema");
        let keywords: Vec<&Value> = error["errors"].as_array().unwrap().iter().map(|violation| &violation["keyword"]).collect();
        assert_eq!(keywords, ["pattern", "propertyNames", "const"]);
        patch(json!({"tables": null})).await.refused(400, "invalid_schema");
        patch(json!({"version": 3})).await.refused(400, "invalid_schema");
        patch(json!({"version": "2"})).await.refused(400, "invalid_schema");
        patch(json!({"version": 1})).await.refused(409, "version_conflict");
        patch(json!([])).await.refused(400, "invalid_request");
        world.owner.patch(&path(&world), json!({})).await.refused(400, "invalid_request");
        for query in ["dry_run=yes", "allow_destructive=1", "dry_run=true&dry_run=true", "dryrun=true"] {
            let document = json!({"schema": {"tables": {}}});
            world.owner.post(&path_with(&world, query), document.clone()).await.refused(400, "invalid_request");
            world.owner.patch(&path_with(&world, query), document).await.refused(400, "invalid_request");
        }
        assert_eq!(versions(&world).await.len(), 1);
    }

    async fn a_dry_run_returns_the_result_and_stores_nothing(app: &App) {
        let world = World::make(app, "acme").await;
        for number in 0..6 {
            world.owner.put(&world.item(&format!("ranked-{number}")), json!({"value": {"title": "x", "rank": number}})).await.created();
        }
        let patch = async |changes: Value| world.owner.patch(&path_with(&world, "dry_run=true"), json!({"schema": changes})).await.ok();

        let added = patch(json!({"tables": {"notes": {"fields": {"tags": {"type": "json"}}}, "more": {"fields": {}}}})).await;
        assert_eq!(added["diff"]["class"], "compatible");
        assert_eq!(added["data"]["schema"]["version"], 2);
        assert_eq!(added["data"]["schema"]["tables"]["notes"]["fields"]["tags"], json!({"type": "json"}));

        let risky = patch(json!({"tables": {"notes": {"fields": {"more": null}}}})).await;
        assert_eq!(risky["diff"]["class"], "risky");
        assert_eq!(risky["diff"]["changes"][1], json!({"type": "field_removed", "table": "notes", "field": "more",
            "class": "risky", "affected_items": 0, "sample_ids": []}));

        let breaks = patch(json!({"tables": {"notes": {"fields": {
            "rank": null, "done": {"required": true}, "title": {"note": 1}, "kind": {"type": "string", "required": true},
        }}}})).await;
        assert_eq!(breaks["diff"]["class"], "breaking");
        let reported: Vec<(&Value, &Value, usize)> = breaks["diff"]["changes"].as_array().unwrap().iter()
            .map(|change| (&change["type"], &change["affected_items"], change["sample_ids"].as_array().unwrap().len())).collect();
        assert_eq!(json!(reported), json!([
            ["property_changed", 0, 0],
            ["field_added", 7, 5],
            ["field_required_changed", 7, 5],
            ["field_removed", 6, 5],
            ["field_property_added", 0, 0],
            ["field_property_added", 0, 0],
        ]));
        assert_eq!(breaks["diff"]["changes"][3]["sample_ids"], json!(["ranked-0", "ranked-1", "ranked-2", "ranked-3", "ranked-4"]));

        let whole = world.owner.post(&path_with(&world, "dry_run=true&allow_destructive=true"), json!({"schema": {"tables": {}}})).await.ok();
        assert_eq!(breaking_changes(&whole["diff"])[0], json!({"type": "table_removed", "table": "notes", "class": "breaking",
            "affected_items": 7, "sample_ids": ["first", "ranked-0", "ranked-1", "ranked-2", "ranked-3"]}));
        world.owner.post(&path_with(&world, "dry_run=true"), json!({"schema": {"version": 5, "tables": {}}})).await.refused(400, "invalid_schema");
        assert_eq!(versions(&world).await.len(), 1);
        world.owner.post(&path_with(&world, "dry_run=false"), json!({"schema": steward_tests::notes_schema()})).await.ok();
        assert_eq!(versions(&world).await.len(), 2);
    }

    async fn data_of_removed_fields_and_tables_is_retained_and_restored(app: &App) {
        let world = World::make(app, "acme").await;
        world.owner.patch(&world.item("first"), json!({"value": {"rank": 1}})).await.ok();
        let stored = world.owner.get(&world.item("first")).await.ok();
        let patch = async |query: &str, changes: Value| {
            world.owner.patch(&path_with(&world, query), json!({"schema": changes})).await
        };

        let removed = patch("allow_destructive=true", json!({"tables": {"notes": {"fields": {"rank": null}}}})).await.ok();
        assert_eq!(removed.0.get("diff"), None);
        assert_eq!(world.owner.get(&world.item("first")).await.ok(), stored, "Reads still return the removed field.");
        world.owner.put(&world.item("second"), json!({"value": {"title": "x", "rank": 1}})).await.refused(400, "invalid_item");
        let patched = world.owner.patch(&world.item("first"), json!({"value": {"title": "Changed"}})).await.ok();
        assert_eq!(patched["data"]["rank"], 1, "Patching another field must retain it.");
        // A field can be restored only with a type that the stored values have.
        let other = json!({"tables": {"notes": {"fields": {"rank": {"type": "string"}}}}});
        assert_eq!(assert_breaking(patch("", other).await)[0]["type"], "field_added");
        patch("", json!({"tables": {"notes": {"fields": {"rank": {"type": "number", "required": true}}}}})).await.ok();

        patch("allow_destructive=true", json!({"tables": {"notes": null}})).await.ok();
        assert_eq!(world.owner.get(&world.item("first")).await.ok(), patched);
        world.owner.patch(&world.item("first"), json!({"value": {"title": "x"}})).await.refused(400, "invalid_item");
        let other = json!({"tables": {"notes": {"fields": {"title": {"type": "string"}}}}});
        assert_eq!(assert_breaking(patch("", other).await)[0], json!({"type": "table_added", "table": "notes",
            "class": "breaking", "affected_items": 1, "sample_ids": ["first"]}));
        world.owner.post(&path(&world), json!({"schema": steward_tests::notes_schema()})).await.ok();
        assert_eq!(world.owner.get(&world.notes()).await.ok()["data"], json!([patched["data"]]));
    }

    async fn a_rollback_publishes_an_identical_document(app: &App) {
        let world = World::make(app, "acme").await;
        let rollback = format!("{}/rollback", path(&world));
        let first = latest(&world).await;
        world.owner.patch(&path(&world), json!({"schema": {"zeta": 1, "tables": {"more": {"fields": {}}}}})).await.ok();
        let back = world.key.post(&rollback, json!({"version": 1})).await.ok();
        let expected = first.to_string().replace("\"version\":1", "\"version\":3");
        assert_eq!(back["data"]["schema"].to_string(), expected);
        assert_eq!(latest(&world).await.to_string(), expected);

        world.owner.post(&rollback, json!({"version": 4})).await.is_not_found();
        world.owner.post(&rollback, json!({"version": 0})).await.is_not_found();
        for invalid in [json!({}), json!({"version": "1"}), json!({"version": -1}), json!({"version": 1.5})] {
            world.owner.post(&rollback, invalid).await.refused(400, "invalid_request");
        }
        let dry = world.owner.post(&format!("{rollback}?dry_run=true"), json!({"version": 2})).await.ok();
        assert_eq!((&dry["diff"]["class"], &dry["data"]["schema"]["version"]), (&json!("compatible"), &json!(4)));

        // Items that were stored in the meantime may violate the earlier version.
        let optional = json!({"schema": {"tables": {"notes": {"fields": {"title": {"required": null}}}}}});
        world.owner.patch(&path(&world), optional).await.ok();
        world.owner.put(&world.item("untitled"), json!({"value": {"rank": 1}})).await.created();
        let changes = assert_breaking(world.owner.post(&rollback, json!({"version": 1})).await);
        assert_eq!((&changes[0]["type"], &changes[0]["sample_ids"]), (&json!("field_required_changed"), &json!(["untitled"])));
        let back = world.owner.post(&format!("{rollback}?allow_destructive=true"), json!({"version": 1})).await.ok();
        assert_eq!(back["data"]["schema"]["version"], 5);
        assert_eq!(world.owner.get(&world.item("untitled")).await.ok()["data"]["rank"], 1);
        world.owner.patch(&world.item("untitled"), json!({"value": {"rank": 2}})).await.refused(400, "invalid_item");

        // A field that was restored with another type cannot get its former type back.
        let retyped = |kind: Value| json!({"schema": {"tables": {"notes": {"fields": {"done": kind}}}}});
        world.owner.patch(&path(&world), retyped(Value::Null)).await.ok();
        world.owner.patch(&path(&world), retyped(json!({"type": "string"}))).await.ok();
        world.owner.post(&rollback, json!({"version": 1})).await.refused(400, "invalid_schema");
    }

    async fn callers_who_cannot_read_items_get_their_number_but_no_ids(app: &App) {
        let world = World::make(app, "acme").await;
        let key = json!({"label": "schema", "roles": "schema:write"});
        let key = world.owner.post(&format!("/project/{}/key", world.project), key).await.ok();
        let key = app.bearer(key["key"]["value"].as_str().unwrap());
        let changes = assert_breaking(key.post(&path(&world), json!({"schema": {"tables": {}}})).await);
        assert_eq!((&changes[0]["affected_items"], &changes[0]["sample_ids"]), (&json!(1), &json!([])));
    }
}
