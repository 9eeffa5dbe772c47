//! Free-form JSON objects that projects keep with us: bounded, merged, never looked into.

use serde_json::{Map, Value};

use super::InvalidValue;

/// The largest object, in bytes of JSON (contract 1.9).
const MAX_BYTES: usize = 64 * 1024;

/// A JSON object of at most 64 KiB: a project's profile, a user's meta.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JsonObject(Map<String, Value>);

impl JsonObject {
    /// Checks the size.
    pub fn parse(members: Map<String, Value>) -> Result<Self, InvalidValue> {
        let object = Self(members);
        if object.to_json().len() > MAX_BYTES {
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

/// In bytes of JSON, about: what takes some millisecond to look through.
const LARGE: usize = 32 * 1024;

/// [`is_large`] of texts that are to be parsed: many small members take longer than their text is long.
pub(crate) fn is_large_text<'a>(texts: impl IntoIterator<Item = &'a str>) -> bool {
    texts.into_iter().map(str::len).sum::<usize>() > LARGE / 4
}

/// Whether to look through the values takes so long, some millisecond, that it is done apart from the threads that serve
/// requests. To find that out takes no more than a small part of it.
pub(crate) fn is_large<'a>(values: impl IntoIterator<Item = &'a Value>) -> bool {
    /// What a value costs beside its text.
    const EACH: usize = 16;
    let mut room = LARGE;
    let mut left: Vec<&Value> = values.into_iter().take(LARGE / EACH).collect();
    while let Some(value) = left.pop() {
        let text = match value {
            Value::String(text) => text.len(),
            Value::Array(values) => {
                left.extend(values.iter().take(room / EACH));
                0
            }
            Value::Object(members) => {
                left.extend(members.values().take(room / EACH));
                members.keys().take(room / EACH).map(String::len).sum()
            }
            _ => 0,
        };
        let Some(rest) = room.checked_sub(text.saturating_add(EACH)) else { return true };
        room = rest;
    }
    false
}

/// How many bytes of memory the values take, about.
pub(crate) fn memory<'a>(values: impl IntoIterator<Item = &'a Value>) -> usize {
    /// A value, its name, and its share of the maps around it.
    const EACH: usize = 192;
    let of_one = |value: &Value| match value {
        Value::String(text) => text.len(),
        Value::Array(values) => memory(values),
        Value::Object(members) => {
            members.keys().map(String::len).sum::<usize>().saturating_add(memory(members.values()))
        }
        _ => 0,
    };
    values.into_iter().map(|value| of_one(value).saturating_add(EACH)).sum()
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
    fn what_takes_long_to_look_through_is_large() {
        let small = json!({"a": [1, {"b": "c"}], "text": "x".repeat(10_000)});
        assert!(!is_large([&small]));
        let (wide, long): (Vec<u8>, String) = (vec![0; 10_000], "x".repeat(40_000));
        for large in [json!(wide), json!({"a": {"b": wide}}), json!([long.clone()]), json!({long: 1})] {
            assert!(is_large([&large]));
        }
        assert!(is_large([&small, &small, &small, &small]));
    }

    #[test]
    fn an_object_over_64_kib_is_refused() {
        assert!(JsonObject::parse(object(json!({"a": "x".repeat(MAX_BYTES)}))).is_err());
    }
}
