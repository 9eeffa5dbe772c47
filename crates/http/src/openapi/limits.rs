//! What the parsers of the domain accept of the members of requests and of parameters, as JSON Schema. Responses can
//! have values that were stored under other rules, so nothing of this is stated about them.

use std::ops::RangeInclusive;

use serde_json::{Value, json};
use steward_domain::kernel::policy::{EndableKind, KeyRoles, RoleSet};
use steward_domain::{administration as a, data as d, identity as i, kernel as k};

use crate::extract::precondition;
use crate::routes::discovery::CLIENT_AUTHENTICATION;

/// The start of a URL of the web. Whether it can be one without TLS depends on the settings of the service.
const WEB: &str = "^https?://";
/// What stands around and between the names in a text, as regular expressions.
const COMMAS: [&str; 2] = [r"[\s,]*", r"\s*,[\s,]*"];
const SPACES: [&str; 2] = [" *", " +"];

/// Returns what is accepted, by the names of members and parameters. One with its component or operation before it
/// takes precedence over those without.
pub(super) fn all() -> Vec<(&'static str, Value)> {
    members().into_iter().chain(parameters()).collect()
}

fn members() -> Vec<(&'static str, Value)> {
    let scopes = i::ScopeSet::for_projects().to_string();
    let scopes: Vec<&str> = scopes.split(' ').collect();
    let key_roles = listed(&KeyRoles::names(), COMMAS);
    let grants = i::GrantType::ALL.map(i::GrantType::as_str);
    let uri = json!({"maxLength": i::RedirectUri::MAX_BYTES, "pattern": i::RedirectUri::PATTERN});
    let client_id = text(i::ProviderClientId::LENGTH, i::ProviderClientId::PATTERN);
    let client_secret = text(i::CLIENT_SECRET_LENGTH, i::ProviderClientId::PATTERN);
    let url = |max: usize, pattern: &str| json!({"format": "uri", "maxLength": max, "pattern": pattern});
    let password = i::Password::LENGTH;
    let mut events = a::EventSelection::known_names();
    events.insert(0, "*".to_owned());
    let settings = json!({"auth": {"redirect_uris": ["https://example.com/callback"]}});
    let names = json!({"enum": ["auth", "data"]});
    vec![
        ("name", text(k::Name::LENGTH, k::VISIBLE)),
        ("label", text(k::Label::LENGTH, k::VISIBLE)),
        ("role_name", text(k::RoleName::LENGTH, &or_empty(k::VISIBLE))),
        ("slug", text(1..=k::Slug::MAX_LENGTH, k::Slug::PATTERN)),
        ("CreateAccountBody.username CreateInviteBody.username", text(i::Username::LENGTH, i::Username::PATTERN)),
        (
            "CreateAccountBody.email CreateInviteBody.email",
            json!({"format": "email", "maxLength": i::Email::MAX_LENGTH}),
        ),
        ("CreateAccountBody.password", json!({"minLength": password.start(), "maxLength": password.end()})),
        ("roles", json!({"pattern": listed(&RoleSet::names(), COMMAS)})),
        ("CreateKeyBody.roles UpdateKeyBody.roles", json!({"pattern": key_roles})),
        ("CreateOAuthClientBody.roles UpdateOAuthClientBody.roles", json!({"pattern": or_empty(&key_roles)})),
        ("CreateOAuthClientBody.scope UpdateOAuthClientBody.scope", json!({"pattern": listed(&scopes, SPACES)})),
        (
            "CreateOAuthClientBody.grant_types UpdateOAuthClientBody.grant_types",
            json!({"minItems": 1, "items": one_of(&grants)}),
        ),
        ("type", one_of(&i::ClientType::ALL.map(i::ClientType::as_str))),
        ("redirect_uris", list(0..=i::RedirectUri::MAX_URIS, uri)),
        ("access_token_seconds", seconds(i::ACCESS_TOKEN_SECONDS)),
        ("sign_in_seconds", seconds(i::SIGN_IN_SECONDS)),
        ("second_factor_from", json!({"pattern": "^2[01][0-9]{2}-[0-9]{2}-[0-9]{2}"})),
        ("KeyRegeneration.grace_seconds", json!({"maximum": a::ApiKey::MAX_GRACE_SECONDS})),
        ("ClientSecretRotation.grace_seconds", json!({"maximum": i::ClientSecret::MAX_GRACE_SECONDS})),
        ("teams projects", list(0..=i::PersonalToken::MAX_TARGETS, json!({"pattern": k::ID_PATTERN}))),
        ("kind", one_of(&i::ProviderKind::ALL.map(i::ProviderKind::as_str))),
        ("issuer", url(i::Issuer::MAX_LENGTH, i::Issuer::PATTERN)),
        ("CreateIdentityProviderBody.client_id UpdateIdentityProviderBody.client_id", client_id),
        ("CreateIdentityProviderBody.client_secret UpdateIdentityProviderBody.client_secret", client_secret),
        ("website", url(a::Website::MAX_LENGTH, WEB)),
        ("url", url(a::WebhookUrl::MAX_LENGTH, WEB)),
        ("events", list(1..=a::EventSelection::MAX_NAMES, json!({"enum": events}))),
        ("ordering", one_of(&a::WebhookOrdering::ALL.map(a::WebhookOrdering::as_str))),
        ("UpdateWebhookBody.status", one_of(&a::WebhookStatus::ALL.map(a::WebhookStatus::as_str))),
        (
            "UpdateUserBody.status",
            one_of(&[d::UserStatus::Connected, d::UserStatus::Blocked].map(d::UserStatus::as_str)),
        ),
        ("operations", list(1..=d::MAX_OPERATIONS, json!({}))),
        ("item_id ItemPut.id ItemPatch.id ItemDelete.id", text(d::ItemId::LENGTH, d::ItemId::PATTERN)),
        // Only a header can be empty.
        ("if_match if_none_match", json!({"pattern": precondition::PATTERN.replacen(")?", ")", 1)})),
        ("expires_at created_before from to", json!({"format": "date-time"})),
        ("grant_type", one_of(&grants)),
        ("client_assertion_type", one_of(&[i::ASSERTION_TYPE])),
        ("response_types", json!({"items": one_of(&["code"])})),
        ("token_endpoint_auth_method", one_of(&CLIENT_AUTHENTICATION)),
        ("UpdateSettingsBody", json!({"propertyNames": names, "maxProperties": 1, "example": settings})),
    ]
}

fn parameters() -> Vec<(&'static str, Value)> {
    let settings = i::SignInSettings::NAMES.map(|name| format!("auth.{name}"));
    let settings: Vec<&str> = ["auth"].into_iter().chain(settings.iter().map(String::as_str)).collect();
    vec![
        // Any text can be converted.
        ("slugify.slug", json!({})),
        ("actor caller", json!({"pattern": k::ID_PATTERN})),
        ("offset", json!({"format": "int64", "maximum": u32::MAX})),
        ("limit", json!({"minimum": 1, "maximum": k::PageRequest::MAX_LIMIT})),
        ("days", json!({"minimum": a::Period::DAYS.start(), "maximum": a::Period::DAYS.end()})),
        ("listUsers.status", one_of(&d::UserStatus::ALL.map(d::UserStatus::as_str))),
        ("q", text(d::UserSearch::LENGTH, k::VISIBLE)),
        ("listRequests.status", json!({"pattern": a::StatusFilter::PATTERN})),
        ("item_changes", one_of(&a::ItemChanges::ALL.map(a::ItemChanges::as_str))),
        ("end", json!({"pattern": or_empty(&listed(&EndableKind::ALL.map(EndableKind::as_str), COMMAS))})),
        ("getSchema.version", json!({"pattern": "^(all|[0-9]+)$"})),
        ("resetSettings.key", json!({"minItems": 1, "items": one_of(&settings)})),
        ("response_mode", one_of(&i::ResponseMode::ALL.map(i::ResponseMode::as_str))),
        ("state", json!({"maxLength": i::MAX_STATE_BYTES})),
        ("nonce", json!({"maxLength": i::MAX_NONCE_BYTES})),
        ("login_hint acr_values", json!({"maxLength": i::MAX_HINT_BYTES})),
    ]
}

fn text(length: RangeInclusive<usize>, pattern: &str) -> Value {
    json!({"minLength": length.start(), "maxLength": length.end(), "pattern": pattern})
}

/// Returns the regular expression of a text with several of the names.
fn listed(names: &[&str], [around, between]: [&str; 2]) -> String {
    let names = names.join("|");
    format!("^{around}({names})({between}({names}))*{around}$")
}

/// Returns the limits of a lifetime, for which 0 stands for the default.
fn seconds(range: RangeInclusive<u32>) -> Value {
    json!({"maximum": range.end(), "not": {"type": "integer", "minimum": 1, "exclusiveMaximum": range.start()}})
}

fn or_empty(pattern: &str) -> String {
    format!("^$|{pattern}")
}

fn one_of(names: &[&str]) -> Value {
    json!({"enum": names})
}

fn list(length: RangeInclusive<usize>, items: Value) -> Value {
    json!({"minItems": length.start(), "maxItems": length.end(), "items": items})
}

/// Adds what is accepted to the schema of a member of a component, or of a parameter of an operation.
pub(super) fn add(all: &[(&str, Value)], owner: &str, name: &str, schema: &mut Value) {
    let of = |wanted: &str| all.iter().find(|(names, _)| names.split(' ').any(|name| name == wanted));
    let found = of(&format!("{owner}.{name}")).or_else(|| of(name));
    for (key, value) in found.and_then(|(_, accepted)| accepted.as_object()).into_iter().flatten() {
        match (key.as_str(), value) {
            ("items", Value::Object(accepted)) => {
                schema["items"].as_object_mut().into_iter().for_each(|items| items.extend(accepted.clone()));
            }
            // An optional member can also be null.
            ("enum", Value::Array(names)) if schema["type"].is_array() => {
                schema["enum"] = names.iter().cloned().chain([Value::Null]).collect();
            }
            (key, value) => schema[key] = value.clone(),
        }
    }
}

#[cfg(test)]
mod tests;
