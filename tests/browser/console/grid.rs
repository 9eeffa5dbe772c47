//! The grid of items with scripts: one item beside it, and values that are edited in their cells.

use serde_json::json;
use steward_tests::{World, eventually, on_sqlite};
use thirtyfour::Key;

use super::Console;

const EDITED: &str = "td.is-edited :is(input, select, textarea)";

/// Double-clicks the value of a field.
async fn edit(console: &Console, field: &str) {
    let event = "new MouseEvent('dblclick', {bubbles: true})";
    let script = format!("document.querySelector(\"td[data-field='{field}']\").dispatchEvent({event}); return true");
    console.chrome.asked(&script).await;
    waits_for(console, EDITED).await;
}

/// Types into the cell that is edited.
async fn enter(console: &Console, text: &str) {
    console.find(EDITED).await.send_keys(text).await.unwrap();
}

async fn waits_for(console: &Console, css: &str) {
    let script = format!("return !!document.querySelector(\"{css}\")");
    eventually(async || (console.chrome.asked(&script).await == json!(true)).then_some(())).await;
}

/// Checks that the browser reported no errors but the answers that were refused, and stops it.
async fn quit(console: Console) {
    let mut errors = console.chrome.errors().await;
    errors.retain(|error| !error.contains("status of 4"));
    assert_eq!(errors, Vec::<String>::new());
    console.chrome.quit().await;
}

fn key(key: Key) -> char {
    char::from(key)
}

on_sqlite! {
    async fn a_value_is_edited_in_its_cell(app: &App) {
        let world = World::make(app, "acme").await;
        let console = Console::sign_in(app, true, "acme-owner").await;
        console.open(&format!("/console/projects/{}/data/notes", world.project)).await;

        // What is refused stays, with the reason.
        edit(&console, "rank").await;
        enter(&console, &format!("x{}", key(Key::Enter))).await;
        console.shows("Field rank must be a number").await;
        enter(&console, &format!("{}7{}", key(Key::Backspace), key(Key::Enter))).await;
        waits_for(&console, "td[data-field='rank']:not(.is-edited)").await;
        console.shows("7").await;
        assert_eq!(world.owner.get(&world.item("first")).await.ok()["data"]["rank"], json!(7));

        // Escape changes nothing. Tab saves and goes on with the next value of the row.
        edit(&console, "rank").await;
        enter(&console, &format!("8{}", key(Key::Escape))).await;
        edit(&console, "title").await;
        enter(&console, &format!("Second{}", key(Key::Tab))).await;
        waits_for(&console, "td[data-field='title'] + td.is-edited").await;
        enter(&console, &key(Key::Escape).to_string()).await;
        let stored = world.owner.get(&world.item("first")).await.ok();
        assert_eq!((&stored["data"]["title"], &stored["data"]["rank"]), (&json!("Second"), &json!(7)));

        // Someone else changes the item. Their change is not lost without being shown.
        edit(&console, "title").await;
        let theirs = json!({"value": {"title": "Theirs", "rank": 9}});
        world.owner.put(&world.item("first"), theirs).await.ok();
        enter(&console, &format!("Mine{}", key(Key::Enter))).await;
        console.shows("The item was changed while you were editing it").await;
        enter(&console, &key(Key::Enter).to_string()).await;
        waits_for(&console, "td[data-field='title']:not(.is-edited)").await;
        let stored = world.owner.get(&world.item("first")).await.ok();
        assert_eq!((&stored["data"]["title"], &stored["data"]["rank"]), (&json!("Mine"), &json!(9)));

        quit(console).await;
    }

    async fn one_item_is_shown_and_edited_beside_the_grid(app: &App) {
        let world = World::make(app, "acme").await;
        let console = Console::sign_in(app, true, "acme-owner").await;
        let grid = format!("/console/projects/{}/data/notes", world.project);
        console.open(&grid).await;
        console.click("tbody .id a").await;
        console.shows("About this item").await;
        assert!(console.chrome.driver.current_url().await.unwrap().path().ends_with(&grid), "The grid must stay.");
        waits_for(&console, "tr.is-open").await;
        console.click("#side details > summary").await;
        waits_for(&console, "#side details .event").await;
        console.enter("field.title", "Renamed").await;
        console.click("#side form [type='submit']").await;
        console.shows("The item was changed.").await;
        waits_for(&console, "tr.is-open td[data-field='title']").await;
        console.shows("Renamed").await;
        assert_eq!(world.owner.get(&world.item("first")).await.ok()["data"]["title"], json!("Renamed"));
        console.click("#side > [data-close]").await;
        waits_for(&console, "#side[hidden]").await;
        waits_for(&console, "tbody .id a:focus").await;

        // What is no item any more opens as a page.
        world.owner.delete(&world.item("first")).await.ok();
        console.click("tbody .id a").await;
        waits_for(&console, "body:not(:has(#side))").await;
        console.shows("Not found").await;
        quit(console).await;
    }
}
