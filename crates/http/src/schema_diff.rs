//! What a publication changes and does, as answers and refusals tell it.

use serde::Serialize;
use serde_json::Value;
use steward_domain::model::schema::{CountedChange, MAX_LISTED_CHANGES, SchemaDiff};
use utoipa::ToSchema;

/// What a schema would change, and the stored items that would no longer fit.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct DiffBody {
    /// `compatible`, `risky` or `breaking`: the worst of the changes.
    class: &'static str,
    /// Each change as a comparison tells it, with its own `class`, `affected_items` (how many stored items would no
    /// longer fit because of it) and `sample_ids` (up to 5 of their ids, for callers who may read items).
    /// At most 1,000 are listed.
    #[schema(value_type = Vec<Object>)]
    changes: Vec<Value>,
    /// `true` when there are more changes.
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
