//! The service of a case, the person whose items change, and the changes so far.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::json;
use steward_tests::device::Items;
use steward_tests::{Answer, App, Backend, Client, History, eventually, free_port};

use super::super::{Synced, WRITE};
use super::{Door, ITEMS};

pub struct Case {
    pub app: App,
    pub ann: Synced,
    pub history: History,
    next_value: AtomicU64,
    /// Path of the user in the project.
    user: String,
    /// URL of the metrics.
    metrics: String,
}

/// The ID of an item.
pub fn id(item: usize) -> String {
    format!("item{item}")
}

/// Returns whether the service stored a change, or refused it for one of the only reasons that a case gives it: an item
/// that must exist is missing, or others change it at the same time.
fn is_stored(door: &Door, answer: &Answer) -> bool {
    let body = answer.json();
    match (door, answer.status.as_u16(), body["error"].as_str()) {
        (Door::Put(_), 200 | 201, None) => true,
        (Door::Patch(_) | Door::Delete(_) | Door::Batch(_), 200, None) => true,
        (Door::Patch(_) | Door::Delete(_) | Door::Batch(_), 404, Some("not_found")) => false,
        (Door::Patch(_) | Door::Delete(_) | Door::Batch(_), 409, Some("conflict")) => false,
        _ => panic!("{door:?}: {answer}"),
    }
}

impl Case {
    pub async fn begin(backend: Backend) -> Self {
        let metrics = format!("127.0.0.1:{}", free_port());
        let app = App::start_with(backend, &[("STEWARD_METRICS_BIND", &metrics)]).await;
        let ann = Synced::make(&app, WRITE).await;
        let user = ann.user().await;
        let metrics = format!("http://{metrics}/metrics");
        Self { app, ann, history: History::default(), next_value: AtomicU64::new(0), user, metrics }
    }

    /// A title that no other write has.
    pub fn next_value(&self) -> String {
        format!("Title {}", self.next_value.fetch_add(1, Ordering::Relaxed))
    }

    /// Changes items through the API. Items that must exist may be missing.
    pub async fn write(&self, door: &Door) {
        let (caller, notes, title) = (self.ann.ann(&self.app), self.ann.notes(), self.next_value());
        let (path, value) = (|item: usize| format!("{notes}/{}", id(item)), json!({"value": {"title": title}}));
        let begin = |item: usize, title: Option<&str>| self.history.begin(&id(item), title);
        let (writes, answer) = match door {
            Door::Put(item) => (vec![begin(*item, Some(title.as_str()))], caller.put(&path(*item), value).await),
            Door::Patch(item) => (vec![begin(*item, Some(title.as_str()))], caller.patch(&path(*item), value).await),
            Door::Delete(item) => (vec![begin(*item, None)], caller.delete(&path(*item)).await),
            Door::Post => {
                let write = self.history.begin("", Some(title.as_str()));
                let created = caller.post(&notes, value).await.created();
                self.history.created(write, &created.id());
                return;
            }
            Door::Batch(item) => {
                let other = (item + 1) % ITEMS;
                let writes = vec![begin(*item, Some(title.as_str())), begin(other, None)];
                let operations = json!([
                    {"op": "put", "id": id(*item), "value": {"title": title}},
                    {"op": "delete", "id": id(other)},
                ]);
                let batch = format!("{}/db/notes/batch", self.user);
                (writes, self.ann.world.key.post(&batch, json!({"operations": operations})).await)
            }
        };
        let is_stored = is_stored(door, &answer);
        for write in writes {
            match is_stored {
                true => self.history.acknowledge(write),
                false => self.history.refuse(write),
            }
        }
    }

    /// Waits until the service serves at most this many devices. It has then stored what it received from the others.
    pub async fn serves_at_most(&self, devices: usize) {
        eventually(async || self.served_devices().await.filter(|served| *served <= devices)).await;
    }

    /// Number of connections in the metrics; `None` if the service does not respond.
    async fn served_devices(&self) -> Option<usize> {
        let text = self.app.client.get(&self.metrics).send().await.ok()?.text().await.ok()?;
        let count = text.lines().find_map(|line| line.strip_prefix("steward_sync_connections "));
        let count = count.unwrap_or_else(|| panic!("The metrics have no number of connections:\n{text}"));
        Some(count.parse().unwrap())
    }

    pub async fn erase_user(&self) {
        self.ann.world.owner.delete(&self.user).await.ok();
    }

    pub async fn sign_in_again(&mut self) {
        let client = Client::of(&self.app, &self.ann.world);
        let tokens = client.tokens(&self.app, "ann", &[("scope", WRITE)]).await;
        self.ann.token = tokens["access_token"].as_str().unwrap().to_owned();
        self.user = self.ann.user().await;
        self.history = History::default();
    }

    pub async fn stored(&self) -> Items {
        self.ann.stored(&self.app).await
    }

    /// Checks that no acknowledged change is lost.
    pub fn check(&self, stored: &Items) {
        let title = |((_, id), item): (&(String, String), &serde_json::Value)| {
            (id.clone(), item["title"].as_str().unwrap().to_owned())
        };
        let titles: BTreeMap<String, String> = stored.iter().map(title).collect();
        self.history.check(&titles);
    }
}
