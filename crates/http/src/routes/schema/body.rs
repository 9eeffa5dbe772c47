//! Schemas in requests and responses.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use steward_domain::error::{Error, FieldViolations};
use steward_domain::model::schema::{Change, ChangeList, SchemaVersion, SchemaWarning};
use steward_domain::usecases::{CheckResult, Publication};
use utoipa::{IntoParams, ToSchema};

use crate::response::format_timestamp;
use crate::schema_diff::DiffBody;

/// A published version of a project's schema.
#[derive(Serialize, ToSchema)]
pub(crate) struct SchemaBody {
    /// Unique ID of the version.
    #[schema(example = "018f2a3e-3f80-7c2b-b5d9-7a1e6c4f9d02")]
    id: String,
    /// ID of the project.
    project_id: String,
    /// Schema document as it was published: `project_id`, `version` (1 or higher), `tables`, and other members.
    #[schema(value_type = Object, example = json!({
        "project_id": "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55",
        "version": 1,
        "tables": {"notes": {"fields": {"title": {"type": "string", "required": true}}}},
    }))]
    schema: Map<String, Value>,
    /// When the version was published.
    #[schema(format = DateTime)]
    updated_at: String,
}

impl From<&SchemaVersion> for SchemaBody {
    fn from(version: &SchemaVersion) -> Self {
        Self {
            id: version.id.to_string(),
            project_id: version.project_id.to_string(),
            schema: version.document.members().clone(),
            updated_at: format_timestamp(version.published_at),
        }
    }
}

/// Published versions of a schema, newest first.
#[derive(Serialize, ToSchema)]
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
pub(crate) struct SchemaListing {
    /// The selected versions; empty if there are none.
    pub(super) data: Vec<SchemaBody>,
    /// Total number of versions. Only with `version=all`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) count: Option<u32>,
    /// Cursor of the next page. Absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_cursor: Option<String>,
}

impl SchemaListing {
    /// Returns the response to a request for a single version.
    pub(super) fn one(version: &SchemaVersion) -> Self {
        Self { data: vec![version.into()], count: None, next_cursor: None }
    }
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "only describes the parameter that `selection` reads")]
pub(crate) struct VersionParameter {
    /// Version number, or `all` for all versions. Default: the newest version.
    #[param(example = "all")]
    version: Option<String>,
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "only describes the parameters that `publish_options` reads")]
pub(crate) struct PublishParameters {
    /// Whether to only check the publication. Nothing is stored; the response contains the version that would be
    /// published, and its effects.
    dry_run: Option<bool>,
    /// Whether to publish even if stored items no longer conform to the schema. These items stay unchanged.
    allow_destructive: Option<bool>,
}

/// A version that was published, or that would be published without `dry_run`.
#[derive(Serialize, ToSchema)]
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
pub(crate) struct PublicationBody {
    /// The version. With `dry_run`, its `id` and `updated_at` are not stored.
    data: SchemaBody,
    /// Effects of the publication on stored items. Only with `dry_run`.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<DiffBody>,
    /// The first 100 members of the document that have no effect. Absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    warnings: Option<Vec<WarningBody>>,
}

impl From<Publication> for PublicationBody {
    fn from(publication: Publication) -> Self {
        let Publication { version, diff, warnings } = publication;
        Self {
            data: SchemaBody::from(&version),
            diff: diff.as_ref().map(DiffBody::from),
            warnings: WarningBody::list(warnings),
        }
    }
}

/// A member of a schema document that is stored and has no effect, for example because it is misspelt.
#[derive(Serialize, ToSchema)]
#[schema(example = json!({
    "path": "/tables/notes/fields/title/requierd",
    "message": "`requierd` has no effect. Did you mean `required`?",
}))]
struct WarningBody {
    /// JSON pointer to the member.
    path: String,
    /// What has no effect, and what may be meant.
    message: String,
}

impl WarningBody {
    /// Returns the warnings of a response; `None` if there are none.
    fn list(warnings: Vec<SchemaWarning>) -> Option<Vec<Self>> {
        let list = warnings.into_iter().map(|SchemaWarning { path, message }| Self { path, message });
        Some(list.collect::<Vec<_>>()).filter(|list| !list.is_empty())
    }
}

/// The version to publish again.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RollbackBody {
    /// Number of a published version.
    pub(super) version: u32,
}

/// A schema document, or changes to merge into one.
#[derive(Deserialize, ToSchema)]
pub(crate) struct SchemaDocumentBody {
    /// Schema document: an object with `project_id`, `version` and `tables`. In a PATCH request, only the changes to
    /// merge (RFC 7396): null removes a member.
    #[schema(value_type = Object, example = json!({
        "project_id": "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55",
        "version": 1,
        "tables": {"notes": {"fields": {"title": {"type": "string", "required": true}}}},
    }))]
    schema: Value,
}

impl SchemaDocumentBody {
    /// Returns the members of the document. Fails if the document is not an object; does not check it further.
    pub(super) fn members(self, mut errors: FieldViolations) -> Result<Map<String, Value>, Error> {
        let members = match self.schema {
            Value::Object(members) => Ok(members),
            _ => Err("must be an object"),
        };
        let members = errors.check("schema", members);
        errors.finish(members)
    }

    pub(super) fn object(self, errors: FieldViolations) -> Result<Value, Error> {
        self.members(errors).map(Value::Object)
    }
}

/// Changes between the published schema and a document.
#[derive(Serialize, ToSchema)]
#[schema(example = json!({
    "valid": false,
    "changes": [
        {"type": "property_changed", "property": "version", "old": 1, "new": 2},
        {"type": "table_added", "table": "notes"},
    ],
}))]
pub(crate) struct Comparison {
    /// Whether there are no changes.
    valid: bool,
    /// The first 1,000 changes: each has a `type` such as `field_added`, the location of the change, and `old` and
    /// `new` if present.
    #[schema(value_type = Vec<Object>)]
    changes: Vec<Value>,
    /// `true` if there are more changes; otherwise absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
}

impl From<ChangeList> for Comparison {
    fn from(list: ChangeList) -> Self {
        let changes: Vec<Value> = list.changes.iter().map(Change::to_value).collect();
        Self { valid: changes.is_empty(), changes, truncated: list.truncated.then_some(true) }
    }
}

/// Whether a document can be published as the next version.
#[derive(Serialize, ToSchema)]
#[schema(example = json!({
    "valid": true,
    "errors": [],
    "changes": [
        {"type": "property_changed", "property": "version", "old": 1, "new": 2},
        {"type": "table_added", "table": "notes"},
    ],
}))]
pub(crate) struct CheckResultBody {
    /// Whether the document can be published as the next version.
    valid: bool,
    /// The first 100 violations; empty if `valid` is `true`.
    #[schema(value_type = Vec<Object>)]
    errors: Vec<Value>,
    /// The first 1,000 changes relative to the newest version.
    #[schema(value_type = Vec<Object>)]
    changes: Vec<Value>,
    /// `true` if there are more violations or changes; otherwise absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
    /// The first reason why the document cannot be published. Absent if `valid` is `true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'static str>,
    /// The first 100 members of a valid document that have no effect. Absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    warnings: Option<Vec<WarningBody>>,
}

impl From<CheckResult> for CheckResultBody {
    fn from(result: CheckResult) -> Self {
        Self {
            valid: result.message.is_none(),
            truncated: (result.errors.is_truncated() || result.changes.truncated).then_some(true),
            errors: result.errors.as_slice().to_vec(),
            changes: result.changes.changes.iter().map(Change::to_value).collect(),
            message: result.message,
            warnings: WarningBody::list(result.warnings),
        }
    }
}
