//! The command line imports, exports, backs up and restores many items: time, and memory of the processes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::pin::pin;
use std::process::Output;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use steward_store::scratch::ScratchDatabase;
use steward_tests::{App, Backend, Operator, World};
use tokio::process::Child;
use tokio::time::sleep;

use crate::process::check_memory;

/// Maximum resident memory of a command in MiB, for a file of any length.
const MAX_COMMAND_MEMORY: u64 = 100;

/// How many items are imported, and in which time.
struct Load {
    items: usize,
    max_duration: Duration,
}

const SHORT: Load = Load { items: 2_000, max_duration: Duration::from_secs(60) };
const FULL: Load = Load { items: 100_000, max_duration: Duration::from_secs(300) };

/// A command that ended.
struct Ended {
    output: Output,
    duration: Duration,
    /// Peak resident memory in MiB.
    peak: u64,
}

impl Ended {
    /// Waits for the end of a process.
    async fn of(process: Child) -> Self {
        let (id, started) = (process.id().unwrap(), Instant::now());
        let mut peak = 0;
        let mut end = pin!(process.wait_with_output());
        loop {
            tokio::select! {
                output = &mut end => return Self { output: output.unwrap(), duration: started.elapsed(), peak },
                () = sleep(Duration::from_millis(10)) => peak = peak.max(peak_memory(id).unwrap_or_default()),
            }
        }
    }

    fn print(&self, what: &str, backend: Backend, load: &Load) {
        let rate = load.items as f64 / self.duration.as_secs_f64();
        let (items, duration, peak) = (load.items, self.duration, self.peak);
        println!("{backend:?}: {what} of {items} items in {duration:.1?} ({rate:.0}/s), peak memory {peak} MiB");
    }

    /// Asserts that the command succeeded within its limits.
    fn check(&self, load: &Load) {
        let errors = String::from_utf8_lossy(&self.output.stderr);
        assert!(self.output.status.success(), "{errors}");
        assert!(self.duration < load.max_duration, "The command took {:?}.", self.duration);
        assert!(self.peak > 0 && self.peak < MAX_COMMAND_MEMORY, "The command used {} MiB.", self.peak);
    }
}

/// Returns the peak resident memory of a process in MiB, unless it has ended.
fn peak_memory(id: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(peak.trim().trim_end_matches(" kB").parse::<u64>().ok()? / 1024)
}

fn title(number: usize) -> String {
    format!("{number}: {}", "a long title ".repeat(20))
}

fn write_items(path: &Path, count: usize) {
    let mut lines = String::new();
    for number in 0..count {
        let item = json!({"id": format!("n{number:06}"), "title": title(number), "rank": number});
        writeln!(lines, "{item}").unwrap();
    }
    std::fs::write(path, lines).unwrap();
}

/// Asserts that the file has all items.
fn check_exported(path: &Path, count: usize) {
    let text = std::fs::read_to_string(path).unwrap();
    let mut titles = BTreeMap::new();
    for line in text.lines() {
        let item: Value = serde_json::from_str(line).unwrap();
        titles.insert(item["id"].as_str().unwrap().to_owned(), item["title"].as_str().unwrap().to_owned());
    }
    // The fixture has one more item.
    assert_eq!((titles.len(), text.lines().count()), (count + 1, count + 1));
    for number in 0..count {
        assert_eq!(titles[&format!("n{number:06}")], title(number));
    }
}

/// Runs commands with the key of the fixture.
fn command_line(app: &App, world: &World) -> Operator {
    let token = world.key.credential.as_deref().unwrap();
    app.operator().with(&[("STEWARD_SERVER", app.base.as_str()), ("STEWARD_TOKEN", token)])
}

/// Backs the service up while it runs, and restores the backup into a database of the other kind, which must have all
/// items.
async fn check_backup(app: &App, world: &World, load: &Load) {
    let backup = Ended::of(app.spawn(&["backup", "all.backup"])).await;
    backup.print("backup", app.backend(), load);
    backup.check(load);

    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    let scratch = (app.backend() == Backend::Sqlite).then(|| ScratchDatabase::create().unwrap());
    let file = || format!("sqlite://{}", path("restored.db"));
    let (database, blobs) = (scratch.as_ref().map_or_else(file, ScratchDatabase::url), path("blobs"));
    let settings = [("DATABASE_URL", database.as_str()), ("STEWARD_BLOBS", blobs.as_str())];
    let restore = Ended::of(app.operator().with(&settings).spawn(&["restore", "all.backup"])).await;
    restore.print("restore", app.backend(), load);
    restore.check(load);

    let restored = App::start_with(Backend::Sqlite, &settings).await;
    let table = ["--project", &world.project, "--user", &world.user, "--table", "notes"];
    let export = [&["item", "export", "restored.ndjson"][..], &table].concat();
    let exported = command_line(&restored, world).run(&export, "").await;
    assert!(exported.status.success(), "{}", String::from_utf8_lossy(&exported.stderr));
    check_exported(&restored.directory().join("restored.ndjson"), load.items);
}

async fn items_are_imported_and_exported(backend: Backend, load: Load) {
    let app = App::start(backend).await;
    let world = World::make(&app, "acme").await;
    let line = command_line(&app, &world);
    write_items(&app.directory().join("items.ndjson"), load.items);
    let table = ["--project", &world.project, "--user", &world.user, "--table", "notes", "--json"];

    let import = ["item", "import", "items.ndjson"];
    let imported = Ended::of(line.spawn(&[&import[..], &table].concat())).await;
    imported.print("import", backend, &load);
    imported.check(&load);
    let report: Value = serde_json::from_slice(&imported.output.stdout).unwrap();
    assert_eq!((&report["imported"], &report["failed"]), (&json!(load.items), &json!(0)));

    let again = Ended::of(line.spawn(&[&import[..], &["--on-conflict", "skip"], &table].concat())).await;
    again.print("second import", backend, &load);
    again.check(&load);
    let report: Value = serde_json::from_slice(&again.output.stdout).unwrap();
    assert_eq!((&report["imported"], &report["skipped"]), (&json!(0), &json!(load.items)));

    let exported = Ended::of(line.spawn(&[&["item", "export", "all.ndjson"][..], &table].concat())).await;
    exported.print("export", backend, &load);
    exported.check(&load);
    check_exported(&app.directory().join("all.ndjson"), load.items);
    check_memory(&app);
    check_backup(&app, &world, &load).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thousands_of_items_are_imported_on_sqlite() {
    items_are_imported_and_exported(Backend::Sqlite, SHORT).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thousands_of_items_are_imported_on_postgres() {
    items_are_imported_and_exported(Backend::Postgres, SHORT).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "Takes minutes. Run `make hostile`."]
async fn a_hundred_thousand_items_are_imported_on_sqlite() {
    items_are_imported_and_exported(Backend::Sqlite, FULL).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "Takes minutes. Run `make hostile`."]
async fn a_hundred_thousand_items_are_imported_on_postgres() {
    items_are_imported_and_exported(Backend::Postgres, FULL).await;
}
