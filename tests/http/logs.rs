//! Log lines are written asynchronously, and completely before the service stops.

use std::time::Duration;

use steward_tests::{App, Backend, eventually};

/// Number of requests. They write more log lines than fit into a pipe's buffer.
const REQUESTS: usize = 1_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_do_not_wait_for_a_blocked_log() {
    let mut app = App::start(Backend::Sqlite).await;
    app.kill();
    let service = app.spawn(&["serve"]);
    let url = format!("{}/utils/slugify?slug=x", app.base);
    let request = async || app.client.get(&url).timeout(Duration::from_secs(5)).send().await.ok();
    eventually(request).await;
    for number in 0..REQUESTS {
        assert!(request().await.is_some_and(|response| response.status() == 200), "Request {number} failed.");
    }
    drop(service);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_graceful_shutdown_writes_the_log_line_of_every_request() {
    let mut app = App::start_with(Backend::Sqlite, &[("STEWARD_SHUTDOWN_DELAY_SECONDS", "0")]).await;
    for _ in 0..REQUESTS {
        app.anonymous().get("/utils/slugify?slug=x").await.ok();
    }
    app.terminate();
    assert!(app.exited_successfully().await);
    let log = app.log();
    assert_eq!(log.lines().filter(|line| line.contains("\"/utils/slugify\"")).count(), REQUESTS);
    assert!(log.contains("Shutting down"), "{log}");
}
