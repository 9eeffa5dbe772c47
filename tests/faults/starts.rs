//! Tests of concurrent starts, a wrong secret, and broken database connections.

use std::time::Duration;

use futures_util::future::join_all;
use steward_tests::{App, Backend, eventually, free_port};
use tokio::time::timeout;

use crate::is_strict;

/// Runs several commands at once next to the service. They must share one set of tables and keys.
async fn commands_share_the_database(backend: Backend) {
    let app = App::start_with(backend, &[]).await;
    let runs = (0..6).map(|number| {
        let email = format!("p{number}@example.com");
        let app = &app;
        async move { app.run(&["account", "create", "--email", &email], "correct horse battery").await }
    });
    for output in join_all(runs).await {
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let published = app.anonymous().get("/auth/.well-known/jwks.json").await.ok();
    assert_eq!(published["keys"].as_array().unwrap().len(), 2, "One for access tokens and one for ID tokens.");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_commands_share_the_database_of_the_service_on_sqlite() {
    commands_share_the_database(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_commands_share_the_database_of_the_service_on_postgres() {
    commands_share_the_database(Backend::Postgres).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_different_secret_is_rejected_at_start() {
    let app = App::start(Backend::Sqlite).await;
    let other = [("STEWARD_SECRET", "another secret of at least 32 characters")];
    assert!(app.run(&["doctor"], "").await.status.success());
    let output = app.run_with(&["doctor"], &other).await;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let is_reported = printed.lines().any(|line| line.starts_with("FAILED  keys") && line.contains("STEWARD_SECRET"));
    assert!(!output.status.success() && is_reported, "{printed}");

    let bind = format!("127.0.0.1:{}", free_port());
    let second = app.operator().with(&other).with(&[("STEWARD_BIND", bind.as_str())]).spawn(&["serve"]);
    let ended = timeout(Duration::from_secs(30), second.wait_with_output()).await;
    let ended = ended.expect("The service started with a different secret.").unwrap();
    let printed = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(!ended.status.success() && printed.contains("STEWARD_SECRET"), "{printed}");
    assert!(!printed.contains("internal error"), "{printed}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_missing_secret_of_existing_data_is_reported_and_not_replaced() {
    let app = App::start(Backend::Sqlite).await;
    for command in [&["doctor"][..], &["account", "list"]] {
        let output = app.run_with(command, &[("STEWARD_SECRET", "")]).await;
        let printed = [output.stdout, output.stderr].concat();
        let printed = String::from_utf8_lossy(&printed);
        assert!(!output.status.success() && printed.contains("steward.secret does not exist"), "{printed}");
    }
    assert!(!app.directory().join("steward.secret").exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_service_recovers_from_broken_database_connections() {
    let app = App::start(Backend::Postgres).await;
    let ann = app.person("ann").await;
    app.database().disconnect_all().unwrap();
    // Broken connections are detected when they are used. Until then every response must be 200 or 503.
    let get_status = async || {
        let status = ann.get("/team").await.status.as_u16();
        assert!(matches!(status, 200 | 503), "{status}");
        status
    };
    let mut last = 0;
    for _ in 0..20 {
        last = get_status().await;
    }
    assert!(!is_strict() || last == 200, "The service did not recover within 20 requests.");
    // More requests than the service has connections.
    let mut successes = 0;
    eventually(async || {
        successes = if get_status().await == 200 { successes + 1 } else { 0 };
        (successes == 10).then_some(())
    })
    .await;
}
