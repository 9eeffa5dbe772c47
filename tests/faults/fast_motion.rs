//! A day hour by hour, and then weeks day by day, on a clock that the test moves: keys are rotated and no
//! valid token is refused, what expires is refused and swept, the log is sealed and can be verified, and partitions are
//! created in advance and dropped.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Datelike as _, Days, TimeDelta, Utc};
use reqwest::Method;
use serde_json::{Value, json};
use steward_tests::{Actor, App, Backend, Browser, PASSWORD, Receiver, World, eventually};

use crate::moved_clock::MovedClock;

/// Settings with the shortest periods.
const SETTINGS: &[(&str, &str)] = &[
    ("STEWARD_SIGNING_KEY_DAYS", "1"),
    ("STEWARD_AUDIT_RETENTION_DAYS", "30"),
    ("STEWARD_ITEM_CHANGE_RETENTION_DAYS", "1"),
    ("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true"),
];
/// Tables, each with a condition of the rows that must have been deleted, for a time in the past.
const SWEPT: &[(&str, &str)] = &[
    ("authorization_requests", "expires_at <"),
    ("sessions", "expires_at <"),
    ("email_links", "expires_at <"),
    ("idempotency_claims", "expires_at <"),
    ("personal_tokens", "expires_at <"),
];
/// How long expired rows may remain.
const SWEEP_TIME: TimeDelta = TimeDelta::minutes(30);
/// For how many days a sign-in lasts.
const SESSION_DAYS: u64 = 30;

/// Days after the first one. `make operations` passes more.
fn days() -> u64 {
    if std::env::var_os("OPERATIONS_LONG").is_some() { 100 } else { 9 }
}

/// What a program that verifies tokens itself knows: the keys that it read up to an hour ago.
#[derive(Default)]
struct Verifier {
    cached: BTreeSet<String>,
    generations: BTreeSet<String>,
}

impl Verifier {
    /// Reads the published keys, as once an hour.
    async fn read(&mut self, caller: &Actor) {
        let published = caller.get("/auth/.well-known/jwks.json").await.ok();
        let kids = published["keys"].as_array().unwrap().iter().map(|key| key["kid"].as_str().unwrap().to_owned());
        self.cached = kids.collect();
        self.generations.extend(self.cached.iter().cloned());
    }

    /// Panics if the key of a token is not among those that were read an hour ago.
    fn check(&self, token: &str) {
        let header = URL_SAFE_NO_PAD.decode(token.split('.').next().unwrap()).unwrap();
        let header: Value = serde_json::from_slice(&header).unwrap();
        let kid = header["kid"].as_str().unwrap();
        assert!(self.cached.contains(kid), "{kid} was not published an hour ago: {:?}", self.cached);
    }
}

/// A service with its fixture, and what the test knows of it.
struct Trial {
    on: MovedClock,
    world: World,
    receiver: Receiver,
    verifier: Verifier,
    refresh_token: String,
    access_token: String,
    began: DateTime<Utc>,
    item: usize,
}

impl Trial {
    async fn start(backend: Backend) -> Self {
        let on = MovedClock::start(backend, SETTINGS).await;
        let (world, receiver) = (World::make(&on.app, "acme").await, Receiver::start().await);
        let login = json!({"username": "acme-owner", "password": PASSWORD});
        let session = on.app.anonymous().post("/auth/login", login).await.ok();
        let text = |name: &str| session[name].as_str().unwrap().to_owned();
        let (refresh_token, access_token) = (text("refresh_token"), text("access_token"));
        let mut verifier = Verifier::default();
        verifier.read(&on.app.anonymous()).await;
        let began = on.now();
        Self { on, world, receiver, verifier, refresh_token, access_token, began, item: 0 }
    }

    fn app(&self) -> &App {
        &self.on.app
    }

    /// The person who owns the project, with the newest access token.
    fn owner(&self) -> Actor {
        self.app().bearer(&self.access_token)
    }

    fn project(&self) -> String {
        format!("/project/{}", self.world.project)
    }

    /// Moves the clock, refreshes the person's tokens, writes an item, and checks what must hold at any time.
    async fn pass(&mut self, duration: TimeDelta) {
        self.on.pass(duration).await;
        let app = &self.on.app;
        app.bearer(&self.access_token).get("/team/").await.refused(401, "unauthorized");
        let request = json!({"grant_type": "refresh_token", "refresh_token": self.refresh_token});
        let tokens = app.anonymous().post("/auth/token", request).await.ok();
        self.access_token = tokens["access_token"].as_str().unwrap().to_owned();
        self.refresh_token = tokens["refresh_token"].as_str().unwrap().to_owned();
        if duration <= TimeDelta::hours(1) {
            self.verifier.check(&self.access_token);
            self.verifier.check(tokens["id_token"].as_str().unwrap());
        }
        self.verifier.read(&app.anonymous()).await;
        self.owner().get("/team/").await.ok();

        self.item += 1;
        let item = json!({"value": {"title": format!("{}", self.item)}});
        self.world.key.put(&self.world.item(&format!("i{}", self.item)), item).await.created();
        eventually(async || (self.on.metric("steward_audit_unsealed_events").await? == 0.0).then_some(())).await;
        self.check_swept().await;
        self.on.check_log();
    }

    async fn check_swept(&self) {
        let before = (self.on.now() - SWEEP_TIME).format("%Y-%m-%dT%H:%M:%S%.6fZ");
        for (table, condition) in SWEPT {
            let none = format!("NOT EXISTS (SELECT 1 FROM {table} WHERE {condition} '{before}')");
            self.on.until(&none).await;
        }
    }

    /// Panics unless the hash chains are valid.
    async fn verify(&self) {
        let output = self.app().run(&["audit", "verify"], "").await;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }

    /// Panics unless the partitions of this week and the next two exist, no event is in a default partition, and those
    /// that retention drops are gone.
    async fn check_partitions(&self) {
        if self.on.cluster.is_none() {
            return;
        }
        let today = self.on.now().date_naive();
        let monday = today - Days::new(today.weekday().num_days_from_monday().into());
        for (table, retention) in [("audit_events", 30), ("item_changes", 1)] {
            for week in 0..3 {
                let name = format!("{table}_{}", (monday + Days::new(7 * week)).format("%Y%m%d"));
                self.on.until(&format!("to_regclass('{name}') IS NOT NULL")).await;
            }
            self.on.until(&format!("NOT EXISTS (SELECT FROM {table}_default)")).await;
            // The week that ended before the cutoff, with a day for the job.
            let oldest = today - Days::new(retention + 7 + 1);
            let dropped = format!(
                "NOT EXISTS (SELECT FROM pg_inherits WHERE inhparent = '{table}'::regclass AND inhrelid::regclass::text \
                 < '{table}_{}')",
                oldest.format("%Y%m%d")
            );
            self.on.until(&dropped).await;
        }
    }

    /// Panics unless events that are older than their retention are gone, and newer ones exist.
    async fn check_retention(&self) {
        // PostgreSQL drops whole weeks.
        let week = if self.on.cluster.is_some() { 7 } else { 0 };
        for (table, days) in [("audit_events", 30), ("item_changes", 1)] {
            let before = (self.on.now() - TimeDelta::days(days + week + 1)).format("%Y-%m-%dT%H:%M:%S%.6fZ");
            let gone = format!("NOT EXISTS (SELECT 1 FROM {table} WHERE at < '{before}')");
            self.on.until(&gone).await;
        }
        self.on.until("EXISTS (SELECT 1 FROM item_changes)").await;
    }

    fn elapsed(&self) -> TimeDelta {
        self.on.now() - self.began
    }
}

/// What is issued at the start of the day, each with its own period.
struct Issued {
    /// An access token for a day, from a key that is replaced in the meantime.
    day_token: Actor,
    /// The value of an API key that is replaced with two hours of grace.
    old_key: Actor,
    new_key: Actor,
    /// A personal access token for five hours.
    personal: Actor,
    invitee: Actor,
    /// An invite for three hours.
    invite: String,
    browser: Browser,
}

impl Issued {
    async fn to(trial: &Trial) -> Self {
        let (app, world, project) = (trial.app(), &trial.world, trial.project());
        let printed = app.run(&["token", "issue", "--email", "acme-owner@example.com", "--ttl", "86400"], "").await;
        let day_token = app.bearer(String::from_utf8(printed.stdout).unwrap().trim());

        let key = trial.owner().post(&format!("{project}/key"), json!({"label": "old", "roles": "admin"})).await.ok();
        let old_key = app.bearer(key["key"]["value"].as_str().unwrap());
        let path = format!("{project}/key/{}/regenerate", key["key"]["id"].as_str().unwrap());
        let new = trial.owner().post(&path, json!({"grace_seconds": 7200})).await.ok();
        let new_key = app.bearer(new["key"]["value"].as_str().unwrap());

        let hook = json!({"url": trial.receiver.url, "events": ["item.created"]});
        let hook = trial.owner().post(&format!("{project}/webhook"), hook).await.created().id();
        trial.owner().post(&format!("{project}/webhook/{hook}/rotate-secret"), json!({})).await.ok();

        let expires_at = |hours| (trial.on.now() + TimeDelta::hours(hours)).format("%Y-%m-%dT%H:%M:%SZ").to_string();
        let token = json!({"label": "short", "roles": "viewer", "expires_at": expires_at(5)});
        let token = trial.owner().post("/auth/pat", token).await.created();
        let personal = app.bearer(token["data"]["value"].as_str().unwrap());

        let invitee = app.person("guest").await;
        let invite = json!({"username": "guest", "roles": "viewer", "expires_at": expires_at(3)});
        let invite = trial.owner().post(&format!("/team/{}/invite", world.team), invite).await.created().id();
        let browser = Browser::signed_in(app, "acme-visitor").await;
        Self { day_token, old_key, new_key, personal, invitee, invite, browser }
    }

    /// Checks after this many hours what must be valid and what must not.
    async fn check(&self, trial: &Trial, hour: i64) {
        let project = trial.project();
        if hour < 24 {
            self.day_token.get("/team/").await.ok();
        } else {
            self.day_token.get("/team/").await.refused(401, "unauthorized");
        }
        self.new_key.get(&project).await.ok();
        if hour < 2 {
            self.old_key.get(&project).await.ok();
        } else {
            self.old_key.get(&project).await.refused(401, "unauthorized");
        }
        if hour < 5 {
            self.personal.get("/team/").await.ok();
        } else {
            self.personal.get("/team/").await.refused(401, "unauthorized");
        }
        if hour == 3 {
            let accepted = self.invitee.post("/team/accept-invite", json!({"invite_id": self.invite})).await;
            assert!(accepted.status.is_client_error(), "{accepted}");
        }
        // The secret before the rotation signs messages for a day, too.
        let received = trial.receiver.once(usize::try_from(hour).unwrap()).await;
        let signatures = received.last().unwrap().headers["webhook-signature"].split(' ').count();
        assert_eq!(signatures, if hour < 24 { 2 } else { 1 }, "after {hour} hours");
    }
}

/// Creates a team with the same key as before. Returns whether the response is that of before.
async fn repeats(caller: &Actor) -> bool {
    let (team, key) = (json!({"name": "Globex", "slug": "globex"}), [("Idempotency-Key", "create-globex")]);
    let response = caller.send(Method::POST, "/team/", Some(team), &key).await;
    assert!([201, 409].contains(&response.status.as_u16()), "{response}");
    response.header("Idempotency-Replayed") == "true"
}

async fn a_day_and_weeks_pass(backend: Backend) {
    let real = std::time::Instant::now();
    let mut trial = Trial::start(backend).await;
    let issued = Issued::to(&trial).await;
    // An access token has ended by then, but the account remains the owner of the key.
    assert!(!repeats(&trial.owner()).await);
    for hour in 1..=25 {
        trial.pass(TimeDelta::hours(1)).await;
        issued.check(&trial, hour).await;
        trial.check_partitions().await;
        if [12, 23].contains(&hour) {
            assert!(repeats(&trial.owner()).await, "after {hour} hours");
        }
        if hour % 6 == 0 {
            trial.verify().await;
        }
    }
    assert!(!repeats(&trial.owner()).await);
    // A new key of each kind is published after a day, and used an hour later.
    let keys = trial.verifier.generations.len();
    assert!(keys >= 4, "{keys} keys were published.");

    for day in 1..=days() {
        trial.pass(TimeDelta::days(1)).await;
        trial.check_partitions().await;
        trial.check_retention().await;
        let page = issued.browser.open("/console/account/sessions").await;
        assert_eq!(page.is_at("/console/account/sessions"), day + 1 < SESSION_DAYS, "after {day} days: {page}");
        if day % 7 == 0 {
            trial.verify().await;
        }
    }
    trial.verify().await;
    let doctor = trial.app().run(&["doctor"], "").await;
    assert!(doctor.status.success(), "{}", String::from_utf8_lossy(&doctor.stdout));
    let by_id: BTreeMap<String, String> = trial
        .receiver
        .received()
        .into_iter()
        .map(|message| (message.headers["webhook-id"].clone(), message.body))
        .collect();
    assert_eq!(by_id.len(), trial.item, "Every item has a webhook message of its own.");
    println!(
        "{backend:?}: {} days in {:.1?}: {} signing keys, {} items, {} webhook messages, no warning in the log",
        trial.elapsed().num_days(),
        real.elapsed(),
        trial.verifier.generations.len(),
        trial.item,
        by_id.len(),
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "`make operations` runs it"]
async fn keys_retention_and_expiry_work_for_weeks_on_postgres() {
    a_day_and_weeks_pass(Backend::Postgres).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "`make operations` runs it"]
async fn keys_retention_and_expiry_work_for_weeks_on_sqlite() {
    a_day_and_weeks_pass(Backend::Sqlite).await;
}
