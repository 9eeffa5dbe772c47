//! Is a document a schema? The rules stand as a JSON Schema; a validator library finds the faults, and they are told in
//! the words and in the order in which the validators of other ecosystems tell them (schema rules 2).

use std::collections::HashMap;
use std::sync::LazyLock;

use jsonschema::error::{TypeKind, ValidationError, ValidationErrorKind};
use jsonschema::paths::LocationSegment;
use jsonschema::{Draft, JsonType, Validator};
use serde_json::{Map, Value, json};

use super::{FieldType, object};

const LONGEST_NAME: u64 = 50;
const MOST_TABLES: usize = 100;
const MOST_FIELDS: usize = 200;
const LARGEST: usize = 256 * 1024;

/// A letter or digit, then letters, digits and underscores; not `id` in any letter case.
const NAME_PATTERN: &str = "^(?![iI][dD]$)[A-Za-z0-9][A-Za-z0-9_]*$";

/// A fault of a document, in the vocabulary of JSON Schema draft-07 validators.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// JSON pointer of the faulty value; for a name, of what holds it.
    pub instance_path: String,
    /// JSON pointer of the rule it breaks.
    pub schema_path: String,
    /// The rule's keyword.
    pub keyword: &'static str,
    /// What the rule wanted.
    pub params: Value,
    /// The fault in words.
    pub message: String,
    /// The faulty name, for faults of a name.
    pub property_name: Option<String>,
}

impl Fault {
    /// The fault as a JSON object.
    pub fn to_value(&self) -> Value {
        let mut members = Map::new();
        members.insert("instancePath".into(), json!(self.instance_path));
        members.insert("schemaPath".into(), json!(self.schema_path));
        members.insert("keyword".into(), json!(self.keyword));
        members.insert("params".into(), self.params.clone());
        members.insert("message".into(), json!(self.message));
        if let Some(name) = &self.property_name {
            members.insert("propertyName".into(), json!(name));
        }
        Value::Object(members)
    }

    /// `project_id` names another project than the one that is published to.
    pub fn wrong_project(expected: &str) -> Self {
        Self {
            instance_path: "/project_id".into(),
            schema_path: "#/properties/project_id/const".into(),
            keyword: "const",
            params: json!({"allowedValue": expected}),
            message: "must be equal to constant".into(),
            property_name: None,
        }
    }
}

static RULES: LazyLock<Value> = LazyLock::new(|| {
    let name = json!({"type": "string", "minLength": 1, "maxLength": LONGEST_NAME, "pattern": NAME_PATTERN});
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
});

static VALIDATOR: LazyLock<Option<Validator>> =
    LazyLock::new(|| jsonschema::options().with_draft(Draft::Draft7).build(&RULES).ok());

/// Finds all faults of a document. None: it is a schema.
pub fn validate(document: &Value) -> Vec<Fault> {
    let errors = VALIDATOR.iter().flat_map(|validator| validator.iter_errors(document));
    let mut placed: Vec<(Place, Fault)> = errors.flat_map(|error| told(&error, document)).collect();
    placed.sort_by(|(a, _), (b, _)| a.cmp(b));

    let mut faults: Vec<Fault> = placed.into_iter().map(|(_, fault)| fault).collect();
    faults.dedup();
    faults.extend(names_in_conflict(document));
    faults.extend(too_large(document));
    faults
}

/// Where a fault stands in the order of telling: the way down to its value, then its keyword, then its name.
type Place = Vec<(u8, usize)>;

fn told(error: &ValidationError<'_>, document: &Value) -> Vec<(Place, Fault)> {
    let place = place_of(error, document);
    let fault = |keyword: &'static str, params: Value, message: String, property_name: Option<&str>| Fault {
        instance_path: error.instance_path().as_str().to_owned(),
        schema_path: format!("#{}", error.schema_path().as_str()),
        keyword,
        params,
        message,
        property_name: property_name.map(str::to_owned),
    };
    let at = |rank: u8, index: usize| [place.clone(), vec![(rank, index)]].concat();

    if let ValidationErrorKind::PropertyNames { error: inner } = error.kind() {
        let name = inner.instance().as_str().unwrap_or_default().to_owned();
        let index = document
            .pointer(error.instance_path().as_str())
            .and_then(Value::as_object)
            .and_then(|members| members.keys().position(|key| *key == name))
            .unwrap_or_default();
        let Some((rank, keyword, params, message)) = worded(inner.kind()) else {
            return Vec::new();
        };
        let why = fault(keyword, params, message, Some(&name));
        let mut refused =
            fault("propertyNames", json!({"propertyName": name}), "property name must be valid".into(), None);
        if let Some((stem, _)) = refused.schema_path.rsplit_once('/') {
            refused.schema_path = stem.to_owned();
        }
        let within = |order: u8| [at(PROPERTY_NAMES, index), vec![(order, 0)]].concat();
        return vec![(within(rank), why), (within(u8::MAX), refused)];
    }

    worded(error.kind())
        .map(|(rank, keyword, params, message)| {
            let index = match error.kind() {
                ValidationErrorKind::Required { property } => required_at(error, property),
                _ => 0,
            };
            (at(rank, index), fault(keyword, params, message, None))
        })
        .into_iter()
        .collect()
}

const PROPERTY_NAMES: u8 = 20;
const OTHER_MEMBERS: u8 = 30;
const DECLARED_MEMBERS: u8 = 31;

/// Rank, keyword, parameters and words of what the rules above can find.
fn worded(kind: &ValidationErrorKind) -> Option<(u8, &'static str, Value, String)> {
    Some(match kind {
        ValidationErrorKind::Type { kind: TypeKind::Single(wanted) } => {
            let wanted = type_name(*wanted);
            (0, "type", json!({"type": wanted}), format!("must be {wanted}"))
        }
        ValidationErrorKind::Enum { options } => {
            let message = "must be equal to one of the allowed values".to_owned();
            (1, "enum", json!({"allowedValues": **options}), message)
        }
        ValidationErrorKind::Minimum { limit } => {
            (3, "minimum", json!({"comparison": ">=", "limit": limit}), format!("must be >= {limit}"))
        }
        ValidationErrorKind::MaxLength { limit } => {
            let message = format!("must NOT have more than {limit} characters");
            (4, "maxLength", json!({"limit": limit}), message)
        }
        ValidationErrorKind::MinLength { limit } => {
            let message = format!("must NOT have fewer than {limit} characters");
            (5, "minLength", json!({"limit": limit}), message)
        }
        ValidationErrorKind::Pattern { pattern } => {
            (6, "pattern", json!({"pattern": pattern}), format!("must match pattern \"{pattern}\""))
        }
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            let message = format!("must have required property '{name}'");
            (10, "required", json!({"missingProperty": name}), message)
        }
        _ => return None,
    })
}

fn type_name(wanted: JsonType) -> &'static str {
    match wanted {
        JsonType::Array => "array",
        JsonType::Boolean => "boolean",
        JsonType::Integer => "integer",
        JsonType::Null => "null",
        JsonType::Number => "number",
        JsonType::Object => "object",
        JsonType::String => "string",
    }
}

/// The place of a missing member in its rule's list.
fn required_at(error: &ValidationError<'_>, property: &Value) -> usize {
    RULES
        .pointer(error.schema_path().as_str())
        .and_then(Value::as_array)
        .and_then(|names| names.iter().position(|name| name == property))
        .unwrap_or_default()
}

/// The way down to the faulty value. Members that no rule names come before those that one does, each in their order.
fn place_of(error: &ValidationError<'_>, document: &Value) -> Place {
    let mut place = Place::new();
    let (mut rules, mut value) = (Some(&*RULES), Some(document));
    for segment in error.instance_path().segments() {
        let LocationSegment::Property(name) = segment else {
            continue;
        };
        let declared = rules.and_then(|rules| rules.get("properties")).and_then(Value::as_object);
        let position = |members: Option<&Map<String, Value>>| {
            members.and_then(|members| members.keys().position(|key| *key == *name))
        };
        match position(declared) {
            Some(index) => {
                place.push((DECLARED_MEMBERS, index));
                rules = declared.and_then(|declared| declared.get(&*name));
            }
            None => {
                place.push((OTHER_MEMBERS, position(value.and_then(Value::as_object)).unwrap_or_default()));
                rules = rules.and_then(|rules| rules.get("additionalProperties"));
            }
        }
        value = value.and_then(|value| value.get(&*name));
    }
    place
}

fn names_in_conflict(document: &Value) -> Vec<Fault> {
    let tables = || object(document.get("tables"));
    let mut faults = Vec::new();
    for name in repeated(tables().map(|(name, _)| name)) {
        let message = format!("Table name \"{name}\" conflicts with another table name (case-insensitive)");
        faults.push(conflict(format!("/tables/{}", escaped(name)), name, message));
    }
    for (table, rules) in tables() {
        for name in repeated(object(rules.get("fields")).map(|(name, _)| name)) {
            let message = format!(
                "Field name \"{name}\" conflicts with another field name in table \"{table}\" (case-insensitive)"
            );
            let path = format!("/tables/{}/fields/{}", escaped(table), escaped(name));
            faults.push(conflict(path, name, message));
        }
    }
    faults
}

fn conflict(instance_path: String, name: &str, message: String) -> Fault {
    Fault {
        instance_path,
        schema_path: "#/caseInsensitiveDuplicate".into(),
        keyword: "caseInsensitiveDuplicate",
        params: json!({"propertyName": name}),
        message,
        property_name: None,
    }
}

/// The names that an earlier one equals but for letter case.
fn repeated<'a>(names: impl Iterator<Item = &'a String>) -> Vec<&'a String> {
    let mut seen: HashMap<String, ()> = HashMap::new();
    names.filter(|name| seen.insert(name.to_lowercase(), ()).is_some()).collect()
}

fn too_large(document: &Value) -> Vec<Fault> {
    let over = |path: String, keyword: &'static str, limit: usize, what: &str| Fault {
        schema_path: format!("#/{keyword}"),
        instance_path: path,
        keyword,
        params: json!({"limit": limit}),
        message: format!("must NOT have more than {limit} {what}"),
        property_name: None,
    };
    let mut faults = Vec::new();
    if object(document.get("tables")).count() > MOST_TABLES {
        faults.push(over("/tables".into(), "maxProperties", MOST_TABLES, "properties"));
    }
    for (table, rules) in object(document.get("tables")) {
        if object(rules.get("fields")).count() > MOST_FIELDS {
            let path = format!("/tables/{}/fields", escaped(table));
            faults.push(over(path, "maxProperties", MOST_FIELDS, "properties"));
        }
    }
    if document.to_string().len() > LARGEST {
        faults.push(over(String::new(), "maxLength", LARGEST, "characters"));
    }
    faults
}

/// A name as it stands in a JSON pointer (RFC 6901 §3).
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(document: Value) -> Vec<(String, &'static str, String)> {
        validate(&document).into_iter().map(|fault| (fault.instance_path, fault.keyword, fault.message)).collect()
    }

    fn told(faults: &[(&str, &'static str, &str)]) -> Vec<(String, &'static str, String)> {
        faults.iter().map(|(path, keyword, words)| ((*path).into(), *keyword, (*words).into())).collect()
    }

    #[test]
    fn a_full_document_has_no_fault() {
        let document = json!({
            "project_id": "p", "version": 1.0, "namespace": "n", "extra": [1],
            "tables": {"T_1": {
                "name": "x", "type": "collection", "color": "red",
                "origin": {"project_id": "q", "table": "t", "version": 2},
                "fields": {"a": {"type": "json", "indexed": true, "required": false, "note": 1}},
            }},
        });
        assert_eq!(validate(&document), []);
    }

    #[test]
    fn missing_members_are_told_in_the_order_of_the_rule() {
        assert_eq!(
            faults(json!({})),
            told(&[
                ("", "required", "must have required property 'project_id'"),
                ("", "required", "must have required property 'version'"),
                ("", "required", "must have required property 'tables'"),
            ])
        );
        assert_eq!(faults(json!([])), told(&[("", "type", "must be object")]));
    }

    #[test]
    fn faults_of_values_are_told_from_the_top_down() {
        let document = json!({
            "project_id": 1, "version": -1,
            "tables": {
                "b": {"fields": {"f": {"type": "text", "indexed": 1}, "g": {}}, "type": "view"},
                "a": {"fields": [], "origin": {"type": "copy"}},
                "c": {"fields": {}, "origin": {}},
            },
        });
        assert_eq!(
            faults(document),
            told(&[
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
    fn a_bad_name_is_told_with_its_reason_first() {
        let long = format!("{}-", "x".repeat(50));
        let document = json!({
            "project_id": "p", "version": 1,
            "tables": {"ok": {"fields": {"ID": {"type": "string"}}, "": 1}, (long.clone()): {"fields": {}}},
        });
        let pattern = format!("must match pattern \"{NAME_PATTERN}\"");
        assert_eq!(
            faults(document.clone()),
            told(&[
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
        let faults = validate(&document);
        assert_eq!(faults[0].property_name.as_deref(), Some(long.as_str()));
        assert_eq!(faults[2].params, json!({"propertyName": long}));
        assert_eq!(faults[2].schema_path, "#/properties/tables/propertyNames");
        assert_eq!(faults[7].params, json!({"propertyName": "ID"}));
    }

    #[test]
    fn names_that_differ_only_in_case_conflict() {
        let document = json!({
            "project_id": "p", "version": 1,
            "tables": {"t": {"fields": {"a": {"type": "string"}, "A": {"type": "string"}}}, "T": {"fields": {}}},
        });
        assert_eq!(
            faults(document),
            told(&[
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
    fn a_document_is_bounded() {
        let field = json!({"type": "string"});
        let fields: Map<String, Value> = (0..201).map(|n| (format!("f{n}"), field.clone())).collect();
        let mut tables: Map<String, Value> = (0..100).map(|n| (format!("t{n}"), json!({"fields": {}}))).collect();
        tables.insert("wide".into(), json!({"fields": fields}));
        let document = json!({"project_id": "p", "version": 1, "tables": tables, "note": "x".repeat(LARGEST)});
        let paths: Vec<String> = validate(&document).into_iter().map(|fault| fault.instance_path).collect();
        assert_eq!(paths, ["/tables", "/tables/wide/fields", ""]);
    }
}
