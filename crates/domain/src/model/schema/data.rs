//! Does a value fit its table (schema rules 3)?

use serde_json::{Map, Value};

use super::{Document, FieldType};
use crate::error::{Violations, quoted};

/// A violation of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemViolation {
    /// The kind of violation in words: the message of the whole when it is the first.
    pub summary: &'static str,
    /// The violation in words.
    pub message: String,
    /// JSON pointer of the field; empty for the table itself.
    pub path: String,
}

impl ItemViolation {
    fn of_field(summary: &'static str, field: &str, rest: &str) -> Self {
        let field = quoted(field);
        Self { summary, message: format!("Field {field} {rest}"), path: format!("/{field}") }
    }
}

/// Which fields of a value are checked against the table's fields.
#[derive(Debug, Clone, Copy)]
pub struct FieldCheck<'a> {
    /// What was sent: no unknown field in it.
    pub sent: &'a Map<String, Value>,
    /// What will be stored: types right, nothing required missing.
    pub stored: &'a Map<String, Value>,
}

impl Document {
    /// Checks a value against a table of this schema, as schema rules 3 order the violations: unknown table, unknown fields,
    /// wrong types, missing fields.
    pub fn check(&self, table: &str, check: FieldCheck<'_>) -> Violations<ItemViolation> {
        let Some(known) = self.table(table) else {
            let message = format!("Table {} not found in schema", quoted(table));
            let unknown = ItemViolation { summary: "Table not found", message, path: String::new() };
            return std::iter::once(unknown).collect();
        };

        let unknown = check.sent.keys().filter(|name| known.field(name).is_none());
        let unknown = unknown.map(|name| ItemViolation::of_field("Invalid field", name, "not found in schema"));
        let wrong = check.stored.iter().filter_map(|(name, value)| {
            let (wanted, got) = (known.field(name)?.kind, type_of(value)?);
            let fits = match wanted {
                FieldType::Json => got == "object",
                other => got == other.as_str(),
            };
            (!fits).then(|| {
                let rest = format!("should be type {}, got {got}", wanted.as_str());
                ItemViolation::of_field("invalid type", name, &rest)
            })
        });
        let missing = known.fields.iter().filter(|(_, field)| field.required);
        let missing = missing.filter(|(name, _)| check.stored.get(name).is_none_or(Value::is_null));
        let missing = missing.map(|(name, _)| ItemViolation::of_field("Required field missing", name, "is required"));
        unknown.chain(wrong).chain(missing).collect()
    }
}

/// The type of a value as the rules name it; `None` for null, which counts as absent.
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
        let told = |violation: &ItemViolation| (violation.summary, violation.message.clone(), violation.path.clone());
        violations.as_slice().iter().map(told).collect()
    }

    #[test]
    fn a_valid_document_has_no_violation() {
        assert_eq!(violations("t", json!({"name": "", "done": false, "rank": 0, "more": []})), []);
        assert_eq!(violations("t", json!({"name": "x", "done": true, "rank": null, "more": {}})), []);
    }

    #[test]
    fn all_faults_are_told_unknown_first_then_types_then_missing() {
        let told = violations("t", json!({"rank": "1", "what": 1, "more": "x", "name": null, "else": null}));
        let lines: Vec<&str> = told.iter().map(|(_, message, _)| message.as_str()).collect();
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
        assert_eq!((told[0].0, told[0].2.as_str()), ("Invalid field", "/what"));
        assert_eq!((told[2].0, told[4].0), ("invalid type", "Required field missing"));
    }

    #[test]
    fn an_unknown_table_is_the_only_fault() {
        let expected = ("Table not found", "Table x not found in schema".to_owned(), String::new());
        assert_eq!(violations("x", json!({"what": 1})), [expected]);
    }
}
