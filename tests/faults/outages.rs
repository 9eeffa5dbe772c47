//! PostgreSQL is down, frozen, read-only, restarted or replaced while 200 clients send requests: every request has an end,
//! and the service is back when the database is. The bounds leave room for a slow machine; the design's are 5 s, 0.1 s, 1 s
//! and 1 s.

use std::time::{Duration, Instant};

use serde_json::json;
use steward_tests::{Actor, App, World, eventually};
use tokio::time::sleep;

use crate::cluster::Cluster;
use crate::load::{Load, Sample, client, percentile, send};

const CLIENTS: usize = 200;
/// How long a client rests between two requests.
const PAUSE: Duration = Duration::from_millis(500);
/// In what time a request is answered, whatever the database does.
const MAX_LATENCY: Duration = Duration::from_secs(7);
/// In what time most requests are, once it is known that the database is gone.
const SOON: Duration = Duration::from_millis(1_000);
/// In what time readiness is answered, and tells of the outage.
const READY: Duration = Duration::from_secs(2);
/// In what time the service is back when the database is.
const BACK: Duration = Duration::from_secs(3);

/// A service over a server of its own, whose clients read.
struct Outage {
    cluster: Cluster,
    app: App,
    owner: Actor,
    load: Load,
}

impl Outage {
    async fn prepare() -> Self {
        let cluster = Cluster::start().await;
        let app = App::over(&cluster.url(), &[]).await;
        let owner = app.person("ann").await;
        let load = reading(&app, &owner);
        sleep(Duration::from_secs(2)).await;
        Self { cluster, app, owner, load }
    }

    /// Breaks the database for so long, and claims what every outage must keep.
    async fn with(self, part: &str, lasting: Duration, broken: fn(&Cluster), mended: fn(&Cluster)) {
        let began = Instant::now();
        broken(&self.cluster);
        let known = not_ready(&self.app, part).await;
        assert!(known < READY, "readiness told of it after {known:?}");
        while began.elapsed() < lasting {
            let asked = Instant::now();
            self.app.anon().get("/health/ready").await.refused(503, "unavailable");
            assert!(asked.elapsed() < READY, "readiness was answered in {:?}", asked.elapsed());
            sleep(Duration::from_millis(500)).await;
        }

        mended(&self.cluster);
        let back = served_again(&self.owner, "/team").await;
        assert!(back < BACK, "requests were served {back:?} after the database was back");
        self.app.anon().get("/health/ready").await.ok();
        let settled = Instant::now() + Duration::from_secs(1);
        sleep(Duration::from_secs(3)).await;

        let samples = self.load.end().await;
        claim(&samples, began, settled);
        let late: Vec<&Sample> = of(&samples, began + MAX_LATENCY, began + lasting);
        assert!(late.len() > CLIENTS / 2, "only {} requests during the outage", late.len());
        assert!(late.iter().all(|sample| sample.is(503)), "{:?}", late.iter().find(|sample| !sample.is(503)));
        let slowest = samples.iter().map(Sample::took).max().unwrap();
        println!(
            "{CLIENTS} clients: not ready after {known:?}; the slowest request took {slowest:?}; later refusals took {:?}, p95 {:?}; \
             served {back:?} after the database was back",
            percentile(&late, 50),
            percentile(&late, 95)
        );
        assert!(percentile(&late, 95) < SOON, "late refusals took {:?}", percentile(&late, 95));
    }
}

/// Clients who read what only the database knows.
fn reading(app: &App, owner: &Actor) -> Load {
    let (url, credential) = (format!("{}/team", app.base), owner.credential.clone().unwrap());
    Load::start(CLIENTS, PAUSE, move |client, _, _| client.get(&url).bearer_auth(&credential))
}

/// Before the outage and after it all succeed; between each is answered, and refused as it should be.
fn claim(samples: &[Sample], began: Instant, settled: Instant) {
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

/// How long it took until readiness named the part that fails.
async fn not_ready(app: &App, part: &str) -> Duration {
    let began = Instant::now();
    let refusal = eventually(async || {
        let ready = app.anon().get("/health/ready").await;
        (ready.status.as_u16() == 503).then(|| ready.refused(503, "unavailable"))
    })
    .await;
    assert!(refusal["failing"].is_string() && refusal.0.to_string().contains(part), "{refusal:?}");
    began.elapsed()
}

/// How long it took until a request was served.
async fn served_again(caller: &Actor, path: &str) -> Duration {
    let began = Instant::now();
    while caller.get(path).await.status.as_u16() != 200 {
        assert!(began.elapsed() < Duration::from_secs(60), "the service did not come back");
        sleep(Duration::from_millis(50)).await;
    }
    began.elapsed()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_postgres_down_every_request_ends_and_the_service_comes_back() {
    Outage::prepare().await.with("database", Duration::from_secs(12), Cluster::stop, Cluster::resume).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_postgres_frozen_every_request_ends_and_the_service_comes_back() {
    Outage::prepare().await.with("database", Duration::from_secs(15), Cluster::freeze, Cluster::thaw).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_immediate_restart_of_postgres_is_survived() {
    let outage = Outage::prepare().await;
    let began = Instant::now();
    outage.cluster.restart();
    let back = served_again(&outage.owner, "/team").await;
    assert!(back < BACK, "requests were served {back:?} after the restart");
    let settled = Instant::now() + Duration::from_secs(1);
    sleep(Duration::from_secs(3)).await;
    let samples = outage.load.end().await;
    claim(&samples, began, settled);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_a_read_only_database_reads_are_served_and_readiness_says_why_not() {
    let cluster = Cluster::start().await;
    let app = App::over(&cluster.url(), &[]).await;
    let world = World::make(&app, "acme").await;
    let put = async |id: &str| world.owner.put(&world.item(id), json!({"value": {"title": "Note"}})).await;
    cluster.refuse_writes(true);
    let known = not_ready(&app, "read-only").await;
    assert!(known < READY, "readiness told of it after {known:?}");
    // Sessions learn of the setting one after the other.
    eventually(async || (put("second").await.status.as_u16() == 503).then_some(())).await;
    for _ in 0..10 {
        put("third").await.refused(503, "unavailable");
        world.owner.get(&world.item("first")).await.ok();
    }
    cluster.refuse_writes(false);
    let back = Instant::now();
    eventually(async || (put("fourth").await.status.as_u16() == 201).then_some(())).await;
    eventually(async || (app.anon().get("/health/ready").await.status.as_u16() == 200).then_some(())).await;
    assert!(back.elapsed() < BACK, "{:?}", back.elapsed());
}

/// The address names both servers; the first never answers again, and never closes a connection.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn when_the_primary_freezes_and_its_standby_is_promoted_the_service_moves_over() {
    let primary = Cluster::start().await;
    let standby = primary.standby().await;
    let url = format!("postgres://steward@{},{}/postgres?sslmode=disable", primary.host(), standby.host());
    let app = App::over(&url, &[]).await;
    let owner = app.person("ann").await;
    let load = reading(&app, &owner);
    eventually(async || standby.accepts("SELECT 1 / count(*) FROM accounts").then_some(())).await;
    sleep(Duration::from_secs(2)).await;

    let began = Instant::now();
    primary.freeze();
    sleep(Duration::from_secs(2)).await;
    standby.promote();
    let back = served_again(&owner, "/team").await;
    assert!(back < Duration::from_secs(15), "the service moved over {back:?} after the promotion");
    owner.post("/team/", json!({"name": "Acme", "slug": "acme"})).await.created();
    app.anon().get("/health/ready").await.ok();
    let settled = Instant::now() + Duration::from_secs(2);
    sleep(Duration::from_secs(4)).await;
    let samples = load.end().await;
    claim(&samples, began, settled);
    // Nobody goes back to the server that is no primary any more.
    let late = send(client().get(format!("{}/team", app.base)).bearer_auth(owner.credential.unwrap())).await;
    assert!(late.is(200) && late.took() < SOON, "{late:?}");
}
