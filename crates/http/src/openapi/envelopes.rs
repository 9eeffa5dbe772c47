//! The form that successful responses have in common.
//!
//! A list is `data[]` with an optional `next_cursor`, a resource is `data`, a new resource is `data` with 201, and a
//! deletion is `success`. A new operation may deviate only for a reason that its row states. Operations about the
//! service itself are not included: standards define their documents.

use serde_json::Value;
use steward_api::{Fact, Method, Row};

use super::openapi_json;

/// An operation of the API in the document.
struct Described<'a> {
    row: &'static Row,
    operation: &'a Value,
    outcome: String,
}

fn described_operations(document: &Value) -> Vec<Described<'_>> {
    let items = document["paths"].as_object().unwrap().values();
    let operations = items.flat_map(|item| item.as_object().unwrap().values());
    let of_api = operations.filter(|operation| operation["tags"][0] != "service");
    of_api
        .map(|operation| {
            let row = steward_api::row(operation["operationId"].as_str().unwrap()).unwrap();
            Described { row, operation, outcome: outcome(document, operation) }
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
fn common(row: &Row) -> &'static [&'static str] {
    match row.method {
        Method::Get => &["200 data", "200 data[] next_cursor?"],
        Method::Post if row.name.starts_with("create") => &["201 data"],
        Method::Delete => &["200 success"],
        _ => &["200 data"],
    }
}

#[test]
fn successful_responses_have_a_common_form_unless_the_row_states_why_not() {
    let document = serde_json::from_str(openapi_json()).unwrap();
    for Described { row, outcome, .. } in described_operations(&document) {
        let deviates = !common(row).contains(&outcome.as_str());
        assert_eq!(deviates, row.deviates.is_some(), "{}: {outcome}", row.name);
    }
}

#[test]
fn a_row_states_that_its_response_contains_a_secret() {
    let document = serde_json::from_str(openapi_json()).unwrap();
    for Described { row, operation, .. } in described_operations(&document) {
        let responses = ["200", "201"].map(|status| operation["responses"][status]["content"].to_string()).concat();
        let contains_secret = ["_Example", "\"eyJ", "whsec_"].iter().any(|start| responses.contains(start));
        assert!(row.is(Fact::Secret) || !contains_secret, "{}", row.name);
    }
}

#[test]
fn every_resource_that_is_shown_has_an_etag_and_every_change_can_require_one() {
    let document = serde_json::from_str(openapi_json()).unwrap();
    for Described { row, operation, outcome } in described_operations(&document) {
        let (id, method, responses) = (row.name, row.method, &operation["responses"]);
        let is_guarded = responses.get("412").is_some();
        let is_change = matches!(method, Method::Put | Method::Patch | Method::Delete);
        assert!(is_guarded || !is_change, "{id} cannot fail with 412.");
        let shows = outcome.split(' ').nth(1).is_some_and(|first| ["data", "data,", "key"].contains(&first));
        let has_tag = row.resource.is_some();
        assert!(has_tag || !shows || method == Method::Delete || row.is(Fact::Unchanging), "{id} has no ETag.");
        assert_eq!(responses.get("304").is_some(), method == Method::Get && has_tag, "{id}: 304 goes with an ETag.");
        assert!(
            has_tag || !row.is_guarded() || method == Method::Delete,
            "{id} requires an ETag that it does not show."
        );
    }
}
