//! Validation of item values against a table (docs/schema.md#items).

use serde_json::{Map, Value};

use super::{Document, FieldType};
use crate::kernel::violations::{Violations, quoted};

/// A violation in the value of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemViolation {
    /// The kind of the violation. The summary of the first violation is the message of the error.
    pub summary: &'static str,
    /// The description of the violation.
    pub message: String,
    /// JSON pointer to the field; empty for the table.
    pub path: String,
}

impl ItemViolation {
    fn of_field(summary: &'static str, field: &str, rest: &str) -> Self {
        let field = quoted(field);
        Self { summary, message: format!("Field {field} {rest}"), path: format!("/{field}") }
    }
}

/// The values to validate against the fields of the table.
#[derive(Debug, Clone, Copy)]
pub struct FieldCheck<'a> {
    /// The value of the request, which must not contain unknown fields.
    pub sent: &'a Map<String, Value>,
    /// The value to store, which must have valid types and all required fields.
    pub stored: &'a Map<String, Value>,
}

impl Document {
    /// Returns whether a stored value conforms to a table of this schema.
    pub fn conforms(&self, table: &str, stored: &Map<String, Value>) -> bool {
        self.check(table, FieldCheck { sent: stored, stored }).is_empty()
    }

    /// Validates a value against a table of this schema. Violations are in the order of docs/schema.md#items: unknown
    /// table, unknown fields, wrong types, missing fields.
    pub fn check(&self, table: &str, check: FieldCheck<'_>) -> Violations<ItemViolation> {
        let Some(known) = self.table(table) else {
            let message = format!("Table {} not found in schema", quoted(table));
            let unknown = ItemViolation { summary: "Table not found", message, path: String::new() };
            return std::iter::once(unknown).collect();
        };

        let unknown = check.sent.keys().filter(|name| known.field(name).is_none());
        let unknown = unknown.map(|name| ItemViolation::of_field("Invalid field", name, "not found in schema"));
        let wrong = check.stored.iter().filter_map(|(name, value)| {
            let (expected, got) = (known.field(name)?.kind, type_of(value)?);
            let is_valid = match expected {
                FieldType::Json => got == "object",
                other => got == other.as_str(),
            };
            (!is_valid).then(|| {
                let rest = format!("should be type {}, got {got}", expected.as_str());
                ItemViolation::of_field("invalid type", name, &rest)
            })
        });
        let missing = known.fields.iter().filter(|(_, field)| field.required);
        let missing = missing.filter(|(name, _)| check.stored.get(name).is_none_or(Value::is_null));
        let missing = missing.map(|(name, _)| ItemViolation::of_field("Required field missing", name, "is required"));
        unknown.chain(wrong).chain(missing).collect()
    }
}

/// Returns the type of a value as named in messages; `None` for null, which counts as absent.
fn type_of(value: &Value) -> Option<&'static str> {
    Some(match value {
        Value::Null => return None,
        Value::String(_) => "string",
        Value::Number(_) => "number",
        Value::Bool(_) => "boolean",
        Value::Object(_) | Value::Array(_) => "object",
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn violations(table: &str, value: Value) -> Vec<(&'static str, String, String)> {
        let schema = Document::parse(&json!({"project_id": "p", "version": 1, "tables": {"t": {"fields": {
            "name": {"type": "string", "required": true},
            "done": {"type": "boolean", "required": true},
            "rank": {"type": "number"},
            "more": {"type": "json"},
        }}}}))
        .unwrap();
        let value = value.as_object().unwrap();
        let violations = schema.check(table, FieldCheck { sent: value, stored: value });
        let parts = |violation: &ItemViolation| (violation.summary, violation.message.clone(), violation.path.clone());
        violations.as_slice().iter().map(parts).collect()
    }

    #[test]
    fn a_valid_value_has_no_violations() {
        assert_eq!(violations("t", json!({"name": "", "done": false, "rank": 0, "more": []})), []);
        assert_eq!(violations("t", json!({"name": "x", "done": true, "rank": null, "more": {}})), []);
    }

    #[test]
    fn all_violations_are_reported_unknown_fields_first_then_types_then_missing_fields() {
        let reported = violations("t", json!({"rank": "1", "what": 1, "more": "x", "name": null, "else": null}));
        let lines: Vec<&str> = reported.iter().map(|(_, message, _)| message.as_str()).collect();
        assert_eq!(
            lines,
            [
                "Field what not found in schema",
                "Field else not found in schema",
                "Field rank should be type number, got string",
                "Field more should be type json, got string",
                "Field name is required",
                "Field done is required",
            ]
        );
        assert_eq!((reported[0].0, reported[0].2.as_str()), ("Invalid field", "/what"));
        assert_eq!((reported[2].0, reported[4].0), ("invalid type", "Required field missing"));
    }

    #[test]
    fn an_unknown_table_is_the_only_violation() {
        let expected = ("Table not found", "Table x not found in schema".to_owned(), String::new());
        assert_eq!(violations("x", json!({"what": 1})), [expected]);
    }
}
