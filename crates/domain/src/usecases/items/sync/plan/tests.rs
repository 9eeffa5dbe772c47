//! Which writes a message of a device leads to, and which of its changes are rejected.

use serde_json::json;

use super::*;
use crate::mocks::{id_of, instant};
use crate::model::{ItemValue, Revision};

fn schema() -> Document {
    let notes = json!({"fields": {
        "title": {"type": "string", "required": true}, "rank": {"type": "number"}, "meta": {"type": "json"},
    }});
    Document::parse(&json!({"project_id": "p", "version": 1, "tables": {"notes": notes}})).unwrap()
}

fn owner() -> (ProjectId, ProjectUserId) {
    (id_of("project").into(), id_of("user").into())
}

fn key(id: &str) -> SyncKey {
    SyncKey { table: "notes".into(), id: id.into() }
}

fn stored(id: &str, fields: Value) -> StoredItem {
    let (project_id, user_id) = owner();
    let value = ItemValue::of(fields.as_object().unwrap());
    let item = Item { project_id, user_id, table: "notes".into(), id: ItemId::parse(id).unwrap(), value };
    StoredItem { item, created_at: instant(), updated_at: instant(), revision: Revision(7) }
}

fn put(id: &str, fields: Value) -> SyncChange {
    SyncChange { key: key(id), edit: SyncEdit::Put(fields.as_object().unwrap().clone()) }
}

fn update(id: &str, paths: Value) -> SyncChange {
    SyncChange { key: key(id), edit: SyncEdit::Update(paths.as_object().unwrap().clone()) }
}

fn delete(id: &str) -> SyncChange {
    SyncChange { key: key(id), edit: SyncEdit::Delete }
}

fn plan(loaded: &[StoredItem], changes: &[SyncChange]) -> Plan {
    Planner::new(&schema(), owner(), &BTreeMap::new()).plan(loaded, changes).unwrap()
}

/// The writes as text: the ID, the fields after a put, and its precondition.
fn writes(plan: &Plan) -> Vec<String> {
    let shown = |write: &PlannedWrite| match write {
        PlannedWrite::Put { item, when, .. } => format!("{} {} {when:?}", item.id.as_str(), item.value.as_str()),
        PlannedWrite::Remove(place) => format!("{} removed", place.id.as_str()),
    };
    plan.writes.iter().map(shown).collect()
}

fn codes(plan: &Plan) -> Vec<(&str, &str)> {
    plan.rejected.iter().map(|rejected| (rejected.key.id.as_str(), rejected.reason.code)).collect()
}

#[test]
fn each_item_is_written_once_in_the_order_of_the_keys() {
    let changes = [
        put("b", json!({"id": "b", "title": "B"})),
        update("a", json!({"rank": 2})),
        delete("c"),
        update("b", json!({"meta.x": 1})),
    ];
    let loaded = [stored("a", json!({"title": "A"})), stored("c", json!({"title": "C"}))];
    assert_eq!(
        writes(&plan(&loaded, &changes)),
        [r#"a {"title":"A","rank":2} Matches([Revision(7)])"#, r#"b {"title":"B","meta":{"x":1}} None"#, "c removed",]
    );
}

#[test]
fn a_put_and_an_update_create_a_missing_item_and_deleting_it_changes_nothing() {
    let plan = plan(&[], &[put("a", json!({"title": "A"})), update("b", json!({"title": "B"})), delete("c")]);
    assert_eq!(writes(&plan), [r#"a {"title":"A"} None"#, r#"b {"title":"B"} Absent"#]);
    assert!(plan.rejected.is_empty() && plan.writes.iter().all(PlannedWrite::grows));
}

#[test]
fn changes_that_are_stored_already_result_in_no_write() {
    let loaded = [stored("a", json!({"title": "A", "meta": {"x": 1}}))];
    let changes = [put("a", json!({"meta": {"x": 1}, "title": "A", "rank": null})), update("a", json!({"meta.x": 1}))];
    assert_eq!(plan(&loaded, &changes), Plan::default());
    let back = [update("a", json!({"rank": 1})), update("a", json!({"rank": null}))];
    assert_eq!(plan(&loaded, &back), Plan::default());
}

#[test]
fn a_change_that_does_not_fit_is_rejected_alone() {
    let large = "x".repeat(Item::MAX_BYTES);
    let other = SyncChange { key: SyncKey { table: "other".into(), id: "x".into() }, ..put("x", json!({})) };
    let changes = [
        put("a", json!({"title": 1})),
        put("b", json!({"title": "B"})),
        put("c", json!({"title": large})),
        put("d e", json!({"title": "D"})),
        put("f", json!({})),
        put("g", json!({"title": "\0"})),
        other,
    ];
    let plan = plan(&[], &changes);
    assert_eq!(writes(&plan), [r#"b {"title":"B"} None"#]);
    assert_eq!(
        codes(&plan),
        [
            ("a", "invalid_item"),
            ("c", "item_too_large"),
            ("d e", "invalid_key"),
            ("f", "invalid_item"),
            ("g", "invalid_item"),
            ("x", "unknown_table"),
        ]
    );
}

#[test]
fn fields_that_the_schema_lacks_are_reported_and_not_stored() {
    let plan = plan(&[], &[put("a", json!({"title": "A", "old": 1})), update("b", json!({"title": "B", "old.x": 1}))]);
    assert_eq!(writes(&plan), [r#"a {"title":"A"} None"#, r#"b {"title":"B"} Absent"#]);
    assert_eq!(codes(&plan), [("a", "unknown_field"), ("b", "unknown_field")]);
}

#[test]
fn a_put_beyond_the_size_of_a_message_is_rejected_and_a_deletion_is_not() {
    let title = "x".repeat(250_000);
    let mut all = Plan::default();
    for number in 0..140 {
        let id = number.to_string();
        all.extend(plan(&[], &[put(&id, json!({"title": title}))]));
    }
    assert_eq!((all.writes.len(), all.rejected.len()), (134, 6));
    assert!(codes(&all).iter().all(|(_, code)| *code == "item_too_large"));
    all.extend(plan(&[stored("gone", json!({"title": "A"}))], &[delete("gone")]));
    assert_eq!((all.writes.len(), all.rejected.len()), (135, 6));
}

#[test]
fn changes_to_a_refused_item_are_rejected() {
    let reason = Reason::new("quota_exceeded", "The limit is reached.".into());
    let refused = BTreeMap::from([(key("a"), reason)]);
    let (schema, changes) = (schema(), [put("a", json!({"title": "A"})), put("b", json!({"title": "B"}))]);
    let plan = Planner::new(&schema, owner(), &refused).plan(&[], &changes).unwrap();
    assert_eq!((writes(&plan).len(), codes(&plan)), (1, vec![("a", "quota_exceeded")]));
}
