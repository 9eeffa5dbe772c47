//! What a process finds when it starts, and when its connections break.

use futures_util::future::join_all;
use steward_tests::{App, Backend};

/// Several processes that start at once over one empty database make one set of tables and keys.
async fn several_start_at_once(backend: Backend) {
    let app = App::start_with(backend, &[]).await;
    let runs = (0..6).map(|number| {
        let email = format!("p{number}@example.com");
        let app = &app;
        async move { app.run(&["account", "create", "--email", &email], "correct horse battery").await }
    });
    for output in join_all(runs).await {
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(app.anon().get("/auth/.well-known/jwks.json").await.ok()["keys"].as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_beside_the_service_share_its_database_on_sqlite() {
    several_start_at_once(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_beside_the_service_share_its_database_on_postgres() {
    several_start_at_once(Backend::Postgres).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_another_secret_it_does_not_start() {
    let app = App::start(Backend::Sqlite).await;
    let other = [("STEWARD_SECRET", "another secret of at least 32 characters")];
    let output = app.run_with(&["doctor"], &other).await;
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!output.status.success() && told.contains("secret"), "{told}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_its_database_it_says_so_and_recovers() {
    let app = App::start(Backend::Postgres).await;
    let ann = app.person("ann").await;
    app.database().disconnect_everybody().unwrap();
    // The broken connections are noticed by use; no answer may be wrong meanwhile.
    let mut statuses = Vec::new();
    for _ in 0..20 {
        statuses.push(ann.get("/team").await.status.as_u16());
    }
    assert!(statuses.iter().all(|status| matches!(status, 200 | 503)), "{statuses:?}");
    assert_eq!(statuses.last(), Some(&200), "{statuses:?}");
}
