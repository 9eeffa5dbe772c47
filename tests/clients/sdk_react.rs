//! Tests the npm package `@basictech/react`, which keeps a copy of the items in the browser and synchronizes it.

mod link;

use std::ops::Range;

use serde_json::{Value, json};
use steward_tests::{Actor, App, Backend, eventually, on_both_in_full};

use crate::chrome::Chrome;
use crate::program::Program;
use crate::sdk::{self, Clock, returns};
use link::Link;

/// The titles that the page shows.
const SHOWN: &str = "return [...document.querySelectorAll('li')].map(note => note.textContent).sort()";

/// The state of the synchronization; null while the page loads.
const STATUS: &str = "return window.basic?.dbStatus";

async fn start(service: &App) -> Program {
    let fields = json!({
        "title": {"type": "string", "required": true},
        "rank": {"type": "number", "indexed": true},
        "more": {"type": "json"},
    });
    sdk::start(service, "react.mjs", "/", fields).await
}

/// Pages in the back-forward cache keep their role in the synchronization, so the SDK would reload the page, sometimes
/// several times, or wait for an earlier page.
const FLAG: &str = "--disable-features=BackForwardCache";

/// Numbers of changes that the SDK sends in one message, and that the service stores in several portions.
const OFFLINE: [usize; 2] = [1_001, 1_500];

/// A browser in which ann is signed in.
struct Device {
    chrome: Chrome,
}

impl Device {
    async fn start(app: &Program, flags: &[&str]) -> Self {
        let chrome = Chrome::start_with(true, &[flags, &[FLAG]].concat()).await;
        sdk::sign_in(&chrome, app).await;
        let device = Self { chrome };
        device.is_online().await;
        device
    }

    async fn is_online(&self) {
        self.chrome.reaches("Notes of").await;
        returns(&self.chrome, STATUS, json!("ONLINE")).await;
    }

    /// Calls a method of the collection and returns its result.
    async fn notes(&self, call: &str) -> Value {
        self.chrome.asked(&format!("return basic.db.collection('notes').{call}")).await
    }

    /// Adds a note and returns its ID.
    async fn add(&self, title: &str) -> String {
        let id = self.notes(&format!("add({})", json!({"title": title, "more": {"a": {"b": 1}, "c": 2}}))).await;
        id.as_str().unwrap().to_owned()
    }

    async fn update(&self, id: &str, fields: Value) {
        assert_eq!(self.notes(&format!("update('{id}', {fields})")).await, json!(1));
    }

    async fn delete(&self, id: &str) {
        self.notes(&format!("delete('{id}')")).await;
    }

    /// Adds the notes with these numbers at once.
    async fn add_many(&self, numbers: Range<usize>) {
        let Range { start, end } = numbers;
        let note = format!("(_, i) => ({{id: 'n' + (i + {start}), title: 'Note ' + (i + {start})}})");
        let notes = format!("Array.from({{length: {}}}, {note})", end - start);
        self.chrome.asked(&format!("return basic.db.notes.bulkAdd({notes}).then(() => null)")).await;
    }

    /// Cuts the connection of the browser, and waits until the SDK notices.
    async fn loses(&self, link: &Link) {
        link.cut();
        returns(&self.chrome, "return basic.dbStatus !== 'ONLINE'", json!(true)).await;
    }

    /// Signs out. The SDK then deletes its copy, including what it has not sent.
    async fn sign_out(self) {
        self.chrome.asked("basic.signout()").await;
        eventually(async || {
            // Scripts may fail while the SDK loads the page again.
            let count = self.chrome.driver.execute("return window.notes?.length", Vec::new()).await;
            count.is_ok_and(|count| *count.json() == 0).then_some(())
        })
        .await;
        self.chrome.reaches("Nobody").await;
        self.chrome.quit().await;
    }

    /// Waits until the page shows these titles.
    async fn shows(&self, titles: &[&str]) {
        returns(&self.chrome, SHOWN, json!(titles)).await;
    }

    /// Waits until the copy in the browser has this note.
    async fn has(&self, id: &str, note: Value) {
        returns(&self.chrome, &format!("return basic.db.collection('notes').get('{id}')"), note).await;
    }
}

/// The notes that the service has, which it returns for the token of a browser.
struct Stored {
    ann: Actor,
    path: String,
}

impl Stored {
    async fn of(service: &App, device: &Device) -> Self {
        let token = device.chrome.asked("return basic.getToken()").await;
        let project = device.chrome.asked("return basic.db.basic_schema.project_id").await;
        let path = format!("/account/{}/db/notes", project.as_str().unwrap());
        Self { ann: service.bearer(token.as_str().unwrap()), path }
    }

    async fn count(&self) -> usize {
        self.ann.get(&self.path).await.ok()["data"].as_array().unwrap().len()
    }
}

on_both_in_full! {
    async fn the_react_sdk_synchronizes_two_browsers(service: &App) {
        let app = start(service).await;
        let (phone, laptop) = (Device::start(&app, &[]).await, Device::start(&app, &[]).await);

        let id = phone.add("First").await;
        laptop.shows(&["First"]).await;
        laptop.update(&id, json!({"title": "Second", "rank": 2})).await;
        phone.shows(&["Second"]).await;
        // The SDK sends the path of a nested field.
        phone.chrome.asked(&format!("return basic.db.notes.update('{id}', {{'more.a.b': 5}})")).await;
        let note = json!({"id": id, "title": "Second", "rank": 2, "more": {"a": {"b": 5}, "c": 2}});
        laptop.has(&id, note.clone()).await;
        phone.has(&id, note).await;
        phone.delete(&id).await;
        laptop.shows(&[]).await;

        phone.chrome.asked("for (let i = 0; i < 120; i++) basic.db.collection('notes').add({title: 'Note ' + i})").await;
        returns(&laptop.chrome, "return notes.length", json!(120)).await;
        // A browser that signs in later loads all of them.
        let tablet = Device::start(&app, &[]).await;
        returns(&tablet.chrome, "return notes.length", json!(120)).await;

        for device in [phone, laptop, tablet] {
            device.chrome.quit().await;
        }
    }

    async fn the_react_sdk_merges_what_was_edited_offline(service: &App) {
        let app = start(service).await;
        let link = Link::start(service).await;
        let phone = Device::start(&app, &[link.flag.as_str()]).await;
        let laptop = Device::start(&app, &[]).await;
        let (kept, deleted) = (phone.add("Kept").await, phone.add("Deleted").await);
        laptop.shows(&["Deleted", "Kept"]).await;

        phone.loses(&link).await;
        phone.update(&kept, json!({"title": "Renamed"})).await;
        phone.delete(&deleted).await;
        phone.add("By phone").await;
        laptop.update(&kept, json!({"rank": 7})).await;
        laptop.add("By laptop").await;
        phone.shows(&["By phone", "Renamed"]).await;
        laptop.shows(&["By laptop", "Deleted", "Kept"]).await;

        link.restore();
        let note = json!({"id": kept, "title": "Renamed", "rank": 7, "more": {"a": {"b": 1}, "c": 2}});
        for device in [phone, laptop] {
            device.shows(&["By laptop", "By phone", "Renamed"]).await;
            device.has(&kept, note.clone()).await;
            device.is_online().await;
            device.chrome.quit().await;
        }
    }

    async fn the_react_sdk_sends_thousands_of_notes_that_were_added_offline(service: &App) {
        let app = start(service).await;
        let link = Link::start(service).await;
        let phone = Device::start(&app, &[link.flag.as_str()]).await;
        let laptop = Device::start(&app, &[]).await;
        phone.add("Online").await;
        laptop.shows(&["Online"]).await;

        phone.loses(&link).await;
        phone.add_many(0..2_500).await;
        phone.update("n7", json!({"title": "Renamed"})).await;
        phone.delete("n8").await;

        link.restore();
        returns(&laptop.chrome, "return notes.length", json!(2_500)).await;
        laptop.has("n7", json!({"id": "n7", "title": "Renamed"})).await;
        phone.is_online().await;
        // The device has its acknowledgement, so it goes on with what comes next.
        phone.add("Later").await;
        returns(&laptop.chrome, "return notes.length", json!(2_501)).await;
        for device in [phone, laptop] {
            device.chrome.quit().await;
        }
    }

    async fn the_react_sdk_signs_out_after_it_sent_what_was_added_offline(service: &App) {
        let app = start(service).await;
        let link = Link::start(service).await;
        let mut count = 0;
        for offline in OFFLINE {
            let phone = Device::start(&app, &[link.flag.as_str()]).await;
            let stored = Stored::of(service, &phone).await;
            phone.loses(&link).await;
            phone.add_many(count..count + offline).await;
            link.restore();
            phone.is_online().await;
            phone.sign_out().await;
            count += offline;
            assert_eq!(stored.count().await, count);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_react_sdk_signs_out_while_the_service_stores_what_was_added_offline() {
    // Seconds pass between the portions of a message.
    let limits = [("STEWARD_RATE_LIMITS", "on"), ("STEWARD_RATE_WRITES", "20/s burst 50")];
    let service = App::start_with(Backend::Postgres, &limits).await;
    let app = start(&service).await;
    let link = Link::start(&service).await;
    let mut count = 0;
    for offline in OFFLINE {
        let phone = Device::start(&app, &[link.flag.as_str()]).await;
        let stored = Stored::of(&service, &phone).await;
        phone.loses(&link).await;
        phone.add_many(count..count + offline).await;
        link.restore();
        eventually(async || (stored.count().await > count).then_some(())).await;
        // The SDK has no acknowledgement yet, and repeats nothing once it has deleted its copy.
        phone.sign_out().await;
        count += offline;
        eventually(async || (stored.count().await == count).then_some(())).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_react_sdk_continues_after_its_token_expired() {
    let clock = Clock::new().await;
    let service = App::start_with(Backend::Sqlite, &clock.settings()).await;
    let app = start(&service).await;
    let (phone, laptop) = (Device::start(&app, &[]).await, Device::start(&app, &[]).await);
    phone.add("Before").await;
    laptop.shows(&["Before"]).await;

    let cookie = "return document.cookie";
    let tokens = [phone.chrome.asked(cookie).await, laptop.chrome.asked(cookie).await];
    clock.expire_tokens(&[&phone.chrome, &laptop.chrome]).await;
    // The service ends both connections. This version of the SDK then waits until the page is opened again.
    phone.add("By phone").await;
    laptop.add("By laptop").await;
    for device in [&phone, &laptop] {
        returns(&device.chrome, STATUS, json!("ERROR")).await;
    }
    phone.add("After").await;

    for device in [&phone, &laptop] {
        device.chrome.open(&app.origin).await;
        device.is_online().await;
    }
    for (device, token) in [phone, laptop].into_iter().zip(tokens) {
        device.shows(&["After", "Before", "By laptop", "By phone"]).await;
        assert_ne!(device.chrome.asked(cookie).await, token);
        device.chrome.quit().await;
    }
}
