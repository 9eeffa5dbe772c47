//! `steward listen`: the events of a project at a program on the developer's machine.

use std::time::Duration;

use serde_json::{Value, json};
use standardwebhooks::Webhook;
use steward_tests::{App, Backend, Received, Receiver, World, on_sqlite};
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStderr, ChildStdout};
use tokio::time::timeout;

use super::CommandLine;

const SECRET: &str = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";

/// A running `steward listen --json`.
struct Listening {
    process: Child,
    printed: Lines<BufReader<ChildStdout>>,
    notes: Lines<BufReader<ChildStderr>>,
}

impl Listening {
    /// Starts the command, and waits until it says that it sends new events.
    async fn start(line: &CommandLine, arguments: &[&str]) -> (Self, Vec<String>) {
        let mut process = line.spawn(&[&["listen", "--json"][..], arguments].concat());
        let printed = BufReader::new(process.stdout.take().unwrap()).lines();
        let notes = BufReader::new(process.stderr.take().unwrap()).lines();
        let mut listening = Self { process, printed, notes };
        let mut notes = Vec::new();
        while !notes.last().is_some_and(|note: &String| note.starts_with("Sending new events")) {
            notes.push(listening.note().await);
        }
        (listening, notes)
    }

    async fn note(&mut self) -> String {
        timeout(Duration::from_secs(60), self.notes.next_line()).await.unwrap().unwrap().expect("The command ended.")
    }

    async fn outcome(&mut self) -> Value {
        let line = timeout(Duration::from_secs(60), self.printed.next_line()).await.unwrap().unwrap();
        serde_json::from_str(&line.expect("The command ended.")).unwrap()
    }

    /// Presses Ctrl-C. Returns what the command says last.
    async fn stop(mut self) -> String {
        let id = self.process.id().unwrap().to_string();
        assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        let mut last = String::new();
        while let Some(note) = timeout(Duration::from_secs(60), self.notes.next_line()).await.unwrap().unwrap() {
            last = note;
        }
        assert!(self.process.wait().await.unwrap().success(), "{last}");
        last
    }
}

fn verifies(message: &Received, secret: &str) -> bool {
    let mut headers = http::HeaderMap::new();
    for name in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
        headers.insert(name, message.headers[name].parse().unwrap());
    }
    Webhook::new(secret).unwrap().verify(message.body.as_bytes(), &headers).is_ok()
}

async fn rename(world: &World, name: &str) {
    world.owner.patch(&format!("/project/{}", world.project), json!({"name": name})).await.ok();
}

fn names(messages: &[Received]) -> Vec<String> {
    let name = |message: &Received| message.event()["data"]["after"]["name"].as_str().unwrap().to_owned();
    messages.iter().map(name).collect()
}

async fn messages_are_those_of_a_webhook(app: &App) {
    let world = World::make(app, "acme").await;
    let (webhook, local) = (Receiver::start().await, Receiver::start().await);
    let create = json!({"url": webhook.url, "events": ["project.updated"]});
    world.owner.post(&format!("/project/{}/webhook", world.project), create).await.created();
    let line = CommandLine::of(app, &world.owner);
    // Without a scheme, a URL is one of http.
    let url = local.url.strip_prefix("http://").unwrap();
    let arguments = ["--project", &world.project, "--forward-to", url, "--events", "project.updated"];
    let (mut listening, notes) = Listening::start(&line, &arguments).await;
    let secret = notes[0].strip_prefix("The signing secret is ").unwrap();

    local.respond_next(&[500, 204]);
    rename(&world, "One").await;
    rename(&world, "Two").await;
    let (by_webhook, sent) = (webhook.once(2).await, local.once(2).await);
    for (number, (expected, message)) in by_webhook.iter().zip(&sent).enumerate() {
        assert_eq!(message.body, expected.body);
        assert_eq!(message.headers["content-type"], expected.headers["content-type"]);
        assert!(verifies(message, secret) && !verifies(message, SECRET), "{message:?}");
        let outcome = listening.outcome().await;
        assert_eq!(outcome["status"], [500, 204][number], "{outcome}");
        assert_eq!(outcome["position"], message.event()["data"]["position"]);
        assert_eq!((&outcome["event"], &outcome["error"]), (&json!("project.updated"), &Value::Null));
    }
    assert_ne!(sent[0].headers["webhook-id"], sent[1].headers["webhook-id"]);
    let position = sent[1].event()["data"]["position"].as_i64().unwrap();
    let last = listening.stop().await;
    let after: i64 = last.strip_suffix('.').unwrap().rsplit(' ').next().unwrap().parse().unwrap();
    assert!(last.contains("--after") && after >= position, "{last}");

    // The same event again has the same ID, and the secret is the given one.
    let line = CommandLine::with(
        app,
        &[
            ("STEWARD_SERVER", app.base.as_str()),
            ("STEWARD_TOKEN", world.owner.credential.as_deref().unwrap()),
            ("STEWARD_WEBHOOK_SECRET", SECRET),
        ],
    );
    let before = (position - 1).to_string();
    let (listening, notes) = Listening::start(&line, &[&arguments[..], &["--after", &before]].concat()).await;
    assert_eq!(notes.len(), 1, "A secret that is given is not printed: {notes:?}");
    let again = &local.once(3).await[2];
    assert_eq!((&again.headers["webhook-id"], &again.body), (&sent[1].headers["webhook-id"], &sent[1].body));
    assert!(verifies(again, SECRET));
    listening.stop().await;
}

/// The service is killed, and the program is not there: each event arrives once, in order.
async fn no_event_is_lost_or_repeated(app: &mut App) {
    let world = World::make(app, "second").await;
    let line = CommandLine::of(app, &world.owner);
    let reserved = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = reserved.local_addr().unwrap();
    drop(reserved);
    let url = format!("http://{address}/hook");
    let arguments = ["--team", &world.team, "--forward-to", &url, "--events", "project.updated"];
    let (mut listening, _) = Listening::start(&line, &arguments).await;
    rename(&world, "One").await;
    let outcome = listening.outcome().await;
    assert_eq!((&outcome["status"], &outcome["error"]), (&Value::Null, &json!("cannot connect")));
    assert!(listening.note().await.starts_with("The event waits."));
    rename(&world, "Two").await;
    let local = Receiver::at(address).await;
    assert_eq!(names(&local.once(2).await), ["One", "Two"]);

    app.kill();
    while !listening.note().await.starts_with("Cannot reach") {}
    app.kill_and_restart().await;
    for name in ["Three", "Four"] {
        rename(&world, name).await;
    }
    let received = local.once(4).await;
    assert_eq!(names(&received), ["One", "Two", "Three", "Four"]);
    while !listening.note().await.contains("available again") {}
    listening.stop().await;
    assert_eq!(local.received().len(), 4);
}

async fn a_program_receives_events_as_from_a_webhook(backend: Backend) {
    let mut app = App::start_with(backend, &[("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true")]).await;
    messages_are_those_of_a_webhook(&app).await;
    no_event_is_lost_or_repeated(&mut app).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_receives_events_as_from_a_webhook_sqlite() {
    a_program_receives_events_as_from_a_webhook(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_receives_events_as_from_a_webhook_postgres() {
    a_program_receives_events_as_from_a_webhook(Backend::Postgres).await;
}

on_sqlite! {
    async fn events_that_cannot_be_sent_are_an_error_at_once(app: &App) {
        let world = World::make(app, "acme").await;
        let line = CommandLine::of(app, &world.owner);
        let listen = ["listen", "--project", world.project.as_str(), "--forward-to"];
        for (arguments, expected) in [
            (&["ftp://localhost"][..], "http://localhost:3000/webhooks"),
            (&["localhost:1", "--events", "project.exploded"], "project.updated"),
            (&["localhost:1", "--after=-1"], "--after"),
        ] {
            let message = line.fails(2, &[&listen[..], arguments].concat()).await;
            assert!(message.contains(expected), "{arguments:?}: {message}");
        }
        let stranger = CommandLine::of(app, &app.person("stranger").await);
        stranger.fails(1, &[&listen[..], &["localhost:1"]].concat()).await;
        let with_secret = CommandLine::with(app, &[
            ("STEWARD_SERVER", app.base.as_str()), ("STEWARD_TOKEN", "x"), ("STEWARD_WEBHOOK_SECRET", "hush"),
        ]);
        let message = with_secret.fails(2, &[&listen[..], &["localhost:1"]].concat()).await;
        assert!(message.contains("STEWARD_WEBHOOK_SECRET") && !message.contains("hush"), "{message}");
    }
}
