//! Background work: the work of one team does not delay the work of other teams.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use steward_store::scratch::execute_sql;
use steward_tests::{Actor, App, Backend, Receiver, World, eventually, on_both};
use tokio::net::TcpListener;

/// A receiver that accepts connections and never responds.
struct UnresponsiveReceiver {
    url: String,
    accepted_at: Arc<Mutex<Vec<Instant>>>,
    task: tokio::task::JoinHandle<()>,
}

impl UnresponsiveReceiver {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://127.0.0.1:{}/hook", listener.local_addr().unwrap().port());
        let accepted_at = Arc::new(Mutex::new(Vec::new()));
        let times = accepted_at.clone();
        let task = tokio::spawn(async move {
            let mut open = Vec::new();
            while let Ok((stream, _)) = listener.accept().await {
                times.lock().unwrap().push(Instant::now());
                open.push(stream);
            }
        });
        Self { url, accepted_at, task }
    }

    /// Number of connections accepted so far.
    fn connections(&self) -> usize {
        self.accepted_at.lock().unwrap().len()
    }

    /// Whether at most `count` deliveries ran concurrently. A delivery ends after 15 seconds without a response, so
    /// more than `count` connections within a much shorter period belong to concurrent deliveries.
    fn had_at_most(&self, count: usize) -> bool {
        let accepted_at = self.accepted_at.lock().unwrap();
        accepted_at.windows(count + 1).all(|times| times[count] - times[0] > Duration::from_secs(5))
    }
}

impl Drop for UnresponsiveReceiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn create_webhook(world: &World, url: &str) {
    let body = json!({"url": url, "events": ["team.updated"]});
    world.owner.post(&format!("/team/{}/webhook", world.team), body).await.created();
}

async fn rename(world: &World, name: &str) {
    world.owner.patch(&format!("/team/{}", world.team), json!({"name": name})).await.ok();
}

async fn slow_receivers_of_one_team_do_not_delay_other_teams(backend: Backend) {
    let app = App::start_with(backend, &[("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true")]).await;
    let (slow, other) = (World::make(&app, "slow").await, World::make(&app, "other").await);
    let (unresponsive, receiver) = (UnresponsiveReceiver::start().await, Receiver::start().await);
    for _ in 0..12 {
        create_webhook(&slow, &unresponsive.url).await;
    }
    create_webhook(&other, &receiver.url).await;
    rename(&slow, "Slow").await;
    eventually(async || (unresponsive.connections() >= 4).then_some(())).await;
    rename(&other, "Other").await;
    receiver.once(1).await;
    assert!(unresponsive.had_at_most(4), "At most 4 concurrent deliveries per team.");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_receivers_of_one_team_do_not_delay_other_teams_on_sqlite() {
    slow_receivers_of_one_team_do_not_delay_other_teams(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_receivers_of_one_team_do_not_delay_other_teams_on_postgres() {
    slow_receivers_of_one_team_do_not_delay_other_teams(Backend::Postgres).await;
}

/// After a shutdown, the next process can restart an interrupted delivery immediately, without waiting for its lease to
/// expire.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stopped_process_releases_its_leases() {
    let mut app = App::start_with(Backend::Postgres, &[("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true")]).await;
    let (world, unresponsive) = (World::make(&app, "acme").await, UnresponsiveReceiver::start().await);
    create_webhook(&world, &unresponsive.url).await;
    rename(&world, "One").await;
    eventually(async || (unresponsive.connections() >= 1).then_some(())).await;
    app.terminate();
    assert!(app.exited_successfully().await);
    // Only released work is due now: a lease that was not released would still be valid for several seconds.
    let all_released = "DO $$ BEGIN IF EXISTS (SELECT FROM webhooks WHERE leased_by IS NOT NULL OR wake_at > now()) \
        THEN RAISE EXCEPTION 'A lease was not released.'; END IF; \
        IF EXISTS (SELECT FROM work_leases) THEN RAISE EXCEPTION 'A work lease was not released.'; END IF; END $$";
    app.execute_sql(all_released);
}

async fn listed(actor: &Actor, path: &str) -> Vec<Value> {
    actor.get(path).await.ok()["data"].as_array().unwrap().clone()
}

on_both! {
    async fn values_of_a_newer_version_do_not_break_lists(app: &App) {
        let world = World::make(app, "acme").await;
        let (team, project) = (format!("/team/{}", world.team), format!("/project/{}", world.project));
        let member = world.member(app, "vic", "viewer").await;
        let created = world.owner.post(&format!("{team}/webhook"), json!({"url": "https://example.com/", "events": ["team.updated"]})).await.created();
        app.execute_sql("UPDATE webhooks SET events = '[\"team.exploded\",\"team.updated\"]'");
        app.execute_sql("UPDATE members SET roles = 'vault:read,viewer' WHERE roles = 'viewer'");
        app.execute_sql("UPDATE api_keys SET roles = 'vault:write,' || roles");
        app.execute_sql("UPDATE audit_events SET action = 'vault.opened', operation = 'openVault', target_kind = 'vault' WHERE action = 'project.created'");

        let hooks = listed(&world.owner, &format!("{team}/webhook")).await;
        assert_eq!(hooks[0]["events"], json!(["team.exploded", "team.updated"]));
        let path = format!("{team}/webhook/{}", created["data"]["id"].as_str().unwrap());
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

/// A webhook for rare events causes no work while other events are sequenced. The load measurement uses 300 such
/// webhooks.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn webhooks_for_rare_events_cause_no_work() {
    let app = App::start(Backend::Postgres).await;
    let world = World::make(&app, "acme").await;
    let body = json!({"url": "https://example.com/", "events": ["team.deleted"]});
    world.owner.post(&format!("/team/{}/webhook", world.team), body).await.created();
    for number in 0..20 {
        world.key.put(&world.item(&format!("i{number}")), json!({"value": {"title": "x"}})).await.created();
    }
    // Transactions in other databases of the server delay this.
    let sealed = "DO $$ BEGIN IF (SELECT position FROM audit_progress) < (SELECT max(position) FROM item_changes) \
        THEN RAISE EXCEPTION 'An event was not sealed.'; END IF; END $$";
    eventually(async || execute_sql(&app.database().url(), sealed).ok()).await;
    // Long enough for several polls for due webhooks.
    tokio::time::sleep(Duration::from_secs(2)).await;
    let untouched = "DO $$ BEGIN IF EXISTS (SELECT FROM webhooks WHERE wake_at IS NOT NULL OR position > begins_after) \
        THEN RAISE EXCEPTION 'An idle webhook was updated.'; END IF; END $$";
    app.execute_sql(untouched);
}
