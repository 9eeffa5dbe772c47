//! What commands print: tables, selected fields, pages.

use std::collections::BTreeSet;

use serde_json::json;
use steward_tests::{App, Backend, World};

use super::CommandLine;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_list_is_a_plain_table_unless_the_output_is_a_terminal() {
    let app = App::start(Backend::Sqlite).await;
    let ann = app.person("ann").await;
    let line = CommandLine::of(&app, &ann);
    for (name, slug) in [("Acme", "acme"), ("Second team", "second")] {
        line.text(&["team", "create", "--name", name, "--slug", slug]).await;
    }
    let table = line.text(&["team", "list", "--fields", "slug,name"]).await;
    assert_eq!(table, "SLUG    NAME\nacme    Acme\nsecond  Second team\n");
    let table = line.text(&["team", "list"]).await;
    assert!(table.starts_with("ID ") && table.lines().count() == 3 && !table.contains('\u{1b}'), "{table}");
    assert_eq!(line.text(&["team", "list", "--limit", "1", "--fields", "slug"]).await, "SLUG\nacme\n");
    let entry = line.text(&["team", "get", "second", "--fields", "name,slug"]).await;
    assert_eq!(entry, "name:  Second team\nslug:  second\n");
    assert_eq!(line.text(&["invite", "list", "--fields", "id"]).await, "ID\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn json_is_one_line_with_the_selected_fields() {
    let app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    let line = CommandLine::of(&app, &world.owner);
    assert_eq!(
        line.text(&["team", "list", "--json", "--fields", "slug,name"]).await,
        "[{\"slug\":\"acme\",\"name\":\"acme\"}]\n"
    );
    let team = line.text(&["team", "get", "acme", "--json", "--fields", "slug"]).await;
    assert_eq!(team, "{\"slug\":\"acme\"}\n");
    assert_eq!(line.json(&["invite", "list", "--team", "acme"]).await, json!([]));
    assert_eq!(line.json(&["webhook", "list", "--project", &world.project]).await, json!([]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn options_may_stand_before_and_after_the_command() {
    let app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    let line = CommandLine::with(&app, &[("STEWARD_TOKEN", world.owner.credential.as_deref().unwrap())]);
    for arguments in [
        ["--server", &app.base, "--json", "team", "list", "--fields", "slug"],
        ["team", "--json", "--server", &app.base, "--fields", "slug", "list"],
        ["--fields", "slug", "team", "--server", &app.base, "list", "--json"],
        ["team", "list", "--json", "--fields", "slug", "--server", &app.base],
    ] {
        assert_eq!(line.text(&arguments).await, "[{\"slug\":\"acme\"}]\n", "{arguments:?}");
    }
    let message = line.fails(2, &["--json", "openapi"]).await;
    assert!(message.contains("--json"), "{message}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_list_is_shown_in_parts_with_a_hint() {
    let app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    let line = CommandLine::of(&app, &world.owner);
    let lines: String = (0..120).map(|rank| format!("{{\"id\": \"n{rank:03}\", \"title\": \"x\"}}\n")).collect();
    std::fs::write(app.directory().join("in.ndjson"), lines).unwrap();
    let table = ["--project", &world.project, "--user", &world.user, "--table", "notes"];
    line.text(&[&["item", "import", "in.ndjson"][..], &table].concat()).await;
    let list = async |options: &[&str]| {
        let shown = ["item", "list", "--order", "id.asc", "--fields", "id"];
        let output = line.run(&[&shown[..], &table, options].concat(), "").await;
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let ids: Vec<String> = text(output.stdout).lines().skip(1).map(str::to_owned).collect();
        (ids, text(output.stderr))
    };
    let (first, hint) = list(&[]).await;
    assert!(first.len() == 100 && hint.contains("these 100") && hint.contains("--all"), "{hint}");
    // The hint is the command for the next page.
    let next: Vec<&str> = hint.lines().last().unwrap().trim().strip_prefix("steward ").unwrap().split(' ').collect();
    let output = line.run(&next, "").await;
    let rest: Vec<String> = String::from_utf8(output.stdout).unwrap().lines().skip(1).map(str::to_owned).collect();
    assert_eq!((rest.len(), output.stderr.as_slice()), (21, &b""[..]));
    let (all, hint) = list(&["--all"]).await;
    assert_eq!((&all, hint.as_str()), (&[first, rest].concat(), ""));
    let (few, hint) = list(&["--limit", "3"]).await;
    assert!(few == all[..3] && hint.contains("--cursor "), "{hint}");
    for invalid in [&["--limit", "0"][..], &["--all", "--limit", "3"]] {
        assert!(list(invalid).await.1.contains("error:"), "{invalid:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn people_are_shown_by_name_and_a_project_without_json() {
    let app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    let line = CommandLine::of(&app, &world.owner);
    let members = line.text(&["member", "list", "--team", "acme"]).await;
    assert!(members.contains("USERNAME") && members.contains("acme-owner@example.com"), "{members}");
    for name in ["ACME-owner", "acme-owner@example.com"] {
        assert_eq!(line.json(&["member", "get", name, "--team", "acme"]).await["account_id"], world.owner.id);
    }
    assert!(line.fails(2, &["member", "get", "unknown", "--team", "acme"]).await.contains("\"unknown\""));
    let users = line.text(&["user", "list", "--project", &world.project]).await;
    let columns: Vec<&str> = users.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(columns[..4], ["ID", "USERNAME", "EMAIL", "NAME"], "{users}");
    assert!(users.lines().nth(1).unwrap().contains("acme-visitor") && !users.contains('{'), "{users}");
    assert_aligned(&users);
    line.text(&["project", "update", &world.project, "--public-profile", "{\"accent_color\": \"red\"}"]).await;
    let project = line.text(&["project", "get", &world.project]).await;
    assert!(!project.contains(['{', '}', '"']), "{project}");
    for expected in ["profile accent color:", "usage items:", "1 of "] {
        assert!(project.contains(expected), "{expected}: {project}");
    }
    std::fs::write(app.directory().join("schema.in"), "{\"tables\": {\"notes\": {\"fields\": {}}}}").unwrap();
    let types = async |name| line.text(&["schema", "types", "--file", "schema.in", "--lang", name]).await;
    assert_eq!(types("typescript").await, types("ts").await);
}

/// Each column starts at the place of its head.
fn assert_aligned(table: &str) {
    let (head, rows) = table.split_once('\n').unwrap();
    let starts = head.match_indices("  ").map(|(place, _)| place + 2).filter(|place| !head[*place..].starts_with(' '));
    for start in starts {
        for row in rows.lines().filter(|row| row.len() > start) {
            assert!(row[..start].ends_with("  "), "{start}: {table}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_for_people_are_not_in_the_output() {
    let app = App::start(Backend::Sqlite).await;
    let ann = app.person("ann").await;
    let line = CommandLine::of(&app, &ann);
    line.text(&["team", "create", "--name", "Acme", "--slug", "acme"]).await;
    let deleted = line.run(&["team", "delete", "acme", "--yes"], "").await;
    assert!(deleted.status.success() && deleted.stdout.is_empty());
    assert_eq!(String::from_utf8(deleted.stderr).unwrap(), "The team acme is deleted.\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn api_sends_any_request_and_reads_all_pages() {
    let app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    let line = CommandLine::of(&app, &world.owner);
    let team = format!("/team/{}", world.team);
    let renamed = line.json(&["api", "PATCH", &team, "-f", "name=Acme Inc."]).await;
    assert_eq!(renamed["data"]["name"], "Acme Inc.");
    let item = world.item("second");
    line.json(&["api", "PUT", &item, "-F", "value={\"title\": \"Second\", \"rank\": 2}"]).await;
    let stored = line.json(&["api", "get", item.trim_start_matches('/')]).await;
    assert_eq!(stored["data"]["rank"], 2);
    line.fails(1, &["api", "PATCH", &team, "-H", "If-Match: \"0\"", "-f", "name=Mine"]).await;
    line.fails(2, &["api", "GET", &team, "--paginate"]).await;

    // More entries than fit into one page of `--paginate`.
    for batch in 0..11 {
        let operations: Vec<_> = (batch * 100..batch * 100 + 100)
            .map(|number| json!({"op": "put", "id": format!("n{number:04}"), "value": {"title": "x"}}))
            .collect();
        let body = json!({"operations": operations});
        world.owner.post(&format!("{}/batch", world.notes()), body).await.ok();
    }
    let items = line.json(&["api", "GET", &world.notes(), "--paginate", "--fields", "id"]).await;
    assert_eq!(items.as_array().unwrap().len(), 1_102);
    let table = ["--project", &world.project, "--user", &world.user, "--table", "notes"];
    for (limit, expected) in [(&["--all"][..], 1_102), (&["--limit", "1050"], 1_050)] {
        let items = line.json(&[&["item", "list", "--fields", "id"][..], &table, limit].concat()).await;
        let ids: BTreeSet<&str> = items.as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap()).collect();
        assert_eq!(ids.len(), expected);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_closed_output_is_not_reported() {
    let app = App::start(Backend::Sqlite).await;
    let line = CommandLine::with(&app, &[]);
    // The document is larger than the buffer of a pipe.
    let mut process = line.spawn(&["openapi"]);
    drop(process.stdout.take());
    let output = process.wait_with_output().await.unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(1), &b""[..]));

    let mut process = line.spawn(&["team", "list", "--server", "http://steward.example"]);
    drop(process.stderr.take());
    assert_ne!(process.wait().await.unwrap().code(), Some(101), "The command panicked.");
}
