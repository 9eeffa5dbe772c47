//! Which writes a message of a device leads to, and which of its changes are rejected.

use serde_json::json;

use super::*;
use crate::administration::ProjectUsage;
use crate::kernel::Revision;
use crate::kernel::policy::{Quota, Quotas};
use crate::mocks::{id_of, instant};

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
    let item = Item { project_id, user_id, table: "notes".into(), id: ItemId::stored(id).unwrap(), value };
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

fn planner(room: Option<Room>) -> Planner {
    Planner::new(Arc::new(schema()), owner(), Arc::default(), room)
}

fn plan(loaded: &[StoredItem], changes: &[SyncChange]) -> Plan {
    planner(None).apply(loaded, changes).unwrap().finish()
}

/// Returns the plan for changes that may add this many items and bytes. Each change is applied on its own.
fn plan_within(items: u64, bytes: u64, loaded: &[StoredItem], changes: &[SyncChange]) -> Plan {
    let quotas = Quotas::default().with(Quota::ItemsPerProject, items).with(Quota::BytesPerProject, bytes);
    let planner = planner(Some(Room::of(&quotas, &ProjectUsage::default())));
    let applied = changes.chunks(1).try_fold(planner, |planner, change| planner.apply(loaded, change));
    applied.unwrap().finish()
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
    plan.rejected.iter().map(|rejected| (rejected.key.id.as_str(), &*rejected.reason.code)).collect()
}

#[test]
fn each_item_is_written_once_in_the_order_of_the_keys_after_what_frees_space() {
    let changes = [
        put("b", json!({"id": "b", "title": "B"})),
        update("a", json!({"rank": 2})),
        delete("c"),
        update("b", json!({"meta.x": 1})),
        update("d", json!({"rank": null})),
    ];
    let loaded = [
        stored("a", json!({"title": "A"})),
        stored("c", json!({"title": "C"})),
        stored("d", json!({"title": "D", "rank": 1})),
    ];
    let expected = [
        "c removed",
        r#"d {"title":"D"} Matches([Revision(7)])"#,
        r#"a {"title":"A","rank":2} Matches([Revision(7)])"#,
        r#"b {"title":"B","meta":{"x":1}} None"#,
    ];
    assert_eq!(writes(&plan(&loaded, &changes)), expected);
    assert_eq!(writes(&plan_within(10, 1_000, &loaded, &changes)), expected, "The same, change by change.");
}

#[test]
fn a_put_and_an_update_create_a_missing_item_and_deleting_it_changes_nothing() {
    let plan = plan(&[], &[put("a", json!({"title": "A"})), update("b", json!({"title": "B"})), delete("c")]);
    assert_eq!(writes(&plan), [r#"a {"title":"A"} None"#, r#"b {"title":"B"} Absent"#]);
    assert!(plan.rejected.is_empty());
}

#[test]
fn an_item_whose_id_leads_to_another_path_is_changed_and_deleted_but_not_created() {
    let old = [stored("..", json!({"title": "A"}))];
    assert_eq!(codes(&plan(&[], &[put(".", json!({"title": "A"}))])), [(".", "invalid_key")]);
    assert_eq!(codes(&plan(&[], &[update("..", json!({"title": "A"}))])), [("..", "invalid_key")]);
    let expected = [r#".. {"title":"A","rank":1} Matches([Revision(7)])"#];
    assert_eq!(writes(&plan(&old, &[update("..", json!({"rank": 1}))])), expected);
    assert_eq!(writes(&plan(&old, &[delete("..")])), [".. removed"]);
    let again = plan(&old, &[delete(".."), put("..", json!({"title": "B"}))]);
    assert_eq!((writes(&again), codes(&again)), (vec![".. removed".to_owned()], vec![("..", "invalid_key")]));
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
    let put_large = |number: usize| put(&number.to_string(), json!({"title": title}));
    let all = (0..140).try_fold(planner(None), |planner, number| planner.apply(&[], &[put_large(number)]));
    let all = all.unwrap().apply(&[stored("gone", json!({"title": "A"}))], &[delete("gone")]).unwrap().finish();
    assert_eq!((all.writes.len(), all.rejected.len()), (135, 6));
    assert!(codes(&all).iter().all(|(_, code)| *code == "item_too_large"));
}

#[test]
fn without_room_for_all_changes_those_that_fit_are_stored_in_order() {
    let changes = [
        put("a", json!({"title": "A"})),
        put("b", json!({"title": "B"})),
        put("c", json!({"title": "C"})),
        update("c", json!({"rank": 1})),
        update("a", json!({"rank": 1})),
        delete("b"),
        put("d", json!({"title": "D"})),
        put("e", json!({"title": "E", "old": 1})),
    ];
    let planned = plan_within(2, 1_000, &[], &changes);
    assert_eq!(writes(&planned), [r#"a {"title":"A","rank":1} None"#, r#"d {"title":"D"} None"#]);
    assert_eq!(codes(&planned), ["c", "c", "e"].map(|id| (id, "quota_exceeded")));
    let other = plan(&[], &changes);
    assert_eq!((other.writes.len(), codes(&other)), (4, vec![("e", "unknown_field")]), "With room.");
}

#[test]
fn a_change_that_is_too_large_keeps_what_was_stored_before_and_smaller_ones_fit() {
    let long = "x".repeat(100);
    let loaded = [stored("a", json!({"title": "A", "meta": {"text": long}}))];
    let changes = [
        put("b", json!({"title": long})),
        update("a", json!({"rank": 2})),
        update("a", json!({"title": long})),
        update("a", json!({"meta": null})),
        put("b", json!({"title": "B"})),
    ];
    let planned = plan_within(10, 40, &loaded, &changes);
    let expected = [r#"a {"title":"A","rank":2} Matches([Revision(7)])"#, r#"b {"title":"B"} None"#];
    assert_eq!(writes(&planned), expected);
    assert_eq!(codes(&planned), [("b", "quota_exceeded"), ("a", "quota_exceeded")]);
}

#[test]
fn an_item_that_was_not_created_is_not_created_in_parts() {
    let changes = [
        put("a", json!({"title": "A"})),
        put("b", json!({"title": "B"})),
        delete("a"),
        update("b", json!({"title": "Part"})),
        put("b", json!({"title": "Whole"})),
        update("b", json!({"rank": 1})),
    ];
    let planned = plan_within(1, 1_000, &[], &changes);
    assert_eq!(writes(&planned), [r#"b {"title":"Whole","rank":1} None"#]);
    assert_eq!(codes(&planned), ["b", "b"].map(|id| (id, "quota_exceeded")));

    // In an earlier portion of the message. A change with another reason does not keep others from creating the item.
    let quota = SyncReason::new("quota_exceeded", "The limit is reached.".into());
    let invalid = SyncReason::new("invalid_item", "It has no title.".into());
    let earlier = [(key("a"), Some(quota)), (key("b"), Some(invalid)), (key("c"), None)].into_iter().collect();
    let planner = Planner::new(Arc::new(schema()), owner(), Arc::new(earlier), None);
    let part = json!({"title": "Part"});
    let changes = ["a", "b", "c"].map(|id| update(id, part.clone()));
    let again = [delete("a"), update("a", part.clone())];
    let planned = planner.apply(&[], &changes).unwrap().apply(&[], &again).unwrap().finish();
    assert_eq!((planned.writes.len(), codes(&planned)), (3, vec![("a", "quota_exceeded")]));
}
