//! Items.

use reqwest::Method;
use serde_json::{Value, json};
use steward_tests::{World, on_both};

on_both! {
    async fn an_item_lives_from_its_making_to_its_removal(app: &App) {
        let world = World::make(app, "acme").await;
        let value = json!({"title": "Ünï 😀", "rank": 1.5, "more": {"b": [1, null], "a": {}}, "done": null,
            "id": "mine", "created_at": 1});
        let made = world.key.post(&format!("{}/", world.notes()), json!({"value": value})).await.ok();
        let id = made.id();
        assert_eq!(made["data"]["title"], "Ünï 😀");
        assert_eq!(made["data"].as_object().unwrap().len(), 6, "flat, without null: {made:?}");
        let path = world.item(&id);
        assert_eq!(world.owner.get(&path).await.ok(), made);

        let replaced = world.owner.put(&path, json!({"value": {"title": "Second"}})).await.ok();
        assert_eq!(replaced["data"]["created_at"], made["data"]["created_at"]);
        assert_eq!(replaced["data"].get("rank"), None);
        let patched = world.owner.patch(&path, json!({"value": {"rank": 2, "more": [1]}})).await.ok();
        assert_eq!((&patched["data"]["title"], &patched["data"]["rank"]), (&json!("Second"), &json!(2)));
        let patched = world.owner.patch(&path, json!({"value": {"rank": null}})).await.ok();
        assert_eq!(patched["data"].get("rank"), None);

        assert_eq!(world.key.delete(&path).await.ok(), patched);
        world.key.get(&path).await.is_unknown();
        world.key.delete(&path).await.is_unknown();
        world.key.patch(&path, json!({"value": {"rank": 1}})).await.is_unknown();
    }

    async fn a_value_must_fit_its_table(app: &App) {
        let world = World::make(app, "acme").await;
        let bad = json!({"rank": "1", "what": 1, "done": {}});
        let refusal = world.owner.put(&world.item("x"), json!({"value": bad})).await.refused(400, "invalid_item");
        assert_eq!((&refusal["valid"], &refusal["message"]), (&json!(false), &json!("Invalid field")));
        let told: Vec<&Value> = refusal["errors"].as_array().unwrap().iter().map(|error| &error["message"]).collect();
        assert_eq!(told, [
            "Field what not found in schema",
            "Field rank should be type number, got string",
            "Field done should be type boolean, got object",
            "Field title is required",
        ]);
        let nowhere = world.notes().replace("/notes", "/nothing");
        let refusal = world.owner.post(&nowhere, json!({"value": {}})).await.refused(400, "invalid_item");
        assert_eq!(refusal["message"], "Table not found");
        world.owner.get(&nowhere).await.is_unknown();
        world.owner.patch(&world.item("first"), json!({"value": {"title": null}})).await.refused(400, "invalid_item");
        world.owner.put(&world.item("x"), json!({"value": []})).await.refused(400, "invalid_request");
        world.owner.put(&world.item("x"), json!({})).await.refused(400, "invalid_request");
        let large = json!({"value": {"title": "x".repeat(300 * 1024)}});
        world.owner.put(&world.item("x"), large).await.refused(413, "item_too_large");
        world.owner.get(&world.item("x")).await.is_unknown();
    }

    async fn preconditions_guard_every_write(app: &App) {
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
        let made = put("x", ("If-None-Match", "*".into())).await;
        let first = made.header("ETag").to_owned();
        made.created();
        put("y", ("If-None-Match", "*".into())).await.refused(412, "precondition_failed");
        let changed = put("y", ("If-Match", format!("\"other\", {first}"))).await;
        let second = changed.header("ETag").to_owned();
        changed.ok();
        assert_ne!(first, second);
        put("z", ("If-Match", first.clone())).await.refused(412, "precondition_failed");
        put("z", ("If-Match", format!("W/{second}"))).await.refused(412, "precondition_failed");
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
        assert_eq!((&all["pagination"]["limit"], &all["pagination"]["count"]), (&json!(5), &json!(5)));
        world.key.get(&format!("{}?limit=0", world.notes())).await.refused(400, "invalid_request");
    }

    async fn writes_of_one_item_at_once_are_all_counted(app: &App) {
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

    async fn a_malformed_item_id_or_table_is_unknown(app: &App) {
        let world = World::make(app, "acme").await;
        let nowhere = world.notes().replace("/notes", "/no%00tes");
        world.owner.get(&nowhere).await.is_unknown();
        world.owner.get(&format!("{nowhere}/first")).await.is_unknown();
        world.owner.put(&format!("{nowhere}/first"), json!({"value": {}})).await.is_unknown();
        for id in ["a%20b", "%F0%9F%98%80", &"x".repeat(129)] {
            world.owner.get(&world.item(id)).await.is_unknown();
        }
    }
}
