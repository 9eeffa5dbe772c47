//! Attacks that exploit details of the service, and are not loads. Scenarios about failing databases and stopping
//! replicas are in `tests/faults`.

use futures_util::future::join_all;
use serde_json::{Value, json};
use steward_tests::{App, Backend, PASSWORD, World, eventually};

use crate::scenario::scenarios;

/// The default rate limits, with caller addresses set by a proxy.
const DEFAULT_LIMITS: &[(&str, &str)] = &[("STEWARD_RATE_LIMITS", "on"), ("STEWARD_TRUSTED_PROXIES", "127.0.0.1")];

scenarios! { &[];
    // Scenario 4
    async fn a_project_key_reads_only_events_of_its_project_in_the_team_log(app: &App) {
        let world = World::make(app, "acme").await;
        let other = json!({"name": "Other", "team_id": world.team});
        let other = world.owner.post("/project/", other).await.created().id();
        world.owner.patch(&format!("/project/{other}"), json!({"name": "Secret plans"})).await.ok();
        for log in ["audit", "event"] {
            let path = format!("/team/{}/{log}", world.team);
            // The owner sees the events of both projects. The feed has them once they are sealed.
            eventually(async || {
                let events = world.owner.get(&path).await.ok();
                let events = events["data"].as_array().unwrap();
                let has = |project: &str| events.iter().any(|event| event["project_id"] == project);
                (has(&other) && has(&world.project)).then_some(())
            })
            .await;
            let response = world.key.get(&path).await;
            assert!(!String::from_utf8_lossy(&response.body).contains(&other), "{log}: {response}");
            let events = response.ok()["data"].as_array().unwrap().clone();
            let is_own = |event: &Value| event["project_id"] == world.project;
            assert!(!events.is_empty() && events.iter().all(is_own), "{log}: {events:?}");
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

        second.post("/team/accept-invite", json!({"invite_id": invite})).await.is_not_found();
        second.get(&team).await.is_not_found();
        let replayed = repeat().await;
        assert!(!String::from_utf8_lossy(&replayed.body).contains(&value));
        replayed.is_not_found();
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
        let webhooks = format!("/project/{}/webhook", world.project);
        let create = async |number: usize| {
            let hook = json!({"url": format!("https://hooks.example.com/{number}"), "events": ["project.deleted"]});
            world.owner.post(&webhooks, hook).await
        };
        let statuses = join_all((0..60).map(async |number| create(number).await.status.as_u16())).await;
        assert!(statuses.iter().all(|status| matches!(status, 201 | 409 | 503)), "{statuses:?}");
        let listed = world.owner.get(&webhooks).await.ok();
        let count = listed["data"].as_array().unwrap().len();
        let created = statuses.iter().filter(|status| **status == 201).count();
        assert!((1..=50).contains(&count) && count == created, "{count}");
        // What was refused because of the others can be created now, up to the quota.
        for number in count..50 {
            create(number).await.created();
        }
        create(50).await.refused(409, "quota_exceeded");
    }
}

/// Signs in from an address. Returns the status.
async fn log_in(app: &App, password: &str, from: &str) -> u16 {
    let body = json!({"username": "ann", "password": password});
    let headers = [("X-Forwarded-For", from)];
    app.anonymous().send(reqwest::Method::POST, "/auth/login", Some(body), &headers).await.status.as_u16()
}

scenarios! { DEFAULT_LIMITS;
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

/// A setting of a later version does not prevent the start.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_setting_of_a_later_version_does_not_prevent_the_start() {
    let app = App::start_with(Backend::Sqlite, &[("STEWARD_OF_A_LATER_VERSION", "on")]).await;
    app.anonymous().get("/health/ready").await.ok();
    assert!(app.log().contains("STEWARD_OF_A_LATER_VERSION"), "{}", app.log());
}
