//! Effect of a long transaction on the same server on the audit log: readers of settled events wait for it, and the
//! list misses no event.

#![expect(clippy::unwrap_used, reason = "a test panics if its setup fails")]

use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use diesel::connection::SimpleConnection as _;
use diesel::{Connection as _, PgConnection};
use serde_json::json;
use steward_domain::Store;
use steward_domain::administration::{AuditFilter, SealedBatch};
use steward_domain::kernel::changes::Changes;
use steward_domain::kernel::{PageRequest, Precondition, ResourceScope, Time};
use steward_domain::mocks::a_permit_in;
use steward_store::PostgresStore;
use steward_store::scratch::ScratchDatabase;
use steward_store_contract::fixture::{Fixture, change, later};

fn hour(hour: i64) -> Time {
    later(0) + TimeDelta::hours(hour)
}

async fn put(store: &Arc<dyn Store>, world: &Fixture, id: &str, at: Time) {
    let permit = a_permit_in(world.team.id, Some(world.project.id));
    store.commit(Changes::by(permit, at).put(world.item(id, json!({})), Precondition::None)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn settled_readers_wait_for_a_long_transaction_and_the_list_misses_nothing() {
    let database = ScratchDatabase::migrated().unwrap();
    let store: Arc<dyn Store> = Arc::new(PostgresStore::open(&database.url(), 2).unwrap());
    let world = Fixture::make(&store, "acme").await;
    let scope = ResourceScope::Project(world.project.id);
    let settled_targets = async || {
        let events = store.settled_events(scope, 0, 10).await.unwrap();
        events.into_iter().map(|event| event.target_id).collect::<Vec<_>>()
    };
    let wait_for = async |expected: &[&str]| {
        while settled_targets().await != expected {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    put(&store, &world, "before", hour(0)).await;
    wait_for(&["before"]).await;
    let mut other = PgConnection::establish(&database.url()).unwrap();
    let (team, project, user) = (world.team.id, world.project.id, world.user.id);
    let open = format!(
        "BEGIN; INSERT INTO item_changes (project_id, position, at, team_id, user_id, table_name, item_id, action, actor_kind, \
         operation, request_id) VALUES ('{project}', (SELECT base FROM transaction_position), '2026-01-01', '{team}', '{user}', 'notes', 'open', \
         'item.updated', 'system', 'o', 'r')"
    );
    other.batch_execute(&open).unwrap();
    put(&store, &world, "beside", hour(0)).await;
    assert_eq!(settled_targets().await, ["before"], "A reader that continued now would miss the open transaction.");

    // Sealed hours later: the waiting events are older than the seal.
    let after = store.sealed_position().await.unwrap();
    let through = store.unsealed_events(100).await.unwrap().events.last().unwrap().position;
    let batch = SealedBatch { after, through, at: hour(5), seals: Vec::new(), wakes: Vec::new() };
    assert!(store.seal(&batch).await.unwrap());
    let first_hour = AuditFilter { to: Some(hour(1)), ..AuditFilter::default() };
    let listed = store.audit_events(scope, &first_hour, &PageRequest::FIRST).await.unwrap().items;
    assert_eq!(listed.into_iter().map(|event| event.target_id).collect::<Vec<_>>(), ["beside", "before"]);

    other.batch_execute("COMMIT").unwrap();
    wait_for(&["before", "open", "beside"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_that_ends_while_its_project_is_deleted_leaves_nothing() {
    let database = ScratchDatabase::migrated().unwrap();
    let store: Arc<dyn Store> = Arc::new(PostgresStore::open(&database.url(), 2).unwrap());
    let world = Fixture::make(&store, "acme").await;
    let (project, user) = (world.project.id, world.user.id);
    let mut writer = PgConnection::establish(&database.url()).unwrap();
    let write = format!(
        "BEGIN; INSERT INTO items (project_id, user_id, table_name, id, value, created_at, updated_at, revision, bytes) \
         VALUES ('{project}', '{user}', 'notes', 'late', '{{}}', now(), now(), 1, 2); \
         INSERT INTO item_keys (project_id, field_id, owner_id, item_id, is_text, text_key) \
         VALUES ('{project}', 1, '{user}', 'late', true, 'late')"
    );
    writer.batch_execute(&write).unwrap();

    store.commit(change().remove(world.project.clone())).await.unwrap();
    let deletion = tokio::spawn({
        let store = store.clone();
        async move { while store.remove_data(project, 100).await.unwrap() {} }
    });
    // The deletion waits for the lock of the item on its user.
    let waits = "SELECT 1 / (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
         AND wait_event_type = 'Lock')";
    let mut observer = PgConnection::establish(&database.url()).unwrap();
    while observer.batch_execute(waits).is_err() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    writer.batch_execute("COMMIT").unwrap();
    deletion.await.unwrap();
    for table in ["items", "item_keys", "project_users", "projects"] {
        observer
            .batch_execute(&format!("SELECT 1 / (CASE WHEN EXISTS (SELECT FROM {table}) THEN 0 ELSE 1 END)"))
            .unwrap();
    }
}
