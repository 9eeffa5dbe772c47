//! The log of the requests of a project.

use serde_json::{Value, json};
use steward_tests::{Actor, World, on_sqlite};

fn path(world: &World) -> String {
    format!("/project/{}/request", world.project)
}

async fn listed(reader: &Actor, path: &str) -> Value {
    reader.get(path).await.ok().0
}

fn routes(list: &Value) -> Vec<&str> {
    list["data"].as_array().unwrap().iter().map(|request| request["operation"].as_str().unwrap()).collect()
}

on_sqlite! {
    async fn each_request_is_listed_once_with_its_caller_and_result(app: &App) {
        let world = World::make(app, "acme").await;
        let next = listed(&world.owner, &path(&world)).await["next"].as_str().unwrap().to_owned();
        let after = async |next: &str| listed(&world.owner, &format!("{}?after={next}", path(&world))).await;
        world.key.get(&world.item("first")).await.ok();
        world.key.get(&world.item("missing")).await.is_not_found();
        let list = after(&next).await;
        let requests = list["data"].as_array().unwrap();
        assert_eq!(requests.len(), 2, "{requests:?}");
        let [found, missing] = [&requests[0], &requests[1]];
        assert_eq!((&found["status"], &found["error"]), (&json!(200), &Value::Null));
        assert_eq!((&missing["status"], &missing["error"]), (&json!(404), &json!("not_found")));
        assert_eq!(found["route"], "/project/{id}/user/{user_id}/db/{table_id}/{item_id}");
        assert_eq!((&found["method"], &found["operation"]), (&json!("GET"), &json!("getItem")));
        assert_eq!(found["caller"], json!({"type": "key", "id": world.key_id}));
        assert!(found["took_ms"].as_f64().unwrap() > 0.0, "{found}");
        // Reading the log is not in it.
        let next = list["next"].as_str().unwrap();
        assert_eq!(after(next).await["data"], json!([]));
        assert_eq!(list["truncated"], json!(false));
        assert_eq!(after(next).await["instance"], list["instance"]);
    }

    async fn requests_are_selected_by_caller_method_route_and_status(app: &App) {
        let world = World::make(app, "acme").await;
        world.key.get(&world.item("first")).await.ok();
        world.key.get(&world.item("missing")).await.is_not_found();
        for (query, expected) in [
            (format!("caller={}", world.key_id), vec!["getItem", "getItem"]),
            (format!("caller={}&status=404", world.key_id), vec!["getItem"]),
            ("status=4xx".to_owned(), vec!["getItem"]),
            ("method=put&route=/db/".to_owned(), vec!["putItem"]),
            ("route=/key&limit=1".to_owned(), vec!["createKey"]),
        ] {
            let list = listed(&world.owner, &format!("{}?{query}", path(&world))).await;
            assert_eq!(routes(&list), expected, "{query}: {}", list["data"]);
        }
        for invalid in ["status=abc", "status=4xxx", "caller=x", "after=x", "limit=0", "colour=red"] {
            world.owner.get(&format!("{}?{invalid}", path(&world))).await.refused(400, "invalid_request");
        }
    }

    async fn only_members_with_the_permission_read_it_and_strangers_cannot_write_to_it(app: &App) {
        let world = World::make(app, "acme").await;
        let before = listed(&world.owner, &path(&world)).await;
        let after = format!("{}?after={}", path(&world), before["next"].as_str().unwrap());
        let stranger = app.person("stranger").await;
        stranger.get(&path(&world)).await.is_not_found();
        for caller in [&stranger, &app.anonymous(), &app.bearer("stw_sk_unknown")] {
            caller.get(&format!("/project/{}", world.project)).await;
            caller.get(&world.item("first")).await;
        }
        assert_eq!(listed(&world.owner, &after).await["data"], json!([]));
        let reader = json!({"label": "reader", "roles": "db:read"});
        let key = world.owner.post(&format!("/project/{}/key", world.project), reader).await.ok();
        app.bearer(key["key"]["value"].as_str().unwrap()).get(&path(&world)).await.is_forbidden();
        let list = listed(&world.owner, &after).await;
        assert_eq!(routes(&list), ["createKey"]);
    }

    async fn nothing_that_a_client_sends_is_in_it_but_the_request_id(app: &App) {
        let world = World::make(app, "acme").await;
        let secret = "hush-5f2c";
        let item = world.item(secret);
        world.key.put(&format!("{item}?{secret}={secret}"), json!({"value": {"title": secret}})).await;
        world.key.get(&format!("{}?title=eq.{secret}", world.notes())).await.ok();
        let list = listed(&world.owner, &path(&world)).await;
        let text = list["data"].to_string();
        assert!(text.contains("listItems") && !text.contains(secret) && !text.contains("stw_"), "{text}");
        assert!(!text.contains(&world.project), "{text}");
    }
}
