//! The tables of both databases: made and unmade in the same steps, every foreign key indexed, every change recorded.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin should stop")]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use diesel::connection::SimpleConnection as _;
use diesel::sql_types::{BigInt, Text};
use diesel::{Connection as _, PgConnection, QueryableByName, RunQueryDsl, SqliteConnection, sql_query};
use diesel_migrations::{FileBasedMigrations, MigrationHarness as _};
use serde_json::json;
use steward_domain::model::Precondition;
use steward_domain::ports::Store;
use steward_store::scratch::ScratchDatabase;
use steward_store::{PostgresStore, SqliteStore};
use steward_store_contract::fixture::{self, Fixture};

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    line: String,
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

const FOLDERS: [&str; 2] = ["../../migrations/postgres", "../../migrations/sqlite"];

#[test]
fn both_folders_hold_the_same_steps_each_with_a_way_back() {
    let steps = FOLDERS.map(|folder| {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
        let steps: BTreeSet<String> = entries
            .map(|entry| {
                assert!(entry.path().join("up.sql").exists() && entry.path().join("down.sql").exists());
                entry.file_name().into_string().unwrap()
            })
            .collect();
        assert!(!steps.is_empty());
        steps
    });
    let [postgres, sqlite] = steps;
    assert_eq!(postgres, sqlite);
}

#[test]
fn what_goes_up_comes_down_and_goes_up_again_on_postgres() {
    let database = ScratchDatabase::create().unwrap();
    let mut conn = PgConnection::establish(&database.url()).unwrap();
    let migrations = FileBasedMigrations::from_path(FOLDERS.first().unwrap()).unwrap();
    conn.run_pending_migrations(migrations.clone()).unwrap();
    conn.revert_all_migrations(migrations.clone()).unwrap();
    let tables = "SELECT count(*) AS count FROM information_schema.tables WHERE table_schema = 'public'";
    let left: Count = sql_query(tables).get_result(&mut conn).unwrap();
    assert_eq!(left.count, 1, "only the list of migrations stays");
    conn.run_pending_migrations(migrations).unwrap();
    let unindexed = "SELECT c.conrelid::regclass::text || ' ' || c.conname AS line FROM pg_constraint c \
        WHERE c.contype = 'f' AND NOT EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = c.conrelid \
        AND (i.indkey::int2[])[0:cardinality(c.conkey) - 1] @> c.conkey)";
    let unindexed: Vec<Line> = sql_query(unindexed).load(&mut conn).unwrap();
    let unindexed: Vec<String> = unindexed.into_iter().map(|line| line.line).collect();
    assert!(unindexed.is_empty(), "foreign keys without an index: {unindexed:?}");
}

/// PostgreSQL writes an updated row to every index, unless no column that changes is in an index or its condition.
#[test]
fn no_index_of_items_has_a_column_that_a_put_changes() {
    let database = ScratchDatabase::create().unwrap();
    PostgresStore::migrate(&database.url()).unwrap();
    let mut conn = PgConnection::establish(&database.url()).unwrap();
    let indexes = "SELECT indexdef AS line FROM pg_indexes WHERE tablename IN ('items', 'project_usage')";
    let indexes: Vec<Line> = sql_query(indexes).load(&mut conn).unwrap();
    assert_eq!(indexes.len(), 3);
    for column in ["value", "updated_at", "revision", "bytes", "items,"] {
        let slow: Vec<&Line> = indexes.iter().filter(|index| index.line.contains(column)).collect();
        assert!(slow.is_empty(), "{column}: {}", slow[0].line);
    }
}

#[test]
fn what_goes_up_comes_down_and_goes_up_again_on_sqlite() {
    let mut conn = SqliteConnection::establish(":memory:").unwrap();
    let migrations = FileBasedMigrations::from_path(FOLDERS.last().unwrap()).unwrap();
    conn.run_pending_migrations(migrations.clone()).unwrap();
    conn.revert_all_migrations(migrations.clone()).unwrap();
    let tables = "SELECT count(*) AS count FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'";
    let left: Count = sql_query(tables).get_result(&mut conn).unwrap();
    assert_eq!(left.count, 1, "only the list of migrations stays");
    conn.run_pending_migrations(migrations).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_migration_that_waits_for_a_lock_is_tried_again() {
    let database = ScratchDatabase::create().unwrap();
    PostgresStore::migrate(&database.url()).unwrap();
    let mut conn = PgConnection::establish(&database.url()).unwrap();
    conn.batch_execute("BEGIN; LOCK TABLE __diesel_schema_migrations").unwrap();
    let holder = std::thread::spawn(move || {
        // Longer than a migration waits.
        std::thread::sleep(Duration::from_secs(3));
        conn.batch_execute("COMMIT").unwrap();
    });
    PostgresStore::migrate(&database.url()).unwrap();
    holder.join().unwrap();
}

/// What would stop everybody else on a large table, in a migration of PostgreSQL after the first.
fn stops_others(sql: &str) -> Option<&str> {
    let code = sql.lines().filter(|line| !line.trim_start().starts_with("--"));
    let mut statements = code.map(str::trim).filter(|line| !line.is_empty());
    statements.find(|line| {
        let line = line.to_uppercase();
        let makes_index = line.contains("CREATE INDEX") || line.contains("CREATE UNIQUE INDEX");
        line.starts_with("UPDATE ") || makes_index && !line.contains(" CONCURRENTLY ")
    })
}

#[test]
fn no_migration_stops_those_who_read_and_write() {
    assert_eq!(stops_others("-- UPDATE\nUPDATE items SET bytes = 0;"), Some("UPDATE items SET bytes = 0;"));
    assert!(stops_others("ALTER TABLE a ADD b text;\nCREATE UNIQUE INDEX i ON a (b);").is_some());
    assert_eq!(stops_others("CREATE INDEX CONCURRENTLY i ON a (b);"), None);
    let mut steps: Vec<_> = std::fs::read_dir(FOLDERS[0]).unwrap().map(|entry| entry.unwrap().path()).collect();
    steps.sort();
    assert!(!steps.is_empty());
    // The first fills an empty database.
    for step in steps.iter().skip(1) {
        let sql = std::fs::read_to_string(step.join("up.sql")).unwrap();
        assert_eq!(stops_others(&sql), None, "{}", step.display());
    }
}

const EVENTS: &str = "SELECT operation || ' ' || action || ' ' || actor_kind || ' ' || target_id AS line \
    FROM (SELECT position, operation, action, actor_kind, target_id FROM audit_events WHERE target_kind = 'team' \
    UNION ALL SELECT position, operation, action, actor_kind, item_id FROM item_changes) AS events ORDER BY position";

/// Makes a world and an item in it; what is refused must leave no event.
async fn change_and_be_refused(store: Arc<dyn Store>) -> Vec<String> {
    let world = Fixture::make(&store, "acme").await;
    world.put(&store, "x", json!({}), Precondition::None).await.unwrap();
    assert!(world.put(&store, "x", json!({}), Precondition::Absent).await.is_err());
    assert!(fixture::try_insert(&store, [world.team.clone().into()]).await.is_err());
    store.commit(fixture::change().remove_item(world.place("x"), Precondition::None)).await.unwrap();
    let created = format!("provisionAccount team.created system {}", world.team.id);
    let of_item = |verb: &str| format!("provisionAccount item.{verb} system x");
    vec![created, of_item("updated"), of_item("deleted")]
}

#[tokio::test(flavor = "multi_thread")]
async fn every_change_is_recorded_with_it_and_a_refused_one_is_not_on_sqlite() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db").display().to_string();
    SqliteStore::migrate(&path).unwrap();
    let expected = change_and_be_refused(Arc::new(SqliteStore::open(&path, 1).unwrap())).await;
    let mut conn = SqliteConnection::establish(&path).unwrap();
    // The store's own connections may still be closing, and hold the file while they do.
    conn.batch_execute("PRAGMA busy_timeout = 5000").unwrap();
    let events: Vec<Line> = sql_query(EVENTS).load(&mut conn).unwrap();
    assert_eq!(events.into_iter().map(|event| event.line).collect::<Vec<_>>(), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_change_is_recorded_with_it_and_a_refused_one_is_not_on_postgres() {
    let database = ScratchDatabase::create().unwrap();
    PostgresStore::migrate(&database.url()).unwrap();
    let expected = change_and_be_refused(Arc::new(PostgresStore::open(&database.url(), 1).unwrap())).await;
    let mut conn = PgConnection::establish(&database.url()).unwrap();
    let events: Vec<Line> = sql_query(EVENTS).load(&mut conn).unwrap();
    assert_eq!(events.into_iter().map(|event| event.line).collect::<Vec<_>>(), expected);
}
