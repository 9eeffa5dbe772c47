//! Schema as code: the file, its comparison with the published schema, and publications.

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
