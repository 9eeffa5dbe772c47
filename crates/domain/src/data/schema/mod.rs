//! Schema documents: versioned descriptions of the tables that a project stores for its users. The rules are defined in
//! docs/schema.md.

pub(super) mod catalog;
mod compare;
mod data;
mod diff;
mod draft;
mod field;
mod members;
mod mismatch;
mod origin;
pub(crate) mod port;
pub(super) mod schemas;
mod types;
mod validate;
mod warnings;

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use self::field::Field;
use self::members::{object, whole_number};
use crate::kernel::violations::Violations;
use crate::kernel::{AuditView, Audited, OwnerIds, ProjectId, ResourceKind, SchemaVersionId, Time};

pub use compare::{Change, ChangeList, MAX_LISTED_CHANGES, UpdateCheck, check_update, compare};
pub use data::{FieldCheck, ItemViolation};
pub use diff::{ChangeClass, CountedChange, SchemaDiff, UncountedChanges};
pub use draft::filled;
pub use field::FieldType;
pub use mismatch::{Mismatch, MismatchQuery, Mismatches};
pub use origin::{Origin, check_origin};
pub use types::TypeLanguage;
pub use validate::{MAX_BYTES, MAX_FIELDS, MAX_TABLES, SchemaViolation, json_schema, validate};
pub use warnings::SchemaWarning;

/// The maximum number of indexed fields of a table. Each index slows down every write of an item.
const MAX_INDEXED_FIELDS: usize = 16;

/// An indexed field, which makes queries and sorting by it fast.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexedField<'a> {
    /// The table of the field.
    pub table: &'a str,
    /// The name of the field.
    pub field: &'a str,
    /// The type of the field. It is never `json`, because objects and arrays have no order.
    pub kind: FieldType,
}

/// A valid document with its parsed tables.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    members: Map<String, Value>,
    version: u64,
    tables: HashMap<String, Table>,
}

/// The fields of a table, in document order and by name.
#[derive(Debug, Clone, Default, PartialEq)]
struct Table {
    fields: Vec<(String, Field)>,
    by_name: HashMap<String, Field>,
}

impl Table {
    fn of(table: &Value) -> Self {
        let fields: Vec<(String, Field)> = object(table.get("fields"))
            .filter_map(|(name, field)| {
                let kind = FieldType::parse(field.get("type")?.as_str()?)?;
                let required = field.get("required").and_then(Value::as_bool).unwrap_or(false);
                let indexed = field.get("indexed").and_then(Value::as_bool).unwrap_or(false);
                Some((name.clone(), Field { kind, required, indexed }))
            })
            .collect();
        Self { by_name: fields.iter().cloned().collect(), fields }
    }

    fn field(&self, name: &str) -> Option<Field> {
        self.by_name.get(name).copied()
    }
}

impl Document {
    /// Validates a document (docs/schema.md#errors-of-a-document).
    pub fn parse(document: &Value) -> Result<Self, Violations<SchemaViolation>> {
        let violations = validate(document);
        match document {
            Value::Object(members) if violations.is_empty() => Ok(Self::of_valid(members.clone())),
            _ => Err(violations),
        }
    }

    /// Returns the document before the first publication: version 0 without tables (docs/schema.md#updates).
    pub fn unpublished(project_id: &str) -> Self {
        let document = json!({"project_id": project_id, "version": 0, "tables": {}});
        match document {
            Value::Object(members) => Self::of_valid(members),
            _ => Self::of_valid(Map::new()),
        }
    }

    fn of_valid(members: Map<String, Value>) -> Self {
        let version = members.get("version").and_then(whole_number).unwrap_or_default();
        let tables = object(members.get("tables")).map(|(name, table)| (name.clone(), Table::of(table))).collect();
        Self { members, version, tables }
    }

    /// Returns the members as received.
    pub fn members(&self) -> &Map<String, Value> {
        &self.members
    }

    /// Returns the document as JSON text, with all members as received.
    pub fn to_json(&self) -> String {
        crate::kernel::text::json::to_json(&self.members)
    }

    /// Returns the approximate memory use, in bytes.
    pub fn memory(&self) -> usize {
        crate::kernel::text::json::memory(self.members.values())
    }

    /// Returns whether traversing the document takes long.
    pub fn is_large(&self) -> bool {
        crate::kernel::text::json::is_large(self.members.values())
    }

    /// Returns the `project_id`: a UUID or DID.
    pub fn project_id(&self) -> &str {
        self.members.get("project_id").and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns the version; 0 means not published.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Returns whether the document has the table.
    pub fn has_table(&self, name: &str) -> bool {
        self.tables.contains_key(name)
    }

    /// Returns the names of the tables, in the order of the document.
    pub fn table_names(&self) -> impl Iterator<Item = &str> {
        object(self.members.get("tables")).map(|(name, _)| name.as_str())
    }

    /// Returns the fields of a table and their types; an empty list if the table does not exist.
    pub fn fields(&self, table: &str) -> Vec<(&str, FieldType)> {
        let fields = self.table(table).into_iter().flat_map(|table| &table.fields);
        fields.map(|(name, field)| (name.as_str(), field.kind)).collect()
    }

    /// Returns the fields to index: the first 16 of each table that are declared as indexed.
    pub fn indexed_fields(&self) -> impl Iterator<Item = IndexedField<'_>> {
        self.tables.iter().flat_map(|(table, declared)| {
            let indexed = declared.fields.iter().filter(|(_, field)| field.is_indexed());
            let fields = indexed.map(move |(name, field)| IndexedField { table, field: name, kind: field.kind });
            fields.take(MAX_INDEXED_FIELDS)
        })
    }

    /// Returns whether a table has an indexed field.
    pub fn has_indexed_fields(&self, table: &str) -> bool {
        self.table(table).is_some_and(|table| table.fields.iter().any(|(_, field)| field.is_indexed()))
    }

    fn table(&self, name: &str) -> Option<&Table> {
        self.tables.get(name)
    }
}

/// A published version of a project's schema. It is immutable.
#[derive(Debug, Clone, PartialEq)]
pub struct SchemaVersion {
    /// Unique ID of the version.
    pub id: SchemaVersionId,
    /// The project of the schema.
    pub project_id: ProjectId,
    /// The version number: 1, 2, 3, ... without gaps or repetitions.
    pub number: u32,
    /// The published document.
    pub document: Document,
    /// When the version was published.
    pub published_at: Time,
}

impl Audited for SchemaVersion {
    const KIND: ResourceKind = ResourceKind::Schema;

    fn owner_ids(&self) -> OwnerIds {
        (None, Some(self.project_id))
    }

    fn audit_view(&self) -> Option<AuditView> {
        AuditView::of(self.id, json!({"version": self.number}))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sixteen_sortable_fields_are_indexed() {
        let mut fields: Map<String, Value> =
            (0..20).map(|n| (format!("f{n}"), json!({"type": "number", "indexed": true}))).collect();
        fields.insert("plain".into(), json!({"type": "string", "indexed": false}));
        let few = json!({"j": {"type": "json", "indexed": true}, "b": {"type": "boolean", "indexed": true}});
        let tables = json!({"many": {"fields": fields}, "few": {"fields": few}});
        let document = Document::parse(&json!({"project_id": "p", "version": 1, "tables": tables})).unwrap();
        let of = |table| document.indexed_fields().filter(|field| field.table == table).collect::<Vec<_>>();
        assert_eq!(of("few"), [IndexedField { table: "few", field: "b", kind: FieldType::Boolean }]);
        assert_eq!(of("many").len(), 16);
        assert_eq!(of("many")[15].field, "f15");
    }
}
