//! A valid request for each operation, so that the outcome depends only on access.

use reqwest::Method;
use serde_json::{Value, json};
use steward_tests::{Actor, Answer, CHALLENGE, Described, FORM, PASSWORD, notes_schema};

use super::Place;

const PNG: &[u8] = include_bytes!("../../../images/small.png");

/// A timestamp 90 days in the future.
#[expect(clippy::disallowed_methods, reason = "the service uses the system clock")]
pub fn soon() -> String {
    (chrono::DateTime::<chrono::Utc>::from(std::time::SystemTime::now()) + chrono::TimeDelta::days(90)).to_rfc3339()
}

/// Sort key of an operation: reads first, deletions last, children before their parents.
pub fn turn(described: &Described) -> (usize, std::cmp::Reverse<usize>) {
    let last = ["deleteProject", "deleteTeam", "leaveOwnApp"];
    let turn = match (&described.method, last.iter().position(|id| *id == described.id)) {
        (_, Some(index)) => 3 + index,
        (&Method::GET, _) => 0,
        (&Method::DELETE, _) => 2,
        _ => 1,
    };
    (turn, std::cmp::Reverse(described.path.len()))
}

/// Variants of the request with different access rules. Each has its own row; the default variant has an empty name.
pub fn variants(described: &Described) -> &'static [&'static str] {
    match described.id.as_str() {
        "updateTeam" => &["", "without a second factor"],
        "updateMember" => &["", "an owner", "into admin"],
        "removeMember" => &["", "an owner"],
        "updateKey" => &["", "with more permissions"],
        "updateSettings" => &["", "for older programs"],
        "updateTeamWebhook" | "updateProjectWebhook" => &["", "to another address"],
        "createInvite" => &["", "into ownership"],
        "createKey" | "createClient" | "updateClient" => &["", "with all roles"],
        _ => &[""],
    }
}

/// Row name of the operation and variant in the golden file.
pub fn row(described: &Described, variant: &str) -> String {
    if variant.is_empty() { described.id.clone() } else { format!("{} ({variant})", described.id) }
}

/// Sends the request of an operation, with additional headers.
pub async fn send(
    caller: &Actor,
    described: &Described,
    variant: &str,
    place: &Place,
    headers: &[(&str, &str)],
) -> Answer {
    let (method, path) = (described.method.clone(), path(described, variant, place));
    match described.id.as_str() {
        "uploadIcon" | "uploadBackground" | "uploadClientLogo" => {
            let head = "--cut\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x\"\r\n\r\n";
            let form = [head.as_bytes(), PNG, b"\r\n--cut--\r\n"].concat();
            caller.send_raw(method, &path, Some(("multipart/form-data; boundary=cut", form)), headers).await
        }
        "authorizeByForm" | "pushAuthorizationRequest" => {
            caller.send_raw(method, &path, Some((FORM, authorization(place).into_bytes())), headers).await
        }
        "authorizeDevice" => {
            caller.send_raw(method, &path, Some((FORM, b"client_id=steward-cli&scope=openid".to_vec())), headers).await
        }
        _ => {
            let response = caller.send(method, &path, body(described, variant, place), headers).await;
            if described.id == "createProject" && response.status == 201 {
                // A team with projects cannot be deleted, and the team's deletion follows later.
                let created = response.json()["data"]["id"].as_str().unwrap().to_owned();
                place.owner.delete(&format!("/project/{created}")).await.ok();
            }
            response
        }
    }
}

fn authorization(place: &Place) -> String {
    format!(
        "client_id={}&redirect_uri=http%3A%2F%2F127.0.0.1%3A49152%2Fcallback&response_type=code&scope=openid&state=s\
         &code_challenge={CHALLENGE}&code_challenge_method=S256",
        place.project
    )
}

fn path(described: &Described, variant: &str, place: &Place) -> String {
    let template = described.path.as_str();
    let hook = if template.starts_with("/team/") { &place.team_hook } else { &place.project_hook };
    let hex = if template.starts_with("/u/") { &place.owner.id } else { &place.project };
    let path = template
        .replace("{id}", &place.project)
        .replace("{project_id}", &place.project)
        .replace("{team_id}", &place.team)
        .replace("{user_id}", &place.user)
        .replace("{key_id}", &place.key)
        .replace("{member_id}", if variant == "an owner" { &place.owner.id } else { &place.member })
        .replace("{invite_id}", &place.invite)
        .replace("{webhook_id}", &hook.id)
        .replace("{delivery_id}", &hook.delivery)
        .replace("{provider_id}", &place.provider)
        .replace("{client_id}", &place.client)
        .replace("{token_id}", &place.own_token)
        .replace("{table_id}", "notes")
        .replace("{item_id}", "first")
        .replace("{file}", "icon.png")
        .replace("{hex}", &hex.replace('-', ""));
    match described.id.as_str() {
        "authorize" => format!("{path}?{}", authorization(place)),
        "resetSettings" => path + "?key=auth.require_pkce",
        "checkTeamSlug" | "checkProjectSlug" | "slugify" => path + "?slug=free",
        _ => path,
    }
}

fn body(described: &Described, variant: &str, place: &Place) -> Option<Value> {
    described.operation.get("requestBody")?;
    let name = &place.name;
    Some(match described.id.as_str() {
        "signUp" => json!({"email": format!("new-{name}@example.com"), "password": PASSWORD}),
        "logIn" => json!({"username": "spare", "password": PASSWORD}),
        "exchangeToken" => json!({"grant_type": "authorization_code", "code": "none"}),
        "introspectToken" | "revokeToken" => json!({"token": "none"}),
        "createPersonalToken" => json!({"label": "x", "roles": "viewer", "expires_at": soon()}),
        "createTeam" => json!({"name": "New", "slug": format!("new-{name}")}),
        "createProject" => json!({"name": "New", "slug": format!("np-{name}"), "team_id": place.team}),
        "updateTeam" if variant == "without a second factor" => json!({"second_factor_from": null}),
        "updateTeam" | "updateProject" => json!({"name": "Renamed"}),
        "updateMember" if variant == "into admin" => json!({"roles": "admin"}),
        "updateMember" => json!({"role_name": "Renamed"}),
        "createInvite" if variant == "into ownership" => json!({"email": "new@example.com", "roles": "owner"}),
        "createInvite" => json!({"email": "new@example.com", "roles": "invite:read"}),
        "acceptInvite" => json!({"invite_id": place.own_invites[0]}),
        "declineInvite" => json!({"invite_id": place.own_invites[1]}),
        "updateSettings" if variant == "for older programs" => json!({"auth": {"legacy_scopes": true}}),
        "updateSettings" => json!({"auth": {"require_pkce": true}}),
        "createKey" if variant == "with all roles" => json!({"label": "x", "roles": "admin"}),
        "createKey" => json!({"label": "x", "roles": "key:read"}),
        "updateKey" if variant == "with more permissions" => json!({"roles": "key:read,db:read"}),
        "updateKey" => json!({"label": "Renamed"}),
        "verifyKey" => json!({"key": "none"}),
        "publishSchema" => json!({"schema": notes_schema()}),
        "patchSchema" => json!({"schema": {"tables": {}}}),
        "rollbackSchema" => json!({"version": 1}),
        "compareSchema" | "verifyUpdateSchema" => {
            json!({"schema": {"project_id": place.project, "version": 9, "tables": {}}})
        }
        "connectUser" => json!({"token": place.visitor}),
        "updateUser" => json!({"meta": {}}),
        "createItem" | "putItem" | "patchItem" | "createOwnItem" | "putOwnItem" | "patchOwnItem" => {
            json!({"value": {"title": "x"}})
        }
        "batchItems" | "batchOwnItems" => {
            json!({"operations": [{"op": "put", "id": "first", "value": {"title": "x"}}]})
        }
        "createIdentityProvider" => json!({"kind": "github", "client_id": "x"}),
        "updateIdentityProvider" => json!({"name": "Renamed"}),
        "registerClient" => json!({"redirect_uris": ["https://app.example/"], "token_endpoint_auth_method": "none"}),
        "createClient" if variant == "with all roles" => {
            json!({"name": "x", "type": "confidential", "grant_types": ["client_credentials"], "roles": "admin"})
        }
        "createClient" => json!({"name": "x", "type": "public", "redirect_uris": ["https://app.example/"]}),
        "updateClient" if variant == "with all roles" => {
            json!({"grant_types": ["client_credentials"], "roles": "admin"})
        }
        "updateClient" => json!({"name": "Renamed"}),
        "createTeamWebhook" | "createProjectWebhook" => {
            json!({"url": "https://example.com/", "events": ["team.deleted"]})
        }
        "updateTeamWebhook" | "updateProjectWebhook" if variant == "to another address" => {
            json!({"url": "https://example.com/other"})
        }
        "updateTeamWebhook" | "updateProjectWebhook" => json!({"events": ["team.deleted"]}),
        _ => json!({}),
    })
}
