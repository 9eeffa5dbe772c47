//! Rules of quotas: they are enforced under concurrent writes, and usage is counted exactly.

use serde_json::json;
use steward_domain::administration::{Invite, ProjectUsage, Recipient, SizeOrder, SizePage};
use steward_domain::identity::Username;
use steward_domain::kernel::changes::Changes;
use steward_domain::kernel::policy::{Quota, Quotas};
use steward_domain::kernel::{AccessBasis, CommitError, Precondition};
use steward_domain::mocks::instant;

use crate::fixture::{Fixture, TestStore, account, change, insert, invite, key, later, project};
use crate::kernel::concurrency::commit_some_concurrently;

fn limited(quota: Quota, limit: u64) -> Quotas {
    Quotas::default().with(quota, limit)
}

async fn usage(store: &TestStore, world: &Fixture) -> ProjectUsage {
    store.project_usage(world.project.id).await.unwrap()
}

/// Commits all changes concurrently and returns the number of successful ones. Asserts that all others exceeded the
/// quota. Each change waits for those before it that count against the same quota, so only some run at the same time.
async fn stored(store: &TestStore, quota: Quota, changes: Vec<Changes>) -> usize {
    let results = commit_some_concurrently(store, changes).await;
    for result in &results {
        let is_expected = match result {
            Ok(_) => true,
            Err(CommitError::OverQuota(exceeded, _)) => *exceeded == quota,
            Err(_) => false,
        };
        assert!(is_expected, "{result:?}");
    }
    results.iter().filter(|result| result.is_ok()).count()
}

pub async fn fifty_concurrent_keys_stay_within_the_quota(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let quotas = limited(Quota::KeysPerProject, 7);
    let changes = (0..50).map(|_| change().insert(key(&world.project, &world.owner)).bounded_by(&quotas));
    assert_eq!(stored(&store, Quota::KeysPerProject, changes.collect()).await, 7);
    assert_eq!(usage(&store, &world).await.keys, 7);
}

pub async fn fifty_concurrent_projects_stay_within_the_quota(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let quotas = limited(Quota::ProjectsPerTeam, 4);
    let wanted = (0..50).map(|number| project(&format!("wanted-{number}"), &world.team));
    let changes = wanted.map(|project| change().insert(project).bounded_by(&quotas)).collect();
    assert_eq!(stored(&store, Quota::ProjectsPerTeam, changes).await, 3, "The fixture already contains one project.");
}

pub async fn fifty_concurrent_invites_stay_within_the_quota_and_expired_ones_do_not_count(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let quotas = limited(Quota::PendingInvitesPerTeam, 5);
    let recipient = |name: &str| Recipient::Username(Username::parse(name).unwrap());
    let expired = Invite { expires_at: instant(), ..invite(&world.team, &world.owner, recipient("expired")) };
    insert(&store, [expired.clone().into()]).await;
    let wanted = (0..50).map(|number| invite(&world.team, &world.owner, recipient(&format!("ann-{number}"))));
    let changes = wanted.map(|invite| change().insert(invite).bounded_by(&quotas)).collect();
    assert_eq!(stored(&store, Quota::PendingInvitesPerTeam, changes).await, 5);

    let renewed = Invite { expires_at: later(1), ..expired.clone() };
    let refused = store.commit(change().replace(expired, renewed).bounded_by(&quotas)).await.unwrap_err();
    assert!(matches!(refused, CommitError::OverQuota(Quota::PendingInvitesPerTeam, 5)), "{refused:?}");
}

pub async fn a_hundred_concurrent_items_stay_within_the_quota(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let quotas = limited(Quota::ItemsPerProject, 33);
    let put = |number| change().put(world.item(&format!("item-{number}"), json!({"n": number})), Precondition::None);
    let changes = (0..100).map(|number| put(number).bounded_by(&quotas)).collect();
    assert_eq!(stored(&store, Quota::ItemsPerProject, changes).await, 33);
    assert_eq!(usage(&store, &world).await.items, 33);
}

pub async fn bytes_are_limited_and_counted_exactly(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let quotas = limited(Quota::BytesPerProject, 1_000);
    let text = |length: usize| json!({"t": "x".repeat(length)});
    let put = |id: &str, length| {
        store.commit(change().put(world.item(id, text(length)), Precondition::None).bounded_by(&quotas))
    };
    let bytes_of = |length: u64| length + 8;

    put("one", 500).await.unwrap();
    put("two", 300).await.unwrap();
    assert_eq!(usage(&store, &world).await.bytes, bytes_of(500) + bytes_of(300));
    let refused = put("three", 300).await.unwrap_err();
    assert!(matches!(refused, CommitError::OverQuota(Quota::BytesPerProject, 1_000)), "{refused:?}");
    put("one", 100).await.unwrap();
    put("three", 300).await.unwrap();
    store.commit(change().remove_item(world.place("two"), Precondition::None)).await.unwrap();

    let now = usage(&store, &world).await;
    assert_eq!((now.items, now.bytes), (2, bytes_of(100) + bytes_of(300)));
    store.commit(change().erase_items(world.project.id, world.user.id, 10)).await.unwrap();
    assert_eq!((usage(&store, &world).await.items, usage(&store, &world).await.bytes), (0, 0));
}

pub async fn a_change_over_the_quota_stores_nothing(store: TestStore) {
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
    assert_eq!(usage(&store, &world).await.items, 10, "Replaced items must not be counted again.");
}

pub async fn what_a_change_deletes_makes_room_for_what_it_puts(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let text = |length: usize| json!({"t": "x".repeat(length)});
    // Each of three items has 10 bytes.
    let quotas = limited(Quota::ItemsPerProject, 3).with(Quota::BytesPerProject, 30);
    let put = |changes: Changes, id: &str, when| changes.put(world.item(id, text(2)), when);
    let remove = |changes: Changes, id: &str| changes.remove_item(world.place(id), Precondition::Exists);
    let full = ["m", "n", "z"].into_iter().fold(change(), |changes, id| put(changes, id, Precondition::None));
    store.commit(full.bounded_by(&quotas)).await.unwrap();

    // IDs before and after the deleted one, and each kind of put.
    for (gone, added, when) in
        [("z", "a", Precondition::None), ("a", "z", Precondition::Absent), ("m", "a", Precondition::Absent)]
    {
        let exchange = put(remove(change(), gone), added, when).bounded_by(&quotas);
        let stored = store.commit(exchange).await;
        assert!(stored.is_ok(), "{gone}, then {added}: {stored:?}");
    }
    let exchange = ["a", "n"].into_iter().fold(change(), remove);
    let exchange = ["c", "x"].into_iter().fold(exchange, |changes, id| put(changes, id, Precondition::None));
    store.commit(exchange.bounded_by(&quotas)).await.unwrap();
    assert_eq!((usage(&store, &world).await.items, usage(&store, &world).await.bytes), (3, 30));

    let more = ["d", "e"].into_iter().fold(remove(change(), "c"), |changes, id| put(changes, id, Precondition::None));
    let refused = store.commit(more.bounded_by(&quotas)).await.unwrap_err();
    assert!(matches!(refused, CommitError::OverQuota(..)), "{refused:?}");
    assert!(store.item(&world.place("c"), &AccessBasis::default()).await.unwrap().is_some(), "Nothing was stored.");
    assert_eq!((usage(&store, &world).await.items, usage(&store, &world).await.bytes), (3, 30));
}

pub async fn usage_is_counted_per_project(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    world.put(&store, "one", json!({}), Precondition::None).await.unwrap();
    insert(&store, [account("someone").into()]).await;
    assert_eq!(usage(&store, &other).await.items, 0);
}

pub async fn teams_and_projects_are_listed_by_size(store: TestStore) {
    let (large, many) = (Fixture::make(&store, "large").await, Fixture::make(&store, "many").await);
    let gone = project("gone", &large.team);
    insert(&store, [gone.clone().into()]).await;
    store.commit(change().remove(gone)).await.unwrap();
    large.put(&store, "one", json!({"text": "x".repeat(1_000)}), Precondition::None).await.unwrap();
    for id in ["one", "two"] {
        many.put(&store, id, json!({}), Precondition::None).await.unwrap();
    }

    let page = |order, offset, limit| SizePage { order, offset, limit };
    let teams = store.teams_by_size(page(SizeOrder::Bytes, 0, 9)).await.unwrap();
    let found: Vec<_> = teams.iter().map(|team| (team.id, team.projects, team.items)).collect();
    assert_eq!(found, [(large.team.id, 1, 1), (many.team.id, 1, 2)]);
    let projects = store.projects_by_size(page(SizeOrder::Items, 0, 9)).await.unwrap();
    let found: Vec<_> = projects.iter().map(|project| (project.id, project.items)).collect();
    assert_eq!(found, [(many.project.id, 2), (large.project.id, 1)]);
    assert_eq!((&projects[1].team_slug, projects[1].bytes), (&large.team.slug, usage(&store, &large).await.bytes));
    let second = store.projects_by_size(page(SizeOrder::Items, 1, 1)).await.unwrap();
    assert_eq!(second, projects[1..]);
    let by_items = store.teams_by_size(page(SizeOrder::Items, 0, 1)).await.unwrap();
    assert_eq!(by_items, teams[1..]);
}
