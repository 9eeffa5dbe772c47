//! Exit codes: 0, 1 (failure), 2 (usage) and 4 (sign in first).

use steward_tests::{App, Backend, World};

use super::CommandLine;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failed_command_exits_with_1_and_names_the_request() {
    let app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    let owner = CommandLine::of(&app, &world.owner);
    owner.text(&["team", "get", "acme"]).await;
    let unknown = owner.fails(1, &["team", "get", "nowhere"]).await;
    assert!(unknown.contains("nowhere"), "{unknown}");
    let taken = owner.fails(1, &["team", "create", "--name", "Acme", "--slug", "acme"]).await;
    assert!(taken.contains("Request ID: "), "{taken}");
    let incomplete = owner.fails(1, &["api", "POST", "/team", "-f", "name=x"]).await;
    assert_eq!(incomplete.matches("is required").count(), 1, "{incomplete}");
    let invalid = owner.fails(1, &["team", "create", "--name", "", "--slug", "No slug"]).await;
    assert!(invalid.contains("  name: ") && invalid.contains("  slug: "), "{invalid}");
    let viewer = CommandLine::of(&app, &world.member(&app, "vic", "viewer").await);
    viewer.fails(1, &["team", "update", "acme", "--name", "Mine"]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unreachable_service_is_a_failure() {
    let app = App::start(Backend::Sqlite).await;
    let server = format!("http://127.0.0.1:{}", steward_tests::free_port());
    let line = CommandLine::with(&app, &[("STEWARD_SERVER", server.as_str()), ("STEWARD_TOKEN", "stw_pat_x")]);
    // A write without a key is not retried, so that the test is fast.
    let message = line.fails(1, &["api", "POST", "/team", "-f", "name=x"]).await;
    assert!(message.contains(&format!("Cannot reach {server}")), "{message}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_invalid_command_line_exits_with_2() {
    let app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    let owner = CommandLine::of(&app, &world.owner);
    for (arguments, expected) in [
        (&["teams"][..], "teams"),
        (&["team", "create", "--name", "x"], "--slug"),
        (&["team", "update", "acme"], "--name"),
        (&["team", "list", "--limit", "many"], "many"),
        (&["team", "list", "--fields", "nam"], "Its fields are"),
        (&["team", "list", "--json", "--fields", "id,nam"], "\"nam\""),
        (&["team", "delete", "acme"], "--yes"),
        (&["webhook", "list"], "--team or --project"),
        (&["webhook", "list", "--team", "acme", "--project", "acme"], "cannot be used with"),
        (&["audit", "list", "--team", "acme", "--from", "yesterday"], "yesterday"),
        (&["token", "create", "--label", "x", "--roles", "viewer"], "--days"),
        (&["token", "introspect"], "standard input"),
        (&["api", "GET", "/team", "-f", "name"], "name"),
        (&["api", "POST", "/team", "--paginate"], "--paginate"),
        (&["api", "POST", "/team", "-F", "name=x"], "not valid JSON"),
        (&["team", "list", "--server", "http://steward.example"], "HTTPS"),
        (&["completions", "csh"], "csh"),
    ] {
        let message = owner.fails(2, arguments).await;
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
    assert_eq!(owner.json(&["team", "get", "acme"]).await["slug"], "acme", "Nothing was deleted.");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_missing_or_rejected_credential_exits_with_4() {
    let app = App::start(Backend::Sqlite).await;
    let file = app.directory().join("none.json").display().to_string();
    let signed_out = CommandLine::with(&app, &[]);
    for arguments in [
        &["team", "list", "--credentials", &file][..],
        &["whoami", "--credentials", &file, "--profile", "staging"],
        &["auth", "token", "--credentials", &file],
    ] {
        let message = signed_out.fails(4, arguments).await;
        assert!(message.contains("steward login"), "{message}");
    }
    CommandLine::with_token(&app, "stw_pat_unknown").fails(4, &["team", "list"]).await;
    CommandLine::with_token(&app, "eyJ.eyJ.x").fails(4, &["session", "get"]).await;
}
