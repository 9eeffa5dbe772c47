//! Free-form JSON objects that projects keep with us: bounded, merged, never looked into.

use serde_json::{Map, Value};

use super::InvalidValue;

/// The largest object, in bytes of JSON (contract 1.9).
const LARGEST: usize = 64 * 1024;

/// A JSON object of at most 64 KiB: a project's profile, a user's meta.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JsonObject(Map<String, Value>);

impl JsonObject {
    /// Checks the size.
    pub fn parse(members: Map<String, Value>) -> Result<Self, InvalidValue> {
        let object = Self(members);
        if object.to_json().len() > LARGEST {
            return Err(InvalidValue("must be at most 64 KiB as JSON"));
        }
        Ok(object)
    }

    /// Applies a merge patch (RFC 7396 §2): a null removes, an object merges, anything else replaces.
    pub fn merged(&self, patch: &Map<String, Value>) -> Result<Self, InvalidValue> {
        let mut members = self.0.clone();
        merge(&mut members, patch);
        Self::parse(members)
    }

    /// The members.
    pub fn members(&self) -> &Map<String, Value> {
        &self.0
    }

    /// The object as JSON text.
    pub fn to_json(&self) -> String {
        to_json(&self.0)
    }
}

/// An object as JSON text.
pub(crate) fn to_json(members: &Map<String, Value>) -> String {
    Value::Object(members.clone()).to_string()
}

/// Applies a merge patch (RFC 7396 §2) in place. What the patch removes goes in one pass: to remove members one by one and
/// keep the order of the others takes the square of their number.
pub(crate) fn merge(target: &mut Map<String, Value>, patch: &Map<String, Value>) {
    if patch.values().any(Value::is_null) {
        target.retain(|name, _| !patch.get(name).is_some_and(Value::is_null));
    }
    for (name, change) in patch {
        match change {
            Value::Null => {}
            Value::Object(change) => {
                let mut inner = match target.get_mut(name) {
                    Some(Value::Object(inner)) => std::mem::take(inner),
                    _ => Map::new(),
                };
                merge(&mut inner, change);
                target.insert(name.clone(), Value::Object(inner));
            }
            other => {
                target.insert(name.clone(), other.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn a_merge_patch_does_what_rfc_7396_shows() {
        for (target, patch, result) in [
            (json!({"a": "b"}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": "b"}), json!({"b": "c"}), json!({"a": "b", "b": "c"})),
            (json!({"a": "b", "b": "c"}), json!({"a": null}), json!({"b": "c"})),
            (json!({"a": ["b"]}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": {"b": "c"}}), json!({"a": {"b": "d", "c": null}}), json!({"a": {"b": "d"}})),
            (json!({"a": "foo"}), json!({"a": {"bb": {"ccc": null}}}), json!({"a": {"bb": {}}})),
            (json!({"e": null}), json!({"a": 1}), json!({"e": null, "a": 1})),
        ] {
            let merged = JsonObject::parse(object(target)).unwrap().merged(&object(patch)).unwrap();
            assert_eq!(Value::Object(merged.members().clone()), result);
        }
    }

    #[test]
    fn an_object_over_64_kib_is_refused() {
        assert!(JsonObject::parse(object(json!({"a": "x".repeat(LARGEST)}))).is_err());
    }
}
