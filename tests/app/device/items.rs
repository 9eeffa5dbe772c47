//! The copy of the items that a device holds, and the changes to it.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// Items by table and ID.
pub type Items = BTreeMap<(String, String), Value>;

pub fn put(id: &str, object: Value) -> Value {
    json!({"type": 1, "table": "notes", "key": id, "obj": object})
}

pub fn update(id: &str, mods: Value) -> Value {
    json!({"type": 2, "table": "notes", "key": id, "mods": mods})
}

pub fn delete(id: &str) -> Value {
    json!({"type": 3, "table": "notes", "key": id})
}

/// The items of a list response, as devices hold them.
pub fn listed_items(table: &str, list: &Value) -> Items {
    let item = |item: &Value| {
        let mut item = item.clone();
        item.as_object_mut().unwrap().retain(|name, _| !matches!(name.as_str(), "created_at" | "updated_at"));
        ((table.to_owned(), text(&item, "id")), item)
    };
    list["data"].as_array().unwrap().iter().map(item).collect()
}

/// Applies changes to a copy.
pub fn edit(items: &mut Items, changes: &[Value]) {
    for change in changes {
        let key = (text(change, "table"), text(change, "key"));
        match change["type"].as_i64().unwrap() {
            1 => drop(items.insert(key, change["obj"].clone())),
            2 => {
                let item = items.entry(key.clone()).or_insert_with(|| json!({"id": key.1}));
                for (name, value) in change["mods"].as_object().unwrap() {
                    item[name] = value.clone();
                }
            }
            _ => drop(items.remove(&key)),
        }
    }
}

/// Applies received changes as the SDK does: first the puts, last the deletions.
pub fn commit(items: &mut Items, changes: &[Value]) {
    let mut changes = changes.to_vec();
    changes.sort_by_key(|change| change["type"].as_i64());
    edit(items, &changes);
}

/// A member of an object.
pub fn text(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_else(|| panic!("No `{name}` in {value}")).to_owned()
}
