//! Queries of item lists (docs/contract.md#item-queries). The store tests verify that both databases return the same
//! items.

use serde_json::{Value, json};
use steward_tests::{Actor, Body, Client, World, on_both, on_sqlite};

/// Creates the notes `a` to `d`, in this order, in addition to `first`.
async fn notes(world: &World) {
    for (id, value) in [
        ("a", json!({"title": "Alpha, one", "rank": 3, "done": true})),
        ("b", json!({"title": "beta", "rank": -1.5})),
        ("c", json!({"title": "100%", "done": false, "more": {"x": 1}})),
        ("d", json!({"title": "Ärger", "rank": 1e2, "more": []})),
    ] {
        world.key.put(&world.item(id), json!({"value": value})).await.created();
    }
}

fn ids(listed: &Body) -> Vec<&str> {
    listed["data"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap()).collect()
}

async fn found(actor: &Actor, path: &str, query: &str) -> Vec<String> {
    let listed = actor.get(&format!("{path}?{query}")).await.ok();
    assert_eq!(listed["pagination"]["count"], ids(&listed).len());
    ids(&listed).into_iter().map(str::to_owned).collect()
}

on_both! {
    async fn items_are_filtered_for_projects_and_for_persons(app: &App) {
        let world = World::make(app, "acme").await;
        notes(&world).await;
        let path = world.notes();
        for (query, expected) in [
            ("title=eq.Alpha%2C+one", "a"),
            ("title=in.(%22Alpha,%20one%22,beta)", "b a"),
            ("title=in.%22Alpha,%20one%22,beta", "b a"),
            ("id=in.a,c", "c a"),
            ("rank=not.in.3,100", "b"),
            ("title=ilike.*A", "b"),
            ("title=like.*%25", "c"),
            ("title=not.like.*a*", "d c first"),
            ("rank=gt.-2&rank=lte.3", "b a"),
            ("rank=eq.100", "d"),
            ("rank=is.null&done=not.is.null", "c"),
            ("done=not.is.true&more=is.null", "b first"),
            ("more=not.is.null", "d c"),
            ("id=a", "a"),
            ("id=eq.a", "a"),
            ("id=nothing", ""),
            ("created_at=lt.2020-01-01T00:00:00Z", ""),
            ("updated_at=gte.2020-01-01T00%3A00%3A00%2B00%3A00&id=neq.first&limit=2", "d c"),
            ("order=rank.desc&rank=not.is.null", "d a b"),
            ("order=rank&offset=1&limit=2", "a d"),
            ("order=done.desc,id.desc", "a c first d b"),
        ] {
            assert_eq!(found(&world.owner, &path, query).await.join(" "), expected, "{query}");
        }
        let listed = world.key.get(&format!("{path}?offset=1&limit=2&order=id")).await.ok();
        assert_eq!(listed["pagination"], json!({"limit": 2, "offset": 1, "count": 2}));

        app.person("ann").await;
        let tokens = Client::of(app, &world).tokens(app, "ann", &[("scope", "app:db:write")]).await;
        let ann = app.bearer(tokens["access_token"].as_str().unwrap());
        let own = format!("/account/{}/db/notes", world.project);
        for rank in [2, 1, 3] {
            ann.put(&format!("{own}/own-{rank}"), json!({"value": {"title": "x", "rank": rank}})).await.created();
        }
        assert_eq!(found(&ann, &own, "order=rank&rank=gte.2").await, ["own-2", "own-3"]);
        assert_eq!(found(&ann, &own, "id=a").await, [""; 0], "The item belongs to another user.");
    }

    async fn paging_works_with_any_order(app: &App) {
        let world = World::make(app, "acme").await;
        notes(&world).await;
        let all = found(&world.key, &world.notes(), "order=rank.desc,title").await;
        let mut paged: Vec<Value> = Vec::new();
        let mut path = format!("{}?order=rank.desc,title&offset=1&limit=2", world.notes());
        loop {
            let response = world.key.get(&path).await;
            let link = response.header("Link").to_owned();
            let page = response.ok();
            paged.extend(page["data"].as_array().unwrap().iter().map(|item| item["id"].clone()));
            let Some(cursor) = page["next_cursor"].as_str() else { break };
            path = link.trim_start_matches('<').trim_end_matches(">; rel=\"next\"").to_owned();
            assert!(path.contains(cursor) && !path.contains("offset"), "{link}");
        }
        assert_eq!(paged, all[1..]);

        let first = world.key.get(&format!("{}?order=rank&limit=1", world.notes())).await.ok();
        let cursor = first["next_cursor"].as_str().unwrap();
        for other in ["order=rank.desc", "order=title", "rank=gt.1&order=rank", "offset=1&order=rank"] {
            let path = format!("{}?{other}&cursor={cursor}", world.notes());
            world.key.get(&path).await.refused(400, "invalid_request");
        }
        let users = world.key.get(&format!("/project/{}/user?limit=1", world.project)).await.ok();
        assert_eq!(users["next_cursor"], Value::Null);
        for invalid in ["x", "Mi5bXQ", "MS4xLng"] {
            world.key.get(&format!("{}?cursor={invalid}", world.notes())).await.refused(400, "invalid_request");
        }
    }

    async fn a_field_with_a_changed_type_matches_only_values_of_the_new_type(app: &App) {
        let world = World::make(app, "acme").await;
        world.key.put(&world.item("old"), json!({"value": {"title": "x", "rank": 5}})).await.created();
        let publish = async |fields: Value| {
            let schema = json!({"schema": {"tables": {"notes": {"fields": fields}}}});
            world.owner.post(&format!("/project/{}/schema?allow_destructive=true", world.project), schema).await.ok();
        };
        publish(json!({"title": {"type": "string"}})).await;
        world.owner.get(&format!("{}?rank=eq.5", world.notes())).await.refused(400, "invalid_request");
        publish(json!({"title": {"type": "string"}, "rank": {"type": "string"}})).await;
        world.key.put(&world.item("new"), json!({"value": {"rank": "5"}})).await.created();
        assert_eq!(found(&world.key, &world.notes(), "rank=eq.5").await, ["new"]);
        assert_eq!(found(&world.key, &world.notes(), "rank=is.null&order=rank").await, ["first", "old"]);
        assert_eq!(found(&world.key, &world.notes(), "order=rank").await, ["new", "first", "old"]);
    }

    async fn a_field_that_is_indexed_later_finds_existing_items(app: &App) {
        let world = World::make(app, "acme").await;
        notes(&world).await;
        let fields = json!({
            "title": {"type": "string", "indexed": true}, "done": {"type": "boolean", "indexed": true},
            "rank": {"type": "number", "indexed": true}, "more": {"type": "json", "indexed": true},
        });
        let schema = json!({"schema": {"tables": {"notes": {"fields": fields}}}});
        world.owner.post(&format!("/project/{}/schema", world.project), schema).await.ok();
        let assert_queries = async || {
            for (query, expected) in [
                ("rank=gte.3", "d a"),
                ("order=rank.desc&limit=3", "d a b"),
                ("title=like.*a*&title=gte.b&order=title", "b"),
                ("done=is.true", "a"),
                ("order=done,title&more=is.null", "a first b"),
            ] {
                assert_eq!(found(&world.key, &world.notes(), query).await.join(" "), expected, "{query}");
            }
        };
        assert_queries().await;
        let caught_up = |line: &str| line.contains("has caught up") && line.contains("item_index");
        let wait_for_index = async || while !app.log().lines().any(caught_up) {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        };
        let built = tokio::time::timeout(std::time::Duration::from_secs(60), wait_for_index()).await;
        built.expect("The index was not built within 60 seconds.");
        assert_queries().await;
        world.key.put(&world.item("a"), json!({"value": {"title": "Alpha", "rank": -9}})).await.ok();
        assert_eq!(found(&world.key, &world.notes(), "order=rank&limit=2").await, ["a", "b"]);
    }
}

on_sqlite! {
    async fn a_selection_limits_the_returned_fields(app: &App) {
        let world = World::make(app, "acme").await;
        notes(&world).await;
        let listed = world.key.get(&format!("{}?id=a&select=rank,more", world.notes())).await.ok();
        assert_eq!(listed["data"], json!([{"id": "a", "rank": 3}]));
        let listed = world.key.get(&format!("{}?id=a&select=id", world.notes())).await.ok();
        assert_eq!(listed["data"], json!([{"id": "a"}]));
        let listed = world.key.get(&format!("{}?id=a", world.notes())).await.ok();
        assert_eq!(listed["data"][0].as_object().unwrap().len(), 6, "All fields must be returned: {listed:?}");
    }

    async fn an_invalid_query_is_400_and_reports_what_is_allowed(app: &App) {
        let world = World::make(app, "acme").await;
        for (query, expected) in [
            ("what=eq.1", "known fields are id, created_at, updated_at, title, done, rank, more"),
            ("title'--=eq.1", "is not a known field"),
            ("title=1", "operators are eq, neq"),
            ("title=between.1", "operators are eq, neq"),
            ("title=eq.a%00", "NUL"),
            ("rank=eq.x", "must be a JSON number"),
            ("done=eq.1", "must be true or false"),
            ("more=eq.1", "operators are is"),
            ("created_at=eq.1", "must be an RFC 3339 timestamp"),
            ("order=more", "cannot sort by more"),
            ("order=rank.up", ".asc or .desc"),
            ("select=what", "is not a known field"),
            ("limit=1001", "from 1 to 1000"),
            ("limit=1&limit=2", "must not be repeated"),
            ("offset=x", "must be a number"),
            ("cursor=x&cursor=y", "must not be repeated"),
        ] {
            let error = world.owner.get(&format!("{}?{query}", world.notes())).await.refused(400, "invalid_request");
            assert!(error["message"].as_str().unwrap().contains(expected), "{query}: {error:?}");
        }
        let unknown_table = world.notes().replace("/notes", "/nothing");
        world.owner.get(&format!("{unknown_table}?title=eq.x")).await.is_not_found();
        world.owner.get(&format!("{unknown_table}?order=created_at")).await.is_not_found();
        assert_eq!(found(&world.owner, &world.notes(), "title=eq.nothing").await, [""; 0]);
        let stranger = app.person("stranger").await;
        stranger.get(&format!("{}?what=eq.1", world.notes())).await.is_not_found();
    }
}
