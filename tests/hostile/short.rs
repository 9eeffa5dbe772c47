//! The short form: checks that hold in every test run, on a slow machine and with a debug build. While all loads run
//! one after the other, no request of the victim fails or stalls, and memory stays bounded.

use std::time::{Duration, Instant};

use steward_tests::{Backend, on_both};

use crate::loads::{LOADS, document};
use crate::process::check_memory;
use crate::scene::{Scale, Scene};

/// Duration of each load.
const DURATION: Duration = Duration::from_secs(1);
/// Maximum response time of any request of the victim.
const MAX_LATENCY: Duration = Duration::from_secs(10);

async fn every_load(backend: Backend) {
    let mut scene = Scene::set(backend, Scale::Short).await;
    for load in LOADS {
        (load.prepare)(&scene).await;
    }
    scene.begin().await;
    for load in LOADS {
        let callers = (load.start)(&scene).await;
        let seen = scene.victim.live(DURATION).await;
        let outcomes = callers.end().await;
        let (median, p99, max) = (seen.median(), seen.p99(), seen.max());
        println!("{}: {median:?} median, {p99:?} p99, {max:?} max of {}; {outcomes:?}", load.name, seen.requests());
        assert!(seen.refused.is_empty(), "{}: Requests of the victim failed: {:?}", load.name, seen.refused);
        assert!(max < MAX_LATENCY, "{}: A request of the victim took {max:?}.", load.name);
        let violations = load.violations(&outcomes, |proof| proof.short);
        assert!(violations.is_empty(), "{}: {violations:?} {outcomes:?}", load.name);
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
            let sent = Instant::now();
            let body = Some(("application/json", document(fields).into_bytes()));
            let path = "/utils/schema/verifyUpdateSchema";
            let response = app.anonymous().send_raw(reqwest::Method::POST, path, body, &[]).await;
            assert!(response.body.len() < 64 * 1024, "The response has {} bytes.", response.body.len());
            let report = response.ok();
            assert_eq!(report["valid"], false);
            assert!(report["errors"].as_array().unwrap().len() <= 100);
            assert!(sent.elapsed() < Duration::from_secs(5), "{fields} fields: {:?}", sent.elapsed());
        }
    }
}
