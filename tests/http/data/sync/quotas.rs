//! Messages of devices that reach a quota: what fits is stored, in order, and the other changes are named.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use steward_tests::device::{Device, Items, delete, put, update};
use steward_tests::{App, Backend};

use super::{Synced, WRITE};

/// The project of the tests has one item.
const LIMITS: &[(&str, &str)] = &[("STEWARD_MAX_ITEMS_PER_PROJECT", "4"), ("STEWARD_MAX_BYTES_PER_PROJECT", "20000")];

fn note(id: &str) -> Value {
    put(id, json!({"id": id, "title": id}))
}

fn ids(items: &Items) -> Vec<&str> {
    items.keys().map(|(_, id)| id.as_str()).collect()
}

async fn what_fits_is_stored_in_order_and_each_other_change_is_named(backend: Backend) {
    let app = App::start_with(backend, LIMITS).await;
    let ann = Synced::make(&app, WRITE).await;
    let mut phone = ann.device(&app).await;
    let request = phone
        .begin_push(vec![
            note("a"),
            note("b"),
            note("c"),
            note("d"),
            update("d", json!({"title": "Part"})),
            update("a", json!({"title": "A"})),
            delete("b"),
            note("e"),
            update("c", json!({"title": "x".repeat(20_000)})),
            update("c", json!({"done": true})),
        ])
        .await;
    let correction = phone.message().await;
    let named = correction["changes"].as_array().unwrap();
    let [c, d] = named.as_slice() else { panic!("{correction}") };
    assert_eq!((&c["type"], &c["key"], &c["code"]), (&json!(1), &json!("c"), &json!("quota_exceeded")));
    assert_eq!(c["obj"], json!({"id": "c", "title": "c", "done": true}));
    assert!(c["message"].as_str().unwrap().contains("20000 bytes"), "{c}");
    assert_eq!((&d["type"], &d["key"], &d["code"]), (&json!(3), &json!("d"), &json!("quota_exceeded")));
    assert!(d["message"].as_str().unwrap().contains("4 items"), "{d}");
    assert_eq!(phone.message().await, json!({"type": "ack", "requestId": request}));
    assert_eq!(ids(&ann.stored(&app).await), ["a", "c", "e"]);
    let mut listed = ann.rejections().await;
    listed.sort();
    assert_eq!(listed, ["c", "d", "d"].map(|id| (id.to_owned(), "quota_exceeded".to_owned())));

    // The project is full, and the message adds nothing.
    phone.push(vec![delete("e"), note("b")]).await;
    let stored = ann.stored(&app).await;
    assert_eq!((ids(&stored), &stored[&("notes".into(), "a".into())]["title"]), (vec!["a", "b", "c"], &json!("A")));
    assert_eq!(ann.rejections().await.len(), 3, "Nothing else is rejected.");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_fits_is_stored_in_order_and_each_other_change_is_named_on_sqlite() {
    what_fits_is_stored_in_order_and_each_other_change_is_named(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_fits_is_stored_in_order_and_each_other_change_is_named_on_postgres() {
    what_fits_is_stored_in_order_and_each_other_change_is_named(Backend::Postgres).await;
}

async fn two_devices_at_the_edge_of_a_quota_fill_it_and_no_more(backend: Backend) {
    let app = App::start_with(backend, &[("STEWARD_MAX_ITEMS_PER_PROJECT", "21")]).await;
    let ann = Synced::make(&app, WRITE).await;
    let fill = async |name: &str| {
        let mut device = Device::identify(&app, &ann.token, &ann.world.project, Value::Null).await;
        device.change((0..15).map(|number| note(&format!("{name}{number:02}"))).collect()).await;
        let first = (0..device.items.len()).map(|number| format!("{name}{number:02}"));
        assert_eq!(ids(&device.items), first.collect::<Vec<_>>(), "The first ones are stored.");
        device.items
    };
    let (phone, laptop) = tokio::join!(fill("phone"), fill("laptop"));
    let stored = ann.stored(&app).await;
    assert_eq!((phone.len() + laptop.len(), stored.len()), (20, 20));
    assert_eq!(phone.into_iter().chain(laptop).collect::<Items>(), stored);
    assert_eq!(ann.rejections().await.len(), 10);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_devices_at_the_edge_of_a_quota_fill_it_and_no_more_on_sqlite() {
    two_devices_at_the_edge_of_a_quota_fill_it_and_no_more(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_devices_at_the_edge_of_a_quota_fill_it_and_no_more_on_postgres() {
    two_devices_at_the_edge_of_a_quota_fill_it_and_no_more(Backend::Postgres).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_later_portion_does_not_create_a_part_of_an_item_that_did_not_fit() {
    let app = App::start_with(Backend::Sqlite, LIMITS).await;
    let ann = Synced::make(&app, WRITE).await;
    let mut phone = ann.device(&app).await;
    let mut offline: Vec<Value> = ["a", "b", "c", "d"].map(note).into();
    // Deletions of items that do not exist write nothing, and end the first portion.
    offline.extend((0..1_000).map(|_| delete("gone")));
    offline.extend([delete("a"), update("d", json!({"title": "Part"})), note("e")]);
    phone.change(offline).await;
    assert_eq!(ids(&phone.items), ["b", "c", "e"]);
    assert_eq!(phone.items, ann.stored(&app).await);
    assert_eq!(ann.rejections().await, ["d", "d"].map(|id| (id.to_owned(), "quota_exceeded".to_owned())));
}

/// Sends changes as the first message of a device, and returns the items that are corrected before its acknowledgement,
/// with the reasons. The device loses the connection then.
async fn corrections(app: &App, ann: &Synced, changes: &[Value]) -> BTreeMap<String, (Value, Value)> {
    let mut phone = Device::identify(app, &ann.token, &ann.world.project, json!("phone")).await;
    phone.begin_push(changes.to_vec()).await;
    let mut corrected = BTreeMap::new();
    loop {
        let message = phone.message().await;
        let Some(items) = message["changes"].as_array() else { break };
        let reason = |item: &Value| (item["code"].clone(), item["message"].clone());
        corrected.extend(items.iter().map(|item| (item["key"].as_str().unwrap().to_owned(), reason(item))));
    }
    phone.vanish().await;
    corrected
}

async fn a_repeated_message_is_answered_with_the_same_reasons(backend: Backend) {
    // The second message is stored in three portions.
    for between in [1, 500] {
        let app = App::start_with(backend, LIMITS).await;
        let ann = Synced::make(&app, WRITE).await;
        let mut changes: Vec<Value> = ["a", "b", "c", "d"].map(note).into();
        changes.extend((0..between).map(|_| delete("gone")));
        changes.extend([update("d", json!({"title": "Part"})), put("e", json!({"id": "e"}))]);
        changes.extend((0..between).map(|_| delete("gone")));
        changes.push(update("a", json!({"title": "A", "old": 1})));
        let first = corrections(&app, &ann, &changes).await;
        let codes: Vec<_> = first.iter().map(|(key, (code, _))| (key.as_str(), code.clone())).collect();
        let expected = [("a", "unknown_field"), ("d", "quota_exceeded"), ("e", "invalid_item")];
        assert_eq!(codes, expected.map(|(key, code)| (key, json!(code))));

        let mut again = corrections(&app, &ann, &changes).await;
        let others = ["b", "c", "gone"].map(|key| again.remove(key));
        assert_eq!((again, others), (first, [(); 3].map(|()| Some((Value::Null, Value::Null)))));
        assert_eq!(ann.rejections().await.len(), 4, "Nothing is recorded again.");
        assert_eq!(ids(&ann.stored(&app).await), ["a", "b", "c"]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_repeated_message_is_answered_with_the_same_reasons_on_sqlite() {
    a_repeated_message_is_answered_with_the_same_reasons(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_repeated_message_is_answered_with_the_same_reasons_on_postgres() {
    a_repeated_message_is_answered_with_the_same_reasons(Backend::Postgres).await;
}
