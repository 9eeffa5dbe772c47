//! Messages of devices whose changes are stored together or not at all.

use serde_json::{Value, json};
use steward_tests::device::{Device, delete, put, update};
use steward_tests::{App, Backend, on_both, on_sqlite};

use super::{Synced, WRITE, unidentified};

fn note(id: &str) -> Value {
    put(id, json!({"id": id, "title": id}))
}

/// Sends an atomic message. Returns the items that are corrected with a reason before its acknowledgement, in order of
/// their keys.
async fn store(device: &mut Device, changes: &[Value]) -> Vec<Value> {
    let message = json!({"type": "changes", "requestId": "all", "atomic": true, "changes": changes});
    device.send(message).await;
    let mut corrected = Vec::new();
    loop {
        let message = device.message().await;
        let Some(items) = message["changes"].as_array() else {
            assert_eq!(message, json!({"type": "ack", "requestId": "all"}));
            return corrected;
        };
        corrected.extend(items.iter().filter(|item| item.get("code").is_some()).cloned());
    }
}

/// The keys, codes and the one message of corrections.
fn reasons<'a>(corrected: &'a [Value]) -> (Vec<(&'a str, &'a str)>, &'a str) {
    let text = |item: &'a Value, name: &str| item[name].as_str().unwrap();
    let message = text(&corrected[0], "message");
    assert!(corrected.iter().all(|item| item["message"] == message), "{corrected:?}");
    (corrected.iter().map(|item| (text(item, "key"), text(item, "code"))).collect(), message)
}

on_both! {
    async fn an_atomic_message_is_stored_as_a_whole_or_corrected_as_a_whole(app: &App) {
        let ann = Synced::make(app, WRITE).await;
        let (mut phone, mut laptop) = (ann.device(app).await, ann.device(app).await);
        assert!(store(&mut phone, &[note("a"), note("b"), update("a", json!({"rank": 1})), delete("c")]).await.is_empty());
        laptop.converge(&ann.stored(app).await).await;
        assert_eq!((laptop.title("a"), laptop.title("b")), (json!("a"), json!("b")));

        let before = ann.stored(app).await;
        let invalid = [update("a", json!({"rank": 2})), delete("b"), put("c", json!({"id": "c"})), note("d")];
        let unknown = [note("d"), update("a", json!({"other": 2}))];
        let code = |ids: &[&'static str], code| ids.iter().map(|id| (*id, code)).collect::<Vec<_>>();
        for (changes, expected, message) in [
            (&invalid[..], code(&["a", "b", "c", "d"], "invalid_item"), "Nothing is stored, because of notes/c: Field title is required"),
            (&unknown[..], code(&["a", "d"], "unknown_field"), "Nothing is stored, because of notes/a: Field other not found in schema"),
        ] {
            let corrected = store(&mut phone, changes).await;
            assert_eq!(reasons(&corrected), (expected, message));
            assert_eq!(corrected[0]["obj"], before[&("notes".into(), "a".into())]);
            assert_eq!(ann.stored(app).await, before);
        }
        laptop.hears_nothing().await;
    }
}

async fn an_atomic_message_that_does_not_fit_into_a_quota_stores_nothing(backend: Backend) {
    let app = App::start_with(backend, &[("STEWARD_MAX_ITEMS_PER_PROJECT", "3")]).await;
    let ann = Synced::make(&app, WRITE).await;
    let mut phone = ann.device(&app).await;
    let corrected = store(&mut phone, &["a", "b", "c"].map(note)).await;
    let (items, message) = reasons(&corrected);
    assert_eq!(items, ["a", "b", "c"].map(|id| (id, "quota_exceeded")));
    assert!(message.contains("notes/c") && message.contains("3 items"), "{message}");
    assert!(ann.stored(&app).await.is_empty());

    assert!(store(&mut phone, &["a", "b"].map(note)).await.is_empty());
    assert!(store(&mut phone, &[note("c"), delete("a")]).await.is_empty(), "The deletion makes room.");
    let stored = ann.stored(&app).await;
    assert_eq!(stored.keys().map(|(_, id)| id.as_str()).collect::<Vec<_>>(), ["b", "c"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_atomic_message_that_does_not_fit_into_a_quota_stores_nothing_on_sqlite() {
    an_atomic_message_that_does_not_fit_into_a_quota_stores_nothing(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_atomic_message_that_does_not_fit_into_a_quota_stores_nothing_on_postgres() {
    an_atomic_message_that_does_not_fit_into_a_quota_stores_nothing(Backend::Postgres).await;
}

on_sqlite! {
    async fn an_atomic_message_that_is_too_long_or_malformed_stores_nothing(app: &App) {
        let ann = Synced::make(app, WRITE).await;
        let mut phone = ann.device(app).await;
        let many: Vec<Value> = (0..=1_000).map(|number| note(&format!("n{number:04}"))).collect();
        let large: Vec<Value> =
            (0..3).map(|number| put(&number.to_string(), json!({"title": "x".repeat(400_000)}))).collect();
        for changes in [many, large] {
            let corrected = store(&mut phone, &changes).await;
            let (items, message) = reasons(&corrected);
            assert!(items.len() == changes.len() && items.iter().all(|(_, code)| *code == "message_too_long"));
            assert!(message.contains("an atomic one 1,000 changes and 1 MiB"), "{message}");
        }
        assert!(ann.stored(app).await.is_empty());
        // The most that fits.
        let most: Vec<Value> = (0..1_000).map(|number| note(&format!("n{number:04}"))).collect();
        assert!(store(&mut phone, &most).await.is_empty());

        phone.send(json!({"type": "changes", "requestId": 1, "atomic": true, "changes": [note("a"), 1]})).await;
        assert_eq!(phone.end().await, (None, 1007));
        assert_eq!(ann.stored(app).await.len(), 1_000);
    }

    async fn a_device_learns_that_the_service_knows_atomic_messages(app: &App) {
        let ann = Synced::make(app, WRITE).await;
        let mut phone = unidentified(app, &ann.token, &ann.world.project).await;
        assert_eq!(phone.message().await["atomic"], true);
    }
}
