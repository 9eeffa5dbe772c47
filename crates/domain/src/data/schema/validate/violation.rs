//! Violations of the rules for schema documents.

use serde::Serialize;
use serde_json::{Value, json};

use crate::kernel::violations::{Violations, quoted};

/// Maximum number of violations in a summary. The response lists all of them in `errors`.
const MAX_IN_SUMMARY: usize = 5;

/// A violation of a document, in the vocabulary of JSON Schema draft-07 validators.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SchemaViolation {
    /// JSON pointer to the invalid value; for a name, to the object that contains it.
    pub instance_path: String,
    /// JSON pointer to the violated rule.
    pub schema_path: String,
    /// The keyword of the rule.
    pub keyword: &'static str,
    /// The parameters of the rule.
    pub params: Value,
    /// The description of the violation.
    pub message: String,
    /// The invalid name, for violations of a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub property_name: Option<String>,
}

impl SchemaViolation {
    /// Creates a violation that is not about a name.
    pub(in crate::data::schema) fn new(
        instance_path: String,
        schema_path: impl Into<String>,
        keyword: &'static str,
        params: Value,
        message: impl Into<String>,
    ) -> Self {
        let (schema_path, message) = (schema_path.into(), message.into());
        Self { instance_path, schema_path, keyword, params, message, property_name: None }
    }

    /// Returns the violation as a JSON object.
    pub fn to_value(&self) -> Value {
        json!(self)
    }

    /// Describes the first violations: the path and the message of each, and the values that are allowed.
    pub fn summary(violations: &Violations<Self>) -> String {
        // An invalid name has a violation for each reason, and one as a whole.
        let whole: Vec<&Self> = violations.as_slice().iter().filter(|one| one.property_name.is_none()).collect();
        let listed: Vec<String> = whole.iter().take(MAX_IN_SUMMARY).map(|one| one.sentence()).collect();
        let (listed, at_least) = (listed.join("; "), if violations.is_truncated() { "at least " } else { "" });
        match whole.len().saturating_sub(MAX_IN_SUMMARY) {
            0 if at_least.is_empty() => format!("{listed}."),
            rest => format!("{listed}; and {at_least}{rest} more (see `errors`)."),
        }
    }

    fn sentence(&self) -> String {
        let texts = |values: &Value| -> Option<String> {
            let values: Vec<&str> = values.as_array()?.iter().filter_map(Value::as_str).collect();
            Some(values.join(", "))
        };
        let detail = match self.keyword {
            "enum" => self.params.get("allowedValues").and_then(texts),
            "propertyNames" => {
                self.params.get("propertyName").and_then(Value::as_str).map(|name| format!("\"{name}\""))
            }
            _ => None,
        };
        let path = if self.instance_path.is_empty() { "schema".to_owned() } else { quoted(&self.instance_path) };
        match detail {
            Some(detail) => format!("{path}: {}: {detail}", self.message),
            None => format!("{path}: {}", self.message),
        }
    }

    /// Creates the violation for a `project_id` that differs from the project to publish to.
    pub fn wrong_project(expected: &str) -> Self {
        let (path, params) = ("/project_id".into(), json!({"allowedValue": expected}));
        Self::new(path, "#/properties/project_id/const", "const", params, "must be equal to constant")
    }
}

/// Escapes a name for a JSON pointer (RFC 6901 §3).
pub(in crate::data::schema) fn escaped(name: &str) -> String {
    quoted(name).replace('~', "~0").replace('/', "~1")
}
