//! Snapshots of what people read: the help of each command, and the pages. `INSTA_UPDATE=always` updates the files.
//! Error bodies are in `error_bodies`.

use std::collections::VecDeque;

use insta::{Settings, assert_snapshot};
use serde_json::json;
use steward_tests::{App, Authenticator, Backend, Browser, Client, PASSWORD, Page, World};

/// Replaces what differs between two runs.
pub fn settings() -> Settings {
    let mut settings = Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    for (pattern, replacement) in [
        (r"\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b", "[id]"),
        (r"stw_[a-z]+_[0-9A-Za-z]+", "[secret]"),
        (r#"(name="csrf" value=")[^"]+"#, "${1}[csrf]"),
        (r#"(data-options=")[^"]+"#, "${1}[options]"),
        (r#"(name="(?:confirm_)?ceremony" value=")[^"]+"#, "${1}[ceremony]"),
        (r"\b(localhost|127\.0\.0\.1)(:|%3A)[0-9]+", "[host]"),
        (r#"(\.(?:css|js)\?v=)[0-9a-f]+"#, "${1}[hash]"),
        (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z| UTC|\+00:00)?", "[timestamp]"),
        (
            r"\b\d{1,2} (January|February|March|April|May|June|July|August|September|October|November|December) \d{4}(,? \d\d:\d\d(:\d\d)?)?",
            "[date]",
        ),
    ] {
        settings.add_filter(pattern, replacement);
    }
    settings
}

/// The names that a help text lists under `Commands:`.
fn subcommands(help: &str) -> Vec<String> {
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = listed.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_help_of_every_command() {
    let app = App::start(Backend::Sqlite).await;
    let (mut open, mut texts) = (VecDeque::from([Vec::<String>::new()]), Vec::new());
    while let Some(command) = open.pop_front() {
        let arguments: Vec<&str> = command.iter().map(String::as_str).chain(["--help"]).collect();
        let output = app.run(&arguments, "").await;
        assert!(output.status.success(), "{arguments:?}");
        let help = String::from_utf8(output.stdout).unwrap();
        for name in subcommands(&help) {
            open.push_back(command.iter().cloned().chain([name]).collect());
        }
        texts.push(format!("$ steward {}\n\n{help}", arguments.join(" ")));
    }
    assert!(texts.len() > 10, "The help lists no commands.");
    settings().bind(|| assert_snapshot!("help", texts.join("\n\n")));
}

/// Compares a page with its snapshot.
fn check(name: &str, page: &Page) {
    settings().bind(|| assert_snapshot!(format!("page-{name}"), page.html));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_page() {
    let app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    app.person("ann").await;
    let (browser, client) = (Browser::new(&app), Client::of(&app, &world));
    check("landing", &browser.open("/").await);
    let new = App::start_empty(Backend::Sqlite, &[]).await;
    check("landing-not-set-up", &Browser::new(&new).open("/").await);
    check("sign-in-not-set-up", &Browser::new(&new).open("/auth/sign-in").await);
    check("unknown-address", &browser.open("/nowhere").await);
    check("sign-in", &browser.open(&client.authorize(&[])).await);
    check("sign-up", &browser.open("/auth/sign-up").await);
    check("forgot-password", &browser.open("/auth/forgot-password").await);
    check("sign-out-when-signed-out", &browser.open("/auth/sign-out").await);
    check("invalid-client", &browser.open("/auth/authorize?client_id=nobody").await);
    check("verify-email-unknown", &browser.open("/auth/verify-email?token=x").await);

    let page = browser.open("/auth/sign-in").await;
    let refused = browser.submit(&page, "/auth/sign-in", &[("login", "ann"), ("password", "not the password")]).await;
    check("sign-in-refused", &refused);
    let invite = json!({"username": "ann", "roles": "developer"});
    let invite = world.owner.post(&format!("/team/{}/invite", world.team), invite).await.created();
    let link = invite["data"]["link"].as_str().unwrap().to_owned();
    check("invite-signed-out", &browser.open(&link).await);
    browser.submit(&page, "/auth/sign-in", &[("login", "ann"), ("password", PASSWORD)]).await;
    check("invite", &browser.open(&link).await);
    check("consent", &browser.open(&client.authorize(&[])).await);
    client.code(&browser, "ann", &[]).await;
    check("continue", &browser.open(&client.authorize(&[])).await);
    check("sign-out", &browser.open("/auth/sign-out").await);
    check("sessions", &browser.open("/console/account/sessions").await);
    check("activity", &browser.open("/console/account/activity").await);
    Authenticator::set_up(&browser).await;
    let other = Browser::new(&app);
    let page = other.open(&client.authorize(&[])).await;
    let page = other.submit(&page, "/auth/sign-in", &[("login", "ann"), ("password", PASSWORD)]).await;
    check("second-factor", &page);
    let recovery = page.links().into_iter().find(|link| link.contains("recovery-code")).unwrap();
    check("second-factor-recovery-code", &other.open(&recovery).await);
}
