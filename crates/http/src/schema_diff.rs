//! Changes of a schema and their effects on stored items, as returned by dry runs and in errors.

use steward_api as wire;
use steward_domain::data::schema::{CountedChange, MAX_LISTED_CHANGES, SchemaDiff};

pub(crate) fn schema_diff(diff: &SchemaDiff) -> wire::SchemaDiff {
    let changes = diff.changes.iter().take(MAX_LISTED_CHANGES).map(CountedChange::to_value).collect();
    let truncated = (diff.changes.len() > MAX_LISTED_CHANGES).then_some(true);
    wire::SchemaDiff { class: diff.class().as_str().into(), changes, truncated }
}
