//! Several replicas behind a proxy: one is restarted after the other, and no request fails; one is killed, and the others
//! go on.

use std::time::{Duration, Instant};

use serde_json::json;
use steward_tests::{App, World};
use tokio::time::sleep;

use crate::load::{Load, Sample};
use crate::proxy::{Proxy, replicas};

const CLIENTS: usize = 20;
/// In what time the proxy notices that a replica is gone, or there again.
const NOTICED: Duration = Duration::from_secs(2);

/// Clients who write and read in turn, through the proxy.
fn load(proxy: &Proxy, world: &World) -> Load {
    let (items, credential) = (format!("{}{}", proxy.base, world.notes()), world.key.credential.clone().unwrap());
    Load::start(CLIENTS, Duration::from_millis(30), move |http, client, number| {
        let item = format!("{items}/c{client}-{}", number / 2);
        let request =
            if number % 2 == 0 { http.put(item).json(&json!({"value": {"title": "Note"}})) } else { http.get(item) };
        request.bearer_auth(&credential)
    })
}

/// Each write that was acknowledged is there. A read of an item whose write failed may find none.
async fn claim_nothing_is_lost(samples: &[Sample], world: &World) {
    let written = samples.iter().filter(|sample| sample.is(201));
    let mut count = 0;
    for sample in written {
        let path = reqwest::Url::parse(&sample.url).unwrap().path().to_owned();
        world.key.get(&path).await.ok();
        count += 1;
    }
    assert!(count > CLIENTS, "only {count} writes");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rolling_restart_behind_a_proxy_fails_no_request() {
    let (proxy, mut replicas) = replicas(3, &[]).await;
    let world = World::make(&replicas[0], "acme").await;
    let load = load(&proxy, &world);
    sleep(Duration::from_secs(1)).await;
    for replica in &mut replicas {
        replica.restart().await;
        // Until the proxy sends it requests again.
        sleep(NOTICED).await;
    }
    let samples = load.end().await;
    let failed: Vec<&Sample> = samples.iter().filter(|sample| !sample.succeeded()).collect();
    assert!(failed.is_empty(), "{} of {} requests failed: {failed:?}", failed.len(), samples.len());
    claim_nothing_is_lost(&samples, &world).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_replica_costs_only_the_requests_that_it_had() {
    let (proxy, mut replicas) = replicas(3, &[]).await;
    let world = World::make(&replicas[0], "acme").await;
    let load = load(&proxy, &world);
    sleep(Duration::from_secs(1)).await;
    let killed = Instant::now();
    replicas[1].kill();
    sleep(Duration::from_secs(4)).await;
    let samples = load.end().await;
    let failed: Vec<&Sample> = samples.iter().filter(|sample| !sample.succeeded()).collect();
    // Those that were under way there, and reads of what these would have written.
    assert!(failed.len() <= CLIENTS, "{} of {} requests failed: {failed:?}", failed.len(), samples.len());
    assert!(failed.iter().all(|sample| sample.began < killed + NOTICED), "{failed:?}");
    assert!(samples.iter().all(|sample| sample.took() < Duration::from_secs(7)));
    claim_nothing_is_lost(&samples, &world).await;
    restarted(&mut replicas[1], &world).await;
}

/// A replica that was killed starts again and serves what the others wrote.
async fn restarted(replica: &mut App, world: &World) {
    replica.kill_and_restart().await;
    let caller = replica.bearer(world.key.credential.as_ref().unwrap());
    caller.get(&world.item("first")).await.ok();
}
