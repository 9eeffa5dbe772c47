//! Tests of document validation and of the reported violations.

use serde_json::Map;

use super::*;
use crate::kernel::violations::MAX_VIOLATIONS;

fn violations(document: Value) -> Vec<(String, &'static str, String)> {
    let shown =
        |violation: &SchemaViolation| (violation.instance_path.clone(), violation.keyword, violation.message.clone());
    validate(&document).as_slice().iter().map(shown).collect()
}

fn expected(violations: &[(&str, &'static str, &str)]) -> Vec<(String, &'static str, String)> {
    violations.iter().map(|(path, keyword, message)| ((*path).into(), *keyword, (*message).into())).collect()
}

#[test]
fn a_complete_document_is_valid() {
    let document = json!({
        "project_id": "p", "version": 1.0, "namespace": "n", "extra": [1],
        "tables": {"T_1": {
            "name": "x", "type": "collection", "color": "red",
            "origin": {"project_id": "q", "table": "t", "version": 2},
            "fields": {"a": {"type": "json", "indexed": true, "required": false, "note": 1}},
        }},
    });
    assert!(validate(&document).is_empty());
}

#[test]
fn missing_members_are_reported_in_the_order_of_the_rule() {
    assert_eq!(
        violations(json!({})),
        expected(&[
            ("", "required", "must have required property 'project_id'"),
            ("", "required", "must have required property 'version'"),
            ("", "required", "must have required property 'tables'"),
        ])
    );
    assert_eq!(violations(json!([])), expected(&[("", "type", "must be object")]));
}

#[test]
fn violations_of_values_are_reported_from_the_top_down() {
    let document = json!({
        "project_id": 1, "version": -1,
        "tables": {
            "b": {"fields": {"f": {"type": "text", "indexed": 1}, "g": {}}, "type": "view"},
            "a": {"fields": [], "origin": {"type": "copy"}},
            "c": {"fields": {}, "origin": {}},
        },
    });
    assert_eq!(
        violations(document),
        expected(&[
            ("/project_id", "type", "must be string"),
            ("/version", "minimum", "must be >= 0"),
            ("/tables/b/fields/f/type", "enum", "must be equal to one of the allowed values"),
            ("/tables/b/fields/f/indexed", "type", "must be boolean"),
            ("/tables/b/fields/g", "required", "must have required property 'type'"),
            ("/tables/b/type", "enum", "must be equal to one of the allowed values"),
            ("/tables/a/fields", "type", "must be object"),
            ("/tables/a/origin/type", "enum", "must be equal to one of the allowed values"),
            ("/tables/c/origin", "required", "must have required property 'project_id'"),
            ("/tables/c/origin", "required", "must have required property 'table'"),
        ])
    );
}

#[test]
fn an_invalid_name_is_reported_after_its_reasons() {
    let long = format!("{}-", "x".repeat(50));
    let document = json!({
        "project_id": "p", "version": 1,
        "tables": {"ok": {"fields": {"ID": {"type": "string"}}, "": 1}, (long.clone()): {"fields": {}}},
    });
    let pattern = format!("must match pattern \"{NAME_PATTERN}\"");
    assert_eq!(
        violations(document.clone()),
        expected(&[
            ("/tables", "maxLength", "must NOT have more than 50 characters"),
            ("/tables", "pattern", &pattern),
            ("/tables", "propertyNames", "property name must be valid"),
            ("/tables/ok", "minLength", "must NOT have fewer than 1 characters"),
            ("/tables/ok", "pattern", &pattern),
            ("/tables/ok", "propertyNames", "property name must be valid"),
            ("/tables/ok/fields", "pattern", &pattern),
            ("/tables/ok/fields", "propertyNames", "property name must be valid"),
        ])
    );
    let violations = validate(&document);
    let violations = violations.as_slice();
    assert_eq!(violations[0].property_name.as_deref(), Some(long.as_str()));
    assert_eq!(violations[2].params, json!({"propertyName": long}));
    assert_eq!(violations[2].schema_path, "#/properties/tables/propertyNames");
    assert_eq!(violations[7].params, json!({"propertyName": "ID"}));
}

#[test]
fn names_that_differ_only_in_case_conflict() {
    let document = json!({
        "project_id": "p", "version": 1,
        "tables": {"t": {"fields": {"a": {"type": "string"}, "A": {"type": "string"}}}, "T": {"fields": {}}},
    });
    assert_eq!(
        violations(document),
        expected(&[
            (
                "/tables/T",
                "caseInsensitiveDuplicate",
                "Table name \"T\" conflicts with another table name (case-insensitive)"
            ),
            (
                "/tables/t/fields/A",
                "caseInsensitiveDuplicate",
                "Field name \"A\" conflicts with another field name in table \"t\" (case-insensitive)"
            ),
        ])
    );
}

#[test]
fn a_document_that_exceeds_a_size_limit_is_not_validated_further() {
    let field = json!({"type": "string"});
    let fields: Map<String, Value> = (0..=MAX_FIELDS).map(|n| (format!("f{n}"), field.clone())).collect();
    let mut tables: Map<String, Value> = (0..MAX_TABLES).map(|n| (format!("t{n}"), json!({}))).collect();
    tables.insert("wide".into(), json!({"fields": fields}));
    let document = json!({"project_id": 1, "tables": tables, "note": "x".repeat(MAX_BYTES)});
    let paths: Vec<String> = violations(document).into_iter().map(|(path, ..)| path).collect();
    assert_eq!(paths, ["/tables", "/tables/wide/fields", ""]);
    let size = |note: usize| json!({"project_id": "p", "version": 1, "tables": {}, "note": "x".repeat(note)});
    let room = MAX_BYTES - size(0).to_string().len();
    assert!(validate(&size(room)).is_empty() && !validate(&size(room + 1)).is_empty());
}

#[test]
fn at_most_a_hundred_violations_are_reported() {
    let fields: Map<String, Value> = (0..MAX_FIELDS).map(|n| (format!("f{n}"), json!(1))).collect();
    let tables: Map<String, Value> = (0..MAX_TABLES).map(|n| (format!("t{n}"), json!({"fields": fields}))).collect();
    let found = validate(&json!({"project_id": "p", "version": 1, "tables": tables}));
    assert_eq!((found.as_slice().len(), found.is_truncated()), (MAX_VIOLATIONS, true));
    let long = "n".repeat(MAX_BYTES / 2);
    let fields: Map<String, Value> = (0..MAX_FIELDS).map(|n| (format!("f{n}"), json!(1))).collect();
    let found = validate(&json!({"project_id": "p", "version": 1, "tables": {long: {"fields": fields}}}));
    let size: usize = found.as_slice().iter().map(|violation| violation.to_value().to_string().len()).sum();
    assert!(size < 64 * 1024, "{size} bytes");
}
