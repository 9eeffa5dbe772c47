//! The items of all users of a project (docs/contract.md#items-of-all-users). The store tests verify that both databases return
//! the same items.

use serde_json::{Value, json};
use steward_tests::{Actor, Body, Client, World, on_both, on_sqlite};

/// Creates notes of the user of the fixture, and of another person.
async fn notes(app: &steward_tests::App, world: &World) {
    for (id, rank) in [("a", 3), ("b", 1)] {
        world.key.put(&world.item(id), json!({"value": {"title": id, "rank": rank}})).await.created();
    }
    app.person("ann").await;
    let tokens = Client::of(app, world).tokens(app, "ann", &[("scope", "app:db:write")]).await;
    let ann = app.bearer(tokens["access_token"].as_str().unwrap());
    let own = format!("/account/{}/db/notes/a", world.project);
    ann.put(&own, json!({"value": {"title": "Of Ann", "rank": 2}})).await.created();
}

fn path(world: &World) -> String {
    format!("/project/{}/db", world.project)
}

/// Returns the items of a response: `1` before those of the user of the fixture, `2` before others.
fn found(world: &World, listed: &Body) -> Vec<String> {
    let entries = listed["data"].as_array().unwrap().iter();
    let shown = |entry: &Value| {
        let user = if entry["user_id"] == world.user.as_str() { 1 } else { 2 };
        format!("{user}{}", entry["item"]["id"].as_str().unwrap())
    };
    entries.map(shown).collect()
}

async fn list(actor: &Actor, world: &World, query: &str) -> String {
    let listed = actor.get(&format!("{}/notes?{query}", path(world))).await.ok();
    found(world, &listed).join(" ")
}

on_both! {
    async fn items_of_all_users_are_listed_with_their_users(app: &App) {
        let world = World::make(app, "acme").await;
        notes(app, &world).await;
        for actor in [&world.owner, &world.key] {
            assert_eq!(list(actor, &world, "").await, "1a 1b 1first 2a");
        }
        for (query, expected) in [
            ("title=ilike.of*", "2a"),
            ("order=rank.desc", "1a 2a 1b 1first"),
            ("order=id&rank=not.is.null", "1a 2a 1b"),
            ("id=a", "1a 2a"),
            ("limit=2", "1a 1b"),
        ] {
            assert_eq!(list(&world.owner, &world, query).await, expected, "{query}");
        }
        let of_user = format!("user_id=eq.{}&order=id.desc", world.user);
        assert_eq!(list(&world.owner, &world, &of_user).await, "1first 1b 1a");
        let (mut query, mut paged) = ("limit=3".to_owned(), Vec::new());
        loop {
            let page = world.owner.get(&format!("{}/notes?{query}", path(&world))).await.ok();
            assert!(page.0.get("stopped").is_none());
            paged.extend(found(&world, &page));
            let Some(cursor) = page["next_cursor"].as_str() else { break };
            query = format!("limit=3&cursor={cursor}");
        }
        assert_eq!(paged, ["1a", "1b", "1first", "2a"]);
        let selected = world.owner.get(&format!("{}/notes?select=rank&limit=1", path(&world))).await.ok();
        assert_eq!(selected["data"][0]["item"], json!({"id": "a", "rank": 3}));
    }

    async fn tables_are_listed_with_the_number_and_size_of_their_items(app: &App) {
        let world = World::make(app, "acme").await;
        notes(app, &world).await;
        let tables = world.key.get(&path(&world)).await.ok();
        assert_eq!(tables["complete"], true);
        let notes = tables["data"].as_array().unwrap().iter().find(|table| table["table"] == "notes").unwrap();
        assert_eq!(notes["items"], 4);
        assert!(notes["bytes"].as_u64().unwrap() > 4 * 10);
    }
}

on_sqlite! {
    async fn items_that_do_not_conform_are_found(app: &App) {
        let world = World::make(app, "acme").await;
        notes(app, &world).await;
        assert_eq!(list(&world.owner, &world, "conforms=false").await, "");
        app.execute_sql("UPDATE items SET value = '{\"title\":1}' WHERE id = 'b'");
        assert_eq!(list(&world.owner, &world, "conforms=false").await, "1b");
        assert_eq!(list(&world.owner, &world, "conforms=true&order=id").await, "1a 2a 1first");
    }

    async fn what_a_list_of_all_users_does_not_support_is_refused(app: &App) {
        let world = World::make(app, "acme").await;
        for (query, field) in [
            ("offset=1", "offset"),
            ("order=conforms", "order"),
            ("conforms=maybe", "query"),
            ("user_id=eq.x", "query"),
            ("nothing=eq.1", "query"),
            ("cursor=x", "cursor"),
        ] {
            let refused = world.owner.get(&format!("{}/notes?{query}", path(&world))).await;
            let refused = refused.refused(400, "invalid_request");
            assert_eq!(refused["errors"][0]["field"], field, "{query}");
        }
        world.owner.get(&format!("{}/nothing", path(&world))).await.refused(404, "not_found");
    }
}
