//! The editor of a schema, by keyboard, and in one window.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use steward_tests::{App, Backend, World};
use thirtyfour::{Key, TypingData};

use super::Console;

/// The height of a page of nine fields, and the time in which they are entered.
const MAX_HEIGHT: u64 = 900;
const MAX_TIME: Duration = Duration::from_secs(60);

/// A script that returns what the rows contain.
const ROWS: &str = r#"
    return [...document.querySelectorAll('.tables .field-row')].map((row) => {
        const [name, kind, required] = ['name', 'type', 'required'].map((part) => row.querySelector(`[id$=-${part}]`));
        return [name.value, kind.value, required.checked];
    });
"#;

/// A script that enters a description of this length in the first field, as a person who leaves its input does.
const DESCRIBE: &str = r#"
    const input = document.getElementById('t0-f0-description');
    input.value = 'x'.repeat(LENGTH);
    input.dispatchEvent(new Event('change', {bubbles: true}));
"#;

impl Console {
    /// Presses keys where the focus is.
    async fn type_keys(&self, keys: impl Into<TypingData>) {
        self.chrome.driver.active_element().await.unwrap().send_keys(keys).await.unwrap();
    }

    async fn is_not_higher_than(&self, height: u64) {
        let actual = self.chrome.asked("return document.documentElement.scrollHeight").await;
        assert!(actual.as_u64().unwrap() <= height, "{actual}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nine_fields_are_entered_by_keyboard_and_fit_in_one_window() {
    let app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    let project = json!({"name": "Empty", "team_id": world.team});
    let project = world.owner.post("/project", project).await.created().id();
    let console = Console::sign_in(&app, true, "acme-owner").await;
    console.chrome.show_in("light", 1280).await;
    console.open(&format!("/console/projects/{project}/schema/edit")).await;
    console.chrome.asked("window.isSamePage = true").await;

    let begun = Instant::now();
    // The button that adds a table has the focus.
    console.type_keys(Key::Enter + "").await;
    console.type_keys("notes").await;
    for number in 0..9 {
        // In the name of the table, it leads to the first field, and in a field it adds another one.
        console.type_keys(Key::Enter + "").await;
        console.type_keys(format!("field_{number}")).await;
        console.type_keys(Key::Tab + "n").await;
        console.type_keys(Key::Tab + " ").await;
    }
    assert!(begun.elapsed() < MAX_TIME, "{:?}", begun.elapsed());
    let row = |number: u32| json!([format!("field_{number}"), "number", true]);
    assert_eq!(console.chrome.asked(ROWS).await, (0..9).map(row).collect::<Value>());
    console.is_not_higher_than(MAX_HEIGHT).await;

    console.click("[value=remove-t0-f1]").await;
    let focus = console.chrome.asked("return document.activeElement.id").await;
    assert_eq!(focus, "t0-f2-name");
    console.shows("Removed field_1. Saved as a draft.").await;
    assert_eq!(console.chrome.asked("return window.isSamePage").await, true);

    console.open(&format!("/console/projects/{project}/schema/edit")).await;
    let expected: Value = [0, 2, 3, 4, 5, 6, 7, 8].into_iter().map(row).collect();
    assert_eq!(console.chrome.asked(ROWS).await, expected, "The order is kept.");
    console.click("[value=add-t0]:not([hidden])").await;
    console.type_keys("field_9").await;
    console.press("Review the changes", "The first version").await;
    console.press("Publish", "Version 1 of the schema was published.").await;
    console.is_not_higher_than(MAX_HEIGHT).await;
    console.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_draft_that_cannot_be_saved_is_reported_and_stays_in_the_form() {
    let app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    let console = Console::sign_in(&app, true, "acme-owner").await;
    console.open(&format!("/console/projects/{}/schema/edit", world.project)).await;
    let length = 256 * 1024;
    console.chrome.asked(&DESCRIBE.replace("LENGTH", &length.to_string())).await;
    console.shows("Your changes could not be saved.").await;
    let entered = console.chrome.asked("return document.getElementById('t0-f0-description').value.length").await;
    assert_eq!(entered, length);
    console.chrome.asked(&DESCRIBE.replace("LENGTH", "9")).await;
    console.shows("Saved as a draft.").await;
    // Chromium reports the request that was refused.
    console.chrome.errors().await;
    console.quit().await;
}
