//! Rules of indexed fields: an index changes the speed of queries, not their results.

use std::time::Duration;

use serde_json::{Map, Value, json};
use steward_domain::kernel::changes::Changes;
use steward_domain::kernel::{AccessBasis, AccessEpoch, Precondition, StoreError};

use crate::data::item_queries::{FIELDS, ask, conditions_hold, ids, orders_hold, page, pages_hold, store_items};
use crate::fixture::{Fixture, TestStore, change, document, insert, schema};
use crate::kernel::concurrency::commit_some_concurrently;

/// Publishes a schema version with these fields in the table `notes`.
async fn publish(
    store: &TestStore,
    world: &Fixture,
    number: u32,
    fields: impl IntoIterator<Item = (&str, &str, bool)>,
) {
    let field =
        |(name, kind, indexed): (&str, &str, bool)| (name.to_owned(), json!({"type": kind, "indexed": indexed}));
    let fields: Map<String, Value> = fields.into_iter().map(field).collect();
    let document = json!({"project_id": "p", "version": number, "tables": {"notes": {"fields": fields}}});
    insert(store, [schema(&world.project, number, document).into()]).await;
}

async fn publish_all(store: &TestStore, world: &Fixture, indexed: bool) {
    publish(store, world, 1, FIELDS.iter().map(|(name, kind)| (*name, kind.as_str(), indexed))).await;
}

/// Runs all pending index work, `limit` items per step.
async fn index(store: &TestStore, limit: u16) {
    let all = async || while store.index_items(None, limit).await.unwrap().more {};
    tokio::time::timeout(Duration::from_secs(60), all()).await.expect("Indexing did not end within 60 seconds.");
}

pub async fn queries_find_the_same_items_by_keys_stored_on_write(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    publish_all(&store, &world, true).await;
    index(&store, 100).await;
    store_items(&store, &world).await;
    conditions_hold(&store, &world).await;
    orders_hold(&store, &world).await;
    pages_hold(&store, &world).await;
}

pub async fn a_later_page_in_the_order_of_an_index_is_empty_on_a_stale_basis(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    publish_all(&store, &world, true).await;
    index(&store, 100).await;
    store_items(&store, &world).await;
    let stale = AccessBasis { project: Some((world.project.id, AccessEpoch(9))), ..AccessBasis::default() };
    let query = |parameters: &[(&str, &str)]| ask(&[&[("order", "n")], parameters].concat());
    let mut next = page(&store, &world, query(&[("limit", "1")])).await.next;
    assert!(next.is_some());
    // After items with a value, and after those without it.
    while let Some(cursor) = next {
        let later = query(&[("cursor", &cursor)]);
        let found = store.items(world.project.id, world.user.id, "notes", &later, &stale).await.unwrap();
        assert_eq!(found.items, []);
        next = page(&store, &world, query(&[("limit", "1"), ("cursor", &cursor)])).await.next;
    }
}

pub async fn queries_find_the_same_items_by_backfilled_keys(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    store_items(&store, &world).await;
    store_items(&store, &other).await;
    publish_all(&store, &world, true).await;
    conditions_hold(&store, &world).await;
    for _ in 0..3 {
        assert!(store.index_items(None, 7).await.unwrap().more);
        orders_hold(&store, &world).await;
    }
    index(&store, 7).await;
    conditions_hold(&store, &world).await;
    orders_hold(&store, &world).await;
    pages_hold(&store, &world).await;
    conditions_hold(&store, &other).await;
}

pub async fn without_indexed_fields_there_is_no_work(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    store_items(&store, &world).await;
    publish_all(&store, &world, false).await;
    assert!(!store.index_items(None, 1_000).await.unwrap().more);
}

pub async fn every_write_updates_the_keys(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    publish_all(&store, &world, true).await;
    index(&store, 100).await;
    let find = async |query: (&'static str, &'static str)| ids(&store, &world, &[query]).await;
    world.put(&store, "x", json!({"t": "one", "n": 1, "b": true}), Precondition::Absent).await.unwrap();
    assert_eq!((find(("t", "eq.one")).await, find(("b", "is.true")).await), (vec!["x".into()], vec!["x".into()]));
    world.put(&store, "x", json!({"t": "two"}), Precondition::Exists).await.unwrap();
    assert_eq!((find(("t", "eq.two")).await, find(("t", "eq.one")).await), (vec!["x".into()], vec![]));
    assert_eq!(find(("n", "eq.1")).await, [""; 0]);
    store.commit(change().remove_item(world.place("x"), Precondition::None)).await.unwrap();
    assert_eq!(ids(&store, &world, &[("order", "t")]).await, [""; 0]);
    world.put(&store, "x", json!({"n": 2}), Precondition::None).await.unwrap();
    assert_eq!(ids(&store, &world, &[("order", "n.desc")]).await, ["x"]);
    store.commit(change().remove(world.user.clone())).await.unwrap();
    index(&store, 100).await;
}

pub async fn a_field_can_be_indexed_again_and_with_another_type(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    for number in 0..20 {
        world.put(&store, &format!("i{number}"), json!({"n": number, "t": "x"}), Precondition::None).await.unwrap();
    }
    let both = |kind, indexed| [("n", "number", indexed), ("t", kind, indexed)];
    publish(&store, &world, 1, both("string", true)).await;
    index(&store, 6).await;
    publish(&store, &world, 2, both("string", false)).await;
    assert!(store.index_items(None, 6).await.unwrap().more, "Some keys must still be dropped.");
    // Items written now get no keys.
    world.put(&store, "i3", json!({"n": 100}), Precondition::None).await.unwrap();
    world.put(&store, "new", json!({"n": 101, "t": 5}), Precondition::None).await.unwrap();
    store.commit(change().remove_item(world.place("i4"), Precondition::None)).await.unwrap();
    assert_eq!(ids(&store, &world, &[("n", "gte.19")]).await, ["new", "i3", "i19"]);

    publish(&store, &world, 3, both("number", true)).await;
    index(&store, 6).await;
    assert_eq!(ids(&store, &world, &[("n", "gte.19"), ("order", "n.desc")]).await, ["new", "i3", "i19"]);
    assert_eq!(ids(&store, &world, &[("n", "in.(3,4,5)")]).await, ["i5"]);
    assert_eq!(ids(&store, &world, &[("order", "n")]).await.len(), 20);
    assert_eq!(ids(&store, &world, &[("t", "eq.x")]).await.len(), 18);
}

pub async fn items_written_during_a_backfill_get_keys(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    for number in 0..60 {
        world.put(&store, &format!("i{number:02}"), json!({"n": number}), Precondition::None).await.unwrap();
    }
    publish_all(&store, &world, true).await;
    let write = |number: u32| -> Changes {
        let id = format!("i{number:02}");
        if number.is_multiple_of(3) {
            change().remove_item(world.place(&id), Precondition::None)
        } else {
            change().put(world.item(&id, json!({"n": number + 1_000})), Precondition::None)
        }
    };
    let steps = async {
        let (mut tried, mut has_indexed) = (0, false);
        while tried < 10 || !has_indexed {
            assert!(tried < 100, "All steps gave up.");
            tried += 1;
            // Instead of waiting long for a write, a step may give up.
            let step = store.index_items(None, 5).await;
            assert!(matches!(step, Ok(_) | Err(StoreError::Unavailable(_))), "{step:?}");
            has_indexed |= step.is_ok();
        }
    };
    let (written, ()) = tokio::join!(commit_some_concurrently(&store, (0..60).map(write)), steps);
    assert!(written.iter().all(Result::is_ok), "{written:?}");
    index(&store, 5).await;
    let found = ids(&store, &world, &[("order", "n"), ("n", "gte.1000")]).await;
    let expected: Vec<String> =
        (0..60).filter(|number| number % 3 != 0).map(|number| format!("i{number:02}")).collect();
    assert_eq!(found, expected);
    assert_eq!(ids(&store, &world, &[("order", "n.desc")]).await.len(), 40);
}

pub async fn a_removed_table_can_be_published_and_indexed_again(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    publish_all(&store, &world, true).await;
    index(&store, 100).await;
    store_items(&store, &world).await;
    insert(&store, [schema(&world.project, 2, document(2)).into()]).await;
    index(&store, 7).await;
    conditions_hold(&store, &world).await;
    world.put(&store, "late", json!({"t": "a"}), Precondition::None).await.unwrap();
    store.commit(change().remove_item(world.place("late"), Precondition::None)).await.unwrap();
    publish(&store, &world, 3, FIELDS.iter().map(|(name, kind)| (*name, kind.as_str(), true))).await;
    index(&store, 7).await;
    conditions_hold(&store, &world).await;
    orders_hold(&store, &world).await;
}

pub async fn deleting_a_project_deletes_only_its_keys(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    for world in [&world, &other] {
        publish_all(&store, world, true).await;
        store_items(&store, world).await;
    }
    assert!(store.index_items(None, 7).await.unwrap().more);
    store.commit(change().remove(world.project.clone())).await.unwrap();
    while store.remove_data(world.project.id, 20).await.unwrap() {
        store.index_items(None, 7).await.unwrap();
    }
    index(&store, 7).await;
    conditions_hold(&store, &other).await;
    orders_hold(&store, &other).await;
}
