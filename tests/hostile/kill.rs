//! `kill -9` under load, again and again: no acknowledged write is lost, no batch is half there, and the audit chains hold.

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

use crate::setting;

const WRITERS: usize = 8;
/// How many items a batch puts.
const BATCH: usize = 10;
/// After how many rounds the audit log is verified.
const VERIFIED: u64 = 20;
/// How many items are read at a time.
const READERS: usize = 16;

/// One write: the ids that it puts, and whether it was acknowledged.
struct Written {
    ids: Vec<String>,
    acknowledged: bool,
}

/// What all rounds came to.
#[derive(Default)]
struct Figures {
    acknowledged: usize,
    batches: usize,
    unanswered: usize,
    unanswered_but_stored: usize,
    longest_restart: Duration,
}

/// Writes until the service is gone: every other writer in batches.
fn write(app: &App, world: &World, round: u64, stop: &Arc<AtomicBool>) -> JoinSet<Vec<Written>> {
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
                let size = if writer % 2 == 0 { 1 } else { BATCH };
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
                written.push(Written { ids, acknowledged });
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

/// Which of a write's items are there, as they were written.
async fn stored(http: &Client, url: &str, key: &str, written: Written) -> (Written, usize) {
    let mut found = 0;
    for id in &written.ids {
        let response = http.get(format!("{url}/{id}")).bearer_auth(key).send().await.unwrap();
        match response.status().as_u16() {
            404 => {}
            200 => {
                assert_eq!(response.json::<Value>().await.unwrap()["data"]["title"], value(id)["title"]);
                found += 1;
            }
            status => panic!("{status} for {id}"),
        }
    }
    (written, found)
}

/// Reads back what a round wrote.
async fn read_back(app: &App, world: &World, written: Vec<Written>, figures: &mut Figures) {
    let (http, url, key) =
        (Client::new(), format!("{}{}", app.base, world.notes()), world.key.credential.as_ref().unwrap());
    let found: Vec<(Written, usize)> =
        stream::iter(written.into_iter().map(|written| stored(&http, &url, key, written)))
            .buffer_unordered(READERS)
            .collect()
            .await;
    for (written, found) in found {
        let all = written.ids.len();
        assert!(found == all || found == 0, "half a batch: {found} of {:?}", written.ids);
        assert!(found == all || !written.acknowledged, "lost: {:?}", written.ids);
        figures.acknowledged += usize::from(written.acknowledged);
        figures.batches += usize::from(written.acknowledged && all > 1);
        figures.unanswered += usize::from(!written.acknowledged);
        figures.unanswered_but_stored += usize::from(!written.acknowledged && found == all);
    }
}

/// Every chain of the audit log holds.
async fn verify(app: &App) {
    let output = app.run(&["audit", "verify"], "").await;
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success() && told.contains("\"holds\":true"),
        "{told} {:?}",
        String::from_utf8_lossy(&output.stderr)
    );
}

async fn rounds(backend: Backend, count: u64) {
    let mut app = App::start_with(backend, &[("STEWARD_LOG", "warn")]).await;
    let world = World::make(&app, "acme").await;
    let mut figures = Figures::default();
    for round in 0..count {
        let stop = Arc::new(AtomicBool::new(false));
        let writers = write(&app, &world, round, &stop);
        // Another moment in each round, from the first writes to many of them.
        sleep(Duration::from_millis(40 + round * 37 % 260)).await;
        app.kill();
        stop.store(true, Ordering::Relaxed);
        let written = writers.join_all().await.into_iter().flatten().collect();
        let began = Instant::now();
        app.kill_and_restart().await;
        figures.longest_restart = figures.longest_restart.max(began.elapsed());
        read_back(&app, &world, written, &mut figures).await;
        if round % VERIFIED == VERIFIED - 1 || round + 1 == count {
            verify(&app).await;
        }
    }
    let Figures { acknowledged, batches, unanswered, unanswered_but_stored, longest_restart } = figures;
    println!(
        "{backend:?}: {count} kills; {acknowledged} acknowledged writes, {batches} of them batches of {BATCH}: none lost, none half \
         there; {unanswered} without a response, of which {unanswered_but_stored} were stored; the longest restart took \
         {longest_restart:?}; every audit chain holds"
    );
    assert!(acknowledged > 0 && batches > 0, "nothing was written");
    // Whoever signs in now still can.
    let login = json!({"username": "acme-owner", "password": PASSWORD});
    app.anon().post("/auth/login", login).await.ok();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "minutes long: make hostile"]
async fn after_each_kill_every_acknowledged_write_is_there_on_sqlite() {
    rounds(Backend::Sqlite, setting("HOSTILE_ROUNDS", 200)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "minutes long: make hostile"]
async fn after_each_kill_every_acknowledged_write_is_there_on_postgres() {
    rounds(Backend::Postgres, setting("HOSTILE_ROUNDS", 200)).await;
}
