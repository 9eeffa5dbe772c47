//! Benchmark of indexed fields in a table with 100,000 items of one user: the speedup of queries and the cost of
//! writes. It takes minutes, so it runs only on request:
//! `tests/with-postgres.sh cargo test --workspace --test store -- load:: --ignored --nocapture --test-threads=1`.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark prints its results and panics if its setup fails"
)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use steward_domain::Store;
use steward_domain::data::schema::FieldType;
use steward_domain::data::{ItemQuery, RawItemQuery};
use steward_domain::kernel::changes::Changes;
use steward_domain::kernel::{AccessBasis, PageSize, Precondition};
use steward_store::scratch::ScratchDatabase;
use steward_store::{PostgresStore, SqliteStore};
use steward_store_contract::fixture::{Fixture, change, insert, schema};

const ITEMS: u32 = 100_000;
/// Each indexed field has a counterpart with the same values that is not indexed.
const FIELDS: [(&str, FieldType); 4] = [
    ("rank", FieldType::Number),
    ("rank_plain", FieldType::Number),
    ("title", FieldType::String),
    ("title_plain", FieldType::String),
];
const QUERIES: [&[(&str, &str)]; 6] = [
    &[("rank", "eq.500")],
    &[("title", "eq.note 77")],
    &[("rank", "gte.1000"), ("rank", "lt.1050")],
    &[("order", "rank.desc"), ("limit", "20")],
    &[("order", "title"), ("limit", "20")],
    &[("rank", "lt.90000"), ("order", "rank.desc"), ("limit", "20")],
];

fn query(parameters: &[(&str, &str)], suffix: &str) -> ItemQuery {
    let named = |(name, value): &(&str, &str)| match *name {
        "limit" => ("limit".to_owned(), (*value).to_owned()),
        "order" => {
            let (field, direction) = value.split_once('.').unwrap_or((value, "asc"));
            ("order".to_owned(), format!("{field}{suffix}.{direction}"))
        }
        field => (format!("{field}{suffix}"), (*value).to_owned()),
    };
    let raw = RawItemQuery { parameters: parameters.iter().map(named).collect(), cursor: None, size: PageSize::MAX };
    ItemQuery::parse(&raw, &FIELDS).unwrap()
}

async fn median(store: &dyn Store, world: &Fixture, query: &ItemQuery) -> (Duration, Vec<String>) {
    let (mut times, mut ids) = (Vec::new(), Vec::new());
    for _ in 0..9 {
        let started = Instant::now();
        let found =
            store.items(world.project.id, world.user.id, "notes", query, &AccessBasis::default()).await.unwrap();
        times.push(started.elapsed());
        ids = found.items.into_iter().map(|stored| stored.item.id.as_str().to_owned()).collect();
    }
    times.sort_unstable();
    (times.swap_remove(times.len() / 2), ids)
}

async fn indexed_fields_are_ten_times_as_fast(name: &str, store: Arc<dyn Store>) {
    let world = Fixture::make(&store, "acme").await;
    for hundred in 0..ITEMS / 100 {
        let mut changes: Changes = change();
        for number in hundred * 100..(hundred + 1) * 100 {
            let (rank, title) = (u64::from(number) * 7_919 % u64::from(ITEMS), format!("note {number}"));
            let value = json!({"rank": rank, "rank_plain": rank, "title": title, "title_plain": title});
            changes = changes.put(world.item(&format!("i{number:06}"), value), Precondition::None);
        }
        store.commit(changes).await.unwrap();
    }
    let fields: serde_json::Map<_, _> = FIELDS
        .iter()
        .map(|(name, kind)| ((*name).to_owned(), json!({"type": kind.as_str(), "indexed": !name.ends_with("_plain")})))
        .collect();
    let document = json!({"project_id": "p", "version": 1, "tables": {"notes": {"fields": fields}}});
    let started = Instant::now();
    insert(&store, [schema(&world.project, 1, document).into()]).await;
    println!("{name}: published in {:?}", started.elapsed());
    let (started, mut longest) = (Instant::now(), Duration::ZERO);
    loop {
        let step = Instant::now();
        let more = store.index_items(None, 500).await.unwrap().more;
        longest = longest.max(step.elapsed());
        if !more {
            break;
        }
    }
    println!("{name}: indexed two fields of {ITEMS} items in {:?}, longest step {longest:?}", started.elapsed());
    for parameters in QUERIES {
        let (fast, found) = median(&*store, &world, &query(parameters, "")).await;
        let (slow, expected) = median(&*store, &world, &query(parameters, "_plain")).await;
        let ratio = slow.as_secs_f64() / fast.as_secs_f64();
        println!("{name}: {parameters:?} {fast:?}, not indexed {slow:?}: {ratio:.0} times");
        assert_eq!(found, expected);
        assert!(!found.is_empty() && ratio >= 10.0, "{parameters:?}: {ratio}");
    }
}

/// Measures writes, alternating between a table with an indexed field and one without.
async fn measure_writes(name: &str, store: Arc<dyn Store>) {
    let world = Fixture::make(&store, "acme").await;
    let fields = |indexed| json!({"fields": {"rank": {"type": "number", "indexed": indexed}}});
    let tables = json!({"notes": fields(true), "plain": fields(false)});
    let document = json!({"project_id": "p", "version": 1, "tables": tables});
    insert(&store, [schema(&world.project, 1, document).into()]).await;
    while store.index_items(None, 500).await.unwrap().more {}

    for (batch_size, rounds) in [(1, 1_000), (100, 40)] {
        let mut times = [const { Vec::new() }; 2];
        for round in 0..rounds {
            for (table, times) in ["notes", "plain"].into_iter().zip(&mut times) {
                let mut changes: Changes = change();
                for number in 0..batch_size {
                    let value =
                        json!({"rank": number * 7_919 % 1_009, "title": "a note of some length", "done": false});
                    let mut item = world.item(&format!("{batch_size}-{round:04}-{number:03}"), value);
                    table.clone_into(&mut item.table);
                    changes = changes.put(item, Precondition::None);
                }
                let started = Instant::now();
                store.commit(changes).await.unwrap();
                times.push(started.elapsed());
            }
        }
        let [indexed, plain] = times.map(|mut times| {
            times.sort_unstable();
            times.swap_remove(times.len() / 2)
        });
        let ratio = indexed.as_secs_f64() / plain.as_secs_f64();
        println!("{name}: {batch_size} per commit: indexed {indexed:?}, not indexed {plain:?}: {ratio:.2}");
    }
}

fn sqlite(directory: &tempfile::TempDir, name: &str) -> (Arc<dyn Store>, String) {
    let path = directory.path().join(name).display().to_string();
    SqliteStore::migrate(&path).unwrap();
    (Arc::new(SqliteStore::open(&path, 2).unwrap()), path)
}

fn postgres(database: &ScratchDatabase) -> Arc<dyn Store> {
    PostgresStore::migrate(&database.url()).unwrap();
    Arc::new(PostgresStore::open(&database.url(), 2).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes"]
async fn indexed_fields_are_ten_times_as_fast_on_sqlite() {
    let directory = tempfile::tempdir().unwrap();
    indexed_fields_are_ten_times_as_fast("SQLite", sqlite(&directory, "store.db").0).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes"]
async fn indexed_fields_are_ten_times_as_fast_on_postgres() {
    let database = ScratchDatabase::create().unwrap();
    indexed_fields_are_ten_times_as_fast("PostgreSQL", postgres(&database)).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes"]
async fn cost_of_writes_on_sqlite() {
    let directory = tempfile::tempdir().unwrap();
    measure_writes("SQLite", sqlite(&directory, "store.db").0).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes"]
async fn cost_of_writes_on_postgres() {
    let database = ScratchDatabase::create().unwrap();
    measure_writes("PostgreSQL", postgres(&database)).await;
}
