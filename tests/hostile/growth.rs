//! A project with very many items and events: what requests of each kind cost beside a small one, how fast its log is
//! sealed, and how a device loads a hundred thousand items, and how old events are deleted beside other requests.

use std::time::{Duration, Instant};

use reqwest::Client as Http;
use serde_json::{Value, json};
use steward_tests::device::Device;
use steward_tests::{App, Backend, World};
use tokio::time::sleep;

use crate::setting;
use crate::sync_load::User;
use crate::victim::{Seen, Victim};
use crate::{fill, process};

/// Size of the small project.
const FEW: usize = 10_000;
/// Number of items of the user with a device.
const OF_DEVICE: usize = 100_000;
/// Number of weeks of the events.
const WEEKS: usize = 10;
/// Number of requests of each kind, and how long they may take together.
const REQUESTS: usize = 300;
const MAX_DURATION: Duration = Duration::from_secs(30);
/// Pages that are read at the start and at the end of a table.
const PAGES: usize = 100;
/// How long deleting and sealing may take for a million events.
const TIME_PER_MILLION: Duration = Duration::from_secs(300);

/// A project with many items and events, and what the requests need to know of it.
struct Grown<'a> {
    app: &'a App,
    world: &'a World,
    http: Http,
    items: usize,
}

/// Response times of a kind of request.
struct Times {
    name: &'static str,
    sorted: Vec<Duration>,
}

impl Times {
    fn of(name: &'static str, mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self { name, sorted: times }
    }

    fn percentile(&self, hundredths: usize) -> f64 {
        self.sorted[(self.sorted.len() * hundredths / 100).min(self.sorted.len() - 1)].as_secs_f64() * 1_000.0
    }
}

impl Grown<'_> {
    async fn get(&self, path: &str) -> (Value, Duration) {
        let key = self.world.key.credential.as_ref().unwrap();
        let began = Instant::now();
        let response = self.http.get(format!("{}{path}", self.app.base)).bearer_auth(key).send().await.unwrap();
        let (status, text) = (response.status(), response.text().await.unwrap());
        let took = began.elapsed();
        assert!(status.is_success(), "{path}: {text}");
        (serde_json::from_str(&text).unwrap(), took)
    }

    async fn gets(&self, name: &'static str, path: impl Fn(usize) -> String) -> Times {
        let (mut times, began) = (Vec::new(), Instant::now());
        while times.len() < REQUESTS && began.elapsed() < MAX_DURATION {
            times.push(self.get(&path(times.len())).await.1);
        }
        Times::of(name, times)
    }

    /// ID of an item; other numbers give items that are far from each other.
    fn id(&self, number: usize) -> String {
        format!("filled-{}", 1 + number.wrapping_mul(7_919_317) % self.items)
    }

    async fn puts(&self) -> Times {
        let key = self.world.key.credential.as_ref().unwrap();
        let mut times = Vec::new();
        for number in 0..REQUESTS {
            let url = format!("{}{}", self.app.base, self.world.item(&self.id(number)));
            let value = json!({"value": {"title": format!("Written {number}"), "rank": number}});
            let began = Instant::now();
            let response = self.http.put(url).bearer_auth(key).json(&value).send().await.unwrap();
            times.push(began.elapsed());
            assert!(response.status().is_success());
        }
        Times::of("put an item", times)
    }

    /// Reads the whole table in pages. Returns the times of the first pages and of the last ones.
    async fn pages(&self) -> [Times; 2] {
        let (mut times, mut read) = (Vec::new(), 0);
        let mut path = format!("{}?limit=1000", self.world.notes());
        loop {
            let (page, took) = self.get(&path).await;
            times.push(took);
            read += page["data"].as_array().unwrap().len();
            let Some(cursor) = page["next_cursor"].as_str() else { break };
            path = format!("{}?limit=1000&cursor={cursor}", self.world.notes());
        }
        // The fixture has one more item.
        assert_eq!(read, self.items + 1);
        times.pop();
        let last = times.split_off(times.len().saturating_sub(PAGES).max(times.len() / 2));
        times.truncate(PAGES);
        [Times::of("first pages of 1,000 items", times), Times::of("last pages of 1,000 items", last)]
    }

    async fn measure(&self) -> Vec<Times> {
        let project = format!("/project/{}", self.world.project);
        let events = format!("{project}/event?limit=100");
        let (first, _) = self.get(&format!("{events}&after=0")).await;
        let (log, _) = self.get(&format!("{project}/audit?limit=100")).await;
        let oldest = first["data"][0]["position"].as_i64().unwrap();
        let newest = log["data"][0]["position"].as_i64().unwrap();
        let middle = |number: usize| {
            let share = i64::try_from(number % 97 + 1).unwrap();
            oldest + (newest - oldest) / 100 * share
        };
        let cursor = log["next_cursor"].as_str().unwrap();
        let mut all = vec![
            self.gets("read an item", |number| self.world.item(&self.id(number))).await,
            self.puts().await,
            self.gets("list 100 items", |_| format!("{}?limit=100", self.world.notes())).await,
            self.gets("page of the feed", |number| format!("{events}&after={}", middle(number))).await,
            self.gets("page of the log", |_| format!("{project}/audit?limit=100&cursor={cursor}")).await,
            self.gets("log of an item", |number| format!("{project}/audit?limit=10&target={}", self.id(number))).await,
        ];
        all.extend(self.pages().await);
        all
    }
}

/// Adds items and events, and waits until the events are sealed.
async fn grow(app: &App, world: &World, count: usize) {
    let began = Instant::now();
    fill::items(app, world, count);
    if app.backend() == Backend::Postgres {
        app.execute_sql("VACUUM ANALYZE items");
    }
    let filled = Instant::now();
    fill::events_of_weeks(app, world, count, WEEKS);
    let (backend, inserted) = (app.backend(), filled.elapsed());
    // The service seals when something is written through it.
    world.key.put(&world.item("first"), json!({"value": {"title": "First"}})).await.ok();
    let sealed = "(SELECT position FROM audit_progress) >= (SELECT max(position) FROM item_changes)";
    while !app.holds(sealed) {
        sleep(Duration::from_millis(200)).await;
        assert!(began.elapsed() < TIME_PER_MILLION * u32::try_from(2 + count / 1_000_000).unwrap(), "Not sealed.");
    }
    println!(
        "{backend:?}: {count} items inserted in {:.0?}, events in {inserted:.0?}, the last one sealed {:.1?} later",
        filled - began,
        filled.elapsed() - inserted
    );
}

/// Loads the items of a user into a new device.
async fn load_device(app: &App, world: &World) {
    let user = User::make(app, world, 1).await;
    let id = user.path.rsplit('/').next().unwrap();
    fill::items_of(app, world, id, OF_DEVICE);
    app.reset_peak_memory();
    let (before, began) = (process::resident_kib(app) / 1024, Instant::now());
    let mut device = Device::identify(app, &user.token, &world.project, Value::Null).await;
    device.push(vec![]).await;
    let messages = device.subscribe().await;
    let (backend, took) = (app.backend(), began.elapsed());
    assert_eq!(device.items.len(), OF_DEVICE);
    let state = device.disconnect().await;
    let peak = app.peak_memory();
    let began = Instant::now();
    let mut device = state.connect(&app.base, &user.token, &world.project).await.unwrap();
    device.push(vec![]).await;
    device.subscribe().await;
    println!(
        "{backend:?}: a new device loads {OF_DEVICE} items in {took:.1?} ({messages} messages), {before} MiB before, at \
         most {peak} MiB; it returns in {:.0?}",
        began.elapsed()
    );
    process::check_memory(app);
}

/// Deletes the events by retention while the victim lives.
async fn forget(app: &mut App, victim: &Victim, count: usize) {
    if app.backend() == Backend::Sqlite {
        // Events are deleted in their order until one is not expired, and here newer ones are between the old ones.
        app.execute_sql("UPDATE item_changes SET at = strftime('%Y-%m-%dT%H:%M:%f000Z', 'now', '-20 days')");
    }
    let alone = victim.live(Duration::from_secs(5)).await;
    app.set("STEWARD_ITEM_CHANGE_RETENTION_DAYS", "1");
    app.restart().await;
    let (began, mut beside) = (Instant::now(), Seen::default());
    let limit = TIME_PER_MILLION * u32::try_from(1 + count / 1_000_000).unwrap();
    // PostgreSQL drops whole weeks.
    let expired = match app.backend() {
        Backend::Sqlite => "strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-9 days')",
        Backend::Postgres => "now() - interval '9 days'",
    };
    let remains = format!("EXISTS (SELECT 1 FROM item_changes WHERE at < {expired})");
    while app.holds(&remains) {
        assert!(began.elapsed() < limit, "Events remain after {limit:?}.");
        beside.add(victim.live(Duration::from_secs(1)).await);
    }
    println!(
        "{:?}: retention deletes {count} events in {:.0?}; victim p50 {:.1?}, p99 {:.1?}, max {:.1?}; alone p50 {:.1?}, p99 {:.1?}",
        app.backend(),
        began.elapsed(),
        beside.median(),
        beside.p99(),
        beside.max(),
        alone.median(),
        alone.p99()
    );
    assert!(beside.refused.is_empty(), "{:?}", beside.refused);
}

async fn projects_grow(backend: Backend, default: u64) {
    let many = usize::try_from(setting("GROWTH_ITEMS", default)).unwrap();
    let settings = [("STEWARD_DATABASE_WORKERS", "8"), ("STEWARD_LOG", "warn")];
    let mut app = App::start_with(backend, &settings).await;
    let victim = Victim::of(&app).await;
    let mut measured = Vec::new();
    for (name, items) in [("small", FEW), ("large", many)] {
        let world = World::make(&app, name).await;
        grow(&app, &world, items).await;
        let grown = Grown { app: &app, world: &world, http: Http::new(), items };
        measured.push(grown.measure().await);
        println!("{backend:?}: {items} items: {} MiB resident", process::resident_kib(&app) / 1024);
    }
    let large = measured.pop().unwrap();
    for (few, many) in measured.pop().unwrap().iter().zip(&large) {
        println!(
            "{backend:?}: {}: p50 {:.2} ms, {:.2} ms ({:.2}); p99 {:.2} ms, {:.2} ms",
            few.name,
            few.percentile(50),
            many.percentile(50),
            many.percentile(50) / few.percentile(50),
            few.percentile(99),
            many.percentile(99)
        );
    }
    let world = World::make(&app, "devices").await;
    load_device(&app, &world).await;
    forget(&mut app, &victim, many + FEW).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "Takes minutes. Run `make hostile`."]
async fn a_million_items_cost_no_more_than_a_few_on_sqlite() {
    projects_grow(Backend::Sqlite, 1_000_000).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "Takes minutes. Run `make hostile`."]
async fn ten_million_items_cost_no_more_than_a_few_on_postgres() {
    projects_grow(Backend::Postgres, 10_000_000).await;
}
