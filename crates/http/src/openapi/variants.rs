//! Variants of a type, such as the operations of a batch, are schemas with names. Some generators of clients give no type to
//! variants without one.

use serde_json::{Map, Value, json};

/// Gives each variant with a title a schema of this name.
pub(super) fn name(document: &mut Value) {
    let Some(schemas) = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut) else { return };
    let mut named = Map::new();
    for variants in schemas.values_mut().filter_map(|schema| schema.get_mut("oneOf")?.as_array_mut()) {
        for variant in variants {
            let title = variant.as_object_mut().and_then(|members| members.shift_remove("title"));
            if let Some(Value::String(title)) = title {
                let reference = json!({"$ref": format!("#/components/schemas/{title}")});
                named.insert(title, std::mem::replace(variant, reference));
            }
        }
    }
    schemas.extend(named);
}
