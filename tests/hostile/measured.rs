//! The load form (`make hostile`): measures the response times of the victim alone and during each load. It takes
//! minutes and is meaningful only with a release build on an otherwise idle machine.

use std::time::Duration;

use steward_tests::Backend;
use tokio::time::sleep;

use crate::loads::{LOADS, Load};
use crate::memory::{forget_peak, peak};
use crate::scene::{Scale, Scene};
use crate::setting;
use crate::victim::Seen;

/// Maximum factor by which the victim may become slower. Times below `NEGLIGIBLE` are always accepted.
const MAX_SLOWDOWN: u32 = 20;
const NEGLIGIBLE: Duration = Duration::from_millis(250);
/// Limit of the resident memory in MiB, under any load.
pub const MEMORY: u64 = 250;

/// One row of the table.
struct Row {
    load: &'static str,
    alone: Seen,
    loaded: Seen,
    peak: u64,
    answers: String,
}

impl Row {
    /// Returns the violated limits.
    fn violations(&self) -> Vec<String> {
        let bound = NEGLIGIBLE.max(self.alone.p99() * MAX_SLOWDOWN);
        let p99 = self.loaded.p99();
        let refused = self.alone.refused.iter().chain(&self.loaded.refused);
        let refused = refused.map(|error| format!("{}: A request of the victim failed: {error}", self.load));
        let slow = (p99 > bound).then(|| format!("{}: p99 is {p99:?}, more than {bound:?}.", self.load));
        let large = self.peak >= MEMORY;
        let large = large.then(|| format!("{}: The resident memory reached {} MiB.", self.load, self.peak));
        refused.take(3).chain(slow).chain(large).collect()
    }

    fn print(&self) {
        let milliseconds = |time: Duration| format!("{:.1}", time.as_secs_f64() * 1000.0);
        println!(
            "{:<38} {:>7} {:>7} {:>8} {:>8} {:>7} {:>8} {:>6}  {}",
            self.load,
            milliseconds(self.alone.median()),
            milliseconds(self.alone.p99()),
            milliseconds(self.loaded.median()),
            milliseconds(self.loaded.p99()),
            self.loaded.requests(),
            self.alone.refused.len() + self.loaded.refused.len(),
            self.peak,
            self.answers,
        );
    }
}

/// Runs one load against a new service.
async fn measure(backend: Backend, load: &'static Load, duration: Duration) -> Row {
    let mut scene = Scene::set(backend, Scale::Full).await;
    (load.prepare)(&scene).await;
    scene.begin().await;
    scene.victim.live(Duration::from_secs(1)).await;
    let alone = scene.victim.live(duration).await;
    forget_peak(&scene.app);
    let callers = (load.start)(&scene).await;
    sleep(Duration::from_millis(500)).await;
    let mut loaded = scene.victim.live(duration).await;
    let answers = callers.end().await;
    if load.leaves_work {
        loaded.add(scene.victim.live(duration).await);
    }
    let answers = answers.iter().map(|(answer, count)| format!("{count} x {answer}"));
    let answers = answers.collect::<Vec<_>>().join(", ");
    Row { load: load.name, alone, loaded, peak: peak(&scene.app), answers }
}

/// Returns the text that the names of the selected loads contain; `None` selects all loads.
#[expect(clippy::disallowed_methods, reason = "The tests are configured by environment variables.")]
fn selected() -> Option<String> {
    std::env::var("HOSTILE_ONLY").ok()
}

async fn every_load(backend: Backend) {
    let duration = Duration::from_secs(setting("HOSTILE_SECONDS", 20));
    println!("\n{backend:?}: response times of the victim in ms, peak resident memory of the service in MiB\n");
    println!(
        "{:<38} {:>7} {:>7} {:>8} {:>8} {:>7} {:>8} {:>6}  responses to the hostile callers",
        "load", "alone", "p99", "loaded", "p99", "count", "failed", "peak"
    );
    let mut violations = Vec::new();
    let only = selected();
    for load in LOADS.iter().filter(|load| only.as_ref().is_none_or(|only| load.name.contains(only))) {
        let row = measure(backend, load, duration).await;
        row.print();
        violations.extend(row.violations());
    }
    assert!(violations.is_empty(), "\n{}", violations.join("\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "Takes minutes. Run `make hostile`."]
async fn the_victim_is_served_during_every_load_on_sqlite() {
    every_load(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "Takes minutes. Run `make hostile`."]
async fn the_victim_is_served_during_every_load_on_postgres() {
    every_load(Backend::Postgres).await;
}
