//! The short form: checks that hold in every test run, on a slow machine and with a debug build. While all loads run
//! one after the other, no request of the victim fails or stalls, and memory stays bounded.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use steward_tests::{Backend, on_both};

use crate::loads::{LOADS, Load, document, failures};
use crate::process::check_memory;
use crate::scene::{Scale, Scene};
use crate::victim::Seen;

/// Duration of each load.
const DURATION: Duration = Duration::from_secs(1);
/// How long a load may take until it has its minimum outcomes.
const MAX_DURATION: Duration = Duration::from_secs(60);
/// Maximum response time of any request of the victim.
const MAX_LATENCY: Duration = Duration::from_secs(10);
/// Maximum number of runs of a load. A pause of the machine disturbs one run. An error of the service disturbs each.
const MAX_RUNS: usize = 3;

/// What happened while a load ran.
struct Run {
    load: &'static Load,
    seen: Seen,
    outcomes: BTreeMap<String, u64>,
}

impl Run {
    /// Runs a load until it has its minimum outcomes.
    async fn of(load: &'static Load, scene: &Scene) -> Self {
        let (callers, started) = ((load.start)(scene).await, Instant::now());
        let mut seen = scene.victim.live(DURATION).await;
        while !missing(load, &callers.outcomes()).is_empty() && started.elapsed() < MAX_DURATION {
            seen.add(scene.victim.live(DURATION).await);
        }
        let outcomes = callers.end().await;
        let (median, p99, max) = (seen.median(), seen.p99(), seen.max());
        println!("{}: {median:?} median, {p99:?} p99, {max:?} max of {}; {outcomes:?}", load.name, seen.requests());
        Self { load, seen, outcomes }
    }

    /// Returns whether a pause of the machine can explain all that is wrong with the run: requests of the victim that
    /// exceeded a time limit, and callers that did too little.
    fn is_disturbed(&self) -> bool {
        let refused = &self.seen.refused;
        let is_slow = !refused.is_empty() || self.seen.max() >= MAX_LATENCY;
        let is_disturbed = is_slow || !missing(self.load, &self.outcomes).is_empty();
        is_disturbed && refused.iter().all(|refusal| refusal.starts_with("503")) && failures(&self.outcomes).is_empty()
    }

    fn check(&self) {
        let Self { load, seen, outcomes } = self;
        assert!(seen.refused.is_empty(), "{}: Requests of the victim failed: {:?}", load.name, seen.refused);
        assert!(seen.max() < MAX_LATENCY, "{}: A request of the victim took {:?}.", load.name, seen.max());
        let violations = load.violations(outcomes, |proof| proof.short);
        assert!(violations.is_empty(), "{}: {violations:?} {outcomes:?}", load.name);
    }
}

fn missing(load: &Load, outcomes: &BTreeMap<String, u64>) -> Vec<String> {
    load.missing(outcomes, |proof| proof.short)
}

async fn every_load(backend: Backend) {
    let mut scene = Scene::set(backend, Scale::Short).await;
    for load in LOADS {
        (load.prepare)(&scene).await;
    }
    scene.begin().await;
    for load in LOADS {
        let mut run = Run::of(load, &scene).await;
        for _ in 1..MAX_RUNS {
            if run.is_disturbed() {
                run = Run::of(load, &scene).await;
            }
        }
        run.check();
        check_memory(&scene.app);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_request_of_the_victim_fails_during_any_load_on_sqlite() {
    every_load(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_request_of_the_victim_fails_during_any_load_on_postgres() {
    every_load(Backend::Postgres).await;
}

on_both! {
    async fn a_document_with_very_many_violations_is_rejected_quickly_and_briefly(app: &App) {
        for fields in [30_000, 90_000] {
            let body = Some(("application/json", document(fields).into_bytes()));
            let path = "/utils/schema/verifyUpdateSchema";
            let sent = Instant::now();
            let response = app.anonymous().send_raw(reqwest::Method::POST, path, body, &[]).await;
            assert!(response.body.len() < 64 * 1024, "The response has {} bytes.", response.body.len());
            // The service itself rejects longer work with 503. The limit below includes delays of the test.
            let report = response.ok();
            assert_eq!(report["valid"], false);
            assert!(report["errors"].as_array().unwrap().len() <= 100);
            assert!(sent.elapsed() < Duration::from_secs(30), "{fields} fields: {:?}", sent.elapsed());
        }
    }
}
