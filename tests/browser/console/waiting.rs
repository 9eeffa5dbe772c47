//! What the console shows while a page takes long, while the service is away, and with Ctrl+K.

use serde_json::json;
use steward_tests::{App, Backend, World, eventually};
use thirtyfour::{Key, TypingData};

use super::Console;

impl Console {
    /// Waits until a script returns true.
    async fn becomes(&self, script: &str) {
        let script = format!("return Boolean({script})");
        eventually(async || (self.chrome.asked(&script).await == true).then_some(())).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_page_has_a_bar_and_a_service_that_is_away_a_banner() {
    let mut app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    let console = Console::sign_in(&app, true, "acme-owner").await;
    console.open(&format!("/console/projects/{}/settings", world.project)).await;
    console.enter("name", "Renamed while it was slow").await;
    app.signal("STOP");
    console.click("main form .button-primary").await;
    console.becomes("document.querySelector('[role=progressbar]')").await;
    console.becomes("document.querySelector('main form .button-primary').disabled").await;
    app.signal("CONT");
    console.shows("The project was changed").await;
    console.becomes("!document.querySelector('[role=progressbar]')").await;

    console.open(&format!("/console/projects/{}/settings", world.project)).await;
    console.enter("name", "Renamed after an outage").await;
    app.kill();
    console.click("main form .button-primary").await;
    console.becomes("document.querySelector('[role=alert]')?.textContent.includes('cannot be reached')").await;
    console.becomes("!document.querySelector('main form .button-primary').disabled").await;
    assert_eq!(console.find("[id=name]").await.value().await.unwrap().unwrap(), "Renamed after an outage");
    console.click(".offline button").await;
    console.becomes("document.querySelector('.offline [role=alert]')?.textContent").await;
    app.begin();
    app.until_ready().await;
    console.becomes("!document.querySelector('.offline')").await;
    console.click("main form .button-primary").await;
    console.becomes("document.querySelector('.flash p')").await;
    console.open("/").await;
    console.shows("Renamed after an outage").await;
    // Chromium reports the requests that failed, among them the questions whether the service is back.
    console.chrome.errors().await;
    console.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_palette_opens_what_it_finds_and_works_by_keyboard() {
    let app = App::start(Backend::Sqlite).await;
    World::make(&app, "acme").await;
    let console = Console::sign_in(&app, true, "acme-owner").await;
    let press = async |keys: TypingData| console.find("body").await.send_keys(keys).await.unwrap();
    press(Key::Control + "k").await;
    console.becomes("document.querySelector('dialog[open] [role=option]')").await;
    let typed = console.find("dialog input").await;
    typed.send_keys("new key").await.unwrap();
    console.becomes("document.querySelector('dialog [aria-selected=true]')?.textContent.includes('New key')").await;
    typed.send_keys(Key::Enter + "").await.unwrap();
    console.shows("Visibility").await;
    press(Key::Control + "k").await;
    console.becomes("document.querySelector('dialog[open]')").await;
    console.find("dialog input").await.send_keys(Key::Escape + "").await.unwrap();
    console.becomes("!document.querySelector('dialog')").await;

    // The field in the header suggests the same, and still searches.
    press("/".into()).await;
    let field = console.find("[id=search]").await;
    field.send_keys("acme-visit").await.unwrap();
    console.becomes("document.querySelector('.top-search [role=option]')").await;
    assert_eq!(field.attr("aria-expanded").await.unwrap().as_deref(), Some("true"));
    field.send_keys(Key::Enter + "").await.unwrap();
    console.chrome.reaches("Search").await;
    assert_eq!(console.chrome.asked("return document.querySelectorAll('dialog').length").await, json!(0));
    console.quit().await;
}
