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

/// A part of a load, or a delivery.
fn received(changes: Vec<Change>, revision: u64, is_last: bool) -> Received {
    Received { changes, current_revision: revision, partial: !is_last, complete: None }
}

/// A part of a load of everything.
fn part(changes: Vec<Change>, revision: u64, is_complete: bool) -> Received {
    Received { complete: Some(is_complete), ..received(changes, revision, is_complete) }
}

/// The service did not store a change of an item, and sends it as it is.
fn refuse(replica: &mut Replica, answer: Change, code: &str) {
    let reason = Some(LiveReason { code: code.into(), message: "No.".into() });
    let changes = vec![Change { reason, ..answer }];
    replica.receive(received(changes, 2, true));
}

/// The IDs of the items of which changes are sent next, and the ID of the portion.
fn sent(replica: &mut Replica) -> Option<(Vec<String>, u64)> {
    let (request_id, changes, _) = replica.portion()?;
    Some((changes.into_iter().map(|change| change.key.1).collect(), request_id))
}

fn waiting(replica: &Replica) -> Vec<&str> {
    replica.outbox.held.keys().map(|key| key.1.as_str()).collect()
}

/// A replica that has loaded these items.
fn loaded(changes: Vec<Change>, revision: u64) -> Replica {
    let mut replica = Replica::default();
    replica.begin_load();
    replica.receive(received(changes, revision, true));
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
    replica.write(vec![patch("a", json!({"rank": 2}))]).unwrap();
    let expected = json!({"a": {"id": "a", "title": "x", "rank": 2}});
    assert_eq!(seen(&replica), expected);
    let portion = replica.portion().unwrap();
    assert_eq!((portion.1.len(), portion.0, replica.revision), (1, 1, Some(3)));
    assert!(replica.portion().is_none(), "Only one portion is in flight.");
    assert!(replica.acknowledge(2).is_none(), "An acknowledgement of another message has no effect.");
    assert!(corrections(&replica.acknowledge(1).unwrap()).is_empty());
    assert_eq!((seen(&replica), replica.pending()), (expected, 0));
    assert!(replica.acknowledge(1).is_none(), "Nor has a repeated one.");
}

#[test]
fn changes_of_others_stay_below_pending_ones() {
    let mut replica = loaded(vec![put("a", json!({"title": "x"}))], 1);
    replica.write(vec![patch("a", json!({"title": "mine"}))]).unwrap();
    replica.receive(received(vec![put("a", json!({"title": "theirs", "done": true}))], 2, true));
    assert_eq!(seen(&replica), json!({"a": {"id": "a", "title": "mine", "done": true}}));
    replica.receive(received(vec![delete("a")], 3, true));
    assert_eq!(seen(&replica), json!({"a": {"id": "a", "title": "mine"}}), "A patch creates a missing item.");
}

#[test]
fn a_correction_replaces_what_the_service_did_not_store() {
    let mut replica = loaded(vec![], 1);
    replica.write(vec![put("wrong", json!({"title": 1}))]).unwrap();
    replica.write(vec![put("right", json!({"title": "x", "rank": 1.0}))]).unwrap();
    replica.write(vec![put("later", json!({"title": "x"}))]).unwrap();
    replica.portion().unwrap();
    // Made after the portion was sent, so the correction does not concern it.
    replica.write(vec![put("later", json!({"title": "y"}))]).unwrap();
    let corrected = vec![delete("wrong"), put("right", json!({"rank": 1, "title": "x"})), delete("later")];
    replica.receive(received(corrected, 1, true));
    assert_eq!(corrections(&replica.acknowledge(1).unwrap()), ["wrong", "later"]);
    let expected = json!({"right": {"id": "right", "rank": 1, "title": "x"}, "later": {"id": "later", "title": "y"}});
    assert_eq!(seen(&replica), expected);
    assert_eq!(replica.pending(), 1);
}

#[test]
fn a_lost_acknowledgement_leads_to_a_repetition_without_a_correction() {
    let mut replica = loaded(vec![], 1);
    replica.write(vec![put("a", json!({"title": "x"}))]).unwrap();
    replica.write(vec![delete("b")]).unwrap();
    assert_eq!(replica.portion().unwrap().0, 1);
    replica.begin_load();
    // The service had stored the changes, and sends the item back.
    replica.receive(received(vec![put("a", json!({"title": "x"}))], 2, true));
    let portion = replica.portion().unwrap();
    assert_eq!((portion.1.len(), portion.0, replica.revision), (2, 1, Some(2)));
    assert!(corrections(&replica.acknowledge(1).unwrap()).is_empty());
    assert_eq!(seen(&replica), json!({"a": {"id": "a", "title": "x"}}));
}

#[test]
fn a_load_of_everything_deletes_what_the_service_does_not_have() {
    let mut replica = loaded(vec![put("a", json!({})), put("b", json!({}))], 7);
    replica.write(vec![put("mine", json!({}))]).unwrap();
    // After a restore, the service does not know revision 7, and sends everything. The first attempt is interrupted.
    replica.begin_load();
    replica.receive(part(vec![put("a", json!({}))], 0, false));
    assert_eq!(replica.revision, Some(7));
    replica.begin_load();
    replica.receive(part(vec![put("b", json!({"rank": 1}))], 0, false));
    let changed = replica.receive(part(vec![put("c", json!({}))], 3, true));
    let keys: Vec<&str> = changed.iter().map(|changed| changed.key.1.as_str()).collect();
    assert_eq!(keys, ["c", "a"]);
    let items: Vec<String> = replica.items("notes").into_keys().collect();
    assert_eq!((items, replica.revision), (vec!["b".into(), "c".into(), "mine".into()], Some(3)));
    // The same on an open connection, when the new history is already longer.
    replica.receive(part(vec![put("c", json!({}))], 0, false));
    assert_eq!(replica.revision, Some(3));
    replica.receive(part(vec![], 9, true));
    let items: Vec<String> = replica.items("notes").into_keys().collect();
    assert_eq!((items, replica.revision), (vec!["c".into(), "mine".into()], Some(9)));
}

#[test]
fn a_load_of_what_is_missing_deletes_nothing_else() {
    let mut replica = loaded(vec![put("a", json!({})), put("b", json!({}))], 7);
    replica.begin_load();
    replica.receive(received(vec![put("c", json!({}))], 7, false));
    replica.receive(received(vec![delete("b")], 9, true));
    assert_eq!(seen(&replica), json!({"a": {"id": "a"}, "c": {"id": "c"}}));
    // A delivery that repeats an older revision is not a load.
    replica.receive(received(vec![put("d", json!({}))], 8, true));
    assert_eq!(replica.items("notes").len(), 3);
}

#[test]
fn a_correction_has_the_reason_of_the_service() {
    let mut replica = loaded(vec![], 1);
    replica.write(vec![put("a", json!({"title": "x"}))]).unwrap();
    replica.portion().unwrap();
    refuse(&mut replica, delete("a"), "unknown_table");
    let changed = replica.acknowledge(1).unwrap().remove(0);
    assert_eq!((changed.is_correction, changed.reason.unwrap().code.as_str()), (true, "unknown_table"));
    assert_eq!(replica.pending(), 0);
}

#[test]
fn changes_over_quota_wait_for_a_deletion_and_can_be_given_up() {
    let mut replica = loaded(vec![put("old", json!({}))], 1);
    for id in ["a", "b", "c"] {
        replica.write(vec![put(id, json!({"title": id}))]).unwrap();
    }
    replica.portion().unwrap();
    refuse(&mut replica, delete("b"), "quota_exceeded");
    refuse(&mut replica, delete("c"), "quota_exceeded");
    let changed = replica.acknowledge(1).unwrap();
    let reasons: Vec<_> = changed.iter().map(|changed| (changed.is_correction, changed.reason.is_some())).collect();
    assert_eq!(reasons, [(false, false), (false, true), (false, true)]);
    assert_eq!((waiting(&replica), replica.pending(), replica.items("notes").len()), (vec!["b", "c"], 2, 4));
    assert!(replica.outbox.waits().is_some());
    // A change of one waits, too: alone, it would create a part of it. Others do not.
    replica.write(vec![patch("b", json!({"rank": 1}))]).unwrap();
    assert!(sent(&mut replica).is_none());
    replica.write(vec![patch("a", json!({"rank": 1}))]).unwrap();
    assert!(replica.outbox.waits().is_none());
    assert_eq!(sent(&mut replica), Some((vec!["a".into()], 5)));
    replica.acknowledge(5).unwrap();
    assert!(replica.retry_at().unwrap() <= Instant::now() + Duration::from_mins(15));
    replica.discard(&("notes".into(), "c".into()));
    assert_eq!(
        (waiting(&replica), replica.pending(), replica.item(&("notes".into(), "c".into()))),
        (vec!["b"], 2, None)
    );
    // The deletion arrives from elsewhere.
    replica.receive(received(vec![delete("old")], 3, true));
    assert_eq!(sent(&mut replica), Some((vec!["b".into(), "b".into()], 2)));
    assert!(corrections(&replica.acknowledge(2).unwrap()).is_empty());
    assert_eq!((replica.pending(), replica.retry_at()), (0, None));
}

#[test]
fn a_replacement_or_deletion_takes_the_place_of_what_waits() {
    for (change, is_late) in [(put("a", json!({"title": "s"})), false), (delete("a"), false), (delete("a"), true)] {
        let mut replica = loaded(vec![], 1);
        replica.write(vec![put("a", json!({"title": "long"}))]).unwrap();
        replica.portion().unwrap();
        if is_late {
            replica.write(vec![change.clone()]).unwrap();
        }
        refuse(&mut replica, delete("a"), "quota_exceeded");
        replica.acknowledge(1).unwrap();
        if !is_late {
            replica.write(vec![change.clone()]).unwrap();
        }
        assert_eq!((waiting(&replica).len(), replica.pending()), (0, 1));
        assert_eq!(sent(&mut replica), Some((vec!["a".into()], 2)));
    }
}

#[test]
fn only_what_follows_the_last_stored_change_is_kept() {
    let title = |title: &str| put("a", json!({"title": title}));
    for (stored, kept, corrected) in [("first", 1, 0), ("last", 0, 2)] {
        let mut replica = loaded(vec![], 1);
        for text in ["first", "too long"] {
            replica.write(vec![title(text)]).unwrap();
        }
        if stored == "last" {
            replica.write(vec![title("last")]).unwrap();
        }
        replica.portion().unwrap();
        refuse(&mut replica, title(stored), "quota_exceeded");
        let changed = replica.acknowledge(1).unwrap();
        assert_eq!((replica.pending(), corrections(&changed).len()), (kept, usize::from(corrected > 0)));
    }
}

#[test]
fn a_deletion_that_arrives_before_the_answer_makes_room() {
    let mut replica = loaded(vec![put("old", json!({}))], 1);
    replica.write(vec![put("a", json!({}))]).unwrap();
    replica.portion().unwrap();
    replica.receive(received(vec![delete("old")], 2, true));
    for is_last in [false, true] {
        refuse(&mut replica, delete("a"), "quota_exceeded");
        replica.acknowledge(1).unwrap();
        assert_eq!(sent(&mut replica).is_none(), is_last);
    }
    assert_eq!((waiting(&replica), replica.pending()), (vec!["a"], 1));
}

#[test]
fn a_portion_is_sent_again_as_it_was() {
    let mut replica = loaded(vec![], 1);
    replica.write(vec![put("a", json!({}))]).unwrap();
    replica.portion().unwrap();
    replica.write(vec![put("b", json!({}))]).unwrap();
    // The response is lost. The service recognizes the portion, and repeats the reason.
    replica.begin_load();
    replica.receive(received(vec![delete("a")], 1, true));
    assert_eq!(sent(&mut replica), Some((vec!["a".into()], 1)));
    refuse(&mut replica, delete("a"), "quota_exceeded");
    assert!(corrections(&replica.acknowledge(1).unwrap()).is_empty());
    // There may be room by now.
    assert_eq!((waiting(&replica), replica.pending()), (Vec::new(), 2));
    assert_eq!(sent(&mut replica), Some((vec!["a".into(), "b".into()], 1)));
    refuse(&mut replica, delete("a"), "quota_exceeded");
    replica.acknowledge(1).unwrap();
    assert_eq!((waiting(&replica), replica.pending()), (vec!["a"], 1));
}

#[test]
fn portions_have_a_maximum_of_changes_and_bytes() {
    let mut replica = loaded(vec![], 1);
    for index in 0..1_200 {
        replica.write(vec![put(&format!("{index}"), json!({"rank": index}))]).unwrap();
    }
    let mut sizes = Vec::new();
    while let Some(portion) = replica.portion() {
        sizes.push(portion.1.len());
        replica.acknowledge(portion.0).unwrap();
    }
    assert_eq!((sizes, replica.items("notes").len()), (vec![500, 500, 200], 1_200));
    for id in ["a", "b", "c"] {
        replica.write(vec![put(id, json!({"title": "x".repeat(200_000)}))]).unwrap();
    }
    assert_eq!(replica.portion().unwrap().1.len(), 1, "A change that is too large for others is sent alone.");
}

#[test]
fn pending_changes_are_bounded() {
    let mut replica = Replica::default();
    for index in 0..MAX_PENDING {
        replica.write(vec![delete(&index.to_string())]).unwrap();
    }
    assert!(matches!(replica.write(vec![delete("x")]), Err(LiveError::TooManyPending)));
    let portion = replica.portion().unwrap();
    replica.acknowledge(portion.0).unwrap();
    replica.write(vec![delete("x")]).unwrap();
}

#[test]
fn a_state_continues_with_pending_changes_and_their_numbers() {
    let mut replica = loaded(vec![put("a", json!({"title": "x"}))], 5);
    replica.device = Some("phone".into());
    replica.write(vec![delete("gone")]).unwrap();
    let portion = replica.portion().unwrap();
    replica.acknowledge(portion.0).unwrap();
    replica.write(vec![patch("a", json!({"done": true}))]).unwrap();
    replica.write(vec![put("b", json!({}))]).unwrap();
    let text = serde_json::to_string(&replica.state()).unwrap();
    let mut restored = Replica::restore(serde_json::from_str(&text).unwrap());
    assert_eq!((restored.device.as_deref(), restored.revision), (Some("phone"), Some(5)));
    assert_eq!(seen(&restored), json!({"a": {"id": "a", "title": "x", "done": true}, "b": {"id": "b"}}));
    restored.begin_load();
    let portion = restored.portion().unwrap();
    assert_eq!((portion.1.len(), portion.0), (2, 2));
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
