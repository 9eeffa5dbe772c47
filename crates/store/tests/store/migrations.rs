//! Tests of the migrations of both databases: they match, can be reverted, index every foreign key, and record every
//! change.

#![expect(clippy::unwrap_used, reason = "a test panics if its setup fails")]

use std::collections::BTreeSet;
use std::sync::Arc;

use diesel::connection::SimpleConnection as _;
use diesel::sql_types::{BigInt, Text};
use diesel::{Connection as _, PgConnection, QueryableByName, RunQueryDsl, SqliteConnection, sql_query};
use diesel_migrations::{FileBasedMigrations, MigrationHarness as _};
use serde_json::json;
use steward_domain::Store;
use steward_domain::kernel::Precondition;
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
fn both_folders_contain_the_same_reversible_migrations() {
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
fn migrations_can_be_reverted_and_run_again_on_postgres() {
    let database = ScratchDatabase::create().unwrap();
    let mut conn = PgConnection::establish(&database.url()).unwrap();
    let migrations = FileBasedMigrations::from_path(FOLDERS.first().unwrap()).unwrap();
    conn.run_pending_migrations(migrations.clone()).unwrap();
    conn.revert_all_migrations(migrations.clone()).unwrap();
    let tables = "SELECT count(*) AS count FROM information_schema.tables WHERE table_schema = 'public'";
    let remaining: Count = sql_query(tables).get_result(&mut conn).unwrap();
    assert_eq!(remaining.count, 1, "Only the table of migrations must remain.");
    conn.run_pending_migrations(migrations).unwrap();
    let unindexed = "SELECT c.conrelid::regclass::text || ' ' || c.conname AS line FROM pg_constraint c \
        WHERE c.contype = 'f' AND NOT EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = c.conrelid \
        AND (i.indkey::int2[])[0:cardinality(c.conkey) - 1] @> c.conkey)";
    let unindexed: Vec<Line> = sql_query(unindexed).load(&mut conn).unwrap();
    let unindexed: Vec<String> = unindexed.into_iter().map(|line| line.line).collect();
    assert!(unindexed.is_empty(), "Foreign keys without an index: {unindexed:?}");
}

/// PostgreSQL updates every index of a row unless no changed column is part of an index or its condition.
#[test]
fn no_index_of_items_contains_a_column_that_a_put_changes() {
    let database = ScratchDatabase::migrated().unwrap();
    let mut conn = PgConnection::establish(&database.url()).unwrap();
    let indexes = "SELECT indexdef AS line FROM pg_indexes WHERE tablename IN ('items', 'project_usage')";
    let indexes: Vec<Line> = sql_query(indexes).load(&mut conn).unwrap();
    assert_eq!(indexes.len(), 3);
    for column in ["value", "updated_at", "revision", "bytes", "position", "items,"] {
        let slow: Vec<&Line> = indexes.iter().filter(|index| index.line.contains(column)).collect();
        assert!(slow.is_empty(), "{column}: {}", slow[0].line);
    }
}

#[test]
fn migrations_can_be_reverted_and_run_again_on_sqlite() {
    let mut conn = SqliteConnection::establish(":memory:").unwrap();
    let migrations = FileBasedMigrations::from_path(FOLDERS.last().unwrap()).unwrap();
    conn.run_pending_migrations(migrations.clone()).unwrap();
    conn.revert_all_migrations(migrations.clone()).unwrap();
    let tables = "SELECT count(*) AS count FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'";
    let remaining: Count = sql_query(tables).get_result(&mut conn).unwrap();
    assert_eq!(remaining.count, 1, "Only the table of migrations must remain.");
    conn.run_pending_migrations(migrations).unwrap();
}

/// Returns the first statement that would block other transactions on a large table, or could not be continued, in a
/// PostgreSQL migration after the first.
fn blocking_statement(sql: &str, is_in_batches: bool) -> Option<&str> {
    let code = sql.lines().filter(|line| !line.trim_start().starts_with("--"));
    let mut statements = code.map(str::trim).filter(|line| !line.is_empty());
    statements.find(|line| {
        let line = line.to_uppercase();
        let creates_index = line.contains("CREATE INDEX") || line.contains("CREATE UNIQUE INDEX");
        let changes_rows = ["UPDATE ", "DELETE ", "WITH "].iter().any(|verb| line.starts_with(verb));
        changes_rows && !is_in_batches || creates_index && !line.contains(" CONCURRENTLY IF NOT EXISTS ")
    })
}

#[test]
fn no_migration_blocks_reads_or_writes() {
    let update = "UPDATE items SET bytes = 0;";
    assert_eq!(blocking_statement(&format!("-- UPDATE\n{update}"), false), Some(update));
    assert_eq!(blocking_statement(update, true), None);
    assert!(blocking_statement("ALTER TABLE a ADD b text;\nCREATE UNIQUE INDEX i ON a (b);", false).is_some());
    assert!(blocking_statement("CREATE INDEX CONCURRENTLY i ON a (b);", false).is_some());
    assert_eq!(blocking_statement("CREATE INDEX CONCURRENTLY IF NOT EXISTS i ON a (b);", false), None);
    let mut steps: Vec<_> = std::fs::read_dir(FOLDERS[0]).unwrap().map(|entry| entry.unwrap().path()).collect();
    steps.sort();
    assert!(!steps.is_empty());
    // The first migration runs on an empty database.
    for step in steps.iter().skip(1) {
        let sql = std::fs::read_to_string(step.join("up.sql")).unwrap();
        let is_in_batches = step.to_string_lossy().ends_with("_in_batches");
        assert_eq!(blocking_statement(&sql, is_in_batches), None, "{}", step.display());
    }
}

const EVENTS: &str = "SELECT operation || ' ' || action || ' ' || actor_kind || ' ' || target_id AS line \
    FROM (SELECT position, operation, action, actor_kind, target_id FROM audit_events WHERE target_kind = 'team' \
    UNION ALL SELECT position, operation, action, actor_kind, item_id FROM item_changes) AS events ORDER BY position";

/// Creates a fixture and an item. Refused changes must not write an event. Returns the expected events.
async fn commit_and_refuse_changes(store: Arc<dyn Store>) -> Vec<String> {
    let world = Fixture::make(&store, "acme").await;
    world.put(&store, "x", json!({}), Precondition::None).await.unwrap();
    assert!(world.put(&store, "x", json!({}), Precondition::Absent).await.is_err());
    assert!(fixture::try_insert(&store, [world.team.clone().into()]).await.is_err());
    store.commit(fixture::change().remove_item(world.place("x"), Precondition::None)).await.unwrap();
    let created = format!("provisionAccount team.created system {}", world.team.id);
    let of_item = |verb: &str| format!("provisionAccount item.{verb} system x");
    vec![created, of_item("created"), of_item("deleted")]
}

#[tokio::test(flavor = "multi_thread")]
async fn every_change_writes_an_event_and_a_refused_one_does_not_on_sqlite() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db").display().to_string();
    SqliteStore::migrate(&path).unwrap();
    let expected = commit_and_refuse_changes(Arc::new(SqliteStore::open(&path, 1).unwrap())).await;
    let mut conn = SqliteConnection::establish(&path).unwrap();
    // The store's connections may still be closing and may hold a lock on the file.
    conn.batch_execute("PRAGMA busy_timeout = 5000").unwrap();
    let events: Vec<Line> = sql_query(EVENTS).load(&mut conn).unwrap();
    assert_eq!(events.into_iter().map(|event| event.line).collect::<Vec<_>>(), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_change_writes_an_event_and_a_refused_one_does_not_on_postgres() {
    let database = ScratchDatabase::migrated().unwrap();
    let expected = commit_and_refuse_changes(Arc::new(PostgresStore::open(&database.url(), 1).unwrap())).await;
    let mut conn = PgConnection::establish(&database.url()).unwrap();
    let events: Vec<Line> = sql_query(EVENTS).load(&mut conn).unwrap();
    assert_eq!(events.into_iter().map(|event| event.line).collect::<Vec<_>>(), expected);
}
