//! The rules of a document as a JSON Schema, for editors. Like the reported violations, it uses draft-07, which editors
//! support best.

use serde_json::{Value, json};

use super::{MAX_FIELDS, MAX_NAME_LENGTH, MAX_TABLES, NAME_PATTERN};
use crate::data::schema::{FieldType, MAX_INDEXED_FIELDS};

/// What editors show about [`NAME_PATTERN`].
const NAME_RULE: &str = "Names consist of letters, digits and underscores, begin with a letter or digit, are unique \
    regardless of case, and cannot be `id`.";

/// Returns the JSON Schema of a document. Two rules are missing, because JSON Schema cannot express them: names are
/// unique regardless of case, and a document has at most [`MAX_BYTES`](super::MAX_BYTES).
pub fn json_schema() -> Value {
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Schema document",
        "description": "The tables of a project's users and the fields of their items. Other members are stored and \
            have no effect.",
        "type": "object",
        "required": ["project_id", "version", "tables"],
        "properties": {
            "$schema": {"description": "URL of this JSON Schema. Only editors use it."},
            "project_id": {
                "description": "ID or DID of the project. A publication sets it if it is absent.",
                "type": "string",
                "examples": ["018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55"],
            },
            "version": {
                "description": "The newest version plus 1. A publication sets it if it is absent.",
                "type": "integer",
                "minimum": 0,
                "examples": [1],
            },
            "tables": {
                "title": "Tables",
                "description": format!("The tables by name: at most {MAX_TABLES}. {NAME_RULE}"),
                "type": "object",
                "maxProperties": MAX_TABLES,
                "propertyNames": name(),
                "additionalProperties": table(),
                "examples": [{"notes": {"fields": {"title": {"type": "string", "required": true}}}}],
            },
            "namespace": {
                "description": "Free text. It has no effect.",
                "type": "string",
                "examples": ["com.example.notes"],
            },
        },
        "examples": [{
            "project_id": "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55",
            "version": 1,
            "tables": {"notes": {"fields": {"title": {"type": "string", "required": true}}}},
        }],
    })
}

fn name() -> Value {
    json!({"type": "string", "minLength": 1, "maxLength": MAX_NAME_LENGTH, "pattern": NAME_PATTERN})
}

fn table() -> Value {
    json!({
        "title": "Table",
        "description": "A table. The names of its members follow the rules of table names.",
        "type": "object",
        "required": ["fields"],
        "propertyNames": name(),
        "properties": {
            "fields": {
                "title": "Fields",
                "description": format!("The fields by name: at most {MAX_FIELDS}. {NAME_RULE}"),
                "type": "object",
                "maxProperties": MAX_FIELDS,
                "propertyNames": name(),
                "additionalProperties": field(),
                "examples": [{"title": {"type": "string", "required": true}, "done": {"type": "boolean"}}],
            },
            "type": {"description": "Always `collection`.", "type": "string", "enum": ["collection"]},
            "name": {"description": "Display name. It has no effect.", "type": "string", "examples": ["Notes"]},
            "origin": origin(),
            "description": description(),
        },
    })
}

fn field() -> Value {
    json!({
        "title": "Field",
        "description": "A field of the items in the table. Other members are stored and have no effect.",
        "type": "object",
        "required": ["type"],
        "properties": {
            "type": {
                "description": "Type of the values; it cannot change. `json` accepts objects and arrays. Every type \
                    accepts null, which counts as absent.",
                "type": "string",
                "enum": FieldType::ALL.map(FieldType::as_str),
            },
            "required": {
                "description": "Whether every item must have a value other than null.",
                "type": "boolean",
                "default": false,
            },
            "indexed": {
                "description": format!("Whether filters and sorting by this field use an index. Of each table, the \
                    first {MAX_INDEXED_FIELDS} such fields are indexed. Fields of type `json` are not."),
                "type": "boolean",
                "default": false,
            },
            "description": description(),
        },
        "examples": [{"type": "string", "required": true}],
    })
}

fn description() -> Value {
    json!({"description": "Comment on the generated type. Other values than strings have no effect."})
}

fn origin() -> Value {
    json!({
        "title": "Origin",
        "description": "The table of another project that this table references. It must be published and have all \
            fields of this table, with the same types.",
        "type": "object",
        "properties": {
            "type": {"description": "Always `reference`.", "type": "string", "enum": ["reference"]},
            "project_id": {
                "description": "ID or DID of the other project.",
                "type": "string",
                "examples": ["018f2a3c-9b40-7a12-8c5d-6e7f80912a3b"],
            },
            "table": {"description": "Name of the other table.", "type": "string", "examples": ["notes"]},
            "version": {
                "description": "Version of the other project's schema. Default: the newest version.",
                "type": "integer",
                "examples": [1],
            },
        },
        "if": {"properties": {"type": {"const": "reference"}}},
        "then": {"required": ["project_id", "table"]},
        "examples": [{"project_id": "018f2a3c-9b40-7a12-8c5d-6e7f80912a3b", "table": "notes"}],
    })
}
