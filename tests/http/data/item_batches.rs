//! Batches of item writes.

use serde_json::{Value, json};
use steward_tests::{Answer, Client, World, on_both, on_sqlite};

async fn batch(world: &World, operations: Value) -> Answer {
    world.key.post(&format!("{}/batch", world.notes()), json!({"operations": operations})).await
}

async fn titles(world: &World) -> Value {
    let listed = world.key.get(&format!("{}?order=id&select=title", world.notes())).await.ok();
    listed["data"].clone()
}

on_both! {
    async fn all_operations_of_a_batch_are_performed_and_returned_in_order(app: &App) {
        let world = World::make(app, "acme").await;
        world.key.put(&world.item("old"), json!({"value": {"title": "Old", "rank": 1}})).await.created();
        let done = batch(&world, json!([
            {"op": "put", "id": "z", "value": {"title": "Z", "more": [1], "rank": null, "id": "ignored"}},
            {"op": "delete", "id": "old"},
            {"op": "patch", "id": "first", "value": {"rank": 7}},
            {"op": "put", "id": "a", "value": {"title": "A"}},
        ])).await.ok();
        let shown: Vec<Value> = done["data"].as_array().unwrap().iter().map(|item| {
            let mut item = item.as_object().unwrap().clone();
            assert!(item.remove("created_at").is_some() && item.remove("updated_at").is_some());
            Value::Object(item)
        }).collect();
        assert_eq!(shown, [
            json!({"id": "z", "title": "Z", "more": [1]}),
            json!({"id": "old", "title": "Old", "rank": 1}),
            json!({"id": "first", "title": "First", "rank": 7}),
            json!({"id": "a", "title": "A"}),
        ]);
        let expected = json!([{"id": "a", "title": "A"}, {"id": "first", "title": "First"}, {"id": "z", "title": "Z"}]);
        assert_eq!(titles(&world).await, expected);
        let patched = world.key.get(&world.item("first")).await;
        assert!(!patched.header("ETag").is_empty());
        assert_eq!(patched.ok()["data"]["rank"], 7);
    }

    async fn operations_with_preconditions_that_are_met_are_performed(app: &App) {
        let world = World::make(app, "acme").await;
        let etag = world.key.get(&world.item("first")).await.header("ETag").to_owned();
        let created_before = world.key.get(&world.item("first")).await.ok()["data"]["created_at"].clone();
        let operations = json!([
            {"op": "put", "id": "new", "value": {"title": "New"}, "if_none_match": "*"},
            {"op": "patch", "id": "first", "value": {"rank": 7}, "if_match": etag, "if_none_match": "\"0\""},
        ]);
        let body = json!({"operations": operations, "created_before": created_before});
        let done = world.key.post(&format!("{}/batch", world.notes()), body.clone()).await.ok();
        assert_eq!((&done["data"][0]["title"], &done["data"][1]["rank"]), (&json!("New"), &json!(7)));
        assert!(done["data"][0]["created_at"].as_str() < created_before.as_str(), "{done:?}");
        let again = world.key.post(&format!("{}/batch", world.notes()), body).await;
        assert_eq!(again.refused(412, "precondition_failed")["index"], 0);

        let etag = world.key.get(&world.item("first")).await.header("ETag").to_owned();
        batch(&world, json!([
            {"op": "put", "id": "new", "value": {"title": "Newer"}, "if_match": "*"},
            {"op": "delete", "id": "first", "if_match": format!("W/{etag}")},
        ])).await.ok();
        assert_eq!(titles(&world).await, json!([{"id": "new", "title": "Newer"}]));
    }

    async fn of_concurrent_batches_that_create_an_item_one_succeeds(app: &App) {
        let world = World::make(app, "acme").await;
        let mut attempts = tokio::task::JoinSet::new();
        for number in 0..12 {
            let (key, path) = (world.key.clone(), format!("{}/batch", world.notes()));
            let operations = json!([
                {"op": "put", "id": "shared", "value": {"title": number.to_string()}, "if_none_match": "*"},
                {"op": "put", "id": format!("own-{number}"), "value": {"title": "x"}},
            ]);
            attempts.spawn(async move { (number, key.post(&path, json!({"operations": operations})).await) });
        }
        let (created, refused): (Vec<_>, Vec<_>) =
            attempts.join_all().await.into_iter().partition(|(_, answer)| answer.status == 200);
        assert_eq!((created.len(), refused.len()), (1, 11));
        for (_, answer) in refused {
            assert_eq!(answer.refused(412, "precondition_failed")["index"], 0);
        }
        let shared = world.key.get(&world.item("shared")).await.ok();
        assert_eq!(shared["data"]["title"], created[0].0.to_string());
        let expected = json!([{"id": "first", "title": "First"}, {"id": format!("own-{}", created[0].0), "title": "x"},
            {"id": "shared", "title": created[0].0.to_string()}]);
        assert_eq!(titles(&world).await, expected);
    }

    async fn concurrent_batches_of_the_same_items_all_succeed(app: &App) {
        let world = World::make(app, "acme").await;
        let puts = |ids: Vec<usize>| -> Value {
            ids.iter().map(|n| json!({"op": "put", "id": format!("n{n}"), "value": {"title": "x"}})).collect()
        };
        batch(&world, puts((0..20).collect())).await.ok();
        let mut batches = tokio::task::JoinSet::new();
        for number in 0..6 {
            // Half of the batches write the items in reverse order.
            let ids: Vec<usize> = if number % 2 == 0 { (0..20).collect() } else { (0..20).rev().collect() };
            let (key, path, operations) = (world.key.clone(), format!("{}/batch", world.notes()), puts(ids));
            batches.spawn(async move { key.post(&path, json!({"operations": operations})).await.status.as_u16() });
        }
        assert_eq!(batches.join_all().await, [200; 6]);
    }

    async fn concurrent_patches_lose_no_changes(app: &App) {
        let world = World::make(app, "acme").await;
        let mut batches = tokio::task::JoinSet::new();
        for (field, value) in [("rank", json!(5)), ("done", json!(true)), ("more", json!([1]))] {
            let (key, path) = (world.key.clone(), format!("{}/batch", world.notes()));
            let operations = json!({"operations": [{"op": "patch", "id": "first", "value": {field: value}}]});
            batches.spawn(async move { key.post(&path, operations).await.status.as_u16() });
        }
        assert_eq!(batches.join_all().await, [200; 3]);
        let item = world.key.get(&world.item("first")).await.ok();
        assert_eq!((&item["data"]["rank"], &item["data"]["done"], &item["data"]["more"]), (&json!(5), &json!(true), &json!([1])));
    }
}

on_sqlite! {
    async fn one_invalid_operation_fails_the_batch_and_is_identified(app: &App) {
        let world = World::make(app, "acme").await;
        let before = titles(&world).await;
        let valid = json!({"op": "put", "id": "valid", "value": {"title": "x"}});
        for (invalid, status, code) in [
            (json!({"op": "put", "id": "invalid", "value": {"title": 1}}), 400, "invalid_item"),
            (json!({"op": "put", "id": "invalid", "value": {"title": "x".repeat(300 * 1024)}}), 413, "item_too_large"),
            (json!({"op": "put", "id": "invalid"}), 400, "invalid_request"),
            (json!({"op": "put", "id": "a b", "value": {"title": "x"}}), 400, "invalid_request"),
            (json!({"op": "put", "id": "valid", "value": {"title": "x"}}), 400, "invalid_request"),
            (json!({"op": "patch", "id": "first", "value": {"title": null}}), 400, "invalid_item"),
            (json!({"op": "patch", "id": "missing", "value": {"title": "x"}}), 404, "not_found"),
            (json!({"op": "delete", "id": "missing"}), 404, "not_found"),
            (json!({"op": "upsert", "id": "invalid"}), 400, "invalid_request"),
            (json!({"id": "invalid"}), 400, "invalid_request"),
            (json!({"op": "delete", "id": "first", "value": {}}), 400, "invalid_request"),
            (json!({"op": "patch", "id": "first", "value": {"title": "x"}, "etag": "1"}), 400, "unknown_field"),
            (json!({"op": "patch", "id": "first", "value": {"title": "x"}, "if_match": "1"}), 400, "invalid_request"),
            (json!({"op": "delete", "id": "first", "if_match": ""}), 400, "invalid_request"),
            (json!({"op": "delete", "id": "first", "if_match": vec!["\"1\""; 21].join(",")}), 400, "invalid_request"),
            (json!({"op": "put", "id": "first", "value": {"title": "x"}, "if_none_match": "*"}), 412, "precondition_failed"),
            (json!({"op": "put", "id": "missing", "value": {"title": "x"}, "if_match": "*"}), 412, "precondition_failed"),
            (json!({"op": "delete", "id": "first", "if_match": "\"0\""}), 412, "precondition_failed"),
            (json!("invalid"), 400, "invalid_request"),
        ] {
            let error = batch(&world, json!([valid, invalid, {"op": "delete", "id": "also-missing"}])).await;
            let error = error.refused(status, code);
            assert_eq!(error["index"], 1, "{invalid}: {error:?}");
            assert_eq!(error["errors"].is_array(), status == 400, "{error:?}");
        }
        for invalid in [json!([]), json!({})] {
            batch(&world, invalid).await.refused(400, "invalid_request");
        }
        assert_eq!(titles(&world).await, before);
        let unknown_table = world.notes().replace("/notes", "/nothing");
        let error = world.key.post(&format!("{unknown_table}/batch"), json!({"operations": [valid]})).await;
        assert_eq!(error.refused(400, "invalid_item")["message"], "Table not found");
    }

    async fn a_batch_for_an_unknown_user_is_not_found(app: &App) {
        let world = World::make(app, "acme").await;
        let own = world.notes().replace(&world.user, "01940000-0000-7000-8000-000000000000");
        for operation in [json!({"op": "put", "id": "x", "value": {"title": "x"}}), json!({"op": "delete", "id": "x"})] {
            world.key.post(&format!("{own}/batch"), json!({"operations": [operation]})).await.is_not_found();
        }
    }

    async fn an_item_can_have_the_id_batch(app: &App) {
        let world = World::make(app, "acme").await;
        let path = world.item("batch");
        world.key.put(&path, json!({"value": {"title": "x"}})).await.created();
        world.key.patch(&format!("{path}/"), json!({"value": {"rank": 1}})).await.ok();
        batch(&world, json!([{"op": "patch", "id": "batch", "value": {"title": "y"}}])).await.ok();
        assert_eq!(world.key.get(&path).await.ok()["data"]["title"], "y");
        world.key.delete(&path).await.ok();
        world.key.get(&path).await.is_not_found();
        let other = world.key.post(&world.item("other"), json!({"operations": []})).await;
        assert_eq!(other.header("Allow"), "GET, HEAD, PUT, PATCH, DELETE, OPTIONS");
        other.refused(405, "method_not_allowed");
    }

    async fn a_person_writes_their_own_items_in_a_batch(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let client = Client::of(app, &world);
        let tokens = client.tokens(app, "ann", &[("scope", "app:db:write")]).await;
        let ann = app.bearer(tokens["access_token"].as_str().unwrap());
        let path = format!("/account/{}/db/notes/batch", world.project);
        let put = json!({"operations": [{"op": "put", "id": "first", "value": {"title": "Mine"}}]});
        let done = ann.post(&path, put.clone()).await.ok();
        assert_eq!(done["data"][0]["title"], "Mine");
        assert_eq!(world.key.get(&world.item("first")).await.ok()["data"]["title"], "First");
        let reader = app.bearer(client.tokens(app, "ann", &[("scope", "app:db:read")]).await["access_token"].as_str().unwrap());
        reader.post(&path, put.clone()).await.is_forbidden();
        world.owner.post(&path, put.clone()).await.refused(401, "unauthorized");
        ann.post(&path.replace(&world.project, &world.user), put).await.is_not_found();
    }
}
