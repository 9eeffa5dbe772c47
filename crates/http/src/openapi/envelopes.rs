//! The form that successful responses have in common, and the operations that deviate from it.
//!
//! A list is `data[]` with an optional `next_cursor`, a resource is `data`, a new resource is `data` with 201, and a
//! deletion is `success`. A new operation may deviate only for a reason that is listed here. Operations about the
//! service itself are not included: standards define their documents.

use std::collections::BTreeMap;

use serde_json::Value;

use super::openapi_json;

/// Outcomes that differ from the common form, why they do, and the operations that have them.
const EXCEPTIONS: &[(&str, &str, &[&str])] = &[
    ("302", "docs/contract.md#authorization-endpoint", &["authorize", "authorizeByForm"]),
    ("200", "docs/contract.md#token-endpoint (RFC 7009)", &["revokeToken"]),
    (
        "200 flat",
        "docs/contract.md#token-endpoint (RFC 6749 and 7662, OpenID Connect), docs/contract.md#device-authorization (RFC 8628)",
        &["authorizeDevice", "exchangeToken", "introspectToken", "logIn"],
    ),
    (
        "201 flat",
        "docs/contract.md#authorization-endpoint (RFC 9126), docs/contract.md#client-registration (RFC 7591)",
        &["pushAuthorizationRequest", "registerClient"],
    ),
    (
        "200 flat",
        "docs/contract.md#accounts, docs/contract.md#sessions",
        &["getUserInfo", "postUserInfo", "getSession"],
    ),
    ("201 data", "docs/contract.md#accounts: the operation has the name that forms have", &["signUp"]),
    ("200 flat", "docs/contract.md#slugs", &["checkProjectSlug", "checkTeamSlug", "slugify"]),
    ("200 message", "docs/contract.md#responses", &["deleteProject", "deleteKey", "deleteTeam"]),
    (
        "200 data",
        "docs/contract.md#items: what remains, or what was deleted",
        &["resetSettings", "deleteItem", "deleteOwnItem"],
    ),
    ("200 success images", "docs/contract.md#images", &["listImages"]),
    ("200 success icon_url?", "docs/contract.md#images", &["uploadIcon"]),
    ("200 success background_url?", "docs/contract.md#images", &["uploadBackground"]),
    ("200 success message", "docs/contract.md#responses", &["deleteIcon", "deleteBackground", "deleteUser"]),
    ("200 key", "docs/contract.md#api-keys", &["createKey", "getKey", "updateKey", "regenerateKey"]),
    ("200 flat", "docs/contract.md#responses", &["verifyKey", "compareSchema", "verifyUpdateSchema"]),
    ("200 data[] count? next_cursor?", "docs/contract.md#schemas", &["getSchema"]),
    (
        "200 data diff? warnings[]?",
        "docs/schema.md#updates: a dry run reports its effects, and members of the document have no effect",
        &["publishSchema", "patchSchema", "rollbackSchema"],
    ),
    ("200 data[] pagination next_cursor?", "docs/contract.md#item-queries", &["listItems", "listOwnItems"]),
    ("200 data", "docs/contract.md#own-data: 201 only for a user's own items", &["createItem"]),
    ("200 data, 201 data", "docs/contract.md#items", &["putItem", "putOwnItem"]),
    ("200 flat", "docs/contract.md#responses", &["connectUser", "getUserStats", "getRequestStats"]),
    (
        "200 data[]",
        "the results of a batch are complete, in the order of its operations",
        &["batchItems", "batchOwnItems"],
    ),
    ("200 data[]", "a user has few sessions in a project, so the list has no pages", &["listUserSessions"]),
    ("200 data[]", "a project has few identity providers, so the list has no pages", &["listIdentityProviders"]),
    ("200 data[]", "a project has few clients, so the list has no pages", &["listClients"]),
    ("200 flat", "an export is a file", &["exportUser", "exportOwnData"]),
    (
        "200 data[] next history history_after",
        "a feed has no last page: `next` is always present",
        &["listTeamEvents", "listProjectEvents"],
    ),
    (
        "200 data[] next instance truncated",
        "docs/contract.md#requests-of-a-project: a feed of the memory of one instance",
        &["listRequests"],
    ),
    (
        "200 data affected_keys[] affected_clients[] affected_identity_providers[] affected_invites[] \
         affected_webhooks[]",
        "docs/contract.md#members: what lost its authority",
        &["updateMember"],
    ),
    (
        "200 success affected_keys[] affected_clients[] affected_identity_providers[] affected_invites[] \
         affected_webhooks[]",
        "docs/contract.md#members: what lost its authority",
        &["removeMember"],
    ),
    ("200 success", "declining an invite deletes it", &["declineInvite"]),
];

/// Operations that show something that never changes, so that it needs no entity tag.
const UNCHANGING: &[&str] =
    &["getOwnCredential", "redeliverTeamWebhook", "redeliverProjectWebhook", "testTeamWebhook", "testProjectWebhook"];

/// An operation of the API in the document.
struct Described<'a> {
    method: &'a str,
    id: &'a str,
    operation: &'a Value,
    outcome: String,
}

fn described_operations(document: &Value) -> Vec<Described<'_>> {
    let items = document["paths"].as_object().unwrap().values();
    let operations = items.flat_map(|item| item.as_object().unwrap());
    let of_api = operations.filter(|(_, operation)| operation["tags"][0] != "service");
    of_api
        .map(|(method, operation)| {
            let id = operation["operationId"].as_str().unwrap();
            Described { method, id, operation, outcome: outcome(document, operation) }
        })
        .collect()
}

/// Returns the statuses of the successful responses with the members of their bodies: `[]` marks a list, `?` an
/// optional member, and `flat` stands for a body that has none of the common members.
fn outcome(document: &Value, operation: &Value) -> String {
    let responses = operation["responses"].as_object().unwrap().iter();
    let successful = responses.filter(|(status, _)| status.as_str() < "304");
    let texts = successful.map(|(status, response)| match response.pointer("/content/application~1json/schema") {
        None => status.clone(),
        Some(schema) => format!("{status} {}", form(document, schema)),
    });
    texts.collect::<Vec<_>>().join(", ")
}

fn form(document: &Value, schema: &Value) -> String {
    let members = members(document, schema);
    let is_common = |name: &str| ["data", "data[]", "key", "success", "message"].contains(&name);
    if members.iter().any(|name| is_common(name)) { members.join(" ") } else { "flat".to_owned() }
}

/// Returns the members of a schema. `allOf` lists the members that are not its own first.
fn members(document: &Value, schema: &Value) -> Vec<String> {
    let schema = resolved(document, schema);
    if let Some(parts) = schema["allOf"].as_array() {
        return parts.iter().rev().flat_map(|part| members(document, part)).collect();
    }
    let required = |name: &str| schema["required"].as_array().is_some_and(|names| names.iter().any(|n| n == name));
    let properties = schema["properties"].as_object().into_iter().flatten();
    let texts = properties.map(|(name, property)| {
        let kind = &resolved(document, property)["type"];
        let is_list = kind == "array" || kind.as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "array"));
        format!("{name}{}{}", if is_list { "[]" } else { "" }, if required(name) { "" } else { "?" })
    });
    texts.collect()
}

fn resolved<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    let reference = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
    reference.map_or(schema, |pointer| document.pointer(pointer).unwrap())
}

/// Returns the outcomes that an operation has by default.
fn common(method: &str, id: &str) -> &'static [&'static str] {
    match method {
        "get" => &["200 data", "200 data[] next_cursor?"],
        "post" if id.starts_with("create") => &["201 data"],
        "delete" => &["200 success"],
        _ => &["200 data"],
    }
}

#[test]
fn successful_responses_have_a_common_form_unless_they_are_listed() {
    let document = serde_json::from_str(openapi_json()).unwrap();
    let operations = described_operations(&document);
    let deviating = operations.iter().filter(|found| !common(found.method, found.id).contains(&found.outcome.as_str()));
    let deviating: BTreeMap<&str, &str> = deviating.map(|found| (found.id, found.outcome.as_str())).collect();
    let listed = EXCEPTIONS.iter().flat_map(|(outcome, _, ids)| ids.iter().map(move |id| (*id, *outcome)));
    let listed: BTreeMap<&str, &str> = listed.collect();
    let unlisted: Vec<_> = deviating.iter().filter(|(id, outcome)| listed.get(*id) != Some(*outcome)).collect();
    assert!(unlisted.is_empty(), "These operations deviate: {unlisted:#?}");
    let obsolete: Vec<_> = listed.iter().filter(|(id, outcome)| deviating.get(*id) != Some(*outcome)).collect();
    assert!(obsolete.is_empty(), "These exceptions are not needed: {obsolete:#?}");
}

#[test]
fn every_resource_that_is_shown_has_an_etag_and_every_change_can_require_one() {
    let document = serde_json::from_str(openapi_json()).unwrap();
    for Described { method, id, operation, outcome } in described_operations(&document) {
        let responses = &operation["responses"];
        let is_guarded = responses.get("412").is_some();
        assert!(is_guarded || !["put", "patch", "delete"].contains(&method), "{id} cannot fail with 412.");
        let shows = outcome.split(' ').nth(1).is_some_and(|first| ["data", "data,", "key"].contains(&first));
        let has_tag = ["200", "201"].iter().any(|status| responses[status]["headers"].get("ETag").is_some());
        assert!(has_tag || !shows || method == "delete" || UNCHANGING.contains(&id), "{id} has no ETag.");
        assert_eq!(responses.get("304").is_some(), method == "get" && has_tag, "{id}: 304 goes with an ETag.");
    }
}
