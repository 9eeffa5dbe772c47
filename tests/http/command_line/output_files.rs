//! The files that commands write: an existing one is replaced only if the person agrees.

use steward_tests::{App, Backend, World};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::CommandLine;

const SCHEMA: &str = r#"{"tables": {"notes": {"fields": {"title": {"type": "string"}}}}}"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_command_replaces_a_file_without_asking() {
    let app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    let line = CommandLine::of(&app, &world.key);
    let path = |name: &str| app.directory().join(name);
    std::fs::write(path("schema.in"), SCHEMA).unwrap();
    std::fs::write(path("in.ndjson"), "{\"title\": \"One\"}\n").unwrap();
    std::fs::create_dir(path("pages")).unwrap();
    let table = ["--project", &world.project, "--user", &world.user, "--table", "notes"];
    let commands = [
        ("types.ts", ["schema", "types", "--file", "schema.in", "--lang", "ts", "--output", "types.ts"].to_vec()),
        ("out.csv", [&["item", "export", "out.csv"][..], &table].concat()),
        ("bad.csv", [&["item", "import", "in.ndjson", "--report", "bad.csv"][..], &table].concat()),
        ("pages/steward.1", vec!["man", "pages"]),
    ];
    for (file, command) in &commands {
        std::fs::write(path(file), "precious").unwrap();
        let message = line.fails(2, command).await;
        assert!(message.contains("Replace") && message.contains("--yes"), "{command:?}: {message}");
        assert_eq!(std::fs::read(path(file)).unwrap(), b"precious", "{command:?}");
        line.text(&[command.as_slice(), &["--yes"]].concat()).await;
        assert_ne!(std::fs::read(path(file)).unwrap(), b"precious", "{command:?}");
    }
    let backup = path("backup.tar").display().to_string();
    std::fs::write(&backup, "precious").unwrap();
    let refused = app.run(&["backup", &backup], "").await;
    assert_eq!((refused.status.code(), std::fs::read(&backup).unwrap().as_slice()), (Some(2), b"precious".as_slice()));
    assert!(app.run(&["backup", &backup, "--yes"], "").await.status.success());
    assert!(std::fs::metadata(&backup).unwrap().len() > 1024);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_on_a_terminal_is_asked_before_a_file_is_replaced() {
    let app = App::start(Backend::Sqlite).await;
    let line = CommandLine::with(&app, &[]);
    let (schema, types) = (app.directory().join("schema.in"), app.directory().join("types.ts"));
    std::fs::write(schema, SCHEMA).unwrap();
    for (answer, is_replaced) in [("n\n", false), ("y\n", true)] {
        std::fs::write(&types, "precious").unwrap();
        let command = ["schema", "types", "--file", "schema.in", "--lang", "ts", "--output", "types.ts"];
        let mut terminal = line.spawn_on_terminal(&command);
        terminal.stdin.as_mut().unwrap().write_all(answer.as_bytes()).await.unwrap();
        let mut shown = String::new();
        terminal.stdout.take().unwrap().read_to_string(&mut shown).await.unwrap();
        terminal.wait().await.unwrap();
        assert!(shown.contains("types.ts exists. Replace it? [y/N]"), "{shown}");
        assert_eq!(std::fs::read(&types).unwrap() != b"precious", is_replaced, "{shown}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_repository_names_neither_blocks_nor_leads_elsewhere() {
    let app = App::start(Backend::Sqlite).await;
    let line = CommandLine::with(&app, &[]);
    let path = |name: &str| app.directory().join(name);
    let types = ["schema", "types", "--lang", "ts"];
    std::fs::write(path("steward.json"), r#"{"project": "acme", "schema": "pipe"}"#).unwrap();
    let pipe = std::process::Command::new("mkfifo").arg(path("pipe")).status();
    assert!(pipe.unwrap().success());
    let message = line.fails(1, &types).await;
    assert!(message.contains("not a regular file"), "{message}");
    std::fs::rename(path("steward.json"), path("other.json")).unwrap();
    std::os::unix::fs::symlink("other.json", path("steward.json")).unwrap();
    let message = line.fails(2, &types).await;
    assert!(message.contains("symbolic link"), "{message}");
}
