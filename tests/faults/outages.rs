//! PostgreSQL is down, frozen, read-only, restarted or replaced while clients send requests of every kind. Every
//! request must complete, and the service must recover with the database.

use std::time::{Duration, Instant};

use serde_json::json;
use steward_tests::{Actor, App, Cluster, World, eventually};
use tokio::time::sleep;

use crate::load::{Load, Sample, client, percentile, send};
use crate::requests::{clients, start_clients};
use crate::{is_strict, until_ready};

/// Time limits during and after an outage.
struct Limits {
    /// Maximum response time of a request, in any state of the database.
    response: Duration,
    /// Maximum response time of a percentile of the requests after the outage was detected.
    rejection: (usize, Duration),
    /// Maximum response time of the readiness check, and maximum time until it reports the outage.
    readiness: Duration,
    /// Maximum time until requests succeed after the database has recovered.
    recovery: Duration,
    /// Maximum time until requests succeed after a standby was promoted.
    failover: Duration,
}

/// The limits of the design.
const STRICT: Limits = Limits {
    response: Duration::from_secs(5),
    rejection: (99, Duration::from_millis(100)),
    readiness: Duration::from_secs(1),
    recovery: Duration::from_secs(1),
    failover: Duration::from_secs(15),
};
/// The limits for a debug build on a busy machine, which may also pause for a few seconds. Without the circuit breaker,
/// a rejection would take longer than its limit.
const TOLERANT: Limits = Limits {
    response: Duration::from_secs(20),
    rejection: (95, Duration::from_secs(4)),
    readiness: Duration::from_secs(15),
    recovery: Duration::from_secs(15),
    failover: Duration::from_secs(60),
};
/// Minimum duration of an outage after it was detected, so that enough requests run during it.
const MIN_LATE_WINDOW: Duration = Duration::from_secs(6);
/// Maximum time until all clients are served without rejections, unless the limits are exact.
const MAX_SETTLING: Duration = Duration::from_secs(30);
/// Maximum number of causes for which requests fail during an outage. Each is logged once a second.
const MAX_CAUSES: usize = 6;
/// Limit of the resident memory in MiB.
const MAX_MEMORY: u64 = 250;

fn limits() -> &'static Limits {
    if is_strict() { &STRICT } else { &TOLERANT }
}

/// A service with its own PostgreSQL server, and clients.
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
        let world = World::make(&app, "busy").await;
        let load = start_clients(&app, &world, "busy-owner").await;
        wait_until_steady(&load, Duration::from_secs(2)).await;
        Self { cluster, app, owner: world.owner, load }
    }

    /// Breaks the database for a duration, and checks the guarantees that apply to every outage.
    async fn with(self, part: &str, duration: Duration, break_it: fn(&Cluster), repair: fn(&Cluster)) {
        let began = Instant::now();
        break_it(&self.cluster);
        let detected = not_ready(&self.app, part).await;
        let detected_at = Instant::now();
        let ends = (began + duration).max(detected_at + MIN_LATE_WINDOW);
        while Instant::now() < ends {
            let sent = Instant::now();
            self.app.anonymous().get("/health/ready").await.refused(503, "unavailable");
            assert!(sent.elapsed() < limits().readiness, "The readiness check took {:?}.", sent.elapsed());
            sleep(Duration::from_millis(500)).await;
        }

        let lines = self.app.log().matches("The service is temporarily unavailable.").count();
        let max_lines = MAX_CAUSES * usize::try_from(began.elapsed().as_secs() + 2).unwrap();
        assert!(lines <= max_lines, "The outage wrote {lines} lines to the log.");
        repair(&self.cluster);
        let recovery = recovered(&self.owner).await;
        wait_until_ready(&self.app).await;
        let settled = Instant::now() + Duration::from_secs(1);
        wait_until_steady(&self.load, Duration::from_secs(3)).await;

        let (peak, samples) = (self.app.peak_memory(), self.load.end().await);
        check_samples(&samples, began, settled);
        let late_from = if is_strict() { began + limits().response } else { detected_at };
        let late: Vec<&Sample> = of(&samples, late_from, ends);
        assert!(late.len() > clients() / 2, "Only {} requests ran during the outage.", late.len());
        assert!(late.iter().all(|sample| sample.is(503)), "{:?}", late.iter().find(|sample| !sample.is(503)));
        let slowest = samples.iter().map(Sample::took).max().unwrap();
        let (hundredths, max_rejection) = limits().rejection;
        let rejection = percentile(&late, hundredths);
        println!(
            "{} clients: not ready after {detected:?}; the slowest request took {slowest:?}; later rejections took \
             {:?}, p{hundredths} {rejection:?}; recovered {recovery:?} after the database; {peak} MiB",
            clients(),
            percentile(&late, 50)
        );
        assert!(rejection < max_rejection, "Late rejections took {rejection:?}.");
        assert!(peak < MAX_MEMORY, "The resident memory reached {peak} MiB.");
    }
}

/// Waits until the clients are served as before a fault, or for `strict` if the limits are exact.
async fn wait_until_steady(load: &Load, strict: Duration) {
    if is_strict() {
        return sleep(strict).await;
    }
    let took = load.steady().await;
    assert!(took < MAX_SETTLING, "The clients were served without rejections only after {took:?}.");
}

/// Checks that requests during the outage succeed or return 503, and that all requests before and after it succeed.
/// Unless the limits are exact, a pause of the machine may cause further rejections, and [`wait_until_steady`] checks
/// that they end.
fn check_samples(samples: &[Sample], began: Instant, settled: Instant) {
    for sample in samples {
        let healthy = is_strict() && (sample.ended < began || sample.began > settled);
        assert!(sample.succeeded() || !healthy && sample.is(503), "{sample:?}");
        assert!(sample.took() < limits().response, "{sample:?}");
    }
    assert!(samples.iter().any(|sample| sample.is(503)), "The outage affected no request.");
    assert!(!is_strict() || samples.last().unwrap().succeeded());
}

fn of(samples: &[Sample], from: Instant, until: Instant) -> Vec<&Sample> {
    samples.iter().filter(|sample| sample.began > from && sample.ended < until).collect()
}

/// Waits until readiness reports the failing part. Returns the elapsed time.
async fn not_ready(app: &App, part: &str) -> Duration {
    let began = Instant::now();
    // After a pause of the machine, a check may report that the database did not respond in time.
    eventually(async || {
        let ready = app.anonymous().get("/health/ready").await;
        let error = (ready.status.as_u16() == 503).then(|| ready.refused(503, "unavailable"));
        error.filter(|error| error["failing"].is_string() && error.0.to_string().contains(part))
    })
    .await;
    let detected = began.elapsed();
    assert!(detected < limits().readiness, "Readiness reported the outage after {detected:?}.");
    detected
}

/// Waits until the service is ready. If the limits are exact, it must be ready now. Otherwise, a check may fail after a
/// pause of the machine.
async fn wait_until_ready(app: &App) {
    if is_strict() {
        app.anonymous().get("/health/ready").await.ok();
    } else {
        until_ready(app).await;
    }
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

/// Waits until a request succeeds after the database has recovered. Checks and returns the elapsed time.
async fn recovered(caller: &Actor) -> Duration {
    let recovery = served_again(caller, "/team").await;
    assert!(recovery < limits().recovery, "Requests succeeded {recovery:?} after the database recovered.");
    recovery
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
    recovered(&outage.owner).await;
    let settled = Instant::now() + Duration::from_secs(1);
    wait_until_steady(&outage.load, Duration::from_secs(3)).await;
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
    not_ready(&app, "read-only").await;
    // Sessions apply the setting one after the other.
    let mut refused = 0;
    eventually(async || {
        refused = if put("second").await.status.as_u16() == 503 { refused + 1 } else { 0 };
        (refused == 10).then_some(())
    })
    .await;
    for _ in 0..10 {
        put("third").await.refused(503, "unavailable");
        world.owner.get(&world.item("first")).await.ok();
    }
    cluster.refuse_writes(false);
    let writable = Instant::now();
    eventually(async || put("fourth").await.status.is_success().then_some(())).await;
    until_ready(&app).await;
    assert!(writable.elapsed() < limits().recovery, "{:?}", writable.elapsed());
}

/// The URL lists both servers. The first one never responds again and never closes a connection.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_service_fails_over_to_a_promoted_standby_when_the_primary_freezes() {
    let primary = Cluster::start().await;
    let standby = primary.standby().await;
    let url = format!("postgres://steward@{},{}/postgres?sslmode=disable", primary.host(), standby.host());
    let app = App::start_on_database(&url, &[]).await;
    let world = World::make(&app, "busy").await;
    let load = start_clients(&app, &world, "busy-owner").await;
    let owner = world.owner;
    eventually(async || standby.accepts("SELECT 1 / count(*) FROM accounts").then_some(())).await;
    wait_until_steady(&load, Duration::from_secs(2)).await;

    let began = Instant::now();
    primary.freeze();
    sleep(Duration::from_secs(2)).await;
    standby.promote();
    let recovery = served_again(&owner, "/team").await;
    assert!(recovery < limits().failover, "The failover took {recovery:?} after the promotion.");
    wait_until_steady(&load, Duration::ZERO).await;
    owner.post("/team/", json!({"name": "Acme", "slug": "acme"})).await.created();
    wait_until_ready(&app).await;
    let settled = Instant::now() + Duration::from_secs(2);
    if is_strict() {
        sleep(Duration::from_secs(4)).await;
    }
    let samples = load.end().await;
    check_samples(&samples, began, settled);
    // No connection returns to the former primary.
    let late = send(client().get(format!("{}/team", app.base)).bearer_auth(owner.credential.unwrap())).await;
    let max_response = if is_strict() { Duration::from_secs(1) } else { limits().response };
    assert!(late.is(200) && late.took() < max_response, "{late:?}");
}
