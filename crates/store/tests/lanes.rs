//! One caller's work does not stop another's: on both databases.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin should stop")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use diesel::connection::SimpleConnection as _;
use diesel::sql_types::BigInt;
use diesel::{Connection as _, PgConnection, QueryableByName, RunQueryDsl as _};
use steward_domain::mocks::id_of;
use steward_domain::model::schema::FieldType;
use steward_domain::model::{AccessBasis, ItemQuery, PageSize, RawItemQuery, TeamId};
use steward_domain::policy::Lane;
use steward_domain::ports::{HealthError, LaneStats, Store, StoreHealth as _};
use steward_domain::work::{Tenant, Work};
use steward_store::scratch::{ScratchDatabase, tamper};
use steward_store::{PostgresStore, SqliteStore, WorkerCounts};
use steward_store_contract::fixture::Fixture;

const COUNTS: WorkerCounts = WorkerCounts { interactive: 4, heavy: 2 };

fn of_team(name: &str, lane: Lane) -> Work {
    Work { lane, tenant: Tenant::Team(TeamId::from(id_of(name))) }
}

/// A query that no index serves, and that finds nothing however long it looks.
fn slow_query() -> ItemQuery {
    let fields = [("a", FieldType::String)];
    let condition = |_| ("a".to_owned(), "like.*x*y*z*".to_owned());
    let last = ("a".to_owned(), "eq.none".to_owned());
    let sent =
        RawItemQuery { parameters: (0..9).map(condition).chain([last]).collect(), cursor: None, size: PageSize::MAX };
    ItemQuery::parse(&sent, &fields).unwrap()
}

/// Many items for the query to look through.
fn fill(database: &str, world: &Fixture, count: u32) {
    let (project, user) = (world.project.id, world.user.id);
    let (series, value, at) = if database.starts_with("postgres") {
        (format!("generate_series(1, {count}) AS n"), "jsonb_build_object('a', repeat('x y z ', 40))", "now()")
    } else {
        let series = format!(
            "(WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {count}) SELECT n FROM s)"
        );
        let value = "json_object('a', replace(hex(zeroblob(40)), '00', 'x y z '))";
        (series, value, "'2026-01-01T00:00:00.000000Z'")
    };
    let insert = format!(
        "INSERT INTO items (project_id, user_id, table_name, id, value, created_at, updated_at, revision, bytes) \
         SELECT '{project}', '{user}', 'notes', 'i' || n, {value}, {at}, {at}, 1, 240 FROM {series}"
    );
    tamper(database, &insert).unwrap();
}

fn lane(stats: &[LaneStats], lane: Lane) -> LaneStats {
    *stats.iter().find(|stats| stats.lane == lane).unwrap()
}

/// Asks for the query, as interactive work that turns out to be heavy.
fn asked(store: &Arc<dyn Store>, world: &Arc<Fixture>, team: &str) -> tokio::task::JoinHandle<bool> {
    let (store, world, work) = (store.clone(), world.clone(), of_team(team, Lane::Interactive));
    tokio::spawn(work.scope(async move {
        store.items(world.project.id, world.user.id, "notes", &slow_query(), &AccessBasis::default()).await.is_ok()
    }))
}

async fn until(what: &str, holds: impl Fn() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(10), "{what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn slow_queries_delay_nobody_and_end_with_their_callers(store: Arc<dyn Store>, world: Arc<Fixture>) {
    let queries: Vec<_> = (0..8).map(|_| asked(&store, &world, "hostile")).collect();
    until("the queries move to the heavy lane", || lane(&store.lanes(), Lane::Heavy).running == 1).await;
    until("the others wait there", || lane(&store.lanes(), Lane::Heavy).queued >= 6).await;

    let victim = of_team("victim", Lane::Interactive);
    let began = Instant::now();
    for _ in 0..10 {
        let read = victim.scope(store.item(&world.place("i7"), &AccessBasis::default())).await;
        assert!(read.unwrap().is_some());
    }
    assert!(began.elapsed() < Duration::from_secs(1), "ten reads took {:?}", began.elapsed());
    assert_eq!(lane(&store.lanes(), Lane::Heavy).running, 1, "one of the lane's workers is left to others");

    assert!(queries.iter().all(|query| !query.is_finished()));
    queries.iter().for_each(tokio::task::JoinHandle::abort);
    let left = Instant::now();
    let heavy = || lane(&store.lanes(), Lane::Heavy);
    until("what nobody waits for ends", || heavy().running == 0 && heavy().queued == 0).await;
    assert!(left.elapsed() < Duration::from_secs(3), "it took {:?}", left.elapsed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_queries_delay_nobody_and_end_with_their_callers_on_sqlite() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db").display().to_string();
    SqliteStore::migrate(&path).unwrap();
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open_with(&path, COUNTS).unwrap());
    let world = Arc::new(Fixture::make(&store, "acme").await);
    fill(&path, &world, 100_000);
    slow_queries_delay_nobody_and_end_with_their_callers(store, world).await;
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_queries_delay_nobody_and_end_with_their_callers_on_postgres() {
    let database = ScratchDatabase::create().unwrap();
    PostgresStore::migrate(&database.url()).unwrap();
    let store: Arc<dyn Store> = Arc::new(PostgresStore::open_with(&database.url(), COUNTS).unwrap());
    let world = Arc::new(Fixture::make(&store, "acme").await);
    fill(&database.url(), &world, 150_000);
    slow_queries_delay_nobody_and_end_with_their_callers(store, world).await;

    let mut conn = PgConnection::establish(&database.url()).unwrap();
    let active = "SELECT count(*) AS count FROM pg_stat_activity \
        WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()";
    let active: Count = diesel::sql_query(active).get_result(&mut conn).unwrap();
    assert_eq!(active.count, 0, "a query goes on for nobody");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_query_that_waits_for_a_lock_ends_with_its_caller_on_postgres() {
    let database = ScratchDatabase::create().unwrap();
    PostgresStore::migrate(&database.url()).unwrap();
    let store: Arc<dyn Store> = Arc::new(PostgresStore::open_with(&database.url(), COUNTS).unwrap());
    let world = Arc::new(Fixture::make(&store, "acme").await);
    let mut conn = PgConnection::establish(&database.url()).unwrap();
    conn.batch_execute("BEGIN; LOCK TABLE items IN ACCESS EXCLUSIVE MODE").unwrap();
    let read = tokio::spawn({
        let (store, world) = (store.clone(), world.clone());
        async move { store.item(&world.place("x"), &AccessBasis::default()).await.is_ok() }
    });
    let interactive = || lane(&store.lanes(), Lane::Interactive);
    until("the query runs", || interactive().running == 1).await;
    read.abort();
    let left = Instant::now();
    until("the query ends", || interactive().running == 0).await;
    assert!(left.elapsed() < Duration::from_millis(1_500), "it took {:?}", left.elapsed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_only_database_is_reported_as_that_on_postgres() {
    let database = ScratchDatabase::create().unwrap();
    PostgresStore::migrate(&database.url()).unwrap();
    let store = PostgresStore::open(&database.url(), 1).unwrap();
    store.check().await.unwrap();
    let name = database.url().rsplit('/').next().unwrap().split('?').next().unwrap().to_owned();
    tamper(&database.url(), &format!("ALTER DATABASE {name} SET default_transaction_read_only = on")).unwrap();
    database.disconnect_everybody().unwrap();
    until_read_only(&store).await;
}

async fn until_read_only(store: &PostgresStore) {
    let began = Instant::now();
    while !matches!(store.check().await, Err(HealthError::ReadOnly)) {
        assert!(began.elapsed() < Duration::from_secs(5), "it is not noticed");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_only_file_is_reported_as_that_on_sqlite() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db").display().to_string();
    SqliteStore::migrate(&path).unwrap();
    SqliteStore::open(&path, 1).unwrap().check().await.unwrap();
    let read_only = SqliteStore::open(&format!("file:{path}?mode=ro"), 1).unwrap();
    assert!(matches!(read_only.check().await, Err(HealthError::ReadOnly)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stopped_database_refuses_at_once_and_connections_come_back_by_themselves() {
    let database = ScratchDatabase::create().unwrap();
    PostgresStore::migrate(&database.url()).unwrap();
    let store = PostgresStore::open(&database.url(), 2).unwrap();
    store.check().await.unwrap();
    let nowhere = PostgresStore::open("postgres://u:p@127.0.0.1:9/x", 2).unwrap();
    assert!(matches!(nowhere.check().await, Err(HealthError::Unreachable(_))));
    let began = Instant::now();
    assert!(matches!(nowhere.check().await, Err(HealthError::Unreachable(_))));
    assert!(began.elapsed() < Duration::from_millis(100));
    assert!(nowhere.lanes()[0].refused_breaker == 0);

    database.disconnect_everybody().unwrap();
    let began = Instant::now();
    while store.check().await.is_err() {
        assert!(began.elapsed() < Duration::from_secs(2));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
