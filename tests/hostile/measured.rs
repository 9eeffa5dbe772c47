//! The load form (`make hostile`): measures the response times of the victim alone and during each load. It takes
//! minutes and is meaningful only with a release build on an otherwise idle machine.

use std::collections::BTreeMap;
use std::time::Duration;

use steward_tests::Backend;
use tokio::time::sleep;

use crate::loads::{LOADS, Load};
use crate::process::MAX_MEMORY;
use crate::scene::{Scale, Scene};
use crate::setting;
use crate::victim::Seen;

/// Maximum factor by which the victim may become slower. Times below `NEGLIGIBLE` are always accepted.
const MAX_SLOWDOWN: u32 = 20;
const NEGLIGIBLE: Duration = Duration::from_millis(250);
/// Maximum response time of any request of the victim.
const MAX_LATENCY: Duration = Duration::from_secs(5);

/// One row of the table.
struct Row {
    load: &'static Load,
    /// Duration of the load.
    duration: Duration,
    alone: Seen,
    loaded: Seen,
    peak: u64,
    outcomes: BTreeMap<String, u64>,
}

impl Row {
    /// Returns the violated limits.
    fn violations(&self) -> Vec<String> {
        let refused = self.alone.refused.iter().chain(&self.loaded.refused).take(3);
        let mut found: Vec<String> = refused.map(|error| format!("A request of the victim failed: {error}")).collect();
        let mut require = |holds: bool, message: String| {
            if !holds {
                found.push(message);
            }
        };
        let bound = NEGLIGIBLE.max(self.alone.p99() * MAX_SLOWDOWN);
        let (p99, max) = (self.loaded.p99(), self.loaded.max());
        require(p99 <= bound, format!("p99 is {p99:?}, more than {bound:?}."));
        require(max <= MAX_LATENCY, format!("A request of the victim took {max:?}."));
        require(self.peak < MAX_MEMORY, format!("The resident memory reached {} MiB.", self.peak));
        let seconds = self.duration.as_secs();
        found.extend(self.load.violations(&self.outcomes, |proof| (proof.full)(seconds)));
        found.into_iter().map(|message| format!("{}: {message}", self.load.name)).collect()
    }

    fn print(&self) {
        let milliseconds = |time: Duration| format!("{:.1}", time.as_secs_f64() * 1000.0);
        let outcomes = self.outcomes.iter().map(|(outcome, count)| format!("{count} x {outcome}"));
        println!(
            "{:<38} {:>7} {:>7} {:>8} {:>8} {:>8} {:>7} {:>8} {:>6}  {}",
            self.load.name,
            milliseconds(self.alone.median()),
            milliseconds(self.alone.p99()),
            milliseconds(self.loaded.median()),
            milliseconds(self.loaded.p99()),
            milliseconds(self.loaded.max()),
            self.loaded.requests(),
            self.alone.refused.len() + self.loaded.refused.len(),
            self.peak,
            outcomes.collect::<Vec<_>>().join(", "),
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
    scene.app.reset_peak_memory();
    let callers = (load.start)(&scene).await;
    sleep(Duration::from_millis(500)).await;
    let mut loaded = scene.victim.live(duration).await;
    let outcomes = callers.end().await;
    if load.leaves_work {
        loaded.add(scene.victim.live(duration).await);
    }
    Row { load, duration, alone, loaded, peak: scene.app.peak_memory(), outcomes }
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
        "{:<38} {:>7} {:>7} {:>8} {:>8} {:>8} {:>7} {:>8} {:>6}  outcomes of the hostile callers",
        "load", "alone", "p99", "loaded", "p99", "max", "count", "failed", "peak"
    );
    let mut violations = Vec::new();
    let only = selected();
    let is_selected = |load: &&Load| only.as_ref().is_none_or(|only| load.name.contains(only));
    let loads: Vec<&'static Load> = LOADS.iter().filter(is_selected).collect();
    assert!(!loads.is_empty(), "No load has a name that contains {only:?}.");
    for load in loads {
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
