//! Starts of the service on a database that is absent, read-only or not migrated.

use reqwest::StatusCode;
use serde_json::Value;
use steward_tests::{App, Cluster, World, eventually};

/// Waits until the service responds while it is not ready. Returns its message.
async fn until_not_ready(app: &App, text: &str) {
    eventually(async || {
        let response = app.client.get(format!("{}/health/ready", app.base)).send().await.ok()?;
        assert_ne!(response.status(), StatusCode::OK);
        let body: Value = response.json().await.unwrap();
        assert_eq!(body["status"], "fail");
        body["message"].as_str().unwrap().contains(text).then_some(())
    })
    .await;
    let live = app.client.get(format!("{}/health/live", app.base)).send().await.unwrap();
    assert_eq!(live.status(), StatusCode::OK);
    let other = app.client.get(format!("{}/team", app.base)).send().await.unwrap();
    assert_eq!(other.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(other.headers()["retry-after"], "1");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_without_database_waits_for_it() {
    let cluster = Cluster::start().await;
    let mut app = App::start_on_database(&cluster.url(), &[]).await;
    let team = app.person("ann").await;
    app.kill();
    cluster.stop();
    app.begin();
    until_not_ready(&app, "The database is unavailable.").await;
    let log = app.log();
    assert_eq!(log.matches("The service is not ready").count(), 1, "One line, not one per attempt: {log}");
    cluster.resume();
    app.until_ready().await;
    team.get("/team").await.ok();
    app.terminate();
    assert!(app.exited_successfully().await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_that_waits_stops_at_a_signal() {
    let cluster = Cluster::start().await;
    let mut app = App::start_on_database(&cluster.url(), &[]).await;
    app.kill();
    cluster.stop();
    app.begin();
    until_not_ready(&app, "The database is unavailable.").await;
    app.terminate();
    assert!(app.exited_successfully().await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_on_a_read_only_database_serves_reads_and_then_writes() {
    let cluster = Cluster::start().await;
    let mut app = App::start_on_database(&cluster.url(), &[]).await;
    let world = World::make(&app, "acme").await;
    let item = format!("{}/n1", world.notes());
    world.key.put(&item, serde_json::json!({"value": {"title": "x"}})).await.created();
    cluster.refuse_writes(true);
    app.kill();
    app.begin();
    eventually(async || {
        let response = app.client.get(format!("{}/health/ready", app.base)).send().await.ok()?;
        let body: Value = response.json().await.unwrap();
        (body["failing"] == "database writes").then_some(())
    })
    .await;
    world.key.get(&item).await.ok();
    let refused = world.key.put(&item, serde_json::json!({"value": {"title": "y"}})).await;
    assert_eq!(refused.status.as_u16(), 503);
    cluster.refuse_writes(false);
    app.until_ready().await;
    world.key.put(&item, serde_json::json!({"value": {"title": "y"}})).await.ok();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_migrations_off_a_service_waits_until_the_database_is_migrated() {
    let (template, cluster) = (Cluster::start().await, Cluster::start().await);
    let mut app = App::start_on_database(&template.url(), &[]).await;
    app.kill();
    app.set("DATABASE_URL", &cluster.url());
    app.set("STEWARD_MIGRATE", "off");
    app.begin();
    until_not_ready(&app, "Run `steward migrate`.").await;
    let status = app.run(&["migrate", "--status"], "").await;
    let printed: Value = serde_json::from_slice(&status.stdout).unwrap();
    assert!(!status.status.success() && printed["applied"] == 0 && printed["pending"][0] == "0001_initial_schema");
    assert!(!cluster.accepts("SELECT FROM accounts"), "The service must not migrate.");
    assert!(app.run(&["migrate"], "").await.status.success());
    app.until_ready().await;
    let status = app.run(&["migrate", "--status"], "").await;
    let printed: Value = serde_json::from_slice(&status.stdout).unwrap();
    assert!(status.status.success() && printed["pending"] == serde_json::json!([]), "{printed}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_does_not_start_on_the_database_of_another_program() {
    let cluster = Cluster::start().await;
    assert!(cluster.accepts("CREATE TABLE accounts (id integer)"));
    let template = Cluster::start().await;
    let app = App::start_on_database(&template.url(), &[]).await;
    let url = cluster.url();
    let settings = [("DATABASE_URL", url.as_str()), ("STEWARD_BIND", "127.0.0.1:0")];
    let serve = app.run_with(&["serve"], &settings).await;
    let printed = String::from_utf8_lossy(&serve.stderr).into_owned();
    assert!(!serve.status.success() && printed.contains("table `accounts` of another program"), "{printed}");
    let doctor = app.run_with(&["doctor"], &settings).await;
    let printed = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(!doctor.status.success() && printed.contains("table `accounts` of another program"), "{printed}");
}
