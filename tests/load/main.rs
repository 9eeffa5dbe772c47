//! Benchmark of the service: compares each type of request with `pgbench` on the same machine in the same round. Run it
//! with `make bench`. It prints the table in `docs/performance.md`.

mod baseline;
mod connection;
mod floor;
mod load;
mod shapes;
mod statement;
mod tenants;
mod usage;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use steward_tests::{App, Backend, Browser, Client, World};

use crate::baseline::{Baseline, Measured};
use crate::floor::Floor;
use crate::load::Seen;
use crate::shapes::{OF_TENANTS, SHAPES, Shape};
use crate::tenants::Tenant;

const USAGE: &str =
    "Usage: make bench ARGS=\"[--rounds N] [--seconds N] [--items N] [--only PARTS-OF-NAMES] [--connections N]
                        [--database NAME] [--for SECONDS]\"

  --rounds N     number of rounds; the results are medians [3]
  --seconds N    duration of each type of request in a round [3]
  --items N      number of items of the user at the start [1000]
  --only TEXTS   run only types of requests with one of these texts in the name, separated by commas
  --connections N  number of clients [32, and 2 for pages]
  --database NAME  measure only `postgres` or `sqlite`
  --for SECONDS  sustained load: one round of this duration";

/// A timestamp 30 days in the future.
#[expect(clippy::disallowed_methods, reason = "the service uses the system clock")]
fn soon() -> String {
    (chrono::DateTime::<chrono::Utc>::from(std::time::SystemTime::now()) + chrono::TimeDelta::days(30)).to_rfc3339()
}

/// The command line options.
struct Options {
    rounds: usize,
    lasting: Duration,
    items: u64,
    only: String,
    connections: Option<u64>,
    database: Option<Backend>,
}

impl Options {
    fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            rounds: 3,
            lasting: Duration::from_secs(3),
            items: 1_000,
            only: String::new(),
            connections: None,
            database: None,
        };
        while let Some(name) = arguments.next() {
            let value = arguments.next().ok_or_else(|| format!("The option {name} requires a value."))?;
            let number = || {
                value.parse::<u64>().map_err(|_| format!("The value of {name} must be a number, but is \"{value}\"."))
            };
            match name.as_str() {
                "--rounds" => options.rounds = usize::try_from(number()?.max(1)).unwrap(),
                "--seconds" => options.lasting = Duration::from_secs(number()?.max(1)),
                "--items" => options.items = number()?,
                "--only" => options.only = value,
                "--connections" => options.connections = Some(number()?.max(1)),
                "--database" => {
                    options.database = Some(match value.as_str() {
                        "postgres" => Backend::Postgres,
                        "sqlite" => Backend::Sqlite,
                        _ => return Err(format!("The value of {name} must be `postgres` or `sqlite`.")),
                    });
                }
                "--for" => (options.rounds, options.lasting) = (1, Duration::from_secs(number()?.max(1))),
                _ => return Err(format!("Unknown option {name}.")),
            }
        }
        Ok(options)
    }

    fn shapes(&self) -> impl Iterator<Item = &'static Shape> {
        SHAPES.iter().filter(|shape| self.only.split(',').any(|part| shape.name.contains(part)))
    }
}

/// A service with test data.
struct Target {
    backend: Backend,
    app: App,
    world: World,
    personal_token: String,
    tenants: Arc<[Tenant]>,
    /// The `Cookie` header of a browser in which the owner is signed in.
    cookie: String,
}

impl Target {
    async fn start(backend: Backend, options: &Options) -> Self {
        let app = App::start_with(backend, &[("STEWARD_DATABASE_WORKERS", "8")]).await;
        let world = World::make(&app, "bench").await;
        shapes::fill(&app, &world, options.items).await;
        let cookie = Browser::signed_in(&app, "bench-owner").await.cookie_header();
        let token = json!({"label": "bench", "roles": "owner", "expires_at": soon()});
        let token = world.owner.post("/auth/pat", token).await.created();
        let personal_token = token["data"]["value"].as_str().unwrap().to_owned();
        let needs_tenants = options.shapes().any(|shape| shape.name.contains(OF_TENANTS));
        let tenants = if needs_tenants { tenants::create(&app, &world).await } else { Vec::new() };
        Self { backend, app, world, personal_token, tenants: tenants.into(), cookie }
    }

    /// Returns an access token that the user of the project gets by signing in. It is valid for 15 minutes.
    async fn access_token(&self) -> String {
        let client = Client::of(&self.app, &self.world);
        let tokens = client.tokens(&self.app, "bench-visitor", &[("scope", "openid app:db:write")]).await;
        tokens["access_token"].as_str().unwrap().to_owned()
    }
}

fn main() -> ExitCode {
    // Cargo passes `--bench` to every benchmark.
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench").peekable();
    if arguments.next_if(|argument| argument == floor::ARGUMENT).is_some() {
        floor::serve();
        return ExitCode::SUCCESS;
    }
    let options = match Options::read(arguments) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("{error}\n\n{USAGE}");
            return ExitCode::FAILURE;
        }
    };
    // One thread answers all connections, so that the client takes little from what it measures.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.unwrap().block_on(bench(&options));
    ExitCode::SUCCESS
}

/// A row of the table: the results of a type of request in each round, with `pgbench` and the CPU time of the floor in
/// microseconds in the same round.
struct Row {
    backend: Backend,
    shape: &'static Shape,
    rounds: Vec<(Seen, Measured, f64)>,
}

async fn bench(options: &Options) {
    let (baseline, floor) = (Baseline::prepare().await, Floor::start().await);
    let mut rows: Vec<Row> = Vec::new();
    let is_measured = |backend: &Backend| options.database.is_none_or(|only| only == *backend);
    for backend in [Backend::Postgres, Backend::Sqlite].into_iter().filter(is_measured) {
        let target = Target::start(backend, options).await;
        println!("{backend:?}: resident memory when idle: {} MiB", usage::resident(target.app.process_id()));
        let connections = load::connect(&target.app, 1_000).await;
        println!(
            "{backend:?}: resident memory with 1,000 connections: {} MiB",
            usage::resident(target.app.process_id())
        );
        drop(connections);
        rows.extend(options.shapes().map(|shape| Row { backend, shape, rounds: Vec::new() }));
        for round in 0..options.rounds {
            let measured = baseline.measure(options.lasting.min(Duration::from_secs(10))).await;
            let least = floor.measure(options.lasting).await;
            println!("Round {}: {measured}, floor {least:.1} µs", round + 1);
            let files = if backend == Backend::Sqlite { target.app.database_files() } else { Vec::new() };
            for file in files.iter().filter(|file| file.ends_with("steward.db")) {
                let [few, many] = [100, 1_000]
                    .map(|count| statement::measure(file, &target.world, count, Duration::from_secs(1)) / least);
                println!("The statement of a list alone: {few:.1} floors for 100 items, {many:.1} for 1,000");
            }
            for row in rows.iter_mut().filter(|row| row.backend == target.backend) {
                let seen = load::run(&target, row.shape, options, round).await;
                eprintln!("{}: {:.0}/s, p99 {:.1} ms", row.shape.name, seen.per_second, seen.p99);
                row.rounds.push((seen, measured, least));
            }
        }
        println!("{backend:?}: resident memory after the load: {} MiB", usage::resident(target.app.process_id()));
    }
    print(&rows);
}

fn print(rows: &[Row]) {
    println!(
        "\n| Database | Request | req/s | ratio | of | p50 ms | p99 ms | p99 ms at half | floors | CPU µs, service | CPU µs, database | CPU µs, client |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for Row { backend, shape, rounds } in rows {
        let median = |of: &dyn Fn(&(Seen, Measured, f64)) -> f64| {
            let mut values: Vec<f64> = rounds.iter().map(of).collect();
            values.sort_by(f64::total_cmp);
            values[values.len() / 2]
        };
        let (of, tps): (_, fn(&Measured) -> f64) =
            if shape.writes { ("upsert", |measured| measured.upserts) } else { ("-S", |measured| measured.reads) };
        let refused: u64 = rounds.iter().map(|(seen, ..)| seen.refused).sum();
        println!(
            "| {backend:?} | {} | {:.0} | {:.3} | {of} | {:.2} | {:.2} | {:.2} | {:.1} | {:.0} | {:.0} | {:.0} |{}",
            shape.name,
            median(&|(seen, ..)| seen.per_second),
            median(&|(seen, measured, _)| seen.per_second * f64::from(shape.items) / tps(measured)),
            median(&|(seen, ..)| seen.median),
            median(&|(seen, ..)| seen.p99),
            median(&|(seen, ..)| seen.p99_at_half),
            median(&|(seen, _, least)| seen.service_cpu / least),
            median(&|(seen, ..)| seen.service_cpu),
            median(&|(seen, ..)| seen.database_cpu),
            median(&|(seen, ..)| seen.client_cpu),
            if refused == 0 { String::new() } else { format!(" {refused} requests failed") },
        );
    }
}
