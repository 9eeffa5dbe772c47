//! Rules of finding items that do not match a new schema document.

use serde_json::{Value, json};
use steward_domain::data::schema::FieldType::{Boolean, Json, Number, String as Text};
use steward_domain::data::schema::Mismatch::{Holds, HoldsBeside, HoldsOther, Lacks, Stored};
use steward_domain::data::schema::{Mismatch, MismatchQuery, Mismatches};
use steward_domain::data::{Item, ItemId};
use steward_domain::kernel::changes::Changes;
use steward_domain::kernel::{Precondition, ProjectUserId};
use steward_domain::mocks::a_permit;

use crate::fixture::{Fixture, MAX_WRITES, TestStore, account, change, insert, later, user};

fn query(any: Vec<Mismatch>) -> MismatchQuery {
    MismatchQuery { table: "notes".into(), any }
}

async fn results(store: &TestStore, world: &Fixture, queries: &[MismatchQuery]) -> Vec<Mismatches> {
    store.mismatches(world.project.id, queries, 5).await.unwrap().unwrap()
}

fn found(ids: &[&str]) -> Mismatches {
    Mismatches {
        count: u64::try_from(ids.len()).unwrap(),
        samples: ids.iter().map(|id| ItemId::parse(id).unwrap()).collect(),
    }
}

/// Creates a fixture with items that contain different kinds of values in `f`. Their IDs name the kind.
async fn fixture_with_kinds(store: &TestStore) -> Fixture {
    let world = Fixture::make(store, "acme").await;
    for (id, value) in [
        ("array", json!({"f": []})),
        ("float", json!({"f": 0.5, "g": 1})),
        ("int", json!({"f": 0})),
        ("no", json!({"f": false})),
        ("none", json!({})),
        ("null", json!({"f": null})),
        ("object", json!({"f": {"f": 1}})),
        ("other", json!({"F": 1, "ff": 2})),
        ("text", json!({"f": ""})),
        ("yes", json!({"f": true})),
    ] {
        world.put(store, id, value, Precondition::None).await.unwrap();
    }
    world
}

pub async fn each_mismatch_finds_its_items(store: TestStore) {
    let world = fixture_with_kinds(&store).await;
    let f = || "f".to_owned();
    for (any, ids) in [
        (vec![Lacks(f())], vec!["none", "null", "other"]),
        (
            vec![HoldsOther(f(), Text), Holds("ff".into())],
            vec!["array", "float", "int", "no", "object", "other", "yes"],
        ),
        (vec![HoldsOther(f(), Boolean)], vec!["array", "float", "int", "object", "text"]),
        (vec![HoldsOther(f(), Number)], vec!["array", "no", "object", "text", "yes"]),
        (vec![HoldsOther(f(), Json)], vec!["float", "int", "no", "text", "yes"]),
        (vec![HoldsBeside(vec![f(), "F".into()])], vec!["float", "other"]),
        (vec![HoldsBeside(vec![f(), "F".into(), "ff".into(), "g".into()])], vec![]),
        (vec![Holds("$.f".into())], vec![]),
        (vec![], vec![]),
    ] {
        let results = store.mismatches(world.project.id, &[query(any.clone())], 10).await.unwrap().unwrap();
        assert_eq!(results, [found(&ids)], "{any:?}");
    }
    let counts = [vec![Holds(f())], vec![Stored], vec![HoldsBeside(vec![])], vec![Stored, Lacks(f())]];
    let counts = results(&store, &world, &counts.map(query)).await;
    assert_eq!(counts.iter().map(|mismatches| mismatches.count).collect::<Vec<_>>(), [7, 10, 9, 10]);
}

pub async fn results_are_in_the_order_of_the_queries(store: TestStore) {
    let world = fixture_with_kinds(&store).await;
    let elsewhere = Item { table: "a_table".into(), ..world.item("x", json!({"f": 1})) };
    store.commit(change().put(elsewhere, Precondition::None)).await.unwrap();
    let query_of = |table: &str, error: Mismatch| MismatchQuery { table: table.into(), any: vec![error] };
    let queries = [
        query_of("notes", Holds("g".into())),
        query_of("a_table", Stored),
        query_of("nothing", Stored),
        query_of("notes", Holds("ff".into())),
        query_of("a_table", Lacks("f".into())),
    ];
    let expected = [found(&["float"]), found(&["x"]), found(&[]), found(&["other"]), found(&[])];
    assert_eq!(results(&store, &world, &queries).await, expected);
    assert_eq!(results(&store, &world, &[]).await, []);
}

pub async fn samples_are_limited_and_list_each_id_once(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let ann = account("ann");
    let second = user(&world.project, &ann);
    insert(&store, [ann.into(), second.clone().into()]).await;
    // The creation order differs from the order of the IDs.
    for (number, id) in ["d", "b", "f", "a", "c", "e"].into_iter().enumerate() {
        for owner in [second.id, world.user.id] {
            let item = Item { user_id: owner, ..world.item(id, json!({})) };
            let at = later(i64::try_from(number).unwrap());
            store.commit(Changes::by(a_permit(), at).put(item, Precondition::None)).await.unwrap();
        }
    }
    let ids =
        |mismatches: &[Mismatches]| mismatches[0].samples.iter().map(|id| id.as_str().to_owned()).collect::<Vec<_>>();
    let all = ["a", "b", "c", "d", "e", "f"];
    for (samples, named) in [(0, vec![]), (2, vec!["a", "b"]), (5, all[..5].to_vec()), (12, all.to_vec())] {
        let found = store.mismatches(world.project.id, &[query(vec![Stored])], samples).await.unwrap().unwrap();
        assert_eq!((found[0].count, ids(&found)), (12, named.into_iter().map(str::to_owned).collect()));
    }
}

pub async fn items_of_another_project_are_not_checked(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    other.put(&store, "x", json!({}), Precondition::None).await.unwrap();
    assert_eq!(results(&store, &world, &[query(vec![Stored])]).await, [found(&[])]);
    assert_eq!(results(&store, &other, &[query(vec![Stored])]).await, [found(&["x"])]);
}

pub async fn the_maximum_number_of_mismatches_is_checked_at_once(store: TestStore) {
    let world = fixture_with_kinds(&store).await;
    let names: Vec<String> = (0..200).map(|number| format!("field_{number}")).collect();
    let removed = names.iter().map(|name| query(vec![Holds(name.clone())]));
    let added = names.iter().map(|name| query(vec![HoldsOther(format!("{name}_new"), Number), Lacks("f".into())]));
    let any = names.iter().flat_map(|name| [HoldsOther(name.clone(), Text), Lacks(name.clone())]);
    let table = query(std::iter::once(HoldsBeside(names.clone())).chain(any).collect());
    let queries: Vec<MismatchQuery> = removed.chain(added).chain([table]).collect();
    let counts: Vec<u64> = results(&store, &world, &queries).await.iter().map(|mismatches| mismatches.count).collect();
    assert_eq!(counts, [vec![0; 200], vec![3; 200], vec![10]].concat());
}

pub async fn a_large_table_is_checked_completely(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let ann = account("ann");
    let second = user(&world.project, &ann);
    insert(&store, [ann.into(), second.clone().into()]).await;
    // More items than a store is likely to scan in one statement, of two users, and with another table in between.
    let put = |owner: ProjectUserId, table: &str, number: usize, value: Value| {
        let item = world.item(&format!("n{number}"), value);
        (Item { user_id: owner, table: table.into(), ..item }, Precondition::None)
    };
    let mut items = Vec::new();
    for number in 0..2_100 {
        let value = if number % 200 == 0 { json!({"f": 1}) } else { json!({}) };
        items.push(put(if number % 2 == 0 { world.user.id } else { second.id }, "notes", number, value));
    }
    items.extend((0..10).map(|number| put(world.user.id, "a_table", number, json!({"f": 1}))));
    for some in items.chunks(MAX_WRITES) {
        let changes = some.iter().cloned().fold(change(), |changes, (item, when)| changes.put(item, when));
        store.commit(changes).await.unwrap();
    }
    let found = results(&store, &world, &[query(vec![Holds("f".into())]), query(vec![Lacks("f".into())])]).await;
    assert_eq!(found.iter().map(|mismatches| mismatches.count).collect::<Vec<_>>(), [11, 2_089]);
    assert_eq!(found[0].samples.len(), 5);
}
