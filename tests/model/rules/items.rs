//! Items (docs/contract.md#items, docs/schema.md#items).

use serde_json::{Map, Value, json};

use crate::document;
use crate::expected::{
    Done, ExpectedError, INVALID_ITEM, NOT_CONNECTED, NOT_FOUND, Outcome, PRECONDITION, admitted, refuse_if,
};
use crate::operation::{Fields, ItemName, Items, Place, Tag, When};
use crate::world::{Caller, Item, Serves, World};

/// All fields of a case. Fields that an item does not have are expected to be absent.
const FIELDS: &[&str] = &["title", "rank", "done", "more", "what"];

impl World {
    pub fn take_item(&mut self, caller: Caller, operation: &Items) -> Outcome {
        match operation {
            Items::Put { place, fields, when } => self.put_item(caller, *place, fields, *when),
            Items::Post { place, fields } => {
                let value = present(fields);
                let user = self.writable(caller, *place, fields, &value)?;
                refuse_if(&[self.mismatch(user, place.table, fields, &value), self.not_connected(user)])?;
                self.items_made += 1;
                let item = ItemName::Made(self.items_made - 1);
                Ok(Done { status: 200, ..self.store(user, Place { item, ..*place }, value) })
            }
            Items::Patch { place, fields, when } => self.patch_item(caller, *place, fields, *when),
            Items::Delete { place, when } => self.delete_item(caller, *place, *when),
            Items::Read { place, when } => self.read_item(caller, *place, *when),
            Items::List { place } => {
                let user = self.user_of(caller, *place, "db:read")?;
                let items = self.users[user].tables.get(place.table).filter(|items| !items.is_empty());
                let is_in_schema = self.newest(self.users[user].project)["tables"].get(place.table).is_some();
                refuse_if(&[(items.is_none() && !is_in_schema, NOT_FOUND)])?;
                let facts: Vec<Value> = items.into_iter().flatten().rev().map(shown).collect();
                let pagination = json!({"limit": null, "offset": 0, "count": facts.len()});
                Ok(Done::ok(json!({"data": facts, "pagination": pagination})))
            }
        }
    }

    fn user_of(&self, caller: Caller, place: Place, needs: &str) -> Result<usize, Vec<ExpectedError>> {
        self.user_at(caller, place.user, place.elsewhere, needs, Vec::new())
    }

    /// Resolves a generated item name to an existing one.
    pub fn item_name(&self, item: ItemName) -> ItemName {
        match item {
            ItemName::Made(nth) => nth.checked_rem(self.items_made).map_or(ItemName::Chosen("three"), ItemName::Made),
            chosen => chosen,
        }
    }

    fn item(&self, user: usize, place: Place) -> Option<&Item> {
        let name = self.item_name(place.item);
        self.users[user].tables.get(place.table)?.iter().find(|item| item.name == name)
    }

    /// Returns the user to write for. The contract does not specify whether a missing user or an invalid value is
    /// reported first.
    fn writable(
        &self,
        caller: Caller,
        place: Place,
        sent: &Fields,
        value: &Map<String, Value>,
    ) -> Result<usize, Vec<ExpectedError>> {
        let access =
            self.in_project(caller, self.project_of_user(place.user, place.elsewhere), Serves::Keys, "db:write");
        let project = admitted(access, Vec::new())?;
        let violations = document::violations(self.projects[project].documents.last(), place.table, sent, value);
        self.user_of(caller, place, "db:write").map_err(|mut possible| {
            possible.extend((!violations.is_empty()).then_some(INVALID_ITEM));
            possible
        })
    }

    fn mismatch(&self, user: usize, table: &str, sent: &Fields, value: &Map<String, Value>) -> (bool, ExpectedError) {
        let project = &self.projects[self.users[user].project];
        (!document::violations(project.documents.last(), table, sent, value).is_empty(), INVALID_ITEM)
    }

    /// Returns the error for a user who is not connected: only data of connected users can be written.
    fn not_connected(&self, user: usize) -> (bool, ExpectedError) {
        (self.users[user].blocked, NOT_CONNECTED)
    }

    /// Returns the version that a precondition names at a location; `None` if no item ever had it.
    pub fn version_named(&self, user: Option<usize>, place: Place, tag: Tag) -> Option<usize> {
        let user = user?;
        let current = self.item(user, place).map(|item| item.version);
        let at = (user, place.table, self.item_name(place.item));
        let former = (0..self.versions.len()).rev().find(|id| self.versions[*id] == at && Some(*id) != current);
        match tag {
            Tag::Current => current,
            Tag::Former => former,
            Tag::Any | Tag::Foreign => None,
        }
    }

    /// Returns whether `If-Match` fails and whether `If-None-Match` fails (RFC 9110 §13.1).
    fn failing(&self, user: usize, place: Place, when: When) -> (bool, bool) {
        let current = self.item(user, place).map(|item| item.version);
        let matches = |tag: Tag| match tag {
            Tag::Any => current.is_some(),
            tag => current.is_some() && self.version_named(Some(user), place, tag) == current,
        };
        (when.matches.is_some_and(|tag| !matches(tag)), when.matches_none.is_some_and(matches))
    }

    fn put_item(&mut self, caller: Caller, place: Place, fields: &Fields, when: When) -> Outcome {
        let value = present(fields);
        let user = self.writable(caller, place, fields, &value)?;
        let (if_match_fails, if_none_match_fails) = self.failing(user, place, when);
        refuse_if(&[
            self.mismatch(user, place.table, fields, &value),
            self.not_connected(user),
            (if_match_fails || if_none_match_fails, PRECONDITION),
        ])?;
        Ok(self.store(user, place, value))
    }

    /// The merged value must match the schema.
    fn patch_item(&mut self, caller: Caller, place: Place, fields: &Fields, when: When) -> Outcome {
        let user = self.writable(caller, place, fields, &present(fields))?;
        let item = self.item(user, place);
        let mut value = item.map(|item| item.fields.clone()).unwrap_or_default();
        for (name, change) in &fields.0 {
            value.insert((*name).to_owned(), change.clone());
        }
        value.retain(|_, value| !value.is_null());
        let (if_match_fails, if_none_match_fails) = self.failing(user, place, when);
        refuse_if(&[
            (item.is_none(), NOT_FOUND),
            self.mismatch(user, place.table, fields, &value),
            self.not_connected(user),
            (if_match_fails || if_none_match_fails, PRECONDITION),
        ])?;
        Ok(self.store(user, place, value))
    }

    fn delete_item(&mut self, caller: Caller, place: Place, when: When) -> Outcome {
        let user = self.user_of(caller, place, "db:write")?;
        let (if_match_fails, if_none_match_fails) = self.failing(user, place, when);
        refuse_if(&[
            (self.item(user, place).is_none(), NOT_FOUND),
            self.not_connected(user),
            (if_match_fails || if_none_match_fails, PRECONDITION),
        ])?;
        let item = self.item(user, place).unwrap().clone();
        self.users[user].tables.get_mut(place.table).unwrap().retain(|other| other.name != item.name);
        Ok(Done::ok(json!({"data": shown(&item)})))
    }

    fn read_item(&self, caller: Caller, place: Place, when: When) -> Outcome {
        let user = self.user_of(caller, place, "db:read")?;
        let (if_match_fails, if_none_match_fails) = self.failing(user, place, when);
        refuse_if(&[(self.item(user, place).is_none(), NOT_FOUND), (if_match_fails, PRECONDITION)])?;
        let item = self.item(user, place).unwrap();
        let facts = if if_none_match_fails { Value::Null } else { json!({"data": shown(item)}) };
        Ok(Done { status: if if_none_match_fails { 304 } else { 200 }, facts, tag: Some(tag(item.version)) })
    }

    /// Stores a value at a location as a new version.
    fn store(&mut self, user: usize, place: Place, fields: Map<String, Value>) -> Done {
        let name = self.item_name(place.item);
        let item = Item { name, fields, version: self.versions.len() };
        self.versions.push((user, place.table, name));
        let facts = json!({"data": shown(&item)});
        let tag = tag(item.version);
        let items = self.users[user].tables.entry(place.table).or_default();
        match items.iter_mut().find(|other| other.name == name) {
            Some(other) => {
                *other = item;
                Done::ok(facts).tagged(tag)
            }
            None => {
                items.push(item);
                Done::created(facts).tagged(tag)
            }
        }
    }
}

/// Returns the fields without null values, which count as absent.
fn present(fields: &Fields) -> Map<String, Value> {
    let present = fields.0.iter().filter(|(_, value)| !value.is_null());
    present.map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

/// Returns an item as in responses: the fields are members next to `id`.
fn shown(item: &Item) -> Value {
    let mut shown = json!({"id": item_id(item.name)});
    for field in FIELDS {
        shown[*field] = item.fields.get(*field).cloned().unwrap_or_default();
    }
    shown
}

/// Returns the ID of an item, or its symbol.
pub fn item_id(name: ItemName) -> String {
    match name {
        ItemName::Chosen(name) => name.to_owned(),
        ItemName::Made(nth) => format!("<item {nth}>"),
    }
}

/// Returns the symbol of the `ETag` of a version.
pub fn tag(version: usize) -> String {
    format!("<tag {version}>")
}
