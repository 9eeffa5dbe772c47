//! JSON that a person enters. The rules are those of the API (contract 1.6), because the same stores keep it.

use serde_json::{Map, Value};

/// Maximum nesting depth of arrays and objects.
const MAX_DEPTH: usize = 32;

/// Parses a JSON object. The error is a predicate.
pub(super) fn object(text: &str) -> Result<Map<String, Value>, String> {
    match parse(text)? {
        Value::Object(members) => Ok(members),
        _ => Err("must be a JSON object, such as {\"plan\": \"pro\"}".to_owned()),
    }
}

/// Parses any JSON value. The error is a predicate.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    let value = serde_json::from_str(text).map_err(|error| format!("is not valid JSON: {error}"))?;
    storable(&value)?;
    Ok(value)
}

/// Rejects values that not every store can keep. The error is a predicate.
pub(super) fn storable(value: &Value) -> Result<(), &'static str> {
    check(value, MAX_DEPTH)
}

fn check(value: &Value, levels: usize) -> Result<(), &'static str> {
    const TOO_DEEP: &str = "must not have more than 32 levels of nesting";
    match value {
        Value::String(text) => text_is_storable(text),
        Value::Array(values) => {
            let inner = levels.checked_sub(1).ok_or(TOO_DEEP)?;
            values.iter().try_for_each(|value| check(value, inner))
        }
        Value::Object(members) => {
            let inner = levels.checked_sub(1).ok_or(TOO_DEEP)?;
            members.iter().try_for_each(|(name, value)| {
                text_is_storable(name)?;
                check(value, inner)
            })
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

fn text_is_storable(text: &str) -> Result<(), &'static str> {
    if text.contains('\0') { Err("must not contain a NUL character") } else { Ok(()) }
}

/// Returns the merge patch (RFC 7396) that changes `before` into `after`. A member of `after` that is null is removed.
pub(super) fn patch_between(before: &Map<String, Value>, after: &Map<String, Value>) -> Map<String, Value> {
    let removed = before.keys().filter(|name| !after.contains_key(*name)).map(|name| (name.clone(), Value::Null));
    let changed = after.iter().filter(|(name, value)| before.get(*name) != Some(value));
    let changed = changed.map(|(name, value)| {
        let change = match (before.get(name), value) {
            (Some(Value::Object(before)), Value::Object(after)) => Value::Object(patch_between(before, after)),
            _ => value.clone(),
        };
        (name.clone(), change)
    });
    removed.chain(changed).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use steward_domain::model::JsonObject;

    use super::*;

    fn members(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn only_values_that_every_store_keeps_are_accepted() {
        assert!(parse("{\"a\": [1, \"b\", null]}").is_ok());
        let (deep, deeper) = (format!("{}{}", "[".repeat(32), "]".repeat(32)), format!("[{}", "[".repeat(32)));
        assert!(parse(&deep).is_ok());
        for invalid in ["", "{", "\"\\u0000\"", "{\"\\u0000\": 1}", "1e999", &(deeper + &"]".repeat(33))] {
            assert!(parse(invalid).is_err(), "{invalid}");
        }
        assert!(object("[]").is_err());
    }

    #[test]
    fn a_patch_between_two_objects_changes_one_into_the_other() {
        for (before, after) in [
            (json!({}), json!({"a": 1})),
            (json!({"a": 1, "b": {"c": 1, "d": [1]}}), json!({"b": {"d": [2], "e": {}}})),
            (json!({"a": {"b": 1}}), json!({"a": 1})),
            (json!({"a": 1}), json!({"a": {"b": 1}})),
            (json!({"a": 1}), json!({"a": 1})),
        ] {
            let (before, after) = (members(before), members(after));
            let merged = JsonObject::parse(before.clone()).unwrap().merged(&patch_between(&before, &after)).unwrap();
            assert_eq!(merged.members(), &after);
        }
    }
}
