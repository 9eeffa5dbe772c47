//! Changes of single values inside the fields of an item, at paths such as `meta.color` or `tags.0`.

use serde_json::{Map, Value};

/// Maximum number of parts of a path.
const MAX_PARTS: usize = 32;
/// Elements are not removed from longer arrays, because that takes time that grows with the length.
const MAX_SHORTENED: usize = 1_000;

/// Sets the value at a path; null removes the path. Missing objects on the path are created. Fails with a predicate
/// about the path.
pub(super) fn set(fields: &mut Map<String, Value>, path: &str, value: &Value) -> Result<(), &'static str> {
    let parts: Vec<&str> = path.split('.').take(MAX_PARTS.saturating_add(1)).collect();
    match parts.split_first() {
        Some((first, rest)) if rest.len() < MAX_PARTS => set_in_object(fields, first, rest, value),
        _ => Err("has more than 32 parts"),
    }
}

fn set_in_object(
    object: &mut Map<String, Value>,
    part: &str,
    rest: &[&str],
    value: &Value,
) -> Result<(), &'static str> {
    match rest.split_first() {
        None if value.is_null() => {
            object.swap_remove(part);
            Ok(())
        }
        None => {
            object.insert(part.to_owned(), value.clone());
            Ok(())
        }
        Some(_) if value.is_null() && !object.contains_key(part) => Ok(()),
        Some((next, rest)) => set_in(object.entry(part).or_insert(Value::Null), next, rest, value),
    }
}

fn set_in(target: &mut Value, part: &str, rest: &[&str], value: &Value) -> Result<(), &'static str> {
    match target {
        Value::Object(object) => set_in_object(object, part, rest, value),
        Value::Array(elements) => set_in_array(elements, part, rest, value),
        _ if value.is_null() => Ok(()),
        other => {
            let mut object = Map::new();
            set_in_object(&mut object, part, rest, value)?;
            *other = Value::Object(object);
            Ok(())
        }
    }
}

fn set_in_array(elements: &mut Vec<Value>, part: &str, rest: &[&str], value: &Value) -> Result<(), &'static str> {
    let index: usize = part.parse().map_err(|_| "is not an index of its array")?;
    if value.is_null() && (rest.is_empty() || index >= elements.len()) {
        return match index < elements.len() {
            true if elements.len() > MAX_SHORTENED => Err("would remove an element from an array that is too long"),
            true => {
                elements.remove(index);
                Ok(())
            }
            false => Ok(()),
        };
    }
    if index == elements.len() {
        elements.push(Value::Null);
    }
    let element = elements.get_mut(index).ok_or("is beyond the end of its array")?;
    match rest.split_first() {
        None => {
            *element = value.clone();
            Ok(())
        }
        Some((next, rest)) => set_in(element, next, rest, value),
    }
}

/// Returns whether both databases can store a value: without NUL characters, and not nested too deeply.
pub(super) fn is_storable(value: &Value) -> bool {
    /// Maximum nesting depth of arrays and objects inside a field (docs/contract.md#request-bodies).
    const MAX_DEPTH: usize = 30;
    let mut pending = vec![(value, 0_usize)];
    while let Some((value, depth)) = pending.pop() {
        let inner = depth.saturating_add(1);
        let is_valid = match value {
            Value::String(text) => !text.contains('\0'),
            Value::Array(elements) => {
                pending.extend(elements.iter().map(|element| (element, inner)));
                inner <= MAX_DEPTH
            }
            Value::Object(members) => {
                pending.extend(members.values().map(|member| (member, inner)));
                inner <= MAX_DEPTH && !members.keys().any(|name| name.contains('\0'))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => true,
        };
        if !is_valid {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn after(fields: Value, path: &str, value: Value) -> Result<Value, &'static str> {
        let mut fields = fields.as_object().unwrap().clone();
        set(&mut fields, path, &value)?;
        Ok(Value::Object(fields))
    }

    #[test]
    fn a_path_sets_or_removes_one_value_and_keeps_all_others() {
        let item = json!({"title": "A", "meta": {"color": "red", "a": {"b": 1}}, "tags": ["x", {"y": 1}]});
        for (path, value, expected) in [
            ("title", json!("B"), json!({"title": "B", "meta": item["meta"], "tags": item["tags"]})),
            ("title", json!(null), json!({"meta": item["meta"], "tags": item["tags"]})),
            (
                "meta.a.b",
                json!(2),
                json!({"title": "A", "meta": {"color": "red", "a": {"b": 2}}, "tags": item["tags"]}),
            ),
            ("meta.a", json!(null), json!({"title": "A", "meta": {"color": "red"}, "tags": item["tags"]})),
            ("tags.0", json!(null), json!({"title": "A", "meta": item["meta"], "tags": [{"y": 1}]})),
            ("tags.1.y", json!(2), json!({"title": "A", "meta": item["meta"], "tags": ["x", {"y": 2}]})),
            ("tags.2", json!("z"), json!({"title": "A", "meta": item["meta"], "tags": ["x", {"y": 1}, "z"]})),
        ] {
            assert_eq!(after(item.clone(), path, value), Ok(expected), "{path}");
        }
    }

    #[test]
    fn missing_objects_are_created_only_to_hold_a_value() {
        assert_eq!(after(json!({}), "a.b.c", json!(1)), Ok(json!({"a": {"b": {"c": 1}}})));
        assert_eq!(after(json!({"a": "text"}), "a.b", json!(1)), Ok(json!({"a": {"b": 1}})));
        for missing in ["a", "a.b.c"] {
            assert_eq!(after(json!({}), missing, json!(null)), Ok(json!({})));
        }
        assert_eq!(after(json!({"a": "text"}), "a.b", json!(null)), Ok(json!({"a": "text"})));
    }

    #[test]
    fn a_path_that_fits_no_array_or_is_too_long_is_refused() {
        for (path, value) in [("tags.x", json!(1)), ("tags.3", json!(1)), ("tags.-1", json!(null))] {
            assert!(after(json!({"tags": [1]}), path, value).is_err(), "{path}");
        }
        assert!(after(json!({}), &"a.".repeat(40), json!(1)).is_err());
        assert!(after(json!({"tags": vec![0; 2_000]}), "tags.0", json!(null)).is_err());
    }

    #[test]
    fn values_that_a_database_cannot_store_are_recognized() {
        let nested = |depth: usize| (0..depth).fold(json!(1), |inner, _| json!([inner]));
        assert!(is_storable(&json!({"a": [1, "x", null]})) && is_storable(&nested(30)));
        for invalid in [json!("\0"), json!({"\0": 1}), nested(31)] {
            assert!(!is_storable(&invalid));
        }
    }
}
