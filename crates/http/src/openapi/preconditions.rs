//! Conditional requests (docs/contract.md#conditional-requests): the headers of operations that show or change a single
//! resource.

use serde_json::{Value, json};
use steward_api::Row;

use crate::extract::precondition::PATTERN;

/// Adds the headers of an operation that can respond with 304 or 412, and the `ETag` header of responses that show a
/// resource.
pub(super) fn add(operation: &mut Value, row: &Row) {
    let (is_guarded, is_cacheable) = (row.is_guarded(), row.is_cacheable());
    if is_guarded || is_cacheable {
        add_parameters(operation, is_guarded, is_cacheable);
    }
    if row.resource.is_some() {
        show_tag(operation);
    }
}

fn add_parameters(operation: &mut Value, is_guarded: bool, is_cacheable: bool) {
    let Some(members) = operation.as_object_mut() else { return };
    let Some(parameters) = members.entry("parameters").or_insert_with(|| json!([])).as_array_mut() else { return };
    let mut add = |name: &str, description: &str| {
        parameters.push(json!({
            "name": name, "in": "header", "required": false, "description": description,
            "schema": {"type": "string", "pattern": PATTERN},
        }));
    };
    if is_guarded {
        let description = "ETags. If the resource has none of them, the response is 412. `*` stands for any ETag. An empty \
            header is ignored.";
        add("If-Match", description);
    }
    add(
        "If-None-Match",
        if is_cacheable {
            "ETags that the client has. If the resource has one of them, the response is 304. `*` stands for any ETag. \
                An empty header is ignored."
        } else {
            "ETags. If the resource has one of them, the response is 412. `*` stands for any ETag. An empty header is \
                ignored."
        },
    );
}

fn show_tag(operation: &mut Value) {
    let Some(responses) = operation.get_mut("responses").and_then(Value::as_object_mut) else { return };
    for (_, response) in responses.iter_mut().filter(|(status, _)| ["200", "201", "304"].contains(&status.as_str())) {
        let headers = response.as_object_mut().map(|members| members.entry("headers").or_insert_with(|| json!({})));
        if let Some(headers) = headers.and_then(Value::as_object_mut) {
            headers.insert("ETag".to_owned(), json!({"$ref": "#/components/headers/ETag"}));
        }
    }
}
