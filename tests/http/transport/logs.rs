//! Log lines are written asynchronously, and completely before the service stops.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use steward_tests::{App, Backend, World, eventually};

/// Number of requests. They write more log lines than fit into a pipe's buffer.
const REQUESTS: usize = 1_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_do_not_wait_for_a_blocked_log() {
    let mut app = App::start(Backend::Sqlite).await;
    app.kill();
    let service = app.spawn(&["serve"]);
    let url = format!("{}/utils/slugify?slug=x", app.base);
    let request = async || app.client.get(&url).timeout(Duration::from_secs(60)).send().await.ok();
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_line_has_the_address_of_the_client_and_the_code_of_the_error() {
    let app = App::start_with(Backend::Sqlite, &[("STEWARD_TRUSTED_PROXIES", "127.0.0.1")]).await;
    let (world, anon) = (World::make(&app, "acme").await, app.anonymous());
    let taken = json!({"name": "Other", "slug": "acme"});
    let headers = |id| [("X-Request-Id", id), ("X-Forwarded-For", "198.51.100.7"), ("Idempotency-Key", "one-key")];
    for id in ["refused-request", "refused-retry"] {
        world.owner.send(Method::POST, "/team/", Some(taken.clone()), &headers(id)).await.refused(409, "slug_taken");
    }
    for (id, path) in [("refused-page", "/auth/sign-in?request=x"), ("answered", "/docs"), ("probe", "/health/ready")] {
        anon.send(Method::GET, path, None, &headers(id)).await;
    }
    let log = app.complete_log().await;
    let lines: Vec<Value> = log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    for (id, error) in [
        ("refused-request", json!("slug_taken")),
        ("refused-retry", json!("slug_taken")),
        ("refused-page", json!("not_found")),
        ("answered", Value::Null),
    ] {
        let line = lines.iter().find(|line| line["request_id"] == id).unwrap_or_else(|| panic!("{id}: {log}"));
        assert_eq!((&line["address"], &line["error"]), (&json!("198.51.100.7"), &error), "{line}");
    }
    assert!(lines.iter().all(|line| line["request_id"] != "probe"), "Successful health checks are not logged: {log}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn output_that_is_not_a_terminal_has_no_colors() {
    const ESCAPE: u8 = 0x1b;
    for format in ["json", "text"] {
        let settings = [("STEWARD_LOG_FORMAT", format), ("STEWARD_COLOUR", "red")];
        let app = App::start_with(Backend::Sqlite, &settings).await;
        let log = app.complete_log().await;
        assert!(log.contains("The service is ready") && !log.as_bytes().contains(&ESCAPE), "{log}");
        for arguments in [["doctor"], ["--help"], ["--unknown"]] {
            let output = app.run(&arguments, "").await;
            let text = [output.stdout, output.stderr].concat();
            assert!(!text.is_empty() && !text.contains(&ESCAPE), "{}", String::from_utf8_lossy(&text));
        }
    }
}
