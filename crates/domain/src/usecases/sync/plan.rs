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
}

/// The writes of a message, ordered by key, and its rejected changes.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Plan {
    pub writes: Vec<PlannedWrite>,
    pub rejected: Vec<Rejected>,
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
    pub fn plan(mut self, loaded: &'a [StoredItem], changes: &'a [SyncChange]) -> Result<Plan, Error> {
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
mod tests {
    use serde_json::json;

    use super::*;
    use crate::mocks::{id_of, instant};
    use crate::model::{ItemValue, Revision};

    fn schema() -> Document {
        let notes = json!({"fields": {
            "title": {"type": "string", "required": true}, "rank": {"type": "number"}, "meta": {"type": "json"},
        }});
        Document::parse(&json!({"project_id": "p", "version": 1, "tables": {"notes": notes}})).unwrap()
    }

    fn owner() -> (ProjectId, ProjectUserId) {
        (id_of("project").into(), id_of("user").into())
    }

    fn key(id: &str) -> SyncKey {
        SyncKey { table: "notes".into(), id: id.into() }
    }

    fn stored(id: &str, fields: Value) -> StoredItem {
        let (project_id, user_id) = owner();
        let value = ItemValue::of(fields.as_object().unwrap());
        let item = Item { project_id, user_id, table: "notes".into(), id: ItemId::parse(id).unwrap(), value };
        StoredItem { item, created_at: instant(), updated_at: instant(), revision: Revision(7) }
    }

    fn put(id: &str, fields: Value) -> SyncChange {
        SyncChange { key: key(id), edit: SyncEdit::Put(fields.as_object().unwrap().clone()) }
    }

    fn update(id: &str, paths: Value) -> SyncChange {
        SyncChange { key: key(id), edit: SyncEdit::Update(paths.as_object().unwrap().clone()) }
    }

    fn delete(id: &str) -> SyncChange {
        SyncChange { key: key(id), edit: SyncEdit::Delete }
    }

    fn plan(loaded: &[StoredItem], changes: &[SyncChange]) -> Plan {
        Planner::new(&schema(), owner(), &BTreeMap::new()).plan(loaded, changes).unwrap()
    }

    /// The writes as text: the ID, the fields after a put, and its precondition.
    fn writes(plan: &Plan) -> Vec<String> {
        let shown = |write: &PlannedWrite| match write {
            PlannedWrite::Put { item, when, .. } => format!("{} {} {when:?}", item.id.as_str(), item.value.as_str()),
            PlannedWrite::Remove(place) => format!("{} removed", place.id.as_str()),
        };
        plan.writes.iter().map(shown).collect()
    }

    fn codes(plan: &Plan) -> Vec<(&str, &str)> {
        plan.rejected.iter().map(|rejected| (rejected.key.id.as_str(), rejected.reason.code)).collect()
    }

    #[test]
    fn each_item_is_written_once_in_the_order_of_the_keys() {
        let changes = [
            put("b", json!({"id": "b", "title": "B"})),
            update("a", json!({"rank": 2})),
            delete("c"),
            update("b", json!({"meta.x": 1})),
        ];
        let loaded = [stored("a", json!({"title": "A"})), stored("c", json!({"title": "C"}))];
        assert_eq!(
            writes(&plan(&loaded, &changes)),
            [
                r#"a {"title":"A","rank":2} Matches([Revision(7)])"#,
                r#"b {"title":"B","meta":{"x":1}} None"#,
                "c removed",
            ]
        );
    }

    #[test]
    fn a_put_and_an_update_create_a_missing_item_and_deleting_it_changes_nothing() {
        let plan = plan(&[], &[put("a", json!({"title": "A"})), update("b", json!({"title": "B"})), delete("c")]);
        assert_eq!(writes(&plan), [r#"a {"title":"A"} None"#, r#"b {"title":"B"} Absent"#]);
        assert!(plan.rejected.is_empty() && plan.writes.iter().all(PlannedWrite::grows));
    }

    #[test]
    fn changes_that_are_stored_already_result_in_no_write() {
        let loaded = [stored("a", json!({"title": "A", "meta": {"x": 1}}))];
        let changes =
            [put("a", json!({"meta": {"x": 1}, "title": "A", "rank": null})), update("a", json!({"meta.x": 1}))];
        assert_eq!(plan(&loaded, &changes), Plan::default());
        let back = [update("a", json!({"rank": 1})), update("a", json!({"rank": null}))];
        assert_eq!(plan(&loaded, &back), Plan::default());
    }

    #[test]
    fn a_change_that_does_not_fit_is_rejected_alone() {
        let large = "x".repeat(Item::MAX_BYTES);
        let other = SyncChange { key: SyncKey { table: "other".into(), id: "x".into() }, ..put("x", json!({})) };
        let changes = [
            put("a", json!({"title": 1})),
            put("b", json!({"title": "B"})),
            put("c", json!({"title": large})),
            put("d e", json!({"title": "D"})),
            put("f", json!({})),
            put("g", json!({"title": "\0"})),
            other,
        ];
        let plan = plan(&[], &changes);
        assert_eq!(writes(&plan), [r#"b {"title":"B"} None"#]);
        assert_eq!(
            codes(&plan),
            [
                ("a", "invalid_item"),
                ("c", "item_too_large"),
                ("d e", "invalid_key"),
                ("f", "invalid_item"),
                ("g", "invalid_item"),
                ("x", "unknown_table"),
            ]
        );
    }

    #[test]
    fn fields_that_the_schema_lacks_are_reported_and_not_stored() {
        let plan =
            plan(&[], &[put("a", json!({"title": "A", "old": 1})), update("b", json!({"title": "B", "old.x": 1}))]);
        assert_eq!(writes(&plan), [r#"a {"title":"A"} None"#, r#"b {"title":"B"} Absent"#]);
        assert_eq!(codes(&plan), [("a", "unknown_field"), ("b", "unknown_field")]);
    }

    #[test]
    fn changes_to_a_refused_item_are_rejected() {
        let reason = Reason::new("quota_exceeded", "The limit is reached.".into());
        let refused = BTreeMap::from([(key("a"), reason)]);
        let (schema, changes) = (schema(), [put("a", json!({"title": "A"})), put("b", json!({"title": "B"}))]);
        let plan = Planner::new(&schema, owner(), &refused).plan(&[], &changes).unwrap();
        assert_eq!((writes(&plan).len(), codes(&plan)), (1, vec![("a", "quota_exceeded")]));
    }
}
