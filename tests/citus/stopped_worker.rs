//! A worker that is stopped concerns only the projects whose items it has.

use std::time::{Duration, Instant};

use serde_json::json;
use steward_tests::{App, Cluster, World, eventually};

use crate::nodes::CitusCluster;

/// Returns a project whose items are on this worker.
async fn project_on(cluster: &CitusCluster, worker: &Cluster, app: &App, name: &str) -> World {
    for number in 0..64 {
        let world = World::make(app, &format!("{name}-{number}")).await;
        if cluster.is_on(worker, &world.project) {
            return world;
        }
    }
    panic!("No project is on the worker.");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stopped_worker_concerns_only_its_projects() {
    let Some(cluster) = CitusCluster::start().await else { return };
    let app = cluster.distributed(&[]).await;
    let [stopped, running] = &cluster.workers;
    let there = project_on(&cluster, stopped, &app, "there").await;
    let here = project_on(&cluster, running, &app, "here").await;
    for world in [&there, &here] {
        world.key.put(&format!("{}/a", world.notes()), json!({"value": {"title": "before"}})).await.created();
    }

    stopped.stop();
    let path = format!("{}/b", there.notes());
    let began = Instant::now();
    assert_eq!(there.key.put(&path, json!({"value": {"title": "x"}})).await.status.as_u16(), 503);
    assert_eq!(there.key.get(&path).await.status.as_u16(), 503);
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    for number in 0..20 {
        let path = format!("{}/b{number}", here.notes());
        here.key.put(&path, json!({"value": {"title": "during"}})).await.created();
        here.key.get(&path).await.ok();
        there.owner.get(&format!("/team/{}", there.team)).await.ok();
        assert_eq!(app.anonymous().get("/health/ready").await.status.as_u16(), 200);
    }

    // The first items of a project go through the coordinator, which divides its quota, for a second.
    eventually(async || {
        here.key.put(&format!("{}/b", here.notes()), json!({"value": {"title": "during"}})).await;
        cluster.was_written_to(running).then_some(())
    })
    .await;
    stopped.resume();
    let put = async || there.key.put(&path, json!({"value": {"title": "after"}})).await;
    eventually(async || (put().await.status.as_u16() < 300).then_some(())).await;
    // Reads go to the worker itself, with connections of their own.
    let get = async || there.key.get(&format!("{}/a", there.notes())).await;
    let read = eventually(async || Some(get().await).filter(|read| read.status.as_u16() != 503)).await;
    assert_eq!(read.ok()["data"]["title"], "before");
}
