//! A replica is killed during background work. Another replica takes it over when the leases have expired.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use steward_tests::{App, Backend, Receiver, World, eventually};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// Maximum time after a kill until another process continues the work: twice the duration of a lease, which is five
/// seconds, unless the machine is busy.
pub fn max_takeover() -> Duration {
    Duration::from_secs(if crate::is_strict() { 10 } else { 45 })
}

/// A webhook receiver that accepts connections and never responds. It stops when this value is dropped.
struct SilentReceiver {
    url: String,
    connections: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl SilentReceiver {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://127.0.0.1:{}/hook", listener.local_addr().unwrap().port());
        let connections = Arc::new(AtomicUsize::new(0));
        let count = connections.clone();
        let task = tokio::spawn(async move {
            let mut open = Vec::new();
            while let Ok((stream, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::Relaxed);
                open.push(stream);
            }
        });
        Self { url, connections, task }
    }

    /// Number of connections accepted so far.
    fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }

    /// Waits until this many connections were accepted.
    async fn once(&self, count: usize) {
        eventually(async || (self.connections() >= count).then_some(())).await;
    }
}

impl Drop for SilentReceiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Kills a replica that holds the lease of a running delivery, and the lease for sealing events. Returns the times
/// until another replica seals events and until it delivers again. Returns `None` if the delivery was repeated before
/// the kill, because a pause of the machine let its lease expire.
async fn take_over() -> Option<(Duration, Duration)> {
    let mut first = App::start_with(Backend::Postgres, &[("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true")]).await;
    let world = World::make(&first, "acme").await;
    let (silent, receiver) = (SilentReceiver::start().await, Receiver::start().await);
    let (team, project) = (format!("/team/{}", world.team), format!("/project/{}", world.project));
    for (scope, url, event) in [(&project, &silent.url, "project.updated"), (&team, &receiver.url, "team.updated")] {
        let hook = json!({"url": url, "events": [event]});
        world.owner.post(&format!("{scope}/webhook"), hook).await.created();
    }
    world.owner.patch(&project, json!({"name": "Renamed"})).await.ok();
    silent.once(1).await;
    let second = first.start_replica().await;
    if silent.connections() != 1 {
        return None;
    }

    first.kill();
    let (killed, before) = (Instant::now(), silent.connections());
    let owner = second.bearer(world.owner.credential.as_ref().unwrap());
    owner.patch(&team, json!({"name": "Renamed"})).await.ok();
    let sealed_and_delivered = async {
        receiver.once(1).await;
        killed.elapsed()
    };
    let delivered_again = async {
        silent.once(before + 1).await;
        killed.elapsed()
    };
    Some(tokio::join!(sealed_and_delivered, delivered_again))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_replica_takes_over_from_a_killed_one_within_two_leases() {
    for _ in 0..3 {
        let Some((sealed, delivered)) = take_over().await else { continue };
        println!("After a kill, another replica sealed after {sealed:?} and delivered again after {delivered:?}.");
        assert!(sealed < max_takeover() && delivered < max_takeover(), "{sealed:?}, {delivered:?}");
        return;
    }
    panic!("In all attempts, the delivery did not run on the first replica alone before the kill.");
}
