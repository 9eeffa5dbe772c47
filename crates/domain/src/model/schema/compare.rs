//! What changed between two documents, and may one follow the other (schema rules 4, 5)?

use serde_json::{Map, Value, json};

use super::{Document, object};

/// One difference between two documents: what kind, where, and the values before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    kind: &'static str,
    place: Vec<(&'static str, String)>,
    old: Option<Value>,
    new: Option<Value>,
}

impl Change {
    /// The change as a JSON object: `type`, the place, and `old` and `new` where there are any.
    pub fn to_value(&self) -> Value {
        let mut members = Map::new();
        members.insert("type".into(), json!(self.kind));
        for (name, value) in &self.place {
            members.insert((*name).into(), json!(value));
        }
        for (name, value) in [("old", &self.old), ("new", &self.new)] {
            if let Some(value) = value {
                members.insert(name.into(), value.clone());
            }
        }
        Value::Object(members)
    }

    fn new(kind: &'static str, place: &[(&'static str, &str)], old: Option<&Value>, new: Option<&Value>) -> Self {
        let place = place.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        Self { kind, place, old: old.cloned(), new: new.cloned() }
    }

    /// What kind of change it is, as schema rules 4 name it.
    pub(super) fn kind(&self) -> &'static str {
        self.kind
    }

    /// The table, field or property it is about; empty: it is about none.
    pub(super) fn place(&self, name: &str) -> &str {
        self.place.iter().find(|(key, _)| *key == name).map_or("", |(_, value)| value)
    }
}

/// Lists what changed from `a` to `b`, in the order of schema rules 4.
pub fn compare(a: &Document, b: &Document) -> Vec<Change> {
    let mut changes = top_level(a.members(), b.members());
    let tables = |document: &Document| -> Map<String, Value> {
        object(document.members().get("tables")).map(|(n, t)| (n.clone(), t.clone())).collect()
    };
    let (old, new) = (tables(a), tables(b));
    let named = |kind, name: &String| Change::new(kind, &[("table", name)], None, None);
    changes.extend(old.keys().filter(|name| !new.contains_key(*name)).map(|name| named("table_removed", name)));
    changes.extend(new.keys().filter(|name| !old.contains_key(*name)).map(|name| named("table_added", name)));
    for (name, table) in &old {
        if let Some(changed) = new.get(name) {
            changes.extend(within_table(name, table, changed));
        }
    }
    changes
}

fn top_level(old: &Map<String, Value>, new: &Map<String, Value>) -> Vec<Change> {
    let rest = |members: &'_ Map<String, Value>| -> Vec<String> {
        members.keys().filter(|name| *name != "tables").cloned().collect()
    };
    let changed = rest(new)
        .into_iter()
        .filter(|name| old.get(name) != new.get(name))
        .map(|name| Change::new("property_changed", &[("property", &name)], old.get(&name), new.get(&name)));
    let removed = rest(old)
        .into_iter()
        .filter(|name| !new.contains_key(name))
        .map(|name| Change::new("property_removed", &[("property", &name)], old.get(&name), None));
    changed.chain(removed).collect()
}

fn within_table(table: &str, old: &Value, new: &Value) -> Vec<Change> {
    let fields = |value: &Value| -> Vec<(String, Value)> {
        object(value.get("fields")).map(|(name, field)| (name.clone(), field.clone())).collect()
    };
    let find = |fields: &[(String, Value)], name: &str| {
        fields.iter().find(|(other, _)| other == name).map(|(_, field)| field.clone())
    };
    let (old, new) = (fields(old), fields(new));
    let both: Vec<(&str, Value, &Value)> =
        new.iter().filter_map(|(name, field)| Some((name.as_str(), find(&old, name)?, field))).collect();
    let change = |kind, field: &str, old: Option<&Value>, new: Option<&Value>| {
        Change::new(kind, &[("table", table), ("field", field)], old, new)
    };
    let member_changed = |kind, member: &str| -> Vec<Change> {
        both.iter()
            .filter(|(_, before, after)| before.get(member) != after.get(member))
            .map(|(name, before, after)| change(kind, name, before.get(member), after.get(member)))
            .collect()
    };

    let mut changes = Vec::new();
    for (name, _) in new.iter().filter(|(name, _)| find(&old, name).is_none()) {
        changes.push(change("field_added", name, None, None));
    }
    changes.extend(member_changed("field_type_changed", "type"));
    changes.extend(member_changed("field_required_changed", "required"));
    for (name, _) in old.iter().filter(|(name, _)| find(&new, name).is_none()) {
        changes.push(change("field_removed", name, None, None));
    }
    for (name, before, after) in &both {
        changes.extend(within_field(table, name, before, after));
    }
    changes
}

fn within_field(table: &str, field: &str, old: &Value, new: &Value) -> Vec<Change> {
    let change = |kind, member: &str| {
        let place = [("table", table), ("field", field), ("property", member)];
        Change::new(kind, &place, old.get(member), new.get(member))
    };
    let names = |value: &Value| -> Vec<String> {
        object(Some(value)).map(|(name, _)| name.clone()).filter(|name| name != "type").collect()
    };
    let (before, after) = (names(old), names(new));
    let added = after.iter().filter(|name| old.get(*name).is_none());
    let changed = after.iter().filter(|name| old.get(*name).is_some_and(|value| Some(value) != new.get(*name)));
    let removed = before.iter().filter(|name| new.get(*name).is_none());
    added
        .map(|name| change("field_property_added", name))
        .chain(changed.map(|name| change("field_property_changed", name)))
        .chain(removed.map(|name| change("field_property_removed", name)))
        .collect()
}

/// Whether a document may follow another, and why not (schema rules 5).
#[derive(Debug, Clone, PartialEq)]
pub struct UpdateCheck {
    /// What changed.
    pub changes: Vec<Change>,
    /// What stands against it; nothing: it may.
    pub errors: Vec<Value>,
    /// The first reason in words.
    pub message: Option<&'static str>,
}

/// Says whether the valid document `b` may follow the valid document `a` (schema rules 5.2 to 5.4).
pub fn check_update(a: &Document, b: &Document) -> UpdateCheck {
    let changes = compare(a, b);
    let expected = a.version().saturating_add(1);
    if b.version() != expected {
        let (old, new) = (json!(a.version()), json!(b.version()));
        let change = Change::new("property_changed", &[("property", "version")], Some(&old), Some(&new));
        let message =
            format!("Version must be incremented by 1. Expected version:{expected}, got version:{}", b.version());
        let errors = vec![json!({"change": change.to_value(), "message": message})];
        return UpdateCheck { changes, errors, message: Some("Version must be incremented by 1") };
    }
    let errors: Vec<Value> = changes
        .iter()
        .filter_map(|change| forbidden(change).map(|message| json!({"change": change.to_value(), "message": message})))
        .collect();
    let message = (!errors.is_empty()).then_some("Invalid schema changes detected");
    UpdateCheck { changes, errors, message }
}

fn forbidden(change: &Change) -> Option<String> {
    let word = |value: &Option<Value>| value.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
    match change.kind {
        "property_changed" | "property_removed" if change.place("property") == "project_id" => {
            Some("Cannot modify project_id property".into())
        }
        "field_type_changed" => Some(format!(
            "Cannot change type of field \"{}\" from \"{}\" to \"{}\"",
            change.place("field"),
            word(&change.old),
            word(&change.new)
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(value: Value) -> Document {
        Document::parse(&value).unwrap()
    }

    fn a() -> Document {
        document(json!({"project_id": "p", "version": 1, "namespace": "n", "tables": {
            "gone": {"fields": {}},
            "t": {"name": "old name", "fields": {
                "kept": {"type": "string", "required": true, "note": 1, "old": 1},
                "typed": {"type": "string"},
                "dropped": {"type": "json"},
            }},
        }}))
    }

    fn b() -> Document {
        document(json!({"project_id": "p", "version": 2, "title": "x", "tables": {
            "t": {"name": "new name", "fields": {
                "kept": {"type": "string", "required": false, "note": 2, "indexed": true},
                "typed": {"type": "number"},
                "fresh": {"type": "boolean"},
            }},
            "new": {"fields": {}},
        }}))
    }

    #[test]
    fn changes_come_in_the_order_of_the_rules() {
        let told: Vec<Value> = compare(&a(), &b()).iter().map(Change::to_value).collect();
        assert_eq!(
            told,
            [
                json!({"type": "property_changed", "property": "version", "old": 1, "new": 2}),
                json!({"type": "property_changed", "property": "title", "new": "x"}),
                json!({"type": "property_removed", "property": "namespace", "old": "n"}),
                json!({"type": "table_removed", "table": "gone"}),
                json!({"type": "table_added", "table": "new"}),
                json!({"type": "field_added", "table": "t", "field": "fresh"}),
                json!({"type": "field_type_changed", "table": "t", "field": "typed", "old": "string", "new": "number"}),
                json!({"type": "field_required_changed", "table": "t", "field": "kept", "old": true, "new": false}),
                json!({"type": "field_removed", "table": "t", "field": "dropped"}),
                json!({"type": "field_property_added", "table": "t", "field": "kept", "property": "indexed", "new": true}),
                json!({"type": "field_property_changed", "table": "t", "field": "kept", "property": "required", "old": true, "new": false}),
                json!({"type": "field_property_changed", "table": "t", "field": "kept", "property": "note", "old": 1, "new": 2}),
                json!({"type": "field_property_removed", "table": "t", "field": "kept", "property": "old", "old": 1}),
            ]
        );
        assert_eq!(compare(&a(), &a()), []);
    }

    #[test]
    fn an_existing_field_keeps_its_type() {
        let check = check_update(&a(), &b());
        assert_eq!(check.message, Some("Invalid schema changes detected"));
        assert_eq!(check.errors.len(), 1);
        assert_eq!(check.errors[0]["message"], "Cannot change type of field \"typed\" from \"string\" to \"number\"");
        assert_eq!(check.errors[0]["change"]["type"], "field_type_changed");
    }

    #[test]
    fn the_version_goes_up_by_one() {
        for version in [0, 1, 3] {
            let next = document(json!({"project_id": "p", "version": version, "tables": {}}));
            let check = check_update(&a(), &next);
            assert_eq!(check.message, Some("Version must be incremented by 1"));
            assert_eq!(
                check.errors[0]["message"],
                format!("Version must be incremented by 1. Expected version:2, got version:{version}")
            );
        }
        let first = document(json!({"project_id": "p", "version": 1, "tables": {"t": {"fields": {}}}}));
        assert_eq!(check_update(&Document::unpublished("p"), &first).message, None);
    }

    #[test]
    fn a_document_cannot_move_to_another_project() {
        let moved = document(json!({"project_id": "q", "version": 2, "tables": {}}));
        let check = check_update(&a(), &moved);
        assert_eq!(check.errors[0]["message"], "Cannot modify project_id property");
    }
}
