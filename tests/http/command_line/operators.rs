//! Operators: the commands that mark accounts, and the link for the first one.

use std::process::Command;

use serde_json::Value;
use serde_json::json;
use steward_tests::{App, Backend, Browser, PASSWORD, eventually, on_both};

async fn command(app: &App, arguments: &[&str]) -> Vec<Value> {
    let output = app.run(arguments, "").await;
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Starts the service with this setting of `STEWARD_SIGNUP`, stops it, and returns what it prints.
async fn printed_at_start(app: &App, sign_up: &str) -> String {
    let service = app.operator().with(&[("STEWARD_SIGNUP", sign_up)]).spawn(&["serve"]);
    let ready = format!("{}/health/ready", app.base);
    let is_ready = async || app.client.get(&ready).send().await.is_ok_and(|response| response.status() == 200);
    eventually(async || is_ready().await.then_some(())).await;
    assert!(Command::new("kill").arg(service.id().unwrap().to_string()).status().unwrap().success());
    String::from_utf8(service.wait_with_output().await.unwrap().stdout).unwrap()
}

on_both! {
    async fn accounts_are_marked_as_operators_by_commands(app: &App) {
        for name in ["ann", "bob"] {
            app.provision(name).await;
        }
        let listed = async || -> Vec<Value> {
            let accounts = command(app, &["account", "operator", "list"]).await;
            accounts.into_iter().map(|account| account["email"].clone()).collect()
        };
        assert!(listed().await.is_empty());
        let added = command(app, &["account", "operator", "add", "--email", "ANN@example.com"]).await;
        assert_eq!(added[0]["is_operator"], true);
        assert_eq!(listed().await, ["ann@example.com"]);
        let removed = command(app, &["account", "operator", "remove", "--email", "ann@example.com"]).await;
        assert_eq!(removed[0]["is_operator"], false);
        assert!(listed().await.is_empty());
        command(app, &["account", "disable", "--email", "bob@example.com"]).await;
        let disabled = app.run(&["account", "operator", "add", "--email", "bob@example.com"], "").await;
        assert!(!disabled.status.success());
    }
}

/// The link of the first operator, from the log.
async fn first_link(app: &App) -> String {
    let start = format!("{}/auth/sign-up?operator=", app.base);
    let token = eventually(async || {
        let log = app.log();
        let (token, _) = log.split(&start).nth(1)?.split_once(|c: char| !c.is_ascii_hexdigit())?;
        Some(token.to_owned())
    });
    format!("{start}{}", token.await)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_service_accepts_only_the_link_and_the_link_stays_void() {
    for backend in [Backend::Sqlite, Backend::Postgres] {
        let app = App::start_empty(backend, &[]).await;
        let (eve, link) = (Browser::new(&app), first_link(&app).await);
        let account = json!({"email": "eve@example.com", "password": PASSWORD});
        app.anonymous().post("/auth/signup", account.clone()).await.refused(403, "not_set_up");
        for path in ["/auth/sign-up", "/auth/sign-in"] {
            let page = eve.open(path).await;
            assert!(page.status == 403 && page.heading() == "This service has not been set up", "{page}");
        }
        let landing = eve.open("/").await;
        assert!(landing.text().contains("has not been set up") && !landing.text().contains("Sign in"), "{landing}");
        // A sign-up form without the token of the link, taken from the page that the link opens.
        let form = eve.open(&link).await;
        let values = [("email", "eve@example.com"), ("password", PASSWORD), ("operator", "")];
        assert_eq!(eve.submit(&form, "/auth/sign-up", &values).await.status, 403);

        let ann = Browser::new(&app);
        let values = [("email", "ann@example.com"), ("password", PASSWORD)];
        let signed_up = ann.submit(&ann.open(&link).await, "/auth/sign-up", &values).await;
        assert!(signed_up.is_at("/console/start"), "{signed_up}");
        assert_eq!(eve.open(&link).await.status, 404);
        command(&app, &["account", "delete", "--email", "ann@example.com", "--yes"]).await;
        assert_eq!(eve.open(&link).await.status, 404);
        app.anonymous().post("/auth/signup", account).await.created();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_link_of_the_first_operator_is_logged_until_there_is_an_account() {
    const PATH: &str = "/auth/sign-up?operator=";
    let mut app = App::start_empty(Backend::Sqlite, &[]).await;
    let link = format!("{}{PATH}", app.base);
    let links = |app: &App| app.log().matches(&link).count();
    eventually(async || (links(&app) == 1).then_some(())).await;
    app.provision("ann").await;
    app.restart().await;
    // The link is logged after the service is ready. Once the service has stopped, its log is complete.
    app.terminate();
    assert!(app.exited_successfully().await, "The service did not exit successfully:\n{}", app.log());
    assert_eq!((app.log().matches("The service is ready.").count(), links(&app)), (2, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_started_service_prints_where_to_go_next() {
    let mut app = App::start_empty(Backend::Sqlite, &[]).await;
    app.kill();
    let link = format!("{}/auth/sign-up?operator=", app.base);
    let first = printed_at_start(&app, "closed").await;
    let database = first.lines().find_map(|line| line.trim().strip_prefix("Database ")).unwrap().trim();
    assert!(database.starts_with('/') && std::fs::metadata(database).is_ok(), "{first}");
    assert!(first.contains(&link) && first.contains("First account") && !first.contains("Sign in"), "{first}");
    app.provision("ann").await;
    let closed = printed_at_start(&app, "closed").await;
    assert!(closed.contains("Sign in") && !closed.contains("Sign up") && !closed.contains(&link), "{closed}");
    let open = printed_at_start(&app, "open").await;
    assert!(open.contains("Sign up") && !open.contains(&link), "{open}");
}
