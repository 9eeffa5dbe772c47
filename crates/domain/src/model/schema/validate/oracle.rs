//! The rules as a JSON Schema, in a library's hands: it and our own walk must find the same violations.

use jsonschema::Validator;
use jsonschema::error::{ValidationError, ValidationErrorKind};

use super::*;

fn rules() -> Value {
    let name = json!({"type": "string", "minLength": 1, "maxLength": MAX_NAME_LENGTH, "pattern": NAME_PATTERN});
    let types: Vec<&str> = FieldType::ALL.iter().map(|kind| kind.as_str()).collect();
    let field = json!({
        "type": "object",
        "required": ["type"],
        "properties": {
            "type": {"type": "string", "enum": types},
            "indexed": {"type": "boolean"},
            "required": {"type": "boolean"},
        },
    });
    let origin = json!({
        "type": "object",
        "properties": {
            "type": {"type": "string", "enum": ["reference"]},
            "project_id": {"type": "string"},
            "table": {"type": "string"},
            "version": {"type": "integer"},
        },
        "if": {"properties": {"type": {"const": "reference"}}},
        "then": {"required": ["project_id", "table"]},
    });
    let table = json!({
        "type": "object",
        "required": ["fields"],
        "propertyNames": name,
        "properties": {
            "fields": {"type": "object", "propertyNames": name, "additionalProperties": field},
            "type": {"type": "string", "enum": ["collection"]},
            "name": {"type": "string"},
            "origin": origin,
        },
    });
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "required": ["project_id", "version", "tables"],
        "properties": {
            "project_id": {"type": "string"},
            "version": {"type": "integer", "minimum": 0},
            "tables": {"type": "object", "propertyNames": name, "additionalProperties": table},
            "namespace": {"type": "string"},
        },
    })
}

/// Where a violation is, and which rule it breaks.
type OracleViolation = (String, String);

fn by_the_library(validator: &Validator, document: &Value) -> Vec<OracleViolation> {
    let found = |error: &ValidationError<'_>| {
        let (instance, schema) = (error.instance_path().as_str(), format!("#{}", error.schema_path().as_str()));
        let whole = schema.rsplit_once('/').unwrap().0.to_owned();
        match error.kind() {
            ValidationErrorKind::PropertyNames { .. } => vec![(instance.into(), schema), (instance.into(), whole)],
            _ => vec![(instance.to_owned(), schema)],
        }
    };
    sorted(validator.iter_errors(document).flat_map(|error| found(&error)).collect())
}

fn by_the_walk(document: &Value) -> Vec<OracleViolation> {
    let mut found = Violations::default();
    Location::root(document).document(&mut found);
    sorted(
        found
            .as_slice()
            .iter()
            .map(|violation| (violation.instance_path.clone(), violation.schema_path.clone()))
            .collect(),
    )
}

/// The library reports a bad name once for each reason; we report it as a whole once.
fn sorted(mut found: Vec<OracleViolation>) -> Vec<OracleViolation> {
    found.sort();
    found.dedup();
    found
}

fn whole() -> Value {
    json!({
        "project_id": "p", "version": 1, "namespace": "n", "extra": [1],
        "tables": {
            "t": {
                "name": "x", "type": "collection", "color": "red",
                "origin": {"type": "reference", "project_id": "q", "table": "t", "version": 2},
                "fields": {"a": {"type": "json", "indexed": true, "required": false, "note": 1}, "b": {"type": "string"}},
            },
            "u": {"fields": {}},
        },
    })
}

/// The pointers of all values in a document.
fn pointers(value: &Value, at: &str, all: &mut Vec<String>) {
    all.push(at.to_owned());
    for (name, inner) in object(Some(value)) {
        pointers(inner, &format!("{at}/{}", escaped(name)), all);
    }
}

#[test]
fn the_walk_finds_what_a_json_schema_validator_finds() {
    let validator = jsonschema::draft7::new(&rules()).unwrap();
    let values = [
        json!(null),
        json!(0),
        json!(-1),
        json!(1.0),
        json!(-0.5),
        json!(1e300),
        json!("x"),
        json!("json"),
        json!("collection"),
        json!("reference"),
        json!(true),
        json!([]),
        json!({}),
        json!({"": 1, "iD": 1, "a-b": {}}),
    ];
    let long = "n".repeat(MAX_NAME_LENGTH + 1);
    let names = ["", "id", "Id", "_a", "a_", "9", "a b", "a\n", "é", "a/~", "type", "fields", &long];
    let mut places = Vec::new();
    pointers(&whole(), "", &mut places);

    let mut documents = vec![whole()];
    for place in &places {
        for value in &values {
            let mut document = whole();
            *document.pointer_mut(place).unwrap() = value.clone();
            documents.push(document);
        }
        for name in names {
            let mut document = whole();
            if let Some(members) = document.pointer_mut(place).unwrap().as_object_mut() {
                members.insert(name.to_owned(), json!({}));
                documents.push(document);
            }
        }
        let mut document = whole();
        let (above, name) = place.rsplit_once('/').unwrap_or_default();
        if let Some(members) = document.pointer_mut(above).and_then(Value::as_object_mut) {
            members.shift_remove(name);
            documents.push(document);
        }
    }
    let invalid = documents.iter().filter(|document| {
        let walked = by_the_walk(document);
        assert_eq!(walked, by_the_library(&validator, document), "{document}");
        !walked.is_empty()
    });
    assert!(invalid.count() > documents.len() / 2);
}
