//! The short form: what can be claimed of every load in every test run, on a slow machine and of a debug build. Nobody else
//! is refused anything, and memory stays bounded, while all loads come one after the other.

use std::time::{Duration, Instant};

use steward_tests::{Backend, on_both};

use crate::loads::{LOADS, document};
use crate::measured::MEMORY;
use crate::memory::peak;
use crate::scene::{Scale, Scene};

/// How long each load lasts.
const LASTING: Duration = Duration::from_secs(2);

async fn every_load(backend: Backend) {
    let mut scene = Scene::set(backend, Scale::Short).await;
    for load in LOADS {
        (load.prepare)(&scene).await;
    }
    scene.begin().await;
    for load in LOADS {
        let callers = (load.start)(&scene).await;
        let seen = scene.victim.live(LASTING).await;
        let answers = callers.end().await;
        println!("{}: {:?} median, {:?} p99 of {}; {answers:?}", load.name, seen.median(), seen.p99(), seen.requests());
        assert!(seen.refused.is_empty(), "{}: the victim was refused: {:?}", load.name, seen.refused);
        let peak = peak(&scene.app);
        assert!(peak < MEMORY, "{}: {peak} MiB were resident", load.name);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn beside_every_load_nobody_else_is_refused_on_sqlite() {
    every_load(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn beside_every_load_nobody_else_is_refused_on_postgres() {
    every_load(Backend::Postgres).await;
}

on_both! {
    async fn a_document_of_nothing_but_violations_is_refused_soon_and_briefly(app: &App) {
        for fields in [30_000, 90_000] {
            let asked = Instant::now();
            let body = Some(("application/json", document(fields).into_bytes()));
            let answer = app.anon().send_raw(reqwest::Method::POST, "/utils/schema/verifyUpdateSchema", body, &[]).await;
            assert!(answer.body.len() < 64 * 1024, "{} bytes", answer.body.len());
            let report = answer.ok();
            assert_eq!(report["valid"], false);
            assert!(report["errors"].as_array().unwrap().len() <= 100);
            assert!(asked.elapsed() < Duration::from_secs(2), "{fields} fields: {:?}", asked.elapsed());
        }
    }
}
