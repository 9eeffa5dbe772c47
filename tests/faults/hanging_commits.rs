//! PostgreSQL confirms no commit, because its synchronous standby is gone: reads go on, readiness reports it, and
//! writes say that their outcome is not known.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::json;
use steward_tests::{Answer, App, Cluster, World, eventually};

use crate::{is_strict, until_ready};

/// Number of writes that begin before the service notices the problem: more than there are workers.
const WRITES: usize = 40;

/// Maximum time of a read.
fn max_read() -> Duration {
    Duration::from_secs(if is_strict() { 1 } else { 15 })
}

async fn not_ready(app: &App) {
    let is_reported =
        |response: &Answer| response.status.as_u16() == 503 && response.json()["failing"] == "database writes";
    eventually(async || is_reported(&app.anonymous().get("/health/ready").await).then_some(())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reads_go_on_while_commits_hang() {
    let cluster = Cluster::start().await;
    let app = App::start_on_database(&cluster.url(), &[]).await;
    let world = World::make(&app, "acme").await;
    let owner = &world.owner;
    let put = async |id: String| owner.put(&world.item(&id), json!({"value": {"title": id}})).await;

    cluster.await_standby(true);
    let (writes, reads) = (join_all((0..WRITES).map(|number| put(format!("i{number}")))), async {
        let mut took = Vec::new();
        for _ in 0..20 {
            for path in [world.item("first"), world.notes(), "/team/".to_owned()] {
                let began = Instant::now();
                owner.get(&path).await.ok();
                took.push(began.elapsed());
            }
        }
        took.sort_unstable();
        took
    });
    let (written, read) = tokio::join!(writes, reads);
    let codes: BTreeSet<String> =
        written.iter().map(|response| response.json()["error"].as_str().unwrap_or("").to_owned()).collect();
    let other: Vec<String> =
        written.iter().filter(|response| response.status.as_u16() != 503).map(ToString::to_string).collect();
    assert!(other.is_empty(), "{other:?}");
    assert!(codes.contains("outcome_unknown"), "{codes:?}");
    let (median, slowest) = (read[read.len() / 2], read[read.len() - 1]);
    println!("While commits hang, reads took {median:?}, the slowest {slowest:?}.");
    // A read that waits for a hanging commit takes three seconds or more, and then most reads do. A pause of the
    // machine delays few.
    assert!(median < Duration::from_secs(2) && slowest < max_read(), "{median:?}, {slowest:?}");

    // Once it is noticed, writes are refused at once, and reads still go on.
    not_ready(&app).await;
    let began = Instant::now();
    put("refused".to_owned()).await.refused(503, "unavailable");
    owner.get(&world.item("first")).await.ok();
    assert!(began.elapsed() < Duration::from_secs(if is_strict() { 1 } else { 3 }), "{:?}", began.elapsed());

    cluster.await_standby(false);
    until_ready(&app).await;
    eventually(async || put("written".to_owned()).await.status.is_success().then_some(())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_whose_outcome_is_unknown_is_repeated_with_its_key() {
    let cluster = Cluster::start().await;
    let app = App::start_on_database(&cluster.url(), &[]).await;
    let world = World::make(&app, "acme").await;
    let create = async || {
        let key = [("Idempotency-Key", "create-globex")];
        world.owner.send(Method::POST, "/team/", Some(json!({"name": "Globex", "slug": "globex"})), &key).await
    };
    cluster.await_standby(true);
    assert_eq!(create().await.status.as_u16(), 503);
    cluster.await_standby(false);
    // The repetition creates the team, or says that it was created.
    let is_certain =
        |response: &Answer| response.status.is_success() || response.json()["error"] == "idempotency_answer_lost";
    eventually(async || is_certain(&create().await).then_some(())).await;
    let teams = world.owner.get("/team/").await.ok();
    let named = teams["data"].as_array().unwrap().iter().filter(|team| team["name"] == "Globex").count();
    assert_eq!(named, 1);
}
