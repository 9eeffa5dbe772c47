//! The stored keys of indexed fields: each item has one key per field, and deleted items, fields, and projects leave no
//! keys.

#![expect(clippy::unwrap_used, reason = "a test panics if its setup fails")]

use std::sync::Arc;

use diesel::connection::SimpleConnection as _;
use diesel::sql_types::Text;
use diesel::{Connection as _, PgConnection, QueryableByName, RunQueryDsl, SqliteConnection, sql_query};
use serde_json::json;
use steward_domain::Store;
use steward_domain::kernel::Precondition;
use steward_store::scratch::ScratchDatabase;
use steward_store::{PostgresStore, SqliteStore};
use steward_store_contract::fixture::{Fixture, change, insert, schema};

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    line: String,
}

/// Publishes a schema version with these indexed fields in the table `notes`.
async fn publish(store: &Arc<dyn Store>, world: &Fixture, number: u32, indexed: &[&str]) {
    let field = |name: &str| json!({"type": "string", "indexed": indexed.contains(&name)});
    let tables = json!({"notes": {"fields": {"t": field("t"), "u": field("u")}}});
    let document = json!({"project_id": "p", "version": number, "tables": tables});
    insert(store, [schema(&world.project, number, document).into()]).await;
}

/// Returns the indexed fields with their states, and the total number of keys.
fn keys(query: &mut impl FnMut(&str) -> Vec<Line>) -> (String, usize) {
    let fields = query("SELECT table_name || '.' || field || ' ' || state AS line FROM indexed_fields ORDER BY id");
    let fields: Vec<String> = fields.into_iter().map(|field| field.line).collect();
    (fields.join(", "), query("SELECT item_id AS line FROM item_keys").len())
}

async fn index(store: &Arc<dyn Store>) {
    while store.index_items(None, 2).await.unwrap().more {}
}

/// `query` runs a query on the database.
async fn every_item_has_its_keys_and_deleted_rows_leave_none(
    store: Arc<dyn Store>,
    mut query: impl FnMut(&str) -> Vec<Line>,
) {
    let mut keys = || keys(&mut query);
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    for id in ["a", "b", "c"] {
        world.put(&store, id, json!({"t": id}), Precondition::None).await.unwrap();
        other.put(&store, id, json!({"t": id}), Precondition::None).await.unwrap();
    }
    assert_eq!(keys(), (String::new(), 0));
    publish(&store, &world, 1, &["t"]).await;
    assert_eq!(keys(), ("notes.t new".into(), 0));
    index(&store).await;
    assert_eq!(keys(), ("notes.t filled".into(), 3));
    publish(&store, &world, 2, &["t", "u"]).await;
    world.put(&store, "d", json!({}), Precondition::None).await.unwrap();
    assert_eq!(keys(), ("notes.t filled, notes.u new".into(), 5));
    index(&store).await;
    assert_eq!(keys(), ("notes.t filled, notes.u filled".into(), 8));

    store.commit(change().remove_item(world.place("d"), Precondition::None)).await.unwrap();
    assert_eq!(keys().1, 6);
    publish(&store, &world, 3, &["u"]).await;
    assert_eq!(keys(), ("notes.t retired, notes.u filled".into(), 6));
    publish(&store, &world, 4, &["t", "u"]).await;
    assert_eq!(keys().0, "notes.t retired, notes.u filled, notes.t new");
    index(&store).await;
    assert_eq!(keys(), ("notes.u filled, notes.t filled".into(), 6));

    publish(&store, &other, 1, &["t"]).await;
    index(&store).await;
    store.commit(change().remove(world.project.clone())).await.unwrap();
    while store.remove_data(world.project.id, 2).await.unwrap() {}
    assert_eq!(keys(), ("notes.t filled".into(), 3));
    store.commit(change().remove(other.user.clone())).await.unwrap();
    assert_eq!(keys(), ("notes.t filled".into(), 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_item_has_its_keys_and_deleted_rows_leave_none_on_sqlite() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db").display().to_string();
    SqliteStore::migrate(&path).unwrap();
    let mut conn = SqliteConnection::establish(&path).unwrap();
    conn.batch_execute("PRAGMA busy_timeout = 5000").unwrap();
    let store = Arc::new(SqliteStore::open(&path, 1).unwrap());
    let query = |sql: &str| sql_query(sql).load(&mut conn).unwrap();
    every_item_has_its_keys_and_deleted_rows_leave_none(store, query).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_item_has_its_keys_and_deleted_rows_leave_none_on_postgres() {
    let database = ScratchDatabase::migrated().unwrap();
    let mut conn = PgConnection::establish(&database.url()).unwrap();
    let store = Arc::new(PostgresStore::open(&database.url(), 1).unwrap());
    let query = |sql: &str| sql_query(sql).load(&mut conn).unwrap();
    every_item_has_its_keys_and_deleted_rows_leave_none(store, query).await;
}

/// Publishes a field on PostgreSQL between `begin` and `end` of a transaction that writes an item. Asserts that the
/// field is not filled before the transaction ends, and that its keys then include the written value.
async fn assert_waits_for_transaction(begin: &str, end: &str) {
    let database = ScratchDatabase::migrated().unwrap();
    let store: Arc<dyn Store> = Arc::new(PostgresStore::open(&database.url(), 2).unwrap());
    let mut conn = PgConnection::establish(&database.url()).unwrap();
    let mut query_conn = PgConnection::establish(&database.url()).unwrap();
    let world = Fixture::make(&store, "acme").await;
    world.put(&store, "a", json!({"t": "before"}), Precondition::None).await.unwrap();

    conn.batch_execute(begin).unwrap();
    publish(&store, &world, 1, &["t"]).await;
    for _ in 0..5 {
        assert!(store.index_items(None, 10).await.unwrap().more);
    }
    let mut query = |sql: &str| -> Vec<Line> { sql_query(sql).load(&mut query_conn).unwrap() };
    assert_eq!(keys(&mut query), ("notes.t new".into(), 0));
    conn.batch_execute(end).unwrap();
    index(&store).await;
    assert_eq!(keys(&mut query), ("notes.t filled".into(), 1));
    let key = query("SELECT text_key AS line FROM item_keys");
    assert_eq!(key.first().map(|key| key.line.as_str()), Some("after"));
}

/// In PostgreSQL, a write can start before the field is visible and end afterwards. SQLite has a single writer.
#[tokio::test(flavor = "multi_thread")]
async fn filling_waits_for_writes_that_started_before_the_field_on_postgres() {
    assert_waits_for_transaction("BEGIN; UPDATE items SET value = '{\"t\": \"after\"}'", "COMMIT").await;
}

/// A write can read the indexed fields before the new field is visible, and get its transaction ID afterwards.
#[tokio::test(flavor = "multi_thread")]
async fn filling_waits_for_snapshots_from_before_the_field_on_postgres() {
    let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM indexed_fields";
    assert_waits_for_transaction(begin, "UPDATE items SET value = '{\"t\": \"after\"}'; COMMIT").await;
}
