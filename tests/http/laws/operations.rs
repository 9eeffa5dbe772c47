//! Builds a valid request for every operation of the OpenAPI document.

use reqwest::Method;
use serde_json::{Value, json};
use steward_domain::kernel::policy::{Callers, Operation, Rule};
use steward_tests::{Described, World};

/// Returns the operation's rule. Operations of the service itself have none.
pub fn rule(described: &Described) -> Option<Rule> {
    Operation::RULES.iter().find(|rule| rule.name == described.id).copied()
}

/// Fills a path template of the document with IDs of the fixture.
pub fn path(template: &str, world: &World) -> String {
    let id = if template.starts_with("/team/") { &world.team } else { &world.project };
    template
        .replace("{id}", id)
        .replace("{team_id}", &world.team)
        .replace("{project_id}", &world.project)
        .replace("{user_id}", &world.user)
        .replace("{key_id}", &world.key_id)
        .replace("{member_id}", &world.owner.id)
        .replace("{invite_id}", &world.user)
        .replace("{webhook_id}", &world.user)
        .replace("{delivery_id}", &world.user)
        .replace("{provider_id}", &world.user)
        .replace("{client_id}", &world.user)
        .replace("{token_id}", &world.user)
        .replace("{table_id}", "notes")
        .replace("{item_id}", "first")
        .replace("{file}", "index.html")
        + if template.ends_with("/settings") { "?key=auth" } else { "" }
}

/// A body for the operation, so that the result depends only on access: none of its members, if it needs no credential
/// or belongs to OAuth, else a valid one.
pub fn body(described: &Described, world: &World) -> Option<Value> {
    let content = &described.operation.get("requestBody")?["content"];
    let is_oauth = content.get("application/x-www-form-urlencoded").is_some();
    let is_public = rule(described).is_none_or(|rule| rule.callers == Callers::Anyone);
    Some(if is_oauth || is_public { json!({}) } else { valid_body(described, world) })
}

/// A body without unknown, missing or invalid members: the example of the document with values of the fixture. A change
/// has the first member, but no roles, because they might widen or end access.
pub fn valid_body(described: &Described, world: &World) -> Value {
    let example = described.operation.pointer("/requestBody/content/application~1json/examples/default/value");
    let is_change = described.method == Method::PATCH;
    let members = example.and_then(Value::as_object).into_iter().flatten();
    let members = members.filter(|(name, _)| !is_change || *name != "roles");
    let members = members.filter_map(|(name, value)| {
        let value = match name.as_str() {
            "team_id" => json!(world.team),
            "name" => json!("X"),
            "slug" => json!("x"),
            "email" => json!("x@example.com"),
            "roles" => json!("project:read"),
            "expires_at" => json!("2030-01-31T12:00:00Z"),
            "schema" => json!({"tables": {}}),
            "value" => json!({"title": "x"}),
            "operations" => json!([{"op": "put", "id": "first", "value": {"title": "x"}}]),
            // A provider that needs no discovery.
            "kind" => json!("google"),
            "issuer" | "teams" | "projects" | "created_before" => return None,
            _ => value.clone(),
        };
        Some((name.clone(), value))
    });
    Value::Object(members.take(if is_change { 1 } else { usize::MAX }).collect())
}
