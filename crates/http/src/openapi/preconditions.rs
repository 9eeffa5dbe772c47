//! Conditional requests (docs/contract.md#conditional-requests): the headers of operations that show or change a single
//! resource.

use serde_json::{Value, json};
use steward_api::Row;

use super::edit::{accept_header, responses, show_header};
use crate::extract::precondition::PATTERN;

/// Adds the headers of an operation that can respond with 304 or 412, and the `ETag` header of responses that show a
/// resource.
pub(super) fn add(operation: &mut Value, row: &Row) {
    let mut accept = |name: &str, outcome: &str| {
        let description = format!("ETags{outcome} `*` stands for any ETag. An empty header is ignored.");
        accept_header(operation, name, &description, json!({"type": "string", "pattern": PATTERN}));
    };
    if row.is_guarded() {
        accept("If-Match", ". If the resource has none of them, the response is 412.");
    }
    if row.is_cacheable() {
        accept("If-None-Match", " that the client has. If the resource has one of them, the response is 304.");
    } else if row.is_guarded() {
        accept("If-None-Match", ". If the resource has one of them, the response is 412.");
    }
    if row.resource.is_some() {
        let shown = responses(operation).filter(|(status, _)| ["200", "201", "304"].contains(status));
        shown.for_each(|(_, response)| show_header(response, "ETag", "ETag"));
    }
}
