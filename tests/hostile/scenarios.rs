//! What somebody gains by reading closely: each numbered scenario of the review that is not a load. Those about databases
//! that fail and replicas that end stand in `tests/faults`.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::{Value, json};
use steward_tests::{Actor, App, Backend, PASSWORD, Receiver, World, on_both};

/// The limits of the service as it is installed, with callers whose addresses a proxy names.
const AS_INSTALLED: &[(&str, &str)] = &[("STEWARD_RATE_LIMITS", "on"), ("STEWARD_TRUSTED_PROXIES", "127.0.0.1")];

/// Stamps each test once for each database, over a service with these settings.
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

/// Makes a webhook in the world's project.
async fn hook(caller: &Actor, world: &World, url: &str, event: &str) -> u16 {
    let hook = json!({"url": url, "events": [event]});
    caller.post(&format!("/project/{}/webhook", world.project), hook).await.status.as_u16()
}

on_both_with! { &[("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true")];
    // Scenario 1
    async fn quiet_webhooks_delay_no_delivery(app: &App) {
        let (quiet, busy, receiver) =
            (World::make(app, "quiet").await, World::make(app, "busy").await, Receiver::start().await);
        for number in 0..49 {
            let url = format!("https://hooks.example.com/{number}");
            assert_eq!(hook(&quiet.owner, &quiet, &url, "project.deleted").await, 201);
        }
        for batch in 0..10 {
            let body = crate::scene::full_batch(&format!("b{batch}"));
            quiet.key.post(&format!("{}/batch", quiet.notes()), body).await.ok();
        }
        assert_eq!(hook(&busy.owner, &busy, &receiver.url, "project.updated").await, 201);
        let written = Instant::now();
        busy.owner.patch(&format!("/project/{}", busy.project), json!({"name": "Busier"})).await.ok();
        receiver.once(1).await;
        assert!(written.elapsed() < Duration::from_secs(5), "{:?}", written.elapsed());
    }
}

on_both! {
    // Scenario 4
    async fn a_projects_key_sees_of_the_teams_log_only_its_own_project(app: &App) {
        let world = World::make(app, "acme").await;
        let other = json!({"name": "Other", "team_id": world.team});
        let other = world.owner.post("/project/", other).await.created().id();
        world.owner.patch(&format!("/project/{other}"), json!({"name": "Secret plans"})).await.ok();
        for log in ["audit", "event"] {
            let seen = world.key.get(&format!("/team/{}/{log}", world.team)).await;
            assert!(!String::from_utf8_lossy(&seen.body).contains(&other), "{log}: {seen}");
            if seen.status.as_u16() == 200 {
                let events = seen.ok()["data"].as_array().unwrap().clone();
                assert!(events.iter().all(|event| event["project_id"] == world.project), "{log}");
            }
        }
    }

    // Scenario 5
    async fn what_a_removed_member_began_ends(app: &App) {
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
        second.get(&team).await.is_unknown();
        let replayed = repeat().await;
        assert!(replayed.status.is_client_error(), "{replayed}");
        assert!(!String::from_utf8_lossy(&replayed.body).contains(&value));
    }

    // Scenario 6
    async fn a_misspelt_restriction_is_refused(app: &App) {
        let world = World::make(app, "acme").await;
        let token = json!({"label": "laptop", "roles": "viewer", "project_ids": [world.project]});
        world.owner.post("/auth/pat", token).await.refused(400, "unknown_field");
        let key = json!({"label": "CI", "roles": "read", "expiresAt": "2020-01-01T00:00:00Z"});
        world.owner.post(&format!("/project/{}/key", world.project), key).await.refused(400, "unknown_field");
    }

    // Scenario 10
    async fn of_many_webhooks_made_at_once_no_more_exist_than_may(app: &App) {
        let world = World::make(app, "acme").await;
        let made = join_all((0..60).map(async |number| {
            hook(&world.owner, &world, &format!("https://hooks.example.com/{number}"), "project.deleted").await
        }))
        .await;
        assert!(made.iter().all(|status| (*status < 500 || *status == 503) && *status != 200), "{made:?}");
        let exist = world.owner.get(&format!("/project/{}/webhook", world.project)).await.ok();
        let exist = exist["data"].as_array().unwrap().len();
        assert!((1..=50).contains(&exist) && exist == made.iter().filter(|status| **status == 201).count(), "{exist}");
    }
}

/// Signs in from an address.
async fn log_in(app: &App, password: &str, from: &str) -> u16 {
    let body = json!({"username": "ann", "password": password});
    let headers = [("X-Forwarded-For", from)];
    app.anon().send(reqwest::Method::POST, "/auth/login", Some(body), &headers).await.status.as_u16()
}

on_both_with! { AS_INSTALLED;
    // Scenario 8
    async fn ten_guessing_addresses_do_not_lock_the_owner_out(app: &App) {
        app.person("ann").await;
        assert_eq!(log_in(app, PASSWORD, "203.0.113.1").await, 200);
        let mut limited = false;
        for _ in 0..12 {
            let guesses = join_all((0..15).map(async |address| {
                log_in(app, "a wrong guess", &format!("198.51.100.{address}")).await
            }));
            limited |= guesses.await.contains(&429);
        }
        assert!(limited, "the guessers were not slowed down");
        assert_eq!(log_in(app, PASSWORD, "203.0.113.1").await, 200);
    }
}

/// Two replicas change the same things in different orders: none is refused by the other (scenario 9).
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_replicas_do_not_block_each_other() {
    let first = App::start(Backend::Postgres).await;
    let address = [("STEWARD_PUBLIC_URL", first.base.as_str())];
    let second = App::over(&first.database().url(), &address).await;
    let world = World::make(&first, "acme").await;
    let credential = world.owner.credential.clone().unwrap();
    let keys: Vec<String> = join_all((0..20).map(async |number| {
        let key = json!({"label": format!("key {number}"), "roles": "admin"});
        let key = world.owner.post(&format!("/project/{}/key", world.project), key).await.ok();
        key["key"]["value"].as_str().unwrap().to_owned()
    }))
    .await;
    let (world, keys) = (&world, &keys);
    // Each use of a key is noted, and the notes of both replicas are written down at the same time.
    let statuses = join_all([&first, &second].into_iter().enumerate().map(|(replica, app)| {
        let owner = app.bearer(&credential);
        async move {
            let mut statuses = Vec::new();
            for round in 0..20 {
                let answers =
                    join_all(keys.iter().map(async |key| app.bearer(key).get(&world.item("first")).await)).await;
                statuses.extend(answers.iter().map(|answer| answer.status.as_u16()));
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

/// The same items, forwards or backwards.
fn ordered_batch(round: usize, forwards: bool) -> Value {
    let mut numbers: Vec<usize> = (0..50).collect();
    if !forwards {
        numbers.reverse();
    }
    let put =
        |number: &usize| json!({"op": "put", "id": format!("n{number}"), "value": {"title": format!("Round {round}")}});
    json!({"operations": numbers.iter().map(put).collect::<Vec<_>>()})
}

/// A setting of a later version does not keep this one from starting (scenario 13).
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_setting_of_a_later_version_does_not_keep_it_from_starting() {
    let app = App::start_with(Backend::Sqlite, &[("STEWARD_OF_A_LATER_VERSION", "on")]).await;
    app.anon().get("/health/ready").await.ok();
    assert!(app.log().contains("STEWARD_OF_A_LATER_VERSION"), "{}", app.log());
}
