//! Changes between two schema documents, as pages show them.

use serde_json::{Value, json};
use steward_domain::data::schema::{Change, ChangeClass, CountedChange};

/// A change in a list.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ChangeLine {
    pub(crate) text: String,
    pub(crate) before: Option<String>,
    pub(crate) after: Option<String>,
    /// The impact of the change; `None` if it was not determined.
    pub(crate) class: Option<ChangeClass>,
    /// The number of stored items that no longer conform because of the change, and the IDs of some of them.
    pub(crate) affected_items: u64,
    pub(crate) samples: Vec<String>,
    /// The address of the grid with an item, before its ID; `None` if there is none.
    pub(crate) grid: Option<String>,
}

impl ChangeLine {
    /// Returns the lines of changes whose impact is not known.
    pub(crate) fn listed(changes: &[Change]) -> Vec<Self> {
        changes.iter().filter_map(|change| Self::of(&change.to_value())).collect()
    }

    /// Returns the lines of changes with their impact. `data`: the address of the tables' grids, if the person may open them.
    pub(crate) fn counted(changes: &[CountedChange], data: Option<&str>) -> Vec<Self> {
        let line = |counted: &CountedChange| {
            let change = counted.change.to_value();
            // The published schema does not have a new table yet.
            let table = change.get("table").filter(|_| change.get("type") != Some(&json!("table_added")));
            let grid = data.zip(table.and_then(Value::as_str));
            Some(Self {
                grid: grid.map(|(data, table)| format!("{data}/{table}?f=id&o=eq&v=")),
                class: Some(counted.class),
                affected_items: counted.mismatches.count,
                samples: counted.mismatches.samples.iter().map(|id| id.as_str().to_owned()).collect(),
                ..Self::of(&change)?
            })
        };
        changes.iter().filter_map(line).collect()
    }

    /// Returns the line of a change. `None` for the version, which always changes, and for the second report of a
    /// changed `required` (docs/schema.md#changes-between-documents).
    fn of(change: &Value) -> Option<Self> {
        let member = |name: &str| change.get(name).and_then(Value::as_str).unwrap_or_default();
        let (kind, table, property) = (member("type"), member("table"), member("property"));
        let is_repeated = kind.starts_with("field_property_") && property == "required";
        if is_repeated || table.is_empty() && property == "version" {
            return None;
        }
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        Some(Self {
            text: sentence(kind, table, &format!("{table}.{}", member("field")), property),
            before: change.get("old").map(text),
            after: change.get("new").map(text),
            class: None,
            affected_items: 0,
            samples: Vec::new(),
            grid: None,
        })
    }

    /// Returns the class as people read it.
    pub(crate) fn class_name(&self) -> &'static str {
        self.class.map_or("Not determined", class_name)
    }

    /// Whether stored items no longer conform because of the change.
    pub(crate) fn is_breaking(&self) -> bool {
        self.class == Some(ChangeClass::Breaking)
    }
}

/// Returns the name of a class as people read it.
pub(crate) fn class_name(class: ChangeClass) -> &'static str {
    match class {
        ChangeClass::Compatible => "Compatible",
        ChangeClass::Risky => "Risky",
        ChangeClass::Breaking => "Breaking",
    }
}

fn sentence(kind: &str, table: &str, field: &str, property: &str) -> String {
    match kind {
        "table_added" => format!("Add the table {table}"),
        "table_removed" => format!("Remove the table {table}"),
        "field_added" => format!("Add the field {field}"),
        "field_removed" => format!("Remove the field {field}"),
        "field_type_changed" => format!("Change the type of {field}"),
        "field_required_changed" => format!("Change whether {field} is required"),
        _ if kind.starts_with("field_property_") && property == "indexed" => {
            format!("Change whether {field} is indexed")
        }
        "field_property_added" => format!("Add {property} to {field}"),
        "field_property_removed" => format!("Remove {property} from {field}"),
        "field_property_changed" => format!("Change {property} of {field}"),
        "property_removed" => format!("Remove {property} from the document"),
        _ => format!("Change {property} of the document"),
    }
}

#[cfg(test)]
mod tests {
    use steward_domain::data::schema::{Document, compare};

    use super::*;

    fn document(version: u32, tables: Value) -> Document {
        Document::parse(&json!({"project_id": "p", "version": version, "tables": tables})).unwrap()
    }

    #[test]
    fn each_change_is_a_sentence_and_the_version_is_none() {
        let old = json!({"a": {"fields": {}}, "t": {"fields": {"x": {"type": "string"}, "y": {"type": "string"}}}});
        let new = json!({"b": {"fields": {}}, "t": {"fields": {
            "x": {"type": "string", "required": true, "indexed": true},
            "z": {"type": "json"},
        }}});
        let lines = ChangeLine::listed(&compare(&document(1, old), &document(2, new)).changes);
        let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        let expected = [
            "Remove the table a",
            "Add the table b",
            "Add the field t.z",
            "Change whether t.x is required",
            "Remove the field t.y",
            "Change whether t.x is indexed",
        ];
        assert_eq!(texts, expected);
        assert_eq!(lines[3].after.as_deref(), Some("true"));
    }
}
