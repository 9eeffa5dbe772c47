//! The tab Data of a project: its tables, and the items of all users in one grid.

use reqwest::header::COOKIE;
use serde_json::json;
use steward_tests::{App, Browser, Client, World, on_sqlite};

use super::{project_of, signed_in};

/// The fixture with a note of another person, the path of the tab, and a browser in which the owner is signed in.
async fn owner(app: &App) -> (World, String, Browser) {
    let world = World::make(app, "acme").await;
    app.person("ann").await;
    let tokens = Client::of(app, &world).tokens(app, "ann", &[("scope", "app:db:write")]).await;
    let ann = app.bearer(tokens["access_token"].as_str().unwrap());
    let own = format!("/account/{}/db/notes/of-ann", world.project);
    ann.put(&own, json!({"value": {"title": "Of Ann", "rank": 2}})).await.created();
    let data = format!("{}/data", project_of(&world));
    (world, data, signed_in(app, "acme-owner").await)
}

on_sqlite! {
    async fn the_tables_of_a_project_lead_to_the_items_of_all_users(app: &App) {
        let (_world, data, browser) = owner(app).await;
        let page = browser.open(&data).await;
        assert!(page.heading() == "Data" && page.links().contains(&format!("{data}/notes")), "{page}");
        let page = browser.open(&format!("{data}/notes")).await;
        assert!(page.heading() == "notes of all users", "{page}");
        for text in ["Of Ann", "acme-visitor", "ann"] {
            assert!(page.text().contains(text), "{text}: {page}");
        }
        assert_eq!(page.html.matches("aria-sort=").count(), 1, "{page}");
        let sorted = browser.open(&format!("{data}/notes?order=rank.desc&f=rank&o=gt&v=1")).await;
        assert!(sorted.text().contains("Of Ann") && sorted.html.contains("aria-sort=\"descending\""), "{sorted}");
        assert!(!sorted.text().contains("acme-visitor"), "{sorted}");
    }

    async fn columns_are_chosen(app: &App) {
        let (_world, data, browser) = owner(app).await;
        let page = browser.open(&format!("{data}/notes?c=title")).await;
        assert!(page.html.contains("data-label=\"title\"") && !page.html.contains("data-label=\"rank\""), "{page}");
        assert!(page.links().iter().any(|link| link.contains("order=title.asc&c=title")), "{page}");
    }

    async fn items_that_do_not_conform_are_marked_and_found(app: &App) {
        let (_world, data, browser) = owner(app).await;
        let page = browser.open(&format!("{data}/notes")).await;
        assert!(!page.text().contains("Does not conform"), "{page}");
        app.execute_sql("UPDATE items SET value = '{\"title\":1}' WHERE id = 'of-ann'");
        let page = browser.open(&format!("{data}/notes?f=conforms&o=eq&v=false")).await;
        assert!(page.text().contains("Does not conform") && !page.text().contains("acme-visitor"), "{page}");
    }

    async fn a_new_item_belongs_to_the_chosen_user(app: &App) {
        let (world, data, browser) = owner(app).await;
        let grid = browser.open(&format!("{data}/notes")).await;
        let new = format!("{data}/notes/new");
        assert!(grid.links().contains(&new), "{grid}");
        let form = |user: &str| format!("{}/users/{user}/tables/notes/new", project_of(&world));
        let page = browser.open(&new).await;
        assert!(page.heading() == "New item in notes" && page.links().contains(&form(&world.user)), "{page}");
        assert_eq!(page.links().iter().filter(|link| link.ends_with("/tables/notes/new")).count(), 2, "{page}");
        app.execute_sql("UPDATE project_users SET status = 'blocked' WHERE id <> (SELECT user_id FROM items WHERE id = 'first')");
        let page = browser.open(&new).await;
        assert_eq!(page.links().iter().filter(|link| link.ends_with("/tables/notes/new")).count(), 1, "{page}");
        let none = browser.open(&format!("{new}?q=nobody")).await;
        assert!(none.text().contains("No users were found"), "{none}");
        let unknown = browser.open(&format!("{data}/missing/new")).await;
        assert_eq!(unknown.status, 404, "{unknown}");
    }

    async fn the_items_of_all_users_are_exported(app: &App) {
        let (world, data, browser) = owner(app).await;
        let export = |query: &str| format!("{}{data}/notes/export?{query}", app.base);
        let load = async |query: &str| {
            let request = app.client.get(export(query)).header(COOKIE, browser.cookie_header());
            request.send().await.unwrap().text().await.unwrap()
        };
        // Another order would stop before the end of many items.
        let csv = load("format=raw&order=rank.desc").await;
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines.len(), 3, "{csv}");
        assert!(lines[0].starts_with("id,user_id,title,"), "{csv}");
        assert!(csv.contains(&format!("first,{},", world.user)) && csv.contains("of-ann,"), "{csv}");
        let found = load("format=ndjson&f=title&o=eq&v=Of+Ann").await;
        assert!(found.lines().count() == 1 && found.contains("\"user_id\":\""), "{found}");
        assert!(!found.contains(&world.user), "{found}");
    }

    async fn items_of_several_users_are_deleted_and_restored(app: &App) {
        let (world, data, browser) = owner(app).await;
        let grid = browser.open(&format!("{data}/notes?select=all&order=id.asc")).await;
        assert_eq!(grid.html.matches("type=\"checkbox\" name=\"item\"").count(), 2, "{grid}");
        assert_eq!(grid.html.matches("\" checked>").count(), 2 + grid.html.matches("name=\"c\"").count(), "{grid}");
        let delete = format!("{data}/notes/delete");
        let first = format!("{}/first", world.user);
        let ask = browser.open(&format!("{delete}?item={first}&back=order%3Did.asc%26all%3D1")).await;
        let page = browser.submit(&ask, &delete, &[]).await;
        assert!(page.is_at(&format!("{data}/notes")) && page.text().contains("1 item was deleted."), "{page}");
        assert_eq!(page.url.query(), Some("order=id.asc"));
        assert!(page.text().contains("Of Ann"), "{page}");
        let undo = format!("{}/users/{}/tables/notes/undo", project_of(&world), world.user);
        let page = browser.submit(&page, &undo, &[]).await;
        assert!(page.is_at(&format!("{data}/notes")) && page.text().contains("1 item was restored."), "{page}");
        world.owner.get(&world.item("first")).await.ok();
    }

    async fn a_deletion_that_stops_halfway_says_how_many_items_were_deleted(app: &App) {
        let (world, data, browser) = owner(app).await;
        let users = world.owner.get(&format!("/project/{}/user/", world.project)).await.ok();
        let mut ids = users["data"].as_array().unwrap().iter().map(|user| user["id"].as_str().unwrap());
        // The items of the older user are deleted first.
        let ann = ids.find(|id| *id != world.user).unwrap();
        let delete = format!("{data}/notes/delete");
        let ask = browser.open(&format!("{delete}?item={}/first&item={ann}/of-ann", world.user)).await;
        assert!(ask.text().contains("Of Ann"), "{ask}");
        world.owner.delete(&format!("/project/{}/user/{ann}/db/notes/of-ann", world.project)).await.ok();
        let page = browser.submit(&ask, &delete, &[]).await;
        let message = "1 item was deleted. The others could not be deleted. Select them again.";
        assert!(page.is_at(&format!("{data}/notes")) && page.text().contains(message), "{page}");
        world.owner.get(&world.item("first")).await.is_not_found();
    }
}
