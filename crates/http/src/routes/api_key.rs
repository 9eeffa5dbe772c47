//! API keys of a project (docs/contract.md#api-keys).

use std::sync::Arc;

use actix_web::{HttpResponse, web};
use steward_api as wire;
use steward_domain::error::{Error, FieldViolations, ResourceKind};
use steward_domain::model::{ApiKey, ApiKeyId, Caller, Issued, KeyDigest, Label, ReplacedValue, Secret};
use steward_domain::policy::KeyRoles;
use steward_domain::usecases::{CreateKey, Steward, UpdateKey};

use crate::Api;
use crate::error::ApiError;
use crate::extract::body::{JsonBody, parse_timestamp, unchecked};
use crate::extract::precondition::{self, ResourceTag};
use crate::extract::{Authenticated, CachedCaller, PathIds, Query};
use crate::response;
use crate::route::{ApiRoute, routes};
use crate::streamed;

pub(crate) fn routes() -> Vec<ApiRoute> {
    routes! {
        ListKeys => list;
        CreateKey => create;
        VerifyKey => verify;
        GetKey => get;
        UpdateKey => update;
        DeleteKey => delete;
        RegenerateKey => regenerate;
    }
}

fn summary(key: &ApiKey) -> wire::KeySummary {
    wire::KeySummary { id: key.id.uuid().into(), label: key.label.to_string(), roles: key.roles.to_string() }
}

fn shown_value(value: ReplacedValue<KeyDigest>) -> wire::PreviousKeyValue {
    wire::PreviousKeyValue { expires_at: value.expires_at.into(), last_used: value.last_used.map(Into::into) }
}

fn shown_key(key: ApiKey) -> wire::Key {
    let last_used = key.last_use().map(Into::into);
    wire::Key {
        id: key.id.uuid().into(),
        label: key.label.to_string(),
        roles: key.roles.to_string(),
        is_private: key.is_private,
        created_at: key.created_at.into(),
        last_used,
        current_last_used: key.last_used.map(Into::into),
        expires_at: key.expires_at.map(Into::into),
        hint: key.hint,
        previous: key.replaced.previous.map(shown_value),
        earlier: key.replaced.earlier.map(shown_value),
    }
}

fn parse_new_key(body: wire::NewKey, mut errors: FieldViolations) -> Result<CreateKey, Error> {
    let label = errors.check("label", Label::parse(&body.label));
    let roles = errors.check("roles", KeyRoles::parse(&body.roles));
    let expires_at = errors.check_given("expires_at", body.expires_at.as_deref(), parse_timestamp);
    errors.finish(label.zip(roles).map(|(label, roles)| CreateKey {
        label,
        roles,
        is_private: body.is_private.unwrap_or(true),
        expires_at,
    }))
}

pub(crate) fn issued_key(issued: Issued<ApiKey>) -> wire::IssuedKey {
    let key = issued.value;
    wire::IssuedKey {
        key: wire::KeyWithValue {
            summary: summary(&key),
            value: issued.secret.expose().into(),
            is_private: key.is_private,
            created_at: key.created_at.into(),
        },
    }
}

pub(crate) async fn list(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let project = path.project()?;
    let read = async move |steward: Arc<Steward>, caller, page| steward.api_keys.list(&caller, project, &page).await;
    streamed::list(&api, &caller, path.request(), query.page()?, read, shown_key).await
}

pub(crate) async fn create(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, command) = (path.project()?, body.read(parse_new_key)?);
    let issued = api.steward.api_keys.create(&caller.0, project, command).await?;
    Ok(issued_response(issued))
}

fn tag(key: ApiKey) -> ResourceTag {
    ResourceTag::of(key.revision, &wire::ShownKey { key: shown_key(key) })
}

fn issued_response(issued: Issued<ApiKey>) -> HttpResponse {
    let tag = tag(issued.value.clone());
    response::tagged(tag, response::secret(&issued_key(issued)))
}

fn parse_key_changes(body: wire::KeyChanges, mut errors: FieldViolations) -> Result<UpdateKey, Error> {
    if body.label.is_none() && body.roles.is_none() {
        errors.check::<(), _>("label", Err("`label` or `roles` is required"));
    }
    let command = UpdateKey {
        label: errors.check_given("label", body.label.as_deref(), Label::parse),
        roles: errors.check_given("roles", body.roles.as_deref(), KeyRoles::parse),
        expires_at: errors.check_given("expires_at", body.expires_at.as_deref(), parse_timestamp),
    };
    errors.finish(Some(command))
}

pub(crate) async fn verify(
    api: web::Data<Api>,
    caller: CachedCaller,
    path: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, body) = (path.project()?, body.read(unchecked::<wire::KeyToVerify>)?);
    let value = Secret::new(body.key.expose().to_owned());
    let verify = async |caller: &Caller| api.steward.api_keys.verify(caller, project, &value).await;
    let verified = caller.run_as_caller(verify).await?;
    let verified = verified.filter(|key| body.key_id.is_none_or(|id| ApiKeyId::parse(&id) == Some(key.id)));
    let key = verified.map(|key| wire::VerifiedKey { summary: summary(&key), created_at: key.created_at.into() });
    Ok(response::ok(&wire::KeyVerification { is_valid: key.is_some(), key }))
}

pub(crate) async fn get(api: web::Data<Api>, caller: Authenticated, path: PathIds) -> Result<HttpResponse, ApiError> {
    let key = api.steward.api_keys.get(&caller.0, path.project()?, path.key()?).await?;
    response::resource(path.request(), ResourceKind::ApiKey, key.revision, &wire::ShownKey { key: shown_key(key) })
}

pub(crate) async fn update(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, id, when) = (path.project()?, path.key()?, precondition::for_write(path.request())?);
    let command = body.with_ids([("id", id.uuid())]).read(parse_key_changes)?;
    let (key, updated_at) = api.steward.api_keys.update(&caller.0, project, id, command, &when).await?;
    let change = wire::UpdatedKey { summary: summary(&key), updated_at: updated_at.into() };
    Ok(response::tagged(tag(key), response::ok(&wire::ChangedKey { key: change })))
}

pub(crate) async fn delete(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
) -> Result<HttpResponse, ApiError> {
    let (project, id, when) = (path.project()?, path.key()?, precondition::for_write(path.request())?);
    api.steward.api_keys.delete(&caller.0, project, id, &when).await?;
    Ok(response::ok(&wire::Message { message: "The API key was deleted. Its value no longer works.".into() }))
}

pub(crate) async fn regenerate(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, key) = (path.project()?, path.key()?);
    let grace = body.read_if_any(unchecked::<wire::KeyRegeneration>)?.and_then(|body| body.grace_seconds).unwrap_or(0);
    let issued = api.steward.api_keys.regenerate(&caller.0, project, key, grace).await?;
    Ok(issued_response(issued))
}
