//! The service of a case, the person whose items change, and the changes so far.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::json;
use steward_tests::device::{Items, listed_items};
use steward_tests::{Answer, App, Backend, Client, History};

use super::super::{Synced, WRITE};
use super::{Door, ITEMS};

pub struct Case {
    pub app: App,
    pub ann: Synced,
    pub history: History,
    next_value: AtomicU64,
    /// Path of the user in the project.
    user: String,
}

/// The ID of an item.
pub fn id(item: usize) -> String {
    format!("item{item}")
}

impl Case {
    pub async fn begin(backend: Backend) -> Self {
        let app = App::start(backend).await;
        let ann = Synced::make(&app, WRITE).await;
        let user = ann.user().await;
        Self { app, ann, history: History::default(), next_value: AtomicU64::new(0), user }
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
        self.conclude(&writes, &answer);
    }

    fn conclude(&self, writes: &[usize], answer: &Answer) {
        assert!(answer.status.is_success() || answer.status.is_client_error(), "{answer}");
        for write in writes {
            match answer.status.is_success() {
                true => self.history.acknowledge(*write),
                false => self.history.refuse(*write),
            }
        }
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
        listed_items("notes", &self.ann.ann(&self.app).get(&self.ann.notes()).await.ok().0)
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
