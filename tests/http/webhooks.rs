//! Webhooks: who is told of changes, and how.

use serde_json::{Value, json};
use standardwebhooks::Webhook;
use steward_domain::policy::LimitedAction;
use steward_tests::{Actor, App, Backend, Received, Receiver, World, eventually};

/// Stamps each test once for each database, over a service that may reach the receivers of the tests.
macro_rules! reaching_receivers {
    ($(async fn $name:ident($app:ident: &App) $body:block)+) => {$(
        mod $name {
            use super::*;

            async fn claim($app: &App) $body

            async fn on(backend: Backend) {
                claim(&App::start_with(backend, &[("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true")]).await).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                on(Backend::Sqlite).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                on(Backend::Postgres).await;
            }
        }
    )+};
}

/// Makes a webhook; its address, and its secret.
async fn hook(owner: &Actor, place: &str, url: &str, events: Value) -> (String, String) {
    let made = owner.post(&format!("{place}/webhook"), json!({"url": url, "events": events})).await.created();
    let id = made["data"]["id"].as_str().unwrap();
    (format!("{place}/webhook/{id}"), made["data"]["secret"].as_str().unwrap().to_owned())
}

/// Whether the message is signed with this secret, as another's library judges it.
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

reaching_receivers! {
    async fn changes_are_told_in_order_and_signed(app: &App) {
        let (world, receiver) = (World::make(app, "acme").await, Receiver::start().await);
        let team = format!("/team/{}", world.team);
        let (_, secret) = hook(&world.owner, &team, &receiver.url, json!(["team.updated"])).await;
        for name in ["One", "Two", "Three"] {
            rename(&world, name).await;
        }
        world.owner.put(&world.item("x"), json!({"value": {"title": "not wanted"}})).await.created();
        let told = receiver.once(3).await;
        assert_eq!(names(&told), ["One", "Two", "Three"]);
        assert!(told.iter().all(|message| verifies(message, &secret)));
        assert!(!verifies(&told[0], "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"));
        let event = told[0].event();
        assert_eq!((&event["type"], &event["data"]["target"]["id"]), (&json!("team.updated"), &json!(world.team)));
        assert_eq!(event["data"]["actor"]["id"], world.owner.id.as_str());
        let ids: std::collections::BTreeSet<_> = told.iter().map(|message| message.headers["webhook-id"].clone()).collect();
        assert_eq!(ids.len(), 3);
    }

    async fn a_projects_webhook_is_told_of_the_project_only(app: &App) {
        let (world, receiver) = (World::make(app, "acme").await, Receiver::start().await);
        let project = format!("/project/{}", world.project);
        hook(&world.owner, &project, &receiver.url, json!(["*"])).await;
        rename(&world, "Other").await;
        world.owner.put(&world.item("x"), json!({"value": {"title": "secret thoughts"}})).await.created();
        let told = receiver.once(2).await;
        let kinds: Vec<_> = told.iter().map(|message| message.event()["type"].clone()).collect();
        assert_eq!(kinds, ["webhook.created", "item.updated"]);
        assert!(!told[1].body.contains("secret thoughts"), "people's data stays out");
    }

    async fn a_failed_attempt_is_made_again_before_the_next_event(app: &App) {
        let (world, receiver) = (World::make(app, "acme").await, Receiver::start().await);
        receiver.answer_next(&[500]);
        let team = format!("/team/{}", world.team);
        let (path, _) = hook(&world.owner, &team, &receiver.url, json!(["team.updated"])).await;
        rename(&world, "One").await;
        rename(&world, "Two").await;
        let told = receiver.once(3).await;
        assert_eq!(names(&told), ["One", "One", "Two"]);
        assert_eq!(told[0].headers["webhook-id"], told[1].headers["webhook-id"], "one event, one id");
        let log = eventually(async || {
            let log = world.owner.get(&format!("{path}/delivery")).await.ok()["data"].as_array().unwrap().clone();
            Some(log).filter(|log| log.len() == 3)
        }).await;
        let attempts: Vec<_> = log.iter().rev().map(|delivery| (delivery["status"].clone(), delivery["attempt"].clone())).collect();
        assert_eq!(attempts, [(json!(500), json!(1)), (json!(204), json!(2)), (json!(204), json!(1))]);
        assert_eq!(log[2]["error"], "the receiver answered 500");
    }

    async fn what_nobody_will_take_pauses_it_and_nothing_is_lost(app: &App) {
        let (world, receiver) = (World::make(app, "acme").await, Receiver::start().await);
        receiver.answer_next(&[410]);
        let team = format!("/team/{}", world.team);
        let (path, _) = hook(&world.owner, &team, &receiver.url, json!(["team.updated"])).await;
        rename(&world, "One").await;
        let paused = eventually(async || {
            let shown = world.owner.get(&path).await.ok()["data"].clone();
            Some(shown).filter(|shown| shown["status"] == "paused")
        }).await;
        assert_eq!(paused["paused_reason"], "the receiver answered 410");
        rename(&world, "Two").await;
        world.owner.patch(&path, json!({"status": "paused"})).await.refused(400, "invalid_request");
        world.owner.patch(&path, json!({"status": "active"})).await.ok();
        assert_eq!(names(&receiver.once(3).await), ["One", "One", "Two"]);
    }

    async fn for_a_day_a_rotated_secret_signs_beside_the_new_one(app: &App) {
        let (world, receiver) = (World::make(app, "acme").await, Receiver::start().await);
        let team = format!("/team/{}", world.team);
        let (path, old) = hook(&world.owner, &team, &receiver.url, json!(["team.updated"])).await;
        let rotated = world.owner.post(&format!("{path}/rotate-secret"), json!({})).await.ok();
        let new = rotated["data"]["secret"].as_str().unwrap();
        assert_ne!(new, old);
        rename(&world, "One").await;
        let told = receiver.once(1).await;
        assert!(verifies(&told[0], &old) && verifies(&told[0], new));
        app.tamper("UPDATE webhooks SET previous_expires_at = '2020-01-01T00:00:00.000000Z'");
        rename(&world, "Two").await;
        let told = receiver.once(2).await;
        assert!(!verifies(&told[1], &old) && verifies(&told[1], new));
        let shown = world.owner.get(&path).await;
        assert!(!String::from_utf8_lossy(&shown.body).contains("whsec_"));
    }

    async fn a_delivery_is_made_once_more_when_somebody_asks(app: &App) {
        let (world, receiver) = (World::make(app, "acme").await, Receiver::start().await);
        let team = format!("/team/{}", world.team);
        let (path, secret) = hook(&world.owner, &team, &receiver.url, json!(["team.updated"])).await;
        rename(&world, "One").await;
        receiver.once(1).await;
        let first = eventually(async || world.owner.get(&format!("{path}/delivery")).await.ok()["data"][0]["id"].as_str().map(str::to_owned)).await;
        let again = world.owner.post(&format!("{path}/delivery/{first}/redeliver"), json!({})).await.ok();
        assert_eq!((&again["data"]["status"], &again["data"]["attempt"]), (&json!(204), &json!(0)));
        let told = receiver.received();
        assert_eq!((told[0].body.as_str(), told[0].headers["webhook-id"].as_str()), (told[1].body.as_str(), told[1].headers["webhook-id"].as_str()));
        assert!(verifies(&told[1], &secret));
        let unknown = format!("{path}/delivery/{}/redeliver", world.user);
        world.owner.post(&unknown, json!({})).await.is_unknown();
    }

    async fn a_webhook_is_changed_and_removed(app: &App) {
        let (world, receiver) = (World::make(app, "acme").await, Receiver::start().await);
        let team = format!("/team/{}", world.team);
        let (path, _) = hook(&world.owner, &team, &receiver.url, json!(["team.deleted"])).await;
        let changed = world.owner.patch(&path, json!({"events": ["team.updated"]})).await.ok();
        assert_eq!(changed["data"]["events"], json!(["team.updated"]));
        rename(&world, "One").await;
        receiver.once(1).await;
        let listed = world.owner.get(&format!("{team}/webhook")).await.ok();
        assert_eq!((listed["data"].as_array().unwrap().len(), &listed["data"][0]["status"]), (1, &json!("active")));
        let other = format!("/project/{}/webhook/{}", world.project, path.rsplit('/').next().unwrap());
        world.owner.get(&other).await.is_unknown();
        world.owner.delete(&path).await.ok();
        world.owner.delete(&path).await.is_unknown();
        rename(&world, "Two").await;
        for bad in [
            json!({"url": "not a url", "events": ["*"]}),
            json!({"url": receiver.url, "events": []}),
            json!({"url": receiver.url, "events": ["team.exploded"]}),
            json!({"url": receiver.url}),
        ] {
            world.owner.post(&format!("{team}/webhook"), bad).await.refused(400, "invalid_request");
        }
        assert_eq!(receiver.received().len(), 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_private_network_is_not_told_unless_that_is_allowed() {
    let app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "acme").await;
    let path = format!("/team/{}/webhook", world.team);
    for bad in
        ["http://example.com/", "https://127.0.0.1/", "https://[::1]/", "https://169.254.169.254/", "https://10.0.0.1/"]
    {
        world.owner.post(&path, json!({"url": bad, "events": ["*"]})).await.refused(400, "invalid_request");
    }
    // A name says nothing of where it leads, until it is followed.
    let (path, _) =
        hook(&world.owner, &format!("/team/{}", world.team), "https://localhost:9/", json!(["team.updated"])).await;
    rename(&world, "One").await;
    let refused = eventually(async || {
        let log = world.owner.get(&format!("{path}/delivery")).await.ok();
        log["data"][0]["error"].as_str().map(str::to_owned)
    });
    assert_eq!(refused.await, "the address is in a private network");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_receiver_is_not_flooded_by_deliveries_that_are_made_once_more() {
    let settings = [("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true"), ("STEWARD_RATE_LIMITS", "on")];
    let app = App::start_with(Backend::Sqlite, &settings).await;
    let (world, receiver) = (World::make(&app, "acme").await, Receiver::start().await);
    let team = format!("/team/{}", world.team);
    let (path, _) = hook(&world.owner, &team, &receiver.url, json!(["team.updated"])).await;
    rename(&world, "One").await;
    receiver.once(1).await;
    let list = format!("{path}/delivery");
    let id = async || world.owner.get(&list).await.ok()["data"][0]["id"].as_str().map(str::to_owned);
    let redeliver = format!("{list}/{}/redeliver", eventually(id).await);
    let mut made = 0;
    let refused = loop {
        let answer = world.owner.post(&redeliver, json!({})).await;
        if answer.status != 200 || made > 50 {
            break answer;
        }
        made += 1;
    };
    assert!(made >= usize::from(LimitedAction::RedeliverTo.limit().burst), "{made}");
    assert!(refused.header("Retry-After").parse::<u32>().unwrap() > 0);
    refused.refused(429, "too_many_requests");
    assert_eq!(receiver.received().len(), made + 1);
}
