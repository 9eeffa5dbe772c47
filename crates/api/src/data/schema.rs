//! The versioned schema of a project (docs/contract.md#schemas).

use std::borrow::Cow;
use std::fmt;

use crate::openapi::{IntoParams, ToSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::list::PageParameters;
use crate::operation::operations;
use crate::values::{ProjectId, SchemaVersionId, Timestamp};

operations! {
    ROWS, "project-schema";

    /// List schema versions
    ///
    /// Returns the newest version of a project's schema, the version with a number, or all versions, newest first. Requires
    /// no credential.
    GetSchema Get "/project/{id}/schema", Reads Safe, at(Project), query(VersionParameter, PageParameters),
        200(SchemaListing), 304("The version has the ETag in `If-None-Match`."), shows(SchemaVersion),
        deviates("docs/contract.md#schemas"), errors("precondition_failed"), command("schema get");

    /// Publish a schema
    ///
    /// Publishes a document as the next version of a project's schema. An absent `project_id` or `version` is filled in.
    PublishSchema Post "/project/{id}/schema", Costly Keyed, at(Project), query(PublishParameters),
        body(SchemaDocument), 200(Publication), shows(SchemaVersion),
        deviates("docs/schema.md#updates: a dry run reports its effects, and members of the document have no effect"),
        errors("invalid_schema", "version_conflict", "schema_breaking", "too_many_items", "quota_exceeded"),
        command("schema push");

    /// Patch a schema
    ///
    /// Merges changes into the newest version of a project's schema (RFC 7396) and publishes the result as the next
    /// version.
    PatchSchema Patch "/project/{id}/schema", Costly Keyed, at(Project), query(PublishParameters), body(SchemaDocument),
        200(Publication), shows(SchemaVersion),
        deviates("docs/schema.md#updates: a dry run reports its effects, and members of the document have no effect"),
        errors("invalid_schema", "version_conflict", "schema_breaking", "too_many_items", "quota_exceeded", "precondition_failed"),
        command("schema patch");

    /// Roll back a schema
    ///
    /// Publishes the document of an earlier version of a project's schema as the next version.
    RollbackSchema Post "/project/{id}/schema/rollback", Costly Keyed, at(Project), query(PublishParameters),
        body(Rollback), 200(Publication), shows(SchemaVersion), ignores(),
        deviates("docs/schema.md#updates: a dry run reports its effects, and members of the document have no effect"),
        errors("invalid_schema", "version_conflict", "schema_breaking", "too_many_items", "quota_exceeded"),
        command("schema rollback");
}

operations! {
    UTILITY_ROWS, "utils";

    /// Compare a schema
    ///
    /// Returns the changes from the published schema of the document's `project_id` to the document. Requires no
    /// credential.
    CompareSchema Post "/utils/schema/compareSchema", Costly Safe, body(SchemaDocument), 200(SchemaComparison),
        ignores(SchemaVersion), deviates("docs/contract.md#responses"), errors("not_found", "invalid_schema");

    /// Check a schema update
    ///
    /// Returns whether the document can be published as the next version of the schema of its `project_id`, and the
    /// changes. Nothing is stored. Requires no credential.
    VerifyUpdateSchema Post "/utils/schema/verifyUpdateSchema", Costly Safe, body(SchemaDocument), 200(SchemaCheck),
        ignores(SchemaVersion), deviates("docs/contract.md#responses"), errors("not_found", "invalid_schema"),
        command("schema check");
}

/// A published version of a project's schema.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct SchemaVersion {
    /// Unique ID of the version.
    pub id: SchemaVersionId,
    /// ID of the project.
    pub project_id: ProjectId,
    /// Schema document as it was published: `project_id`, `version` (1 or higher), `tables`, and other members.
    #[schema(value_type = Object, example = json!({
        "project_id": "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55",
        "version": 1,
        "tables": {"notes": {"fields": {"title": {"type": "string", "required": true}}}},
    }))]
    pub schema: Map<String, Value>,
    /// When the version was published.
    pub updated_at: Timestamp,
}

impl SchemaVersion {
    /// Returns the number of the version.
    pub fn number(&self) -> Option<u64> {
        self.schema.get("version").and_then(Value::as_u64)
    }
}

/// Published versions of a schema, newest first.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "data": [{
        "id": "018f2a3e-3f80-7c2b-b5d9-7a1e6c4f9d02",
        "project_id": "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55",
        "schema": {
            "project_id": "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55",
            "version": 1,
            "tables": {"notes": {"fields": {"title": {"type": "string", "required": true}}}},
        },
        "updated_at": "2026-01-31T12:00:00.000Z",
    }],
}))]
pub struct SchemaListing {
    /// The selected versions; empty if there are none.
    pub data: Vec<SchemaVersion>,
    /// Total number of versions. Only with `version=all`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// Cursor of the next page. Absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// The version of a schema.
#[derive(Debug, Clone, Default, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct VersionParameter {
    /// Version number, or `all` for all versions. Default: the newest version.
    #[param(example = "all")]
    pub version: Option<String>,
}

/// Options of a publication.
#[derive(Debug, Clone, Copy, Default, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PublishParameters {
    /// Whether to only check the publication. Nothing is stored; the response contains the version that would be
    /// published, and its effects.
    pub dry_run: Option<bool>,
    /// Whether to publish even if stored items no longer conform to the schema. These items stay unchanged.
    pub allow_destructive: Option<bool>,
}

/// A version that was published, or that would be published without `dry_run`.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "data": {
        "id": "018f2a3e-3f80-7c2b-b5d9-7a1e6c4f9d02",
        "project_id": "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55",
        "schema": {
            "project_id": "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55",
            "version": 1,
            "tables": {"notes": {"fields": {"title": {"type": "string", "required": true}}}},
        },
        "updated_at": "2026-01-31T12:00:00.000Z",
    },
}))]
pub struct Publication {
    /// The version. With `dry_run`, its `id` and `updated_at` are not stored.
    pub data: SchemaVersion,
    /// Effects of the publication on stored items. Only with `dry_run`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<SchemaDiff>,
    /// The first 100 members of the document that have no effect. Absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<SchemaWarning>>,
}

/// A member of a schema document that is stored and has no effect, for example because it is misspelt.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "path": "/tables/notes/fields/title/requierd",
    "message": "`requierd` has no effect. Did you mean `required`?",
}))]
pub struct SchemaWarning {
    /// JSON pointer to the member.
    pub path: String,
    /// What has no effect, and what may be meant.
    pub message: String,
}

impl fmt::Display for SchemaWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message)
    }
}

/// The version to publish again.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct Rollback {
    /// Number of a published version.
    pub version: u32,
}

/// A schema document, or changes to merge into one.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({"schema": {"tables": {"notes": {"fields": {"title": {"type": "string"}}}}}}))]
pub struct SchemaDocument {
    /// Schema document: an object with `project_id`, `version` and `tables`. In a PATCH request, only the changes to
    /// merge (RFC 7396): null removes a member.
    #[schema(value_type = Object)]
    pub schema: Value,
}

/// Changes between the published schema and a document.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "valid": false,
    "changes": [
        {"type": "property_changed", "property": "version", "old": 1, "new": 2},
        {"type": "table_added", "table": "notes"},
    ],
}))]
pub struct SchemaComparison {
    /// Whether there are no changes.
    pub valid: bool,
    /// The first 1,000 changes: each has a `type` such as `field_added`, the location of the change, and `old` and
    /// `new` if present.
    #[schema(value_type = Vec<Object>)]
    pub changes: Vec<Value>,
    /// `true` if there are more changes; otherwise absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated: Option<bool>,
}

/// Whether a document can be published as the next version.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "valid": true,
    "errors": [],
    "changes": [
        {"type": "property_changed", "property": "version", "old": 1, "new": 2},
        {"type": "table_added", "table": "notes"},
    ],
}))]
pub struct SchemaCheck {
    /// Whether the document can be published as the next version.
    pub valid: bool,
    /// The first 100 violations; empty if `valid` is `true`.
    #[schema(value_type = Vec<Object>)]
    pub errors: Vec<Value>,
    /// The first 1,000 changes relative to the newest version.
    #[schema(value_type = Vec<Object>)]
    pub changes: Vec<Value>,
    /// `true` if there are more violations or changes; otherwise absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated: Option<bool>,
    /// The first reason why the document cannot be published. Absent if `valid` is `true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Cow<'static, str>>,
    /// The first 100 members of a valid document that have no effect. Absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<SchemaWarning>>,
}

/// Changes of a schema and the stored items that no longer conform because of them.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "class": "breaking",
    "changes": [{
        "type": "field_removed",
        "table": "notes",
        "field": "title",
        "class": "breaking",
        "affected_items": 1,
        "sample_ids": ["018f2a41-2d47-7e8a-9c16-3b5f0d8e7a24"],
    }],
}))]
pub struct SchemaDiff {
    /// Worst class of all changes: `compatible`, `risky` (existing programs may no longer be able to write) or
    /// `breaking` (stored items no longer conform).
    pub class: Cow<'static, str>,
    /// The first 1,000 changes, in the format of a comparison. Each also has its own `class`, `affected_items` (number
    /// of stored items that no longer conform because of it) and `sample_ids` (up to 5 of their IDs, if the caller may
    /// read items).
    #[schema(value_type = Vec<Object>)]
    pub changes: Vec<Value>,
    /// `true` if there are more changes; otherwise absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated: Option<bool>,
}

/// A change from one document to the next, as clients read it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SchemaChange {
    /// Type, such as `field_added`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Name of the table, if the change is in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// Name of the field, if the change is in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Name of the member of the document or field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub property: Option<String>,
    /// The value before the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<Value>,
    /// The value after the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<Value>,
    /// `compatible`, `risky` or `breaking`. Absent in a comparison.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// Number of stored items that no longer conform because of the change.
    #[serde(default)]
    pub affected_items: u64,
    /// Up to 5 of their IDs, if the caller may read items.
    #[serde(default)]
    pub sample_ids: Vec<String>,
}

impl SchemaChange {
    /// Reads the changes of a comparison, a check or a diff.
    ///
    /// # Errors
    ///
    /// If a change does not have this form.
    pub fn of(changes: Vec<Value>) -> serde_json::Result<Vec<Self>> {
        serde_json::from_value(Value::Array(changes))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_change_keeps_the_names_of_the_api() {
        let change = json!({
            "type": "field_removed", "table": "notes", "field": "rank", "class": "breaking", "affected_items": 1,
            "sample_ids": ["first"],
        });
        let parsed = SchemaChange::of(vec![change.clone()]).unwrap();
        assert_eq!((parsed[0].kind.as_str(), parsed[0].affected_items), ("field_removed", 1));
        assert_eq!(serde_json::to_value(&parsed).unwrap(), json!([change]));
    }

    #[test]
    fn a_publication_without_a_dry_run_has_no_diff() {
        let id = "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55";
        let publication = json!({"data": {
            "id": id, "project_id": id, "schema": {"version": 3, "tables": {}}, "updated_at": "2026-01-31T12:00:00.000Z",
        }});
        let publication: Publication = serde_json::from_value(publication).unwrap();
        assert_eq!(publication.data.number(), Some(3));
        assert!(publication.diff.is_none() && publication.warnings.is_none());
    }
}
