//! A session of the command line, from signing in to signing out.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};
use steward_tests::{App, Browser, notes_schema, on_sqlite};

use super::{CommandLine, id};
use crate::command_line::commands::{open_loopback, start_login};

/// Number of imported items: several batches, and more than one page of a list.
const ITEMS: usize = 2_000;

/// Signs a person in, with the credentials file in its default place. Returns the person's command line.
async fn sign_in(app: &App, username: &str) -> CommandLine {
    let settings = app.directory().join(username);
    let file = settings.join("steward").join("credentials.json").display().to_string();
    let (mut process, address) = start_login(app, &file).await;
    let back = Browser::new(app).sign_in_and_allow(&address, username).await;
    open_loopback(&back).await;
    assert!(process.wait().await.unwrap().success());
    CommandLine::with(app, &[("XDG_CONFIG_HOME", settings.to_str().unwrap())])
}

/// Writes a file with one item per line.
fn write_items(path: &Path) {
    let mut lines = String::new();
    for number in 0..ITEMS {
        let item = json!({"id": format!("n{number:05}"), "title": format!("Note {number}"), "rank": number});
        writeln!(lines, "{item}").unwrap();
    }
    std::fs::write(path, lines).unwrap();
}

on_sqlite! {
    async fn a_team_starts_from_the_command_line(app: &App) {
        app.person("ann").await;
        let una = app.provision("una").await;
        let line = sign_in(app, "ann").await;
        assert_eq!(line.json(&["whoami"]).await["username"], "ann");
        line.json(&["team", "create", "--name", "Acme", "--slug", "acme"]).await;
        let create = ["project", "create", "--team", "acme", "--name", "Rocket", "--slug", "rocket"];
        let project = id(&line.json(&create).await);
        line.text(&["schema", "init", "--project", "rocket"]).await;
        std::fs::write(app.directory().join("schema.json"), notes_schema().to_string()).unwrap();
        line.text(&["schema", "push"]).await;
        assert_eq!(line.json(&["schema", "diff"]).await, json!([]));
        let key = line.json(&["key", "create", "--label", "server", "--roles", "admin"]).await;

        let connect = ["user", "connect", "--project", &project, "--email", una["email"].as_str().unwrap()];
        let user = line.text(&connect).await;
        write_items(&app.directory().join("notes.ndjson"));
        let table = ["--user", user.trim(), "--table", "notes"];
        line.text(&[&["item", "import", "notes.ndjson"][..], &table].concat()).await;
        let path = format!("/project/{project}/user/{}/db/notes", user.trim());
        let all = line.json(&["api", "GET", &path, "--paginate"]).await;
        assert_eq!(all.as_array().unwrap().len(), ITEMS);

        let server = CommandLine::with_token(app, key["value"].as_str().unwrap());
        let found = server.json(&[&["item", "list", "--filter", "rank=gte.1990"][..], &table].concat()).await;
        assert_eq!(found.as_array().unwrap().len(), 10);
        let changed = server.json(&[&["item", "patch", "n00007", "-F", "rank=-1"][..], &table].concat()).await;
        assert_eq!(changed["rank"], -1);
        server.text(&[&["item", "delete", "n00008", "--yes"][..], &table].concat()).await;
        line.fails(1, &[&["item", "get", "n00008"][..], &table].concat()).await;
        line.text(&[&["item", "export", "all.ndjson"][..], &table].concat()).await;
        let exported = std::fs::read_to_string(app.directory().join("all.ndjson")).unwrap();
        assert_eq!(exported.lines().count(), ITEMS - 1);
        let export: Value = line.json(&["user", "export", "una"]).await;
        assert_eq!(export["items"]["notes"].as_array().unwrap().len(), ITEMS - 1);

        line.text(&["logout"]).await;
        line.fails(4, &["team", "list"]).await;
    }
}
