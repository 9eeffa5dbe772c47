//! The database goes back to an earlier state while the service runs, with a device and a webhook receiver: no ID is given
//! twice, the device gets everything, and the feed says that history changed (docs/decisions/0047-position-domains.md).

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::{Value, json};
use steward_tests::device::{Device, Items, listed_items};
use steward_tests::{Actor, App, Client, Cluster, Receiver, World, eventually};
use tokio::time::sleep;

use crate::until_ready;

/// Longer than it takes to record which changes the device received.
const RECORDED: Duration = Duration::from_secs(2);

struct Trial {
    app: App,
    world: World,
    receiver: Receiver,
    token: String,
    device: Device,
}

impl Trial {
    async fn start(url: &str) -> Self {
        let app = App::start_on_database(url, &[("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true")]).await;
        let world = World::make(&app, "acme").await;
        app.person("ann").await;
        let receiver = Receiver::start().await;
        let hook = json!({"url": receiver.url, "events": ["item.created", "item.updated"]});
        world.owner.post(&format!("/project/{}/webhook", world.project), hook).await.created();
        let tokens = Client::of(&app, &world).tokens(&app, "ann", &[("scope", "openid app:db:write")]).await;
        let token = tokens["access_token"].as_str().unwrap().to_owned();
        let device = Device::start(&app, &token, &world.project).await;
        Self { app, world, receiver, token, device }
    }

    fn ann(&self) -> Actor {
        self.app.bearer(&self.token)
    }

    fn notes(&self) -> String {
        format!("/account/{}/db/notes", self.world.project)
    }

    /// Writes an item as soon as the service can write.
    async fn put(&self, id: &str, title: &str) {
        let (ann, path) = (self.ann(), format!("{}/{id}", self.notes()));
        let value = json!({"value": {"title": title}});
        eventually(async || ann.put(&path, value.clone()).await.status.is_success().then_some(())).await;
    }

    /// Writes an item and waits until the device has it, and the receiver its event.
    async fn put_everywhere(&mut self, id: &str, title: &str) {
        self.put(id, title).await;
        self.device.wait_for_title(id, title).await.unwrap();
        let last = self.events().await.0.pop_last().unwrap();
        eventually(async || self.has_received(last).then_some(())).await;
    }

    async fn stored(&self) -> Items {
        listed_items("notes", &self.ann().get(&self.notes()).await.ok().0)
    }

    /// The positions of all changes of items, and the history that the feed reports.
    async fn events(&self) -> (BTreeSet<i64>, i64, i64) {
        let feed = self.world.owner.get(&format!("/project/{}/event?limit=1000", self.world.project)).await.ok();
        let events = feed["data"].as_array().unwrap().iter();
        let of_ann =
            events.filter(|event| ["item.created", "item.updated"].map(Value::from).contains(&event["action"]));
        let positions = of_ann.map(|event| event["position"].as_i64().unwrap()).collect();
        (positions, feed["history"].as_i64().unwrap(), feed["history_after"].as_i64().unwrap())
    }

    /// Whether the receiver has the event at this position.
    fn has_received(&self, position: i64) -> bool {
        self.receiver.received().iter().any(|request| request.event()["data"]["position"] == position)
    }
}

/// Lets the database go back to the state before `lose`, and checks what the device, the receiver and the feed see.
async fn go_back(mut trial: Trial, lose: impl AsyncFnOnce(&mut Trial)) {
    trial.put_everywhere("kept", "before").await;
    trial.put_everywhere("changed", "before").await;
    sleep(RECORDED).await;
    let (kept, history, _) = trial.events().await;
    let revision = trial.device.revision.unwrap();

    lose(&mut trial).await;
    until_ready(&trial.app).await;
    trial.put("new", "after").await;
    let (_, new_history, after) = trial.events().await;
    assert_eq!(new_history, history + 1);
    assert!(after >= *kept.last().unwrap() && after <= revision, "{after} {kept:?} {revision}");

    let stored = trial.stored().await;
    assert_eq!(stored[&("notes".to_owned(), "changed".to_owned())]["title"], "before");
    trial.device.wait_for_title("new", "after").await.unwrap();
    trial.device.wait_for_title("changed", "before").await.unwrap();
    let lacking: Vec<_> = stored.iter().filter(|(key, item)| trial.device.items.get(*key) != Some(item)).collect();
    assert!(lacking.is_empty(), "The device lacks {lacking:?}.");
    // A device that comes back gets everything, too.
    let (token, project) = (trial.token.clone(), trial.world.project.clone());
    trial.device = trial.device.reconnect(&trial.app, &token, &project, vec![]).await;
    assert!(stored.iter().all(|(key, item)| trial.device.items.get(key) == Some(item)));

    let last = trial.events().await.0.pop_last().unwrap();
    eventually(async || trial.has_received(last).then_some(())).await;
    let received = trial.receiver.received();
    let mut events: BTreeMap<&str, &str> = BTreeMap::new();
    for request in &received {
        let other = events.insert(&request.headers["webhook-id"], &request.body);
        assert!(other.is_none_or(|other| other == request.body), "{other:?} has the same ID as {}.", request.body);
    }
}

/// Writes what is lost afterwards.
async fn write_lost(trial: &mut Trial) {
    trial.put_everywhere("changed", "lost").await;
    for number in 0..10 {
        trial.put_everywhere(&format!("lost{number}"), "lost").await;
    }
    sleep(RECORDED).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_older_copy_of_the_data_directory_begins_a_history() {
    let cluster = Cluster::start().await;
    let trial = Trial::start(&cluster.url()).await;
    go_back(trial, async |trial| {
        cluster.stop();
        let copy = cluster.copy_data();
        cluster.resume();
        write_lost(trial).await;
        cluster.stop();
        cluster.replace_data(&copy);
        cluster.resume();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_promotion_of_a_standby_that_lags_begins_a_history() {
    let primary = Cluster::start().await;
    let standby = primary.standby().await;
    let url = format!("postgres://steward@{},{}/postgres?sslmode=disable", primary.host(), standby.host());
    let trial = Trial::start(&url).await;
    go_back(trial, async |trial| {
        let changed = "SELECT 1 / count(*) FROM items WHERE id = 'changed'";
        eventually(async || standby.accepts(changed).then_some(())).await;
        sleep(RECORDED).await;
        standby.stop_following();
        write_lost(trial).await;
        primary.stop();
        standby.promote();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn recovery_to_a_point_in_time_begins_a_history() {
    let cluster = Cluster::start().await;
    cluster.archive_log();
    let trial = Trial::start(&cluster.url()).await;
    cluster.stop();
    let copy = cluster.copy_data();
    cluster.resume();
    until_ready(&trial.app).await;
    go_back(trial, async |trial| {
        cluster.name_state("before");
        write_lost(trial).await;
        cluster.recover(&copy, "before");
    })
    .await;
}
