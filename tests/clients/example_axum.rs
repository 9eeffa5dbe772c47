//! The example for axum and its guide (docs/guides/axum.md).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use steward_tests::{App, Backend, PASSWORD, binary, eventually, on_both_in_full};

use crate::ann_and_a_project_of_olga;
use crate::chrome::Chrome;
use crate::program::Program;
use crate::sdk::returns;

/// The titles that the page shows, and whether each note is done.
const SHOWN: &str = "return [...document.querySelectorAll('li')]
    .map((row) => [row.textContent.trim(), row.querySelector('input').checked]).sort()";

/// How many lines an example may have, without imports, comments and empty lines.
const MAX_LINES: usize = 60;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The dependencies of a package: names, versions of those that are published, and features.
fn dependencies(directory: &Path) -> Vec<Value> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--no-deps", "--format-version", "1", "--offline"]).current_dir(directory);
    let metadata: Value = serde_json::from_str(&run(&mut cargo)).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let manifest = directory.join("Cargo.toml").canonicalize().unwrap();
    let package = packages.iter().find(|package| package["manifest_path"] == manifest.to_str().unwrap()).unwrap();
    let all = package["dependencies"].as_array().unwrap().iter().map(|each| {
        let version = each["path"].is_null().then_some(&each["req"]);
        json!([each["name"], version, each["features"], each["uses_default_features"]])
    });
    all.collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_commands_of_the_guide_lead_to_the_example() {
    // The sources of the client are from the service.
    let app = App::start(Backend::Sqlite).await;
    let guide = text("docs/guides/axum.md").replace("http://localhost:3003", &app.base);
    let install = guide.split("```sh\n").nth(1).unwrap().split("\n```").next().unwrap();
    let directory = tempfile::tempdir().unwrap();
    let mut shell = Command::new("sh");
    // The packages are those that the example has, so none is downloaded.
    shell.args(["-euc", install]).current_dir(directory.path()).env("CARGO_NET_OFFLINE", "true");
    let path = format!("{}:{}", binary().parent().unwrap().display(), std::env::var_os("PATH").unwrap().display());
    fs::write(directory.path().join("schema.json"), text("examples/schema.json")).unwrap();
    fs::write(directory.path().join("steward.json"), r#"{"server": "http://localhost:9", "project": "x"}"#).unwrap();
    tokio::task::spawn_blocking(move || run(shell.env("PATH", path))).await.unwrap();
    assert_eq!(dependencies(directory.path()), dependencies(&root().join("examples/axum")));
    let tables = fs::read_to_string(directory.path().join("src/tables.rs")).unwrap();
    assert_eq!(tables, text("examples/axum/src/tables.rs"));
}

#[test]
fn the_example_is_short() {
    let code = [text("examples/axum/src/main.rs"), text("examples/axum/src/page.html")].concat();
    let is_own = |line: &&str| {
        let line = line.trim();
        !line.is_empty() && !["use ", "mod ", "//"].iter().any(|start| line.starts_with(start))
    };
    let own = code.lines().filter(is_own).count();
    assert!(own <= MAX_LINES, "{own} lines");
}

on_both_in_full! {
    async fn the_app_signs_in_and_shows_changes_live(app: &App) {
        let (olga, project) = ann_and_a_project_of_olga(app, json!({})).await;
        let schema: Value = serde_json::from_str(&text("examples/schema.json")).unwrap();
        olga.post(&format!("/project/{project}/schema"), json!({"schema": schema})).await.ok();
        let directory = tempfile::tempdir().unwrap();
        let settings = json!({"server": app.base, "project": project});
        fs::write(directory.path().join("steward.json"), settings.to_string()).unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", r#"exec "$0" "$PORT""#]).arg(binary().with_file_name("notes-axum"));
        command.current_dir(directory.path());
        let program = Program::start(command, app, &project).await;
        // As in the redirect URI, which people can use until others are registered.
        let origin = program.origin.replace("127.0.0.1", "localhost");
        let refused = app.client.get(format!("{origin}/live")).send().await.unwrap();
        assert_eq!(refused.status(), 401);

        let chrome = Chrome::start(true).await;
        chrome.open(&origin).await;
        chrome.click("Sign in").await;
        chrome.sign_in("ann", PASSWORD).await;
        if chrome.driver.current_url().await.unwrap().path() == "/auth/consent" {
            chrome.click("Allow").await;
        }
        chrome.reaches("Notes").await;
        let users = olga.get(&format!("/project/{project}/user/")).await.ok();
        let user = users["data"][0]["id"].as_str().unwrap().to_owned();
        let notes = format!("/project/{project}/user/{user}/db/notes");

        // Of this device.
        chrome.asked("document.querySelector('[name=title]').value = 'Buy <b>milk</b>'").await;
        chrome.asked("document.querySelector('#add').requestSubmit()").await;
        returns(&chrome, SHOWN, json!([["Buy <b>milk</b>", false]])).await;
        chrome.asked("document.querySelector('li input').click()").await;
        let stored = eventually(async || {
            let stored = olga.get(&notes).await.ok()["data"][0].clone();
            (stored["done"] == true).then_some(stored)
        })
        .await;
        assert_eq!(stored["title"], "Buy <b>milk</b>");
        // Of another device.
        olga.put(&format!("{notes}/other"), json!({"value": {"title": "Buy bread"}})).await.created();
        returns(&chrome, SHOWN, json!([["Buy <b>milk</b>", true], ["Buy bread", false]])).await;
        olga.delete(&format!("{notes}/{}", stored["id"].as_str().unwrap())).await.ok();
        returns(&chrome, SHOWN, json!([["Buy bread", false]])).await;

        chrome.click("Sign out").await;
        chrome.open(&origin).await;
        assert_eq!(chrome.text().await.trim(), "Sign in");
        chrome.quit().await;
    }
}
