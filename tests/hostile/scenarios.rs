//! Attacks that exploit details of the service: each numbered scenario of the review that is not a load. Scenarios
//! about failing databases and stopping replicas are in `tests/faults`.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::{Value, json};
use steward_tests::{Actor, App, Backend, PASSWORD, Receiver, World, on_both};

/// The default rate limits, with caller addresses set by a proxy.
const DEFAULT_LIMITS: &[(&str, &str)] = &[("STEWARD_RATE_LIMITS", "on"), ("STEWARD_TRUSTED_PROXIES", "127.0.0.1")];

/// Generates each test for both databases, with a service that has these settings.
macro_rules! on_both_with {
    ($settings:expr; $(async fn $name:ident($app:ident: &App) $body:block)+) => {$(
        mod $name {
            use super::*;

            async fn claim($app: &App) $body

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                claim(&App::start_with(Backend::Sqlite, $settings).await).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                claim(&App::start_with(Backend::Postgres, $settings).await).await;
            }
        }
    )+};
}

/// Creates a webhook in the world's project. Returns the status.
async fn create_webhook(caller: &Actor, world: &World, url: &str, event: &str) -> u16 {
    let hook = json!({"url": url, "events": [event]});
    caller.post(&format!("/project/{}/webhook", world.project), hook).await.status.as_u16()
}

on_both_with! { &[("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true")];
    // Scenario 1
    async fn idle_webhooks_delay_no_delivery(app: &App) {
        let (quiet, busy, receiver) =
            (World::make(app, "quiet").await, World::make(app, "busy").await, Receiver::start().await);
        for number in 0..49 {
            let url = format!("https://hooks.example.com/{number}");
            assert_eq!(create_webhook(&quiet.owner, &quiet, &url, "project.deleted").await, 201);
        }
        for batch in 0..10 {
            let body = crate::scene::full_batch(&format!("b{batch}"));
            quiet.key.post(&format!("{}/batch", quiet.notes()), body).await.ok();
        }
        assert_eq!(create_webhook(&busy.owner, &busy, &receiver.url, "project.updated").await, 201);
        let written = Instant::now();
        busy.owner.patch(&format!("/project/{}", busy.project), json!({"name": "Busier"})).await.ok();
        receiver.once(1).await;
        assert!(written.elapsed() < Duration::from_secs(5), "{:?}", written.elapsed());
    }
}

on_both! {
    // Scenario 4
    async fn a_project_key_reads_only_events_of_its_project_in_the_team_log(app: &App) {
        let world = World::make(app, "acme").await;
        let other = json!({"name": "Other", "team_id": world.team});
        let other = world.owner.post("/project/", other).await.created().id();
        world.owner.patch(&format!("/project/{other}"), json!({"name": "Secret plans"})).await.ok();
        for log in ["audit", "event"] {
            let response = world.key.get(&format!("/team/{}/{log}", world.team)).await;
            assert!(!String::from_utf8_lossy(&response.body).contains(&other), "{log}: {response}");
            if response.status.as_u16() == 200 {
                let events = response.ok()["data"].as_array().unwrap().clone();
                assert!(events.iter().all(|event| event["project_id"] == world.project), "{log}");
            }
        }
    }

    // Scenario 5
    async fn invites_and_replays_of_a_removed_member_are_rejected(app: &App) {
        let world = World::make(app, "acme").await;
        let (adam, second) = (world.member(app, "adam", "admin").await, app.person("second").await);
        let team = format!("/team/{}", world.team);
        let invite = json!({"username": "second", "roles": "admin"});
        let invite = adam.post(&format!("{team}/invite"), invite).await.created().id();
        let keys = format!("/project/{}/key", world.project);
        let repeat = async || {
            let body = Some(json!({"label": "CI", "roles": "read"}));
            adam.send(reqwest::Method::POST, &keys, body, &[("Idempotency-Key", "once")]).await
        };
        let value = repeat().await.ok()["key"]["value"].as_str().unwrap().to_owned();

        world.owner.delete(&format!("{team}/member/{}", adam.id)).await.ok();

        let accepted = second.post("/team/accept-invite", json!({"invite_id": invite})).await;
        assert!(accepted.status.is_client_error(), "{accepted}");
        second.get(&team).await.is_not_found();
        let replayed = repeat().await;
        assert!(replayed.status.is_client_error(), "{replayed}");
        assert!(!String::from_utf8_lossy(&replayed.body).contains(&value));
    }

    // Scenario 6
    async fn a_misspelled_restriction_is_rejected(app: &App) {
        let world = World::make(app, "acme").await;
        let token = json!({"label": "laptop", "roles": "viewer", "project_ids": [world.project]});
        world.owner.post("/auth/pat", token).await.refused(400, "unknown_field");
        let key = json!({"label": "CI", "roles": "read", "expiresAt": "2020-01-01T00:00:00Z"});
        world.owner.post(&format!("/project/{}/key", world.project), key).await.refused(400, "unknown_field");
    }

    // Scenario 10
    async fn concurrent_creation_of_webhooks_cannot_exceed_the_quota(app: &App) {
        let world = World::make(app, "acme").await;
        let statuses = join_all((0..60).map(async |number| {
            let url = format!("https://hooks.example.com/{number}");
            create_webhook(&world.owner, &world, &url, "project.deleted").await
        }))
        .await;
        assert!(statuses.iter().all(|status| (*status < 500 || *status == 503) && *status != 200), "{statuses:?}");
        let webhooks = world.owner.get(&format!("/project/{}/webhook", world.project)).await.ok();
        let count = webhooks["data"].as_array().unwrap().len();
        let created = statuses.iter().filter(|status| **status == 201).count();
        assert!((1..=50).contains(&count) && count == created, "{count}");
    }
}

/// Signs in from an address. Returns the status.
async fn log_in(app: &App, password: &str, from: &str) -> u16 {
    let body = json!({"username": "ann", "password": password});
    let headers = [("X-Forwarded-For", from)];
    app.anonymous().send(reqwest::Method::POST, "/auth/login", Some(body), &headers).await.status.as_u16()
}

on_both_with! { DEFAULT_LIMITS;
    // Scenario 8
    async fn guesses_from_many_addresses_do_not_lock_out_the_owner(app: &App) {
        app.person("ann").await;
        assert_eq!(log_in(app, PASSWORD, "203.0.113.1").await, 200);
        let mut limited = false;
        for _ in 0..12 {
            let guesses = join_all((0..15).map(async |address| {
                log_in(app, "a wrong guess", &format!("198.51.100.{address}")).await
            }));
            limited |= guesses.await.contains(&429);
        }
        assert!(limited, "The guesses were not rate-limited.");
        assert_eq!(log_in(app, PASSWORD, "203.0.113.1").await, 200);
    }
}

/// Two replicas change the same rows in different orders. No request fails because of the other replica (scenario 9).
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_replicas_do_not_block_each_other() {
    let first = App::start(Backend::Postgres).await;
    let address = [("STEWARD_PUBLIC_URL", first.base.as_str())];
    let second = App::start_on_database(&first.database().url(), &address).await;
    let world = World::make(&first, "acme").await;
    let credential = world.owner.credential.clone().unwrap();
    let keys: Vec<String> = join_all((0..20).map(async |number| {
        let key = json!({"label": format!("key {number}"), "roles": "admin"});
        let key = world.owner.post(&format!("/project/{}/key", world.project), key).await.ok();
        key["key"]["value"].as_str().unwrap().to_owned()
    }))
    .await;
    let (world, keys) = (&world, &keys);
    // Each use of a key is recorded, and both replicas write these records at the same time.
    let statuses = join_all([&first, &second].into_iter().enumerate().map(|(replica, app)| {
        let owner = app.bearer(&credential);
        async move {
            let mut statuses = Vec::new();
            for round in 0..20 {
                let responses =
                    join_all(keys.iter().map(async |key| app.bearer(key).get(&world.item("first")).await)).await;
                statuses.extend(responses.iter().map(|response| response.status.as_u16()));
                let batch = ordered_batch(round, replica == 0);
                statuses.push(owner.post(&format!("{}/batch", world.notes()), batch).await.status.as_u16());
            }
            statuses
        }
    }))
    .await;
    let statuses: Vec<u16> = statuses.into_iter().flatten().collect();
    assert!(statuses.iter().all(|status| *status == 200), "{statuses:?}");
    for app in [&first, &second] {
        assert!(!app.log().contains("deadlock"), "{}", app.log());
    }
}

/// Returns a batch of the same items, in forward or reverse order.
fn ordered_batch(round: usize, forwards: bool) -> Value {
    let mut numbers: Vec<usize> = (0..50).collect();
    if !forwards {
        numbers.reverse();
    }
    let put =
        |number: &usize| json!({"op": "put", "id": format!("n{number}"), "value": {"title": format!("Round {round}")}});
    json!({"operations": numbers.iter().map(put).collect::<Vec<_>>()})
}

/// A setting of a later version does not prevent the start (scenario 13).
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_setting_of_a_later_version_does_not_prevent_the_start() {
    let app = App::start_with(Backend::Sqlite, &[("STEWARD_OF_A_LATER_VERSION", "on")]).await;
    app.anonymous().get("/health/ready").await.ok();
    assert!(app.log().contains("STEWARD_OF_A_LATER_VERSION"), "{}", app.log());
}
