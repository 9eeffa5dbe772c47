//! What is sent, waits and is taken back together.

use serde_json::{Value, json};

use super::super::change::{Change, LiveReason};
use super::super::error::LiveError;
use super::super::replica::{Received, Replica};

fn put(id: &str, group: Option<&str>) -> Change {
    change(json!({"type": 1, "table": "notes", "key": id, "obj": {"title": "x"}, "atomic": group}))
}

fn patch(id: &str, rank: u8, group: Option<&str>) -> Change {
    change(json!({"type": 2, "table": "notes", "key": id, "mods": {"rank": rank}, "atomic": group}))
}

fn change(value: Value) -> Change {
    serde_json::from_value(value).unwrap()
}

/// The service sends a change, with a reason if it did not store one of this device.
fn receive(replica: &mut Replica, change: Change, code: Option<&str>) {
    let reason = code.map(|code| LiveReason { code: code.into(), message: "No.".into() });
    let changes = vec![Change { reason, ..change }];
    replica.receive(Received { changes, current_revision: 2, partial: false, complete: None });
}

fn delete(id: &str) -> Change {
    change(json!({"type": 3, "table": "notes", "key": id}))
}

/// A replica of a device that has loaded these items.
fn loaded(ids: &[&str]) -> Replica {
    let mut replica = Replica::default();
    assert!(replica.learn_atomic(true).is_empty());
    replica.begin_load();
    let changes = ids.iter().map(|id| put(id, None)).collect();
    replica.receive(Received { changes, current_revision: 1, partial: false, complete: None });
    replica
}

/// The IDs of what is sent next, and whether together. The service stores it.
fn sent(replica: &mut Replica) -> Option<(String, bool)> {
    let (request_id, changes, is_together) = replica.portion()?;
    assert!(changes.iter().all(|change| change.group.is_none()));
    replica.acknowledge(request_id).unwrap();
    Some((changes.iter().map(|change| change.key.1.as_str()).collect::<Vec<_>>().join(" "), is_together))
}

fn all_sent(replica: &mut Replica) -> Vec<(String, bool)> {
    std::iter::from_fn(|| sent(replica)).collect()
}

fn expected(sent: &[(&str, bool)]) -> Vec<(String, bool)> {
    sent.iter().map(|(ids, is_together)| ((*ids).to_owned(), *is_together)).collect()
}

#[test]
fn a_message_has_what_belongs_together_and_nothing_else() {
    let mut replica = loaded(&[]);
    replica.write(vec![put("first", None)]).unwrap();
    replica.write(vec![put("a", Some("1")), put("b", Some("1"))]).unwrap();
    replica.write(vec![put("c", Some("2"))]).unwrap();
    replica.write(vec![put("last", None)]).unwrap();
    // Also after the program ended.
    let mut restored = Replica::restore(replica.state());
    for replica in [&mut replica, &mut restored] {
        let order = [("first", false), ("a b", true), ("c", true), ("last", false)];
        assert_eq!(all_sent(replica), expected(&order));
    }
}

#[test]
fn if_one_is_refused_all_are_taken_back_with_one_reason() {
    let mut replica = loaded(&["a"]);
    replica.write(vec![patch("a", 1, Some("1")), put("b", Some("1"))]).unwrap();
    // A change by another device is no refusal.
    let (request_id, ..) = replica.portion().unwrap();
    receive(&mut replica, patch("a", 7, None), None);
    assert!(replica.acknowledge(request_id).unwrap().iter().all(|changed| !changed.is_correction));
    replica.write(vec![patch("a", 2, Some("2")), put("c", Some("2"))]).unwrap();
    let (request_id, ..) = replica.portion().unwrap();
    receive(&mut replica, put("a", None), Some("quota_exceeded"));
    receive(&mut replica, put("a", None), None);
    let changed = replica.acknowledge(request_id).unwrap();
    let codes: Vec<_> =
        changed.iter().map(|changed| (changed.is_correction, changed.reason.clone().unwrap().code)).collect();
    assert_eq!(codes, [(true, "quota_exceeded".into()), (true, "quota_exceeded".into())]);
    assert_eq!((replica.pending(), replica.items("notes").len(), replica.outbox.held.len()), (0, 2, 0));
}

#[test]
fn a_service_of_an_earlier_version_never_gets_a_part() {
    let mut replica = loaded(&[]);
    replica.write(vec![put("a", Some("1")), put("b", Some("1"))]).unwrap();
    replica.write(vec![put("c", None)]).unwrap();
    assert!(replica.portion().is_some(), "It is in flight when the connection ends.");
    let changed = replica.learn_atomic(false);
    assert!(changed.iter().all(|changed| changed.reason.as_ref().is_some_and(|reason| reason.code == "not_supported")));
    replica.begin_load();
    assert_eq!(all_sent(&mut replica), expected(&[("c", false)]));
    let refused = replica.write(vec![put("a", Some("2"))]);
    assert!(matches!(refused, Err(LiveError::Refused(reason)) if reason.code == "not_supported"));
}

#[test]
fn what_is_too_much_or_not_valid_is_refused_as_a_whole() {
    let mut replica = loaded(&[]);
    let many = |count: usize, title: &str| {
        let one = |id| {
            change(json!({"type": 1, "table": "notes", "key": format!("{id}"), "obj": {"title": title}, "atomic": "1"}))
        };
        (0..count).map(one).collect::<Vec<_>>()
    };
    let invalid = vec![put("a", Some("1")), put("b/c", Some("1"))];
    for (changes, code) in [
        (many(1_001, "x"), "message_too_long"),
        (many(5, &"x".repeat(220_000)), "message_too_long"),
        (invalid, "invalid_key"),
    ] {
        assert!(matches!(replica.write(changes), Err(LiveError::Refused(reason)) if reason.code == code));
    }
    assert_eq!((replica.pending(), replica.items("notes").len()), (0, 0));
    replica.write(many(1_000, "x")).unwrap();
    assert_eq!(replica.portion().unwrap().1.len(), 1_000);
}

/// A replica on which changes wait behind one of `b` that is over quota.
fn held_behind() -> Replica {
    let mut replica = loaded(&["a", "c"]);
    replica.write(vec![put("b", None)]).unwrap();
    replica.portion().unwrap();
    receive(&mut replica, delete("b"), Some("quota_exceeded"));
    replica.acknowledge(1).unwrap();
    replica.write(vec![patch("b", 1, Some("1")), patch("a", 1, Some("1"))]).unwrap();
    // It waits behind the first ones, and the last one behind it.
    replica.write(vec![patch("a", 2, Some("2")), patch("c", 2, Some("2"))]).unwrap();
    replica.write(vec![patch("c", 3, None)]).unwrap();
    replica
}

#[test]
fn what_follows_a_change_that_waits_for_room_waits_so_that_an_older_value_does_not_win() {
    let mut replica = held_behind();
    assert!(sent(&mut replica).is_none());
    assert!(replica.outbox.waits().is_some_and(|reason| reason.code == "quota_exceeded"));
    assert_eq!(replica.outbox.held.keys().map(|key| key.1.as_str()).collect::<String>(), "abc");
    replica.release();
    let order = [("b", false), ("b a", true), ("a c", true), ("c", false)];
    assert_eq!(all_sent(&mut replica), expected(&order));
    assert_eq!(replica.items("notes")["c"]["rank"], 3);
}

#[test]
fn giving_up_what_waits_gives_up_what_belongs_to_it() {
    let mut replica = held_behind();
    replica.discard(&("notes".into(), "b".into()));
    assert_eq!(all_sent(&mut replica), expected(&[("a c", true), ("c", false)]));
    assert!(replica.item(&("notes".into(), "b".into())).is_none());
    // A change of the whole item takes the place of what waits, and what belongs to others is sent.
    let mut replica = held_behind();
    replica.write(vec![put("b", None)]).unwrap();
    assert_eq!(all_sent(&mut replica), expected(&[("b a", true), ("a c", true), ("c b", false)]));
}
