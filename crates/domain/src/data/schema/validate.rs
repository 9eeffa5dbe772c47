//! Validation of schema documents. One traversal finds the violations in the order and wording of JSON Schema draft-07
//! validators (docs/schema.md#errors-of-a-document). It stops at the last violation that is reported, so that the cost
//! is limited by the length of the document, whatever is wrong with it. docs/decisions/0016-input-limits.md gives the
//! reasons.

mod json_schema;
mod limits;
#[cfg(test)]
mod oracle;
#[cfg(test)]
mod tests;
mod violation;

use std::collections::HashSet;

use serde_json::{Value, json};

use super::field::FieldType;
use super::members::object;
use crate::kernel::violations::{Violations, quoted};

pub use json_schema::json_schema;
pub use limits::{MAX_BYTES, MAX_FIELDS, MAX_TABLES};
pub use violation::SchemaViolation;
pub(super) use violation::escaped;

const MAX_NAME_LENGTH: usize = 50;

/// A letter or digit, then letters, digits and underscores; not `id` in any letter case.
const NAME_PATTERN: &str = "^(?![iI][dD]$)[A-Za-z0-9][A-Za-z0-9_]*$";

/// Returns the violations of a document; a valid document has none. If the document exceeds a size limit, only these
/// violations are reported.
pub fn validate(document: &Value) -> Violations<SchemaViolation> {
    let mut found = limits::exceeded(document);
    if found.is_empty() {
        Location::root(document).document(&mut found);
        found.extend(name_conflicts(document));
    }
    found
}

/// A value of the document and its path, which is formatted only for a violation.
#[derive(Clone, Copy)]
struct Location<'a> {
    value: &'a Value,
    above: Option<&'a Location<'a>>,
    step: Step<'a>,
}

/// The last step of the path to a value and to its rule.
#[derive(Clone, Copy)]
enum Step<'a> {
    /// The document.
    Root,
    /// A member with its own rule.
    Declared(&'static str),
    /// A member of an object whose members all have the same rule.
    Any(&'a str),
    /// Another rule of the same value.
    Rule(&'static str),
}

impl<'a> Location<'a> {
    fn root(value: &'a Value) -> Self {
        Self { value, above: None, step: Step::Root }
    }

    fn declared(&'a self, name: &'static str) -> Option<Self> {
        Some(Self { value: self.value.get(name)?, above: Some(self), step: Step::Declared(name) })
    }

    /// Checks a member if it is present.
    fn member(
        &'a self,
        name: &'static str,
        found: &mut Violations<SchemaViolation>,
        check: impl FnOnce(&Self, &mut Violations<SchemaViolation>),
    ) {
        if let Some(member) = self.declared(name) {
            check(&member, found);
        }
    }

    fn rule(&'a self, keyword: &'static str) -> Self {
        Self { value: self.value, above: Some(self), step: Step::Rule(keyword) }
    }

    /// Checks an object whose members all have the same rule: their names, and each of them until the list of violations
    /// is full.
    fn named(
        &'a self,
        found: &mut Violations<SchemaViolation>,
        check: impl Fn(&Self, &mut Violations<SchemaViolation>),
    ) {
        self.object(found);
        self.names(found);
        for (name, value) in object(Some(self.value)) {
            if found.is_truncated() {
                break;
            }
            check(&Location { value, above: Some(self), step: Step::Any(name) }, found);
        }
    }

    fn instance_path(&self) -> String {
        let above = self.above.map(Self::instance_path).unwrap_or_default();
        match self.step {
            Step::Root | Step::Rule(_) => above,
            Step::Declared(name) => format!("{above}/{name}"),
            Step::Any(name) => format!("{above}/{}", escaped(name)),
        }
    }

    fn schema_path(&self) -> String {
        let above = self.above.map(Self::schema_path).unwrap_or_default();
        match self.step {
            Step::Root => "#".into(),
            Step::Declared(name) => format!("{above}/properties/{name}"),
            Step::Any(_) => format!("{above}/additionalProperties"),
            Step::Rule(keyword) => format!("{above}/{keyword}"),
        }
    }

    fn violation(&self, keyword: &'static str, params: Value, message: String) -> SchemaViolation {
        let schema_path = format!("{}/{keyword}", self.schema_path());
        SchemaViolation::new(self.instance_path(), schema_path, keyword, params, message)
    }

    fn typed(&self, expected: &str, is_valid: bool, found: &mut Violations<SchemaViolation>) {
        if !is_valid {
            found.push(self.violation("type", json!({"type": expected}), format!("must be {expected}")));
        }
    }

    /// Returns whether the value is an object; reports a violation if it is not.
    fn object(&self, found: &mut Violations<SchemaViolation>) -> bool {
        self.typed("object", self.value.is_object(), found);
        self.value.is_object()
    }

    fn string(&self, found: &mut Violations<SchemaViolation>) {
        self.typed("string", self.value.is_string(), found);
    }

    fn boolean(&self, found: &mut Violations<SchemaViolation>) {
        self.typed("boolean", self.value.is_boolean(), found);
    }

    fn integer(&self, found: &mut Violations<SchemaViolation>) {
        self.typed("integer", is_integer(self.value), found);
    }

    fn one_of(&self, allowed: &[&str], found: &mut Violations<SchemaViolation>) {
        self.string(found);
        if !self.value.as_str().is_some_and(|text| allowed.contains(&text)) {
            let message = "must be equal to one of the allowed values".to_owned();
            found.push(self.violation("enum", json!({"allowedValues": allowed}), message));
        }
    }

    fn required(&self, names: &[&str], found: &mut Violations<SchemaViolation>) {
        for name in names.iter().filter(|name| self.value.get(**name).is_none()) {
            let message = format!("must have required property '{name}'");
            found.push(self.violation("required", json!({"missingProperty": name}), message));
        }
    }

    /// Checks the names of the members. Each invalid name is reported once per reason, then once as a whole.
    fn names(&self, found: &mut Violations<SchemaViolation>) {
        let rule = self.rule("propertyNames");
        for (name, _) in object(Some(self.value)) {
            let reasons = name_errors(name);
            if reasons.is_empty() {
                continue;
            }
            for (keyword, params, message) in reasons {
                let reason = rule.violation(keyword, params, message);
                found.push(SchemaViolation { property_name: Some(quoted(name)), ..reason });
            }
            let params = json!({"propertyName": quoted(name)});
            found.push(self.violation("propertyNames", params, "property name must be valid".into()));
            if found.is_truncated() {
                break;
            }
        }
    }

    fn document(&self, found: &mut Violations<SchemaViolation>) {
        if !self.object(found) {
            return;
        }
        self.required(&["project_id", "version", "tables"], found);
        self.member("project_id", found, Location::string);
        self.member("version", found, |version, found| {
            version.integer(found);
            if version.value.as_f64().is_some_and(|number| number < 0.0) {
                let params = json!({"comparison": ">=", "limit": 0});
                found.push(version.violation("minimum", params, "must be >= 0".into()));
            }
        });
        self.member("tables", found, |tables, found| tables.named(found, Location::table));
        self.member("namespace", found, Location::string);
    }

    fn table(&self, found: &mut Violations<SchemaViolation>) {
        if !self.object(found) {
            return;
        }
        self.required(&["fields"], found);
        self.names(found);
        self.member("fields", found, |fields, found| fields.named(found, Location::field));
        self.member("type", found, |kind, found| kind.one_of(&["collection"], found));
        self.member("name", found, Location::string);
        self.member("origin", found, Location::origin);
    }

    fn field(&self, found: &mut Violations<SchemaViolation>) {
        if !self.object(found) {
            return;
        }
        self.required(&["type"], found);
        self.member("type", found, |kind, found| kind.one_of(&FieldType::ALL.map(FieldType::as_str), found));
        self.member("indexed", found, Location::boolean);
        self.member("required", found, Location::boolean);
    }

    fn origin(&self, found: &mut Violations<SchemaViolation>) {
        if !self.object(found) {
            return;
        }
        if self.value.get("type").is_none_or(|kind| kind == "reference") {
            self.rule("then").required(&["project_id", "table"], found);
        }
        self.member("type", found, |kind, found| kind.one_of(&["reference"], found));
        self.member("project_id", found, Location::string);
        self.member("table", found, Location::string);
        self.member("version", found, Location::integer);
    }
}

/// JSON Schema treats `1` and `1.0` as the same integer.
fn is_integer(value: &Value) -> bool {
    value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
}

/// Returns why a name of a table, a field or a member of a table is invalid: keyword, parameters and message.
fn name_errors(name: &str) -> Vec<(&'static str, Value, String)> {
    let mut reasons = Vec::new();
    if name.chars().nth(MAX_NAME_LENGTH).is_some() {
        let message = format!("must NOT have more than {MAX_NAME_LENGTH} characters");
        reasons.push(("maxLength", json!({"limit": MAX_NAME_LENGTH}), message));
    }
    if name.is_empty() {
        reasons.push(("minLength", json!({"limit": 1}), "must NOT have fewer than 1 characters".to_owned()));
    }
    if !matches_name_pattern(name) {
        let message = format!("must match pattern \"{NAME_PATTERN}\"");
        reasons.push(("pattern", json!({"pattern": NAME_PATTERN}), message));
    }
    reasons
}

/// Returns whether a name matches [`NAME_PATTERN`], without the risks of a regular expression engine.
fn matches_name_pattern(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !name.eq_ignore_ascii_case("id")
}

/// Returns violations for names of tables, then of the fields of each table, that differ from an earlier one only in
/// case.
fn name_conflicts(document: &Value) -> impl Iterator<Item = SchemaViolation> + '_ {
    let tables = duplicates(document.get("tables")).map(|name| {
        let shown = quoted(name);
        let message = format!("Table name \"{shown}\" conflicts with another table name (case-insensitive)");
        conflict(format!("/tables/{}", escaped(name)), &shown, message)
    });
    let fields = object(document.get("tables")).flat_map(|(table, rules)| {
        duplicates(rules.get("fields")).map(move |name| {
            let shown = quoted(name);
            let message = format!(
                "Field name \"{shown}\" conflicts with another field name in table \"{}\" (case-insensitive)",
                quoted(table)
            );
            conflict(format!("/tables/{}/fields/{}", escaped(table), escaped(name)), &shown, message)
        })
    });
    tables.chain(fields)
}

fn conflict(instance_path: String, name: &str, message: String) -> SchemaViolation {
    const KEYWORD: &str = "caseInsensitiveDuplicate";
    SchemaViolation::new(instance_path, format!("#/{KEYWORD}"), KEYWORD, json!({"propertyName": name}), message)
}

/// Returns the names of an object's members that differ from an earlier one only in case.
fn duplicates(members: Option<&Value>) -> impl Iterator<Item = &String> {
    let mut seen = HashSet::new();
    object(members).map(|(name, _)| name).filter(move |name| !seen.insert(name.to_lowercase()))
}
