//! The work of one caller does not block other callers, on both databases.

#![expect(clippy::unwrap_used, reason = "a test panics if its setup fails")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use diesel::connection::SimpleConnection as _;
use diesel::sql_types::BigInt;
use diesel::{Connection as _, PgConnection, QueryableByName, RunQueryDsl as _};
use steward_domain::Store;
use steward_domain::data::schema::FieldType;
use steward_domain::data::{ItemQuery, RawItemQuery};
use steward_domain::kernel::policy::Lane;
use steward_domain::kernel::work::{Tenant, Work};
use steward_domain::kernel::{AccessBasis, HealthError, LaneStats, PageSize, StoreHealth as _, TeamId};
use steward_domain::mocks::id_of;
use steward_store::scratch::{ScratchDatabase, execute_sql};
use steward_store::{PostgresStore, SqliteStore, WorkerCounts};
use steward_store_contract::fixture::Fixture;
use steward_store_contract::timing::{assert_fast, wait_until};
use tokio::task::JoinHandle;

const COUNTS: WorkerCounts = WorkerCounts { interactive: 4, heavy: 2 };

fn of_team(name: &str, lane: Lane) -> Work {
    Work { lane, tenant: Tenant::Team(TeamId::from(id_of(name))) }
}

/// Returns a query that uses no index and matches nothing. On the items of [`fill`], it takes much longer than a
/// statement may: each of its patterns almost matches at hundreds of positions of a value before it matches at one.
fn slow_query() -> ItemQuery {
    let fields = [("a", FieldType::String)];
    let pattern = format!("like.*{}b*", "a".repeat(200));
    let condition = |_| ("a".to_owned(), pattern.clone());
    // A condition for equality would be tested first.
    let last = ("a".to_owned(), "like.none".to_owned());
    let raw =
        RawItemQuery { parameters: (0..9).map(condition).chain([last]).collect(), cursor: None, size: PageSize::MAX };
    ItemQuery::parse(&raw, &fields).unwrap()
}

/// Inserts many items for the query to scan.
fn fill(database: &str, world: &Fixture) {
    let (project, user, count) = (world.project.id, world.user.id, 30_000);
    let (series, value, at) = if database.starts_with("postgres") {
        (format!("generate_series(1, {count}) AS n"), "jsonb_build_object('a', repeat('a', 1000) || 'b')", "now()")
    } else {
        let series = format!(
            "(WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {count}) SELECT n FROM s)"
        );
        let value = "json_object('a', replace(hex(zeroblob(500)), '0', 'a') || 'b')";
        (series, value, "'2026-01-01T00:00:00.000000Z'")
    };
    let insert = format!(
        "INSERT INTO items (project_id, user_id, table_name, id, value, created_at, updated_at, revision, bytes) \
         SELECT '{project}', '{user}', 'notes', 'i' || n, {value}, {at}, {at}, 1, 1000 FROM {series}"
    );
    execute_sql(database, &insert).unwrap();
}

fn lane(stats: &[LaneStats], lane: Lane) -> LaneStats {
    *stats.iter().find(|stats| stats.lane == lane).unwrap()
}

/// Starts the query as interactive work that moves to the heavy lane.
fn start_slow_query(store: &Arc<dyn Store>, world: &Arc<Fixture>, team: &str) -> JoinHandle<bool> {
    let (store, world, work) = (store.clone(), world.clone(), of_team(team, Lane::Interactive));
    tokio::spawn(work.scope(async move {
        store.items(world.project.id, world.user.id, "notes", &slow_query(), &AccessBasis::default()).await.is_ok()
    }))
}

/// Starts slow queries, reads items for another team while they run, and cancels them. Returns how long it takes until
/// they have ended.
async fn cancel_slow_queries(store: &Arc<dyn Store>, world: &Arc<Fixture>) -> Duration {
    let heavy = || lane(&store.lanes(), Lane::Heavy);
    let queries: Vec<_> = (0..8).map(|_| start_slow_query(store, world, "hostile")).collect();
    wait_until("The queries did not move to the heavy lane.", async || heavy().running == 1).await;
    wait_until("The other queries are not queued in the heavy lane.", async || heavy().queued >= 6).await;

    let victim = of_team("victim", Lane::Interactive);
    for _ in 0..10 {
        let read = victim.scope(store.item(&world.place("i7"), &AccessBasis::default())).await;
        assert!(read.unwrap().is_some());
    }
    assert_eq!(heavy().running, 1, "One worker of the lane must remain free for other tenants.");
    assert!(queries.iter().all(|query| !query.is_finished()), "The reads must not wait for a query.");

    queries.iter().for_each(JoinHandle::abort);
    let cancelled = Instant::now();
    wait_until("The abandoned queries did not end.", async || heavy().running == 0 && heavy().queued == 0).await;
    cancelled.elapsed()
}

async fn slow_queries_delay_no_other_caller_and_end_with_their_callers(store: Arc<dyn Store>, world: Arc<Fixture>) {
    // Less than the time limit of a query.
    let limit = Duration::from_secs(3);
    assert_fast(5, limit, async || cancel_slow_queries(&store, &world).await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_queries_delay_no_other_caller_and_end_with_their_callers_on_sqlite() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db").display().to_string();
    SqliteStore::migrate(&path).unwrap();
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open_with(&path, COUNTS).unwrap());
    let world = Arc::new(Fixture::make(&store, "acme").await);
    fill(&path, &world);
    slow_queries_delay_no_other_caller_and_end_with_their_callers(store, world).await;
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_queries_delay_no_other_caller_and_end_with_their_callers_on_postgres() {
    let database = ScratchDatabase::migrated().unwrap();
    let store: Arc<dyn Store> = Arc::new(PostgresStore::open_with(&database.url(), COUNTS).unwrap());
    let world = Arc::new(Fixture::make(&store, "acme").await);
    fill(&database.url(), &world);
    slow_queries_delay_no_other_caller_and_end_with_their_callers(store, world).await;

    let mut conn = PgConnection::establish(&database.url()).unwrap();
    let mut active = || -> i64 {
        let active = "SELECT count(*) AS count FROM pg_stat_activity \
            WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid() \
            AND backend_type IN ('client backend', 'parallel worker') AND query LIKE '%items%'";
        diesel::sql_query(active).get_result::<Count>(&mut conn).unwrap().count
    };
    // Less than the statement timeout, after which an abandoned query ends by itself.
    let deadline = Instant::now() + Duration::from_secs(5);
    while active() > 0 {
        assert!(Instant::now() < deadline, "An abandoned query is still running.");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_query_that_waits_for_a_lock_ends_with_its_caller_on_postgres() {
    let database = ScratchDatabase::migrated().unwrap();
    let store: Arc<dyn Store> = Arc::new(PostgresStore::open_with(&database.url(), COUNTS).unwrap());
    let world = Arc::new(Fixture::make(&store, "acme").await);
    let mut conn = PgConnection::establish(&database.url()).unwrap();
    conn.batch_execute("BEGIN; LOCK TABLE items IN ACCESS EXCLUSIVE MODE").unwrap();
    let interactive = || lane(&store.lanes(), Lane::Interactive);
    let cancel = async || {
        let read = tokio::spawn({
            let (store, world) = (store.clone(), world.clone());
            async move { store.item(&world.place("x"), &AccessBasis::default()).await.is_ok() }
        });
        wait_until("The query did not start.", async || interactive().running == 1 || read.is_finished()).await;
        read.abort();
        let cancelled = Instant::now();
        wait_until("The query did not end.", async || interactive().running == 0).await;
        let took = cancelled.elapsed();
        // A query that ended before by the lock timeout does not count.
        if read.await.is_ok() { Duration::MAX } else { took }
    };
    // Less than the lock timeout.
    assert_fast(5, Duration::from_millis(1_500), cancel).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_only_database_is_reported_as_read_only_on_postgres() {
    let database = ScratchDatabase::migrated().unwrap();
    let store = PostgresStore::open(&database.url(), 1).unwrap();
    wait_until("The database is not reachable.", async || store.check().await.is_ok()).await;
    let name = database.url().rsplit('/').next().unwrap().split('?').next().unwrap().to_owned();
    execute_sql(&database.url(), &format!("ALTER DATABASE {name} SET default_transaction_read_only = on")).unwrap();
    database.disconnect_all().unwrap();
    let is_read_only = async || matches!(store.check().await, Err(HealthError::ReadOnly));
    wait_until("The read-only mode is not detected.", is_read_only).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_only_file_is_reported_as_read_only_on_sqlite() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db").display().to_string();
    SqliteStore::migrate(&path).unwrap();
    let writable = SqliteStore::open(&path, 1).unwrap();
    wait_until("The file is not writable.", async || writable.check().await.is_ok()).await;
    drop(writable);
    let store = SqliteStore::open(&format!("file:{path}?mode=ro"), 1).unwrap();
    let is_read_only = async || matches!(store.check().await, Err(HealthError::ReadOnly));
    wait_until("The read-only mode is not detected.", is_read_only).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stopped_database_refuses_immediately_and_connections_recover_automatically() {
    let database = ScratchDatabase::migrated().unwrap();
    let store = PostgresStore::open(&database.url(), 2).unwrap();
    wait_until("The database is not reachable.", async || store.check().await.is_ok()).await;
    let unreachable = PostgresStore::open("postgres://u:p@127.0.0.1:9/x", 2).unwrap();
    assert!(matches!(unreachable.check().await, Err(HealthError::Unreachable(_))));
    let refusal = async || {
        let started = Instant::now();
        assert!(matches!(unreachable.check().await, Err(HealthError::Unreachable(_))));
        started.elapsed()
    };
    assert_fast(50, Duration::from_millis(100), refusal).await;
    assert!(unreachable.lanes()[0].refused_breaker == 0);

    database.disconnect_all().unwrap();
    wait_until("The connections do not recover.", async || store.check().await.is_ok()).await;
}
