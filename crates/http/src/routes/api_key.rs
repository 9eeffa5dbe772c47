//! API keys of projects (contract 5).

use std::sync::Arc;

use actix_web::http::Method;
use actix_web::{HttpResponse, web};
use serde::{Deserialize, Serialize};
use steward_domain::error::{Error, FieldViolations};
use steward_domain::model::{ApiKey, Issued, Label, Secret};
use steward_domain::policy::KeyRoles;
use steward_domain::usecases::{CreateKey, Steward, UpdateKey};
use utoipa::ToSchema;

use super::{Address, at};
use crate::Api;
use crate::answer::{self, Listing, Message, moment};
use crate::body::{JsonBody, parse_timestamp, whole};
use crate::error::{ApiError, ErrorBody};
use crate::extract::page::PageParameters;
use crate::extract::{Authenticated, PathIds, Query};
use crate::streamed;

pub(crate) fn mount(routes: &mut Vec<Address>) {
    at("/project/{id}/key").get(list).on(Method::POST, create).mount(routes);
    at("/project/{id}/key/verify").on(Method::POST, verify).mount(routes);
    at("/project/{id}/key/{key_id}").get(get).on(Method::PATCH, update).on(Method::DELETE, delete).mount(routes);
    at("/project/{id}/key/{key_id}/regenerate").on(Method::POST, regenerate).mount(routes);
}

#[derive(Serialize, ToSchema)]
pub(crate) struct KeyListed {
    id: String,
    label: String,
    roles: String,
    is_private: bool,
    #[schema(format = DateTime)]
    created_at: String,
    /// When its present value was last used, exact to a minute; null before.
    #[schema(format = DateTime)]
    last_used: Option<String>,
    #[schema(format = DateTime)]
    expires_at: Option<String>,
    /// Prefix and last characters of the value.
    hint: String,
    /// The value before, while it still works.
    #[serde(skip_serializing_if = "Option::is_none")]
    previous: Option<PreviousShown>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct PreviousShown {
    #[schema(format = DateTime)]
    expires_at: String,
    /// When it was last used, exact to a minute; null before.
    #[schema(format = DateTime)]
    last_used: Option<String>,
}

impl From<ApiKey> for KeyListed {
    fn from(key: ApiKey) -> Self {
        Self {
            id: key.id.to_string(),
            label: key.label.to_string(),
            roles: key.roles.to_string(),
            is_private: key.is_private,
            created_at: moment(key.created_at),
            last_used: key.last_used.map(moment),
            expires_at: key.expires_at.map(moment),
            hint: key.hint,
            previous: key.previous.map(|previous| PreviousShown {
                expires_at: moment(previous.expires_at),
                last_used: previous.last_used.map(moment),
            }),
        }
    }
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct CreateKeyBody {
    label: String,
    /// Comma-separated: `admin`, `write`, `read`, or permissions.
    roles: String,
    /// `false` for a key that browsers may see; it may only read.
    is_private: Option<bool>,
    #[schema(format = DateTime)]
    expires_at: Option<String>,
}

impl CreateKeyBody {
    fn parse(self, mut errors: FieldViolations) -> Result<CreateKey, Error> {
        let label = errors.note("label", Label::parse(&self.label));
        let roles = errors.note("roles", KeyRoles::parse(&self.roles));
        let expires_at = self.expires_at.map(|text| errors.note("expires_at", parse_timestamp(&text)));
        errors.or(label.zip(roles).map(|(label, roles)| CreateKey {
            label,
            roles,
            is_private: self.is_private.unwrap_or(true),
            expires_at: expires_at.flatten(),
        }))
    }
}

/// Nothing needs to be sent.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RegenerateKeyBody {
    /// How long the old value goes on working; without it, not at all.
    #[schema(minimum = 0, maximum = 86_400)]
    grace_seconds: Option<u32>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct KeyIssued {
    key: KeyWithValue,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct KeyWithValue {
    id: String,
    label: String,
    roles: String,
    /// The secret. It is shown here and never again.
    value: String,
    is_private: bool,
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
                created_at: moment(key.created_at),
            },
        }
    }
}

/// List a project's keys, without their values
#[utoipa::path(get, path = "/project/{id}/key", operation_id = "listKeys", tag = "project-keys",
    params(("id" = String, Path), PageParameters), responses((status = 200, body = inline(Listing<KeyListed>))))]
pub(crate) async fn list(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let project = named.project()?;
    let read = async move |steward: Arc<Steward>, caller, page| steward.api_keys.list(&caller, project, &page).await;
    streamed::list(&api, &caller, named.request(), query.page()?, read, KeyListed::from).await
}

/// Make a key
#[utoipa::path(post, path = "/project/{id}/key", operation_id = "createKey", tag = "project-keys",
    params(("id" = String, Path)), request_body = CreateKeyBody, responses((status = 200, body = KeyIssued)))]
pub(crate) async fn create(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, command) = (named.project()?, body.of_entity::<KeyListed>().read(CreateKeyBody::parse)?);
    let issued = api.steward.api_keys.create(&caller.0, project, command).await?;
    Ok(answer::secret(&KeyIssued::from(issued)))
}

#[derive(Serialize, ToSchema)]
pub(crate) struct KeyShown {
    key: KeyListed,
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct UpdateKeyBody {
    label: Option<String>,
    /// Comma-separated: `admin`, `write`, `read`, or permissions.
    roles: Option<String>,
    /// Cannot be changed: as it was read, or left out.
    expires_at: Option<String>,
}

impl UpdateKeyBody {
    fn parse(self, mut errors: FieldViolations) -> Result<UpdateKey, Error> {
        if self.label.is_none() && self.roles.is_none() {
            errors.note::<(), _>("label", Err("send a label, roles, or both"));
        }
        let label = self.label.map(|text| errors.note("label", Label::parse(&text)));
        let roles = self.roles.map(|text| errors.note("roles", KeyRoles::parse(&text)));
        let expires_at = self.expires_at.and_then(|text| errors.note("expires_at", parse_timestamp(&text)));
        errors.or(Some(UpdateKey { label: label.flatten(), roles: roles.flatten(), expires_at }))
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct KeyUpdated {
    key: KeyChange,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct KeyChange {
    id: String,
    label: String,
    roles: String,
    #[schema(format = DateTime)]
    updated_at: String,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VerifyKeyBody {
    /// The value that somebody presented.
    key: String,
    /// The key that it should be of.
    key_id: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct KeyVerification {
    is_valid: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<KeyVerified>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct KeyVerified {
    id: String,
    label: String,
    roles: String,
    #[schema(format = DateTime)]
    created_at: String,
}

/// Tell whether a value is of a key of this project that is good
#[utoipa::path(post, path = "/project/{id}/key/verify", operation_id = "verifyKey", tag = "project-keys",
    params(("id" = String, Path)), request_body = VerifyKeyBody, responses((status = 200, body = KeyVerification)))]
pub(crate) async fn verify(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, body) = (named.project()?, body.read(whole::<VerifyKeyBody>)?);
    let found = api.steward.api_keys.verify(&caller.0, project, &Secret::new(body.key)).await?;
    let found = found.filter(|key| body.key_id.is_none_or(|id| id == key.id.to_string()));
    let key = found.map(|key| KeyVerified {
        id: key.id.to_string(),
        label: key.label.to_string(),
        roles: key.roles.to_string(),
        created_at: moment(key.created_at),
    });
    Ok(answer::ok(&KeyVerification { is_valid: key.is_some(), key }))
}

/// Read a key, without its value
#[utoipa::path(get, path = "/project/{id}/key/{key_id}", operation_id = "getKey", tag = "project-keys",
    params(("id" = String, Path), ("key_id" = String, Path)), responses((status = 200, body = KeyShown)))]
pub(crate) async fn get(api: web::Data<Api>, caller: Authenticated, named: PathIds) -> Result<HttpResponse, ApiError> {
    let key = api.steward.api_keys.get(&caller.0, named.project()?, named.key()?).await?;
    Ok(answer::ok(&KeyShown { key: KeyListed::from(key) }))
}

/// Change a key's label or roles
#[utoipa::path(patch, path = "/project/{id}/key/{key_id}", operation_id = "updateKey", tag = "project-keys",
    params(("id" = String, Path), ("key_id" = String, Path)), request_body = UpdateKeyBody,
    responses((status = 200, body = KeyUpdated), (status = 409, body = ErrorBody)))]
pub(crate) async fn update(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, id, command) =
        (named.project()?, named.key()?, body.of_entity::<KeyListed>().read(UpdateKeyBody::parse)?);
    let (key, at) = api.steward.api_keys.update(&caller.0, project, id, command).await?;
    let (id, label, roles) = (key.id.to_string(), key.label.to_string(), key.roles.to_string());
    Ok(answer::ok(&KeyUpdated { key: KeyChange { id, label, roles, updated_at: moment(at) } }))
}

/// Remove a key; its value stops at once
#[utoipa::path(delete, path = "/project/{id}/key/{key_id}", operation_id = "deleteKey", tag = "project-keys",
    params(("id" = String, Path), ("key_id" = String, Path)),
    responses((status = 200, body = Message), (status = 409, body = ErrorBody)))]
pub(crate) async fn delete(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
) -> Result<HttpResponse, ApiError> {
    api.steward.api_keys.delete(&caller.0, named.project()?, named.key()?).await?;
    Ok(answer::ok(&Message { message: "the key is deleted; its value does not work any more" }))
}

/// Give a key a new value, keeping its label and roles
#[utoipa::path(post, path = "/project/{id}/key/{key_id}/regenerate", operation_id = "regenerateKey",
    tag = "project-keys", params(("id" = String, Path), ("key_id" = String, Path)),
    request_body = Option<RegenerateKeyBody>,
    responses((status = 200, body = KeyIssued), (status = 409, body = ErrorBody)))]
pub(crate) async fn regenerate(
    api: web::Data<Api>,
    caller: Authenticated,
    named: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, key) = (named.project()?, named.key()?);
    let grace = body.read_if_any(whole::<RegenerateKeyBody>)?.and_then(|body| body.grace_seconds).unwrap_or(0);
    let issued = api.steward.api_keys.regenerate(&caller.0, project, key, grace).await?;
    Ok(answer::secret(&KeyIssued::from(issued)))
}
