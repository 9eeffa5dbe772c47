//! Puts one shape of load on the service, and measures.

use std::time::{Duration, Instant};

use steward_tests::{App, World};
use tokio::task::JoinSet;

use crate::Options;
use crate::connection::Connection;
use crate::shapes::{Request, Shape};
use crate::usage;

/// How many clients send, each one request after the other.
const CONNECTIONS: u64 = 32;

/// What was seen of one shape.
#[derive(Debug, Clone, Copy)]
pub struct Seen {
    pub per_second: f64,
    /// In milliseconds.
    pub median: f64,
    pub p99: f64,
    /// In microseconds for each request.
    pub service_cpu: f64,
    pub database_cpu: f64,
    /// Answers that were no success.
    pub refused: u64,
}

/// Runs a shape for a time.
pub async fn run(app: &App, world: &World, shape: &Shape, options: &Options, round: usize) -> Seen {
    if let Some(prepare) = shape.prepare {
        prepare(app, world, round).await;
    }
    let address = app.base.trim_start_matches("http://").to_owned();
    let scene = Request::over(app, world, options.items, round);
    // Connections, caches and plans are warm before it counts.
    send(&address, &scene, shape, Duration::from_millis(300), 0).await;
    let (service, database) = (usage::of_process(app.process_id()), usage::of_postgres());
    let began = Instant::now();
    let (mut times, refused) = send(&address, &scene, shape, options.lasting, 1).await;
    let took = began.elapsed().as_secs_f64();
    let used = [usage::of_process(app.process_id()) - service, usage::of_postgres() - database];
    times.sort_unstable();
    let at = |share: usize| times[(times.len() - 1) * share / 100].as_secs_f64() * 1000.0;
    let count = number(times.len());
    Seen {
        per_second: count / took,
        median: at(50),
        p99: at(99),
        service_cpu: used[0] / count,
        // A process of PostgreSQL that ended meanwhile takes its time with it.
        database_cpu: used[1].max(0.0) / count,
        refused,
    }
}

fn number(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap())
}

/// How long each request took, and how many were refused.
async fn send(address: &str, scene: &Request, shape: &Shape, lasting: Duration, part: u64) -> (Vec<Duration>, u64) {
    let mut clients = JoinSet::new();
    for client in 0..CONNECTIONS {
        let (address, scene, write) = (address.to_owned(), scene.clone(), shape.request);
        clients.spawn(async move {
            let (mut connection, mut times, mut refused) = (Connection::open(&address).await, Vec::new(), 0);
            let ends = Instant::now() + lasting;
            for number in 0.. {
                let Some(request) = write(&scene, Turn { client, number, part }) else { break };
                let began = Instant::now();
                if began >= ends {
                    break;
                }
                let status = connection.send(&request).await;
                times.push(began.elapsed());
                refused += u64::from(!(200..300).contains(&status));
            }
            (times, refused)
        });
    }
    let mut all = (Vec::new(), 0);
    for (times, refused) in clients.join_all().await {
        all.0.extend(times);
        all.1 += refused;
    }
    assert!(!all.0.is_empty(), "nothing was sent for {}", shape.name);
    all
}

/// Which request of a run is written.
#[derive(Debug, Clone, Copy)]
pub struct Turn {
    pub client: u64,
    pub number: u64,
    /// 0 while it warms up, then 1: what is made has a name once.
    pub part: u64,
}
