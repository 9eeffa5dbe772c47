//! Changes of items, as devices and the service send them to each other.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The fields of an item, for tables without types.
pub type Fields = Map<String, Value>;

/// Table and ID of an item.
pub(super) type Key = (String, String);

/// A change of an item.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Message", into = "Message")]
pub(super) struct Change {
    pub(super) key: Key,
    pub(super) action: Action,
    /// Names the changes that the service stores together, or not at all. It is not sent.
    pub(super) group: Option<Arc<str>>,
    /// In a message of the service: why it did not store a change of this device. It then has the item as the service
    /// has it.
    pub(super) reason: Option<LiveReason>,
}

/// Why the service did not store a change, or does not store one that would be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct LiveReason {
    /// Machine-readable code, such as `invalid_item` or `quota_exceeded`.
    pub code: String,
    /// What is wrong, for developers.
    pub message: String,
}

#[derive(Clone, PartialEq)]
pub(super) enum Action {
    /// Creates or replaces the item.
    Put(Arc<Fields>),
    /// Sets the values at dotted paths. Null removes one.
    Patch(Arc<Fields>),
    Delete,
}

/// A change as it is sent. Not an enum with a tag, because its tag is a number.
#[derive(Serialize, Deserialize)]
struct Message {
    r#type: u8,
    table: String,
    key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    obj: Option<Arc<Fields>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mods: Option<Arc<Fields>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    atomic: Option<Arc<str>>,
    #[serde(skip_serializing)]
    code: Option<String>,
    #[serde(skip_serializing)]
    message: Option<String>,
}

impl TryFrom<Message> for Change {
    type Error = &'static str;

    fn try_from(message: Message) -> Result<Self, Self::Error> {
        let action = match (message.r#type, message.obj, message.mods) {
            (1, Some(fields), _) => Action::Put(fields),
            (2, _, Some(paths)) => Action::Patch(paths),
            (3, ..) => Action::Delete,
            _ => return Err("not a change: `type` is 1 with `obj`, 2 with `mods`, or 3"),
        };
        let text = message.message.unwrap_or_default();
        let reason = message.code.map(|code| LiveReason { code, message: text });
        Ok(Self { key: (message.table, message.key), action, group: message.atomic, reason })
    }
}

impl From<Change> for Message {
    fn from(Change { key: (table, key), action, group: atomic, .. }: Change) -> Self {
        let (r#type, obj, mods) = match action {
            Action::Put(fields) => (1, Some(fields), None),
            Action::Patch(paths) => (2, None, Some(paths)),
            Action::Delete => (3, None, None),
        };
        Self { r#type, table, key, obj, mods, atomic, code: None, message: None }
    }
}

impl Change {
    /// Returns the item after the change, or `None` if it does not exist.
    pub(super) fn applied(&self, item: Option<&Arc<Fields>>) -> Option<Arc<Fields>> {
        let mut changed = match &self.action {
            Action::Delete => return None,
            Action::Put(fields) => Fields::clone(fields),
            Action::Patch(paths) => {
                let mut changed = item.map(|item| Fields::clone(item)).unwrap_or_default();
                for (path, value) in paths.iter() {
                    set(&mut changed, path, value);
                }
                changed
            }
        };
        changed.insert("id".to_owned(), Value::String(self.key.1.clone()));
        Some(Arc::new(changed))
    }

    pub(super) fn is_patch(&self) -> bool {
        matches!(self.action, Action::Patch(_))
    }

    /// Returns whether an item has what the change stores.
    pub(super) fn is_included_in(&self, item: Option<&Arc<Fields>>) -> bool {
        match (&self.action, item) {
            (Action::Delete, item) => item.is_none(),
            (_, None) => false,
            (Action::Put(fields), Some(item)) => fields
                .iter()
                .all(|(name, value)| name == "id" || is_same(item.get(name).unwrap_or(&Value::Null), value)),
            // The change has no effect if its effect is there.
            (Action::Patch(_), Some(item)) => self.applied(Some(item)).is_some_and(|same| is_same_object(&same, item)),
        }
    }
}

/// Sets the value at a dotted path. Null removes it.
fn set(fields: &mut Fields, path: &str, value: &Value) {
    let Some((parent, rest)) = path.split_once('.') else {
        match value {
            Value::Null => drop(fields.remove(path)),
            value => drop(fields.insert(path.to_owned(), value.clone())),
        }
        return;
    };
    let target = fields.entry(parent).or_insert(Value::Null);
    if !target.is_object() {
        *target = Value::Object(Fields::new());
    }
    if let Value::Object(target) = target {
        set(target, rest, value);
    }
}

/// Compares JSON values. The service may return 1 for 1.0.
fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64() && (a.is_f64() || b.is_f64()),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b)),
        (Value::Object(a), Value::Object(b)) => is_same_object(a, b),
        _ => a == b,
    }
}

fn is_same_object(a: &Fields, b: &Fields) -> bool {
    a.len() == b.len() && a.iter().all(|(name, value)| b.get(name).is_some_and(|other| is_same(value, other)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn change(value: Value) -> Change {
        serde_json::from_value(value).unwrap()
    }

    fn fields(value: &Value) -> Arc<Fields> {
        Arc::new(value.as_object().unwrap().clone())
    }

    #[test]
    fn a_change_is_sent_as_it_is_received() {
        for text in [
            r#"{"type":1,"table":"notes","key":"a","obj":{"title":"x"}}"#,
            r#"{"type":2,"table":"notes","key":"a","mods":{"meta.a":null}}"#,
            r#"{"type":3,"table":"notes","key":"a"}"#,
            // As it is stored.
            r#"{"type":3,"table":"notes","key":"a","atomic":"x"}"#,
        ] {
            assert_eq!(serde_json::to_string(&serde_json::from_str::<Change>(text).unwrap()).unwrap(), text);
        }
        for invalid in [json!({"type": 1, "table": "notes", "key": "a"}), json!({"type": 4, "table": "n", "key": "a"})]
        {
            assert!(serde_json::from_value::<Change>(invalid.clone()).is_err(), "{invalid}");
        }
    }

    #[test]
    fn changes_at_paths_keep_the_rest() {
        let item = fields(&json!({"id": "a", "meta": {"a": {"b": 1}, "c": 2}, "text": "x"}));
        let mods = json!({"meta.a.b": null, "meta.d.e": 3, "text.f": 4});
        let changed = change(json!({"type": 2, "table": "notes", "key": "a", "mods": mods})).applied(Some(&item));
        let expected = json!({"id": "a", "meta": {"a": {}, "c": 2, "d": {"e": 3}}, "text": {"f": 4}});
        assert_eq!(Value::Object(Fields::clone(&changed.unwrap())), expected);
    }

    #[test]
    fn an_item_includes_a_change_if_it_has_all_that_the_change_stores() {
        let item = json!({"id": "a", "rank": 2, "meta": {"b": [1, 2.5], "c": 1}, "big": 9_007_199_254_740_993_u64});
        let put = |obj: Value| change(json!({"type": 1, "table": "notes", "key": "a", "obj": obj}));
        let patch = |mods: Value| change(json!({"type": 2, "table": "notes", "key": "a", "mods": mods}));
        let delete = change(json!({"type": 3, "table": "notes", "key": "a"}));
        let included =
            [put(json!({"rank": 2.0, "done": null})), put(json!({"meta": {"c": 1, "b": [1, 2.5]}})), patch(json!({}))];
        let missing = [
            put(json!({"rank": 3})),
            put(json!({"meta": {"c": 1}})),
            put(json!({"big": 9_007_199_254_740_992_u64})),
            patch(json!({"rank": null})),
            patch(json!({"meta.b": [1]})),
            delete.clone(),
        ];
        let item = fields(&item);
        assert!(included.iter().all(|change| change.is_included_in(Some(&item)) && !change.is_included_in(None)));
        for change in &missing {
            assert!(!change.is_included_in(Some(&item)), "{}", serde_json::to_string(change).unwrap());
        }
        assert!(delete.is_included_in(None));
        assert!(patch(json!({"rank": 2.0, "meta.c": 1, "absent": null})).is_included_in(Some(&item)));
    }
}
