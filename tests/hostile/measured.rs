//! The load form (`make hostile`): what the victim sees alone, and beside each load. Minutes long, and worth something only
//! of a release build on a machine that does nothing else.

use std::time::Duration;

use steward_tests::Backend;
use tokio::time::sleep;

use crate::loads::{LOADS, Load};
use crate::memory::{forget_peak, peak};
use crate::scene::{Scale, Scene};
use crate::setting;
use crate::victim::Seen;

/// How much slower the victim may become, or up to which time that does not matter.
const SLOWER: u32 = 20;
const UNNOTICED: Duration = Duration::from_millis(250);
/// Less than so many MiB are resident, whatever happens.
pub const MEMORY: u64 = 250;

/// One line of the table.
struct Row {
    load: &'static str,
    alone: Seen,
    beside: Seen,
    peak: u64,
    answers: String,
}

impl Row {
    /// What must not be.
    fn complaints(&self) -> Vec<String> {
        let bound = UNNOTICED.max(self.alone.p99() * SLOWER);
        let p99 = self.beside.p99();
        let refused = self.alone.refused.iter().chain(&self.beside.refused);
        let refused = refused.map(|refusal| format!("{}: the victim was refused: {refusal}", self.load));
        let slow = (p99 > bound).then(|| format!("{}: p99 is {p99:?}, more than {bound:?}", self.load));
        let large = self.peak >= MEMORY;
        let large = large.then(|| format!("{}: {} MiB were resident", self.load, self.peak));
        refused.take(3).chain(slow).chain(large).collect()
    }

    fn print(&self) {
        let milliseconds = |duration: Duration| format!("{:.1}", duration.as_secs_f64() * 1000.0);
        println!(
            "{:<38} {:>7} {:>7} {:>8} {:>8} {:>7} {:>8} {:>6}  {}",
            self.load,
            milliseconds(self.alone.median()),
            milliseconds(self.alone.p99()),
            milliseconds(self.beside.median()),
            milliseconds(self.beside.p99()),
            self.beside.requests(),
            self.alone.refused.len() + self.beside.refused.len(),
            self.peak,
            self.answers,
        );
    }
}

/// Runs one load against a service of its own.
async fn measure(backend: Backend, load: &'static Load, lasting: Duration) -> Row {
    let mut scene = Scene::set(backend, Scale::Full).await;
    (load.prepare)(&scene).await;
    scene.begin().await;
    scene.victim.live(Duration::from_secs(1)).await;
    let alone = scene.victim.live(lasting).await;
    forget_peak(&scene.app);
    let callers = (load.start)(&scene).await;
    sleep(Duration::from_millis(500)).await;
    let mut beside = scene.victim.live(lasting).await;
    let answers = callers.end().await;
    if load.leaves_work {
        beside.add(scene.victim.live(lasting).await);
    }
    let answers = answers.iter().map(|(answer, count)| format!("{count} x {answer}"));
    let answers = answers.collect::<Vec<_>>().join(", ");
    Row { load: load.name, alone, beside, peak: peak(&scene.app), answers }
}

/// Part of the names of the loads that are wanted; all of them without it.
#[expect(clippy::disallowed_methods, reason = "tests are told by the environment")]
fn chosen() -> Option<String> {
    std::env::var("HOSTILE_ONLY").ok()
}

async fn every_load(backend: Backend) {
    let lasting = Duration::from_secs(setting("HOSTILE_SECONDS", 20));
    println!("\n{backend:?}: the victim's times in ms, the service's peak resident memory in MiB\n");
    println!(
        "{:<38} {:>7} {:>7} {:>8} {:>8} {:>7} {:>8} {:>6}  to the hostile callers",
        "load", "alone", "p99", "beside", "p99", "of", "refused", "peak"
    );
    let mut complaints = Vec::new();
    let only = chosen();
    for load in LOADS.iter().filter(|load| only.as_ref().is_none_or(|only| load.name.contains(only))) {
        let row = measure(backend, load, lasting).await;
        row.print();
        complaints.extend(row.complaints());
    }
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "minutes long: make hostile"]
async fn beside_every_load_the_victim_is_served_on_sqlite() {
    every_load(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "minutes long: make hostile"]
async fn beside_every_load_the_victim_is_served_on_postgres() {
    every_load(Backend::Postgres).await;
}
