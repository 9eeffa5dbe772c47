//! Workers are added and projects moved while people write: nothing is lost, reported twice, or out of order.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use steward_tests::{Receiver, TIMEOUT, World, eventually};
use tokio::task::JoinSet;

use crate::nodes::CitusCluster;

const PROJECTS: usize = 6;
const CLIENTS: usize = 2;
/// Pause of a client between two items.
const PAUSE: Duration = Duration::from_millis(20);

/// What a client did.
struct Written {
    project: String,
    /// The IDs of its items, in the order in which they were acknowledged.
    items: Vec<String>,
    /// Requests that failed. Each succeeded when it was repeated.
    failed: usize,
    slowest: Duration,
}

/// Creates one item after the other and reads each.
async fn write(world: Arc<World>, client: usize, stop: Arc<AtomicBool>) -> Written {
    let mut written = Written { project: world.project.clone(), items: Vec::new(), failed: 0, slowest: Duration::ZERO };
    while !stop.load(Ordering::Acquire) {
        let id = format!("c{client}-{}", written.items.len());
        let path = format!("{}/{id}", world.notes());
        let began = Instant::now();
        loop {
            let response = world.key.put(&path, json!({"value": {"title": id}})).await;
            if response.status.is_success() {
                break;
            }
            assert!(response.status.is_server_error() && began.elapsed() < TIMEOUT, "{response}");
            written.failed += 1;
            tokio::time::sleep(PAUSE).await;
        }
        let read = world.key.get(&path).await;
        assert!(read.status.is_server_error() || read.ok()["data"]["title"] == id.as_str());
        written.slowest = written.slowest.max(began.elapsed());
        written.items.push(id);
        tokio::time::sleep(PAUSE).await;
    }
    written
}

/// Returns the IDs of the items in the events that the receiver got, by project, in the order of their arrival. Panics
/// if events arrived in another order than that of their positions.
fn reported(receiver: &Receiver) -> BTreeMap<String, Vec<String>> {
    let mut projects: BTreeMap<String, (i64, Vec<String>)> = BTreeMap::new();
    for message in receiver.received() {
        let event = message.event()["data"].clone();
        let position = event["position"].as_i64().unwrap();
        let (last, items) = projects.entry(event["project_id"].as_str().unwrap().to_owned()).or_default();
        // A message can arrive again if the receiver's response was lost.
        if position == *last {
            continue;
        }
        assert!(position > *last, "An event arrived late: {event}");
        *last = position;
        items.push(event["target"]["id"].as_str().unwrap().to_owned());
    }
    projects.into_iter().map(|(project, (_, items))| (project, items)).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_while_a_worker_is_added_and_projects_are_moved() {
    let Some(cluster) = CitusCluster::start().await else { return };
    let app = cluster.distributed(&[("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true")]).await;
    let receiver = Receiver::start().await;
    let mut worlds = Vec::new();
    for number in 0..PROJECTS {
        let world = World::make(&app, &format!("acme-{number}")).await;
        let hook = json!({"url": receiver.url, "events": ["item.created"]});
        world.owner.post(&format!("/project/{}/webhook", world.project), hook).await.created();
        worlds.push(Arc::new(world));
    }

    let stop = Arc::new(AtomicBool::new(false));
    let mut clients = JoinSet::new();
    for world in &worlds {
        (0..CLIENTS).for_each(|client| drop(clients.spawn(write(world.clone(), client, stop.clone()))));
    }
    let began = Instant::now();
    let added = cluster.add_worker().await;
    cluster.rebalance();
    let moved = began.elapsed();
    let on_new = worlds.iter().filter(|world| cluster.is_on(&added, &world.project)).count();
    assert!(on_new > 0, "No project was moved to the new worker.");
    // The service finds out within a few seconds, and writes there.
    eventually(async || cluster.was_written_to(&added).then_some(())).await;
    stop.store(true, Ordering::Release);

    let mut written: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
    let (mut failed, mut slowest, mut count) = (0, Duration::ZERO, 0);
    for client in clients.join_all().await {
        (failed, slowest) = (failed + client.failed, slowest.max(client.slowest));
        count += client.items.len();
        written.entry(client.project).or_default().push(client.items);
    }
    eventually(async || (reported(&receiver).values().map(Vec::len).sum::<usize>() >= count).then_some(())).await;
    for (project, reported) in reported(&receiver) {
        for items in &written[&project] {
            let client = items.first().and_then(|id| id.split('-').next()).unwrap();
            let own: Vec<&String> = reported.iter().filter(|id| id.split('-').next() == Some(client)).collect();
            assert_eq!(own, items.iter().collect::<Vec<_>>());
        }
    }
    println!(
        "{count} items written while {on_new} of {PROJECTS} projects were moved in {moved:.1?}: {failed} requests repeated, slowest \
         {slowest:.2?}, all reported once and in order"
    );
}
