//! Loads of everything, which say so: then a device knows which of its items the service does not have.

use serde_json::{Value, json};
use steward_tests::device::{Device, Items, delete, put};
use steward_tests::{eventually, on_both};

use super::{Synced, WRITE, add_notes};

/// A load as a device receives it that removes what the service does not have.
struct Load {
    /// The member `complete` of each message.
    complete: Vec<Value>,
    /// The items of the puts.
    items: Items,
    revision: Value,
}

async fn load(device: &mut Device, revision: &Value) -> Load {
    device.send(json!({"type": "subscribe", "syncedRevision": revision})).await;
    let (mut complete, mut items) = (Vec::new(), Items::new());
    loop {
        let message = device.message().await;
        let puts = message["changes"].as_array().unwrap().iter().filter(|change| change["type"] == 1);
        items.extend(puts.map(|put| (("notes".into(), put["key"].as_str().unwrap().into()), put["obj"].clone())));
        complete.push(message["complete"].clone());
        if message["partial"] == false && message["complete"] != false {
            return Load { complete, items, revision: message["currentRevision"].clone() };
        }
    }
}

on_both! {
    async fn only_a_load_of_everything_says_whether_it_is_complete(app: &App) {
        let ann = Synced::make(app, WRITE).await;
        let (mut phone, mut tablet) = (ann.device(app).await, ann.device(app).await);
        add_notes(&mut phone, 1_100).await;
        phone.change(vec![put("gone", json!({"title": "A"})), delete("n0000")]).await;
        phone.change(vec![delete("gone")]).await;
        tablet.converge(&phone.items).await;

        let connect = async |name: Value| {
            let mut laptop = Device::identify(app, &ann.token, &ann.world.project, name).await;
            laptop.push(vec![]).await;
            laptop
        };
        let mut laptop = connect(Value::Null).await;
        let all = load(&mut laptop, &Value::Null).await;
        assert_eq!((all.complete, &all.items), (vec![json!(false), json!(true)], &phone.items));
        phone.change(vec![put("a", json!({"id": "a", "title": "A"}))]).await;
        assert_eq!(laptop.message().await.get("complete"), None, "A delivery.");
        tablet.converge(&phone.items).await;

        let mut laptop = connect(json!(laptop.name)).await;
        let news = load(&mut laptop, &all.revision).await;
        assert_eq!((news.complete, news.items.len()), (vec![Value::Null], 1));

        // As after a restore of an older copy of the database, which lacks an item.
        let recorded = "(SELECT max(delivered) FROM audit_progress) >= (SELECT max(position) FROM item_changes)";
        eventually(async || app.holds(recorded).then_some(())).await;
        let name = json!(laptop.lose().name);
        app.execute_sql(
            "BEGIN; DELETE FROM items WHERE id = 'a'; UPDATE position_domains SET life = life - 1; \
             UPDATE audit_progress SET delivered = 0; COMMIT",
        );
        let mut laptop = connect(name).await;
        let again = load(&mut laptop, &news.revision).await;
        assert_eq!(again.complete.last(), Some(&json!(true)), "{:?}", again.complete);
        assert!(again.complete.iter().rev().skip(1).all(|complete| *complete == false), "{:?}", again.complete);
        phone.items.remove(&("notes".into(), "a".into()));
        assert_eq!(again.items, phone.items, "The device learns that the service lacks `a`.");
    }
}
