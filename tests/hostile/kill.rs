//! Repeated `kill -9` under load: no acknowledged write is lost, no batch is stored partially, and the audit chains are
//! valid.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use futures_util::stream;
use reqwest::Client;
use serde_json::{Value, json};
use steward_tests::{App, Backend, PASSWORD, World};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::process::MAX_MEMORY;
use crate::setting;

const WRITERS: usize = 8;
/// Number of items in a batch.
const BATCH_SIZE: usize = 10;
/// Number of rounds between verifications of the audit log.
const VERIFY_INTERVAL: u64 = 20;
/// Number of concurrent reads.
const READERS: usize = 16;

/// A write: the item IDs, and whether the service acknowledged it.
struct Write {
    ids: Vec<String>,
    acknowledged: bool,
}

/// The totals of all rounds.
#[derive(Default)]
struct Totals {
    acknowledged: usize,
    batches: usize,
    unanswered: usize,
    unanswered_but_stored: usize,
    longest_restart: Duration,
    /// Peak resident memory in MiB.
    peak: u64,
}

/// Starts writers that write until the service stops. Every second writer writes batches.
fn start_writers(app: &App, world: &World, round: u64, stop: &Arc<AtomicBool>) -> JoinSet<Vec<Write>> {
    let mut writers = JoinSet::new();
    for writer in 0..WRITERS {
        let (http, stop, url) = (Client::new(), stop.clone(), format!("{}{}", app.base, world.notes()));
        let key = world.key.credential.clone().unwrap();
        writers.spawn(async move {
            let mut written = Vec::new();
            for number in 0.. {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let size = if writer % 2 == 0 { 1 } else { BATCH_SIZE };
                let ids: Vec<String> = (0..size).map(|part| format!("r{round}-w{writer}-{number}-{part}")).collect();
                let request = match ids.as_slice() {
                    [id] => http.put(format!("{url}/{id}")).json(&json!({"value": value(id)})),
                    _ => http
                        .post(format!("{url}/batch"))
                        .json(&json!({"operations": ids.iter().map(|id| put(id)).collect::<Vec<_>>()})),
                };
                let acknowledged = match request.bearer_auth(&key).send().await {
                    Ok(response) if response.status().is_success() => true,
                    Ok(response) => panic!("{}: {:?}", response.status(), response.text().await),
                    Err(_) => false,
                };
                written.push(Write { ids, acknowledged });
                if !acknowledged {
                    break;
                }
            }
            written
        });
    }
    writers
}

fn put(id: &str) -> Value {
    json!({"op": "put", "id": id, "value": value(id)})
}

fn value(id: &str) -> Value {
    json!({"title": format!("Written as {id}")})
}

/// Counts the stored items of a write, and checks their values.
async fn count_stored(http: &Client, url: &str, key: &str, write: Write) -> (Write, usize) {
    let mut found = 0;
    for id in &write.ids {
        let response = http.get(format!("{url}/{id}")).bearer_auth(key).send().await.unwrap();
        match response.status().as_u16() {
            404 => {}
            200 => {
                assert_eq!(response.json::<Value>().await.unwrap()["data"]["title"], value(id)["title"]);
                found += 1;
            }
            status => panic!("Reading {id} returned {status}."),
        }
    }
    (write, found)
}

/// Reads the writes of a round and checks that they are stored.
async fn read_back(app: &App, world: &World, written: Vec<Write>, totals: &mut Totals) {
    let (http, url, key) =
        (Client::new(), format!("{}{}", app.base, world.notes()), world.key.credential.as_ref().unwrap());
    let found: Vec<(Write, usize)> =
        stream::iter(written.into_iter().map(|write| count_stored(&http, &url, key, write)))
            .buffer_unordered(READERS)
            .collect()
            .await;
    for (write, found) in found {
        let all = write.ids.len();
        assert!(found == all || found == 0, "Only {found} items of a batch are stored: {:?}", write.ids);
        assert!(found == all || !write.acknowledged, "An acknowledged write is lost: {:?}", write.ids);
        totals.acknowledged += usize::from(write.acknowledged);
        totals.batches += usize::from(write.acknowledged && all > 1);
        totals.unanswered += usize::from(!write.acknowledged);
        totals.unanswered_but_stored += usize::from(!write.acknowledged && found == all);
    }
}

/// Checks that every chain of the audit log is valid.
async fn verify_audit_log(app: &App) {
    let output = app.run(&["audit", "verify"], "").await;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success() && printed.contains("\"holds\":true") && !printed.contains("\"holds\":false"),
        "{printed} {:?}",
        String::from_utf8_lossy(&output.stderr)
    );
}

async fn run_rounds(backend: Backend, count: u64) {
    let mut app = App::start_with(backend, &[("STEWARD_LOG", "warn")]).await;
    let world = World::make(&app, "acme").await;
    let mut totals = Totals::default();
    for round in 0..count {
        let stop = Arc::new(AtomicBool::new(false));
        let writers = start_writers(&app, &world, round, &stop);
        // A different time in each round, from the first writes to many writes.
        sleep(Duration::from_millis(40 + round * 37 % 260)).await;
        // Includes the reads of the previous round.
        totals.peak = totals.peak.max(app.peak_memory());
        app.kill();
        stop.store(true, Ordering::Relaxed);
        let written = writers.join_all().await.into_iter().flatten().collect();
        let began = Instant::now();
        app.kill_and_restart().await;
        totals.longest_restart = totals.longest_restart.max(began.elapsed());
        read_back(&app, &world, written, &mut totals).await;
        if round % VERIFY_INTERVAL == VERIFY_INTERVAL - 1 || round + 1 == count {
            verify_audit_log(&app).await;
        }
    }
    let Totals { acknowledged, batches, unanswered, unanswered_but_stored, longest_restart, peak } = totals;
    println!(
        "{backend:?}: {count} kills; {acknowledged} acknowledged writes, {batches} of them batches of {BATCH_SIZE}: \
         none lost, none partial; {unanswered} without a response, of which {unanswered_but_stored} were stored; the \
         longest restart took {longest_restart:?}; the resident memory reached {peak} MiB; every audit chain is valid"
    );
    assert!(peak < MAX_MEMORY, "The resident memory reached {peak} MiB.");
    assert!(acknowledged > 0 && batches > 0, "Nothing was written.");
    // Sign-in still works.
    let login = json!({"username": "acme-owner", "password": PASSWORD});
    app.anonymous().post("/auth/login", login).await.ok();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "Takes minutes. Run `make hostile`."]
async fn acknowledged_writes_survive_every_kill_on_sqlite() {
    run_rounds(Backend::Sqlite, setting("HOSTILE_ROUNDS", 200)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "Takes minutes. Run `make hostile`."]
async fn acknowledged_writes_survive_every_kill_on_postgres() {
    run_rounds(Backend::Postgres, setting("HOSTILE_ROUNDS", 200)).await;
}
