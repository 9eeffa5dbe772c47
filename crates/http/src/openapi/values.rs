//! Values such as IDs and timestamps have schemas of their own in `steward-api`. The document has them where they are used,
//! because generators of clients would create a type for each.

use serde_json::{Map, Value, json};
use steward_api::VALUE_PREFIX;

use super::edit::take_schemas;

/// Replaces references to the schemas of values by these schemas.
pub(super) fn inline(document: &mut Value) {
    let values = take_schemas(document, VALUE_PREFIX);
    replace(document, &values);
}

fn replace(part: &mut Value, values: &Map<String, Value>) {
    match part {
        Value::Object(members) => {
            if let Some(schema) = value_of(members, values) {
                *members = schema;
            }
            members.values_mut().for_each(|member| replace(member, values));
        }
        Value::Array(parts) => parts.iter_mut().for_each(|part| replace(part, values)),
        _ => (),
    }
}

/// Returns the schema of a value that stands for these members of a schema: a reference, or a reference or null.
fn value_of(members: &Map<String, Value>, values: &Map<String, Value>) -> Option<Map<String, Value>> {
    if let Some([reference, null]) = members.get("oneOf").and_then(Value::as_array).map(Vec::as_slice)
        && null.get("type").is_some_and(|kind| kind == "null")
    {
        let mut schema = value_of(reference.as_object()?, values)?;
        let kind = schema.get("type").cloned();
        schema.insert("type".to_owned(), json!([kind, "null"]));
        return Some(schema);
    }
    let name = members.get("$ref")?.as_str()?.strip_prefix("#/components/schemas/")?;
    let mut schema = values.get(name)?.as_object()?.clone();
    if let Some(example) = schema.remove("examples").and_then(|examples| examples.get(0).cloned()) {
        schema.insert("example".to_owned(), example);
    }
    schema.extend(
        members.iter().filter(|(name, _)| *name != "$ref").map(|(name, member)| (name.clone(), member.clone())),
    );
    Some(schema)
}
