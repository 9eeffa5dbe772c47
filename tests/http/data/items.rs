//! Items: creation, validation, preconditions, lists and deletion.

use reqwest::Method;
use serde_json::{Value, json};
use steward_tests::{World, on_both, on_both_in_full, on_sqlite};

on_both! {
    async fn an_item_is_created_replaced_patched_and_deleted(app: &App) {
        let world = World::make(app, "acme").await;
        let value = json!({"title": "Ünï 😀", "rank": 1.5, "more": {"b": [1, null], "a": {}}, "done": null,
            "id": "mine", "created_at": 1});
        let created = world.key.post(&format!("{}/", world.notes()), json!({"value": value})).await.ok();
        let id = created.id();
        assert_eq!(created["data"]["title"], "Ünï 😀");
        assert_eq!(created["data"].as_object().unwrap().len(), 6, "Expected a flat item without nulls: {created:?}");
        let path = world.item(&id);
        assert_eq!(world.owner.get(&path).await.ok(), created);

        let replaced = world.owner.put(&path, json!({"value": {"title": "Second"}})).await.ok();
        assert_eq!(replaced["data"]["created_at"], created["data"]["created_at"]);
        assert_eq!(replaced["data"].get("rank"), None);
        let patched = world.owner.patch(&path, json!({"value": {"rank": 2, "more": [1]}})).await.ok();
        assert_eq!((&patched["data"]["title"], &patched["data"]["rank"]), (&json!("Second"), &json!(2)));
        let patched = world.owner.patch(&path, json!({"value": {"rank": null}})).await.ok();
        assert_eq!(patched["data"].get("rank"), None);

        assert_eq!(world.key.delete(&path).await.ok(), patched);
        world.key.get(&path).await.is_not_found();
        world.key.delete(&path).await.is_not_found();
        world.key.patch(&path, json!({"value": {"rank": 1}})).await.is_not_found();
    }

    async fn preconditions_apply_to_every_write(app: &App) {
        let world = World::make(app, "acme").await;
        let path = world.item("guarded");
        let put = |value: &'static str, header: (&'static str, String)| {
            let (owner, path) = (world.owner.clone(), path.clone());
            async move {
                let headers = [(header.0, header.1.as_str())];
                owner.send(Method::PUT, &path, Some(json!({"value": {"title": value}})), &headers).await
            }
        };
        put("x", ("If-Match", "*".into())).await.refused(412, "precondition_failed");
        let created = put("x", ("If-None-Match", "*".into())).await;
        let first = created.header("ETag").to_owned();
        created.created();
        put("y", ("If-None-Match", "*".into())).await.refused(412, "precondition_failed");
        let changed = put("y", ("If-Match", format!("\"other\", {first}"))).await;
        let second = changed.header("ETag").to_owned();
        changed.ok();
        assert_ne!(first, second);
        put("z", ("If-Match", first.clone())).await.refused(412, "precondition_failed");
        put("z", ("If-Match", format!("W/{first}"))).await.refused(412, "precondition_failed");
        put("z", ("If-None-Match", second.clone())).await.refused(412, "precondition_failed");

        let get = world.owner.send(Method::GET, &path, None, &[("If-None-Match", &second)]).await;
        assert_eq!((get.status.as_u16(), get.header("ETag")), (304, second.as_str()));
        let both = [("If-Match", second.as_str()), ("If-None-Match", second.as_str())];
        assert_eq!(world.owner.send(Method::GET, &path, None, &both).await.status.as_u16(), 304);
        let stale = [("If-Match", first.as_str())];
        world.owner.send(Method::GET, &path, None, &stale).await.refused(412, "precondition_failed");
        let patch = Some(json!({"value": {"rank": 1}}));
        world.owner.send(Method::PATCH, &path, patch, &stale).await.refused(412, "precondition_failed");
        world.owner.send(Method::DELETE, &path, None, &stale).await.refused(412, "precondition_failed");
        world.owner.send(Method::DELETE, &path, None, &[("If-Match", &second)]).await.ok();

        let again = put("x", ("If-None-Match", "*".into())).await;
        assert!(again.header("ETag") != first && again.header("ETag") != second);
    }

    async fn items_are_listed_newest_first_in_pages(app: &App) {
        let world = World::make(app, "acme").await;
        for number in 1..5 {
            world.key.put(&world.item(&format!("n{number}")), json!({"value": {"title": "x"}})).await.created();
        }
        let (mut ids, mut path) = (Vec::new(), format!("{}?limit=2", world.notes()));
        loop {
            let page = world.key.get(&path).await.ok();
            ids.extend(page["data"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap().to_owned()));
            assert_eq!(page["pagination"]["limit"], 2);
            let Some(cursor) = page["next_cursor"].as_str() else { break };
            path = format!("{}?limit=2&cursor={cursor}", world.notes());
        }
        assert_eq!(ids, ["n4", "n3", "n2", "n1", "first"]);
        let all = world.key.get(&format!("{}/", world.notes())).await.ok();
        assert_eq!(all["pagination"], json!({"limit": null, "offset": 0, "count": 5}), "No limit was applied.");
        world.key.get(&format!("{}?limit=0", world.notes())).await.refused(400, "invalid_request");
    }

    async fn concurrent_writes_of_one_item_all_succeed(app: &App) {
        let world = World::make(app, "acme").await;
        let mut writes = tokio::task::JoinSet::new();
        for number in 0..20 {
            let (key, path) = (world.key.clone(), world.item("shared"));
            writes.spawn(async move { key.put(&path, json!({"value": {"title": "x", "rank": number}})).await.status.as_u16() });
        }
        let statuses = writes.join_all().await;
        assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 19, "{statuses:?}");
    }
}

on_sqlite! {
    async fn a_value_must_match_its_table(app: &App) {
        let world = World::make(app, "acme").await;
        let invalid = json!({"rank": "1", "what": 1, "done": {}});
        let error = world.owner.put(&world.item("x"), json!({"value": invalid})).await.refused(400, "invalid_item");
        assert_eq!((&error["valid"], &error["message"]), (&json!(false), &json!("Invalid field")));
        let violations = error["errors"].as_array().unwrap().iter();
        let messages: Vec<&Value> = violations.map(|violation| &violation["message"]).collect();
        assert_eq!(messages, [
            "Field what not found in schema",
            "Field rank should be type number, got string",
            "Field done should be type boolean, got object",
            "Field title is required",
        ]);
        let unknown_table = world.notes().replace("/notes", "/nothing");
        let error = world.owner.post(&unknown_table, json!({"value": {}})).await.refused(400, "invalid_item");
        assert_eq!(error["message"], "Table not found");
        let error = world.owner.get(&unknown_table).await.is_not_found();
        let tables = "The table \"nothing\" does not exist. The schema of the project has these tables: notes.";
        assert_eq!(error["message"], tables);
        let misspelled = world.notes().replace("/notes", "/note");
        let item = format!("{misspelled}/first");
        let batch = json!({"operations": [{"op": "delete", "id": "first"}]});
        for answer in [
            world.owner.get(&misspelled).await,
            world.owner.get(&format!("{misspelled}?title=eq.x")).await,
            world.owner.get(&item).await,
            world.owner.patch(&item, json!({"value": {"title": "x"}})).await,
            world.owner.delete(&item).await,
            world.owner.post(&format!("{misspelled}/batch"), batch).await,
        ] {
            let message = answer.is_not_found()["message"].clone();
            assert!(message.as_str().unwrap().contains("Did you mean \"notes\"?"), "{message}");
        }
        world.owner.patch(&world.item("first"), json!({"value": {"title": null}})).await.refused(400, "invalid_item");
        world.owner.put(&world.item("x"), json!({"value": []})).await.refused(400, "invalid_request");
        world.owner.put(&world.item("x"), json!({})).await.refused(400, "invalid_request");
        let large = json!({"value": {"title": "x".repeat(300 * 1024)}});
        world.owner.put(&world.item("x"), large).await.refused(413, "item_too_large");
        world.owner.get(&world.item("x")).await.is_not_found();
    }

    async fn a_malformed_item_id_or_table_is_not_found(app: &App) {
        let world = World::make(app, "acme").await;
        let unknown_table = world.notes().replace("/notes", "/no%00tes");
        world.owner.get(&unknown_table).await.is_not_found();
        world.owner.get(&format!("{unknown_table}/first")).await.is_not_found();
        world.owner.put(&format!("{unknown_table}/first"), json!({"value": {}})).await.is_not_found();
        for id in ["a%20b", "%F0%9F%98%80", &"x".repeat(129)] {
            world.owner.get(&world.item(id)).await.is_not_found();
        }
    }
}

on_both_in_full! {
    async fn a_number_is_stored_without_a_change_or_refused(app: &App) {
        let world = World::make(app, "acme").await;
        let path = world.item("n");
        world.key.put(&path, json!({"value": {"title": "N"}})).await.created();
        let put = async |value: &str| {
            let body = format!(r#"{{"value": {{"title": "N", {value}}}}}"#).into_bytes();
            world.key.send_raw(Method::PUT, &path, Some(("application/json", body)), &[]).await
        };
        for number in ["18446744073709551616", "18446744073709552000", "9007199254740993", "0.1", "1e22"] {
            put(&format!(r#""rank": {number}"#)).await.ok();
            let sent: Value = serde_json::from_str(number).unwrap();
            assert_eq!(world.key.get(&path).await.ok()["data"]["rank"], sent, "{number}");
        }
        for number in ["1e-400", "12345678901234567890123", "9007199254740993.0"] {
            put(&format!(r#""rank": {number}"#)).await.refused(400, "invalid_json");
            put(&format!(r#""more": {{"a": [{number}]}}"#)).await.refused(400, "invalid_json");
            let operation = format!(r#"{{"op": "put", "id": "n", "value": {{"rank": {number}}}}}"#);
            let batch = format!(r#"{{"operations": [{operation}]}}"#).into_bytes();
            let batch = Some(("application/json", batch));
            let refused = world.key.send_raw(Method::POST, &format!("{}/batch", world.notes()), batch, &[]).await;
            refused.refused(400, "invalid_json");
        }
        assert_eq!(world.key.get(&path).await.ok()["data"]["rank"], json!(1e22));
    }
}
