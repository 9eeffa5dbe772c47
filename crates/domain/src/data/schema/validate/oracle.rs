//! Compares the traversal with a JSON Schema library and the published JSON Schema: both must find the same violations.

use jsonschema::Validator;
use jsonschema::error::{ValidationError, ValidationErrorKind};

use super::*;

/// The instance path and the schema path of a violation.
type OracleViolation = (String, String);

fn found_by_library(validator: &Validator, document: &Value) -> Vec<OracleViolation> {
    let found = |error: &ValidationError<'_>| {
        let (instance, schema) = (error.instance_path().as_str(), format!("#{}", error.schema_path().as_str()));
        let parent = schema.rsplit_once('/').unwrap().0.to_owned();
        match error.kind() {
            ValidationErrorKind::PropertyNames { .. } => vec![(instance.into(), schema), (instance.into(), parent)],
            _ => vec![(instance.to_owned(), schema)],
        }
    };
    sorted(validator.iter_errors(document).flat_map(|error| found(&error)).collect())
}

fn found_by_traversal(document: &Value) -> Vec<OracleViolation> {
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

/// Removes duplicates: the library reports an invalid name once for each reason, the traversal reports it once.
fn sorted(mut found: Vec<OracleViolation>) -> Vec<OracleViolation> {
    found.sort();
    found.dedup();
    found
}

fn complete_document() -> Value {
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

/// Collects the JSON pointers to all values in a document.
fn pointers(value: &Value, at: &str, all: &mut Vec<String>) {
    all.push(at.to_owned());
    for (name, inner) in object(Some(value)) {
        pointers(inner, &format!("{at}/{}", escaped(name)), all);
    }
}

#[test]
fn the_traversal_finds_the_same_violations_as_a_json_schema_validator() {
    let validator = jsonschema::draft7::new(&json_schema()).unwrap();
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
    let mut paths = Vec::new();
    pointers(&complete_document(), "", &mut paths);

    let mut documents = vec![complete_document()];
    for path in &paths {
        for value in &values {
            let mut document = complete_document();
            *document.pointer_mut(path).unwrap() = value.clone();
            documents.push(document);
        }
        for name in names {
            let mut document = complete_document();
            if let Some(members) = document.pointer_mut(path).unwrap().as_object_mut() {
                members.insert(name.to_owned(), json!({}));
                documents.push(document);
            }
        }
        let mut document = complete_document();
        let (parent, name) = path.rsplit_once('/').unwrap_or_default();
        if let Some(members) = document.pointer_mut(parent).and_then(Value::as_object_mut) {
            members.shift_remove(name);
            documents.push(document);
        }
    }
    let invalid = documents.iter().filter(|document| {
        let violations = found_by_traversal(document);
        assert_eq!(violations, found_by_library(&validator, document), "{document}");
        !violations.is_empty()
    });
    assert!(invalid.count() > documents.len() / 2);
}
