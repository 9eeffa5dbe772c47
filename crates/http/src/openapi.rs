//! The OpenAPI document, derived from the handlers and from the domain's table of operations, so that it cannot drift.

use std::sync::LazyLock;

use actix_web::http::StatusCode;
use serde_json::{Map, Value, json};
use steward_domain::policy::{Callers, IdempotencyRule, Operation, Permission, RateClass, Requirement, Rule};
use utoipa::OpenApi;

use crate::error::{ErrorBody, codes};
use crate::routes;

#[derive(OpenApi)]
#[openapi(
    info(title = "Steward", description = "Administration of developer projects: teams, API keys, schemas, users and their data."),
    paths(
        routes::health::root, routes::health::auth, routes::health::utils, routes::health::live, routes::health::ready,
        routes::docs::page, routes::docs::json,
        routes::discovery::of_auth, routes::discovery::of_openid, routes::discovery::of_oauth, routes::discovery::keys,
        routes::did::of_project, routes::did::of_account, routes::did::client_metadata,
        routes::oauth::authorize, routes::oauth::authorize_by_form, routes::oauth::exchange, routes::oauth::revoke, routes::oauth::introspect,
        routes::account::sign_up, routes::account::log_in, routes::account::user_info, routes::account::user_info_by_post, routes::account::old_user_info,
        routes::personal_token::list, routes::personal_token::create, routes::personal_token::revoke, routes::personal_token::whoami,
        routes::team::list, routes::team::create, routes::team::slug, routes::team::get, routes::team::update, routes::team::delete,
        routes::audit::of_team, routes::audit::of_project, routes::audit::follow_team, routes::audit::follow_project,
        routes::webhook::project_list, routes::webhook::project_create, routes::webhook::project_get, routes::webhook::project_update,
        routes::webhook::project_delete, routes::webhook::project_rotate, routes::webhook::project_deliveries, routes::webhook::project_redeliver,
        routes::webhook::team_list, routes::webhook::team_create, routes::webhook::team_get, routes::webhook::team_update,
        routes::webhook::team_delete, routes::webhook::team_rotate, routes::webhook::team_deliveries, routes::webhook::team_redeliver,
        routes::member::list, routes::member::update, routes::member::remove,
        routes::invite::list, routes::invite::create, routes::invite::revoke, routes::invite::accept,
        routes::invite::decline, routes::invite::list_own,
        routes::project::list, routes::project::create, routes::project::get, routes::project::profile,
        routes::project::update, routes::project::delete, routes::project::slug,
        routes::image::list, routes::image::upload_icon, routes::image::delete_icon,
        routes::image::upload_background, routes::image::delete_background, routes::image::show,
        routes::settings::get, routes::settings::update, routes::settings::reset,
        routes::api_key::list, routes::api_key::create, routes::api_key::regenerate,
        routes::api_key::get, routes::api_key::update, routes::api_key::delete, routes::api_key::verify,
        routes::schema::get, routes::schema::publish, routes::schema::patch, routes::schema::roll_back,
        routes::schema::compare, routes::schema::verify,
        routes::project_user::list, routes::project_user::connect, routes::project_user::stats,
        routes::project_user::get,
        routes::project_user::update, routes::project_user::delete, routes::user_data::export,
        routes::item::list, routes::item::create, routes::item::get, routes::item::put, routes::item::patch,
        routes::item::delete, routes::item::batch,
        routes::own_item::app_of, routes::own_item::leave, routes::user_data::export_own, routes::own_item::list, routes::own_item::create, routes::own_item::get,
        routes::own_item::put, routes::own_item::patch, routes::own_item::delete,
        routes::own_item::batch,
        routes::text::to_slug,
    ),
    components(schemas(ErrorBody)),
    tags(
        (name = "auth"), (name = "projects"), (name = "project-keys"), (name = "project-users"),
        (name = "project-schema"), (name = "teams"), (name = "utils"),
        (name = "account", description = "A signed-in person's own view of a project's data."),
        (name = "service", description = "The service itself: health, discovery, reference."),
    ),
)]
struct Handlers;

static DOCUMENT: LazyLock<String> = LazyLock::new(|| {
    let described = serde_json::to_value(Handlers::openapi()).map(completed);
    described.and_then(|document| serde_json::to_string_pretty(&document)).unwrap_or_default()
});

/// The OpenAPI 3.1 document as JSON text.
pub fn openapi_json() -> String {
    DOCUMENT.clone()
}

pub(crate) fn document() -> &'static str {
    &DOCUMENT
}

/// Adds what every operation has in common: credentials, permissions, and the errors that any can answer.
#[expect(clippy::indexing_slicing, reason = "setting a member of a document whose shape utoipa gives")]
fn completed(mut document: Value) -> Value {
    if let Some(paths) = document.get_mut("paths").and_then(Value::as_object_mut) {
        for (path, item) in paths {
            for operation in item.as_object_mut().into_iter().flat_map(Map::values_mut) {
                complete(path, operation);
            }
        }
    }
    document["info"]["version"] = json!(env!("CARGO_PKG_VERSION"));
    if let Some(info) = document["info"].as_object_mut() {
        // utoipa takes it from the manifest, where there is none.
        info.shift_remove("license");
    }
    document["components"]["schemas"]["ErrorBody"]["properties"]["error"]["enum"] = json!(codes());
    let header = |description: &str| json!({"description": description, "schema": {"type": "string"}});
    let bearer = |description: &str| json!({"type": "http", "scheme": "bearer", "description": description});
    document["components"]["headers"] = json!({
        "RateLimitPolicy": header("The limit that the request counts against, by name: `q` requests at once, all of them again after `w` seconds."),
        "RateLimit": header("What is left of it: `r` requests now, all of them again after `t` seconds."),
        "RetryAfter": header("After how many seconds to try again."),
    });
    document["components"]["securitySchemes"] = json!({
        "bearerAuth": bearer("An access token of a person (JWT)."),
        "apiKeyAuth": bearer("An API key of a project."),
        "userAuth": bearer("An access token of a person for one project (JWT)."),
    });
    document
}

fn complete(path: &str, operation: &mut Value) {
    let id = operation["operationId"].as_str().unwrap_or_default();
    let rule = Operation::RULES.iter().find(|rule| rule.name == id).copied();
    let has_body = operation.get("requestBody").is_some();
    if let Some(rule) = rule {
        operation["security"] = security(rule.callers);
        operation["x-rate-limit"] = json!(rule.rate.as_str());
        operation["x-idempotency"] = json!(rule.repeats.as_str());
        let permissions: Vec<&str> = rule.needs.permissions().map(Permission::as_str).collect();
        if !permissions.is_empty() {
            operation["x-permission"] = json!(permissions.join(" "));
        }
        if let Some(scope) = rule.needs.scope() {
            operation["x-scope"] = json!(scope.as_str());
        }
    }
    if rule.is_some_and(|rule| rule.repeats == IdempotencyRule::Keyed) {
        take_key(operation);
    }
    if let Some(responses) = operation["responses"].as_object_mut() {
        for (status, meaning) in common_errors(path, rule, has_body) {
            responses.entry(status).or_insert_with(|| error_response(meaning));
        }
        responses.sort_keys();
        for (status, response) in responses {
            describe(status, response);
            if is_limited(path, rule) {
                show_rate_limit(status, response);
            }
        }
    }
}

/// Whether requests are counted: all but those that say how the service is.
fn is_limited(path: &str, rule: Option<Rule>) -> bool {
    rule.map_or(!path.starts_with("/health/"), |rule| rule.rate != RateClass::Unlimited)
}

/// Adds the headers that tell what is left of a limit.
fn show_rate_limit(status: &str, response: &mut Value) {
    let Some(headers) = response.as_object_mut().map(|members| members.entry("headers").or_insert_with(|| json!({})))
    else {
        return;
    };
    let mut show = |name: &str, component: &str| {
        if let Some(headers) = headers.as_object_mut() {
            headers.insert(name.to_owned(), json!({"$ref": format!("#/components/headers/{component}")}));
        }
    };
    show("RateLimit-Policy", "RateLimitPolicy");
    show("RateLimit", "RateLimit");
    if status == "429" {
        show("Retry-After", "RetryAfter");
    }
}

/// Adds the header by which a request can be sent again.
fn take_key(operation: &mut Value) {
    let header = json!({
        "name": "Idempotency-Key",
        "in": "header",
        "required": false,
        "description": "Sent again with the same key within 24 hours, the request does nothing and is answered the same.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 255},
    });
    if let Some(members) = operation.as_object_mut() {
        let parameters = members.entry("parameters").or_insert_with(|| json!([]));
        parameters.as_array_mut().into_iter().for_each(|list| list.push(header.clone()));
    }
}

/// Every response has a description (OpenAPI 3.1 §4.8.17); where a handler gives none, the status tells enough.
fn describe(status: &str, response: &mut Value) {
    let reason = status.parse().ok().and_then(|code| StatusCode::from_u16(code).ok()?.canonical_reason());
    if let Some(members) = response.as_object_mut() {
        members.entry("description").or_insert_with(|| json!(reason.unwrap_or_default()));
    }
}

fn security(callers: Callers) -> Value {
    match callers {
        Callers::Anyone => json!([{}, {"bearerAuth": []}, {"apiKeyAuth": []}]),
        Callers::Account => json!([{"bearerAuth": []}]),
        Callers::Credential => json!([{"bearerAuth": []}, {"apiKeyAuth": []}, {"userAuth": []}]),
        Callers::User => json!([{"userAuth": []}]),
        Callers::AccountOrUser => json!([{"bearerAuth": []}, {"userAuth": []}]),
        Callers::AccountOrKey => json!([{"bearerAuth": []}, {"apiKeyAuth": []}]),
    }
}

/// The errors that an operation can answer beside those its handler declares.
fn common_errors(path: &str, rule: Option<Rule>, has_body: bool) -> Vec<(&'static str, &'static str)> {
    let mut errors = vec![("500", "the request could not be completed")];
    if is_limited(path, rule) {
        errors.push(("429", "too many requests"));
    }
    let Some(rule) = rule else { return errors };
    errors.push(("400", "the input is malformed or not valid"));
    errors.push(("401", "no credential, or one that is not valid"));
    errors.push(("403", "a credential that is good, but not for this"));
    if rule.repeats == IdempotencyRule::Keyed {
        errors.push(("409", "in conflict with what is there, or with an earlier request of the same Idempotency-Key"));
    }
    errors.push(("429", "too many requests, or too many responses that are not read yet"));
    errors.push(("503", "the service cannot answer right now"));
    if rule.needs != Requirement::Nothing || path.contains('{') {
        errors.push(("404", "missing, or nothing the caller may know of"));
    }
    if has_body {
        errors.push(("413", "the body is too large"));
        errors.push(("415", "the body is not JSON"));
    }
    errors
}

fn error_response(meaning: &str) -> Value {
    json!({
        "description": meaning,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorBody"}}},
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_of_the_table_is_described_and_no_other() {
        let document: Value = serde_json::from_str(document()).unwrap();
        assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
        let items = document["paths"].as_object().unwrap().values();
        let operations: Vec<&Value> = items.flat_map(|item| item.as_object().unwrap().values()).collect();
        let ids: Vec<&str> = operations.iter().map(|op| op["operationId"].as_str().unwrap()).collect();
        for rule in Operation::RULES.iter().filter(|rule| rule.operation.is_public()) {
            assert!(ids.contains(&rule.name), "{} is not described", rule.name);
        }
        for operation in operations {
            let id = operation["operationId"].as_str().unwrap();
            let known = Operation::RULES.iter().any(|rule| rule.name == id && rule.operation.is_public());
            assert_eq!(known, operation["tags"][0] != "service", "{id}");
        }
    }
}
