//! Rules of deleting a user with all data, and of deleting only their items.

use chrono::TimeDelta;
use serde_json::json;
use steward_domain::administration::{ActivityWindow, AuditRetention, Period};
use steward_domain::data::{ProjectUser, SyncKey, SyncReceipt, SyncRejection, SyncSpan, UserData, UserStatus};
use steward_domain::kernel::error::ResourceKind;
use steward_domain::kernel::{AccessBasis, Caller, CommitError, Identity, PageRequest, PageSize, Precondition};
use steward_domain::mocks::{a_request, instant, mock_system_ports};

use crate::administration::audit_log::cores;
use crate::fixture::{Fixture, TestStore, change, id, insert, later, schema};

/// Stores this many items with keys of an indexed field, a deleted item, a receipt, a rejected change, and three more
/// days of activity.
async fn store_data(store: &TestStore, world: &Fixture, items: usize) {
    let fields = json!({"n": {"type": "number", "indexed": true}});
    let document = json!({"project_id": "p", "version": 1, "tables": {"notes": {"fields": fields}}});
    insert(store, [schema(&world.project, 1, document).into()]).await;
    world.put_many(store, items).await;
    world.put(store, "gone", json!({}), Precondition::None).await.unwrap();
    let (project_id, user_id) = (world.project.id, world.user.id);
    let receipt = SyncReceipt { project_id, user_id, slot: 0, digest: "d".into() };
    let removal = change().remove_item(world.place("gone"), Precondition::None).record_receipt(receipt);
    store.commit(removal).await.unwrap();
    let rejection = SyncRejection {
        id: id().into(),
        project_id,
        user_id,
        at: instant(),
        device: "phone".into(),
        key: SyncKey { table: "notes".into(), id: "n00000".into() },
        code: "invalid_item".into(),
        message: "Field n should be type number, got string".into(),
    };
    store.record_rejections(&[rejection], 10).await.unwrap();
    for days in 1..4 {
        store.record_seen(project_id, user_id, instant() - TimeDelta::days(days)).await.unwrap();
    }
}

/// Returns the number of the user's items, deleted items, receipts, rejected changes, and days of activity.
async fn counts(store: &TestStore, world: &Fixture) -> [usize; 5] {
    let (project, user) = (world.project.id, world.user.id);
    let (owner, basis, span) = ((project, user), AccessBasis::default(), SyncSpan { after: 0, through: i64::MAX });
    let items = store.items_changed(owner, span, None, PageSize::MAX, &basis).await.unwrap().items.len();
    let usage = store.project_usage(project).await.unwrap();
    assert_eq!(usage.items, u64::try_from(items).unwrap(), "Usage must be counted exactly.");
    assert_eq!(usage.bytes == 0, items == 0, "{usage:?}");
    [
        items,
        store.items_deleted(owner, span, None, 1_000, &basis).await.unwrap().len(),
        usize::from(store.receipt(owner, 0).await.unwrap().is_some()),
        store.rejections(project, &PageRequest::FIRST).await.unwrap().items.len(),
        store.active_days(project, user).await.unwrap().len(),
    ]
}

/// Deletes at most this many rows of the user, and returns how many.
async fn step(store: &TestStore, world: &Fixture, limit: u16) -> usize {
    store.commit(change().remove_user_data(world.project.id, world.user.id, limit)).await.unwrap().erased
}

pub async fn the_data_of_a_user_is_deleted_in_bounded_steps(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    for world in [&world, &other] {
        store_data(&store, world, 230).await;
        assert_eq!(counts(&store, world).await, [230, 1, 1, 1, 4]);
    }
    assert_eq!([step(&store, &world, 100).await, step(&store, &world, 100).await], [100, 100]);
    assert_eq!(counts(&store, &world).await, [30, 1, 1, 1, 4], "A deleted item must not leave a tombstone.");
    // The rest of the items, a tombstone, a receipt, a rejected change, and four days.
    assert_eq!([step(&store, &world, 34).await, step(&store, &world, 34).await], [34, 3]);
    assert_eq!(counts(&store, &world).await, [0; 5]);
    assert_eq!(step(&store, &world, 34).await, 0);

    store.commit(change().remove(world.user.clone())).await.unwrap();
    assert_eq!(store.user(world.project.id, world.user.id).await.unwrap(), None);
    assert_eq!(counts(&store, &other).await, [230, 1, 1, 1, 4], "Data of other users must be retained.");
}

pub async fn a_user_with_many_rows_is_not_deleted_in_one_step(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    world.put_many(&store, 600).await;
    let remove = async || store.commit(change().remove(world.user.clone())).await;
    let refused = remove().await;
    assert!(matches!(refused, Err(CommitError::Stale(ResourceKind::ProjectUser))), "{refused:?}");
    assert_eq!(counts(&store, &world).await, [600, 0, 0, 0, 1], "A refused deletion must delete nothing.");

    while step(&store, &world, 250).await > 0 {}
    world.put(&store, "late", json!({"n": 1}), Precondition::None).await.unwrap();
    remove().await.unwrap();
    assert_eq!(counts(&store, &world).await, [0; 5], "An item that was written late must be counted.");
}

pub async fn an_interrupted_deletion_of_a_user_is_completed_by_the_next_one(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    store_data(&store, &world, 1_200).await;
    let blocked = ProjectUser { status: UserStatus::Blocked, ..world.user.clone() };
    store.commit(change().replace(world.user.clone(), blocked)).await.unwrap();
    assert_eq!(step(&store, &world, 500).await, 500);

    let data = UserData::new(&cores(&store, mock_system_ports(), AuditRetention::default()).data);
    let caller = Caller::new(Identity::Account(world.owner.id), a_request());
    data.erase(&caller, world.project.id, world.user.id, &Precondition::None).await.unwrap();
    assert_eq!(store.user(world.project.id, world.user.id).await.unwrap(), None);
    assert_eq!(counts(&store, &world).await, [0; 5]);
    let window = ActivityWindow::ending(instant(), Period::default());
    assert_eq!(store.activity(world.project.id, &window).await.unwrap(), Default::default());
}

pub async fn started_deletions_of_users_are_found_and_their_items_are_hidden(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    world.put(&store, "mine", json!({}), Precondition::None).await.unwrap();
    let next = async |after, before| store.user_to_delete(after, later(before)).await.unwrap().map(|(_, user)| user.id);
    assert_eq!(next(None, 9).await, None);
    for world in [&world, &other] {
        store.commit(change().replace(world.user.clone(), world.user.deleting(later(1)))).await.unwrap();
    }
    let mut ids = [world.user.id, other.user.id];
    ids.sort();
    assert_eq!(next(None, 1).await, None, "Requests still work on them.");
    assert_eq!([next(None, 2).await, next(Some(ids[0]), 2).await], ids.map(Some));
    assert_eq!(next(Some(ids[1]), 2).await, None);
    let found = store.user(world.project.id, world.user.id).await.unwrap().unwrap();
    assert_eq!((found.status, found.deletion_started_at), (UserStatus::Blocked, Some(later(1))));
    assert_eq!(store.item(&world.place("mine"), &AccessBasis::default()).await.unwrap(), None);

    let team = store.user_to_delete(None, later(2)).await.unwrap().map(|(team, _)| team);
    assert!(team == Some(world.team.id) || team == Some(other.team.id), "{team:?}");
}

pub async fn devices_find_all_items_of_a_large_erasure_deleted(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    world.put_many(&store, 450).await;
    let erase = async || store.commit(change().erase_items(world.project.id, world.user.id, 200)).await.unwrap().erased;
    assert_eq!((erase().await, counts(&store, &world).await), (200, [250, 200, 0, 0, 1]));
    assert_eq!([erase().await, erase().await, erase().await], [200, 50, 0]);
    assert_eq!(counts(&store, &world).await, [0, 450, 0, 0, 1]);
    assert_eq!(store.user(world.project.id, world.user.id).await.unwrap(), Some(world.user));
}
