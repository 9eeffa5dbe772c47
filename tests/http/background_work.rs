//! What the service does on its own: nobody's share of it costs others theirs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use steward_tests::{Actor, App, Backend, Receiver, World, eventually, on_both};
use tokio::net::TcpListener;

/// A receiver that takes messages and never answers.
struct Silent {
    url: String,
    connections: Arc<AtomicUsize>,
    task: tokio::task::JoinHandle<()>,
}

impl Silent {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://127.0.0.1:{}/hook", listener.local_addr().unwrap().port());
        let connections = Arc::new(AtomicUsize::new(0));
        let counted = connections.clone();
        let task = tokio::spawn(async move {
            let mut kept = Vec::new();
            while let Ok((stream, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::Relaxed);
                kept.push(stream);
            }
        });
        Self { url, connections, task }
    }

    fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }
}

impl Drop for Silent {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn hook(world: &World, url: &str) {
    let body = json!({"url": url, "events": ["team.updated"]});
    world.owner.post(&format!("/team/{}/webhook", world.team), body).await.created();
}

async fn rename(world: &World, name: &str) {
    world.owner.patch(&format!("/team/{}", world.team), json!({"name": name})).await.ok();
}

async fn slow_receivers_of_one_team_do_not_delay_anothers(backend: Backend) {
    let app = App::start_with(backend, &[("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true")]).await;
    let (slow, other) = (World::make(&app, "slow").await, World::make(&app, "other").await);
    let (silent, receiver) = (Silent::start().await, Receiver::start().await);
    for _ in 0..12 {
        hook(&slow, &silent.url).await;
    }
    hook(&other, &receiver.url).await;
    rename(&slow, "Slow").await;
    eventually(async || (silent.connections() >= 4).then_some(())).await;
    rename(&other, "Other").await;
    receiver.once(1).await;
    assert_eq!(silent.connections(), 4, "of one team only so many are delivered to at once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_receivers_of_one_team_do_not_delay_anothers_on_sqlite() {
    slow_receivers_of_one_team_do_not_delay_anothers(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_receivers_of_one_team_do_not_delay_anothers_on_postgres() {
    slow_receivers_of_one_team_do_not_delay_anothers(Backend::Postgres).await;
}

/// A delivery that runs when the process stops is begun anew by the next one at once, not when a lease has passed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_process_had_claimed_is_free_when_it_stops() {
    let mut app = App::start_with(Backend::Postgres, &[("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true")]).await;
    let (world, silent) = (World::make(&app, "acme").await, Silent::start().await);
    hook(&world, &silent.url).await;
    rename(&world, "One").await;
    eventually(async || (silent.connections() == 1).then_some(())).await;
    app.terminate();
    assert!(app.ended_well().await);
    // Only what was released is due now: the lease would have lasted seconds more, and been renewed just before.
    let free = "DO $$ BEGIN IF EXISTS (SELECT FROM webhooks WHERE leased_by IS NOT NULL OR wake_at > now()) \
        THEN RAISE EXCEPTION 'a lease is left'; END IF; \
        IF EXISTS (SELECT FROM work_leases) THEN RAISE EXCEPTION 'a share is left'; END IF; END $$";
    app.tamper(free);
}

async fn listed(actor: &Actor, path: &str) -> Vec<Value> {
    actor.get(path).await.ok()["data"].as_array().unwrap().clone()
}

on_both! {
    async fn what_a_newer_version_stored_stops_no_list(app: &App) {
        let world = World::make(app, "acme").await;
        let (team, project) = (format!("/team/{}", world.team), format!("/project/{}", world.project));
        let member = world.member(app, "vic", "viewer").await;
        let made = world.owner.post(&format!("{team}/webhook"), json!({"url": "https://example.com/", "events": ["team.updated"]})).await.created();
        app.tamper("UPDATE webhooks SET events = '[\"team.exploded\",\"team.updated\"]'");
        app.tamper("UPDATE members SET roles = 'vault:read,viewer' WHERE roles = 'viewer'");
        app.tamper("UPDATE api_keys SET roles = 'vault:write,' || roles");
        app.tamper("UPDATE audit_events SET action = 'vault.opened', operation = 'openVault', target_kind = 'vault' WHERE action = 'project.created'");

        let hooks = listed(&world.owner, &format!("{team}/webhook")).await;
        assert_eq!(hooks[0]["events"], json!(["team.exploded", "team.updated"]));
        let path = format!("{team}/webhook/{}", made["data"]["id"].as_str().unwrap());
        world.owner.get(&path).await.ok();
        let members = listed(&world.owner, &format!("{team}/member")).await;
        assert!(members.iter().any(|member| member["roles"] == "viewer,vault:read"), "{members:?}");
        member.get(&team).await.ok();
        member.patch(&team, json!({"name": "Mine"})).await.is_forbidden();
        let keys = listed(&world.owner, &format!("{project}/key")).await;
        assert!(keys.iter().all(|key| key["roles"].as_str().unwrap().ends_with("vault:write")), "{keys:?}");
        world.key.put(&world.item("x"), json!({"value": {"title": "x"}})).await.created();
        let log = listed(&world.owner, &format!("{team}/audit?action=vault.opened")).await;
        assert_eq!((log.len(), &log[0]["target"]["type"]), (1, &json!("vault")));
    }
}

/// The 300 webhooks of the measurement: they wait for what does not happen while others' events get their positions.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn webhooks_that_wait_for_rare_events_are_left_alone() {
    let app = App::start(Backend::Postgres).await;
    let world = World::make(&app, "acme").await;
    let body = json!({"url": "https://example.com/", "events": ["team.deleted"]});
    world.owner.post(&format!("/team/{}/webhook", world.team), body).await.created();
    for number in 0..20 {
        world.key.put(&world.item(&format!("i{number}")), json!({"value": {"title": "x"}})).await.created();
    }
    // Time enough for several looks at what is due.
    tokio::time::sleep(Duration::from_secs(2)).await;
    let quiet = "DO $$ BEGIN IF EXISTS (SELECT FROM webhooks WHERE wake_at IS NOT NULL OR position > begins_after) \
        THEN RAISE EXCEPTION 'a quiet webhook was touched'; END IF; \
        IF (SELECT position FROM audit_progress) < (SELECT max(position) FROM item_changes) \
        THEN RAISE EXCEPTION 'an event is not sealed'; END IF; END $$";
    app.tamper(quiet);
}
