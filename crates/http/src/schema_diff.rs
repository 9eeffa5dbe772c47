//! Changes of a schema and their effects on stored items, as returned by dry runs and in errors.

use serde::Serialize;
use serde_json::Value;
use steward_domain::model::schema::{CountedChange, MAX_LISTED_CHANGES, SchemaDiff};
use utoipa::ToSchema;

/// Changes of a schema and the stored items that no longer conform because of them.
#[derive(Debug, Clone, Serialize, ToSchema)]
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
pub(crate) struct DiffBody {
    /// Worst class of all changes: `compatible`, `risky` (existing programs may no longer be able to write) or
    /// `breaking` (stored items no longer conform).
    class: &'static str,
    /// The first 1,000 changes, in the format of a comparison. Each also has its own `class`, `affected_items` (number
    /// of stored items that no longer conform because of it) and `sample_ids` (up to 5 of their IDs, if the caller may
    /// read items).
    #[schema(value_type = Vec<Object>)]
    changes: Vec<Value>,
    /// `true` if there are more changes; otherwise absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
}

impl From<&SchemaDiff> for DiffBody {
    fn from(diff: &SchemaDiff) -> Self {
        let changes = diff.changes.iter().take(MAX_LISTED_CHANGES).map(CountedChange::to_value).collect();
        let truncated = (diff.changes.len() > MAX_LISTED_CHANGES).then_some(true);
        Self { class: diff.class().as_str(), changes, truncated }
    }
}
