//! Webhooks and the audit log.

use std::time::Duration;

use serde_json::{Value, json};
use steward_tests::{App, Backend, Receiver, World, eventually};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::time::timeout;

use super::{CommandLine, Transcript, id};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn webhooks() {
    let app = App::start_with(Backend::Sqlite, &[("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true")]).await;
    let (world, receiver) = (World::make(&app, "acme").await, Receiver::start().await);
    let line = CommandLine::of(&app, &world.owner);
    let mut transcript = Transcript::default();
    let create = ["webhook", "create", "--team", "acme", "--url", &receiver.url, "--events", "team.updated"];
    let webhook = id(&transcript.json(&line, &create).await);
    let (events, ordering) = (["--events", "team.updated,team.deleted"], ["--ordering", "none"]);
    let update = [&["webhook", "update", &webhook, "--team", "acme"][..], &events, &ordering].concat();
    transcript.json(&line, &update).await;
    transcript.json(&line, &["webhook", "get", &webhook, "--team", "acme"]).await;

    line.text(&["team", "update", "acme", "--name", "Acme Inc."]).await;
    receiver.once(1).await;
    let deliveries = ["webhook", "deliveries", webhook.as_str(), "--team", "acme"];
    let first = eventually(async || line.json(&deliveries).await.get(0).cloned()).await;
    transcript.json(&line, &deliveries).await;
    let delivery = id(&first);
    transcript.json(&line, &["webhook", "delivery", &delivery, "--webhook", &webhook, "--team", "acme"]).await;
    let redeliver = ["webhook", "redeliver", &delivery, "--webhook", &webhook, "--team", "acme"];
    let again = transcript.json(&line, &redeliver).await;
    assert_eq!((&again["event"], &again["attempt"]), (&first["event"], &json!(0)));
    assert_eq!(receiver.once(2).await.len(), 2);

    let paused = transcript.json(&line, &["webhook", "update", &webhook, "--team", "acme", "--pause"]).await;
    assert_eq!(paused["status"], "paused");
    let tested = transcript.json(&line, &["webhook", "test", &webhook, "--team", "acme"]).await;
    assert_eq!((&tested["event"], &tested["attempt"]), (&json!("webhook.test"), &json!(0)));
    assert_eq!(receiver.once(3).await.len(), 3);
    let resumed = transcript.json(&line, &["webhook", "update", &webhook, "--team", "acme", "--resume"]).await;
    assert_eq!(resumed["status"], "active");

    transcript.json(&line, &["webhook", "rotate-secret", &webhook, "--team", "acme"]).await;
    transcript.json(&line, &["webhook", "list", "--team", "acme"]).await;
    transcript.json(&line, &["webhook", "delete", &webhook, "--team", "acme"]).await;
    let parent = ["--project", world.project.as_str()];
    let create = ["webhook", "create", "--url", &receiver.url, "--events", "project.updated"];
    let webhook = id(&transcript.json(&line, &[&create[..], &parent].concat()).await);
    for command in [
        &["webhook", "list"][..],
        &["webhook", "get", &webhook],
        &["webhook", "update", &webhook, "--events", "*"],
        &["webhook", "test", &webhook],
        &["webhook", "deliveries", &webhook],
        &["webhook", "rotate-secret", &webhook],
        &["webhook", "delete", &webhook],
    ] {
        line.json(&[command, &parent].concat()).await;
    }
    transcript.check("webhook");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn identity_providers() {
    let app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    let line = CommandLine::of(&app, &world.owner);
    let parent = ["--project", world.project.as_str()];
    let create = [&["provider", "create", "--kind", "github", "--client-id", "x", "--secret", "--json"][..], &parent];
    let output = line.run(&create.concat(), "hush\n").await;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let created: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&created["name"], &created["has_client_secret"]), (&json!("GitHub"), &json!(true)));
    let provider = id(&created);
    let refused = line.run(&create.concat(), " \n").await;
    assert!(String::from_utf8_lossy(&refused.stderr).contains("Pass the secret on standard input."));
    let update = ["provider", "update", &provider, "--name", "Ours", "--disable"];
    let updated = line.json(&[&update[..], &parent].concat()).await;
    assert_eq!((&updated["name"], &updated["is_enabled"]), (&json!("Ours"), &json!(false)));
    assert_eq!(line.json(&[&["provider", "get", &provider][..], &parent].concat()).await, updated);
    assert_eq!(line.json(&[&["provider", "list"][..], &parent].concat()).await, json!([updated]));
    line.json(&[&["provider", "delete", &provider][..], &parent].concat()).await;
    assert_eq!(line.json(&[&["provider", "list"][..], &parent].concat()).await, json!([]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn audit_log() {
    let app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    let line = CommandLine::of(&app, &world.owner);
    line.text(&["team", "update", "acme", "--name", "Acme Inc."]).await;
    let mut transcript = Transcript::default();
    transcript.json(&line, &["audit", "list", "--team", "acme", "--action", "team.updated"]).await;
    transcript.json(&line, &["audit", "list", "--project", &world.project, "--target", &world.key_id]).await;
    transcript.check("audit");

    let all = line.json(&["audit", "list", "--team", "acme"]).await;
    let all = all.as_array().unwrap();
    assert!(all.len() > 3);
    let from = ["audit", "list", "--team", "acme", "--to", "2020-01-01T00:00:00Z"];
    assert_eq!(line.json(&from).await, json!([]));
    assert_eq!(line.json(&["audit", "list", "--team", "acme", "--limit", "2"]).await.as_array().unwrap().len(), 2);
    let table = line.text(&["audit", "list", "--team", "acme", "--limit", "1"]).await;
    assert!(table.contains("account acme-owner <acme-owner@example.com>"), "{table}");
    let exported = lines(&line.text(&["audit", "export", "--team", "acme"]).await);
    assert_eq!(&exported, all);
    let by_key = ["audit", "export", "--team", "acme", "--target", &world.key_id, "--fields", "action"];
    assert_eq!(line.text(&by_key).await, "{\"action\":\"api_key.created\"}\n");

    let as_key = CommandLine::of(&app, &world.key);
    let of_project = ["audit", "list", "--project", world.project.as_str(), "--action", "item.created"];
    world.key.put(&world.item("by-key"), json!({"value": {"title": "By key"}})).await.created();
    let (table, bare) = (line.text(&of_project).await, as_key.text(&of_project).await);
    assert!(table.contains("key server"), "{table}");
    assert!(bare.contains("key server") && !bare.contains('<'), "A key does not see who the members are: {bare}");
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_are_printed_once_each_and_followed() {
    let app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    let line = CommandLine::of(&app, &world.owner);
    let feed = ["audit", "events", "--team", "acme"];
    let count = line.json(&["audit", "list", "--team", "acme"]).await.as_array().unwrap().len();
    let complete = async || Some(lines(&line.text(&feed).await)).filter(|events| events.len() == count);
    let events = eventually(complete).await;
    assert!(events.is_sorted_by_key(|event| event["position"].as_i64()));
    let last = events.last().unwrap()["position"].to_string();
    assert_eq!(line.text(&[&feed[..], &["--after", &last]].concat()).await, "");

    let following = [&feed[..], &["--follow", "--after", &last, "--fields", "action"]].concat();
    let mut process = line.spawn(&following);
    let mut printed = BufReader::new(process.stdout.take().unwrap()).lines();
    for name in ["One", "Two"] {
        line.text(&["team", "update", "acme", "--name", name]).await;
        let event = timeout(Duration::from_secs(60), printed.next_line()).await.unwrap().unwrap().unwrap();
        assert_eq!(event, "{\"action\":\"team.updated\"}");
    }
    process.kill().await.unwrap();
}
