//! Tests of the replica, with the faults that a service and a network have.

use serde_json::{Value, json};

use super::*;

fn put(id: &str, fields: Value) -> Change {
    change(json!({"type": 1, "table": "notes", "key": id, "obj": fields}))
}

fn patch(id: &str, mods: Value) -> Change {
    change(json!({"type": 2, "table": "notes", "key": id, "mods": mods}))
}

fn delete(id: &str) -> Change {
    change(json!({"type": 3, "table": "notes", "key": id}))
}

fn change(value: Value) -> Change {
    serde_json::from_value(value).unwrap()
}

fn received(changes: Vec<Change>, revision: u64, is_loading: bool, is_last: bool) -> Received {
    Received { changes, revision, is_loading, is_last }
}

/// A replica that has loaded these items.
fn loaded(changes: Vec<Change>, revision: u64) -> Replica {
    let mut replica = Replica::default();
    replica.begin_load();
    replica.receive(received(changes, revision, true, true));
    replica
}

/// What the program sees.
fn seen(replica: &Replica) -> Value {
    json!(replica.items("notes"))
}

fn corrections(changed: &[Changed]) -> Vec<&str> {
    changed.iter().filter(|changed| changed.is_correction).map(|changed| changed.key.1.as_str()).collect()
}

#[test]
fn a_local_change_applies_at_once_and_stays_when_it_is_acknowledged() {
    let mut replica = loaded(vec![put("a", json!({"title": "x", "rank": 1}))], 3);
    replica.write(patch("a", json!({"rank": 2}))).unwrap();
    let expected = json!({"a": {"id": "a", "title": "x", "rank": 2}});
    assert_eq!(seen(&replica), expected);
    let portion = replica.portion().unwrap();
    assert_eq!((portion.changes.len(), portion.request_id, portion.base_revision), (1, 1, Some(3)));
    assert!(replica.portion().is_none(), "Only one portion is in flight.");
    assert!(replica.acknowledge(2).is_none(), "An acknowledgement of another message has no effect.");
    assert!(corrections(&replica.acknowledge(1).unwrap()).is_empty());
    assert_eq!((seen(&replica), replica.pending()), (expected, 0));
    assert!(replica.acknowledge(1).is_none(), "Nor has a repeated one.");
}

#[test]
fn changes_of_others_stay_below_pending_ones() {
    let mut replica = loaded(vec![put("a", json!({"title": "x"}))], 1);
    replica.write(patch("a", json!({"title": "mine"}))).unwrap();
    replica.receive(received(vec![put("a", json!({"title": "theirs", "done": true}))], 2, false, true));
    assert_eq!(seen(&replica), json!({"a": {"id": "a", "title": "mine", "done": true}}));
    replica.receive(received(vec![delete("a")], 3, false, true));
    assert_eq!(seen(&replica), json!({"a": {"id": "a", "title": "mine"}}), "A patch creates a missing item.");
}

#[test]
fn a_correction_replaces_what_the_service_did_not_store() {
    let mut replica = loaded(vec![], 1);
    replica.write(put("wrong", json!({"title": 1}))).unwrap();
    replica.write(put("right", json!({"title": "x", "rank": 1.0}))).unwrap();
    replica.write(put("later", json!({"title": "x"}))).unwrap();
    replica.portion().unwrap();
    // Made after the portion was sent, so the correction does not concern it.
    replica.write(put("later", json!({"title": "y"}))).unwrap();
    let corrected = vec![delete("wrong"), put("right", json!({"rank": 1, "title": "x"})), delete("later")];
    replica.receive(received(corrected, 1, false, true));
    assert_eq!(corrections(&replica.acknowledge(1).unwrap()), ["wrong", "later"]);
    let expected = json!({"right": {"id": "right", "rank": 1, "title": "x"}, "later": {"id": "later", "title": "y"}});
    assert_eq!(seen(&replica), expected);
    assert_eq!(replica.pending(), 1);
}

#[test]
fn a_lost_acknowledgement_leads_to_a_repetition_without_a_correction() {
    let mut replica = loaded(vec![], 1);
    replica.write(put("a", json!({"title": "x"}))).unwrap();
    replica.write(delete("b")).unwrap();
    assert_eq!(replica.portion().unwrap().request_id, 1);
    replica.begin_load();
    // The service had stored the changes, and sends the item back.
    replica.receive(received(vec![put("a", json!({"title": "x"}))], 2, true, true));
    let portion = replica.portion().unwrap();
    assert_eq!((portion.changes.len(), portion.request_id, portion.base_revision), (2, 1, Some(2)));
    assert!(corrections(&replica.acknowledge(1).unwrap()).is_empty());
    assert_eq!(seen(&replica), json!({"a": {"id": "a", "title": "x"}}));
}

#[test]
fn a_load_of_everything_deletes_what_the_service_does_not_have() {
    let mut replica = loaded(vec![put("a", json!({})), put("b", json!({}))], 7);
    replica.write(put("mine", json!({}))).unwrap();
    // After a restore, the service does not know revision 7, and sends everything. The first attempt is interrupted.
    replica.begin_load();
    replica.receive(received(vec![put("b", json!({}))], 0, true, false));
    assert_eq!(replica.revision, Some(7));
    replica.begin_load();
    replica.receive(received(vec![put("b", json!({"rank": 1}))], 0, true, false));
    let changed = replica.receive(received(vec![put("c", json!({}))], 3, true, true));
    let keys: Vec<&str> = changed.iter().map(|changed| changed.key.1.as_str()).collect();
    assert_eq!(keys, ["c", "a"]);
    let items: Vec<String> = replica.items("notes").into_keys().collect();
    assert_eq!((items, replica.revision), (vec!["b".into(), "c".into(), "mine".into()], Some(3)));
    // The same, when the new history is already longer.
    replica.begin_load();
    replica.receive(received(vec![put("c", json!({}))], 0, true, false));
    replica.receive(received(vec![], 9, true, true));
    let items: Vec<String> = replica.items("notes").into_keys().collect();
    assert_eq!((items, replica.revision), (vec!["c".into(), "mine".into()], Some(9)));
}

#[test]
fn a_load_of_what_is_missing_deletes_nothing_else() {
    let mut replica = loaded(vec![put("a", json!({})), put("b", json!({}))], 7);
    replica.begin_load();
    replica.receive(received(vec![put("c", json!({}))], 7, true, false));
    replica.receive(received(vec![delete("b")], 9, true, true));
    assert_eq!(seen(&replica), json!({"a": {"id": "a"}, "c": {"id": "c"}}));
    // A delivery that repeats an older revision is not a load.
    replica.receive(received(vec![put("d", json!({}))], 8, false, true));
    assert_eq!(replica.items("notes").len(), 3);
}

#[test]
fn portions_have_a_maximum_of_changes_and_bytes() {
    let mut replica = loaded(vec![], 1);
    for index in 0..1_200 {
        replica.write(put(&format!("{index}"), json!({"rank": index}))).unwrap();
    }
    let mut sizes = Vec::new();
    while let Some(portion) = replica.portion() {
        sizes.push(portion.changes.len());
        replica.acknowledge(portion.request_id).unwrap();
    }
    assert_eq!((sizes, replica.items("notes").len()), (vec![500, 500, 200], 1_200));
    for id in ["a", "b", "c"] {
        replica.write(put(id, json!({"title": "x".repeat(200_000)}))).unwrap();
    }
    assert_eq!(replica.portion().unwrap().changes.len(), 1, "A change that is too large for others is sent alone.");
}

#[test]
fn pending_changes_are_bounded() {
    let mut replica = Replica::default();
    for index in 0..MAX_PENDING {
        replica.write(delete(&index.to_string())).unwrap();
    }
    assert!(matches!(replica.write(delete("x")), Err(LiveError::TooManyPending)));
    let portion = replica.portion().unwrap();
    replica.acknowledge(portion.request_id).unwrap();
    replica.write(delete("x")).unwrap();
}

#[test]
fn a_state_continues_with_pending_changes_and_their_numbers() {
    let mut replica = loaded(vec![put("a", json!({"title": "x"}))], 5);
    replica.device = Some("phone".into());
    replica.write(delete("gone")).unwrap();
    let portion = replica.portion().unwrap();
    replica.acknowledge(portion.request_id).unwrap();
    replica.write(patch("a", json!({"done": true}))).unwrap();
    replica.write(put("b", json!({}))).unwrap();
    let text = serde_json::to_string(&replica.state()).unwrap();
    let mut restored = Replica::restore(serde_json::from_str(&text).unwrap());
    assert_eq!((restored.device.as_deref(), restored.revision), (Some("phone"), Some(5)));
    assert_eq!(seen(&restored), json!({"a": {"id": "a", "title": "x", "done": true}, "b": {"id": "b"}}));
    restored.begin_load();
    let portion = restored.portion().unwrap();
    assert_eq!((portion.changes.len(), portion.request_id), (2, 2));
    restored.acknowledge(2).unwrap();
    assert_eq!((restored.pending(), seen(&restored)), (0, seen(&replica)));
}

#[test]
fn a_state_of_something_else_is_refused() {
    let state = |pending: Value, sequence: u64| {
        let items = json!({"notes": {"a": {"id": "a"}}});
        json!({"device": null, "revision": 3, "items": items, "pending": pending, "sequence": sequence})
    };
    let change = json!({"type": 3, "table": "notes", "key": "a"});
    assert!(serde_json::from_value::<LiveState>(state(json!([change]), 1)).is_ok());
    let too_many = json!(vec![change.clone(); MAX_PENDING + 1]);
    for invalid in [json!({}), state(json!([change]), 0), state(json!([{"type": 9}]), 1), state(too_many, 1 << 40)] {
        assert!(serde_json::from_value::<LiveState>(invalid).is_err());
    }
}
