//! Tests of killed processes: no acknowledged write is lost, and unfinished work continues.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use steward_tests::{App, Backend, Browser, Received, Receiver, World, eventually};

use crate::takeover::max_takeover;

/// Repeatedly kills the service while several callers write. Every acknowledged write must be stored.
async fn acknowledged_writes_survive_kills(backend: Backend) {
    let mut app = App::start(backend).await;
    let world = World::make(&app, "acme").await;
    for round in 0..3 {
        let (stop, count) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let mut writers = tokio::task::JoinSet::new();
        for writer in 0..8 {
            let (client, stop, count) = (reqwest::Client::new(), stop.clone(), count.clone());
            let base = format!("{}{}", app.base, world.item(&format!("r{round}-w{writer}")));
            let credential = world.key.credential.clone().unwrap();
            writers.spawn(async move {
                let mut acknowledged = Vec::new();
                for number in 0.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    let path = format!("{base}-{number}");
                    let body = json!({"value": {"title": path}}).to_string();
                    let request = client.put(&path).bearer_auth(&credential);
                    let sent = request.header("Content-Type", "application/json").body(body).send().await;
                    match sent {
                        Ok(response) if response.status().is_success() => {
                            acknowledged.push(path);
                            count.fetch_add(1, Ordering::Relaxed);
                        }
                        Ok(response) => panic!("{path} -> {}: {:?}", response.status(), response.text().await),
                        // The connection was lost.
                        Err(_) => break,
                    }
                }
                acknowledged
            });
        }
        eventually(async || (count.load(Ordering::Relaxed) > 0).then_some(())).await;
        tokio::time::sleep(Duration::from_millis(150)).await;
        app.kill();
        stop.store(true, Ordering::Relaxed);
        let acknowledged: Vec<String> = writers.join_all().await.into_iter().flatten().collect();
        app.kill_and_restart().await;
        for path in &acknowledged {
            let path = path.strip_prefix(&app.base).unwrap();
            let item = world.key.get(path).await.ok();
            assert!(item["data"]["title"].as_str().unwrap().ends_with(path));
        }
        world.owner.get("/auth/userinfo").await.ok();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn acknowledged_writes_survive_a_kill_on_sqlite() {
    acknowledged_writes_survive_kills(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn acknowledged_writes_survive_a_kill_on_postgres() {
    acknowledged_writes_survive_kills(Backend::Postgres).await;
}

/// Kills the service before and during webhook deliveries. Every change must be delivered.
async fn no_webhook_delivery_is_lost(backend: Backend) {
    let mut app = App::start_with(backend, &[("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true")]).await;
    let (world, receiver) = (World::make(&app, "acme").await, Receiver::start().await);
    let team = format!("/team/{}", world.team);
    let hook = json!({"url": receiver.url, "events": ["team.updated"]});
    world.owner.post(&format!("{team}/webhook"), hook).await.created();
    let mut acknowledged = Vec::new();
    for round in 0..4_u64 {
        for number in 0..5 {
            let name = format!("Round {round} number {number}");
            world.owner.patch(&team, json!({"name": name})).await.ok();
            acknowledged.push(name);
        }
        // From immediately, before any delivery, to long enough for some deliveries.
        tokio::time::sleep(Duration::from_millis(round * 200)).await;
        app.kill_and_restart().await;
    }
    let restarted = Instant::now();
    let delivered = eventually(async || {
        let delivered: Vec<String> = receiver.received().iter().map(name).collect();
        Some(delivered).filter(|delivered| delivered.last() == acknowledged.last())
    })
    .await;
    assert!(restarted.elapsed() < max_takeover(), "The last delivery took {:?}.", restarted.elapsed());
    // After a kill, events are sent again from the first one whose delivery was not recorded.
    let mut seen = BTreeSet::new();
    let first: Vec<&String> = delivered.iter().filter(|name| seen.insert(*name)).collect();
    assert!(first.into_iter().eq(&acknowledged), "Every event must be delivered, in order: {delivered:?}");
}

fn name(message: &Received) -> String {
    message.event()["data"]["after"]["name"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_webhook_delivery_is_lost_by_a_kill_on_sqlite() {
    no_webhook_delivery_is_lost(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_webhook_delivery_is_lost_by_a_kill_on_postgres() {
    no_webhook_delivery_is_lost(Backend::Postgres).await;
}

/// Kills the service when a project is deleted but part of its data remains. The rest must be deleted after the
/// restart.
async fn a_deletion_continues(backend: Backend) {
    let mut app = App::start(backend).await;
    let world = World::make(&app, "acme").await;
    let put = |number: usize| json!({"op": "put", "id": format!("n{number}"), "value": {"title": "Note"}});
    for batch in 0..30 {
        let operations: Vec<_> = (batch * 100..batch * 100 + 100).map(put).collect();
        world.key.post(&format!("{}/batch", world.notes()), json!({"operations": operations})).await.ok();
    }
    let project = format!("/project/{}", world.project);
    world.owner.delete(&project).await.ok();
    // Some data remains, but is not accessible.
    world.owner.get(&world.notes()).await.is_not_found();
    app.anonymous().get(&format!("{project}/schema")).await.is_not_found();
    app.kill();
    app.kill_and_restart().await;
    eventually(async || {
        let deleted = world.owner.delete(&format!("/team/{}", world.team)).await;
        (deleted.status.as_u16() == 200).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deleting_a_project_continues_after_a_kill_on_sqlite() {
    a_deletion_continues(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deleting_a_project_continues_after_a_kill_on_postgres() {
    a_deletion_continues(Backend::Postgres).await;
}

/// Kills the service repeatedly while a file is imported in the background. Every line must be imported exactly once.
async fn an_import_continues(backend: Backend) {
    const LINES: usize = 6_000;
    let mut app = App::start(backend).await;
    let world = World::make(&app, "acme").await;
    let browser = Browser::signed_in(&app, "acme-owner").await;
    let path = format!("/console/projects/{}/users/{}/tables/notes/import", world.project, world.user);
    let file: String = (0..LINES).map(|n| format!("{{\"title\": \"T{n}\"}}\n")).collect();
    let form = browser.open(&path).await;
    let page = browser.submit(&form, &path, &[("format", "ndjson"), ("file", &file), ("action", "import")]).await;
    assert!(page.url.path().contains("/imports/"), "{page}");
    for pause in [100, 300, 700] {
        tokio::time::sleep(Duration::from_millis(pause)).await;
        app.kill();
        app.kill_and_restart().await;
    }
    eventually(async || browser.open(page.url.path()).await.text().contains("Done: 6000 items").then_some(())).await;
    let mut titles = Vec::new();
    for offset in (0..=LINES).step_by(1_000) {
        let path = format!("{}?order=created_at.desc&limit=1000&offset={offset}", world.notes());
        let found = world.owner.get(&path).await.ok();
        let found = found["data"].as_array().unwrap().iter().map(|item| item["title"].as_str().unwrap().to_owned());
        titles.extend(found.filter(|title| title != "First"));
    }
    let expected: Vec<String> = (0..LINES).map(|n| format!("T{n}")).collect();
    assert!(titles == expected, "{} items", titles.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_import_continues_after_kills_on_sqlite() {
    an_import_continues(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_import_continues_after_kills_on_postgres() {
    an_import_continues(Backend::Postgres).await;
}
