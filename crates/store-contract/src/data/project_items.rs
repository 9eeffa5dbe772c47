//! Rules of lists of the items of all users of a project.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use steward_domain::data::schema::Document;
use steward_domain::data::{Item, ItemId, ItemKey, ItemQuery, ProjectItemPage, ProjectUser, RawItemQuery, TableSize};
use steward_domain::kernel::{PageSize, Precondition, ProjectUserId};

use crate::fixture::{Fixture, TestStore, account, change, insert, insert_many, later, user};

fn schema() -> Document {
    let fields = json!({"t": {"type": "string", "required": true}, "n": {"type": "number"}});
    Document::parse(&json!({"project_id": "p", "version": 1, "tables": {"notes": {"fields": fields}}})).unwrap()
}

/// Returns a query of the items of all users in the table `notes`.
fn ask(parameters: &[(&str, &str)], cursor: Option<String>) -> ItemQuery {
    let parameters = parameters.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    ItemQuery::parse_of_project(&RawItemQuery { parameters, cursor, size: PageSize::MAX }, &schema(), "notes").unwrap()
}

/// Returns a page of the table `notes`.
async fn page(store: &TestStore, world: &Fixture, query: ItemQuery) -> ProjectItemPage {
    query.clone().project_page(store.project_items(world.project.id, "notes", &query).await.unwrap())
}

/// Returns the users and IDs of all items that match, in pages of this number of items.
async fn all(store: &TestStore, world: &Fixture, parameters: &[(&str, &str)], limit: &str) -> Vec<(usize, String)> {
    let parameters: Vec<_> = parameters.iter().copied().chain([("limit", limit)]).collect();
    let (mut found, mut cursor) = (Vec::new(), None);
    loop {
        let ProjectItemPage { page, stopped } = page(store, world, ask(&parameters, cursor)).await;
        assert_eq!(stopped, None);
        found.extend(page.items.into_iter().map(|stored| {
            assert_eq!((stored.item.project_id, stored.item.table.as_str()), (world.project.id, "notes"));
            (stored.item.user_id, stored.item.id.as_str().to_owned())
        }));
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    let users: BTreeSet<_> = found.iter().map(|(user, _)| *user).collect();
    found.into_iter().map(|(user, id)| (users.iter().position(|other| *other == user).unwrap(), id)).collect()
}

/// Adds a user to the project.
async fn add_user(store: &TestStore, world: &Fixture, name: &str) -> ProjectUser {
    let person = account(name);
    let added = user(&world.project, &person);
    insert(store, [person.into(), added.clone().into()]).await;
    added
}

async fn put(store: &TestStore, (world, owner): (&Fixture, &ProjectUser), (table, id): (&str, &str), value: Value) {
    let item = Item { user_id: owner.id, table: table.into(), ..world.item(id, value) };
    store.commit(change().put(item, Precondition::None)).await.unwrap();
}

/// A project with three users. The second one has no notes.
async fn fixture(store: &TestStore) -> (Fixture, [ProjectUser; 2]) {
    let (world, other) = (Fixture::make(store, "acme").await, Fixture::make(store, "other").await);
    let (ann, bob) = (add_user(store, &world, "ann").await, add_user(store, &world, "bob").await);
    put(store, (&world, &ann), ("a_table", "x"), json!({})).await;
    put(store, (&world, &ann), ("z_table", "x"), json!({})).await;
    for (owner, id, value) in [
        (&world.user, "b", json!({"t": "B", "n": 2})),
        (&bob, "a", json!({"t": "A", "n": 3})),
        (&world.user, "a", json!({"t": "C", "n": 1})),
        (&bob, "c", json!({"n": 2})),
        (&bob, "b", json!({"t": "D", "n": 2, "old": 1})),
    ] {
        put(store, (&world, owner), ("notes", id), value).await;
    }
    put(store, (&world, &world.user), ("a_table", "c"), json!({})).await;
    put(store, (&world, &bob), ("z_table", "c"), json!({})).await;
    put(store, (&other, &other.user), ("notes", "other"), json!({"t": "Other"})).await;
    (world, [ann, bob])
}

fn keys(text: &str) -> Vec<(usize, String)> {
    text.split_whitespace().map(|key| (key[..1].parse().unwrap(), key[1..].to_owned())).collect()
}

pub async fn items_of_all_users_are_listed_by_user_and_id(store: TestStore) {
    let (world, _) = fixture(&store).await;
    for limit in ["1", "2", "3", "4", "5", "6"] {
        assert_eq!(all(&store, &world, &[], limit).await, keys("0a 0b 1a 1b 1c"), "{limit}");
    }
}

pub async fn items_after_many_users_without_any_are_found(store: TestStore) {
    let (world, _) = fixture(&store).await;
    let people: Vec<_> = (0..120).map(|number| account(&format!("person-{number}"))).collect();
    let users: Vec<_> = people.iter().map(|person| user(&world.project, person)).collect();
    insert_many(&store, people.into_iter().map(Into::into)).await;
    insert_many(&store, users.iter().cloned().map(Into::into)).await;
    put(&store, (&world, users.last().unwrap()), ("notes", "last"), json!({"t": "x"})).await;
    assert_eq!(all(&store, &world, &[], "2").await, keys("0a 0b 1a 1b 1c 2last"));
}

pub async fn a_search_among_all_users_finds_each_item_once_in_any_order(store: TestStore) {
    let (world, [_, bob]) = fixture(&store).await;
    let bob = format!("eq.{}", bob.id);
    for (parameters, expected) in [
        (vec![("n", "eq.2")], "0b 1b 1c"),
        (vec![("n", "gte.2"), ("t", "not.is.null")], "0b 1a 1b"),
        (vec![("id", "a")], "0a 1a"),
        (vec![("user_id", bob.as_str()), ("n", "eq.2")], "0b 0c"),
        (vec![("order", "n.desc")], "1a 1c 1b 0b 0a"),
        (vec![("order", "n")], "0a 0b 1b 1c 1a"),
        (vec![("order", "t")], "1a 0b 0a 1b 1c"),
        (vec![("order", "id")], "0a 1a 0b 1b 1c"),
        (vec![("order", "user_id.desc")], "1c 1b 1a 0b 0a"),
        (vec![("order", "user_id,n.desc")], "0b 0a 1a 1c 1b"),
        (vec![("conforms", "false")], "0b 0c"),
        (vec![("conforms", "true")], "0a 0b 1a"),
        (vec![("conforms", "true"), ("order", "t.desc")], "0a 0b 1a"),
        (vec![("n", "eq.9")], ""),
    ] {
        for limit in ["1", "2", "100"] {
            assert_eq!(all(&store, &world, &parameters, limit).await, keys(expected), "{parameters:?} {limit}");
        }
    }
}

pub async fn items_of_users_who_are_being_deleted_are_not_listed(store: TestStore) {
    let (world, [_, bob]) = fixture(&store).await;
    let deleted = ProjectUser { deletion_started_at: Some(later(0)), ..bob.clone() };
    store.commit(change().replace(bob, deleted)).await.unwrap();
    for parameters in [&[][..], &[("n", "gt.0")], &[("order", "n")]] {
        for limit in ["1", "2", "100"] {
            assert_eq!(all(&store, &world, parameters, limit).await, keys("0a 0b"), "{parameters:?} {limit}");
        }
    }
}

pub async fn items_of_all_users_are_located_by_their_keys(store: TestStore) {
    let (world, [ann, bob]) = fixture(&store).await;
    let key = |table: &str, id: &str| ItemKey { table: table.into(), id: ItemId::parse(id).unwrap() };
    let located = async |keys: &[ItemKey], limit| {
        let rows = store.item_paths(world.project.id, keys, limit).await.unwrap();
        let mut found: Vec<_> = rows.items.into_iter().map(|path| (path.user_id, path.table, path.id)).collect();
        found.sort_by_key(|(user, table, _)| (*user, table.clone()));
        (found, rows.more)
    };
    let sorted = |owners: &[(ProjectUserId, &str, &str)]| {
        let mut paths: Vec<_> =
            owners.iter().map(|(user, table, id)| (*user, (*table).to_owned(), ItemId::parse(id).unwrap())).collect();
        paths.sort_by_key(|(user, table, _)| (*user, table.clone()));
        paths
    };
    let all = [key("notes", "a"), key("a_table", "x"), key("unknown", "a")];
    let expected = sorted(&[(world.user.id, "notes", "a"), (bob.id, "notes", "a"), (ann.id, "a_table", "x")]);
    assert_eq!(located(&all, 9).await, (expected, false));
    assert_eq!(located(&all, 2).await.0.len(), 2);
    assert!(located(&all, 2).await.1, "The third user is not searched.");
    assert_eq!(located(&[key("notes", "A"), key("z_table", "a")], 9).await, (Vec::new(), false));
    assert_eq!(located(&[key("notes", "other")], 9).await, (Vec::new(), false), "It is in another project.");
    assert_eq!(located(&[], 9).await, (Vec::new(), false));

    let deleted = ProjectUser { deletion_started_at: Some(later(0)), ..bob.clone() };
    store.commit(change().replace(bob, deleted)).await.unwrap();
    let rest = sorted(&[(world.user.id, "notes", "a")]);
    assert_eq!(located(&[key("notes", "a")], 9).await, (rest, false), "The other user is being deleted.");
    let person = account("newest");
    let newest = ProjectUser { created_at: later(9), ..user(&world.project, &person) };
    insert(&store, [person.into(), newest.clone().into()]).await;
    put(&store, (&world, &newest), ("notes", "a"), json!({})).await;
    let found = located(&[key("notes", "a")], 1).await;
    assert_eq!(found, (sorted(&[(newest.id, "notes", "a")]), true));
}

pub async fn the_tables_of_a_project_are_counted(store: TestStore) {
    let (world, _) = fixture(&store).await;
    let sizes = store.table_sizes(world.project.id).await.unwrap();
    let size = |table: &str, items, bytes| TableSize { table: table.into(), items, bytes };
    assert!(sizes.is_complete);
    let lengths =
        [r#"{"t":"B","n":2}"#, r#"{"t":"A","n":3}"#, r#"{"t":"C","n":1}"#, r#"{"n":2}"#, r#"{"t":"D","n":2,"old":1}"#];
    let bytes = lengths.iter().map(|text| u64::try_from(text.len()).unwrap()).sum();
    assert_eq!(sizes.tables, [size("a_table", 2, 4), size("notes", 5, bytes), size("z_table", 2, 4)]);
}

pub async fn users_are_found_by_their_ids_in_their_project(store: TestStore) {
    let (world, [ann, bob]) = fixture(&store).await;
    let other = Fixture::make(&store, "more").await;
    let found = store.users_with_ids(world.project.id, &[ann.id, bob.id, other.user.id]).await.unwrap();
    let ids: BTreeSet<_> = found.iter().map(|user| user.id).collect();
    assert_eq!(ids, BTreeSet::from([ann.id, bob.id]));
    assert_eq!(store.users_with_ids(world.project.id, &[]).await.unwrap(), []);
}
