//! Tables that reference a table of another project, which must exist and be compatible
//! (docs/schema.md#tables-of-other-projects).

use serde_json::json;

use super::{Document, SchemaViolation, object, whole_number};
use crate::kernel::violations::{Violations, quoted};

/// A table that references a table of another project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The name of the table in this document.
    pub table: String,
    /// The UUID or DID of the other project.
    pub project_id: String,
    /// The name of the table in the other project.
    pub origin_table: String,
    /// The version of the other schema; `None` for the newest. A number that no version can have becomes 0, which is
    /// never published.
    pub version: Option<u64>,
}

impl Document {
    /// Returns the tables that reference a table of another project.
    pub fn origins(&self) -> Vec<Origin> {
        object(self.members().get("tables"))
            .filter_map(|(name, table)| {
                let origin = table.get("origin")?;
                Some(Origin {
                    table: name.clone(),
                    project_id: origin.get("project_id")?.as_str()?.to_owned(),
                    origin_table: origin.get("table")?.as_str()?.to_owned(),
                    version: origin.get("version").map(|version| whole_number(version).unwrap_or_default()),
                })
            })
            .collect()
    }
}

/// Checks a table with an origin against the other project's published schema; `None` if nothing is published.
pub fn check_origin(document: &Document, origin: &Origin, published: Option<&Document>) -> Violations<SchemaViolation> {
    let violation = |field: Option<&str>, message: String| {
        let (table, project_id) = (quoted(&origin.origin_table), quoted(&origin.project_id));
        let (params, path) = match field {
            None => {
                let params = json!({"originTable": table, "project_id": project_id});
                (params, format!("/tables/{}/origin", origin.table))
            }
            Some(field) => {
                let params = json!({"field": field, "originTable": table, "project_id": project_id});
                (params, format!("/tables/{}/fields/{field}", origin.table))
            }
        };
        SchemaViolation::new(path, "#/origin", "origin", params, message)
    };
    let Some(origin_table) = published.and_then(|published| published.table(&origin.origin_table)) else {
        let table = quoted(&origin.origin_table);
        let message = format!("origin table \"{table}\" is not in the published schema of its project");
        return std::iter::once(violation(None, message)).collect();
    };
    let fields = document.table(&origin.table).into_iter().flat_map(|table| &table.fields);
    fields
        .filter_map(|(name, field)| match origin_table.field(name) {
            None => Some(violation(Some(name), format!("field \"{name}\" is not in the origin table"))),
            Some(other) if other.kind != field.kind => Some(violation(
                Some(name),
                format!("field \"{name}\" must be of type \"{}\" as in the origin table", other.kind.as_str()),
            )),
            Some(_) => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn an_invalid_version_does_not_select_the_newest_schema() {
        let version_of = |origin: Value| {
            let tables = json!({"people": {"origin": origin, "fields": {}}});
            let document = Document::parse(&json!({"project_id": "p", "version": 1, "tables": tables})).unwrap();
            document.origins()[0].version
        };
        for (version, expected) in [(json!(2), 2), (json!(2.0), 2), (json!(0), 0), (json!(-1), 0), (json!(1e300), 0)] {
            let origin = json!({"project_id": "q", "table": "people", "version": version});
            assert_eq!(version_of(origin), Some(expected), "{version}");
        }
        assert_eq!(version_of(json!({"project_id": "q", "table": "people"})), None);
    }

    #[test]
    fn a_table_with_an_origin_has_only_fields_of_the_origin_table() {
        let published = Document::parse(&json!({"project_id": "q", "version": 1, "tables": {
            "people": {"fields": {"name": {"type": "string"}, "age": {"type": "number"}}},
        }}))
        .unwrap();
        let referencing = |fields: Value| {
            Document::parse(&json!({"project_id": "p", "version": 1, "tables": {
                "people": {"origin": {"project_id": "q", "table": "people"}, "fields": fields},
            }}))
            .unwrap()
        };
        let check = |document: &Document, published: Option<&Document>| {
            check_origin(document, &document.origins()[0], published)
        };
        let compatible = referencing(json!({"name": {"type": "string"}}));
        assert!(check(&compatible, Some(&published)).is_empty());
        assert_eq!(check(&compatible, None).as_slice().len(), 1);
        let incompatible = referencing(json!({"name": {"type": "json"}, "size": {"type": "number"}}));
        let violations = check(&incompatible, Some(&published));
        let violations = violations.as_slice();
        assert_eq!(violations.len(), 2);
        assert_eq!(violations[1].params, json!({"originTable": "people", "project_id": "q", "field": "size"}));
    }
}
