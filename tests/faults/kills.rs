//! What a process that dies leaves behind: nothing acknowledged is lost, and what was under way goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::json;
use steward_tests::{App, Backend, Received, Receiver, World, eventually};

/// Kills the service while several callers write, again and again; every acknowledged write must be there.
async fn nothing_acknowledged_is_lost(backend: Backend) {
    let mut app = App::start(backend).await;
    let world = World::make(&app, "acme").await;
    for round in 0..3 {
        let stop = Arc::new(AtomicBool::new(false));
        let mut writers = tokio::task::JoinSet::new();
        for writer in 0..8 {
            let (client, stop) = (reqwest::Client::new(), stop.clone());
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
                        Ok(answer) if answer.status().is_success() => acknowledged.push(path),
                        Ok(_) | Err(_) => break,
                    }
                }
                acknowledged
            });
        }
        tokio::time::sleep(Duration::from_millis(150)).await;
        app.kill();
        stop.store(true, Ordering::Relaxed);
        let acknowledged: Vec<String> = writers.join_all().await.into_iter().flatten().collect();
        assert!(!acknowledged.is_empty(), "nothing was written before the kill");
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
async fn after_a_kill_every_acknowledged_write_is_there_on_sqlite() {
    nothing_acknowledged_is_lost(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_kill_every_acknowledged_write_is_there_on_postgres() {
    nothing_acknowledged_is_lost(Backend::Postgres).await;
}

/// Kills the service while webhooks wait to be told, before and during deliveries; each change must be told.
async fn no_webhook_is_lost(backend: Backend) {
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
        // From at once, before anything can be told, to long enough for some of it.
        tokio::time::sleep(Duration::from_millis(round * 200)).await;
        app.kill_and_restart().await;
    }
    let told = eventually(async || {
        let told: Vec<String> = receiver.received().iter().map(name).collect();
        Some(told).filter(|told| told.last() == acknowledged.last())
    })
    .await;
    let mut in_order = told.clone();
    in_order.dedup();
    assert_eq!(in_order, acknowledged, "each once or again, none before its turn");
}

fn name(message: &Received) -> String {
    message.event()["data"]["after"]["name"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_between_commit_and_delivery_no_webhook_is_lost_on_sqlite() {
    no_webhook_is_lost(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_between_commit_and_delivery_no_webhook_is_lost_on_postgres() {
    no_webhook_is_lost(Backend::Postgres).await;
}

/// Kills the service when a project is deleted and not all of its data: the rest goes when it is there again.
async fn a_deletion_goes_on(backend: Backend) {
    let mut app = App::start(backend).await;
    let world = World::make(&app, "acme").await;
    let put = |number: usize| json!({"op": "put", "id": format!("n{number}"), "value": {"title": "Note"}});
    for batch in 0..30 {
        let operations: Vec<_> = (batch * 100..batch * 100 + 100).map(put).collect();
        world.key.post(&format!("{}/batch", world.notes()), json!({"operations": operations})).await.ok();
    }
    let project = format!("/project/{}", world.project);
    world.owner.delete(&project).await.ok();
    // Some of it is left; nobody is shown it.
    world.owner.get(&world.notes()).await.is_unknown();
    app.anon().get(&format!("{project}/schema")).await.is_unknown();
    app.kill();
    app.kill_and_restart().await;
    eventually(async || {
        let deleted = world.owner.delete(&format!("/team/{}", world.team)).await;
        (deleted.status.as_u16() == 200).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_deletion_of_a_project_goes_on_after_a_kill_on_sqlite() {
    a_deletion_goes_on(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_deletion_of_a_project_goes_on_after_a_kill_on_postgres() {
    a_deletion_goes_on(Backend::Postgres).await;
}
