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
    /// The same while half as many requests are sent.
    pub p99_at_half: f64,
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
    send(&address, &scene, shape, (Duration::from_millis(300), None), 0).await;
    let (service, database) = (usage::of_process(app.process_id()), usage::of_postgres());
    let began = Instant::now();
    let (times, refused) = send(&address, &scene, shape, (options.lasting, None), 1).await;
    let took = began.elapsed().as_secs_f64();
    let used = [usage::of_process(app.process_id()) - service, usage::of_postgres() - database];
    let count = to_number(u64::try_from(times.len()).unwrap());
    let pause = Duration::from_secs_f64(2.0 * took * to_number(CONNECTIONS) / count);
    let (calm, refused_calmly) = send(&address, &scene, shape, (options.lasting, Some(pause)), 2).await;
    Seen {
        per_second: count / took,
        median: at(&times, 50),
        p99: at(&times, 99),
        p99_at_half: at(&calm, 99),
        service_cpu: used[0] / count,
        // A process of PostgreSQL that ended meanwhile takes its time with it.
        database_cpu: used[1].max(0.0) / count,
        refused: refused + refused_calmly,
    }
}

/// How many milliseconds this share of the requests, in percent, took at most.
fn at(times: &[Duration], share: usize) -> f64 {
    times.get(times.len().saturating_sub(1) * share / 100).map_or(f64::NAN, |time| time.as_secs_f64() * 1000.0)
}

fn to_number(count: u64) -> f64 {
    f64::from(u32::try_from(count).unwrap())
}

/// How long each request took, the fastest first, and how many were refused. With a pause each client sends
/// a request each time that it is over, and a request that is late counts from then.
async fn send(
    address: &str,
    scene: &Request,
    shape: &Shape,
    (lasting, pause): (Duration, Option<Duration>),
    part: u64,
) -> (Vec<Duration>, u64) {
    let mut clients = JoinSet::new();
    for client in 0..CONNECTIONS {
        let (address, scene, write) = (address.to_owned(), scene.clone(), shape.request);
        clients.spawn(async move {
            let (mut connection, mut times, mut refused) = (Connection::open(&address).await, Vec::new(), 0);
            let started = Instant::now();
            let ends = started + lasting;
            for number in 0.. {
                let Some(request) = write(&scene, Turn { client, number, part }) else { break };
                let began = match pause {
                    None => Instant::now(),
                    Some(pause) => {
                        // Not all clients at the same moment.
                        let turns = to_number(number) + to_number(client) / to_number(CONNECTIONS);
                        let turn = started + pause.mul_f64(turns);
                        tokio::time::sleep_until(turn.into()).await;
                        turn
                    }
                };
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
    assert!(pause.is_some() || !all.0.is_empty(), "nothing was sent for {}", shape.name);
    all.0.sort_unstable();
    all
}

/// This many connections, each of which was used once.
pub async fn connect(app: &App, connections: usize) -> Vec<Connection> {
    let address = app.base.trim_start_matches("http://");
    let mut connected = Vec::with_capacity(connections);
    for _ in 0..connections {
        let mut connection = Connection::open(address).await;
        let request = format!("GET /utils/slugify?slug=x HTTP/1.1\r\nHost: {address}\r\n\r\n");
        assert_eq!(connection.send(request.as_bytes()).await, 200);
        connected.push(connection);
    }
    connected
}

/// Which request of a run is written.
#[derive(Debug, Clone, Copy)]
pub struct Turn {
    pub client: u64,
    pub number: u64,
    /// 0 while it warms up, then 1, and 2 at half the load: what is made has a name once.
    pub part: u64,
}
