//! Conditional requests (docs/contract.md#conditional-requests): the headers of operations that show or change a single
//! resource.

use serde_json::{Value, json};
use steward_api::Method;
use steward_domain::error::ErrorCode;
use steward_domain::policy::Operation;

use super::rules::Contract;
use crate::extract::precondition::PATTERN;

/// Operations with POST and DELETE whose responses show the resource that they create or change.
const SHOWING: [Operation; 24] = [
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
    Operation::IdentityProviderCreate,
    Operation::ClientCreate,
    Operation::ClientSecretRotate,
    Operation::ClientLogoUpload,
];

/// Adds the headers of an operation that can respond with 304 or 412, and the `ETag` header of responses that show a
/// resource.
pub(super) fn add(operation: &mut Value, contract: Contract) {
    let shows = contract.rule.is_some_and(|rule| SHOWING.contains(&rule.operation));
    // The preconditions of a batch are in its body.
    let is_batch =
        contract.rule.is_some_and(|rule| matches!(rule.operation, Operation::ItemBatch | Operation::OwnItemBatch));
    let is_guarded = !is_batch && contract.codes().any(|code| code == ErrorCode::PreconditionFailed);
    let is_cacheable = operation.get("responses").is_some_and(|responses| responses.get("304").is_some());
    if is_guarded || is_cacheable {
        add_parameters(operation, is_guarded, is_cacheable);
    }
    if shows || is_cacheable || is_guarded && contract.row.method != Method::Delete {
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
