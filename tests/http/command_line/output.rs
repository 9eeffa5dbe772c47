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
    for (limit, expected) in [(&[][..], 1_102), (&["--limit", "1050"], 1_050)] {
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
