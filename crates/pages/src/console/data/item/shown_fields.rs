//! The fields of an item that its form showed. If someone else changes the item before it is saved, the form keeps what
//! the person edited, and no outdated value of the other fields.

use std::hash::Hasher as _;

use serde_json::{Map, Value};
use siphasher::sip::SipHasher13;

/// A digest of the text of each field that a form showed a value of. The texts themselves would double the size of the
/// form.
#[derive(Debug, Default)]
pub(crate) struct ShownFields(Map<String, Value>);

impl ShownFields {
    /// Returns the fields of a form that shows these texts.
    pub(crate) fn of(texts: impl IntoIterator<Item = (String, String)>) -> Self {
        let texts = texts.into_iter().filter(|(_, text)| !text.is_empty());
        Self(texts.map(|(name, text)| (name, Value::String(digest(&text)))).collect())
    }

    /// Reads the fields from the form that was submitted. Fields that it does not contain count as edited.
    pub(crate) fn parse(text: &str) -> Self {
        Self(serde_json::from_str(text).unwrap_or_default())
    }

    /// Returns the text that the form contains.
    pub(crate) fn into_text(self) -> String {
        Value::Object(self.0).to_string()
    }

    /// Whether the form showed this text of a field; `None` if it showed no value.
    pub(crate) fn showed(&self, name: &str, text: Option<&str>) -> bool {
        self.0.get(name).and_then(Value::as_str) == text.map(digest).as_deref()
    }

    /// Applies what was edited to the fields of an item that was changed since. The form showed each field as JSON.
    pub(crate) fn merged(&self, entered: Map<String, Value>, current: &Map<String, Value>) -> Map<String, Value> {
        let mut merged = entered;
        merged.retain(|name, value| current.contains_key(name) || !self.showed(name, Some(&value.to_string())));
        for (name, value) in current {
            let text = merged.get(name).map(Value::to_string);
            if self.showed(name, text.as_deref()) {
                merged.insert(name.clone(), value.clone());
            }
        }
        merged
    }
}

/// Browsers send line breaks as CRLF.
fn digest(text: &str) -> String {
    let mut hasher = SipHasher13::new();
    hasher.write(text.replace("\r\n", "\n").as_bytes());
    format!("{:x}", hasher.finish())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fields(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    fn shown(value: Value) -> ShownFields {
        let shown = ShownFields::of(fields(value).into_iter().map(|(name, value)| (name, value.to_string())));
        ShownFields::parse(&shown.into_text())
    }

    #[test]
    fn a_text_is_recognized_with_other_line_breaks() {
        let shown = ShownFields::of([("a".to_owned(), "1\r\n2".to_owned()), ("b".to_owned(), String::new())]);
        assert!(shown.showed("a", Some("1\n2")) && !shown.showed("a", Some("1")) && !shown.showed("a", None));
        assert!(shown.showed("b", None) && !shown.showed("b", Some("1")));
        let unknown = ShownFields::parse("not JSON");
        assert!(!unknown.showed("a", Some("1\n2")));
    }

    #[test]
    fn only_what_was_edited_is_applied_to_an_item_that_was_changed() {
        let shown = shown(json!({"edited": 1, "removed": 1, "kept": 1, "changed": 1, "gone": 1, "both": 1}));
        let entered = fields(json!({"edited": 2, "kept": 1, "changed": 1, "gone": 1, "both": 2, "new": "1"}));
        let current = fields(json!({"edited": 1, "removed": 1, "kept": 1, "changed": 3, "both": 3, "added": 3}));
        let expected = json!({"edited": 2, "kept": 1, "changed": 3, "both": 2, "new": "1", "added": 3});
        assert_eq!(Value::Object(shown.merged(entered, &current)), expected);
    }
}
