//! Cost of the query for due webhooks with many idle webhooks and many events.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test panics if its setup fails")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::TimeDelta;
use steward_domain::Store;
use steward_domain::administration::{EventSelection, Webhook};
use steward_domain::mocks::a_webhook;
use steward_store::scratch::{self, ScratchDatabase};
use steward_store::{PostgresStore, SqliteStore};
use steward_store_contract::fixture::{self, Fixture};

/// Number of idle webhooks of one team, and number of events, half of them not sealed.
const WEBHOOKS: usize = 1_000;
const EVENTS: usize = 50_000;
/// Maximum median duration of the queries. They take well under a millisecond; a scan of all events took ten seconds.
const MAX_MEDIAN: Duration = Duration::from_secs(2);

async fn idle_webhooks_cost_nothing(store: Arc<dyn Store>, run: impl Fn(&str)) {
    let world = Fixture::make(&store, "acme").await;
    let hook = |_| Webhook {
        id: fixture::id().into(),
        created_by: world.owner.id,
        authorized_by: world.owner.id,
        events: EventSelection::Names(vec!["team.deleted".into()]),
        ..a_webhook(world.team.id, None)
    };
    fixture::insert_many(&store, (0..WEBHOOKS).map(hook).map(Into::into)).await;
    let (team, project, user) = (world.team.id, world.project.id, world.user.id);
    run(&format!(
        "INSERT INTO item_changes (project_id, position, at, team_id, user_id, table_name, item_id, action, actor_kind, \
         operation, request_id) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {EVENTS}) \
         SELECT '{project}', i + 1000, '2026-01-01T00:00:00.000000Z', '{team}', '{user}', 'notes', 'x', 'item.updated', \
         'system', 'x', 'r' FROM n"
    ));
    run(&format!("UPDATE audit_progress SET position = {EVENTS} / 2"));
    let mut durations = Vec::new();
    for _ in 0..9 {
        let started = Instant::now();
        let now = fixture::later(0) + TimeDelta::days(1);
        assert_eq!(store.due_webhooks(now, &[], 100).await.unwrap(), []);
        assert_eq!(store.unsealed_events(10).await.unwrap().events.len(), 10);
        durations.push(started.elapsed());
    }
    durations.sort_unstable();
    assert!(durations[durations.len() / 2] < MAX_MEDIAN, "{durations:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn idle_webhooks_cost_nothing_on_sqlite() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db").display().to_string();
    SqliteStore::migrate(&path).unwrap();
    let store = Arc::new(SqliteStore::open(&path, 2).unwrap());
    idle_webhooks_cost_nothing(store, |sql| scratch::execute_sql(&path, sql).unwrap()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn idle_webhooks_cost_nothing_on_postgres() {
    let database = ScratchDatabase::migrated().unwrap();
    let store = Arc::new(PostgresStore::open(&database.url(), 2).unwrap());
    idle_webhooks_cost_nothing(store, |sql| scratch::execute_sql(&database.url(), sql).unwrap()).await;
}
