//! Rules of the synchronization of items with devices.

use std::time::Duration;

use chrono::TimeDelta;
use serde_json::json;
use steward_domain::data::{ChangedUsers, ItemKey, SyncKey, SyncReceipt, SyncRejection, SyncSpan};
use steward_domain::identity::Expiring;
use steward_domain::kernel::changes::Changes;
use steward_domain::kernel::{AccessBasis, AccessEpoch, PageRequest, PageSize, Precondition, ProjectId, ProjectUserId};
use steward_domain::mocks::instant;
use tokio::time::timeout;

use crate::fixture::{Fixture, TestStore, account, change, change_with_basis, id, insert, later, user};
use crate::timing::wait_until;

fn owner(world: &Fixture) -> (ProjectId, ProjectUserId) {
    (world.project.id, world.user.id)
}

/// Waits until every change so far is settled, which depends on other transactions on the server. Returns the position.
async fn settled(store: &TestStore, at_least: i64) -> i64 {
    let mut position = 0;
    wait_until("The changes were not settled.", async || {
        position = store.settled_position().await.unwrap();
        position >= at_least
    })
    .await;
    position
}

fn receipt(world: &Fixture, slot: i64, digest: &str) -> SyncReceipt {
    let (project_id, user_id) = owner(world);
    SyncReceipt { project_id, user_id, slot, digest: digest.into() }
}

/// Commits a change with a receipt. Returns the positions of its item changes.
async fn commit(store: &TestStore, world: &Fixture, changes: Changes) -> (i64, i64) {
    store.commit(changes.record_receipt(receipt(world, 0, "d"))).await.unwrap().positions.unwrap()
}

async fn put(store: &TestStore, world: &Fixture, name: &str) -> i64 {
    commit(store, world, change().put(world.item(name, json!({"a": name})), Precondition::None)).await.1
}

async fn changed(store: &TestStore, world: &Fixture, after: i64, through: i64) -> Vec<String> {
    let (span, basis) = (SyncSpan { after, through }, AccessBasis::default());
    let found = store.items_changed(owner(world), span, None, PageSize::MAX, &basis).await.unwrap();
    found.items.iter().map(|stored| stored.item.id.as_str().to_owned()).collect()
}

async fn deleted(store: &TestStore, world: &Fixture, after: i64, through: i64) -> Vec<String> {
    let (span, basis) = (SyncSpan { after, through }, AccessBasis::default());
    let found = store.items_deleted(owner(world), span, None, 1_000, &basis).await.unwrap();
    found.iter().map(|(_, key)| key.id.as_str().to_owned()).collect()
}

pub async fn settled_changes_are_read_in_order_with_the_positions_of_their_commits(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let start = store.settled_position().await.unwrap();
    let empty = change();
    let several = ["a", "b", "c"]
        .iter()
        .fold(empty, |changes, name| changes.put(world.item(name, json!({})), Precondition::None));
    let first = commit(&store, &world, several).await;
    let second = commit(&store, &other, change().put(other.item("x", json!({})), Precondition::None)).await;
    assert!(first.0 > start && first.0 <= first.1 && first.1 < second.0, "{start} {first:?} {second:?}");
    settled(&store, second.0).await;

    let found = store.settled_changes(start, instant(), 100).await.unwrap();
    let read: Vec<(ProjectId, &str)> = found.changes.iter().map(|c| (c.project_id, c.key.id.as_str())).collect();
    let (mine, others) = (world.project.id, other.project.id);
    assert_eq!(read, [(mine, "a"), (mine, "b"), (mine, "c"), (others, "x")]);
    let positions: Vec<i64> = found.changes.iter().map(|change| change.position).collect();
    assert!(positions.is_sorted() && positions[..3].iter().all(|position| (first.0..=first.1).contains(position)));
    assert!((second.0..=second.1).contains(&positions[3]) && found.through >= positions[3]);
    assert!(found.started >= found.through, "{found:?}");

    let part = store.settled_changes(start, instant(), 2).await.unwrap();
    assert_eq!((part.changes.len(), part.through), (2, positions[1]));
    let rest = store.settled_changes(part.through, instant(), 100).await.unwrap();
    assert_eq!(rest.changes, found.changes[2..]);
    assert!(store.settled_changes(rest.through, instant(), 100).await.unwrap().changes.is_empty());
}

pub async fn a_committed_change_is_reported_with_its_user_and_one_that_fails_is_not(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let user = world.user.id;
    // The first reports may name any user.
    let mut reported = ChangedUsers::Any;
    for number in 0..5 {
        let fails = change().put(other.item("x", json!({})), Precondition::Exists);
        store.commit(fails).await.unwrap_err();
        commit(&store, &world, change().put(world.item("a", json!({"n": number})), Precondition::None)).await;
        reported = timeout(Duration::from_secs(60), store.changed_users()).await.unwrap();
        if reported != ChangedUsers::Any {
            break;
        }
    }
    assert_eq!(reported, [user].into_iter().collect());
}

pub async fn a_device_gets_each_item_that_changed_after_its_position_once(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let first = put(&store, &world, "a").await;
    let second = put(&store, &world, "b").await;
    let third = put(&store, &world, "a").await;
    let all = third;
    assert_eq!(changed(&store, &world, 0, all).await, ["a", "b"]);
    assert_eq!(changed(&store, &world, first, all).await, ["a", "b"]);
    assert_eq!(changed(&store, &world, second, all).await, ["a"]);
    assert_eq!(changed(&store, &world, 0, second).await, ["b"], "A later change is not part of the span.");
    assert_eq!(changed(&store, &world, third, all).await, [""; 0]);

    let (span, size) = (SyncSpan { after: 0, through: all }, PageSize { rows: 1, ..PageSize::MAX });
    let page = store.items_changed(owner(&world), span, None, size, &AccessBasis::default()).await.unwrap();
    let last = &page.items[0].item;
    let after = Some(ItemKey { table: last.table.clone(), id: last.id.clone() });
    assert_eq!(page.next, after);
    let page = store.items_changed(owner(&world), span, after, size, &AccessBasis::default()).await.unwrap();
    assert_eq!((page.items[0].item.id.as_str(), page.next), ("b", None));
}

pub async fn a_device_that_lacks_little_reads_many_items_in_parts(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let mut last = 0;
    for number in 10..60 {
        last = put(&store, &world, &format!("n{number}")).await;
    }
    let changed = [put(&store, &world, "n20").await, put(&store, &world, "n59").await];
    let (span, size) = (SyncSpan { after: last, through: changed[1] }, PageSize { rows: 2, ..PageSize::MAX });
    let (mut after, mut parts) = (None, Vec::new());
    loop {
        let part = store.items_changed(owner(&world), span, after, size, &AccessBasis::default()).await.unwrap();
        parts.push(part.items.iter().map(|stored| stored.item.id.as_str().to_owned()).collect::<Vec<_>>());
        let Some(next) = part.next else { break };
        after = Some(next);
    }
    assert!(parts.len() > 2, "All items are read at once: {parts:?}");
    assert_eq!(parts.concat(), ["n20", "n59"]);
}

pub async fn deleted_and_erased_items_are_found_until_they_exist_again(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    for name in ["a", "b", "c", "d"] {
        put(&store, &world, name).await;
    }
    let before = put(&store, &world, "e").await;
    let removed = commit(&store, &world, change().remove_item(world.place("a"), Precondition::None)).await;
    assert_eq!(deleted(&store, &world, before, removed.1).await, ["a"]);
    assert_eq!(deleted(&store, &world, removed.1, i64::MAX).await, [""; 0]);
    store.commit(change().erase_items(world.project.id, world.user.id, 100)).await.unwrap();
    let mut found = deleted(&store, &world, before, i64::MAX).await;
    found.sort();
    assert_eq!(found, ["a", "b", "c", "d", "e"]);
    put(&store, &world, "a").await;
    assert_eq!(deleted(&store, &world, before, i64::MAX).await.len(), 4);

    let span = SyncSpan { after: before, through: i64::MAX };
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let found = store.items_deleted(owner(&world), span, after, 1, &AccessBasis::default()).await.unwrap();
        after = found.last().cloned();
        if after.is_none() {
            break;
        }
        all.extend(found);
    }
    assert_eq!(all.len(), 4);
}

pub async fn a_device_gets_only_items_of_its_user_and_nothing_on_a_stale_basis(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    put(&store, &world, "a").await;
    commit(&store, &world, change().remove_item(world.place("a"), Precondition::None)).await;
    put(&store, &world, "b").await;
    let another = account("ann");
    let other = user(&world.project, &another);
    insert(&store, [another.into(), other.clone().into()]).await;
    let span = SyncSpan { after: 0, through: i64::MAX };
    let stale = AccessBasis { project: Some((world.project.id, AccessEpoch(9))), ..AccessBasis::default() };
    let current = AccessBasis { project: Some((world.project.id, AccessEpoch(0))), ..AccessBasis::default() };
    for (of, basis, expected) in [(world.user.id, current, 1), (world.user.id, stale, 0), (other.id, current, 0)] {
        let of = (world.project.id, of);
        let changed = store.items_changed(of, span, None, PageSize::MAX, &basis).await.unwrap();
        let deleted = store.items_deleted(of, span, None, 10, &basis).await.unwrap();
        assert_eq!((changed.items.len(), deleted.len()), (expected, expected));
    }
    let by_key = AccessBasis { signed_by: Some(id().into()), ..AccessBasis::default() };
    let by_account = AccessBasis { account: Some((world.owner.id, AccessEpoch(9))), ..AccessBasis::default() };
    let bases = [current, stale, by_key, by_account, AccessBasis::default()];
    assert_eq!(store.are_current(&bases).await.unwrap(), [true, false, false, false, true]);
    for (basis, is_current) in bases.iter().zip([true, false, false, false, true]) {
        assert_eq!(store.is_current(basis).await.unwrap(), is_current);
    }
}

pub async fn a_receipt_is_stored_with_its_change_or_not_at_all(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let found = async |slot| store.receipt(owner(&world), slot).await.unwrap();
    assert_eq!(found(1).await, None);
    let changes = change().put(world.item("a", json!({})), Precondition::None);
    store.commit(changes.record_receipt(receipt(&world, 1, "first"))).await.unwrap();
    let stale = AccessBasis { project: Some((world.project.id, AccessEpoch(9))), ..AccessBasis::default() };
    let refused = change_with_basis(stale).put(world.item("a", json!({})), Precondition::None);
    assert!(store.commit(refused.record_receipt(receipt(&world, 1, "refused"))).await.is_err());
    assert_eq!((found(1).await.as_deref(), found(2).await), (Some("first"), None));
    let changes = change().put(world.item("a", json!({})), Precondition::None);
    store.commit(changes.record_receipt(receipt(&world, 1, "second"))).await.unwrap();
    assert_eq!(found(1).await.as_deref(), Some("second"));
}

pub async fn the_newest_rejections_of_a_project_are_kept(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let rejection = |world: &Fixture, number: i64| SyncRejection {
        id: id().into(),
        project_id: world.project.id,
        user_id: world.user.id,
        at: later(number),
        device: "phone".into(),
        key: SyncKey { table: "notes".into(), id: number.to_string() },
        code: "invalid_item".into(),
        message: "Field rank should be type number, got string".into(),
    };
    store.record_rejections(&[], 3).await.unwrap();
    store.record_rejections(&[rejection(&other, 1)], 3).await.unwrap();
    let all: Vec<SyncRejection> = (1..=5).map(|number| rejection(&world, number)).collect();
    store.record_rejections(&all[..2], 3).await.unwrap();
    store.record_rejections(&all[2..], 3).await.unwrap();
    let page = PageRequest { limit: Some(2), ..PageRequest::FIRST };
    let first = store.rejections(world.project.id, &page).await.unwrap();
    assert_eq!(first.items, [all[4].clone(), all[3].clone()]);
    let second = store.rejections(world.project.id, &PageRequest { after: first.next, ..page }).await.unwrap();
    assert_eq!((second.items, second.next), (vec![all[2].clone()], None));
    assert_eq!(store.rejections(other.project.id, &PageRequest::FIRST).await.unwrap().items.len(), 1);
    let swept = store.sweep(Expiring::SyncRejections, later(4) + TimeDelta::microseconds(1), 10).await.unwrap();
    assert_eq!(swept, 3, "All rejections before the time, of every project.");
}
