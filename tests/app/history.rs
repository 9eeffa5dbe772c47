//! The writes of several callers to the same items, and whether what is stored follows from them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard};

/// A write of the value of an item; `None` deletes the item.
#[derive(Debug)]
struct Write {
    /// The item; empty while the caller does not know it.
    key: String,
    value: Option<String>,
    began: u64,
    /// When it was acknowledged.
    ended: Option<u64>,
    is_refused: bool,
}

#[derive(Default)]
struct Events {
    now: u64,
    writes: Vec<Write>,
}

impl Events {
    fn tick(&mut self) -> u64 {
        self.now += 1;
        self.now
    }
}

/// The writes so far. Each value MUST be written only once.
#[derive(Default)]
pub struct History(Mutex<Events>);

impl History {
    /// Records that a write begins, and returns its number. The key of an item that the service names is empty.
    pub fn begin(&self, key: &str, value: Option<&str>) -> usize {
        let mut events = self.events();
        let began = events.tick();
        let (key, value) = (key.to_owned(), value.map(str::to_owned));
        events.writes.push(Write { key, value, began, ended: None, is_refused: false });
        events.writes.len() - 1
    }

    /// Records that the service acknowledged a write.
    pub fn acknowledge(&self, write: usize) {
        let mut events = self.events();
        events.writes[write].ended = Some(events.tick());
    }

    /// Records that the service acknowledged the creation of an item with this key.
    pub fn created(&self, write: usize, key: &str) {
        self.events().writes[write].key = key.to_owned();
        self.acknowledge(write);
    }

    /// Records that the service refused a write.
    pub fn refuse(&self, write: usize) {
        self.events().writes[write].is_refused = true;
    }

    /// Number of acknowledged writes.
    pub fn acknowledged(&self) -> usize {
        self.events().writes.iter().filter(|write| write.ended.is_some()).count()
    }

    /// Panics unless each stored value is that of a write that no later acknowledged write has overwritten.
    pub fn check(&self, stored: &BTreeMap<String, String>) {
        let events = self.events();
        let writes: Vec<&Write> = events.writes.iter().filter(|write| !write.is_refused).collect();
        let written = writes.iter().map(|write| &write.key).filter(|key| !key.is_empty());
        let keys: BTreeSet<&String> = written.chain(stored.keys()).collect();
        for key in keys {
            let value = stored.get(key);
            let of_key: Vec<&&Write> = writes.iter().filter(|write| write.key == *key).collect();
            let is_last = |ended: Option<u64>| {
                ended.is_none_or(|ended| !of_key.iter().any(|later| later.ended.is_some() && later.began > ended))
            };
            // A creation without a response, whose key is not known.
            let is_lost_creation = || writes.iter().any(|write| write.key.is_empty() && write.value.as_ref() == value);
            let is_explained = match value {
                None => is_last(Some(0)) || of_key.iter().any(|write| write.value.is_none() && is_last(write.ended)),
                Some(_) => {
                    of_key.iter().any(|write| write.value.as_ref() == value && is_last(write.ended))
                        || of_key.is_empty() && is_lost_creation()
                }
            };
            assert!(is_explained, "A write of {key} is lost: {value:?} is stored after {of_key:#?}");
        }
    }

    fn events(&self) -> MutexGuard<'_, Events> {
        self.0.lock().unwrap()
    }
}
