//! The database goes back to an earlier state while the service runs, with a device and a webhook receiver: no ID is
//! given twice, the device gets everything, and the feed says that history changed
//! (docs/decisions/0047-position-domains.md).

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use steward_tests::device::{Device, DeviceState, Items, listed_items};
use steward_tests::{Actor, App, Client, Cluster, Receiver, World, eventually};

use crate::until_ready;

struct Trial<'a> {
    /// The server that the service writes to first.
    primary: &'a Cluster,
    app: App,
    world: World,
    receiver: Receiver,
    token: String,
    device: Device,
}

impl<'a> Trial<'a> {
    async fn start(primary: &'a Cluster, url: &str) -> Self {
        let app = App::start_on_database(url, &[("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true")]).await;
        let world = World::make(&app, "acme").await;
        app.person("ann").await;
        let receiver = Receiver::start().await;
        let hook = json!({"url": receiver.url, "events": ["item.created", "item.updated"]});
        world.owner.post(&format!("/project/{}/webhook", world.project), hook).await.created();
        let tokens = Client::of(&app, &world).tokens(&app, "ann", &[("scope", "openid app:db:write")]).await;
        let token = tokens["access_token"].as_str().unwrap().to_owned();
        let device = Device::start(&app, &token, &world.project).await;
        Self { primary, app, world, receiver, token, device }
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
        self.until_device_has(id, title).await;
        let last = self.last_position().await;
        eventually(async || self.has_received(last).then_some(())).await;
    }

    /// Waits until the device has this item and all events so far. The service closes the connection of a device that
    /// it cannot read the changes for, because the database does not respond. Then the device connects again.
    async fn until_device_has(&mut self, id: &str, title: &str) {
        let last = self.last_position().await;
        eventually(async || {
            if self.device.listen(Duration::from_millis(50)).await.is_err() {
                self.reconnect().await;
            }
            (self.device.title(id) == title && self.device.revision >= Some(last)).then_some(())
        })
        .await;
    }

    /// Connects the device again, as soon as the service can serve it.
    async fn reconnect(&mut self) {
        self.device = self.connected(&self.device.state()).await;
    }

    async fn connected(&self, state: &DeviceState) -> Device {
        eventually(async || {
            let mut device = state.connect(&self.app.base, &self.token, &self.world.project).await.ok()?;
            device.try_push(&[]).await.ok()?;
            device.try_subscribe().await.ok()?;
            Some(device)
        })
        .await
    }

    /// Waits until a server has recorded that devices received everything.
    async fn until_recorded_in(&self, server: &Cluster) {
        let last = self.last_position().await;
        let recorded = format!("SELECT 1 / count(*) FROM audit_progress WHERE delivered >= {last}");
        eventually(async || server.accepts(&recorded).then_some(())).await;
    }

    /// How often the log says that changes could not be read: at most once a second.
    fn failed_reads(&self) -> usize {
        self.app.log().matches("Unable to read the changes for connected devices.").count()
    }

    async fn last_position(&self) -> i64 {
        self.events().await.0.pop_last().unwrap()
    }

    /// Reads as soon as the service can read.
    async fn read(caller: &Actor, path: &str) -> Value {
        eventually(async || {
            let response = caller.get(path).await;
            (response.status.as_u16() != 503).then_some(response)
        })
        .await
        .ok()
        .0
    }

    async fn stored(&self) -> Items {
        listed_items("notes", &Self::read(&self.ann(), &self.notes()).await)
    }

    /// The positions of all changes of items, and the history that the feed reports.
    async fn events(&self) -> (BTreeSet<i64>, i64, i64) {
        let path = format!("/project/{}/event?limit=1000", self.world.project);
        let feed = Self::read(&self.world.owner, &path).await;
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
async fn go_back<'a>(mut trial: Trial<'a>, lose: impl AsyncFnOnce(&mut Trial<'a>)) {
    trial.put_everywhere("kept", "before").await;
    trial.put_everywhere("changed", "before").await;
    trial.until_recorded_in(trial.primary).await;
    let (kept, history, _) = trial.events().await;
    let revision = trial.device.revision.unwrap();
    // This device is away while the changes that are lost are made, and so do not reach it.
    let away = trial.device.state();

    let (began, before) = (Instant::now(), trial.failed_reads());
    lose(&mut trial).await;
    until_ready(&trial.app).await;
    trial.put("new", "after").await;
    let (lines, seconds) = (trial.failed_reads() - before, began.elapsed().as_secs());
    assert!(lines <= usize::try_from(seconds).unwrap() + 1, "{lines} lines in {seconds} s");
    let (_, new_history, after) = trial.events().await;
    assert_eq!(new_history, history + 1);
    assert!(after >= *kept.last().unwrap() && after <= revision, "{after} {kept:?} {revision}");

    let stored = trial.stored().await;
    assert_eq!(stored[&("notes".to_owned(), "changed".to_owned())]["title"], "before");
    trial.until_device_has("new", "after").await;
    trial.until_device_has("changed", "before").await;
    let lacking: Vec<_> = stored.iter().filter(|(key, item)| trial.device.items.get(*key) != Some(item)).collect();
    assert!(lacking.is_empty(), "The device lacks {lacking:?}.");
    // Items that were created and then lost remain on the device: nobody knows them any more.
    let lost = trial.device.items.len() - stored.len();
    // Devices that come back get everything, too. The one that was away, and a new one, are equal to the service.
    trial.reconnect().await;
    assert!(stored.iter().all(|(key, item)| trial.device.items.get(key) == Some(item)));
    for state in [away, DeviceState::default()] {
        assert_eq!(trial.connected(&state).await.items, stored);
    }

    let last = trial.last_position().await;
    eventually(async || trial.has_received(last).then_some(())).await;
    let received = trial.receiver.received();
    let mut events: BTreeMap<&str, &str> = BTreeMap::new();
    for request in &received {
        let other = events.insert(&request.headers["webhook-id"], &request.body);
        assert!(other.is_none_or(|other| other == request.body), "{other:?} has the same ID as {}.", request.body);
    }
    println!(
        "After the database went back: {} webhook messages with {} IDs, 0 given twice; a connected device keeps {lost} lost \
         items and has all others, one that was away and a new one are equal.",
        received.len(),
        events.len()
    );
}

/// Writes what is lost afterwards.
async fn write_lost(trial: &mut Trial<'_>) {
    trial.put_everywhere("changed", "lost").await;
    for number in 0..10 {
        trial.put_everywhere(&format!("lost{number}"), "lost").await;
    }
    trial.until_recorded_in(trial.primary).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_older_copy_of_the_data_directory_begins_a_history() {
    let cluster = Cluster::start().await;
    let trial = Trial::start(&cluster, &cluster.url()).await;
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
    let trial = Trial::start(&primary, &url).await;
    go_back(trial, async |trial| {
        trial.until_recorded_in(&standby).await;
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
    let trial = Trial::start(&cluster, &cluster.url()).await;
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
