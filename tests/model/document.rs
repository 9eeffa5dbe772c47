//! Schema documents that a case can publish, and the rules for them (docs/schema.md).

use serde_json::{Map, Value, json};

use crate::operation::Fields;

/// An ID that no resource has.
pub const UNKNOWN: &str = "01940000-0000-7000-8000-000000000000";

/// A document to publish. Its version number depends on the versions published at that time.
#[derive(Debug, Clone)]
pub struct Draft {
    pub version: Version,
    pub names_project: bool,
    pub flaw: Option<Defect>,
    pub tables: Vec<(&'static str, Vec<(&'static str, FieldRule)>)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    Absent,
    Next,
    /// The newest published version.
    Same,
    Later,
    Zero,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Defect {
    FieldType,
    TableName,
    OtherProject,
    VersionText,
}

#[derive(Debug, Clone, Copy)]
pub struct FieldRule {
    pub kind: &'static str,
    pub required: Option<bool>,
    pub indexed: Option<bool>,
}

impl Draft {
    pub fn of_notes() -> Self {
        let field = |kind: &'static str, required: Option<bool>| FieldRule { kind, required, indexed: None };
        let notes = vec![("title", field("string", Some(true))), ("rank", field("number", None))];
        Self { version: Version::Absent, names_project: false, flaw: None, tables: vec![("notes", notes)] }
    }

    /// Returns the document as it is sent for this project, given the number of published versions.
    pub fn document(&self, project: &str, published: usize) -> Value {
        let mut document = Map::new();
        if self.flaw == Some(Defect::OtherProject) {
            document.insert("project_id".into(), json!(UNKNOWN));
        } else if self.names_project {
            document.insert("project_id".into(), json!(project));
        }
        let version = match self.version {
            _ if self.flaw == Some(Defect::VersionText) => Some(json!("2")),
            Version::Absent => None,
            Version::Next => Some(json!(published + 1)),
            Version::Same => Some(json!(published)),
            Version::Later => Some(json!(published + 2)),
            Version::Zero => Some(json!(0)),
        };
        document.extend(version.map(|version| ("version".to_owned(), version)));
        let mut tables: Map<String, Value> = self.tables.iter().map(|(name, fields)| table(name, fields)).collect();
        match self.flaw {
            Some(Defect::FieldType) => drop(tables.insert("odd".into(), json!({"fields": {"f": {"type": "text"}}}))),
            Some(Defect::TableName) => drop(tables.insert("id".into(), json!({"fields": {}}))),
            _ => {}
        }
        document.insert("tables".into(), tables.into());
        document.into()
    }

    /// Returns whether the document is valid after missing optional members are filled in.
    pub fn is_valid(&self) -> bool {
        self.flaw.is_none()
    }

    /// Returns whether the document is valid as sent. It may name another project.
    pub fn is_complete(&self) -> bool {
        let names_project = self.names_another() || self.is_valid() && self.names_project;
        names_project && self.version != Version::Absent
    }

    /// Returns whether the document names a project that does not exist.
    pub fn names_another(&self) -> bool {
        self.flaw == Some(Defect::OtherProject)
    }
}

fn table(name: &str, fields: &[(&'static str, FieldRule)]) -> (String, Value) {
    let fields: Map<String, Value> = fields
        .iter()
        .map(|(name, rule)| {
            let mut field = json!({"type": rule.kind});
            for (flag, value) in [("required", rule.required), ("indexed", rule.indexed)] {
                if let Some(value) = value {
                    field[flag] = json!(value);
                }
            }
            ((*name).to_owned(), field)
        })
        .collect();
    (name.to_owned(), json!({"fields": fields}))
}

/// Returns the document before the first publication.
pub fn nothing(project: &str) -> Value {
    json!({"project_id": project, "version": 0, "tables": {}})
}

/// Returns all changes from `old` to `new` (docs/schema.md#changes-between-documents).
pub fn changes(old: &Value, new: &Value) -> Vec<Value> {
    let mut changes = Vec::new();
    let (tables, new_tables) = (members(&old["tables"]), members(&new["tables"]));
    for (property, value) in members(new).iter().filter(|(property, _)| *property != "tables") {
        match old.get(property) {
            Some(before) if before == value => {}
            Some(before) => {
                changes.push(json!({"type": "property_changed", "property": property, "old": before, "new": value}));
            }
            None => changes.push(json!({"type": "property_changed", "property": property, "new": value})),
        }
    }
    for (property, before) in members(old).iter().filter(|(property, _)| new.get(*property).is_none()) {
        changes.push(json!({"type": "property_removed", "property": property, "old": before}));
    }
    let of = |kind: &str, table: &String| json!({"type": kind, "table": table});
    changes
        .extend(tables.keys().filter(|table| !new_tables.contains_key(*table)).map(|table| of("table_removed", table)));
    changes
        .extend(new_tables.keys().filter(|table| !tables.contains_key(*table)).map(|table| of("table_added", table)));
    for (table, after) in new_tables.iter().filter(|(table, _)| tables.contains_key(*table)) {
        changes.extend(field_changes(table, members(&tables[table]["fields"]), members(&after["fields"])));
    }
    changes
}

fn field_changes(table: &str, old: &Map<String, Value>, new: &Map<String, Value>) -> Vec<Value> {
    let of = |kind: &str, field: &String| json!({"type": kind, "table": table, "field": field});
    let both: Vec<_> = new.iter().filter_map(|(field, after)| Some((field, old.get(field)?, after))).collect();
    let mut changes: Vec<Value> =
        new.keys().filter(|field| !old.contains_key(*field)).map(|field| of("field_added", field)).collect();
    for (member, kind) in [("type", "field_type_changed"), ("required", "field_required_changed")] {
        for (field, before, after) in &both {
            if before.get(member) != after.get(member) {
                changes.push(with_values(of(kind, field), before.get(member), after.get(member)));
            }
        }
    }
    changes.extend(old.keys().filter(|field| !new.contains_key(*field)).map(|field| of("field_removed", field)));
    for (field, before, after) in &both {
        let differs = |member: &String| member != "type" && before.get(member) != after.get(member);
        let old = members(before).keys().filter(|name| differs(name));
        let new = members(after).keys().filter(|name| differs(name));
        let (changed, added): (Vec<_>, Vec<_>) = new.partition(|name| before.get(*name).is_some());
        let removed: Vec<_> = old.filter(|name| after.get(*name).is_none()).collect();
        let kinds =
            [("field_property_added", added), ("field_property_changed", changed), ("field_property_removed", removed)];
        for (kind, member) in kinds.iter().flat_map(|(kind, members)| members.iter().map(move |member| (kind, *member)))
        {
            let mut change = of(kind, field);
            change["property"] = json!(member);
            changes.push(with_values(change, before.get(member), after.get(member)));
        }
    }
    changes
}

fn with_values(mut change: Value, old: Option<&Value>, new: Option<&Value>) -> Value {
    for (name, value) in [("old", old), ("new", new)] {
        if let Some(value) = value {
            change[name] = value.clone();
        }
    }
    change
}

/// Returns an error message for each field whose type changes (docs/schema.md#updates).
pub fn retyped(old: &Value, new: &Value) -> Vec<String> {
    let changes = changes(old, new);
    let retyped = changes.iter().filter(|change| change["type"] == "field_type_changed");
    retyped
        .map(|change| {
            let text = |member: &str| change[member].as_str().unwrap();
            format!("Cannot change type of field \"{}\" from \"{}\" to \"{}\"", text("field"), text("old"), text("new"))
        })
        .collect()
}

/// Returns the violations of a value for a table, with the messages of docs/schema.md#items. Only sent fields can be
/// unknown: a field that a later schema removed does not prevent changes of other fields. In `stored`, null counts as
/// absent.
pub fn violations(document: Option<&Value>, table: &str, sent: &Fields, stored: &Map<String, Value>) -> Vec<String> {
    let Some(fields) = document.and_then(|document| document["tables"].get(table)) else {
        return vec![format!("Table {table} not found in schema")];
    };
    let fields = members(&fields["fields"]);
    let unknown = sent.0.iter().filter(|(name, _)| !fields.contains_key(*name));
    let mut violations: Vec<String> = unknown.map(|(name, _)| format!("Field {name} not found in schema")).collect();
    for (name, value) in stored {
        let Some(expected) = fields.get(name).map(|field| &field["type"]).filter(|expected| !fits(expected, value))
        else {
            continue;
        };
        let (expected, got) = (expected.as_str().unwrap(), kind(value));
        violations.push(format!("Field {name} should be type {expected}, got {got}"));
    }
    let missing = |(name, field): &(&String, &Value)| field["required"] == true && !stored.contains_key(*name);
    violations.extend(fields.iter().filter(missing).map(|(name, _)| format!("Field {name} is required")));
    violations
}

/// Returns whether an item of this table no longer matches the schema because of the change.
pub fn leaves_behind(old: &Value, new: &Value, table: &str, item: &Map<String, Value>) -> bool {
    let nothing = Map::new();
    let fields = |document: &Value| document["tables"].get(table).map(|table| members(&table["fields"]).clone());
    let (before, after) = match (fields(old), fields(new)) {
        (before, Some(after)) => (before, after),
        (before, None) => return before.is_some(),
    };
    let old_fields = before.as_ref().unwrap_or(&nothing);
    let removed = |name: &String| match before {
        Some(_) => old_fields.contains_key(name) && !after.contains_key(name),
        None => !after.contains_key(name),
    };
    item.keys().any(removed)
        || after.iter().any(|(name, field)| match item.get(name) {
            None => field["required"] == true && old_fields.get(name).is_none_or(|before| before["required"] != true),
            Some(value) => !old_fields.contains_key(name) && !fits(&field["type"], value),
        })
}

fn fits(expected: &Value, value: &Value) -> bool {
    let got = kind(value);
    expected == got || expected == "json" && got == "object"
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "string",
        Value::Number(_) => "number",
        Value::Bool(_) => "boolean",
        _ => "object",
    }
}

fn members(value: &Value) -> &Map<String, Value> {
    value.as_object().unwrap()
}
