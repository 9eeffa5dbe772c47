//! Rules of items: conditional writes, and isolation between users and projects.

use chrono::TimeDelta;
use serde_json::json;
use steward_domain::data::{Item, ItemId, ItemKey, ItemPath, ProjectUser, StoredItem, UserStatus};
use steward_domain::kernel::changes::Changes;
use steward_domain::kernel::error::ResourceKind;
use steward_domain::kernel::{AccessBasis, CommitError, Committed, PageSize, Precondition, Revision};
use steward_domain::mocks::{a_permit, instant};

use crate::data::item_queries::ask;
use crate::fixture::{Fixture, TestStore, change, insert, later, members, user};

#[track_caller]
fn assert_stale(result: Result<Committed, CommitError>) {
    assert!(matches!(result, Err(CommitError::Stale(ResourceKind::Item))), "{result:?}");
}

pub async fn a_put_creates_an_item_and_then_replaces_it(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let first = &world.put(&store, "x", json!({"a": 1}), Precondition::None).await.unwrap().items[0];
    assert!(first.created);
    assert_eq!((first.stored.created_at, first.stored.updated_at), (instant(), instant()));

    let again = Changes::by(a_permit(), later(5)).put(world.item("x", json!({"b": 2})), Precondition::None);
    let second = &store.commit(again).await.unwrap().items[0];
    assert!(!second.created && second.stored.revision > first.stored.revision);
    assert_eq!((second.stored.created_at, second.stored.updated_at), (instant(), later(5)));
    assert_eq!(store.item(&world.place("x"), &AccessBasis::default()).await.unwrap().as_ref(), Some(&second.stored));
    assert_eq!(second.stored.item.value.fields().unwrap(), members(json!({"b": 2})));
}

pub async fn an_imported_item_has_its_own_time_of_creation(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let at = |micros| instant() - TimeDelta::microseconds(micros);
    let import = async |value, created_at| {
        let committed = store.commit(change().import(world.item("a", value), created_at)).await.unwrap();
        committed.items.into_iter().next().unwrap()
    };
    let first = import(json!({"a": 1}), at(5)).await;
    assert!(first.created && first.stored.created_at == at(5), "{first:?}");
    let again = import(json!({"a": 2}), at(9)).await;
    assert!(!again.created && again.stored.created_at == at(5), "A stored item keeps its time: {again:?}");
    assert_eq!(again.stored.item.value.fields().unwrap(), members(json!({"a": 2})));
}

pub async fn each_precondition_is_enforced(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let one = json!({"a": 1});
    let other = Revision(1);
    for refused in [
        Precondition::Exists,
        Precondition::ExistsExcept(vec![other]),
        Precondition::Matches(vec![other]),
        Precondition::Matches(Vec::new()),
    ] {
        assert_stale(world.put(&store, "x", one.clone(), refused).await);
    }
    for (number, allowed) in
        [Precondition::None, Precondition::Absent, Precondition::NoneOf(vec![other])].into_iter().enumerate()
    {
        let created = world.put(&store, &format!("new-{number}"), one.clone(), allowed).await.unwrap();
        assert!(created.items[0].created);
    }
    let mut revision = world.put(&store, "x", one.clone(), Precondition::None).await.unwrap().items[0].stored.revision;
    for refused in [
        Precondition::Absent,
        Precondition::Matches(vec![other]),
        Precondition::NoneOf(vec![other, revision]),
        Precondition::ExistsExcept(vec![other, revision]),
    ] {
        assert_stale(world.put(&store, "x", one.clone(), refused.clone()).await);
        assert_stale(store.commit(change().remove_item(world.place("x"), refused)).await);
    }
    for allowed in [
        Precondition::Exists,
        Precondition::Matches(vec![other, revision]),
        Precondition::NoneOf(vec![other]),
        Precondition::ExistsExcept(vec![other]),
        Precondition::ExistsExcept(Vec::new()),
    ] {
        let allowed =
            if let Precondition::Matches(_) = allowed { Precondition::Matches(vec![other, revision]) } else { allowed };
        revision = world.put(&store, "x", one.clone(), allowed).await.unwrap().items[0].stored.revision;
    }
    store.commit(change().remove_item(world.place("x"), Precondition::Matches(vec![revision]))).await.unwrap();
    assert_stale(store.commit(change().remove_item(world.place("x"), Precondition::None)).await);
}

pub async fn a_refused_write_changes_nothing(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    world.put(&store, "x", json!({"a": 1}), Precondition::None).await.unwrap();
    let before = store.item(&world.place("x"), &AccessBasis::default()).await.unwrap();
    assert_stale(world.put(&store, "x", json!({"a": 2}), Precondition::Absent).await);
    assert_stale(world.put(&store, "x", json!({"a": 2}), Precondition::Matches(vec![Revision(1)])).await);
    assert_eq!(store.item(&world.place("x"), &AccessBasis::default()).await.unwrap(), before);
}

pub async fn removing_an_item_returns_it(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let stored = world.put(&store, "x", json!({"a": 1}), Precondition::None).await.unwrap().items.remove(0).stored;
    let removed = store.commit(change().remove_item(world.place("x"), Precondition::None)).await.unwrap();
    assert_eq!(removed.items[0].stored, stored);
    assert_eq!(store.item(&world.place("x"), &AccessBasis::default()).await.unwrap(), None);
}

pub async fn a_revision_is_never_reused(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let mut seen = Vec::new();
    for round in 0..3 {
        let at = later(round * 10);
        for _ in 0..2 {
            let put = Changes::by(a_permit(), at).put(world.item("x", json!({})), Precondition::None);
            seen.push(store.commit(put).await.unwrap().items[0].stored.revision);
        }
        store.commit(Changes::by(a_permit(), at).remove_item(world.place("x"), Precondition::None)).await.unwrap();
    }
    assert!(seen.is_sorted_by(|a, b| a < b), "{seen:?}");
}

pub async fn only_items_of_connected_users_can_be_written(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    world.put(&store, "x", json!({}), Precondition::None).await.unwrap();
    let mut user = world.user.clone();
    for status in [UserStatus::Blocked, UserStatus::Disconnected] {
        let changed = ProjectUser { status, ..user.clone() };
        store.commit(change().replace(user.clone(), changed.clone())).await.unwrap();
        user = ProjectUser { revision: Revision(user.revision.0 + 1), ..changed };
        for when in [Precondition::None, Precondition::Exists, Precondition::NoneOf(Vec::new())] {
            assert_stale(world.put(&store, "x", json!({"a": 1}), when.clone()).await);
            assert_stale(store.commit(change().remove_item(world.place("x"), when)).await);
        }
        assert_stale(world.put(&store, "new", json!({}), Precondition::Absent).await);
        assert!(
            store.item(&world.place("x"), &AccessBasis::default()).await.unwrap().is_some(),
            "Items of such users can still be read."
        );
    }
}

pub async fn an_item_of_another_user_is_not_found(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let second = user(&world.project, &other.owner);
    insert(&store, [second.clone().into()]).await;
    world.put(&store, "x", json!({}), Precondition::None).await.unwrap();
    let place = world.place("x");
    for foreign in [
        ItemPath { project_id: other.project.id, ..place.clone() },
        ItemPath { user_id: second.id, ..place.clone() },
        ItemPath { user_id: other.user.id, ..place.clone() },
        ItemPath { table: "other".into(), ..place.clone() },
        ItemPath { id: ItemId::parse("y").unwrap(), ..place.clone() },
    ] {
        assert_eq!(store.item(&foreign, &AccessBasis::default()).await.unwrap(), None, "{foreign:?}");
        assert_stale(store.commit(change().remove_item(foreign, Precondition::None)).await);
    }
    let crossed = Item { user_id: other.user.id, ..world.item("x", json!({})) };
    assert_stale(store.commit(change().put(crossed, Precondition::None)).await);
    let all = ask(&[]);
    assert_eq!(
        store.items(world.project.id, second.id, "notes", &all, &AccessBasis::default()).await.unwrap().items,
        []
    );
    assert_eq!(store.items_with_ids(world.project.id, second.id, "notes", &[place.id]).await.unwrap(), []);
}

pub async fn item_ids_are_case_sensitive(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    for id in ["a", "A", "~", "-", "_", "."] {
        assert!(world.put(&store, id, json!({"id_was": id}), Precondition::Absent).await.unwrap().items[0].created);
    }
    let all =
        store.items(world.project.id, world.user.id, "notes", &ask(&[]), &AccessBasis::default()).await.unwrap().items;
    let ids: Vec<&str> = all.iter().map(|stored| stored.item.id.as_str()).collect();
    assert_eq!(
        ids,
        ["~", "a", "_", "A", ".", "-"],
        "Items with the same timestamp are ordered by ID, byte by byte, descending."
    );
}

pub async fn values_round_trip(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let value = json!({
        "text": "😀 \u{7f} \\ \" '", "empty": "", "int": i64::MAX, "small": -1, "float": 0.1, "big": 1.5e300,
        "more": {"b": [1, {"a": null}], "a": []},
    });
    world.put(&store, "x", value.clone(), Precondition::None).await.unwrap();
    let found = store.item(&world.place("x"), &AccessBasis::default()).await.unwrap().unwrap();
    assert_eq!(serde_json::Value::Object(found.item.value.fields().unwrap()), value);
}

/// Returns the user's items in all tables, read two at a time.
async fn read_all_items(store: &TestStore, world: &Fixture) -> Vec<String> {
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let page = store
            .items_after(world.project.id, world.user.id, after, PageSize { rows: 2, ..PageSize::MAX })
            .await
            .unwrap();
        assert!(page.len() <= 2);
        let Some(last) = page.last() else { return all };
        after = Some(ItemKey { table: last.item.table.clone(), id: last.item.id.clone() });
        all.extend(page.iter().map(|stored| format!("{}/{}", stored.item.table, stored.item.id.as_str())));
    }
}

pub async fn all_tables_of_one_user_are_read_in_order(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    for (table, id) in [("b", "1"), ("b", "2"), ("a", "z"), ("B", "1"), ("b", "A"), ("ä", "1"), ("a-b", "1")] {
        let item = Item { table: table.to_owned(), ..world.item(id, json!({})) };
        store.commit(change().put(item, Precondition::None)).await.unwrap();
    }
    other.put(&store, "x", json!({}), Precondition::None).await.unwrap();
    assert_eq!(read_all_items(&store, &world).await, ["B/1", "a/z", "a-b/1", "b/1", "b/2", "b/A", "ä/1"]);
    assert_eq!(read_all_items(&store, &other).await, ["notes/x"]);
}

pub async fn items_are_erased_in_bounded_steps(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    for number in 0..5 {
        world.put(&store, &format!("n{number}"), json!({}), Precondition::None).await.unwrap();
    }
    other.put(&store, "x", json!({}), Precondition::None).await.unwrap();
    let erase = async || store.commit(change().erase_items(world.project.id, world.user.id, 2)).await.unwrap().erased;
    assert_eq!((erase().await, read_all_items(&store, &world).await.len()), (2, 3));
    assert_eq!([erase().await, erase().await, erase().await], [2, 1, 0]);
    assert_eq!(read_all_items(&store, &other).await.len(), 1, "Items of other users must be retained.");
}

pub async fn several_writes_succeed_or_fail_together(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    world.put(&store, "b", json!({"n": 1}), Precondition::None).await.unwrap();
    let writes = |last: &str| {
        change()
            .put(world.item("c", json!({"n": 2})), Precondition::None)
            .remove_item(world.place("b"), Precondition::Exists)
            .put(world.item("a", json!({"n": 3})), Precondition::None)
            .remove_item(world.place(last), Precondition::Exists)
    };
    assert_stale(store.commit(writes("missing")).await);
    let ids_of = |found: Vec<StoredItem>| found.into_iter().map(|stored| stored.item.id).collect::<Vec<_>>();
    let all = ask(&[("order", "id")]);
    let found =
        store.items(world.project.id, world.user.id, "notes", &all, &AccessBasis::default()).await.unwrap().items;
    assert_eq!(ids_of(found), [world.place("b").id]);

    let committed = store.commit(writes("a")).await.unwrap();
    let outcomes: Vec<(&str, bool)> =
        committed.items.iter().map(|outcome| (outcome.stored.item.id.as_str(), outcome.created)).collect();
    assert_eq!(
        outcomes,
        [("c", true), ("b", false), ("a", true), ("a", false)],
        "Outcomes are in the order of the writes."
    );
    let found =
        store.items(world.project.id, world.user.id, "notes", &all, &AccessBasis::default()).await.unwrap().items;
    assert_eq!(ids_of(found), [world.place("c").id]);
}
