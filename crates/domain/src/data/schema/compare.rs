//! Comparison of two documents, and the check whether one may follow the other
//! (docs/schema.md#changes-between-documents, docs/schema.md#updates).

use serde_json::{Map, Value, json};

use super::{Document, object};
use crate::kernel::violations::Violations;

/// The maximum number of listed changes. All changes are checked.
pub const MAX_LISTED_CHANGES: usize = 1_000;

/// A difference between two documents as a JSON object: `type`, its location, and `old` and `new` if present.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change(pub(super) Map<String, Value>);

impl Change {
    /// Returns the JSON object.
    pub fn to_value(&self) -> Value {
        Value::Object(self.0.clone())
    }
}

/// The first changes between two documents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangeList {
    /// The first [`MAX_LISTED_CHANGES`] changes.
    pub changes: Vec<Change>,
    /// Whether there are more changes.
    pub truncated: bool,
}

impl ChangeList {
    fn of<'a>(mut differences: impl Iterator<Item = Difference<'a>>) -> Self {
        let changes = differences.by_ref().take(MAX_LISTED_CHANGES).map(|difference| difference.to_change()).collect();
        Self { changes, truncated: differences.next().is_some() }
    }
}

/// A change that borrows from both documents, because most changes are inspected and then dropped.
#[derive(Debug, Clone, Copy)]
pub(super) struct Difference<'a> {
    pub(super) kind: &'static str,
    pub(super) table: Option<&'a str>,
    pub(super) field: Option<&'a str>,
    property: Option<&'a str>,
    old: Option<&'a Value>,
    new: Option<&'a Value>,
}

impl<'a> Difference<'a> {
    fn new(kind: &'static str, old: Option<&'a Value>, new: Option<&'a Value>) -> Self {
        Self { kind, table: None, field: None, property: None, old, new }
    }

    pub(super) fn to_change(self) -> Change {
        let location = [("table", self.table), ("field", self.field), ("property", self.property)];
        let location = location.into_iter().filter_map(|(name, value)| Some((name, json!(value?))));
        let values = [("old", self.old), ("new", self.new)];
        let values = values.into_iter().filter_map(|(name, value)| Some((name, value?.clone())));
        let members = std::iter::once(("type", json!(self.kind))).chain(location).chain(values);
        Change(members.map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// Returns why the change cannot be published (docs/schema.md#updates); `None` if it can.
    fn rejection(&self) -> Option<String> {
        let text = |value: Option<&'a Value>| value.and_then(Value::as_str).unwrap_or_default();
        match self.kind {
            "property_changed" | "property_removed" if self.property == Some("project_id") => {
                Some("Cannot modify project_id property".into())
            }
            "field_type_changed" => Some(format!(
                "Cannot change type of field \"{}\" from \"{}\" to \"{}\"",
                self.field.unwrap_or_default(),
                text(self.old),
                text(self.new)
            )),
            _ => None,
        }
    }
}

/// Lists the changes from `a` to `b`, in the order of docs/schema.md#changes-between-documents.
pub fn compare(a: &Document, b: &Document) -> ChangeList {
    ChangeList::of(differences(a, b))
}

/// Returns the changes from `a` to `b`, in the order of docs/schema.md#changes-between-documents.
pub(super) fn differences<'a>(a: &'a Document, b: &'a Document) -> impl Iterator<Item = Difference<'a>> {
    let (old, new) = (a.members().get("tables"), b.members().get("tables"));
    let named = |kind, name: &'a String| Difference { table: Some(name), ..Difference::new(kind, None, None) };
    let removed = object(old).filter(move |(name, _)| member(new, name).is_none());
    let added = object(new).filter(move |(name, _)| member(old, name).is_none());
    let both = object(old).filter_map(move |(name, table)| Some((name, table, member(new, name)?)));
    top_level(a.members(), b.members())
        .chain(removed.map(move |(name, _)| named("table_removed", name)))
        .chain(added.map(move |(name, _)| named("table_added", name)))
        .chain(both.flat_map(|(name, table, changed)| within_table(name, table, changed)))
}

/// Returns a member of an object.
fn member<'a>(value: Option<&'a Value>, name: &str) -> Option<&'a Value> {
    value.and_then(|value| value.get(name))
}

fn top_level<'a>(old: &'a Map<String, Value>, new: &'a Map<String, Value>) -> impl Iterator<Item = Difference<'a>> {
    let changed = new.iter().filter(|(name, value)| *name != "tables" && old.get(*name) != Some(value));
    let changed = changed.map(|(name, value)| Difference {
        property: Some(name),
        ..Difference::new("property_changed", old.get(name), Some(value))
    });
    let removed = old.iter().filter(|(name, _)| *name != "tables" && !new.contains_key(*name));
    let removed = removed.map(|(name, value)| Difference {
        property: Some(name),
        ..Difference::new("property_removed", Some(value), None)
    });
    changed.chain(removed)
}

fn within_table<'a>(table: &'a str, old: &'a Value, new: &'a Value) -> impl Iterator<Item = Difference<'a>> {
    let (old, new) = (old.get("fields"), new.get("fields"));
    let of_field = move |kind, field: &'a str, old: Option<&'a Value>, new: Option<&'a Value>| Difference {
        table: Some(table),
        field: Some(field),
        ..Difference::new(kind, old, new)
    };
    let both = move || object(new).filter_map(move |(name, after)| Some((name, member(old, name)?, after)));
    let member_changed = move |kind, name: &'static str| {
        let changed = both().filter(move |(_, before, after)| before.get(name) != after.get(name));
        changed.map(move |(field, before, after)| of_field(kind, field, before.get(name), after.get(name)))
    };

    let added = object(new).filter(move |(name, _)| member(old, name).is_none());
    let removed = object(old).filter(move |(name, _)| member(new, name).is_none());
    added
        .map(move |(name, _)| of_field("field_added", name, None, None))
        .chain(member_changed("field_type_changed", "type"))
        .chain(member_changed("field_required_changed", "required"))
        .chain(removed.map(move |(name, _)| of_field("field_removed", name, None, None)))
        .chain(both().flat_map(move |(name, before, after)| within_field(table, name, before, after)))
}

fn within_field<'a>(
    table: &'a str,
    field: &'a str,
    old: &'a Value,
    new: &'a Value,
) -> impl Iterator<Item = Difference<'a>> {
    let of_member = move |kind, name: &'a String| Difference {
        table: Some(table),
        field: Some(field),
        property: Some(name),
        ..Difference::new(kind, old.get(name), new.get(name))
    };
    let names = |value| object(Some(value)).map(|(name, _)| name).filter(|name| *name != "type");
    let added = names(new).filter(|name| old.get(*name).is_none());
    let changed = names(new).filter(|name| old.get(*name).is_some_and(|value| Some(value) != new.get(*name)));
    let removed = names(old).filter(|name| new.get(*name).is_none());
    added
        .map(move |name| of_member("field_property_added", name))
        .chain(changed.map(move |name| of_member("field_property_changed", name)))
        .chain(removed.map(move |name| of_member("field_property_removed", name)))
}

/// The result of the check whether a document may follow another (docs/schema.md#updates).
#[derive(Debug, Clone, PartialEq)]
pub struct UpdateCheck {
    /// The changes between the documents.
    pub changes: ChangeList,
    /// The errors; empty if the document may follow.
    pub errors: Violations<Value>,
    /// The message of the first error; `None` if the document may follow.
    pub message: Option<&'static str>,
}

/// Checks whether the valid document `b` may follow the valid document `a` (docs/schema.md#updates).
pub fn check_update(a: &Document, b: &Document) -> UpdateCheck {
    let changes = compare(a, b);
    let expected = a.version().saturating_add(1);
    if b.version() != expected {
        let (old, new) = (json!(a.version()), json!(b.version()));
        let change = Difference::new("property_changed", Some(&old), Some(&new));
        let change = Difference { property: Some("version"), ..change }.to_change();
        let message =
            format!("Version must be incremented by 1. Expected version:{expected}, got version:{}", b.version());
        let errors = std::iter::once(json!({"change": change.to_value(), "message": message})).collect();
        return UpdateCheck { changes, errors, message: Some("Version must be incremented by 1") };
    }
    let rejected = differences(a, b).filter_map(|difference| Some((difference.rejection()?, difference)));
    let errors: Violations<Value> = rejected
        .map(|(message, difference)| json!({"change": difference.to_change().to_value(), "message": message}))
        .collect();
    let message = (!errors.is_empty()).then_some("Invalid schema changes detected");
    UpdateCheck { changes, errors, message }
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
    fn changes_are_in_the_order_of_the_rules() {
        let reported: Vec<Value> = compare(&a(), &b()).changes.iter().map(Change::to_value).collect();
        assert_eq!(
            reported,
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
        assert_eq!(compare(&a(), &a()), ChangeList::default());
    }

    #[test]
    fn an_existing_field_keeps_its_type() {
        let check = check_update(&a(), &b());
        assert_eq!(check.message, Some("Invalid schema changes detected"));
        assert_eq!(check.errors.as_slice().len(), 1);
        assert_eq!(
            check.errors.as_slice()[0]["message"],
            "Cannot change type of field \"typed\" from \"string\" to \"number\""
        );
        assert_eq!(check.errors.as_slice()[0]["change"]["type"], "field_type_changed");
    }

    #[test]
    fn the_version_must_increase_by_one() {
        for version in [0, 1, 3] {
            let next = document(json!({"project_id": "p", "version": version, "tables": {}}));
            let check = check_update(&a(), &next);
            assert_eq!(check.message, Some("Version must be incremented by 1"));
            assert_eq!(
                check.errors.as_slice()[0]["message"],
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
        assert_eq!(check.errors.as_slice()[0]["message"], "Cannot modify project_id property");
    }

    #[test]
    fn a_thousand_changes_are_listed_and_all_are_checked() {
        let with = |version: u32, notes: usize, kind: &str| {
            let mut field: Map<String, Value> = (0..notes).map(|n| (format!("n{n}"), json!(version))).collect();
            field.insert("type".into(), json!("string"));
            let fields = json!({"noted": field, "typed": {"type": kind}});
            document(
                json!({"project_id": "p", "version": version, "tables": {"a": {"fields": {}}, "t": {"fields": fields}}}),
            )
        };
        let (old, new) = (with(1, MAX_LISTED_CHANGES, "string"), with(2, MAX_LISTED_CHANGES, "number"));
        let check = check_update(&old, &new);
        assert_eq!((check.changes.changes.len(), check.changes.truncated), (MAX_LISTED_CHANGES, true));
        assert_eq!(check.errors.as_slice().len(), 1);
        assert!(!compare(&with(1, 10, "string"), &with(2, 10, "string")).truncated);
    }
}
