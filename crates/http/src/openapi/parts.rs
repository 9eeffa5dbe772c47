//! Parts that several types of the contract have in common, such as the ID, the name and the slug of a team. The document
//! lists their members in each of these types, because readers and generators of clients know no parts.

use serde_json::{Map, Value, json};
use steward_api::PART_PREFIX;

use super::edit::take_schemas;

/// Replaces references to the schemas of parts by the members of these schemas.
pub(super) fn inline(document: &mut Value) {
    let parts = take_schemas(document, PART_PREFIX);
    let schemas = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut);
    for schema in schemas.into_iter().flat_map(Map::values_mut).filter_map(Value::as_object_mut) {
        if let Some(merged) = merged(schema, &parts) {
            *schema = merged;
        }
    }
}

/// Returns the schema of a type with the members of its parts, or `None` if it has no part.
pub(super) fn merged(schema: &Map<String, Value>, parts: &Map<String, Value>) -> Option<Map<String, Value>> {
    let all = schema.get("allOf")?.as_array()?;
    if !all.iter().any(|one| part_of(one, parts).is_some()) {
        return None;
    }
    let (mut required, mut properties) = (Vec::new(), Map::new());
    for one in all {
        let one = part_of(one, parts).unwrap_or(one);
        required.extend(one.get("required").and_then(Value::as_array).into_iter().flatten().cloned());
        properties.extend(one.get("properties").and_then(Value::as_object).cloned().unwrap_or_default());
    }
    let mut merged = Map::from_iter([("type".to_owned(), json!("object"))]);
    merged
        .extend(schema.iter().filter(|(name, _)| *name != "allOf").map(|(name, value)| (name.clone(), value.clone())));
    merged.insert("required".to_owned(), required.into());
    merged.insert("properties".to_owned(), properties.into());
    Some(merged)
}

/// Returns the part that a schema refers to.
fn part_of<'a>(schema: &Value, parts: &'a Map<String, Value>) -> Option<&'a Value> {
    parts.get(schema.get("$ref")?.as_str()?.strip_prefix("#/components/schemas/")?)
}
