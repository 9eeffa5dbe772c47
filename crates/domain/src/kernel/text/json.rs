//! Free-form JSON objects that projects store: limited in size, merged, never interpreted.

use serde_json::{Map, Value};

use crate::kernel::InvalidValue;

/// The maximum size of an object, in bytes of JSON (docs/contract.md#text).
const MAX_BYTES: usize = 64 * 1024;

/// A JSON object of at most 64 KiB, such as a project's profile or a user's meta.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JsonObject(Map<String, Value>);

impl JsonObject {
    /// Creates an object after checking its size.
    pub fn parse(members: Map<String, Value>) -> Result<Self, InvalidValue> {
        let object = Self(members);
        if object.to_json().len() > MAX_BYTES {
            return Err(InvalidValue("must be at most 64 KiB as JSON"));
        }
        Ok(object)
    }

    /// Applies a merge patch (RFC 7396 §2): null removes a member, an object is merged, any other value replaces.
    pub fn merged(&self, patch: &Map<String, Value>) -> Result<Self, InvalidValue> {
        let mut members = self.0.clone();
        merge(&mut members, patch);
        Self::parse(members)
    }

    /// Returns an object with only this member, or an empty object if it does not exist.
    pub fn only(&self, name: &str) -> Self {
        Self(self.0.get(name).map(|value| (name.to_owned(), value.clone())).into_iter().collect())
    }

    /// Returns the members.
    pub fn members(&self) -> &Map<String, Value> {
        &self.0
    }

    /// Returns the object as JSON text.
    pub fn to_json(&self) -> String {
        to_json(&self.0)
    }
}

/// The approximate size, in bytes of JSON, from which traversing a value takes about a millisecond.
const LARGE_BYTES: usize = 32 * 1024;

/// Like [`is_large`], for JSON text that is to be parsed. The limit is lower, because many small members take longer to
/// process than the length of their text suggests.
pub(crate) fn is_large_text<'a>(texts: impl IntoIterator<Item = &'a str>) -> bool {
    texts.into_iter().map(str::len).sum::<usize>() > LARGE_BYTES / 4
}

/// Returns whether traversing the values takes so long, about a millisecond, that it must not be done on the threads
/// that serve requests. This check takes only a small part of that time.
pub(crate) fn is_large<'a>(values: impl IntoIterator<Item = &'a Value>) -> bool {
    /// The cost of a value in addition to its text.
    const VALUE_OVERHEAD: usize = 16;
    let mut budget = LARGE_BYTES;
    let mut pending: Vec<&Value> = values.into_iter().take(LARGE_BYTES / VALUE_OVERHEAD).collect();
    while let Some(value) = pending.pop() {
        let text = match value {
            Value::String(text) => text.len(),
            Value::Array(values) => {
                pending.extend(values.iter().take(budget / VALUE_OVERHEAD));
                0
            }
            Value::Object(members) => {
                pending.extend(members.values().take(budget / VALUE_OVERHEAD));
                members.keys().take(budget / VALUE_OVERHEAD).map(String::len).sum()
            }
            _ => 0,
        };
        let Some(remaining) = budget.checked_sub(text.saturating_add(VALUE_OVERHEAD)) else { return true };
        budget = remaining;
    }
    false
}

/// Returns the approximate number of bytes of memory that the values occupy.
pub(crate) fn memory<'a>(values: impl IntoIterator<Item = &'a Value>) -> usize {
    /// The size of a value, its name, and its share of the enclosing map.
    const VALUE_OVERHEAD: usize = 192;
    let size_of = |value: &Value| match value {
        Value::String(text) => text.len(),
        Value::Array(values) => memory(values),
        Value::Object(members) => {
            members.keys().map(String::len).sum::<usize>().saturating_add(memory(members.values()))
        }
        _ => 0,
    };
    values.into_iter().map(|value| size_of(value).saturating_add(VALUE_OVERHEAD)).sum()
}

/// Returns an object as JSON text.
pub(crate) fn to_json(members: &Map<String, Value>) -> String {
    // Serialization of JSON cannot fail.
    serde_json::to_string(members).unwrap_or_default()
}

/// Applies a merge patch (RFC 7396 §2) in place. Members are removed in one pass, because removing them one by one
/// while keeping the order of the others takes quadratic time.
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
    fn merge_patches_match_the_examples_of_rfc_7396() {
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
    fn values_that_are_slow_to_traverse_are_large() {
        let small = json!({"a": [1, {"b": "c"}], "text": "x".repeat(10_000)});
        assert!(!is_large([&small]));
        let (wide, long): (Vec<u8>, String) = (vec![0; 10_000], "x".repeat(40_000));
        for large in [json!(wide), json!({"a": {"b": wide}}), json!([long.clone()]), json!({long: 1})] {
            assert!(is_large([&large]));
        }
        assert!(is_large([&small, &small, &small, &small]));
    }

    #[test]
    fn an_object_is_restricted_to_one_member() {
        let parsed = JsonObject::parse(object(json!({"a": 1, "b": 2}))).unwrap();
        assert_eq!(parsed.only("b"), JsonObject::parse(object(json!({"b": 2}))).unwrap());
        assert_eq!(parsed.only("c"), JsonObject::default());
    }

    #[test]
    fn an_object_over_64_kib_is_refused() {
        assert!(JsonObject::parse(object(json!({"a": "x".repeat(MAX_BYTES)}))).is_err());
    }
}
