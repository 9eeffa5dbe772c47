//! Preparation of documents for publication: filling in missing members, merging changes, and restoring old versions
//! (docs/schema.md#updates).

use serde_json::{Map, Value, json};

use super::Document;
use crate::kernel::ProjectId;
use crate::kernel::text::json::merge;

/// Returns a document with `project_id` and `version` filled in if they are absent.
pub fn filled(mut document: Value, project: ProjectId, next: u32) -> Value {
    if let Value::Object(members) = &mut document {
        members.entry("project_id").or_insert_with(|| json!(project.to_string()));
        members.entry("version").or_insert_with(|| json!(next));
    }
    document
}

impl Document {
    /// Returns the document with changes merged into it (RFC 7396). Its version is `next` unless the changes contain a
    /// version. Members that are not in the changes keep their position.
    pub fn merged(&self, changes: &Map<String, Value>, next: u32) -> Value {
        let mut members = self.members().clone();
        members.insert("version".into(), json!(next));
        let applies = |name: &str, value: &Value| name != "version" || !value.is_null();
        let changes = changes.iter().filter(|(name, value)| applies(name, value));
        merge(&mut members, &changes.map(|(name, value)| (name.clone(), value.clone())).collect());
        Value::Object(members)
    }

    /// Returns the same document with another version number.
    pub fn renumbered(&self, number: u32) -> Value {
        let mut members = self.members().clone();
        members.insert("version".into(), json!(number));
        Value::Object(members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::id_of;

    fn published() -> Document {
        Document::parse(&json!({
            "zeta": 1, "project_id": "p", "version": 3, "namespace": "n",
            "tables": {
                "b": {"fields": {"y": {"type": "string", "required": true}, "x": {"type": "json"}}, "color": "red"},
                "a": {"fields": {}},
            },
        }))
        .unwrap()
    }

    fn merged(changes: Value) -> Value {
        published().merged(changes.as_object().unwrap(), 4)
    }

    #[test]
    fn only_missing_members_are_filled_in() {
        let project = ProjectId::from(id_of("project"));
        let document = filled(json!({"tables": {}}), project, 4);
        assert_eq!(document.to_string(), format!(r#"{{"tables":{{}},"project_id":"{project}","version":4}}"#));
        let complete = json!({"version": 9, "project_id": 1});
        assert_eq!(filled(complete.clone(), project, 4), complete);
    }

    #[test]
    fn changes_are_merged_by_member_tables_by_table_fields_by_field() {
        let base = |pointer: &str, value: Option<Value>| {
            let mut document = published().renumbered(4);
            let (parent, name) = pointer.rsplit_once('/').unwrap();
            let members = document.pointer_mut(parent).unwrap().as_object_mut().unwrap();
            match value {
                Some(value) => members.insert(name.into(), value),
                None => members.shift_remove(name),
            };
            document
        };
        let text = json!({"type": "string"});
        for (changes, result) in [
            (json!({}), base("/version", Some(json!(4)))),
            (json!({"namespace": "m"}), base("/namespace", Some(json!("m")))),
            (json!({"namespace": null}), base("/namespace", None)),
            (json!({"tables": {"a": null}}), base("/tables/a", None)),
            (
                json!({"tables": {"c": {"fields": {"f": text, "g": null}}}}),
                base("/tables/c", Some(json!({"fields": {"f": text}}))),
            ),
            (json!({"tables": {"b": {"fields": {"z": text}}}}), base("/tables/b/fields/z", Some(text.clone()))),
            (json!({"tables": {"b": {"fields": {"x": null}}}}), base("/tables/b/fields/x", None)),
            (
                json!({"tables": {"b": {"fields": {"y": {"required": false}}}}}),
                base("/tables/b/fields/y/required", Some(json!(false))),
            ),
            (json!({"tables": {"b": {"color": null}}}), base("/tables/b/color", None)),
            (json!({"tables": []}), base("/tables", Some(json!([])))),
            (json!({"version": 7}), base("/version", Some(json!(7)))),
            (json!({"version": null}), base("/version", Some(json!(4)))),
        ] {
            assert_eq!(merged(changes.clone()).to_string(), result.to_string(), "{changes}");
        }
    }

    #[test]
    fn a_restored_document_differs_only_in_its_version() {
        let text = published().to_json().replace(r#""version":3"#, r#""version":9"#);
        assert_eq!(published().renumbered(9).to_string(), text);
    }
}
