//! A service that is asked to stop: a proxy notices before its requests are cut.

use std::time::{Duration, Instant};

use serde_json::json;
use steward_tests::{App, Backend, eventually};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn told_to_stop_it_finishes_what_runs() {
    let mut app = App::start(Backend::Sqlite).await;
    let body = json!({"email": "ann@example.com", "password": "correct horse battery"}).to_string();
    let head = "POST /auth/signup HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close";
    let request = format!("{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    let mut connection = TcpStream::connect(app.base.trim_start_matches("http://")).await.unwrap();
    connection.write_all(request.as_bytes()).await.unwrap();
    // Hashing a password takes long enough for the signal to arrive meanwhile.
    tokio::time::sleep(Duration::from_millis(5)).await;
    app.terminate();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    assert!(app.ended_well().await);
}

/// A connection that stays open between requests.
struct Connection(TcpStream);

impl Connection {
    async fn open(app: &App) -> Self {
        Self(TcpStream::connect(app.base.trim_start_matches("http://")).await.unwrap())
    }

    /// The head of the response to a request for `path`, in lower case.
    async fn get(&mut self, path: &str) -> String {
        self.0.write_all(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").as_bytes()).await.unwrap();
        let mut read = vec![0; 4096];
        let count = self.0.read(&mut read).await.unwrap();
        String::from_utf8(read[..count].to_vec()).unwrap().to_lowercase()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_sigterm_it_is_not_ready_and_still_listens_for_the_delay() {
    let mut app = App::start_with(Backend::Sqlite, &[("STEWARD_SHUTDOWN_DELAY_SECONDS", "2")]).await;
    let mut kept = Connection::open(&app).await;
    assert!(!kept.get("/health/live").await.contains("connection: close"));

    let asked = Instant::now();
    app.terminate();
    let refusal = eventually(async || {
        let ready = app.anon().get("/health/ready").await;
        (ready.status.as_u16() == 503).then(|| ready.refused(503, "unavailable"))
    })
    .await;
    assert!(asked.elapsed() < Duration::from_secs(1), "{:?}", asked.elapsed());
    assert_eq!(refusal["failing"], "shutting down");
    assert!(kept.get("/health/live").await.contains("connection: close"));
    let fresh = Connection::open(&app).await.get("/health/live").await;
    assert!(fresh.starts_with("http/1.1 200") && fresh.contains("connection: close"), "{fresh}");

    assert!(app.ended_well().await);
    let took = asked.elapsed();
    assert!(took >= Duration::from_secs(2) && took < Duration::from_secs(8), "{took:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_signal_skips_the_delay() {
    let mut app = App::start_with(Backend::Sqlite, &[("STEWARD_SHUTDOWN_DELAY_SECONDS", "60")]).await;
    app.terminate();
    let not_ready = async || (app.anon().get("/health/ready").await.status.as_u16() == 503).then_some(());
    eventually(not_ready).await;
    let asked = Instant::now();
    app.terminate();
    assert!(app.ended_well().await);
    assert!(asked.elapsed() < Duration::from_secs(10), "{:?}", asked.elapsed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interrupt_at_a_terminal_skips_the_delay() {
    let mut app = App::start_with(Backend::Sqlite, &[("STEWARD_SHUTDOWN_DELAY_SECONDS", "60")]).await;
    // An idle connection keeps nothing up.
    let mut idle = Connection::open(&app).await;
    idle.get("/health/live").await;
    let asked = Instant::now();
    app.signal("INT");
    assert!(app.ended_well().await);
    assert!(asked.elapsed() < Duration::from_secs(10), "{:?}", asked.elapsed());
}
