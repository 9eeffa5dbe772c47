//! API keys of a project (docs/contract.md#api-keys).

use std::sync::Arc;

use actix_web::{HttpResponse, web};
use serde::{Deserialize, Serialize};
use steward_domain::error::{Error, FieldViolations, ResourceKind};
use steward_domain::model::{ApiKey, Issued, Label, Secret};
use steward_domain::policy::KeyRoles;
use steward_domain::usecases::{CreateKey, Steward, UpdateKey};
use utoipa::ToSchema;

use crate::Api;
use crate::error::ApiError;
use crate::extract::body::{JsonBody, parse_timestamp, unchecked};
use crate::extract::page::PageParameters;
use crate::extract::precondition::{self, ResourceTag};
use crate::extract::{Authenticated, PathIds, Query};
use crate::response::{self, Listing, Message, format_timestamp};
use crate::route::{ApiRoute, operations};
use crate::streamed;

pub(crate) fn routes() -> Vec<ApiRoute> {
    operations! {
        KeyList => list;
        KeyCreate => create [QuotaExceeded];
        KeyVerify => verify;
        KeyGet => get [PreconditionFailed];
        KeyUpdate => update [PreconditionFailed];
        KeyDelete => delete [PreconditionFailed];
        KeyRegenerate => regenerate;
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct KeyBody {
    /// Unique ID of the key. It does not change when the value is regenerated.
    id: String,
    /// Display name of the key.
    label: String,
    /// Comma-separated roles of the key: `admin`, `write`, `read`, or individual permissions such as `db:read`.
    #[schema(example = "read")]
    roles: String,
    /// Whether the key is private. Private keys stay on servers. Public keys may appear in browsers, and read only the
    /// project and its schema.
    is_private: bool,
    /// When the key was created.
    #[schema(format = DateTime)]
    created_at: String,
    /// When the current value was last used, with a precision of one minute; null if it was never used.
    #[schema(format = DateTime)]
    last_used: Option<String>,
    /// When the key expires; null if it never expires.
    #[schema(format = DateTime, example = "2027-01-31T12:00:00.000Z")]
    expires_at: Option<String>,
    /// Prefix and last 4 characters of the current value.
    #[schema(example = "stw_sk_...0000")]
    hint: String,
    /// The previous value. Only present during its grace period after a regeneration.
    #[serde(skip_serializing_if = "Option::is_none")]
    previous: Option<PreviousKeyValue>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct PreviousKeyValue {
    /// When the previous value stops working.
    #[schema(format = DateTime)]
    expires_at: String,
    /// When the previous value was last used, with a precision of one minute; null if it was never used.
    #[schema(format = DateTime)]
    last_used: Option<String>,
}

impl From<ApiKey> for KeyBody {
    fn from(key: ApiKey) -> Self {
        Self {
            id: key.id.to_string(),
            label: key.label.to_string(),
            roles: key.roles.to_string(),
            is_private: key.is_private,
            created_at: format_timestamp(key.created_at),
            last_used: key.last_used.map(format_timestamp),
            expires_at: key.expires_at.map(format_timestamp),
            hint: key.hint,
            previous: key.previous.map(|previous| PreviousKeyValue {
                expires_at: format_timestamp(previous.expires_at),
                last_used: previous.last_used.map(format_timestamp),
            }),
        }
    }
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct NewKey {
    /// Display name of the key: 1 to 100 characters.
    label: String,
    /// Comma-separated roles of the key: `admin`, `write`, `read`, or individual permissions such as `db:read`.
    #[schema(example = "read")]
    roles: String,
    /// Whether the key is private; `true` by default. A public key may appear in browsers, where everyone can see it: its
    /// roles may be `project:read` and `schema:read` only. Browsers read users and items with the access token of the
    /// signed-in user.
    is_private: Option<bool>,
    /// When the key expires: a timestamp in the future. Without it, the key never expires.
    #[schema(format = DateTime, example = "2027-01-31T12:00:00.000Z")]
    expires_at: Option<String>,
}

impl NewKey {
    fn parse(self, mut errors: FieldViolations) -> Result<CreateKey, Error> {
        let label = errors.check("label", Label::parse(&self.label));
        let roles = errors.check("roles", KeyRoles::parse(&self.roles));
        let expires_at = self.expires_at.map(|text| errors.check("expires_at", parse_timestamp(&text)));
        errors.finish(label.zip(roles).map(|(label, roles)| CreateKey {
            label,
            roles,
            is_private: self.is_private.unwrap_or(true),
            expires_at: expires_at.flatten(),
        }))
    }
}

/// Options of a regeneration. All are optional, and so is the body.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeyRegeneration {
    /// Number of seconds for which the old value continues to work; 0 by default: it stops working immediately.
    #[schema(minimum = 0, maximum = 86_400, example = 3600)]
    grace_seconds: Option<u32>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct KeyIssued {
    /// The key with its new value.
    key: KeyWithValue,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct KeyWithValue {
    /// Unique ID of the key.
    id: String,
    /// Display name of the key.
    label: String,
    /// Comma-separated roles of the key.
    #[schema(example = "read")]
    roles: String,
    /// Secret value of the key. It is returned only in this response; store it safely.
    #[schema(example = "stw_sk_ExampleExampleExampleExampleExampleExampleE000000")]
    value: String,
    /// Whether the key is private.
    is_private: bool,
    /// When the key was created.
    #[schema(format = DateTime)]
    created_at: String,
}

impl From<Issued<ApiKey>> for KeyIssued {
    fn from(issued: Issued<ApiKey>) -> Self {
        let key = issued.value;
        Self {
            key: KeyWithValue {
                id: key.id.to_string(),
                label: key.label.to_string(),
                roles: key.roles.to_string(),
                value: issued.secret.expose().to_owned(),
                is_private: key.is_private,
                created_at: format_timestamp(key.created_at),
            },
        }
    }
}

/// List API keys
///
/// Returns the API keys of the project without their values, newest first.
#[utoipa::path(get, path = "/project/{id}/key", tag = "project-keys", params(PageParameters),
    responses((status = 200, body = inline(Listing<KeyBody>), description = "The keys of the project.")))]
pub(crate) async fn list(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let project = path.project()?;
    let read = async move |steward: Arc<Steward>, caller, page| steward.api_keys.list(&caller, project, &page).await;
    streamed::list(&api, &caller, path.request(), query.page()?, read, KeyBody::from).await
}

/// Create an API key
///
/// The response contains the value of the key, which is never returned again. You can grant only permissions that you
/// have.
#[utoipa::path(post, path = "/project/{id}/key", tag = "project-keys", request_body = NewKey,
    responses((status = 200, body = KeyIssued, description = "The key with its value.")))]
pub(crate) async fn create(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, command) = (path.project()?, body.ignoring_fields_of::<KeyBody>().read(NewKey::parse)?);
    let issued = api.steward.api_keys.create(&caller.0, project, command).await?;
    Ok(issued_response(issued))
}

#[derive(Serialize, ToSchema)]
pub(crate) struct KeyResponse {
    /// The key without its value.
    key: KeyBody,
}

fn tag(key: ApiKey) -> ResourceTag {
    ResourceTag::of(key.revision, &KeyResponse { key: key.into() })
}

fn issued_response(issued: Issued<ApiKey>) -> HttpResponse {
    let tag = tag(issued.value.clone());
    response::tagged(tag, response::secret(&KeyIssued::from(issued)))
}

#[derive(Deserialize, ToSchema)]
#[schema(example = json!({"label": "Server", "roles": "read"}))]
pub(crate) struct KeyPatch {
    /// New display name: 1 to 100 characters. At least one of `label` and `roles` is required.
    label: Option<String>,
    /// New comma-separated roles: `admin`, `write`, `read`, or individual permissions such as `db:read`.
    roles: Option<String>,
    /// The expiry cannot be changed. If present, it must equal the current one.
    expires_at: Option<String>,
}

impl KeyPatch {
    fn parse(self, mut errors: FieldViolations) -> Result<UpdateKey, Error> {
        if self.label.is_none() && self.roles.is_none() {
            errors.check::<(), _>("label", Err("`label` or `roles` is required"));
        }
        let label = self.label.map(|text| errors.check("label", Label::parse(&text)));
        let roles = self.roles.map(|text| errors.check("roles", KeyRoles::parse(&text)));
        let expires_at = self.expires_at.and_then(|text| errors.check("expires_at", parse_timestamp(&text)));
        errors.finish(Some(UpdateKey { label: label.flatten(), roles: roles.flatten(), expires_at }))
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct KeyUpdated {
    /// The key after the update.
    key: KeyChange,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct KeyChange {
    /// Unique ID of the key.
    id: String,
    /// Display name of the key.
    label: String,
    /// Comma-separated roles of the key.
    #[schema(example = "read")]
    roles: String,
    /// When the key was updated.
    #[schema(format = DateTime)]
    updated_at: String,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeyToVerify {
    /// Value to verify.
    #[schema(example = "stw_sk_ExampleExampleExampleExampleExampleExampleE000000")]
    key: String,
    /// ID of the key that the value must belong to. Without it, any key of the project matches.
    key_id: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct KeyVerification {
    /// Whether the value belongs to a key of this project that has not expired.
    is_valid: bool,
    /// The key with this value. Only present if the value is valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<KeyVerified>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct KeyVerified {
    /// Unique ID of the key.
    id: String,
    /// Display name of the key.
    label: String,
    /// Comma-separated roles of the key.
    #[schema(example = "read")]
    roles: String,
    /// When the key was created.
    #[schema(format = DateTime)]
    created_at: String,
}

/// Verify an API key
///
/// Returns whether a value belongs to a key of this project that has not expired. The previous value of a rotated key
/// is valid during its grace period. The status is 200 even if the value is not valid.
#[utoipa::path(post, path = "/project/{id}/key/verify", tag = "project-keys", request_body = KeyToVerify,
    responses((status = 200, body = KeyVerification, description = "Whether the value is valid.")))]
pub(crate) async fn verify(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, body) = (path.project()?, body.read(unchecked::<KeyToVerify>)?);
    let verified = api.steward.api_keys.verify(&caller.0, project, &Secret::new(body.key)).await?;
    let verified = verified.filter(|key| body.key_id.is_none_or(|id| id == key.id.to_string()));
    let key = verified.map(|key| KeyVerified {
        id: key.id.to_string(),
        label: key.label.to_string(),
        roles: key.roles.to_string(),
        created_at: format_timestamp(key.created_at),
    });
    Ok(response::ok(&KeyVerification { is_valid: key.is_some(), key }))
}

/// Get an API key
///
/// Returns a key without its value.
#[utoipa::path(get, path = "/project/{id}/key/{key_id}", tag = "project-keys",
    responses((status = 200, body = KeyResponse, description = "The key."),
        (status = 304, description = "The key has the ETag in `If-None-Match`.")))]
pub(crate) async fn get(api: web::Data<Api>, caller: Authenticated, path: PathIds) -> Result<HttpResponse, ApiError> {
    let key = api.steward.api_keys.get(&caller.0, path.project()?, path.key()?).await?;
    response::resource(path.request(), ResourceKind::ApiKey, key.revision, &KeyResponse { key: key.into() })
}

/// Update an API key
///
/// Changes the label or the roles of a key; its value stays the same. You can grant only permissions that you have.
#[utoipa::path(patch, path = "/project/{id}/key/{key_id}", tag = "project-keys", request_body = KeyPatch,
    responses((status = 200, body = KeyUpdated, description = "The key after the update.")))]
pub(crate) async fn update(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, id, when) = (path.project()?, path.key()?, precondition::for_write(path.request())?);
    let command = body.ignoring_fields_of::<KeyBody>().read(KeyPatch::parse)?;
    let (key, updated_at) = api.steward.api_keys.update(&caller.0, project, id, command, &when).await?;
    let (id, label, roles) = (key.id.to_string(), key.label.to_string(), key.roles.to_string());
    let change = KeyChange { id, label, roles, updated_at: format_timestamp(updated_at) };
    Ok(response::tagged(tag(key), response::ok(&KeyUpdated { key: change })))
}

/// Delete an API key
///
/// The value of the key stops working immediately.
#[utoipa::path(delete, path = "/project/{id}/key/{key_id}", tag = "project-keys",
    responses((status = 200, body = Message, description = "The key was deleted.")))]
pub(crate) async fn delete(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
) -> Result<HttpResponse, ApiError> {
    let (project, id, when) = (path.project()?, path.key()?, precondition::for_write(path.request())?);
    api.steward.api_keys.delete(&caller.0, project, id, &when).await?;
    Ok(response::ok(&Message { message: "The API key was deleted. Its value no longer works." }))
}

/// Rotate an API key
///
/// Replaces the value of a key; its ID, label and roles stay the same. The old value stops working immediately, unless
/// `grace_seconds` is set. The response contains the new value, which is never returned again. A private key can rotate
/// itself with its current value.
#[utoipa::path(post, path = "/project/{id}/key/{key_id}/regenerate", tag = "project-keys",
    request_body = Option<KeyRegeneration>,
    responses((status = 200, body = KeyIssued, description = "The key with its new value.")))]
pub(crate) async fn regenerate(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, key) = (path.project()?, path.key()?);
    let grace = body.read_if_any(unchecked::<KeyRegeneration>)?.and_then(|body| body.grace_seconds).unwrap_or(0);
    let issued = api.steward.api_keys.regenerate(&caller.0, project, key, grace).await?;
    Ok(issued_response(issued))
}
