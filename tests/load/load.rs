//! Sends one type of request to the service and measures the results.

use std::time::{Duration, Instant};

use steward_tests::App;
use tokio::task::JoinSet;

use crate::connection::Connection;
use crate::shapes::{Request, Shape};
use crate::{Options, Target, usage};

/// The results of one type of request.
#[derive(Debug, Clone, Copy)]
pub struct Seen {
    pub per_second: f64,
    /// Median response time in milliseconds.
    pub median: f64,
    pub p99: f64,
    /// p99 with half the request rate.
    pub p99_at_half: f64,
    /// CPU time in microseconds per request.
    pub service_cpu: f64,
    pub database_cpu: f64,
    pub client_cpu: f64,
    /// Number of unsuccessful responses.
    pub refused: u64,
}

/// Measures one type of request.
pub async fn run(target: &Target, shape: &Shape, options: &Options, round: usize) -> Seen {
    let Target { app, world, .. } = target;
    if let Some(prepare) = shape.prepare {
        prepare(app, world, round).await;
    }
    let address = app.base.trim_start_matches("http://").to_owned();
    let scene = Request::over(target, options.items, round).await;
    // Warm up connections, caches and query plans.
    let clients = options.connections.unwrap_or(shape.clients);
    send(&address, &scene, (shape, clients), (Duration::from_millis(300), None), 0).await;
    let (service, database) = (usage::of_process(app.process_id()), usage::of_postgres());
    let client = usage::of_process(std::process::id());
    let began = Instant::now();
    let (times, refused) = send(&address, &scene, (shape, clients), (options.lasting, None), 1).await;
    let elapsed = began.elapsed().as_secs_f64();
    let used = [usage::of_process(app.process_id()) - service, usage::of_postgres() - database];
    let client = usage::of_process(std::process::id()) - client;
    let count = to_number(u64::try_from(times.len()).unwrap());
    let pause = Duration::from_secs_f64(2.0 * elapsed * to_number(clients) / count);
    let (half_load, refused_at_half) =
        send(&address, &scene, (shape, clients), (options.lasting, Some(pause)), 2).await;
    Seen {
        per_second: count / elapsed,
        median: percentile(&times, 50),
        p99: percentile(&times, 99),
        p99_at_half: percentile(&half_load, 99),
        service_cpu: used[0] / count,
        // The CPU time of a PostgreSQL process that ended in the meantime is lost.
        database_cpu: used[1].max(0.0) / count,
        client_cpu: client / count,
        refused: refused + refused_at_half,
    }
}

/// Returns a percentile of the response times in milliseconds.
fn percentile(times: &[Duration], percent: usize) -> f64 {
    times.get(times.len().saturating_sub(1) * percent / 100).map_or(f64::NAN, |time| time.as_secs_f64() * 1000.0)
}

pub fn to_number(count: u64) -> f64 {
    f64::from(u32::try_from(count).unwrap())
}

/// Sends requests for a duration. Returns the sorted response times and the number of failed requests. With a pause,
/// each client sends requests at fixed intervals, and the response time of a delayed request counts from its scheduled
/// time.
async fn send(
    address: &str,
    scene: &Request,
    (shape, clients_in_all): (&Shape, u64),
    (duration, pause): (Duration, Option<Duration>),
    part: u64,
) -> (Vec<Duration>, u64) {
    let mut clients = JoinSet::new();
    for client in 0..clients_in_all {
        let (address, scene, write) = (address.to_owned(), scene.clone(), shape.request);
        clients.spawn(async move {
            let (mut connection, mut times, mut refused) = (Connection::open(&address).await, Vec::new(), 0);
            let started = Instant::now();
            let ends = started + duration;
            for number in 0.. {
                let Some(request) = write(&scene, Turn { client, number, part }) else { break };
                let began = match pause {
                    None => Instant::now(),
                    Some(pause) => {
                        // Distribute the clients over the interval.
                        let turns = to_number(number) + to_number(client) / to_number(clients_in_all);
                        let scheduled = started + pause.mul_f64(turns);
                        tokio::time::sleep_until(scheduled.into()).await;
                        scheduled
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
    assert!(pause.is_some() || !all.0.is_empty(), "No request was sent for \"{}\".", shape.name);
    all.0.sort_unstable();
    all
}

/// Opens this number of connections and sends one request on each.
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

/// Identifies a request of a run.
#[derive(Debug, Clone, Copy)]
pub struct Turn {
    pub client: u64,
    pub number: u64,
    /// 0 during warm-up, then 1, and 2 at half load. It makes the names of created resources unique.
    pub part: u64,
}
