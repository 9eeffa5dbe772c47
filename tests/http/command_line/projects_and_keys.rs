//! Projects with their settings and images, and API keys.

use serde_json::json;
use steward_tests::{App, Backend, World};

use super::{CommandLine, Transcript, id};

const ICON: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/images/small.png");

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn projects() {
    let app = App::start(Backend::Sqlite).await;
    let line = CommandLine::of(&app, &app.person("ann").await);
    line.text(&["team", "create", "--name", "Acme", "--slug", "acme"]).await;
    let mut transcript = Transcript::default();
    transcript.json(&line, &["project", "check-slug", "rocket"]).await;
    transcript.json(&line, &["project", "create", "--team", "acme", "--name", "Rocket"]).await;
    transcript.json(&line, &["project", "update", "rocket", "--website", "https://rocket.example.com"]).await;
    transcript.json(&line, &["project", "list"]).await;
    transcript.json(&line, &["project", "get", "rocket"]).await;
    transcript.json(&line, &["project", "public", "rocket"]).await;
    let parent = ["--project", "rocket"];
    for command in [
        &["project", "settings", "set", "auth.require_pkce=false"][..],
        &["project", "settings", "get"],
        &["project", "settings", "reset", "auth"],
    ] {
        transcript.json(&line, &[command, &parent].concat()).await;
    }
    line.json(&[&["project", "image", "upload", "icon", ICON][..], &parent].concat()).await;
    transcript.json(&line, &["project", "tables", "rocket"]).await;
    transcript.json(&line, &[&["project", "image", "list"][..], &parent].concat()).await;
    transcript.json(&line, &[&["project", "image", "delete", "icon"][..], &parent].concat()).await;
    transcript.json(&line, &["project", "delete", "rocket"]).await;
    transcript.check("project");
    line.fails(1, &["project", "get", "rocket"]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys() {
    let app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    let line = CommandLine::of(&app, &world.owner);
    let parent = ["--project", world.project.as_str()];
    let mut transcript = Transcript::default();
    let create = ["key", "create", "--label", "worker", "--roles", "read"];
    let created = transcript.json(&line, &[&create[..], &parent].concat()).await;
    let key = id(&created);
    for command in [&["key", "update", &key, "--label", "reader"][..], &["key", "get", &key], &["key", "list"]] {
        transcript.json(&line, &[command, &parent].concat()).await;
    }
    let verify = ["key", "verify", "--project", world.project.as_str(), "--json"];
    let verified = line.run(&verify, created["value"].as_str().unwrap()).await;
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stderr));
    let rotated = transcript.json(&line, &[&["key", "rotate", &key][..], &parent].concat()).await;
    assert_ne!(rotated["value"], created["value"]);
    let program = CommandLine::with_token(&app, rotated["value"].as_str().unwrap());
    transcript.json(&program, &["whoami"]).await;
    transcript.json(&line, &[&["key", "revoke-previous", &key][..], &parent].concat()).await;
    transcript.json(&line, &[&["key", "delete", &key][..], &parent].concat()).await;
    transcript.check("key");
    program.fails(4, &["whoami"]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn users_and_items() {
    let app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    let line = CommandLine::of(&app, &world.owner);
    let parent = ["--project", world.project.as_str()];
    let mut users = Transcript::default();
    for command in [
        &["user", "list"][..],
        &["user", "get", &world.user],
        &["user", "update", &world.user, "--meta", "{\"plan\": \"pro\"}"],
        &["user", "block", &world.user],
        &["user", "unblock", &world.user],
        &["user", "sessions", &world.user],
        &["user", "sign-out", &world.user],
        &["user", "export", &world.user],
    ] {
        users.json(&line, &[command, &parent].concat()).await;
    }
    let stats = line.json(&[&["user", "stats"][..], &parent].concat()).await;
    assert!(stats.is_object(), "{stats}");
    let joined = CommandLine::of(&app, &app.person("bob").await);
    let joining = joined.json(&["user", "join", "--project", &world.project]).await;
    assert!(joining.is_object(), "{joining}");

    let table = ["--user", &world.user, "--table", "notes", "--project", &world.project];
    let mut items = Transcript::default();
    for command in [
        &["item", "create", "--id", "second", "-f", "title=Second", "-F", "rank=2"][..],
        &["item", "put", "second", "-f", "title=Replaced"],
        &["item", "patch", "second", "-F", "done=true"],
        &["item", "get", "second"],
        &["item", "list", "--order", "id.asc"],
        &["item", "delete", "second"],
    ] {
        items.json(&line, &[command, &table].concat()).await;
    }
    items.json(&line, &[&["item", "list-project", "--table", "notes"][..], &parent].concat()).await;
    items.json(&line, &[&["item", "rejections"][..], &parent].concat()).await;
    let batch = app.directory().join("batch.json");
    let operations = json!([{"op": "put", "id": "third", "value": {"title": "Third"}}]);
    std::fs::write(&batch, operations.to_string()).unwrap();
    items.json(&line, &[&["item", "batch", "batch.json"][..], &table].concat()).await;
    items.check("item");
    users.json(&line, &[&["user", "delete", &world.user][..], &parent].concat()).await;
    users.check("user");
}
