//! Decides which writes the changes of a device result in, and which changes are rejected.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::fields;
use super::reason::{SyncCorrections, SyncReason};
use super::room::{Room, Size};
use crate::data::item::checked;
use crate::data::schema::Document;
use crate::data::{Item, ItemId, ItemPath, ItemValue, StoredItem, SyncChange, SyncEdit, SyncKey};
use crate::kernel::error::Error;
use crate::kernel::violations::quoted;
use crate::kernel::{Precondition, ProjectId, ProjectUserId};

/// Maximum size of the items that a message writes, in bytes. Few small updates of many large items exceed it.
const MAX_WRITTEN_BYTES: usize = 32 * 1024 * 1024;

/// Fields of an item by name.
type Fields = Map<String, Value>;

/// A change that is not stored, or not completely.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rejected {
    pub key: SyncKey,
    pub reason: SyncReason,
}

/// The write that the changes to one item result in.
#[derive(Debug, PartialEq)]
pub(super) enum PlannedWrite {
    Put { item: Item, when: Precondition, grows: bool },
    Remove(ItemPath),
}

impl PlannedWrite {
    pub fn table(&self) -> &str {
        match self {
            Self::Put { item, .. } => &item.table,
            Self::Remove(place) => &place.table,
        }
    }

    /// Writes that free space come first: a store may count each one.
    fn turn(&self) -> u8 {
        match self {
            Self::Remove(_) => 0,
            Self::Put { grows: false, .. } => 1,
            Self::Put { grows: true, .. } => 2,
        }
    }
}

/// The writes of a message, and its rejected changes.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Plan {
    pub writes: Vec<PlannedWrite>,
    pub rejected: Vec<Rejected>,
}

/// The fields of an item, and the item to store.
struct Draft {
    fields: Fields,
    item: Option<Item>,
}

/// An item while the changes to it are applied in their order.
struct Edited<'a> {
    loaded: Option<&'a StoredItem>,
    /// Fields of the loaded item.
    before: Option<Fields>,
    after: Option<Draft>,
    /// What the stored item must meet, if the result depends on it.
    when: Precondition,
    /// Size of the write that results so far, in bytes.
    written: usize,
}

/// Everything that decides about the changes of a message, and what was decided so far.
pub(super) struct Planner {
    schema: Arc<Document>,
    owner: (ProjectId, ProjectUserId),
    /// What the changes may add; `None` if the store finds out.
    room: Option<Room>,
    /// The writes so far, and their size in bytes.
    writes: BTreeMap<SyncKey, PlannedWrite>,
    written: usize,
    /// Why items were not created, for lack of room: updates would create parts of them. `None` once they were deleted.
    uncreated: HashMap<SyncKey, Option<SyncReason>>,
    /// The corrections of the earlier portions of the message, which have the same reasons.
    earlier: Arc<SyncCorrections>,
    /// Names of the fields of each table that was used so far.
    known: HashMap<String, HashSet<String>>,
    rejected: Vec<Rejected>,
}

impl Planner {
    /// Begins the plan of a message, or of a portion whose earlier portions have these corrections.
    pub fn new(
        schema: Arc<Document>,
        owner: (ProjectId, ProjectUserId),
        earlier: Arc<SyncCorrections>,
        room: Option<Room>,
    ) -> Self {
        Self {
            schema,
            owner,
            room,
            writes: BTreeMap::new(),
            written: 0,
            uncreated: HashMap::new(),
            earlier,
            known: HashMap::new(),
            rejected: Vec::new(),
        }
    }

    /// Applies the next changes, each if it fits after those before it. `loaded` has the stored items to which they are.
    pub fn apply<'a>(
        mut self,
        loaded: &'a [StoredItem],
        changes: impl IntoIterator<Item = &'a SyncChange>,
    ) -> Result<Self, Error> {
        let loaded: HashMap<(&str, &str), &StoredItem> =
            loaded.iter().map(|stored| ((stored.item.table.as_str(), stored.item.id.as_str()), stored)).collect();
        let mut edited: BTreeMap<&SyncKey, Edited<'_>> = BTreeMap::new();
        for change in changes {
            let key = &change.key;
            let item = match edited.entry(key) {
                Entry::Occupied(item) => item.into_mut(),
                Entry::Vacant(place) => {
                    let loaded = loaded.get(&(key.table.as_str(), key.id.as_str())).copied();
                    place.insert(Edited::of(loaded, self.writes.remove(key))?)
                }
            };
            let rejected = self.rejected.len();
            if let Err(reason) = self.change(item, change) {
                // A change that is not stored at all has only this reason.
                self.rejected.truncate(rejected);
                self.reject(key, reason);
            }
        }
        for (key, item) in edited {
            if let Some(write) = item.write(self.owner, key) {
                self.writes.insert(key.clone(), write);
            }
        }
        Ok(self)
    }

    /// Returns the plan for all changes that were applied. Items are locked in the order of their keys, as long as none
    /// frees space for others, so that two messages rarely deadlock.
    pub fn finish(self) -> Plan {
        let mut writes: Vec<PlannedWrite> = self.writes.into_values().collect();
        writes.sort_by_key(PlannedWrite::turn);
        Plan { writes, rejected: self.rejected }
    }

    fn reject(&mut self, key: &SyncKey, reason: SyncReason) {
        self.rejected.push(Rejected { key: key.clone(), reason });
    }

    fn change(&mut self, edited: &mut Edited<'_>, change: &SyncChange) -> Result<(), SyncReason> {
        let key = &change.key;
        let is_new = edited.after.is_none() && change.edit != SyncEdit::Delete;
        let id = if is_new { ItemId::parse(&key.id) } else { ItemId::stored(&key.id) };
        let id = id.map_err(|error| SyncReason::new("invalid_key", format!("The key {error}.")))?;
        let (sent, fields) = match &change.edit {
            SyncEdit::Delete => return self.delete(edited, key),
            _ if !self.schema.has_table(&key.table) => {
                let message = format!("Table {} not found in schema", quoted(&key.table));
                return Err(SyncReason::new("unknown_table", message));
            }
            SyncEdit::Put(object) => {
                let sent = self.known_fields(key, Item::fields_of(object.clone()));
                (sent.clone(), sent)
            }
            SyncEdit::Update(paths) => {
                if let Some(reason) = self.why_uncreated(key).filter(|_| edited.after.is_none()) {
                    return Err(reason.clone());
                }
                self.updated(key, edited.after.as_ref(), paths)?
            }
        };
        if !sent.values().all(fields::is_storable) {
            let message = "A value has a NUL character, is nested too deeply, or is a number that would be changed.";
            return Err(SyncReason::new("invalid_item", message.to_owned()));
        }
        let (project_id, user_id) = self.owner;
        let place = ItemPath { project_id, user_id, table: key.table.clone(), id };
        let fields = Item::without_nulls(fields);
        let item = checked(&self.schema, &place, &sent, fields.clone()).map_err(|error| SyncReason::of(&error))?;
        let bytes = if edited.before.as_ref() == Some(&fields) { 0 } else { item.value.as_str().len() };
        if let Err(reason) = self.resize(edited, Size::of(&item.value), bytes) {
            if edited.after.is_none() {
                self.uncreated.insert(key.clone(), Some(reason.clone()));
            }
            return Err(reason);
        }
        if matches!(change.edit, SyncEdit::Put(_)) {
            edited.when = Precondition::None;
        }
        edited.after = Some(Draft { fields, item: Some(item) });
        Ok(())
    }

    fn delete(&mut self, edited: &mut Edited<'_>, key: &SyncKey) -> Result<(), SyncReason> {
        self.resize(edited, Size::default(), 0)?;
        if self.why_uncreated(key).is_some() {
            self.uncreated.insert(key.clone(), None);
        }
        (edited.after, edited.when) = (None, Precondition::None);
        Ok(())
    }

    /// Returns why a change before did not create the item.
    fn why_uncreated(&self, key: &SyncKey) -> Option<&SyncReason> {
        match self.uncreated.get(key) {
            Some(known) => known.as_ref(),
            None => self.earlier.reason(key).filter(|reason| reason.is_of_quota()),
        }
    }

    /// Takes the room that an item needs after a change, of which `written` bytes are written. Changes nothing if there
    /// is too little.
    fn resize(&mut self, edited: &mut Edited<'_>, after: Size, written: usize) -> Result<(), SyncReason> {
        let all = self.written.saturating_sub(edited.written).saturating_add(written);
        if all > MAX_WRITTEN_BYTES {
            let message = "The items that a message changes have more than 32 MiB.".to_owned();
            return Err(SyncReason::new("item_too_large", message));
        }
        if let Some(room) = &mut self.room {
            room.resize(edited.size(), after)?;
        }
        (self.written, edited.written) = (all, written);
        Ok(())
    }

    /// Returns the changed fields and all fields after values at these paths were set.
    fn updated(
        &mut self,
        key: &SyncKey,
        before: Option<&Draft>,
        paths: &Map<String, Value>,
    ) -> Result<(Fields, Fields), SyncReason> {
        let mut fields = before.map(|draft| draft.fields.clone()).unwrap_or_default();
        let name_of = |path: &str| path.split('.').next().unwrap_or_default().to_owned();
        let names: Map<String, Value> = paths.keys().map(|path| (name_of(path), Value::Null)).collect();
        let changed = self.known_fields(key, Item::fields_of(names));
        for (path, value) in paths.iter().filter(|(path, _)| changed.contains_key(&name_of(path))) {
            fields::set(&mut fields, path, value)
                .map_err(|problem| SyncReason::new("invalid_item", format!("The path {} {problem}.", quoted(path))))?;
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
        let schema = &self.schema;
        let names = || schema.fields(&key.table).into_iter().map(|(name, _)| name.to_owned()).collect();
        let known = self.known.entry(key.table.clone()).or_insert_with(names);
        let unknown = sent.keys().find(|name| !known.contains(*name)).map(|name| SyncReason::unknown_field(name));
        if let Some(reason) = unknown {
            sent.retain(|name, _| known.contains(name));
            self.reject(key, reason);
        }
        sent
    }
}

impl<'a> Edited<'a> {
    /// Begins with the stored item, or continues with the write that earlier changes result in.
    fn of(loaded: Option<&'a StoredItem>, planned: Option<PlannedWrite>) -> Result<Self, Error> {
        let before = loaded.map(|stored| stored.item.value.fields()).transpose()?;
        let (after, when) = match planned {
            Some(PlannedWrite::Put { item, when, .. }) => {
                (Some(Draft { fields: item.value.fields()?, item: Some(item) }), when)
            }
            Some(PlannedWrite::Remove(_)) => (None, Precondition::None),
            None => {
                let revision = |stored: &StoredItem| Precondition::Matches(vec![stored.revision]);
                let after = before.clone().map(|fields| Draft { fields, item: None });
                (after, loaded.map_or(Precondition::Absent, revision))
            }
        };
        let item = after.as_ref().and_then(|draft| draft.item.as_ref());
        let written = item.map_or(0, |item| item.value.as_str().len());
        Ok(Self { loaded, before, after, when, written })
    }

    fn size(&self) -> Size {
        match &self.after {
            None => Size::default(),
            Some(Draft { item: Some(item), .. }) => Size::of(&item.value),
            // Not the loaded text, in which a store may have added spaces.
            Some(Draft { fields, item: None }) => Size::of(&ItemValue::of(fields)),
        }
    }

    /// Returns the write that results from all changes; `None` if they change nothing.
    fn write(self, (project_id, user_id): (ProjectId, ProjectUserId), key: &SyncKey) -> Option<PlannedWrite> {
        match (self.loaded, self.after) {
            (Some(_), None) => {
                let id = ItemId::stored(&key.id).ok()?;
                Some(PlannedWrite::Remove(ItemPath { project_id, user_id, table: key.table.clone(), id }))
            }
            (loaded, Some(Draft { fields, item: Some(item) })) if self.before.as_ref() != Some(&fields) => {
                let size = loaded.map_or(0, |stored| stored.item.value.as_str().len());
                let grows = loaded.is_none() || item.value.as_str().len() > size;
                Some(PlannedWrite::Put { item, when: self.when, grows })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
