//! Tests the npm package `@basictech/expo`, whose operations are requests, in a browser. `npm-sdks/native.mjs` stands
//! in for the modules of React Native.

use serde_json::{Value, json};
use steward_tests::{App, Backend};

use crate::chrome::Chrome;
use crate::program::Program;
use crate::sdk::{self, Clock, returns, shift_script};

const USER: &str = "ann, ann@example.com";

async fn start(service: &App) -> Program {
    let fields = json!({
        "title": {"type": "string", "required": true},
        "done": {"type": "boolean"},
        "rank": {"type": "number", "indexed": true},
    });
    sdk::start(service, "expo.mjs", "/oauth/callback", fields).await
}

/// A browser in which ann is signed in.
async fn device(app: &Program) -> Chrome {
    let chrome = Chrome::start(true).await;
    sdk::sign_in(&chrome, app).await;
    chrome.reaches(USER).await;
    chrome
}

/// Calls a method of the table and returns its result.
async fn notes(chrome: &Chrome, call: &str) -> Value {
    chrome.asked(&format!("return basic.db.from('notes').{call}")).await
}

/// Returns the titles of the notes.
async fn titles(chrome: &Chrome) -> Value {
    notes(chrome, "getAll().then(notes => notes.map(note => note.title).sort())").await
}

async fn set_offline(chrome: &Chrome, offline: bool) {
    let conditions = json!({"offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1});
    chrome.tell("Network.enable", json!({})).await;
    chrome.tell("Network.emulateNetworkConditions", conditions).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_expo_sdk_keeps_notes_in_two_browsers() {
    let service = App::start(Backend::Postgres).await;
    let app = start(&service).await;
    let (phone, laptop) = (device(&app).await, device(&app).await);

    let added = notes(&phone, "add({title: 'First', done: false})").await;
    let id = added["id"].as_str().unwrap();
    let updated = notes(&laptop, &format!("update('{id}', {{title: 'Second', rank: 2}})")).await;
    assert_eq!((&updated["title"], &updated["rank"], &updated["done"]), (&json!("Second"), &json!(2), &json!(false)));
    assert_eq!(notes(&phone, &format!("get('{id}')")).await, updated);
    let replaced = notes(&phone, &format!("replace('{id}', {{title: 'Third'}})")).await;
    assert_eq!((&replaced["title"], &replaced["rank"]), (&json!("Third"), &Value::Null));
    assert_eq!(notes(&laptop, &format!("getAll({{id: '{id}'}})")).await, json!([replaced]));

    set_offline(&phone, true).await;
    let failed = notes(&phone, "add({title: 'Lost'}).catch(error => error.name)").await;
    assert_eq!(failed, "DBError");
    notes(&laptop, "add({title: 'By laptop'})").await;
    set_offline(&phone, false).await;
    notes(&phone, "add({title: 'By phone'})").await;
    let expected = json!(["By laptop", "By phone", "Third"]);
    assert_eq!((titles(&phone).await, titles(&laptop).await), (expected.clone(), expected));

    assert_eq!(notes(&laptop, &format!("delete('{id}')")).await, replaced);
    assert_eq!(notes(&phone, &format!("get('{id}').catch(error => error.status)")).await, json!(404));
    let add =
        "return Promise.all(Array.from({length: 118}, (_, i) => basic.db.from('notes').add({title: 'Note ' + i})))";
    phone.asked(add).await;
    assert_eq!(titles(&laptop).await.as_array().unwrap().len(), 120);

    phone.asked("[...document.querySelectorAll('button')].at(-1).click()").await;
    phone.reaches("Nobody").await;
    phone.quit().await;
    laptop.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_expo_sdk_refreshes_an_expired_token() {
    let clock = Clock::new().await;
    let service = App::start_with(Backend::Sqlite, &clock.settings()).await;
    let app = start(&service).await;
    let phone = device(&app).await;
    notes(&phone, "add({title: 'Before'})").await;

    let stored = "return localStorage.getItem('auth_tokens')";
    let tokens = phone.asked(stored).await;
    clock.expire_tokens(&[&phone]).await;
    let token = format!("const {{ accessToken }} = JSON.parse(atob('{}'))", tokens.as_str().unwrap());
    let user_info =
        format!("fetch('{}/auth/userinfo', {{headers: {{Authorization: 'Bearer ' + accessToken}}}})", service.base);
    returns(&phone, &format!("{token}; return {user_info}.then(response => response.status)"), json!(401)).await;
    phone.asked(&shift_script()).await;
    notes(&phone, "add({title: 'After'})").await;
    assert_eq!(titles(&phone).await, json!(["After", "Before"]));
    assert_ne!(phone.asked(stored).await, tokens);

    phone.open(&app.origin).await;
    phone.reaches(USER).await;
    assert_eq!(titles(&phone).await, json!(["After", "Before"]));
    phone.quit().await;
}
