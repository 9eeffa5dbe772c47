//! Quotas hold however many write at once, and what is counted is exact.

use serde_json::json;
use steward_domain::changes::Changes;
use steward_domain::model::{Precondition, ProjectUsage};
use steward_domain::policy::{Quota, Quotas};
use steward_domain::ports::CommitError;
use tokio::task::JoinSet;

use crate::fixture::{Fixture, TestStore, account, change, insert, key, project};

fn limited(quota: Quota, limit: u64) -> Quotas {
    Quotas::default().with(quota, limit)
}

async fn usage(store: &TestStore, world: &Fixture) -> ProjectUsage {
    store.project_usage(world.project.id).await.unwrap()
}

/// Commits all at once; how many were stored. The others must have met the quota.
async fn stored(store: &TestStore, quota: Quota, changes: Vec<Changes>) -> usize {
    let mut commits = JoinSet::new();
    for change in changes {
        let store = store.clone();
        commits.spawn(async move { store.commit(change).await });
    }
    let results = commits.join_all().await;
    for result in &results {
        let is_expected = match result {
            Ok(_) => true,
            Err(CommitError::OverQuota(met, _)) => *met == quota,
            Err(_) => false,
        };
        assert!(is_expected, "{result:?}");
    }
    results.iter().filter(|result| result.is_ok()).count()
}

pub async fn of_fifty_who_add_a_key_as_many_as_the_quota_allows_do(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let quotas = limited(Quota::KeysPerProject, 7);
    let changes = (0..50).map(|_| change().insert(key(&world.project, &world.owner)).bounded_by(&quotas));
    assert_eq!(stored(&store, Quota::KeysPerProject, changes.collect()).await, 7);
    assert_eq!(usage(&store, &world).await.keys, 7);
}

pub async fn of_fifty_who_add_a_project_as_many_as_the_quota_allows_do(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let quotas = limited(Quota::ProjectsPerTeam, 4);
    let wanted = (0..50).map(|number| project(&format!("wanted-{number}"), &world.team));
    let changes = wanted.map(|project| change().insert(project).bounded_by(&quotas)).collect();
    assert_eq!(stored(&store, Quota::ProjectsPerTeam, changes).await, 3, "one is there already");
}

pub async fn of_a_hundred_who_put_an_item_as_many_as_the_quota_allows_do(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let quotas = limited(Quota::ItemsPerProject, 33);
    let put = |number| change().put(world.item(&format!("item-{number}"), json!({"n": number})), Precondition::None);
    let changes = (0..100).map(|number| put(number).bounded_by(&quotas)).collect();
    assert_eq!(stored(&store, Quota::ItemsPerProject, changes).await, 33);
    assert_eq!(usage(&store, &world).await.items, 33);
}

pub async fn bytes_are_bounded_and_counted_as_they_come_and_go(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let quotas = limited(Quota::BytesPerProject, 1_000);
    let text = |length: usize| json!({"t": "x".repeat(length)});
    let put = |id: &str, length| {
        store.commit(change().put(world.item(id, text(length)), Precondition::None).bounded_by(&quotas))
    };
    let own = |length: u64| length + 8;

    put("one", 500).await.unwrap();
    put("two", 300).await.unwrap();
    assert_eq!(usage(&store, &world).await.bytes, own(500) + own(300));
    let refused = put("three", 300).await.unwrap_err();
    assert!(matches!(refused, CommitError::OverQuota(Quota::BytesPerProject, 1_000)), "{refused:?}");
    put("one", 100).await.unwrap();
    put("three", 300).await.unwrap();
    store.commit(change().remove_item(world.place("two"), Precondition::None)).await.unwrap();

    let now = usage(&store, &world).await;
    assert_eq!((now.items, now.bytes), (2, own(100) + own(300)));
    store.commit(change().erase_items(world.project.id, world.user.id, 10)).await.unwrap();
    assert_eq!((usage(&store, &world).await.items, usage(&store, &world).await.bytes), (0, 0));
}

pub async fn a_change_over_the_quota_stores_nothing_of_itself(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let quotas = limited(Quota::ItemsPerProject, 10);
    let batch = |from: u32, to: u32| {
        let items = (from..to).map(|number| world.item(&format!("item-{number}"), json!({"n": number})));
        items.fold(change(), |changes, item| changes.put(item, Precondition::None)).bounded_by(&quotas)
    };
    store.commit(batch(0, 8)).await.unwrap();
    let refused = store.commit(batch(8, 11)).await.unwrap_err();
    assert!(matches!(refused, CommitError::OverQuota(Quota::ItemsPerProject, 10)), "{refused:?}");
    assert_eq!(usage(&store, &world).await.items, 8);
    store.commit(batch(6, 10)).await.unwrap();
    assert_eq!(usage(&store, &world).await.items, 10, "what is replaced does not count again");
}

pub async fn what_one_project_keeps_does_not_count_in_another(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    world.put(&store, "one", json!({}), Precondition::None).await.unwrap();
    insert(&store, [account("somebody").into()]).await;
    assert_eq!(usage(&store, &other).await.items, 0);
}
