//! Decides which writes the changes of a device result in, and which changes are rejected.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::{Map, Value};

use super::fields;
use crate::error::Error;
use crate::model::schema::Document;
use crate::model::{
    Item, ItemId, ItemPath, Precondition, ProjectId, ProjectUserId, StoredItem, SyncChange, SyncEdit, SyncKey,
};
use crate::usecases::items::checked;
use crate::violations::quoted;

/// Maximum size of the items that a message writes, in bytes. Few small updates of many large items exceed it.
const MAX_WRITTEN_BYTES: usize = 32 * 1024 * 1024;

/// Fields of an item by name.
type Fields = Map<String, Value>;

/// Why a change is rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reason {
    pub code: &'static str,
    pub message: String,
}

impl Reason {
    fn new(code: &'static str, message: String) -> Self {
        Self { code, message }
    }

    /// Returns the reason for a change that is not taken because its message, or the change itself, is too long.
    pub fn message_too_long() -> Self {
        let limit = "A message of a device can have 50,000 changes and 16 MiB, and a change 2 MiB.";
        Self::new("message_too_long", format!("{limit} The device must make this change again."))
    }

    /// Returns the reason for the error that the same change would cause in a request.
    pub fn of(error: &Error) -> Self {
        let message = match error {
            Error::InvalidItem(violations) => violations.as_slice().first().map(|first| first.message.clone()),
            _ => None,
        };
        Self::new(error.code().as_str(), message.unwrap_or_else(|| error.to_string()))
    }
}

/// A change that is not stored, or not completely.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rejected {
    pub key: SyncKey,
    pub reason: Reason,
}

/// The write that the changes to one item result in.
#[derive(Debug, PartialEq)]
pub(super) enum PlannedWrite {
    Put { item: Item, when: Precondition, grows: bool },
    Remove(ItemPath),
}

impl PlannedWrite {
    pub fn key(&self) -> SyncKey {
        let (table, id) = match self {
            Self::Put { item, .. } => (&item.table, &item.id),
            Self::Remove(place) => (&place.table, &place.id),
        };
        SyncKey { table: table.clone(), id: id.as_str().to_owned() }
    }

    /// Whether the write may count against a quota.
    pub fn grows(&self) -> bool {
        matches!(self, Self::Put { grows: true, .. })
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Put { item, .. } => item.value.as_str().len(),
            Self::Remove(_) => 0,
        }
    }
}

/// The writes of a message, ordered by key, and its rejected changes.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Plan {
    pub writes: Vec<PlannedWrite>,
    pub rejected: Vec<Rejected>,
}

impl Plan {
    /// Adds the plan for further items. Puts that would make the message too large are rejected.
    pub fn extend(&mut self, more: Self) {
        self.rejected.extend(more.rejected);
        let mut bytes: usize = self.writes.iter().map(PlannedWrite::bytes).sum();
        for write in more.writes {
            let with_write = bytes.saturating_add(write.bytes());
            if with_write > MAX_WRITTEN_BYTES {
                let message = "The items that a message changes have more than 32 MiB.".to_owned();
                self.rejected.push(Rejected { key: write.key(), reason: Reason::new("item_too_large", message) });
            } else {
                bytes = with_write;
                self.writes.push(write);
            }
        }
    }
}

/// The fields of an item, and the item to store.
struct Draft {
    fields: Map<String, Value>,
    item: Option<Item>,
}

/// An item while the changes to it are applied in their order.
struct Edited<'a> {
    loaded: Option<&'a StoredItem>,
    /// Fields of the loaded item.
    before: Option<Map<String, Value>>,
    after: Option<Draft>,
    /// Whether the result depends on the loaded item.
    depends: bool,
}

/// Everything that decides about a change.
pub(super) struct Planner<'a> {
    schema: &'a Document,
    owner: (ProjectId, ProjectUserId),
    /// Keys of items whose changes are rejected.
    refused: &'a BTreeMap<SyncKey, Reason>,
    /// Names of the fields of each table that was used so far.
    known: HashMap<String, HashSet<String>>,
    rejected: Vec<Rejected>,
}

impl<'a> Planner<'a> {
    pub fn new(
        schema: &'a Document,
        owner: (ProjectId, ProjectUserId),
        refused: &'a BTreeMap<SyncKey, Reason>,
    ) -> Self {
        Self { schema, owner, refused, known: HashMap::new(), rejected: Vec::new() }
    }

    /// Plans the writes. `loaded` has the stored items to which there are changes.
    pub fn plan(
        mut self,
        loaded: &'a [StoredItem],
        changes: impl IntoIterator<Item = &'a SyncChange>,
    ) -> Result<Plan, Error> {
        let loaded: HashMap<(&str, &str), &StoredItem> =
            loaded.iter().map(|stored| ((stored.item.table.as_str(), stored.item.id.as_str()), stored)).collect();
        // Items are locked in the order of their keys, so that two messages cannot deadlock.
        let mut edited: BTreeMap<&SyncKey, Edited<'_>> = BTreeMap::new();
        for change in changes {
            let key = &change.key;
            let item = match edited.entry(key) {
                Entry::Occupied(item) => item.into_mut(),
                Entry::Vacant(place) => {
                    let loaded = loaded.get(&(key.table.as_str(), key.id.as_str())).copied();
                    place.insert(Edited::of(loaded)?)
                }
            };
            if let Err(reason) = self.apply(item, change) {
                self.reject(key, reason);
            }
        }
        let owner = self.owner;
        let writes = edited.into_iter().filter_map(|(key, item)| item.write(owner, key)).collect();
        Ok(Plan { writes, rejected: self.rejected })
    }

    fn reject(&mut self, key: &SyncKey, reason: Reason) {
        self.rejected.push(Rejected { key: key.clone(), reason });
    }

    fn apply(&mut self, edited: &mut Edited<'_>, change: &SyncChange) -> Result<(), Reason> {
        let key = &change.key;
        if let Some(reason) = self.refused.get(key) {
            return Err(reason.clone());
        }
        let id = ItemId::parse(&key.id).map_err(|error| Reason::new("invalid_key", format!("The key {error}.")))?;
        if let SyncEdit::Delete = change.edit {
            (edited.after, edited.depends) = (None, false);
            return Ok(());
        }
        if !self.schema.has_table(&key.table) {
            let message = format!("Table {} not found in schema", quoted(&key.table));
            return Err(Reason::new("unknown_table", message));
        }
        let (sent, fields) = match &change.edit {
            SyncEdit::Put(object) => {
                let sent = self.known_fields(key, Item::fields_of(object.clone()));
                (sent.clone(), sent)
            }
            SyncEdit::Update(paths) => self.updated(key, edited.after.as_ref(), paths)?,
            SyncEdit::Delete => return Ok(()),
        };
        if !sent.values().all(fields::is_storable) {
            let message = "A value has a NUL character or is nested too deeply.".to_owned();
            return Err(Reason::new("invalid_item", message));
        }
        let (project_id, user_id) = self.owner;
        let place = ItemPath { project_id, user_id, table: key.table.clone(), id };
        let fields = Item::without_nulls(fields);
        let item = checked(self.schema, &place, &sent, fields.clone()).map_err(|error| Reason::of(&error))?;
        if matches!(change.edit, SyncEdit::Put(_)) {
            edited.depends = false;
        }
        edited.after = Some(Draft { fields, item: Some(item) });
        Ok(())
    }

    /// Returns the changed fields and all fields after values at these paths were set.
    fn updated(
        &mut self,
        key: &SyncKey,
        before: Option<&Draft>,
        paths: &Map<String, Value>,
    ) -> Result<(Fields, Fields), Reason> {
        let mut fields = before.map(|draft| draft.fields.clone()).unwrap_or_default();
        let name_of = |path: &str| path.split('.').next().unwrap_or_default().to_owned();
        let names: Map<String, Value> = paths.keys().map(|path| (name_of(path), Value::Null)).collect();
        let changed = self.known_fields(key, Item::fields_of(names));
        for (path, value) in paths.iter().filter(|(path, _)| changed.contains_key(&name_of(path))) {
            fields::set(&mut fields, path, value)
                .map_err(|problem| Reason::new("invalid_item", format!("The path {} {problem}.", quoted(path))))?;
        }
        let sent = changed.into_iter().map(|(name, _)| {
            let value = fields.get(&name).cloned().unwrap_or_default();
            (name, value)
        });
        Ok((sent.collect(), fields))
    }

    /// Removes the fields that the table does not have. Programs of users may be older or newer than the schema, so the
    /// rest is stored.
    fn known_fields(&mut self, key: &SyncKey, mut sent: Map<String, Value>) -> Map<String, Value> {
        let schema = self.schema;
        let names = || schema.fields(&key.table).into_iter().map(|(name, _)| name.to_owned()).collect();
        let known = self.known.entry(key.table.clone()).or_insert_with(names);
        let unknown = sent.keys().find(|name| !known.contains(*name)).map(|name| quoted(name));
        if unknown.is_some() {
            sent.retain(|name, _| known.contains(name));
        }
        if let Some(name) = unknown {
            self.reject(key, Reason::new("unknown_field", format!("Field {name} not found in schema")));
        }
        sent
    }
}

impl<'a> Edited<'a> {
    fn of(loaded: Option<&'a StoredItem>) -> Result<Self, Error> {
        let before = loaded.map(|stored| stored.item.value.fields()).transpose()?;
        let after = before.clone().map(|fields| Draft { fields, item: None });
        Ok(Self { loaded, before, after, depends: true })
    }

    /// Returns the write that results from all changes; `None` if they change nothing.
    fn write(self, (project_id, user_id): (ProjectId, ProjectUserId), key: &SyncKey) -> Option<PlannedWrite> {
        match (self.loaded, self.after) {
            (Some(_), None) => {
                let id = ItemId::parse(&key.id).ok()?;
                Some(PlannedWrite::Remove(ItemPath { project_id, user_id, table: key.table.clone(), id }))
            }
            (loaded, Some(Draft { fields, item: Some(item) })) if self.before.as_ref() != Some(&fields) => {
                let when = match loaded {
                    _ if !self.depends => Precondition::None,
                    Some(stored) => Precondition::Matches(vec![stored.revision]),
                    None => Precondition::Absent,
                };
                let size = loaded.map_or(0, |stored| stored.item.value.as_str().len());
                let grows = loaded.is_none() || item.value.as_str().len() > size;
                Some(PlannedWrite::Put { item, when, grows })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
