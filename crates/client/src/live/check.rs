//! What a device checks of a local change before it accepts it, in the words of the service.

use std::sync::Arc;

use serde_json::Value;

use super::change::{Change, Fields, LiveReason};

const MAX_ITEM_BYTES: usize = 256 * 1024;
/// How many changes and bytes the service stores together at most. The message has more members.
const MAX_TOGETHER: usize = 1_000;
const MAX_TOGETHER_BYTES: usize = 1024 * 1024 - 512;
/// Members that are no fields. The service ignores them.
const RESERVED: [&str; 3] = ["id", "created_at", "updated_at"];

/// Checks whether the service would store a change of an item. `tables` are those of the schema, if it is known.
/// Others, and fields that it does not have, may be new, and are no errors.
pub(super) fn check(change: &Change, before: Option<&Arc<Fields>>, tables: &Value) -> Result<(), LiveReason> {
    let (table, id) = &change.key;
    let is_valid = id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._~-".contains(&byte));
    if !is_valid || !(1..=128).contains(&id.len()) {
        return Err(reason("invalid_key", "The key must be 1 to 128 characters from A-Z a-z 0-9 . _ ~ -."));
    }
    let Some(item) = change.applied(before) else { return Ok(()) };
    let mut fields = Arc::unwrap_or_clone(item);
    fields.retain(|name, value| !RESERVED.contains(&name.as_str()) && !value.is_null());
    // An item that this device does not have may have the other fields.
    let is_whole = before.is_some() || !change.is_patch();
    if let Some(violation) = tables.get(table).and_then(|table| violation(table.get("fields")?, &fields, is_whole)) {
        return Err(reason("invalid_item", &violation));
    }
    if serde_json::to_vec(&fields).is_ok_and(|text| text.len() > MAX_ITEM_BYTES) {
        let message = "The value is too large: an item can hold at most 256 KiB of JSON. Split it into several items.";
        return Err(reason("item_too_large", message));
    }
    Ok(())
}

fn violation(known: &Value, fields: &Fields, is_whole: bool) -> Option<String> {
    let mut wrong = fields.iter().filter_map(|(name, value)| {
        let expected = known.get(name)?.get("type")?.as_str()?;
        let got = match value {
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            _ => "object",
        };
        let is_valid = got == if expected == "json" { "object" } else { expected };
        (!is_valid).then(|| format!("Field {name} should be type {expected}, got {got}"))
    });
    let mut missing = known.as_object()?.iter().filter(|(name, field)| {
        is_whole && field.get("required") == Some(&Value::Bool(true)) && !fields.contains_key(*name)
    });
    wrong.next().or_else(|| missing.next().map(|(name, _)| format!("Field {name} is required")))
}

/// Checks whether the service stores these changes together, if they belong together.
pub(super) fn check_together(changes: &[Change], is_atomic: Option<bool>) -> Result<(), LiveReason> {
    if is_atomic == Some(false) && changes.iter().any(|change| change.group.is_some()) {
        return Err(not_atomic());
    }
    let is_long = || serde_json::to_vec(changes).is_ok_and(|text| text.len() > MAX_TOGETHER_BYTES);
    if changes.len() > MAX_TOGETHER || changes.len() > 1 && is_long() {
        return Err(reason("message_too_long", "An atomic write can have 1,000 changes and 1 MiB."));
    }
    Ok(())
}

pub(super) fn not_atomic() -> LiveReason {
    let message = "The service does not know atomic writes. Update it, or write each item by itself.";
    reason("not_supported", message)
}

fn reason(code: &str, message: &str) -> LiveReason {
    LiveReason { code: code.to_owned(), message: message.to_owned() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_the_service_would_not_store_is_refused_in_its_words() {
        let schema = json!({"notes": {"fields": {
            "title": {"type": "string", "required": true}, "tags": {"type": "json"}, "done": {"type": "boolean"},
        }}});
        let before = Arc::new(json!({"id": "a", "title": "x"}).as_object().unwrap().clone());
        let check = |change: Value, before: Option<&Arc<Fields>>| {
            let change: Change = serde_json::from_value(change).unwrap();
            match check(&change, before, &schema) {
                Ok(()) => None,
                Err(reason) => Some(format!("{}: {reason}", reason.code)),
            }
        };
        let put = |key: &str, obj: Value| json!({"type": 1, "table": "notes", "key": key, "obj": obj});
        let patch = |mods: Value| json!({"type": 2, "table": "notes", "key": "a", "mods": mods});
        for (change, code) in [
            (put("a", json!({"title": 1})), "invalid_item: Field title should be type string, got number"),
            (put("a", json!({"title": "x", "done": 1})), "invalid_item: Field done should be type boolean, got number"),
            (put("a", json!({"title": "x", "tags": "a"})), "invalid_item: Field tags should be type json, got string"),
            (put("a", json!({"done": true})), "invalid_item: Field title is required"),
            (put("a", json!({"title": null})), "invalid_item: Field title is required"),
            (put("a", json!({"title": "\u{20ac}".repeat(87_400)})), "item_too_large: The value is too large"),
            (put("a/b", json!({"title": "x"})), "invalid_key: The key must be 1 to 128"),
            (json!({"type": 3, "table": "notes", "key": ""}), "invalid_key: The key must be 1 to 128"),
        ] {
            let refused = check(change.clone(), None);
            assert!(refused.as_ref().is_some_and(|text| text.starts_with(code)), "{change} {refused:?}");
        }
        assert!(check(patch(json!({"title": null})), Some(&before)).unwrap().ends_with("Field title is required"));
        for (change, before) in [
            (put("a", json!({"title": "\u{20ac}".repeat(87_370)})), None),
            (put("a", json!({"title": "", "done": null, "tags": [1], "created_at": true, "later": 1})), None),
            (json!({"type": 1, "table": "later", "key": "a", "obj": {"anything": 1}}), None),
            // The rest of the item may be elsewhere.
            (patch(json!({"done": true})), None),
            (patch(json!({"tags.a": 1})), Some(&before)),
        ] {
            assert_eq!(check(change, before), None);
        }
    }
}
