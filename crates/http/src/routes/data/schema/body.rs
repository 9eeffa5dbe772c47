//! Schemas in requests and responses.

use serde_json::{Map, Value};
use steward_api as wire;
use steward_domain::data::schema::{Change, ChangeList, SchemaVersion, SchemaWarning};
use steward_domain::data::{CheckResult, Publication};
use steward_domain::kernel::error::{Error, FieldViolations};

use crate::schema_diff::schema_diff;

pub(super) fn schema_version(version: &SchemaVersion) -> wire::SchemaVersion {
    wire::SchemaVersion {
        id: version.id.uuid().into(),
        project_id: version.project_id.uuid().into(),
        schema: version.document.members().clone(),
        updated_at: version.published_at.into(),
    }
}

pub(super) fn shown_publication(publication: Publication) -> wire::Publication {
    let Publication { version, diff, warnings } = publication;
    wire::Publication {
        data: schema_version(&version),
        diff: diff.as_ref().map(schema_diff),
        warnings: schema_warnings(warnings),
    }
}

/// Returns the warnings of a response; `None` if there are none.
fn schema_warnings(warnings: Vec<SchemaWarning>) -> Option<Vec<wire::SchemaWarning>> {
    let list = warnings.into_iter().map(|SchemaWarning { path, message }| wire::SchemaWarning { path, message });
    Some(list.collect::<Vec<_>>()).filter(|list| !list.is_empty())
}

/// Returns the members of the document. Fails if the document is not an object; does not check it further.
pub(super) fn document_members(
    body: wire::SchemaDocument,
    mut errors: FieldViolations,
) -> Result<Map<String, Value>, Error> {
    let members = match body.schema {
        Value::Object(members) => Ok(members),
        _ => Err("must be an object"),
    };
    let members = errors.check("schema", members);
    errors.finish(members)
}

pub(super) fn document_object(body: wire::SchemaDocument, errors: FieldViolations) -> Result<Value, Error> {
    document_members(body, errors).map(Value::Object)
}

pub(super) fn schema_comparison(list: ChangeList) -> wire::SchemaComparison {
    let changes: Vec<Value> = list.changes.iter().map(Change::to_value).collect();
    wire::SchemaComparison { valid: changes.is_empty(), changes, truncated: list.truncated.then_some(true) }
}

pub(super) fn schema_check(result: CheckResult) -> wire::SchemaCheck {
    wire::SchemaCheck {
        valid: result.message.is_none(),
        truncated: (result.errors.is_truncated() || result.changes.truncated).then_some(true),
        errors: result.errors.as_slice().to_vec(),
        changes: result.changes.changes.iter().map(Change::to_value).collect(),
        message: result.message.map(Into::into),
        warnings: schema_warnings(result.warnings),
    }
}
