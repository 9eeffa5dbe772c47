//! A message of a device that is not acknowledged yet, and its writes in the history.

use serde_json::{Value, json};

use super::items::{delete, put, update};
use crate::History;

/// Changes that a device sends together.
#[derive(Debug, Default)]
pub struct Pending {
    pub changes: Vec<Value>,
    /// The items whose titles it writes; `None` deletes the item.
    titles: Vec<(String, Option<String>)>,
    /// The numbers of its writes in the history, once it was sent.
    writes: Vec<usize>,
}

impl Pending {
    pub fn put(&mut self, id: &str, title: &str) {
        self.add(id, Some(title), put(id, json!({"id": id, "title": title})));
    }

    pub fn set_title(&mut self, id: &str, title: &str) {
        self.add(id, Some(title), update(id, json!({"title": title})));
    }

    /// Changes the rank. It is rejected if the item does not exist, because items must have a title.
    pub fn set_rank(&mut self, id: &str, rank: u64) {
        self.changes.push(update(id, json!({"rank": rank})));
    }

    pub fn delete(&mut self, id: &str) {
        self.add(id, None, delete(id));
    }

    fn add(&mut self, id: &str, title: Option<&str>, change: Value) {
        self.changes.push(change);
        // Of several changes of an item, the last one counts.
        self.titles.retain(|(other, _)| other != id);
        self.titles.push((id.to_owned(), title.map(str::to_owned)));
    }

    /// Records that the message is sent, unless it was sent before.
    pub fn begin(&mut self, history: &History) {
        if self.writes.is_empty() {
            self.writes = self.titles.iter().map(|(id, title)| history.begin(id, title.as_deref())).collect();
        }
    }

    /// Records that the message was acknowledged.
    pub fn acknowledge(&self, history: &History) {
        self.writes.iter().for_each(|write| history.acknowledge(*write));
    }
}
