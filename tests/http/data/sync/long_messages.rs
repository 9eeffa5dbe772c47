//! Messages with more changes than are stored at once, such as all that a device did while it was offline.

use serde_json::{Value, json};
use steward_tests::device::{Device, delete, put, update};
use steward_tests::{App, on_both, on_sqlite};

use super::{Synced, WRITE};

/// Number of changes that are stored in several portions.
const MANY: usize = 1_600;

fn id(number: usize) -> String {
    format!("n{number:05}")
}

/// Changes that create notes of about this many bytes.
fn notes(count: usize, bytes: usize) -> Vec<Value> {
    let title = "x".repeat(bytes);
    (0..count).map(|number| put(&id(number), json!({"id": id(number), "title": title, "rank": number}))).collect()
}

/// Number of changes of items that are recorded.
async fn recorded(ann: &Synced, action: &str) -> usize {
    let log = format!("/project/{}/audit?action={action}&limit=1000", ann.world.project);
    let mut count = 0;
    let mut page = log.clone();
    loop {
        let list = ann.world.owner.get(&page).await.ok();
        count += list["data"].as_array().unwrap().len();
        let Some(cursor) = list["next_cursor"].as_str() else { return count };
        page = format!("{log}&cursor={cursor}");
    }
}

/// Connects a device with a name. Devices whose names share a slot replace each other's receipts, and these do not.
async fn named_device(app: &App, ann: &Synced, name: &str) -> Device {
    Device::identify(app, &ann.token, &ann.world.project, json!(name)).await
}

on_both! {
    async fn all_that_a_device_did_offline_is_stored_in_order_and_acknowledged_once(app: &App) {
        let ann = Synced::make(app, WRITE).await;
        let mut laptop = ann.device(app).await;
        let mut phone = named_device(app, &ann, "phone").await;
        let mut offline = notes(MANY, 10);
        offline.push(update(&id(0), json!({"title": "Last"})));
        offline.push(delete(&id(1)));
        offline.push(update(&id(2), json!({"title": 1})));
        phone.edit(&offline);
        phone.push(offline).await;
        phone.subscribe().await;
        let stored = ann.stored(app).await;
        assert_eq!((stored.len(), phone.title(&id(0)), phone.title(&id(1))), (MANY - 1, json!("Last"), Value::Null));
        phone.converge(&stored).await;
        laptop.converge(&stored).await;
        assert_eq!(phone.title(&id(2)), "x".repeat(10));
        assert_eq!(ann.rejections().await, [(id(2), "invalid_item".to_owned())]);
        phone.change(vec![put("a", json!({"id": "a", "title": "A"}))]).await;
    }

    async fn a_long_message_that_is_repeated_after_a_loss_in_between_changes_nothing(app: &App) {
        let ann = Synced::make(app, WRITE).await;
        // Both names have the same slot if there are only 64.
        let mut laptop = named_device(app, &ann, "laptop-50").await;
        laptop.push(vec![]).await;
        laptop.subscribe().await;
        let mut phone = named_device(app, &ann, "phone").await;
        // More than 1 MiB, so that the first half is stored before the second one arrives.
        let offline = notes(MANY, 2_000);
        phone.send_half(&offline).await.unwrap();
        laptop.wait_for_title(&id(0), &"x".repeat(2_000)).await.unwrap();
        phone.vanish().await;
        laptop.change(vec![update(&id(0), json!({"title": "Laptop"})), delete(&id(1))]).await;

        let mut phone = named_device(app, &ann, "phone").await;
        phone.edit(&offline);
        phone.push(offline.clone()).await;
        let stored = ann.stored(app).await;
        assert_eq!(stored.len(), MANY - 1);
        assert_eq!(stored[&("notes".into(), id(0))]["title"], "Laptop");
        // The acknowledgement is lost, too.
        phone.vanish().await;
        laptop.change(vec![update(&id(MANY - 1), json!({"title": "Laptop"}))]).await;
        let mut phone = named_device(app, &ann, "phone").await;
        phone.edit(&offline);
        phone.push(offline).await;
        phone.subscribe().await;
        let stored = ann.stored(app).await;
        assert_eq!(stored[&("notes".into(), id(MANY - 1))]["title"], "Laptop");
        phone.converge(&stored).await;
        laptop.converge(&stored).await;
        assert_eq!(recorded(&ann, "item.created").await, MANY + 1, "No item was created again, and the project had one.");
    }
}

on_sqlite! {
    async fn what_exceeds_the_limits_of_a_message_is_corrected_and_listed(app: &App) {
        let ann = Synced::make(app, WRITE).await;
        let mut phone = ann.device(app).await;
        // Deletions of items that do not exist write nothing.
        let mut offline: Vec<Value> = (0..49_999).map(|_| delete("gone")).collect();
        offline.extend([put("a", json!({"id": "a", "title": "A"})), put("b", json!({"id": "b", "title": "B"}))]);
        phone.edit(&offline);
        phone.push(offline).await;
        assert_eq!((phone.title("a"), phone.title("b")), (json!("A"), Value::Null));
        assert_eq!(ann.rejections().await, [("b".to_owned(), "message_too_long".to_owned())]);

        // 18 MB in two changes that are too long, many that fit, and one beyond the limit.
        let long = |id: &str| put(id, json!({"id": id, "title": "x".repeat(3_000_000)}));
        let mut offline = vec![long("long"), put("c", json!({"id": "c", "title": "C"}))];
        offline.extend((0..60).map(|_| put("large", json!({"id": "large", "title": "x".repeat(240_000)}))));
        offline.push(put("d", json!({"id": "d", "title": "D"})));
        phone.edit(&offline);
        phone.push(offline).await;
        let missing = ["long", "d"].map(|id| phone.title(id));
        assert_eq!((missing, phone.title("c")), ([Value::Null, Value::Null], json!("C")));
        phone.converge(&ann.stored(app).await).await;
        let listed = ann.rejections().await;
        for id in ["long", "d"] {
            assert!(listed.contains(&(id.to_owned(), "message_too_long".to_owned())), "{listed:?}");
        }
        phone.change(vec![put("e", json!({"id": "e", "title": "E"}))]).await;
    }

    async fn a_message_that_is_larger_than_the_memory_of_its_user_does_not_end_the_connection(app: &App) {
        let ann = Synced::make(app, WRITE).await;
        let mut phone = ann.device(app).await;
        // 36 MB, of which the service takes none or a part.
        let endless = put("endless", json!({"id": "endless", "title": "x".repeat(36_000_000)}));
        phone.edit(std::slice::from_ref(&endless));
        phone.push(vec![endless]).await;
        assert_eq!(phone.title("endless"), Value::Null);
        phone.send(json!({"type": "unknown", "more": "x".repeat(36_000_000)})).await;
        let large = |number: usize| put("large", json!({"id": "large", "title": number.to_string().repeat(40_000)}));
        let many: Vec<Value> = (0..150).map(|number| large(100_000 + number)).collect();
        phone.edit(&many);
        phone.push(many).await;
        assert_eq!(phone.title("large"), ann.stored(app).await[&("notes".into(), "large".into())]["title"]);
        phone.change(vec![put("a", json!({"id": "a", "title": "A"}))]).await;
    }

    async fn a_long_message_of_another_type_is_ignored_and_one_that_is_not_json_ends_the_connection(app: &App) {
        let ann = Synced::make(app, WRITE).await;
        let mut phone = ann.device(app).await;
        phone.send(json!({"type": "unknown", "more": "x".repeat(2_000_000), "changes": [delete("a")]})).await;
        phone.change(vec![put("a", json!({"id": "a", "title": "A"}))]).await;
        phone.send(json!(["x".repeat(2_000_000)])).await;
        assert_eq!(phone.end().await, (None, 1007));
    }
}
