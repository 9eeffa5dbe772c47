//! Order of the events of a webhook: projects side by side, each in order; any order; failures; and kills of the
//! service.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::{Value, json};
use steward_tests::{App, Backend, Received, Receiver, World, eventually};

/// How long the receiver takes for each event.
const DELAY: Duration = Duration::from_millis(100);

/// Defines each test for both databases, with a service that may send webhooks to the receivers of the tests.
macro_rules! with_slow_receiver {
    ($(async fn $name:ident($app:ident: &mut App) $body:block)+) => {$(
        mod $name {
            use super::*;

            async fn test_case($app: &mut App) $body

            async fn run(backend: Backend) {
                let mut app = App::start_with(backend, &[("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true")]).await;
                test_case(&mut app).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                run(Backend::Sqlite).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                run(Backend::Postgres).await;
            }
        }
    )+};
}

/// A team with some projects, and a webhook of the team that has pending events: renames of the projects, in turn.
struct Scene {
    world: World,
    receiver: Receiver,
    projects: Vec<String>,
    webhook: String,
    events: usize,
}

impl Scene {
    /// `rounds`: number of events of each project.
    async fn make(app: &App, ordering: &str, projects: usize, rounds: usize) -> Self {
        let (world, receiver) = (World::make(app, "acme").await, Receiver::start().await);
        receiver.delay_responses(DELAY);
        let mut ids = vec![world.project.clone()];
        for number in 1..projects {
            let project = json!({"name": format!("Project {number}"), "team_id": world.team});
            ids.push(world.owner.post("/project/", project).await.created().id());
        }
        let hooks = format!("/team/{}/webhook", world.team);
        let hook = json!({"url": receiver.url, "events": ["project.updated"], "ordering": ordering});
        let webhook = format!("{hooks}/{}", world.owner.post(&hooks, hook).await.created().id());
        world.owner.patch(&webhook, json!({"status": "paused"})).await.ok();
        for round in 0..rounds {
            for project in &ids {
                let change = json!({"name": format!("Round {round}")});
                world.owner.patch(&format!("/project/{project}"), change).await.ok();
            }
        }
        Self { world, receiver, events: projects * rounds, projects: ids, webhook }
    }

    async fn resume(&self) {
        self.world.owner.patch(&self.webhook, json!({"status": "active"})).await.ok();
    }

    /// Waits until the webhook has delivered all events, and the service has recorded it. Returns the attempts.
    async fn recorded(&self) -> Vec<Value> {
        eventually(async || {
            let log = self.world.owner.get(&format!("{}/delivery?limit=1000", self.webhook)).await.ok();
            let log = log["data"].as_array().unwrap().clone();
            let delivered = log.iter().filter(|attempt| attempt["error"].is_null());
            let positions: BTreeSet<i64> = delivered.map(|attempt| attempt["position"].as_i64().unwrap()).collect();
            (positions.len() == self.events).then_some(log)
        })
        .await
    }
}

fn position(message: &Received) -> i64 {
    message.event()["data"]["position"].as_i64().unwrap()
}

/// The messages of each project, in the order in which they arrived.
fn by_project(messages: &[Received]) -> BTreeMap<String, Vec<&Received>> {
    let mut projects: BTreeMap<String, Vec<&Received>> = BTreeMap::new();
    for message in messages {
        let project = message.event()["data"]["project_id"].as_str().unwrap().to_owned();
        projects.entry(project).or_default().push(message);
    }
    projects
}

/// The positions of messages, without those that arrived before.
fn first_positions(messages: &[&Received]) -> Vec<i64> {
    let mut seen = BTreeSet::new();
    messages.iter().map(|message| position(message)).filter(|position| seen.insert(*position)).collect()
}

with_slow_receiver! {
    async fn projects_are_delivered_side_by_side_and_each_in_order(app: &mut App) {
        let scene = Scene::make(app, "project", 4, 5).await;
        scene.resume().await;
        scene.recorded().await;
        let received = scene.receiver.received();
        assert_eq!(received.len(), scene.events, "Each event is sent once.");
        for messages in by_project(&received).values() {
            assert!(messages.is_sorted_by_key(|message| position(message)));
            assert!(messages.windows(2).all(|pair| pair[1].at - pair[0].at >= DELAY), "One after the other.");
        }
        assert!((2..=4).contains(&scene.receiver.max_in_flight()), "{}", scene.receiver.max_in_flight());
    }

    async fn without_an_order_the_events_of_one_project_are_delivered_side_by_side(app: &mut App) {
        let scene = Scene::make(app, "none", 1, 40).await;
        scene.resume().await;
        scene.recorded().await;
        let received = scene.receiver.received();
        let positions: BTreeSet<i64> = received.iter().map(position).collect();
        assert_eq!((received.len(), positions.len()), (scene.events, scene.events), "Each event is sent once.");
        assert!((2..=16).contains(&scene.receiver.max_in_flight()), "{}", scene.receiver.max_in_flight());
    }

    async fn an_event_that_fails_blocks_only_its_project(app: &mut App) {
        let scene = Scene::make(app, "project", 3, 3).await;
        let bad = scene.projects[0].clone();
        scene.receiver.refuse(Some(&bad));
        scene.resume().await;
        // The events of the other projects, and the first attempt of the failing one, which a slow machine repeats.
        let all_others = || {
            let received = scene.receiver.received();
            let projects = by_project(&received);
            let others = projects.iter().filter(|(project, _)| **project != bad);
            let count: usize = others.map(|(_, messages)| messages.len()).sum();
            projects.get(&bad).filter(|_| count == 6).map(|failing| first_positions(failing).len())
        };
        assert_eq!(eventually(async || all_others()).await, 1);

        scene.receiver.refuse(None);
        let log = scene.recorded().await;
        let received = scene.receiver.received();
        let projects = by_project(&received);
        let repeats = projects[&bad].len() - 3;
        assert!(repeats >= 1, "The failed event is sent again.");
        for project in &scene.projects {
            assert!(*project == bad || projects[project].len() == 3, "Only the failed event is sent again.");
            let positions = first_positions(&projects[project]);
            assert!(positions.len() == 3 && positions.is_sorted());
        }
        let first = &projects[&bad][0].headers["webhook-id"];
        assert!(projects[&bad][..=repeats].iter().all(|message| message.headers["webhook-id"] == *first));
        let mut retried: Vec<&Value> = log.iter().map(|attempt| &attempt["attempt"]).filter(|attempt| **attempt != 1).collect();
        retried.sort_unstable_by_key(|attempt| attempt.as_u64());
        assert_eq!(json!(retried), json!((2..=repeats + 1).collect::<Vec<_>>()));
    }

    async fn no_event_is_skipped_if_the_service_is_killed(app: &mut App) {
        for ordering in ["project", "none"] {
            if ordering == "none" {
                *app = App::start_with(app.backend(), &[("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true")]).await;
            }
            let scene = Scene::make(app, ordering, 5, 6).await;
            scene.resume().await;
            scene.receiver.once(9).await;
            app.kill_and_restart().await;
            scene.receiver.once(scene.events).await;
            scene.recorded().await;
            let received = scene.receiver.received();
            let projects = by_project(&received);
            assert_eq!(projects.len(), scene.projects.len());
            for messages in projects.values() {
                let positions = first_positions(messages);
                assert_eq!(positions.len(), 6, "Nothing is skipped.");
                assert!(ordering == "none" || positions.is_sorted(), "{positions:?}");
            }
        }
    }

    async fn the_ordering_is_a_setting_of_the_webhook(app: &mut App) {
        let world = World::make(app, "acme").await;
        let hooks = format!("/project/{}/webhook", world.project);
        let new = json!({"url": "https://example.com/hook", "events": ["schema.created"]});
        let created = world.owner.post(&hooks, new.clone()).await.created();
        assert_eq!(created["data"]["ordering"], "project", "This is the default.");
        let path = format!("{hooks}/{}", created["data"]["id"].as_str().unwrap());
        let updated = world.owner.patch(&path, json!({"ordering": "none"})).await.ok();
        assert_eq!((&updated["data"]["ordering"], &updated["data"]["events"]), (&json!("none"), &json!(["schema.created"])));
        assert_eq!(world.owner.get(&path).await.ok()["data"]["ordering"], "none");
        let log = world.owner.get(&format!("/project/{}/audit?action=webhook.updated", world.project)).await.ok();
        let change = &log["data"][0];
        assert_eq!((&change["before"]["ordering"], &change["after"]["ordering"]), (&json!("project"), &json!("none")));

        let mut unordered = new.clone();
        unordered["ordering"] = json!("none");
        assert_eq!(world.owner.post(&hooks, unordered.clone()).await.created()["data"]["ordering"], "none");
        unordered["ordering"] = json!("team");
        world.owner.post(&hooks, unordered).await.refused(400, "invalid_request");
        world.owner.patch(&path, json!({"ordering": "team"})).await.refused(400, "invalid_request");
    }
}
