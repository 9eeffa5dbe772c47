//! Rules of item queries: one file of test cases, so that every store and every SDK returns the same results
//! (docs/contract.md#comparisons).

use std::sync::LazyLock;

use serde_json::{Map, Value, json};
use steward_domain::data::schema::FieldType;
use steward_domain::data::{ItemId, ItemPage, ItemQuery, RawItemQuery};
use steward_domain::kernel::changes::Changes;
use steward_domain::kernel::{AccessBasis, PageSize, Precondition};
use steward_domain::mocks::a_permit;

use crate::fixture::{Fixture, TestStore, change, later};

/// Current and former fields of the items below.
pub(crate) const FIELDS: [(&str, FieldType); 5] = [
    ("t", FieldType::String),
    ("n", FieldType::Number),
    ("b", FieldType::Boolean),
    ("j", FieldType::Json),
    ("order_by", FieldType::String),
];

/// Returns a query with these parameters, which may include `cursor`.
pub fn ask(parameters: &[(&str, &str)]) -> ItemQuery {
    ask_within(parameters, PageSize::MAX)
}

/// Same as [`ask`], with a page size.
pub(crate) fn ask_within(parameters: &[(&str, &str)], size: PageSize) -> ItemQuery {
    let owned = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let (cursor, others): (Vec<_>, Vec<_>) = parameters.iter().partition(|(name, _)| *name == "cursor");
    let raw = RawItemQuery {
        parameters: others.iter().map(|(name, value)| owned(name, value)).collect(),
        cursor: cursor.first().map(|(_, cursor)| (*cursor).to_owned()),
        size,
    };
    ItemQuery::parse(&raw, &FIELDS).unwrap()
}

/// Splits a query string: `field=value` pairs joined by `&`.
fn split_query(query: &str) -> Vec<(&str, &str)> {
    query.split('&').filter_map(|pair| pair.split_once('=')).collect()
}

/// Items, queries on texts and on other values, and what they find. The tests of the SDKs use them, too.
const COMPARISONS: &str = include_str!("../../../../sdks/comparisons.json");

static CASES: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(COMPARISONS).unwrap());

/// Items with values of every type. Those with the prefix `_` contain values that do not match the type of the field, like items
/// that are older than the field.
fn items() -> &'static Map<String, Value> {
    CASES["items"].as_object().unwrap()
}

/// Queries of a kind, and the IDs that they find: of `conditions` all of them, sorted; of `orders` the first ones.
fn cases(kind: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let groups = ["texts", "values"].into_iter().flat_map(move |group| CASES[group][kind].as_object().unwrap());
    groups.map(|(query, ids)| (query.as_str(), ids.as_str().unwrap()))
}

async fn stored_fixture(store: &TestStore) -> Fixture {
    let world = Fixture::make(store, "acme").await;
    store_items(store, &world).await;
    world
}

/// Stores all test items, each created one microsecond after the previous one.
pub(crate) async fn store_items(store: &TestStore, world: &Fixture) {
    for (number, (id, value)) in (0..).zip(items()) {
        let put = Changes::by(a_permit(), later(number)).put(world.item(id, value.clone()), Precondition::None);
        store.commit(put).await.unwrap();
    }
}

pub(crate) async fn page(store: &TestStore, world: &Fixture, query: ItemQuery) -> ItemPage {
    let found = store.items(world.project.id, world.user.id, "notes", &query, &AccessBasis::default()).await.unwrap();
    query.page(found)
}

pub(crate) async fn ids(store: &TestStore, world: &Fixture, parameters: &[(&str, &str)]) -> Vec<String> {
    let found = page(store, world, ask(parameters)).await.items;
    found.iter().map(|stored| stored.item.id.as_str().to_owned()).collect()
}

/// Conditions on times, and the IDs of the items that they find, sorted.
const TIMES: [(&str, &str); 6] = [
    ("created_at=lte.2026-01-01T00:00:00.000002Z", "empty t-a t-empty"),
    ("created_at=lt.2026-01-01T01:00:00.000002+01:00", "empty t-empty"),
    ("created_at=eq.2026-01-01T00:00:00.000002Z", "t-a"),
    ("updated_at=in.(2026-01-01T00:00:00.000001Z,2026-01-01T00:00:00.000002Z)", "t-a t-empty"),
    ("updated_at=gt.9999-12-31T23:59:59Z", ""),
    ("created_at=lt.0000-01-01T00:00:00Z", ""),
];

pub async fn each_condition_finds_the_same_items_in_every_store(store: TestStore) {
    let world = stored_fixture(&store).await;
    conditions_hold(&store, &world).await;
}

/// Asserts that every query matches the items of its case.
pub(crate) async fn conditions_hold(store: &TestStore, world: &Fixture) {
    let mut wrong = Vec::new();
    for (query, expected) in cases("conditions").chain(TIMES) {
        let mut found = ids(store, world, &split_query(query)).await;
        found.sort_unstable();
        let expected: Vec<_> = expected.split_whitespace().collect();
        if found != expected {
            wrong.push(format!("{query} matched {found:?} instead of {expected:?}."));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Orders by time, and the IDs of the first items.
const ORDERS_BY_TIME: [(&str, &str); 4] = [
    ("limit=3", "_j _b _t"),
    ("order=created_at&limit=3", "empty t-empty t-a"),
    ("order=created_at.asc&created_at=gt.2026-01-01T00:00:00.000059Z", "j-object j-array _t _b _j"),
    ("order=updated_at.desc&limit=2", "_j _b"),
];

pub async fn each_order_is_the_same_in_every_store(store: TestStore) {
    let world = stored_fixture(&store).await;
    orders_hold(&store, &world).await;
}

/// Asserts that every order returns the items of its case first.
pub(crate) async fn orders_hold(store: &TestStore, world: &Fixture) {
    for (query, expected) in cases("orders").chain(ORDERS_BY_TIME) {
        let found = ids(store, world, &split_query(query)).await;
        assert_eq!(found, expected.split_whitespace().collect::<Vec<_>>(), "{query}");
    }
}

pub async fn pages_of_any_order_contain_each_item_once(store: TestStore) {
    let world = stored_fixture(&store).await;
    pages_hold(&store, &world).await;
}

/// Asserts that the pages of every order contain each item exactly once.
pub(crate) async fn pages_hold(store: &TestStore, world: &Fixture) {
    // Three texts that are longer than the sorted prefix.
    let long = "€".repeat(300);
    for (id, end) in [("long-c", "a"), ("long-b", "c"), ("long-a", "b")] {
        world.put(store, id, json!({"t": format!("{long}{end}"), "n": 1}), Precondition::None).await.unwrap();
    }
    for order in [
        "",
        "created_at",
        "updated_at.desc",
        "id",
        "id.desc",
        "t",
        "t.desc",
        "n",
        "n.desc",
        "b",
        "b.desc",
        "n,t.desc",
        "b.desc,n,t",
        "t.desc,b",
        "order_by.desc",
        "order_by,n.desc,id.desc",
    ] {
        let mut parameters = vec![("limit", "1000")];
        if !order.is_empty() {
            parameters.push(("order", order));
        }
        let all = page(store, world, ask(&parameters)).await;
        assert_eq!((all.items.len(), all.next), (items().len() + 3, None), "{order}");

        parameters[0] = ("limit", "3");
        let (mut paged, mut cursor) = (Vec::new(), None::<String>);
        loop {
            let mut parameters = parameters.clone();
            parameters.extend(cursor.as_deref().map(|cursor| ("cursor", cursor)));
            let next_page = page(store, world, ask(&parameters)).await;
            paged.extend(next_page.items);
            assert!(paged.len() <= all.items.len(), "{order} starts over.");
            cursor = next_page.next;
            if cursor.is_none() {
                break;
            }
            assert!(cursor.as_ref().is_some_and(|cursor| cursor.len() < 2_000), "{cursor:?}");
        }
        assert_eq!(paged, all.items, "{order}");
    }
}

pub async fn a_cursor_stays_valid_after_its_item_is_deleted(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    for (id, n) in [("a", 1), ("b", 2), ("c", 3), ("d", 4)] {
        world.put(&store, id, json!({"n": n}), Precondition::None).await.unwrap();
    }
    let query = [("order", "n.desc"), ("limit", "2")];
    let first = page(&store, &world, ask(&query)).await;
    store.commit(change().remove_item(world.place("c"), Precondition::None)).await.unwrap();
    let cursor = first.next.unwrap();
    assert_eq!(ids(&store, &world, &[query[0], query[1], ("cursor", &cursor)]).await, ["b", "a"]);
}

pub async fn an_offset_skips_items(store: TestStore) {
    let world = stored_fixture(&store).await;
    let all = ids(&store, &world, &[("order", "id")]).await;
    assert_eq!(ids(&store, &world, &[("order", "id"), ("offset", "3"), ("limit", "2")]).await, all[3..5]);
    assert_eq!(ids(&store, &world, &[("offset", "4294967295")]).await, [""; 0]);
}

pub async fn items_are_found_by_their_ids(store: TestStore) {
    let world = stored_fixture(&store).await;
    let requested = ["t-a", "t-A", "nothing"].map(|id| ItemId::parse(id).unwrap());
    let found = store.items_with_ids(world.project.id, world.user.id, "notes", &requested).await.unwrap();
    let mut ids: Vec<&str> = found.iter().map(|stored| stored.item.id.as_str()).collect();
    ids.sort_unstable();
    assert_eq!(ids, ["t-A", "t-a"]);
    assert_eq!(store.items_with_ids(world.project.id, world.user.id, "other", &requested).await.unwrap(), []);
    assert_eq!(store.items_with_ids(world.project.id, world.user.id, "notes", &[]).await.unwrap(), []);
}
