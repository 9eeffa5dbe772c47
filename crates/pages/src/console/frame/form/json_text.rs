//! JSON that a person enters. The rules are those of the API (docs/contract.md#request-bodies), because the same stores
//! keep it.

use serde_json::{Map, Value};
use steward_domain::kernel::strict_json;

/// Parses a JSON object. The error is a predicate.
pub(crate) fn object(text: &str) -> Result<Map<String, Value>, String> {
    match parse(text)? {
        Value::Object(members) => Ok(members),
        _ => Err("must be a JSON object, such as {\"plan\": \"pro\"}".to_owned()),
    }
}

/// Parses any JSON value. The error is a predicate.
pub(crate) fn parse(text: &str) -> Result<Value, String> {
    let (value, _) = strict_json::parse(text.as_bytes()).map_err(|error| format!("is not valid JSON: {error}"))?;
    Ok(value)
}

/// Returns text as a JSON string. The error is a predicate.
pub(crate) fn string(text: &str) -> Result<Value, &'static str> {
    if text.contains('\0') { Err("must not contain a NUL character") } else { Ok(text.into()) }
}

/// Returns the merge patch (RFC 7396) that changes `before` into `after`. A member of `after` that is null is removed.
pub(crate) fn patch_between(before: &Map<String, Value>, after: &Map<String, Value>) -> Map<String, Value> {
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

/// The largest document that is shown with line breaks, in bytes. The form must not exceed its maximum size.
const MAX_INDENTED_BYTES: usize = 64 * 1024;

/// Returns a document as text, with line breaks unless it is large.
pub(crate) fn indented(document: &Map<String, Value>) -> String {
    let text = Value::Object(document.clone()).to_string();
    if text.len() > MAX_INDENTED_BYTES { text } else { serde_json::to_string_pretty(document).unwrap_or(text) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use steward_domain::kernel::JsonObject;

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
        assert!(string("a\n").is_ok() && string("a\0").is_err());
    }

    #[test]
    fn a_duplicate_member_is_refused() {
        let error = object(r#"{"tables": {"notes": {"fields": {}}, "notes": {}}}"#).unwrap_err();
        let expected = "is not valid JSON: the object has two members named \"notes\" at line 1 column ";
        assert!(error.starts_with(expected), "{error}");
    }

    #[test]
    fn too_many_values_are_refused() {
        let array = |values: usize| format!("[{}]", vec!["0"; values].join(","));
        assert!(parse(&array(99_999)).is_ok());
        let error = parse(&array(100_000)).unwrap_err();
        assert!(error.starts_with("is not valid JSON: more than 100,000 values at line 1 column "), "{error}");
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
