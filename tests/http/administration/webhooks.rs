//! Webhooks: deliveries, signatures, retries, redeliveries, tests, pauses and address checks.

use std::time::Duration;

use serde_json::{Value, json};
use standardwebhooks::Webhook;
use steward_domain::kernel::policy::LimitedAction;
use steward_tests::{Actor, Answer, App, Backend, Received, Receiver, World, eventually};

/// Defines each test for both databases, with a service that may send webhooks to the receivers of the tests. A short
/// run leaves out those on PostgreSQL.
macro_rules! with_private_webhooks {
    ($(async fn $name:ident($app:ident: &App) $body:block)+) => {$(
        mod $name {
            use super::*;

            async fn test_case($app: &App) $body

            async fn run(backend: Backend) {
                test_case(&App::start_with(backend, &[("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true")]).await).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                run(Backend::Sqlite).await;
            }

            mod full {
                use super::*;

                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn postgres() {
                    run(Backend::Postgres).await;
                }
            }
        }
    )+};
}

/// Creates a webhook of a team or project. Returns its path and secret.
async fn create_webhook(owner: &Actor, scope: &str, url: &str, events: Value) -> (String, String) {
    let created = owner.post(&format!("{scope}/webhook"), json!({"url": url, "events": events})).await.created();
    let id = created["data"]["id"].as_str().unwrap();
    (format!("{scope}/webhook/{id}"), created["data"]["secret"].as_str().unwrap().to_owned())
}

/// Whether a third-party library accepts the message's signature for this secret.
fn verifies(message: &Received, secret: &str) -> bool {
    let mut headers = http::HeaderMap::new();
    for name in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
        headers.insert(name, message.headers[name].parse().unwrap());
    }
    Webhook::new(secret).unwrap().verify(message.body.as_bytes(), &headers).is_ok()
}

fn names(messages: &[Received]) -> Vec<String> {
    messages
        .iter()
        .map(|message| message.event()["data"]["after"]["name"].as_str().unwrap_or_default().to_owned())
        .collect()
}

async fn rename(world: &World, name: &str) {
    world.owner.patch(&format!("/team/{}", world.team), json!({"name": name})).await.ok();
}

with_private_webhooks! {
    async fn changes_are_delivered_in_order_and_signed(app: &App) {
        let (world, receiver) = (World::make(app, "acme").await, Receiver::start().await);
        let team = format!("/team/{}", world.team);
        let (_, secret) = create_webhook(&world.owner, &team, &receiver.url, json!(["team.updated"])).await;
        for name in ["One", "Two", "Three"] {
            rename(&world, name).await;
        }
        world.owner.put(&world.item("x"), json!({"value": {"title": "not subscribed"}})).await.created();
        let received = receiver.once(3).await;
        assert_eq!(names(&received), ["One", "Two", "Three"]);
        assert!(received.iter().all(|message| verifies(message, &secret)));
        assert!(!verifies(&received[0], "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"));
        let event = received[0].event();
        assert_eq!((&event["type"], &event["data"]["target"]["id"]), (&json!("team.updated"), &json!(world.team)));
        assert_eq!(event["data"]["actor"]["id"], world.owner.id.as_str());
        let ids: std::collections::BTreeSet<_> = received.iter().map(|message| message.headers["webhook-id"].clone()).collect();
        assert_eq!(ids.len(), 3);
    }

    async fn a_project_webhook_receives_only_events_of_the_project(app: &App) {
        let (world, receiver) = (World::make(app, "acme").await, Receiver::start().await);
        let project = format!("/project/{}", world.project);
        create_webhook(&world.owner, &project, &receiver.url, json!(["*"])).await;
        rename(&world, "Other").await;
        world.owner.put(&world.item("x"), json!({"value": {"title": "secret thoughts"}})).await.created();
        let received = receiver.once(2).await;
        let types: Vec<_> = received.iter().map(|message| message.event()["type"].clone()).collect();
        assert_eq!(types, ["webhook.created", "item.created"]);
        assert!(!received[1].body.contains("secret thoughts"), "User data must not be sent.");
    }

    async fn a_write_that_creates_an_item_is_delivered_as_its_creation(app: &App) {
        let (world, receiver) = (World::make(app, "acme").await, Receiver::start().await);
        let project = format!("/project/{}", world.project);
        let all = json!(["item.created", "item.updated", "item.deleted"]);
        create_webhook(&world.owner, &project, &receiver.url, all).await;
        let created = Receiver::start().await;
        create_webhook(&world.owner, &project, &created.url, json!(["item.created"])).await;

        let value = |title: &str| json!({"value": {"title": title}});
        let posted = world.key.post(&world.notes(), value("posted")).await.ok().id();
        world.key.put(&world.item("x"), value("one")).await.created();
        world.key.put(&world.item("x"), value("two")).await.ok();
        world.key.patch(&world.item("x"), value("three")).await.ok();
        world.key.delete(&world.item("x")).await.ok();
        let put = |id: &str| json!({"op": "put", "id": id, "value": {"title": "batch"}});
        let patch = json!({"op": "patch", "id": "first", "value": {"done": true}});
        let operations = json!({"operations": [put(&posted), put("x"), patch]});
        world.key.post(&format!("{}/batch", world.notes()), operations).await.ok();

        let expected = [
            ("item.created", posted.as_str()),
            ("item.created", "x"),
            ("item.updated", "x"),
            ("item.updated", "x"),
            ("item.deleted", "x"),
            // A batch writes in the order of the IDs.
            ("item.updated", posted.as_str()),
            ("item.updated", "first"),
            ("item.created", "x"),
        ];
        let described = |message: &Received| {
            let event = message.event();
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            (text(&event["type"]), text(&event["data"]["target"]["id"]))
        };
        let expected = expected.map(|(name, id)| (name.to_owned(), id.to_owned()));
        assert_eq!(receiver.once(8).await.iter().map(described).collect::<Vec<_>>(), expected);
        let only: Vec<_> = expected.into_iter().filter(|(name, _)| name == "item.created").collect();
        assert_eq!(created.once(3).await.iter().map(described).collect::<Vec<_>>(), only);
    }

    async fn a_failed_delivery_is_retried_before_the_next_event(app: &App) {
        let (world, receiver) = (World::make(app, "acme").await, Receiver::start().await);
        receiver.respond_next(&[500]);
        let team = format!("/team/{}", world.team);
        let (path, _) = create_webhook(&world.owner, &team, &receiver.url, json!(["team.updated"])).await;
        rename(&world, "One").await;
        rename(&world, "Two").await;
        let received = receiver.once(3).await;
        assert_eq!(names(&received), ["One", "One", "Two"]);
        assert_eq!(received[0].headers["webhook-id"], received[1].headers["webhook-id"], "A retry must keep the event's ID.");
        let log = eventually(async || {
            let log = world.owner.get(&format!("{path}/delivery")).await.ok()["data"].as_array().unwrap().clone();
            Some(log).filter(|log| log.len() == 3)
        }).await;
        let attempts: Vec<_> = log.iter().rev().map(|delivery| (delivery["status"].clone(), delivery["attempt"].clone())).collect();
        assert_eq!(attempts, [(json!(500), json!(1)), (json!(204), json!(2)), (json!(204), json!(1))]);
        assert_eq!(log[2]["error"], "The receiver returned status 500.");
    }

    async fn a_permanent_failure_pauses_a_webhook_without_losing_events(app: &App) {
        let (world, receiver) = (World::make(app, "acme").await, Receiver::start().await);
        receiver.respond_next(&[410]);
        let team = format!("/team/{}", world.team);
        let (path, _) = create_webhook(&world.owner, &team, &receiver.url, json!(["team.updated"])).await;
        rename(&world, "One").await;
        let paused = eventually(async || {
            let shown = world.owner.get(&path).await.ok()["data"].clone();
            Some(shown).filter(|shown| shown["status"] == "paused")
        }).await;
        assert_eq!(paused["paused_reason"], "The receiver returned status 410.");
        rename(&world, "Two").await;
        let again = world.owner.patch(&path, json!({"status": "paused"})).await.ok();
        assert_eq!(again["data"]["paused_reason"], paused["paused_reason"], "It is already paused.");
        world.owner.patch(&path, json!({"status": "active"})).await.ok();
        assert_eq!(names(&receiver.once(3).await), ["One", "One", "Two"]);
    }

    async fn a_webhook_that_a_member_pauses_is_continued_without_losing_events(app: &App) {
        let (world, receiver, other) = (World::make(app, "acme").await, Receiver::start().await, Receiver::start().await);
        let team = format!("/team/{}", world.team);
        let adam = world.member(app, "adam", "admin").await;
        let (path, _) = create_webhook(&world.owner, &team, &receiver.url, json!(["team.updated"])).await;
        create_webhook(&world.owner, &team, &other.url, json!(["team.updated"])).await;
        rename(&world, "One").await;
        receiver.once(1).await;
        let paused = adam.patch(&path, json!({"status": "paused"})).await.ok();
        assert_eq!((&paused["data"]["status"], &paused["data"]["authorized_by"]), (&json!("paused"), &json!(world.owner.id)));
        assert!(paused["data"]["paused_reason"].as_str().unwrap().contains("A member paused this webhook."), "{paused:?}");
        rename(&world, "Two").await;
        rename(&world, "Three").await;
        other.once(3).await;
        assert_eq!(names(&receiver.received()), ["One"]);
        let resumed = adam.patch(&path, json!({"status": "active"})).await.ok();
        assert_eq!((&resumed["data"]["status"], &resumed["data"]["authorized_by"]), (&json!("active"), &json!(adam.id)));
        assert!(resumed["data"].get("paused_reason").is_none(), "{resumed:?}");
        assert_eq!(names(&receiver.once(3).await), ["One", "Two", "Three"]);
        world.owner.patch(&path, json!({"status": "stopped"})).await.refused(400, "invalid_request");
    }

    async fn a_test_event_is_signed_and_listed_and_cannot_be_redelivered(app: &App) {
        let (world, receiver) = (World::make(app, "acme").await, Receiver::start().await);
        let (team, project) = (format!("/team/{}", world.team), format!("/project/{}", world.project));
        let tests = [(&team, "testTeamWebhook", Value::Null), (&project, "testProjectWebhook", json!(world.project))];
        for (index, (scope, operation, project)) in tests.into_iter().enumerate() {
            let (path, secret) = create_webhook(&world.owner, scope, &receiver.url, json!(["schema.created"])).await;
            let sent = world.owner.post(&format!("{path}/test"), json!({})).await.ok();
            let outcome = |sent: &Value| ["event", "position", "attempt", "status", "error"].map(|name| sent[name].clone());
            assert_eq!(outcome(&sent["data"]), [json!("webhook.test"), json!(0), json!(0), json!(204), Value::Null]);
            let received = receiver.received();
            assert_eq!(received.len(), index + 1);
            assert!(verifies(&received[index], &secret));
            let event = received[index].event();
            let data = &event["data"];
            assert_eq!((&event["type"], &data["position"], &data["operation"]), (&json!("webhook.test"), &json!(0), &json!(operation)));
            assert_eq!((&data["team_id"], &data["project_id"]), (&json!(world.team), &project));
            assert_eq!(data["target"], json!({"type": "webhook", "id": path.rsplit('/').next()}));
            assert_eq!(data["actor"]["id"], world.owner.id.as_str());

            let listed = world.owner.get(&format!("{path}/delivery")).await.ok()["data"].clone();
            assert_eq!(listed, json!([sent["data"]]));
            let redeliver = format!("{path}/delivery/{}/redeliver", sent["data"]["id"].as_str().unwrap());
            world.owner.post(&redeliver, json!({})).await.is_not_found();
            let log = world.owner.get(&format!("{scope}/audit?action=webhook.test")).await.ok();
            assert_eq!(log["data"], json!([]), "A test is not an event of the audit log.");
        }
        let unknown = format!("{team}/webhook/{}/test", world.user);
        world.owner.post(&unknown, json!({})).await.is_not_found();
    }

    async fn a_paused_webhook_can_be_tested_and_each_test_is_a_new_message(app: &App) {
        let (world, receiver) = (World::make(app, "acme").await, Receiver::start().await);
        let team = format!("/team/{}", world.team);
        let (path, _) = create_webhook(&world.owner, &team, &receiver.url, json!(["schema.created"])).await;
        world.owner.patch(&path, json!({"status": "paused"})).await.ok();
        receiver.respond_next(&[500]);
        let test = format!("{path}/test");
        let failed = world.owner.post(&test, json!({})).await.ok();
        assert_eq!((&failed["data"]["status"], &failed["data"]["error"]), (&json!(500), &json!("The receiver returned status 500.")));
        // A receiver has more time than other requests.
        receiver.delay_responses(Duration::from_millis(5_500));
        let sent = world.owner.post(&test, json!({})).await.ok();
        assert_eq!((&sent["data"]["status"], &sent["data"]["error"]), (&json!(204), &Value::Null));
        let received = receiver.received();
        assert_eq!(received.len(), 2, "A failed test is not retried.");
        assert_ne!(received[0].headers["webhook-id"], received[1].headers["webhook-id"]);
        assert_eq!(world.owner.get(&path).await.ok()["data"]["status"], "paused");
    }

    async fn after_a_rotation_both_secrets_sign_until_the_old_one_expires(app: &App) {
        let (world, receiver) = (World::make(app, "acme").await, Receiver::start().await);
        let team = format!("/team/{}", world.team);
        let (path, old) = create_webhook(&world.owner, &team, &receiver.url, json!(["team.updated"])).await;
        let rotated = world.owner.post(&format!("{path}/rotate-secret"), json!({})).await.ok();
        let new = rotated["data"]["secret"].as_str().unwrap();
        assert_ne!(new, old);
        rename(&world, "One").await;
        let received = receiver.once(1).await;
        assert!(verifies(&received[0], &old) && verifies(&received[0], new));
        let again = world.owner.post(&format!("{path}/rotate-secret"), json!({})).await.ok();
        let newest = again["data"]["secret"].as_str().unwrap();
        rename(&world, "Two").await;
        let received = receiver.once(2).await;
        assert!([old.as_str(), new, newest].iter().all(|secret| verifies(&received[1], secret)), "The first keeps its day.");
        app.execute_sql("UPDATE webhooks SET earlier_expires_at = '2020-01-01T00:00:00.000000Z'");
        rename(&world, "Three").await;
        let received = receiver.once(3).await;
        assert!(!verifies(&received[2], &old) && verifies(&received[2], new) && verifies(&received[2], newest));
        let shown = world.owner.get(&path).await;
        assert!(!String::from_utf8_lossy(&shown.body).contains("whsec_"));
    }

    async fn an_event_can_be_redelivered(app: &App) {
        let (world, receiver) = (World::make(app, "acme").await, Receiver::start().await);
        let team = format!("/team/{}", world.team);
        let (path, secret) = create_webhook(&world.owner, &team, &receiver.url, json!(["team.updated"])).await;
        rename(&world, "One").await;
        receiver.once(1).await;
        let first = eventually(async || world.owner.get(&format!("{path}/delivery")).await.ok()["data"][0]["id"].as_str().map(str::to_owned)).await;
        let again = world.owner.post(&format!("{path}/delivery/{first}/redeliver"), json!({})).await.ok();
        assert_eq!((&again["data"]["status"], &again["data"]["attempt"]), (&json!(204), &json!(0)));
        let received = receiver.received();
        assert_eq!((received[0].body.as_str(), received[0].headers["webhook-id"].as_str()), (received[1].body.as_str(), received[1].headers["webhook-id"].as_str()));
        assert!(verifies(&received[1], &secret));
        let unknown = format!("{path}/delivery/{}/redeliver", world.user);
        world.owner.post(&unknown, json!({})).await.is_not_found();
    }

    async fn a_delivery_has_its_message_its_response_and_its_next_attempt(app: &App) {
        let (world, receiver) = (World::make(app, "acme").await, Receiver::start().await);
        let (vic, team) = (world.member(app, "vic", "viewer").await, format!("/team/{}", world.team));
        let (path, secret) = create_webhook(&world.owner, &team, &receiver.url, json!(["team.updated"])).await;
        receiver.respond_next(&[500; 9]);
        receiver.respond_with(&format!("{secret} {{signature}} {}", "x".repeat(9_000)));
        rename(&world, "One").await;
        let first = eventually(async || world.owner.get(&format!("{path}/delivery")).await.ok()["data"][0]["id"].as_str().map(str::to_owned)).await;
        let one = format!("{path}/delivery/{first}");
        let shown = world.owner.get(&one).await.ok()["data"].clone();
        let sent = &receiver.received()[0];
        assert_eq!((&shown["payload"], &shown["message_id"]), (&sent.event(), &json!(sent.headers["webhook-id"])));
        assert_eq!((&shown["status"], &shown["attempt"]), (&json!(500), &json!(1)));
        assert!(shown["next_attempt_at"].as_str().unwrap() > shown["at"].as_str().unwrap(), "{shown}");
        let body = shown["response_body"].as_str().unwrap();
        assert!(body.starts_with("[removed] v1,[removed] xxx") && body.len() == 2_048, "{body}");

        let seen = vic.get(&one).await.ok()["data"].clone();
        assert_eq!((&seen["payload"], &seen["response_body"]), (&Value::Null, &shown["response_body"]), "A viewer receives no events.");
        world.owner.patch(&path, json!({"status": "paused"})).await.ok();
        assert_eq!(world.owner.get(&one).await.ok()["data"]["next_attempt_at"], Value::Null);
        world.owner.get(&format!("{path}/delivery/{}", world.user)).await.is_not_found();
        let (other, _) = create_webhook(&world.owner, &team, &receiver.url, json!(["team.updated"])).await;
        world.owner.get(&format!("{other}/delivery/{first}")).await.is_not_found();
    }

    async fn a_webhook_is_updated_and_deleted(app: &App) {
        let (world, receiver) = (World::make(app, "acme").await, Receiver::start().await);
        let team = format!("/team/{}", world.team);
        let (path, _) = create_webhook(&world.owner, &team, &receiver.url, json!(["team.deleted"])).await;
        let changed = world.owner.patch(&path, json!({"events": ["team.updated"]})).await.ok();
        assert_eq!(changed["data"]["events"], json!(["team.updated"]));
        rename(&world, "One").await;
        receiver.once(1).await;
        let listed = world.owner.get(&format!("{team}/webhook")).await.ok();
        assert_eq!((listed["data"].as_array().unwrap().len(), &listed["data"][0]["status"]), (1, &json!("active")));
        let other = format!("/project/{}/webhook/{}", world.project, path.rsplit('/').next().unwrap());
        world.owner.get(&other).await.is_not_found();
        world.owner.delete(&path).await.ok();
        world.owner.delete(&path).await.is_not_found();
        rename(&world, "Two").await;
        for invalid in [
            json!({"url": "not a url", "events": ["*"]}),
            json!({"url": receiver.url, "events": []}),
            json!({"url": receiver.url, "events": ["team.exploded"]}),
            json!({"url": receiver.url}),
        ] {
            world.owner.post(&format!("{team}/webhook"), invalid).await.refused(400, "invalid_request");
        }
        assert_eq!(receiver.received().len(), 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn private_networks_are_refused_by_default() {
    let mut app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    let path = format!("/team/{}/webhook", world.team);
    for invalid in
        ["http://example.com/", "https://127.0.0.1/", "https://[::1]/", "https://169.254.169.254/", "https://10.0.0.1/"]
    {
        world.owner.post(&path, json!({"url": invalid, "events": ["*"]})).await.refused(400, "invalid_request");
    }
    // A host name is resolved again at delivery: its address may have changed since it was configured.
    app.set("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true");
    app.restart().await;
    let (path, _) =
        create_webhook(&world.owner, &format!("/team/{}", world.team), "https://localhost:9/", json!(["team.updated"]))
            .await;
    app.set("STEWARD_WEBHOOK_ALLOW_PRIVATE", "false");
    app.restart().await;
    rename(&world, "One").await;
    let refused = eventually(async || {
        let log = world.owner.get(&format!("{path}/delivery")).await.ok();
        log["data"][0]["error"].as_str().map(str::to_owned)
    });
    assert_eq!(refused.await, "The address is in a private network.");
}

/// Sends the request until it is refused, but not forever. Returns how many were accepted, and the last response.
async fn until_refused(owner: &Actor, path: &str) -> (usize, Answer) {
    let mut count = 0;
    loop {
        let response = owner.post(path, json!({})).await;
        if response.status != 200 || count > 50 {
            return (count, response);
        }
        count += 1;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redeliveries_and_tests_are_rate_limited_together() {
    let settings = [("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true"), ("STEWARD_RATE_LIMITS", "on")];
    let app = App::start_with(Backend::Sqlite, &settings).await;
    let (world, receiver) = (World::make(&app, "acme").await, Receiver::start().await);
    let team = format!("/team/{}", world.team);
    let (path, _) = create_webhook(&world.owner, &team, &receiver.url, json!(["team.updated"])).await;
    rename(&world, "One").await;
    receiver.once(1).await;
    let list = format!("{path}/delivery");
    let id = async || world.owner.get(&list).await.ok()["data"][0]["id"].as_str().map(str::to_owned);
    let redeliver = format!("{list}/{}/redeliver", eventually(id).await);
    let burst = usize::from(LimitedAction::RedeliverTo.limit().burst);

    for _ in 0..=burst {
        world.owner.post(&format!("{list}/{}/redeliver", world.user), json!({})).await.is_not_found();
    }
    let (redelivered, refused) = until_refused(&world.owner, &redeliver).await;
    assert!(redelivered >= burst, "{redelivered}");
    assert!(refused.header("Retry-After").parse::<u32>().unwrap() > 0);
    refused.refused(429, "too_many_requests");
    let (tested, refused) = until_refused(&world.owner, &format!("{path}/test")).await;
    assert!(tested < burst, "{tested}");
    refused.refused(429, "too_many_requests");
    assert_eq!(receiver.received().len(), 1 + redelivered + tested);
}
