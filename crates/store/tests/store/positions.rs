//! Positions after a restart of the database server and after a restore: none is given twice, and a device that may
//! have changes that were lost gets everything. See docs/decisions/0047-position-domains.md.

#![expect(clippy::unwrap_used, reason = "a test panics if its setup fails")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;
use steward_domain::administration::{AuditFilter, History};
use steward_domain::kernel::changes::Changes;
use steward_domain::kernel::{PageRequest, Precondition, ResourceScope};
use steward_domain::mocks::{a_permit_in, instant};
use steward_store::scratch::{ScratchDatabase, execute_sql};
use steward_store::{PostgresStore, SqliteStore};
use steward_store_contract::fixture::{Fixture, TestStore};
use tempfile::TempDir;
use tokio::time::{sleep, timeout};

/// Number of bits of a position below its domain.
const DOMAIN_BITS: u32 = 34;

/// Returns the positions of all events, once they are settled, which depends on other transactions on the server.
async fn positions(store: &TestStore, world: &Fixture) -> BTreeSet<i64> {
    let scope = ResourceScope::Project(world.project.id);
    let page = PageRequest { limit: Some(1_000), ..PageRequest::FIRST };
    let events = store.audit_events(scope, &AuditFilter::default(), &page).await.unwrap().items;
    while store.settled_events(scope, 0, 1_000).await.unwrap().len() < events.len() {
        sleep(Duration::from_millis(5)).await;
    }
    events.into_iter().map(|event| event.position).collect()
}

async fn put(store: &TestStore, world: &Fixture, id: &str) {
    let permit = a_permit_in(world.team.id, Some(world.project.id));
    store.commit(Changes::by(permit, instant()).put(world.item(id, json!({})), Precondition::None)).await.unwrap();
}

/// Writes an item, and records that a device received it. Returns the position that the device has.
async fn put_and_deliver(store: &TestStore, world: &Fixture, id: &str) -> i64 {
    put(store, world, id).await;
    let delivered = positions(store, world).await.pop_last().unwrap();
    store.record_delivered(delivered).await.unwrap();
    delivered
}

async fn postgres() -> (ScratchDatabase, TempDir, TestStore, Fixture) {
    let (database, directory) = (ScratchDatabase::migrated().unwrap(), tempfile::tempdir().unwrap());
    let store = open_postgres(&database, &directory);
    let world = Fixture::make(&store, "acme").await;
    (database, directory, store, world)
}

fn open_postgres(database: &ScratchDatabase, directory: &TempDir) -> TestStore {
    let file = directory.path().join("positions");
    Arc::new(PostgresStore::open(&database.url(), 2).unwrap().with_position_file(&file).unwrap())
}

/// Lets the database forget that this server opened its domains, as if it had been started again.
fn restart_server(database: &ScratchDatabase) {
    execute_sql(&database.url(), "UPDATE position_domains SET life = life - 1").unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restart_of_the_server_opens_one_domain_for_all_writers() {
    let (database, _directory, store, world) = postgres().await;
    let delivered = put_and_deliver(&store, &world, "before").await;
    put(&store, &world, "not-delivered").await;
    let before = positions(&store, &world).await;
    restart_server(&database);
    let ids: Vec<String> = (0..20).map(|number| format!("i{number}")).collect();
    join_all(ids.iter().map(|id| put(&store, &world, id))).await;
    let after = positions(&store, &world).await;
    let new: Vec<i64> = after.difference(&before).copied().collect();
    assert!(new.len() == 20 && new.first() > before.last(), "{before:?} {new:?}");
    let domains: BTreeSet<i64> = new.iter().map(|position| position >> DOMAIN_BITS).collect();
    assert_eq!(domains, [(delivered >> DOMAIN_BITS) + 1].into());
    assert_eq!(store.history().await.unwrap().number, History::FIRST.number);

    // What was delivered is in the database. What came later may have been lost.
    assert_eq!(store.span_after(Some(delivered)).await.unwrap().after, delivered);
    assert_eq!(store.span_after(before.last().copied()).await.unwrap().after, 0);
    assert_eq!(store.span_after(new.last().copied()).await.unwrap().after, *new.last().unwrap());
    assert_eq!(store.span_after(Some(i64::MAX)).await.unwrap().after, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_device_is_not_continued_before_the_first_write_after_a_restart() {
    let (database, _directory, store, world) = postgres().await;
    let delivered = put_and_deliver(&store, &world, "a").await;
    restart_server(&database);
    // What was received before the restart may be lost.
    store.record_delivered(delivered + 1).await.unwrap();
    assert_eq!(store.span_after(Some(delivered + 1)).await.unwrap().after, 0);
    assert_eq!(store.span_after(Some(delivered)).await.unwrap().after, delivered);
    let changes = store.settled_changes(delivered, instant(), 10).await.unwrap();
    assert!(changes.is_interrupted, "{changes:?}");
    // Everything before the new domain is settled.
    let (domain, settled) = ((delivered >> DOMAIN_BITS) + 1, changes.through);
    assert!(settled >= (domain << DOMAIN_BITS) - 1, "{changes:?}");
    assert_eq!(store.span_after(Some(settled)).await.unwrap().after, settled);
    assert!(!store.settled_changes(settled, instant(), 10).await.unwrap().is_interrupted);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_that_are_read_before_the_first_write_after_a_restart_show_that_others_may_be_lost() {
    let (database, _directory, store, world) = postgres().await;
    put_and_deliver(&store, &world, "a").await;
    put(&store, &world, "not-delivered").await;
    let received = positions(&store, &world).await.pop_last().unwrap();
    restart_server(&database);
    let before = store.settled_changes(received, instant(), 10).await.unwrap();
    put(&store, &world, "b").await;
    positions(&store, &world).await;
    let after = store.settled_changes(before.through, instant(), 10).await.unwrap();
    assert!(before.is_interrupted || after.is_interrupted, "{before:?} {after:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_domain_with_all_its_transactions_is_followed_by_another() {
    let (database, _directory, store, world) = postgres().await;
    put(&store, &world, "a").await;
    let first = positions(&store, &world).await.pop_last().unwrap();
    let used = "UPDATE position_domains SET first_transaction = first_transaction - 16777216";
    execute_sql(&database.url(), used).unwrap();
    let before = store.settled_position().await.unwrap();
    put(&store, &world, "b").await;
    let second = positions(&store, &world).await.pop_last().unwrap();
    assert_eq!(second >> DOMAIN_BITS, (first >> DOMAIN_BITS) + 1);
    // Nothing was lost.
    assert!(!store.settled_changes(before, instant(), 10).await.unwrap().is_interrupted);
    assert_eq!(store.span_after(Some(first)).await.unwrap().after, first);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_cluster_or_timeline_begins_a_history() {
    let (database, _directory, store, world) = postgres().await;
    let delivered = put_and_deliver(&store, &world, "a").await;
    restart_server(&database);
    execute_sql(&database.url(), "UPDATE position_domains SET cluster = 'other'").unwrap();
    put(&store, &world, "b").await;
    assert_eq!(store.history().await.unwrap(), History { number: 2, after: delivered });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_lacks_what_the_service_knows_begins_a_history_above_it() {
    let (database, directory, store, world) = postgres().await;
    let delivered = put_and_deliver(&store, &world, "a").await;
    let known = (delivered >> DOMAIN_BITS) + 7;
    fs::write(directory.path().join("positions"), format!("{}\n", known << DOMAIN_BITS)).unwrap();
    let store = open_postgres(&database, &directory);
    restart_server(&database);
    put(&store, &world, "b").await;
    assert_eq!(positions(&store, &world).await.pop_last().unwrap() >> DOMAIN_BITS, known + 1);
    assert_eq!(store.history().await.unwrap(), History { number: 2, after: delivered });
}

/// Copies a database once both files are closed, which threads of a store do a little after it is dropped.
async fn copy_database(from: &Path, to: &Path) {
    let name = |path: &Path, suffix: &str| format!("{}{suffix}", path.display());
    let is_open = |path| Path::new(&name(path, "-shm")).exists();
    timeout(Duration::from_secs(10), async {
        while is_open(from) || is_open(to) {
            sleep(Duration::from_millis(5)).await;
        }
    })
    .await
    .unwrap();
    fs::copy(from, to).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_is_replaced_by_an_older_copy_gives_no_position_twice() {
    let directory = tempfile::tempdir().unwrap();
    let [path, copy, marker] = ["store.db", "copy.db", "positions"].map(|name| directory.path().join(name));
    let name = path.display().to_string();
    SqliteStore::migrate(&name).unwrap();
    let open = || -> TestStore { Arc::new(SqliteStore::open(&name, 2).unwrap().with_position_file(&marker).unwrap()) };
    let store = open();
    let world = Fixture::make(&store, "acme").await;
    let kept = put_and_deliver(&store, &world, "kept").await;
    drop(store);
    copy_database(&path, &copy).await;

    // Two processes write what is lost.
    let mut given = BTreeSet::new();
    let mut lost = 0;
    for id in ["lost", "lost-too"] {
        let store = open();
        lost = put_and_deliver(&store, &world, id).await;
        given.extend(positions(&store, &world).await);
    }
    copy_database(&copy, &path).await;
    let store = open();
    let known = positions(&store, &world).await;
    put(&store, &world, "new").await;
    let new: Vec<i64> = positions(&store, &world).await.difference(&known).copied().collect();
    assert!(new.len() == 1 && !given.contains(&new[0]) && new[0] > lost, "{new:?} {given:?}");
    assert_eq!(store.history().await.unwrap(), History { number: 2, after: kept });
    assert_eq!(store.span_after(Some(kept)).await.unwrap().after, kept);
    assert_eq!(store.span_after(Some(lost)).await.unwrap().after, 0);
}
