//! Conditional requests (contract 1.13): the headers of operations that show or change a single resource.

use serde_json::{Value, json};
use steward_domain::error::ErrorCode;
use steward_domain::policy::Operation;

use super::Rules;

/// Operations with POST and DELETE whose responses show the resource that they create or change.
const SHOWING: [Operation; 20] = [
    Operation::SignUp,
    Operation::UserInfoPost,
    Operation::PersonalTokenCreate,
    Operation::TeamCreate,
    Operation::InviteCreate,
    Operation::InviteAccept,
    Operation::ProjectCreate,
    Operation::SettingsReset,
    Operation::IconUpload,
    Operation::BackgroundUpload,
    Operation::KeyCreate,
    Operation::KeyRegenerate,
    Operation::SchemaPublish,
    Operation::SchemaRollback,
    Operation::ItemCreate,
    Operation::OwnItemCreate,
    Operation::TeamWebhookCreate,
    Operation::TeamWebhookRotate,
    Operation::ProjectWebhookCreate,
    Operation::ProjectWebhookRotate,
];

/// Adds the headers of an operation that can fail with 412, and the `ETag` header of responses that show a resource.
pub(super) fn add(method: &str, operation: &mut Value, rules: &Rules) {
    let id = operation.get("operationId").and_then(Value::as_str).unwrap_or_default();
    let Some((rule, codes)) = rules.get(id).copied() else { return };
    // A batch fails with 412 because of its own operations.
    let is_conditional = method != "post" && codes.contains(&ErrorCode::PreconditionFailed);
    if is_conditional {
        add_parameters(method, operation);
    }
    if SHOWING.contains(&rule.operation) || is_conditional && method != "delete" {
        show_tag(operation);
    }
}

fn add_parameters(method: &str, operation: &mut Value) {
    let Some(members) = operation.as_object_mut() else { return };
    let Some(parameters) = members.entry("parameters").or_insert_with(|| json!([])).as_array_mut() else { return };
    let mut add = |name: &str, description: &str| {
        parameters.push(json!({
            "name": name, "in": "header", "required": false, "description": description, "schema": {"type": "string"},
        }));
    };
    add("If-Match", "ETags. If the resource has none of them, the response is 412. `*` stands for any ETag.");
    let if_none_match = match method {
        "get" => Some("ETags that the client has. If the resource has one of them, the response is 304."),
        "put" => Some("`*`: if the resource exists, the response is 412."),
        _ => None,
    };
    if let Some(description) = if_none_match {
        add("If-None-Match", description);
    }
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
