//! Limits on the heads of requests: how long they take, and how much memory.

use std::time::{Duration, Instant};

use steward_tests::{App, Backend, eventually};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

/// How long the head of a request may take.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// How much longer it may take on a slow machine until its connection ends.
const DELAY: Duration = Duration::from_secs(15);
/// Number of connections with an unfinished head, and the size of each head.
const UNFINISHED: usize = 400;
const LARGE: usize = 120_000;
/// Maximum memory of all large heads, in MiB, and of the rest of each connection, in KiB.
const MAX_HEADS: u64 = 16;
const MAX_CONNECTION_KIB: u64 = 64;

/// Sends a request on a connection and reads the response.
async fn request(stream: &mut TcpStream, host: &str) {
    let head = format!("GET /health/live HTTP/1.1\r\nHost: {host}\r\n\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    let (mut received, mut part) = (Vec::new(), [0; 4096]);
    while !received.ends_with(b"}") {
        let count = timeout(DELAY, stream.read(&mut part)).await.unwrap().unwrap();
        assert!(count > 0, "The connection ended.");
        received.extend_from_slice(&part[..count]);
    }
    assert!(received.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&received));
}

/// A connection on which a request was answered.
async fn used_connection(host: &str) -> TcpStream {
    let mut stream = TcpStream::connect(host).await.unwrap();
    request(&mut stream, host).await;
    stream
}

/// Waits until the connection ends, for a limited time. Returns how long it took.
async fn end(mut stream: TcpStream) -> Option<Duration> {
    let started = Instant::now();
    let ended = timeout(HEAD_TIMEOUT + DELAY, stream.read(&mut [0; 1024])).await;
    ended.is_ok_and(|read| !matches!(read, Ok(1..))).then(|| started.elapsed())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_head_of_a_later_request_must_arrive_in_time_and_idle_connections_stay_open() {
    let app = App::start(Backend::Sqlite).await;
    let host = app.base.strip_prefix("http://").unwrap();
    let (mut idle, mut slow, mut dripping) =
        (used_connection(host).await, used_connection(host).await, used_connection(host).await);
    slow.write_all(format!("GET /health/live HTTP/1.1\r\nHost: {host}\r\nX-Slow: ").as_bytes()).await.unwrap();
    dripping.write_all(format!("GET /health/live HTTP/1.1\r\nHost: {host}\r\nX-Slow: ").as_bytes()).await.unwrap();
    let (from_client, mut to_service) = dripping.into_split();
    let drip = tokio::spawn(async move {
        while to_service.write_all(b"x").await.is_ok() {
            sleep(Duration::from_millis(500)).await;
        }
    });
    let started = Instant::now();
    let ended = end(slow).await.expect("The connection stays open.");
    assert!(ended > HEAD_TIMEOUT / 2, "{ended:?}");
    timeout(DELAY, drip).await.expect("A head that arrives byte by byte takes any time.").unwrap();
    drop(from_client);
    sleep((HEAD_TIMEOUT + Duration::from_secs(1)).saturating_sub(started.elapsed())).await;
    request(&mut idle, host).await;
}

/// Resident memory of the service in MiB, without its files.
fn resident(app: &App) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", app.process_id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unfinished_heads_take_a_limited_amount_of_memory() {
    let app = App::start(Backend::Sqlite).await;
    let host = app.base.strip_prefix("http://").unwrap();
    let before = resident(&app);
    let head = format!("GET /health/live HTTP/1.1\r\nHost: {host}\r\nX-Large: {}", "x".repeat(LARGE));
    let mut open = Vec::new();
    for _ in 0..UNFINISHED {
        let mut stream = used_connection(host).await;
        stream.write_all(head.as_bytes()).await.ok();
        open.push(stream);
    }
    let during = resident(&app);
    let limit = MAX_HEADS + u64::try_from(UNFINISHED).unwrap() * MAX_CONNECTION_KIB / 1024;
    assert!(during < before + limit, "{before} MiB before, {during} MiB during");
    // Other requests have small heads.
    app.anonymous().get("/health/ready").await.ok();
    drop(open);
    let is_accepted = async || {
        let mut stream = used_connection(host).await;
        stream.write_all(head.as_bytes()).await.ok()?;
        stream.write_all(b"\r\n\r\n").await.ok()?;
        let mut status = [0; 12];
        stream.read_exact(&mut status).await.ok().filter(|_| status == *b"HTTP/1.1 200").map(drop)
    };
    eventually(is_accepted).await;
}
