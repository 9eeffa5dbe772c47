//! Several replicas behind a proxy: a rolling restart fails no request, and the other replicas continue after a kill.

use std::time::{Duration, Instant};

use serde_json::json;
use steward_tests::{App, World};
use tokio::time::sleep;

use crate::is_strict;
use crate::load::{Load, Sample};
use crate::proxy::{Proxy, RefusedConnection, replicas};

const CLIENTS: usize = 20;
const PNG: &[u8] = include_bytes!("../images/small.png");
/// Maximum time until the proxy detects that a replica stopped or started, unless the machine is busy.
const DETECTION_TIME: Duration = Duration::from_secs(2);

/// Starts clients that send requests through the proxy: one streams a list that grows, one uploads images, and the
/// others alternate between writes and reads.
fn load(proxy: &Proxy, world: &World) -> Load {
    let (items, credential) = (format!("{}{}", proxy.base, world.notes()), world.key.credential.clone().unwrap());
    let icon = format!("{}/project/{}/upload/icon", proxy.base, world.project);
    let pause = Duration::from_millis(if is_strict() { 30 } else { 200 });
    Load::start(CLIENTS, pause, move |http, client, number| {
        let item = format!("{items}/c{client}-{}", number / 2);
        let request = match client {
            0 => http.get(&items),
            1 => http.post(&icon).header("Content-Type", "multipart/form-data; boundary=cut").body(image_form()),
            _ if number % 2 == 0 => http.put(item).json(&json!({"value": {"title": "Note"}})),
            _ => http.get(item),
        };
        request.bearer_auth(&credential)
    })
}

/// A multipart form with an image.
fn image_form() -> Vec<u8> {
    let head = "--cut\r\nContent-Disposition: form-data; name=\"file\"; filename=\"icon.png\"\r\n\r\n";
    [head.as_bytes(), PNG, b"\r\n--cut--\r\n"].concat()
}

/// Returns the requests that failed. After a pause of the machine, a replica may reject requests because PostgreSQL did
/// not respond to it. Such rejections do not count, nor reads of items whose writes were rejected. Rejections because a
/// replica is shutting down count.
fn failures<'a>(samples: &'a [Sample], replicas: &[App]) -> Vec<&'a Sample> {
    let paused = || replicas.iter().any(|replica| replica.log().contains("The database does not respond."));
    let was_paused = !is_strict() && paused();
    let failed = samples.iter().filter(|sample| !sample.succeeded());
    let rejected = |sample: &Sample| {
        let body = &sample.error_body;
        sample.is(503) && body.contains("\"unavailable\"") && !body.contains("shutting down")
    };
    // The write and the read of an item have the same URL.
    let unwritten =
        |sample: &Sample| sample.is(404) && samples.iter().any(|other| other.url == sample.url && rejected(other));
    failed.filter(|&sample| !(was_paused && (rejected(sample) || unwritten(sample)))).collect()
}

/// Checks that every acknowledged write is stored. A read of an item with a failed write may return 404.
async fn assert_no_write_is_lost(samples: &[Sample], world: &World) {
    let written = samples.iter().filter(|sample| sample.is(201));
    let mut count = 0;
    for sample in written {
        let path = reqwest::Url::parse(&sample.url).unwrap().path().to_owned();
        world.key.get(&path).await.ok();
        count += 1;
    }
    assert!(count > CLIENTS, "Only {count} writes succeeded.");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rolling_restart_behind_a_proxy_fails_no_request() {
    let images = tempfile::tempdir().unwrap();
    // A busy proxy needs longer to detect that a replica stops.
    let delay = if is_strict() { "3" } else { "8" };
    let settings = [("STEWARD_BLOBS", images.path().to_str().unwrap()), ("STEWARD_SHUTDOWN_DELAY_SECONDS", delay)];
    let (proxy, mut replicas) = replicas(3, &settings, RefusedConnection::Fails).await;
    let world = World::make(&replicas[0], "acme").await;
    let load = load(&proxy, &world);
    sleep(Duration::from_secs(1)).await;
    for replica in &mut replicas {
        replica.restart().await;
        // Wait until the proxy sends requests to it again.
        sleep(DETECTION_TIME).await;
    }
    let samples = load.end().await;
    let failed = failures(&samples, &replicas);
    assert!(failed.is_empty(), "{} of {} requests failed: {failed:?}", failed.len(), samples.len());
    assert_no_write_is_lost(&samples, &world).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_replica_fails_only_its_own_requests() {
    let images = tempfile::tempdir().unwrap();
    let settings = [("STEWARD_BLOBS", images.path().to_str().unwrap())];
    let (proxy, mut replicas) = replicas(3, &settings, RefusedConnection::IsRetried).await;
    let world = World::make(&replicas[0], "acme").await;
    let load = load(&proxy, &world);
    sleep(Duration::from_secs(1)).await;
    let killed = Instant::now();
    replicas[1].kill();
    sleep(Duration::from_secs(4)).await;
    if !is_strict() {
        load.steady().await;
    }
    let samples = load.end().await;
    let failed = failures(&samples, &replicas);
    // Requests that were running there, and reads of items that they would have written.
    assert!(failed.len() <= CLIENTS, "{} of {} requests failed: {failed:?}", failed.len(), samples.len());
    let is_expected = |sample: &&Sample| !is_strict() || sample.began < killed + DETECTION_TIME;
    assert!(failed.iter().all(is_expected), "{failed:?}");
    let max_response = Duration::from_secs(if is_strict() { 7 } else { 20 });
    assert!(samples.iter().all(|sample| sample.took() < max_response));
    assert_no_write_is_lost(&samples, &world).await;
    restart_and_check(&mut replicas[1], &world).await;
}

/// Restarts a killed replica and checks that it serves the writes of the others.
async fn restart_and_check(replica: &mut App, world: &World) {
    replica.kill_and_restart().await;
    let caller = replica.bearer(world.key.credential.as_ref().unwrap());
    caller.get(&world.item("first")).await.ok();
}
