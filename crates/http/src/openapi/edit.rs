//! Changes of the document that utoipa has built.

use std::mem;

use actix_web::http::StatusCode;
use serde_json::{Map, Value, json};

/// Returns the operations of a document.
pub(super) fn operations(document: &mut Value) -> impl Iterator<Item = &mut Value> {
    let paths = document.get_mut("paths").and_then(Value::as_object_mut).into_iter().flat_map(Map::values_mut);
    paths.filter_map(Value::as_object_mut).flat_map(Map::values_mut)
}

/// Returns the responses of an operation, by status.
pub(super) fn responses(operation: &mut Value) -> impl Iterator<Item = (&str, &mut Value)> {
    let responses = operation.get_mut("responses").and_then(Value::as_object_mut);
    responses.into_iter().flatten().map(|(status, response)| (status.as_str(), response))
}

/// Adds a header that the components of the document describe to a response.
pub(super) fn show_header(response: &mut Value, name: &str, component: &str) {
    let headers = &mut response["headers"];
    headers[name] = json!({"$ref": format!("#/components/headers/{component}")});
}

/// Adds an optional header to the parameters of an operation.
pub(super) fn accept_header(operation: &mut Value, name: &str, description: &str, schema: Value) {
    if let Some(parameters) = operation["parameters"].as_array_mut() {
        parameters.push(json!({
            "name": name, "in": "header", "required": false, "description": description, "schema": schema,
        }));
    }
}

/// Takes the schemas whose names start like this from the components.
pub(super) fn take_schemas(document: &mut Value, prefix: &str) -> Map<String, Value> {
    let schemas = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut);
    let Some(schemas) = schemas else { return Map::new() };
    let (taken, others) = mem::take(schemas).into_iter().partition(|(name, _)| name.starts_with(prefix));
    *schemas = others;
    taken
}

/// Returns the name of a status.
pub(super) fn reason(status: &str) -> Option<&'static str> {
    StatusCode::from_bytes(status.as_bytes()).ok()?.canonical_reason()
}
