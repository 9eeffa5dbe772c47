//! The bodies of requests: what the service accepts of their members, which ones it ignores, and that it refuses
//! others.

use serde_json::{Map, Value, json};
use steward_api::{RequestBody, Row};
use utoipa::openapi::{RefOr, Schema};

use super::edit::operations;
use super::{limits, parts};
use crate::extract::body::member_names;

/// The operation whose body ignores unknown members, as those with forms do (RFC 7591 §2).
const REGISTRATION: &str = "registerClient";

/// Returns the path of an operation in the document. A parameter `id` has another name if the query has one, too:
/// clients have one argument for each.
pub(super) fn path(row: &Row) -> String {
    let has_id = |row: &Row| row.query.iter().flat_map(|list| list()).any(|parameter| parameter.name == "id");
    let collides = steward_api::rows().any(|other| other.path == row.path && has_id(other));
    row.path.replace("{id}", if collides { "{project_id}" } else { "{id}" })
}

/// Returns the schemas of a body by their names in the document, its own first.
pub(super) fn components(body: &RequestBody) -> Vec<(String, RefOr<Schema>)> {
    let mut schemas = Vec::new();
    (body.schema.components)(&mut schemas);
    schemas.iter_mut().take(1).for_each(|(name, _)| *name = renamed(name));
    schemas
}

/// Returns the name of the schema of a body. A schema `NewKey` would collide with the function that generators of Go
/// write to create a `Key`.
fn renamed(name: &str) -> String {
    let what = name.strip_suffix("Changes").or_else(|| name.strip_suffix("Update"));
    match (name.strip_prefix("New"), what) {
        (Some(what), _) => format!("Create{what}Body"),
        (None, Some(what)) => format!("Update{what}Body"),
        (None, None) => name.to_owned(),
    }
}

/// States what is accepted of parameters and bodies, and which members of bodies are ignored or refused.
pub(super) fn describe(document: &mut Value) {
    let accepted = limits::all();
    for operation in operations(document) {
        let id = operation["operationId"].as_str().unwrap_or_default().to_owned();
        for parameter in operation.get_mut("parameters").and_then(Value::as_array_mut).into_iter().flatten() {
            let name = parameter["name"].as_str().unwrap_or_default().to_owned();
            limits::add(&accepted, &id, &name, &mut parameter["schema"]);
        }
    }
    let Some(schemas) = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut) else { return };
    let bodies = steward_api::rows().filter_map(|row| Some((row, row.request.as_ref()?)));
    for (row, name) in bodies.flat_map(|(row, body)| components(body).into_iter().map(move |(name, _)| (row, name))) {
        let Some(Value::Object(schema)) = schemas.get(&name) else { continue };
        let mut schema = Value::from(parts::merged(schema, schemas).unwrap_or_else(|| schema.clone()));
        limits::add(&accepted, "", &name, &mut schema);
        let Value::Object(mut schema) = schema else { continue };
        close(&name, &mut schema, row, &accepted);
        for variant in schema.get_mut("oneOf").and_then(Value::as_array_mut).into_iter().flatten() {
            let title = variant["title"].as_str().unwrap_or_default().to_owned();
            variant.as_object_mut().into_iter().for_each(|schema| close(&title, schema, row, &accepted));
        }
        schemas.insert(name, schema.into());
    }
}

fn close(name: &str, schema: &mut Map<String, Value>, row: &Row, accepted: &[(&str, Value)]) {
    let Some(members) = schema.get_mut("properties").and_then(Value::as_object_mut) else { return };
    members.iter_mut().for_each(|(member, schema)| limits::add(accepted, name, member, schema));
    if row.request.as_ref().is_some_and(|body| body.media_types == ["application/json"]) && row.name != REGISTRATION {
        for ignored in row.ignored.map(member_names).unwrap_or_default() {
            let described = || json!({"description": "Ignored. Responses have this member.", "readOnly": true});
            members.entry(ignored).or_insert_with(described);
        }
        schema.insert("additionalProperties".to_owned(), json!(false));
        if name.starts_with("Update") || name.ends_with("Changes") {
            schema.insert("minProperties".to_owned(), json!(1));
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
