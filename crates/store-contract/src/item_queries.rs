//! Rules of item queries: one table of test cases, so that every store returns the same results.

use serde_json::{Value, json};
use steward_domain::changes::Changes;
use steward_domain::mocks::a_permit;
use steward_domain::model::schema::FieldType;
use steward_domain::model::{AccessBasis, ItemId, ItemPage, ItemQuery, PageSize, Precondition, RawItemQuery};

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

/// Items with values of every type, each created one microsecond after the previous one. Items with the prefix `_`
/// contain values that do not match the type of the field, like items that are older than the field.
fn items() -> Vec<(&'static str, Value)> {
    vec![
        ("empty", json!({})),
        ("t-empty", json!({"t": ""})),
        ("t-a", json!({"t": "a"})),
        ("t-A", json!({"t": "A"})),
        ("t-b", json!({"t": "b", "n": 1})),
        ("t-ae", json!({"t": "ä"})),
        ("t-AE", json!({"t": "Ä"})),
        ("t-emoji", json!({"t": "😀"})),
        ("t-fullwidth", json!({"t": "\u{ff5e}"})),
        ("t-100", json!({"t": "100"})),
        ("t-percent", json!({"t": "100%"})),
        ("t-under", json!({"t": "a_c"})),
        ("t-abc", json!({"t": "abc"})),
        ("t-back", json!({"t": "a\\c"})),
        ("t-star", json!({"t": "a*c"})),
        ("t-class", json!({"t": "[a]?"})),
        ("t-quote", json!({"t": "x,\"y\" 'z'"})),
        ("t-null", json!({"t": "null"})),
        ("t-lines", json!({"t": "one\ntwo"})),
        ("n-0", json!({"n": 0})),
        ("n--0", json!({"n": -0.0})),
        ("n-100", json!({"n": 100})),
        ("n-1e2", json!({"n": 1e2})),
        ("n--5", json!({"n": -5})),
        ("n-.1", json!({"n": 0.1})),
        ("n-.3", json!({"n": 0.1 + 0.2})),
        ("n-53", json!({"n": 9_007_199_254_740_992_i64})),
        ("n-53.1", json!({"n": 9_007_199_254_740_993_i64})),
        ("n-max", json!({"n": i64::MAX})),
        ("n-min", json!({"n": i64::MIN})),
        ("n-u64", json!({"n": u64::MAX})),
        ("n-u64-1", json!({"n": u64::MAX - 1})),
        ("n-1e300", json!({"n": 1.5e300})),
        ("n-1e-300", json!({"n": 1.5e-300})),
        ("b-true", json!({"b": true})),
        ("b-false", json!({"b": false})),
        ("j-object", json!({"j": {"t": "a"}})),
        ("j-array", json!({"j": []})),
        ("_t", json!({"t": 100, "n": "100", "b": 1, "j": "{}"})),
        ("_b", json!({"t": true, "n": true, "b": "true", "j": 1})),
        ("_j", json!({"t": ["a"], "n": [100], "b": {}, "j": false})),
    ]
}

async fn stored_fixture(store: &TestStore) -> Fixture {
    let world = Fixture::make(store, "acme").await;
    store_items(store, &world).await;
    world
}

/// Stores all test items.
pub(crate) async fn store_items(store: &TestStore, world: &Fixture) {
    for (number, (id, value)) in (0..).zip(items()) {
        let put = Changes::by(a_permit(), later(number)).put(world.item(id, value), Precondition::None);
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

const T: &str = "t-100 t-A t-AE t-a t-abc t-ae t-b t-back t-class t-emoji t-empty t-fullwidth t-lines t-null t-percent \
    t-quote t-star t-under";
const N: &str = "n--0 n--5 n-.1 n-.3 n-0 n-100 n-1e-300 n-1e2 n-1e300 n-53 n-53.1 n-max n-min n-u64 n-u64-1 t-b";

/// Queries, and the IDs of the items they match, sorted byte by byte.
const CONDITIONS: &[(&str, &str)] = &[
    // Text is compared exactly.
    ("t=eq.a", "t-a"),
    ("t=eq.", "t-empty"),
    ("t=eq.100", "t-100"),
    ("t=eq.null", "t-null"),
    ("t=eq.ä", "t-ae"),
    ("t=eq.1e2", ""),
    ("t=eq.x,\"y\" 'z'", "t-quote"),
    ("t=eq.' OR 1=1 --", ""),
    ("t=neq.a&t=lte.abc&t=gt.A", "t-abc t-star t-back t-class t-under"),
    // Text is ordered by its UTF-8 bytes.
    ("t=lt.A", "t-100 t-empty t-percent"),
    ("t=gte.ä", "t-ae t-emoji t-fullwidth"),
    ("t=gt.\u{ff5e}", "t-emoji"),
    ("t=gt.null&t=lt.ä", "t-AE t-lines t-quote"),
    // Only `*` is a wildcard.
    ("t=like.a*", "t-a t-abc t-back t-star t-under"),
    ("t=like.a*c", "t-abc t-back t-star t-under"),
    ("t=like.*", T),
    ("t=like.", "t-empty"),
    ("t=like.a_c", "t-under"),
    ("t=like.100%", "t-percent"),
    ("t=like.*%", "t-percent"),
    ("t=like.a\\c", "t-back"),
    ("t=like.[a]?", "t-class"),
    ("t=like.[a]*", "t-class"),
    ("t=like.?", ""),
    ("t=like.*ä*", "t-ae"),
    ("t=like.*e*t*o*", "t-lines"),
    ("t=ilike.A*C", "t-abc t-back t-star t-under"),
    ("t=ilike.a", "t-A t-a"),
    ("t=ilike.A_C", "t-under"),
    ("t=ilike.A\\C", "t-back"),
    // Letters other than A to Z are case-sensitive in every database.
    ("t=ilike.Ä", "t-AE"),
    ("t=not.like.*", ""),
    ("t=not.like.*a*&t=not.ilike.*e*", "t-100 t-A t-AE t-ae t-b t-emoji t-empty t-fullwidth t-null t-percent t-quote"),
    ("t=in.(a,A,zzz)", "t-A t-a"),
    ("t=in.(\"x,\\\"y\\\" 'z'\",\"\")", "t-empty t-quote"),
    ("t=in.(a\\c)", "t-back"),
    // An absent value or a value of another type is neither equal nor unequal to anything.
    ("t=not.eq.a&t=in.(a,b)", "t-b"),
    ("t=not.in.(a)&t=like.?", ""),
    ("t=is.null", "!t"),
    ("t=not.is.null", T),
    ("n=eq.100", "n-100 n-1e2"),
    ("n=eq.1e2", "n-100 n-1e2"),
    ("n=eq.100.0", "n-100 n-1e2"),
    ("n=eq.0", "n--0 n-0"),
    ("n=eq.-0", "n--0 n-0"),
    ("n=eq.0.1", "n-.1"),
    ("n=eq.0.30000000000000004", "n-.3"),
    ("n=eq.0.3", ""),
    ("n=lt.0", "n--5 n-min"),
    ("n=gte.-5&n=lte.1", "n--0 n--5 n-.1 n-.3 n-0 n-1e-300 t-b"),
    ("n=gt.0&n=lt.0.1", "n-1e-300"),
    ("n=eq.1.5e-300", "n-1e-300"),
    // 64-bit integers are exact; all other numbers are doubles.
    ("n=eq.9007199254740993", "n-53.1"),
    ("n=gt.9007199254740992&n=lt.1e17", "n-53.1"),
    ("n=eq.9223372036854775807", "n-max"),
    ("n=eq.-9223372036854775808", "n-min"),
    ("n=eq.18446744073709551615", "n-u64 n-u64-1"),
    ("n=eq.18446744073709551616", "n-u64 n-u64-1"),
    ("n=gt.9223372036854775807", "n-1e300 n-u64 n-u64-1"),
    ("n=gt.1e299", "n-1e300"),
    ("n=in.(1,100,-5)", "n--5 n-100 n-1e2 t-b"),
    ("n=neq.1&n=not.gt.100&n=not.lt.0", "n--0 n-.1 n-.3 n-0 n-100 n-1e-300 n-1e2"),
    ("n=is.null", "!n"),
    ("n=not.is.null", N),
    ("b=eq.true", "b-true"),
    ("b=neq.true", "b-false"),
    ("b=not.eq.true", "b-false"),
    ("b=is.true", "b-true"),
    ("b=is.false", "b-false"),
    ("b=not.is.true", "!b b-false"),
    ("b=is.null", "!b"),
    ("j=not.is.null", "j-array j-object"),
    ("j=is.null&n=is.null&t=is.null", "_b _j _t b-false b-true empty"),
    // Conditions on the columns of every item.
    ("id=t-a", "t-a"),
    ("id=eq.t-a", "t-a"),
    ("id=in.(t-a,t-A,nothing)", "t-A t-a"),
    ("id=ilike.T-A", "t-A t-a"),
    ("id=like._*", "_b _j _t"),
    ("id=gte.t-u", "t-under"),
    ("id=is.null", ""),
    ("created_at=lte.2026-01-01T00:00:00.000002Z", "empty t-a t-empty"),
    ("created_at=lt.2026-01-01T01:00:00.000002+01:00", "empty t-empty"),
    ("created_at=eq.2026-01-01T00:00:00.000002Z", "t-a"),
    ("updated_at=in.(2026-01-01T00:00:00.000001Z,2026-01-01T00:00:00.000002Z)", "t-a t-empty"),
    ("updated_at=gt.9999-12-31T23:59:59Z", ""),
    ("created_at=lt.0000-01-01T00:00:00Z", ""),
];

/// Returns the expected IDs of a case. `!t` means all items without a valid value of field `t`.
fn expected(case: &str) -> Vec<&str> {
    let all: Vec<&'static str> = items().into_iter().map(|(id, _)| id).collect();
    let with = |field: &str| match field {
        "t" => T.split_whitespace().collect::<Vec<_>>(),
        "n" => N.split_whitespace().collect(),
        _ => vec!["b-true", "b-false"],
    };
    let mut ids: Vec<&str> = Vec::new();
    for word in case.split_whitespace() {
        match word.strip_prefix('!') {
            Some(field) => ids.extend(all.iter().filter(|id| !with(field).contains(id))),
            None => ids.push(word),
        }
    }
    ids.sort_unstable();
    ids
}

pub async fn each_condition_finds_the_same_items_in_every_store(store: TestStore) {
    let world = stored_fixture(&store).await;
    conditions_hold(&store, &world).await;
}

/// Asserts that every query matches the items of its case.
pub(crate) async fn conditions_hold(store: &TestStore, world: &Fixture) {
    let mut wrong = Vec::new();
    for (query, case) in CONDITIONS {
        let mut found = ids(store, world, &split_query(query)).await;
        found.sort_unstable();
        let expected = expected(case);
        if found != expected {
            wrong.push(format!("{query} matched {found:?} instead of {expected:?}."));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Orders, and the IDs of the first items.
const ORDERS: &[(&str, &str)] = &[
    ("limit=3", "_j _b _t"),
    ("order=created_at&limit=3", "empty t-empty t-a"),
    ("order=created_at.asc&created_at=gt.2026-01-01T00:00:00.000035Z", "j-object j-array _t _b _j"),
    ("order=updated_at.desc&limit=2", "_j _b"),
    ("order=id&limit=4", "_b _j _t b-false"),
    ("order=id.desc&limit=2", "t-under t-star"),
    // Text is ordered by bytes, not by a locale; equal values by ID.
    ("order=t&limit=8", "t-empty t-100 t-percent t-A t-class t-a t-star t-back"),
    ("order=t.desc&limit=4", "t-emoji t-fullwidth t-ae t-AE"),
    (
        "order=n&n=not.is.null",
        "n-min n--5 n--0 n-0 n-1e-300 n-.1 n-.3 t-b n-100 n-1e2 n-53 n-53.1 n-max n-u64 n-u64-1 n-1e300",
    ),
    ("order=n.desc&limit=4", "n-1e300 n-u64-1 n-u64 n-max"),
    // Absent values come last in both directions.
    ("order=b&limit=4", "b-false b-true _b _j"),
    ("order=b.desc&limit=4", "b-true b-false t-under t-star"),
    ("order=b.desc,id.asc&limit=4", "b-true b-false _b _j"),
    ("order=b,t.desc&limit=4", "b-false b-true t-emoji t-fullwidth"),
    ("order=order_by,n,t&limit=2", "n-min n--5"),
];

pub async fn each_order_is_the_same_in_every_store(store: TestStore) {
    let world = stored_fixture(&store).await;
    orders_hold(&store, &world).await;
}

/// Asserts that every order returns the items of its case first.
pub(crate) async fn orders_hold(store: &TestStore, world: &Fixture) {
    for (query, case) in ORDERS {
        let found = ids(store, world, &split_query(query)).await;
        assert_eq!(found, case.split_whitespace().collect::<Vec<_>>(), "{query}");
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
