//! `steward init`: the files of an app.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use steward_tests::{App, Backend, World};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::CommandLine;

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples");

/// The files in a directory and below it.
fn files(directory: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(directory).unwrap().map(Result::unwrap) {
        let name = PathBuf::from(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            found.extend(files(&entry.path()).into_iter().map(|(path, text)| (name.join(path), text)));
        } else {
            found.insert(name, std::fs::read_to_string(entry.path()).unwrap());
        }
    }
    found
}

/// Runs `steward` in an empty directory below that of the service.
fn in_directory(app: &App, caller: &steward_tests::Actor, name: &str) -> (CommandLine, PathBuf) {
    let directory = app.directory().join(name);
    std::fs::create_dir(&directory).unwrap();
    let line = CommandLine::of(app, caller);
    (line.in_directory(&directory), directory)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_framework_gets_the_files_of_its_example() {
    let app = App::start(Backend::Sqlite).await;
    let ann = app.person("ann").await;
    CommandLine::of(&app, &ann).text(&["team", "create", "--name", "Acme", "--slug", "acme"]).await;
    let message = CommandLine::of(&app, &ann).fails(2, &["init", "--name", "x"]).await;
    let frameworks: Vec<&str> = message.trim().trim_end_matches('.').rsplit_once(": ").unwrap().1.split(", ").collect();
    assert!(frameworks.contains(&"react") && frameworks.contains(&"html"), "{message}");
    for framework in frameworks {
        let (line, directory) = in_directory(&app, &ann, framework);
        let written = line.json(&["init", "--name", framework, "--framework", framework]).await;
        let project = written["project"].as_str().unwrap();
        let mut found = files(&directory);
        let named: Value = serde_json::from_str(&found.remove(Path::new("steward.json")).unwrap()).unwrap();
        assert_eq!(named, json!({"server": app.base, "project": project, "schema": "schema.json"}));
        let schema: Value = serde_json::from_str(&found.remove(Path::new("schema.json")).unwrap()).unwrap();
        assert!(schema["tables"]["notes"]["fields"]["title"].is_object(), "{framework}: {schema}");
        // What remains is what the tests of the example run, with generated types.
        let guide = if framework == "next" { "nextjs" } else { framework };
        for (path, text) in &found {
            let name = path.to_str().unwrap();
            let is_generated = ["tables.ts", "tables.py", "tables.rs"].iter().any(|types| name.ends_with(types));
            let expected = std::fs::read_to_string(Path::new(EXAMPLES).join(guide).join(path));
            assert!(is_generated || expected.is_ok_and(|expected| expected == *text), "{framework}: {name}");
        }
        let listed: Vec<&str> =
            written["files"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        assert_eq!(listed.len(), found.len(), "{framework}: {listed:?}");
        // The schema of a new project is published, so that the example can store notes.
        assert_eq!(line.json(&["schema", "diff"]).await, json!([]), "{framework}");
        assert!(!written["next"].to_string().contains("schema push"), "{framework}: {written}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_existing_project_keeps_its_schema_and_no_file_is_replaced() {
    let app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    let (line, directory) = in_directory(&app, &world.owner, "app");
    let init = ["init", "--project", world.project.as_str(), "--framework", "react"];
    std::fs::write(directory.join("index.html"), "precious").unwrap();
    std::fs::write(directory.join("src"), "precious").unwrap();
    for arguments in [&init[..], &["init", "--name", "New", "--framework", "react", "--yes"]] {
        let message = line.fails(2, arguments).await;
        assert!(message.contains("index.html") && message.contains("src/App.tsx"), "{message}");
    }
    assert_eq!(files(&directory).len(), 2, "Nothing is written.");
    let projects = line.json(&["project", "list"]).await;
    assert_eq!(projects.as_array().unwrap().len(), 1, "No project is created.");

    for name in ["index.html", "src"] {
        std::fs::remove_file(directory.join(name)).unwrap();
    }
    let output = line.run(&init, "").await;
    let notes = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && notes.contains("/docs/guides/react"), "{notes}");
    let types = std::fs::read_to_string(directory.join("tables.ts")).unwrap();
    assert!(types.contains("rank?: number"), "The types are those of the published schema: {types}");
    assert_eq!(line.json(&["schema", "diff"]).await, json!([]));
    line.fails(2, &init).await;

    // A directory of which a link leads elsewhere.
    let (line, directory) = in_directory(&app, &world.owner, "linked");
    std::os::unix::fs::symlink(app.directory(), directory.join("src")).unwrap();
    line.fails(2, &init).await;
    assert!(!app.directory().join("App.tsx").exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_on_a_terminal_is_asked_for_the_framework_and_the_project() {
    let app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    for (answers, project) in [("1\n2\n", "acme"), ("1\n1\nSecond\n", "Second")] {
        let (line, directory) = in_directory(&app, &world.owner, project);
        let mut terminal = line.spawn_on_terminal(&["init"]);
        terminal.stdin.as_mut().unwrap().write_all(answers.as_bytes()).await.unwrap();
        let mut shown = String::new();
        terminal.stdout.take().unwrap().read_to_string(&mut shown).await.unwrap();
        assert!(terminal.wait().await.unwrap().success(), "{shown}");
        assert!(shown.contains("Framework") && shown.contains("Create a project"), "{shown}");
        assert!(shown.contains(&format!("for the project {project}.")), "{shown}");
        assert!(directory.join("steward.json").exists(), "{shown}");
    }
    let (line, _) = in_directory(&app, &world.owner, "none");
    let message = line.fails(2, &["init", "--framework", "html"]).await;
    assert!(message.contains("--project") && message.contains("--name"), "{message}");
    let stranger = CommandLine::of(&app, &app.person("stranger").await);
    let message = stranger.fails(2, &["init", "--framework", "html", "--name", "x"]).await;
    assert!(message.contains("steward team create"), "{message}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_who_is_not_signed_in_signs_in_first() {
    let app = App::start(Backend::Sqlite).await;
    let settings = app.directory().join("settings");
    let line = CommandLine::with(&app, &[("XDG_CONFIG_HOME", settings.to_str().unwrap())]);
    let arguments = ["init", "--project", "x", "--framework", "html", "--server", app.base.as_str()];
    let message = line.fails(4, &arguments).await;
    assert!(message.contains(&format!("Run `steward login --server {}`", app.base)), "{message}");
    let mut terminal = line.spawn_on_terminal(&arguments);
    let (mut output, mut shown) = (terminal.stdout.take().unwrap(), Vec::new());
    while !String::from_utf8_lossy(&shown).contains("enter the code") {
        assert!(output.read_buf(&mut shown).await.unwrap() > 0, "{}", String::from_utf8_lossy(&shown));
    }
    assert!(String::from_utf8_lossy(&shown).contains(&app.base));
}
