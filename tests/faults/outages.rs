//! PostgreSQL is down, frozen, read-only, restarted or replaced while 200 clients send requests. Every request must
//! complete, and the service must recover with the database. The limits allow for a slow machine; those of the design
//! are 5 s, 0.1 s, 1 s and 1 s.

use std::time::{Duration, Instant};

use serde_json::json;
use steward_tests::{Actor, App, World, eventually};
use tokio::time::sleep;

use crate::cluster::Cluster;
use crate::load::{Load, Sample, client, percentile, send};

const CLIENTS: usize = 200;
/// Pause of a client between two requests.
const PAUSE: Duration = Duration::from_millis(500);
/// Maximum response time of a request, in any state of the database.
const MAX_LATENCY: Duration = Duration::from_secs(7);
/// Maximum response time of most requests after the outage was detected.
const MAX_REJECTION_TIME: Duration = Duration::from_millis(1_000);
/// Maximum response time of the readiness check, and maximum time until it reports the outage.
const MAX_READINESS_TIME: Duration = Duration::from_secs(2);
/// Maximum time until the service recovers after the database.
const MAX_RECOVERY_TIME: Duration = Duration::from_secs(3);

/// A service with its own PostgreSQL server, and clients that read.
struct Outage {
    cluster: Cluster,
    app: App,
    owner: Actor,
    load: Load,
}

impl Outage {
    async fn prepare() -> Self {
        let cluster = Cluster::start().await;
        let app = App::start_on_database(&cluster.url(), &[]).await;
        let owner = app.person("ann").await;
        let load = start_readers(&app, &owner);
        sleep(Duration::from_secs(2)).await;
        Self { cluster, app, owner, load }
    }

    /// Breaks the database for a duration, and checks the guarantees that apply to every outage.
    async fn with(self, part: &str, duration: Duration, break_it: fn(&Cluster), repair: fn(&Cluster)) {
        let began = Instant::now();
        break_it(&self.cluster);
        let detected = not_ready(&self.app, part).await;
        assert!(detected < MAX_READINESS_TIME, "Readiness reported the outage after {detected:?}.");
        while began.elapsed() < duration {
            let sent = Instant::now();
            self.app.anonymous().get("/health/ready").await.refused(503, "unavailable");
            assert!(sent.elapsed() < MAX_READINESS_TIME, "The readiness check took {:?}.", sent.elapsed());
            sleep(Duration::from_millis(500)).await;
        }

        repair(&self.cluster);
        let recovery = served_again(&self.owner, "/team").await;
        assert!(recovery < MAX_RECOVERY_TIME, "Requests succeeded {recovery:?} after the database recovered.");
        self.app.anonymous().get("/health/ready").await.ok();
        let settled = Instant::now() + Duration::from_secs(1);
        sleep(Duration::from_secs(3)).await;

        let samples = self.load.end().await;
        check_samples(&samples, began, settled);
        let late: Vec<&Sample> = of(&samples, began + MAX_LATENCY, began + duration);
        assert!(late.len() > CLIENTS / 2, "Only {} requests ran during the outage.", late.len());
        assert!(late.iter().all(|sample| sample.is(503)), "{:?}", late.iter().find(|sample| !sample.is(503)));
        let slowest = samples.iter().map(Sample::took).max().unwrap();
        println!(
            "{CLIENTS} clients: not ready after {detected:?}; the slowest request took {slowest:?}; later rejections \
             took {:?}, p95 {:?}; recovered {recovery:?} after the database",
            percentile(&late, 50),
            percentile(&late, 95)
        );
        assert!(percentile(&late, 95) < MAX_REJECTION_TIME, "Late rejections took {:?}.", percentile(&late, 95));
    }
}

/// Starts clients that send requests which require the database.
fn start_readers(app: &App, owner: &Actor) -> Load {
    let (url, credential) = (format!("{}/team", app.base), owner.credential.clone().unwrap());
    Load::start(CLIENTS, PAUSE, move |client, _, _| client.get(&url).bearer_auth(&credential))
}

/// Checks that all requests before and after the outage succeed, and that requests during it succeed or return 503.
fn check_samples(samples: &[Sample], began: Instant, settled: Instant) {
    for sample in samples {
        let healthy = sample.ended < began || sample.began > settled;
        assert!(if healthy { sample.is(200) } else { sample.is(200) || sample.is(503) }, "{sample:?}");
        assert!(sample.took() < MAX_LATENCY, "{sample:?}");
    }
    assert!(samples.iter().any(|sample| sample.is(503)) && samples.last().unwrap().is(200));
}

fn of(samples: &[Sample], from: Instant, until: Instant) -> Vec<&Sample> {
    samples.iter().filter(|sample| sample.began > from && sample.ended < until).collect()
}

/// Waits until readiness reports the failing part. Returns the elapsed time.
async fn not_ready(app: &App, part: &str) -> Duration {
    let began = Instant::now();
    let error = eventually(async || {
        let ready = app.anonymous().get("/health/ready").await;
        (ready.status.as_u16() == 503).then(|| ready.refused(503, "unavailable"))
    })
    .await;
    assert!(error["failing"].is_string() && error.0.to_string().contains(part), "{error:?}");
    began.elapsed()
}

/// Waits until a request succeeds. Returns the elapsed time.
async fn served_again(caller: &Actor, path: &str) -> Duration {
    let began = Instant::now();
    while caller.get(path).await.status.as_u16() != 200 {
        assert!(began.elapsed() < Duration::from_secs(60), "The service did not recover.");
        sleep(Duration::from_millis(50)).await;
    }
    began.elapsed()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_complete_and_the_service_recovers_when_postgres_is_down() {
    Outage::prepare().await.with("database", Duration::from_secs(12), Cluster::stop, Cluster::resume).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_complete_and_the_service_recovers_when_postgres_is_frozen() {
    Outage::prepare().await.with("database", Duration::from_secs(15), Cluster::freeze, Cluster::thaw).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_service_recovers_from_an_immediate_restart_of_postgres() {
    let outage = Outage::prepare().await;
    let began = Instant::now();
    outage.cluster.restart();
    let recovery = served_again(&outage.owner, "/team").await;
    assert!(recovery < MAX_RECOVERY_TIME, "Requests succeeded {recovery:?} after the restart.");
    let settled = Instant::now() + Duration::from_secs(1);
    sleep(Duration::from_secs(3)).await;
    let samples = outage.load.end().await;
    check_samples(&samples, began, settled);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_only_database_serves_reads_and_readiness_reports_the_reason() {
    let cluster = Cluster::start().await;
    let app = App::start_on_database(&cluster.url(), &[]).await;
    let world = World::make(&app, "acme").await;
    let put = async |id: &str| world.owner.put(&world.item(id), json!({"value": {"title": "Note"}})).await;
    cluster.refuse_writes(true);
    let detected = not_ready(&app, "read-only").await;
    assert!(detected < MAX_READINESS_TIME, "Readiness reported the outage after {detected:?}.");
    // Sessions apply the setting one after the other.
    eventually(async || (put("second").await.status.as_u16() == 503).then_some(())).await;
    for _ in 0..10 {
        put("third").await.refused(503, "unavailable");
        world.owner.get(&world.item("first")).await.ok();
    }
    cluster.refuse_writes(false);
    let writable = Instant::now();
    eventually(async || (put("fourth").await.status.as_u16() == 201).then_some(())).await;
    eventually(async || (app.anonymous().get("/health/ready").await.status.as_u16() == 200).then_some(())).await;
    assert!(writable.elapsed() < MAX_RECOVERY_TIME, "{:?}", writable.elapsed());
}

/// The URL lists both servers. The first one never responds again and never closes a connection.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_service_fails_over_to_a_promoted_standby_when_the_primary_freezes() {
    let primary = Cluster::start().await;
    let standby = primary.standby().await;
    let url = format!("postgres://steward@{},{}/postgres?sslmode=disable", primary.host(), standby.host());
    let app = App::start_on_database(&url, &[]).await;
    let owner = app.person("ann").await;
    let load = start_readers(&app, &owner);
    eventually(async || standby.accepts("SELECT 1 / count(*) FROM accounts").then_some(())).await;
    sleep(Duration::from_secs(2)).await;

    let began = Instant::now();
    primary.freeze();
    sleep(Duration::from_secs(2)).await;
    standby.promote();
    let recovery = served_again(&owner, "/team").await;
    assert!(recovery < Duration::from_secs(15), "The failover took {recovery:?} after the promotion.");
    owner.post("/team/", json!({"name": "Acme", "slug": "acme"})).await.created();
    app.anonymous().get("/health/ready").await.ok();
    let settled = Instant::now() + Duration::from_secs(2);
    sleep(Duration::from_secs(4)).await;
    let samples = load.end().await;
    check_samples(&samples, began, settled);
    // No connection returns to the former primary.
    let late = send(client().get(format!("{}/team", app.base)).bearer_auth(owner.credential.unwrap())).await;
    assert!(late.is(200) && late.took() < MAX_REJECTION_TIME, "{late:?}");
}
