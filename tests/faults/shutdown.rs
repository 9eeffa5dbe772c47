//! Tests of graceful shutdown: a proxy notices it before requests are interrupted.

use std::time::{Duration, Instant};

use serde_json::json;
use steward_tests::{App, Backend, eventually};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::is_strict;

/// A delay that no test waits for.
const LONG_DELAY: (&str, &str) = ("STEWARD_SHUTDOWN_DELAY_SECONDS", "60");

/// The service sends this when it starts to process a request with `Expect: 100-continue`.
const CONTINUE: &str = "HTTP/1.1 100 Continue\r\n\r\n";

/// Maximum time until the process exits when a signal skips [`LONG_DELAY`].
fn max_exit() -> Duration {
    Duration::from_secs(if is_strict() { 10 } else { 30 })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn running_requests_finish_before_shutdown() {
    let mut app = App::start_with(Backend::Sqlite, &[LONG_DELAY]).await;
    let body = json!({"email": "ann@example.com", "password": "correct horse battery"}).to_string();
    let (sent_before, sent_after) = body.split_at(body.len() / 2);
    let head = "POST /auth/signup HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close";
    let request = format!("{head}\r\nExpect: 100-continue\r\nContent-Length: {}\r\n\r\n{sent_before}", body.len());
    let address = app.base.trim_start_matches("http://").to_owned();
    let mut connection = TcpStream::connect(&address).await.unwrap();
    connection.write_all(request.as_bytes()).await.unwrap();
    let mut interim = vec![0; CONTINUE.len()];
    connection.read_exact(&mut interim).await.unwrap();
    assert_eq!(String::from_utf8(interim).unwrap(), CONTINUE);

    // SIGINT skips the delay: the service waits only for running requests.
    app.signal("INT");
    eventually(async || TcpStream::connect(&address).await.is_err().then_some(())).await;
    connection.write_all(sent_after.as_bytes()).await.unwrap();
    let mut response = String::new();
    connection.read_to_string(&mut response).await.unwrap();
    assert!(response.starts_with("HTTP/1.1 201"), "{response}");
    assert!(app.exited_successfully().await);
}

/// A connection that stays open between requests.
struct Connection(TcpStream);

impl Connection {
    async fn open(app: &App) -> Self {
        Self(TcpStream::connect(app.base.trim_start_matches("http://")).await.unwrap())
    }

    /// Sends a request for `path` and returns the head of the response in lowercase.
    async fn get(&mut self, path: &str) -> String {
        self.0.write_all(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").as_bytes()).await.unwrap();
        let mut read = vec![0; 4096];
        let count = self.0.read(&mut read).await.unwrap();
        String::from_utf8(read[..count].to_vec()).unwrap().to_lowercase()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_sigterm_the_service_is_not_ready_but_listens_for_the_delay() {
    let mut app = App::start_with(Backend::Sqlite, &[("STEWARD_SHUTDOWN_DELAY_SECONDS", "8")]).await;
    let mut existing = Connection::open(&app).await;
    assert!(!existing.get("/health/live").await.contains("connection: close"));

    let signaled = Instant::now();
    app.terminate();
    let error = eventually(async || {
        let ready = app.anonymous().get("/health/ready").await;
        (ready.status.as_u16() == 503).then(|| ready.refused(503, "unavailable"))
    })
    .await;
    assert!(!is_strict() || signaled.elapsed() < Duration::from_secs(1), "{:?}", signaled.elapsed());
    assert_eq!(error["failing"], "shutting down");
    assert!(existing.get("/health/live").await.contains("connection: close"));
    let fresh = Connection::open(&app).await.get("/health/live").await;
    assert!(fresh.starts_with("http/1.1 200") && fresh.contains("connection: close"), "{fresh}");

    assert!(app.exited_successfully().await);
    let (took, max) = (signaled.elapsed(), Duration::from_secs(if is_strict() { 14 } else { 60 }));
    assert!(took >= Duration::from_secs(8) && took < max, "{took:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_signal_skips_the_delay() {
    let mut app = App::start_with(Backend::Sqlite, &[LONG_DELAY]).await;
    app.terminate();
    let not_ready = async || (app.anonymous().get("/health/ready").await.status.as_u16() == 503).then_some(());
    eventually(not_ready).await;
    let signaled = Instant::now();
    app.terminate();
    assert!(app.exited_successfully().await);
    assert!(signaled.elapsed() < max_exit(), "{:?}", signaled.elapsed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sigint_skips_the_delay() {
    let mut app = App::start_with(Backend::Sqlite, &[LONG_DELAY]).await;
    // An idle connection does not delay the shutdown.
    let mut idle = Connection::open(&app).await;
    idle.get("/health/live").await;
    let signaled = Instant::now();
    app.signal("INT");
    assert!(app.exited_successfully().await);
    assert!(signaled.elapsed() < max_exit(), "{:?}", signaled.elapsed());
}
