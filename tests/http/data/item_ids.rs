//! IDs of items: `.` and `..` lead to another path, so that no item is created with them. Those that earlier versions
//! stored are still read, changed, exported and deleted (docs/contract.md#items).

use serde_json::{Value, json};
use steward_tests::device::{delete, put, update};
use steward_tests::{on_both_in_full, on_sqlite};

use crate::data::sync::Synced;

const SCOPE: &str = "openid app:db:write";

on_both_in_full! {
    async fn an_item_with_such_an_id_from_an_earlier_version_is_read_changed_and_deleted(app: &App) {
        let ann = Synced::make(app, SCOPE).await;
        let (person, notes, batch) = (ann.ann(app), ann.notes(), format!("{}/batch", ann.notes()));
        for id in [".", ".."] {
            person.put(&format!("{notes}/x"), json!({"value": {"title": "Old"}})).await.created();
            app.execute_sql(&format!("UPDATE items SET id = '{id}' WHERE id = 'x'"));
            for list in [notes.clone(), format!("{notes}?id={id}"), format!("{notes}?limit=1")] {
                let found = person.get(&list).await.ok()["data"][0].clone();
                assert_eq!((&found["id"], &found["title"]), (&json!(id), &json!("Old")), "{list}");
            }
            let patch = json!({"op": "patch", "id": id, "value": {"title": "New"}});
            person.post(&batch, json!({"operations": [patch]})).await.ok();
            let export = ann.world.key.get(&format!("{}/export", ann.user().await)).await.ok();
            assert_eq!(export["items"]["notes"][0]["id"], id);
            let mut phone = ann.device(app).await;
            assert_eq!(phone.title(id), "New");
            if id == "." {
                phone.change(vec![delete(id)]).await;
            } else {
                person.post(&batch, json!({"operations": [{"op": "delete", "id": id}]})).await.ok();
            }
            assert!(ann.stored(app).await.is_empty(), "{id}");
        }
    }
}

on_sqlite! {
    async fn an_id_that_leads_to_another_path_is_refused_at_every_entrance(app: &App) {
        let ann = Synced::make(app, SCOPE).await;
        let (mut phone, person) = (ann.device(app).await, ann.ann(app));
        for id in [".", ".."] {
            let batch = json!({"operations": [{"op": "put", "id": id, "value": {"title": "x"}}]});
            let refused = person.post(&format!("{}/batch", ann.notes()), batch).await.refused(400, "invalid_request");
            assert!(refused["message"].as_str().unwrap().contains("must not be `.` or `..`"), "{refused:?}");
            phone.change(vec![put(id, json!({"id": id, "title": "x"}))]).await;
            assert_eq!(phone.title(id), Value::Null);
            phone.change(vec![update(id, json!({"title": "x"}))]).await;
            assert_eq!(phone.title(id), Value::Null);
        }
        assert!(ann.stored(app).await.is_empty());
        person.put(&format!("{}/...", ann.notes()), json!({"value": {"title": "x"}})).await.created();
    }
}
