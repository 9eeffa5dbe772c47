//! Warnings about a valid document: members without effect, which are stored like all others (docs/schema.md#document).
//! A misspelt member would otherwise remain unnoticed until items are not checked as expected.

use serde_json::Value;

use super::validate::escaped;
use super::{Document, object};
use crate::kernel::violations::{MAX_VIOLATIONS, most_similar, quoted};

/// Members of a document that have an effect, for the service or for an editor.
const OF_DOCUMENT: &[&str] = &["$schema", "project_id", "version", "tables"];
/// Members of a document that may be present without an effect. They are no misspelt other ones.
const ANNOTATIONS: &[&str] = &["namespace", "name", "description"];
/// Members of a table.
const OF_TABLE: &[&str] = &["fields", "type", "name", "origin", "description"];
/// Members of a field.
const OF_FIELD: &[&str] = &["type", "required", "indexed", "description"];
/// Members of an origin.
const OF_ORIGIN: &[&str] = &["type", "project_id", "table", "version"];

/// A member of a valid document that has no effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaWarning {
    /// JSON pointer to the member.
    pub path: String,
    /// What has no effect, and what may be meant.
    pub message: String,
}

impl SchemaWarning {
    fn new(above: &str, name: &str, advice: &str) -> Self {
        let message = format!("`{}` has no effect. {advice}", quoted(name));
        Self { path: format!("{above}/{}", escaped(name)), message }
    }

    /// Warns about a member that is unknown in an object of this kind, such as "A field".
    fn unknown(above: &str, name: &str, kind: &str, known: &[&str]) -> Self {
        let advice = match most_similar(name, known) {
            Some(similar) => suggestion(similar),
            None => format!("{kind} has these members: {}.", known.join(", ")),
        };
        Self::new(above, name, &advice)
    }
}

fn suggestion(name: &str) -> String {
    format!("Did you mean `{name}`?")
}

impl Document {
    /// Returns the first 100 warnings, in the order of the document. Of the document itself, only members that are similar
    /// to known ones are reported: programs keep data of their own there.
    pub fn warnings(&self) -> Vec<SchemaWarning> {
        let misspelt = self.members.keys().filter(|name| !is_known(name, &[OF_DOCUMENT, ANNOTATIONS]));
        let of_document = misspelt.filter_map(|name| {
            let similar = most_similar(name, OF_DOCUMENT)?;
            Some(SchemaWarning::new("", name, &suggestion(similar)))
        });
        let of_tables = object(self.members.get("tables")).flat_map(|(name, table)| of_table(name, table));
        of_document.chain(of_tables).take(MAX_VIOLATIONS).collect()
    }
}

fn of_table<'a>(name: &'a str, table: &'a Value) -> impl Iterator<Item = SchemaWarning> + 'a {
    let path = format!("/tables/{}", escaped(name));
    let fields_path = format!("{path}/fields");
    let of_origin = unknown_members(format!("{path}/origin"), table.get("origin"), "An origin", OF_ORIGIN);
    let of_fields = object(table.get("fields")).flat_map(move |(name, field)| {
        unknown_members(format!("{fields_path}/{}", escaped(name)), Some(field), "A field", OF_FIELD)
    });
    unknown_members(path, Some(table), "A table", OF_TABLE).chain(of_origin).chain(of_fields)
}

fn unknown_members<'a>(
    path: String,
    value: Option<&'a Value>,
    kind: &'static str,
    known: &'static [&'static str],
) -> impl Iterator<Item = SchemaWarning> + 'a {
    let unknown = object(value).filter(move |(name, _)| !is_known(name, &[known]));
    unknown.map(move |(name, _)| SchemaWarning::unknown(&path, name, kind, known))
}

fn is_known(name: &str, lists: &[&[&str]]) -> bool {
    lists.iter().any(|known| known.contains(&name))
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::super::json_schema;
    use super::*;

    fn warnings(document: &Value) -> Vec<(String, String)> {
        let warnings = Document::parse(document).unwrap().warnings();
        warnings.into_iter().map(|warning| (warning.path, warning.message)).collect()
    }

    fn of_field(field: &Value) -> Vec<(String, String)> {
        warnings(&json!({"project_id": "p", "version": 1, "tables": {"t": {"fields": {"f": field}}}}))
    }

    #[test]
    fn a_misspelt_member_of_a_field_is_reported_with_what_may_be_meant() {
        for (name, meant) in [
            ("requierd", "required"),
            ("Required", "required"),
            ("indexd", "indexed"),
            ("index", "indexed"),
            ("descripton", "description"),
        ] {
            let found = of_field(&json!({"type": "string", name: true}));
            let message = format!("`{name}` has no effect. Did you mean `{meant}`?");
            assert_eq!(found, [(format!("/tables/t/fields/f/{name}"), message)]);
        }
        let message = "`unique` has no effect. A field has these members: type, required, indexed, description.";
        let found = of_field(&json!({"type": "string", "unique": true}));
        assert_eq!(found, [("/tables/t/fields/f/unique".to_owned(), message.to_owned())]);
    }

    #[test]
    fn members_that_the_rules_know_are_no_warnings() {
        let field = json!({"type": "string", "required": true, "indexed": false, "description": "d"});
        let origin = json!({"type": "reference", "project_id": "p", "table": "t", "version": 1});
        let table =
            json!({"fields": {"f": field}, "type": "collection", "name": "n", "description": "d", "origin": origin});
        let document = json!({
            "$schema": "s", "project_id": "p", "version": 1, "namespace": "n", "name": "n", "description": "d",
            "tables": {"t": table}, "zeta": {"required": 1},
        });
        assert_eq!(warnings(&document), []);
    }

    #[test]
    fn tables_origins_and_the_document_are_checked_too() {
        let origin = json!({"project_id": "p", "table": "t", "versoin": 1});
        let table = json!({"fields": {}, "origin": origin, "orgin": 1, "color": "red"});
        let document = json!({"project_id": "p", "verison": 2, "version": 1, "zeta": 1, "tables": {"t": table}});
        let expected = [
            ("/verison", "`verison` has no effect. Did you mean `version`?"),
            ("/tables/t/orgin", "`orgin` has no effect. Did you mean `origin`?"),
            (
                "/tables/t/color",
                "`color` has no effect. A table has these members: fields, type, name, origin, description.",
            ),
            ("/tables/t/origin/versoin", "`versoin` has no effect. Did you mean `version`?"),
        ];
        assert_eq!(warnings(&document), expected.map(|(path, message)| (path.to_owned(), message.to_owned())));
    }

    #[test]
    fn a_hundred_warnings_with_short_messages_are_returned() {
        let mut field: Map<String, Value> = (0..10_000).map(|number| (format!("a/{number}"), json!(1))).collect();
        field.insert("type".into(), json!("string"));
        let found = of_field(&Value::Object(field));
        assert_eq!((found.len(), found[0].0.as_str()), (100, "/tables/t/fields/f/a~10"));
        let found = of_field(&json!({"type": "string", "x".repeat(100_000): 1}));
        assert!(found[0].1.len() < 300, "{}", found[0].1.len());
    }

    #[test]
    fn the_known_members_are_those_of_the_json_schema() {
        let rules = json_schema();
        let members = |pointer: &str| -> Vec<String> {
            rules.pointer(&format!("{pointer}/properties")).unwrap().as_object().unwrap().keys().cloned().collect()
        };
        let table = "/properties/tables/additionalProperties";
        for (pointer, known) in [
            (String::new(), [OF_DOCUMENT, &["namespace"]].concat()),
            (table.to_owned(), OF_TABLE.to_vec()),
            (format!("{table}/properties/fields/additionalProperties"), OF_FIELD.to_vec()),
            (format!("{table}/properties/origin"), OF_ORIGIN.to_vec()),
        ] {
            assert_eq!(members(&pointer), known, "{pointer}");
        }
    }
}
