//! Deleting items in the console: what is named, where it leads, and undoing it.

use serde_json::{Value, json};
use steward_tests::{Browser, Page, World, on_both_in_full, on_sqlite};

use super::{project_of, signed_in};

fn table(world: &World) -> String {
    format!("{}/users/{}/tables/notes", project_of(world), world.user)
}

async fn store(world: &World, id: &str, title: &str) -> Value {
    let path = world.item(id);
    world.owner.put(&path, json!({"value": {"title": title, "rank": 7}})).await.created();
    world.owner.get(&path).await.ok()["data"].clone()
}

/// Selects these items in the grid at this address and deletes them.
async fn delete(browser: &Browser, world: &World, grid: &str, ids: &[&str]) -> Page {
    let (page, path) = (browser.open(grid).await, format!("{}/delete", table(world)));
    let selected: Vec<(&str, &str)> = ids.iter().map(|id| ("item", *id)).collect();
    let confirm = browser.submit(&page, &path, &selected).await;
    browser.submit(&confirm, &path, &[]).await
}

async fn undo(browser: &Browser, world: &World, page: &Page) -> Page {
    browser.submit(page, &format!("{}/undo", table(world)), &[]).await
}

on_both_in_full! {
    async fn deleted_items_are_named_and_restored_exactly(app: &App) {
        let world = World::make(app, "acme").await;
        let browser = signed_in(app, "acme-owner").await;
        let before = [store(&world, "n1", "Milk").await, store(&world, "n2", "Bread").await];
        let grid = format!("{}?f=rank&o=eq&v=7&order=title.asc", table(&world));
        let (page, path) = (browser.open(&grid).await, format!("{}/delete", table(&world)));
        let confirm = browser.submit(&page, &path, &[("item", "n1"), ("item", "n2")]).await;
        for text in ["Milk n1", "Bread n2", "You can undo this for ten minutes"] {
            assert!(confirm.text().contains(text), "{text}: {confirm}");
        }
        let done = browser.submit(&confirm, &path, &[]).await;
        assert_eq!(done.url.query(), Some("f=rank&o=eq&v=7&order=title.asc"), "{done}");
        assert!(done.html.contains("2 items were deleted. You can undo this until <time datetime=\""), "{done}");
        world.owner.get(&world.item("n1")).await.is_not_found();

        // Whoever leaves the page can undo it later.
        let restored = undo(&browser, &world, &browser.open(&grid).await).await;
        assert_eq!(restored.url.query(), Some("f=rank&o=eq&v=7&order=title.asc"), "{restored}");
        assert!(restored.text().contains("2 items were restored."), "{restored}");
        for (id, before) in ["n1", "n2"].iter().zip(before) {
            let after = world.owner.get(&world.item(id)).await.ok()["data"].clone();
            for member in ["id", "title", "rank", "created_at"] {
                assert_eq!(after[member], before[member], "{member}");
            }
        }
        let again = undo(&browser, &world, &done).await;
        assert!(again.text().contains("can no longer be undone"), "{again}");

        let events = world.owner.get(&format!("/project/{}/audit?action=item.created", world.project)).await.ok();
        let targets = events["data"].as_array().unwrap().iter().filter(|event| event["target"]["id"] == "n1");
        assert_eq!(targets.count(), 2, "The audit log must show that the item was created again: {events:?}");
    }
}

on_sqlite! {
    async fn a_single_item_is_deleted_from_its_page_and_restored(app: &App) {
        let world = World::make(app, "acme").await;
        let browser = signed_in(app, "acme-owner").await;
        store(&world, "n1", "Milk").await;
        let grid = browser.open(&format!("{}?f=title&o=eq&v=Milk", table(&world))).await;
        let address = grid.links().into_iter().find(|link| link.contains("/items/n1")).unwrap();
        let item = browser.open(&address).await;
        let address = item.links().into_iter().find(|link| link.contains("/items/n1/delete")).unwrap();
        let (confirm, path) = (browser.open(&address).await, format!("{}/items/n1/delete", table(&world)));
        let done = browser.submit(&confirm, &path, &[]).await;
        assert_eq!(done.url.query(), Some("f=title&o=eq&v=Milk"), "{done}");
        let restored = undo(&browser, &world, &done).await;
        assert!(restored.text().contains("1 item was restored."), "{restored}");
        world.owner.get(&world.item("n1")).await.ok();
    }

    async fn an_item_that_was_created_again_stays_as_it_is(app: &App) {
        let world = World::make(app, "acme").await;
        let browser = signed_in(app, "acme-owner").await;
        store(&world, "n1", "Milk").await;
        store(&world, "n2", "Bread").await;
        let done = delete(&browser, &world, &table(&world), &["n1", "n2"]).await;
        store(&world, "n2", "Other bread").await;
        let restored = undo(&browser, &world, &done).await;
        assert!(restored.text().contains("1 item was restored. Others were not"), "{restored}");
        assert_eq!(world.owner.get(&world.item("n1")).await.ok()["data"]["title"], "Milk");
        assert_eq!(world.owner.get(&world.item("n2")).await.ok()["data"]["title"], "Other bread");
    }

    async fn only_who_deleted_items_can_undo_it_and_not_after_ten_minutes(app: &App) {
        let world = World::make(app, "acme").await;
        world.member(app, "dev", "developer").await;
        let (owner, dev) = (signed_in(app, "acme-owner").await, signed_in(app, "dev").await);
        store(&world, "n1", "Milk").await;
        let done = delete(&owner, &world, &table(&world), &["n1"]).await;
        assert!(!dev.open(&table(&world)).await.text().contains("Deleted by you"));
        app.execute_sql("UPDATE item_deletions SET expires_at = '2020-01-01T00:00:00.000000Z'");
        assert!(!owner.open(&table(&world)).await.text().contains("Deleted by you"));
        let late = undo(&owner, &world, &done).await;
        assert!(late.text().contains("can no longer be undone"), "{late}");
        world.owner.get(&world.item("n1")).await.is_not_found();
    }
}
