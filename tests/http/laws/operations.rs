//! Builds a valid request for every operation of the OpenAPI document.

use serde_json::{Value, json};
use steward_domain::policy::{Operation, Rule};
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

/// A valid body for the operation, so that the result depends only on access.
pub fn body(described: &Described, world: &World) -> Option<Value> {
    described.operation.get("requestBody")?;
    Some(match described.id.as_str() {
        "createProject" => json!({"name": "X", "team_id": world.team}),
        "createKey" => json!({"label": "x", "roles": "project:read"}),
        "publishSchema" | "patchSchema" => json!({"schema": {"tables": {}}}),
        "rollbackSchema" => json!({"version": 1}),
        "updateUser" => json!({"meta": {}}),
        "createItem" | "putItem" | "patchItem" => json!({"value": {"title": "x"}}),
        "batchItems" => json!({"operations": [{"op": "put", "id": "first", "value": {"title": "x"}}]}),
        "updateKey" => json!({"label": "x"}),
        "verifyKey" => json!({"key": "x"}),
        "updateTeam" | "updateProject" => json!({"name": "X"}),
        "updateMember" => json!({"role_name": "X"}),
        "createInvite" => json!({"email": "x@example.com", "roles": "team:read"}),
        "acceptInvite" | "declineInvite" => json!({"invite_id": world.user}),
        "createTeam" => json!({"name": "X", "slug": "x"}),
        "createIdentityProvider" => json!({"kind": "google", "client_id": "x"}),
        "updateIdentityProvider" => json!({"name": "X"}),
        "registerClient" => json!({"redirect_uris": ["https://app.example/"]}),
        "createClient" => json!({"name": "X", "type": "public", "redirect_uris": ["https://app.example/"]}),
        "updateClient" => json!({"name": "X"}),
        "createTeamWebhook" | "createProjectWebhook" => json!({"url": "https://example.com/", "events": ["*"]}),
        "updateTeamWebhook" | "updateProjectWebhook" => json!({"events": ["*"], "ordering": "none"}),
        _ => json!({}),
    })
}
