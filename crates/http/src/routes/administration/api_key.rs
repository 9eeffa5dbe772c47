//! API keys of a project (docs/contract.md#api-keys).

use steward_api as wire;
use steward_domain::administration::{ApiKey, CreateKey, UpdateKey};
use steward_domain::kernel::error::{Error, FieldViolations};
use steward_domain::kernel::policy::KeyRoles;
use steward_domain::kernel::{ApiKeyId, Caller, Issued, KeyDigest, Label, ReplacedValue, Secret};

use crate::extract::body::{parse_timestamp, unchecked};
use crate::route::serve;
use crate::serve::{Cached, Call, Outcome, Tag};

serve! {
    ListKeys => list;
    CreateKey => create;
    VerifyKey => verify;
    GetKey => get;
    UpdateKey => update;
    DeleteKey => delete;
    RegenerateKey => regenerate;
    RevokePreviousKeyValues => revoke_previous;
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
    let is_private = body.is_private.unwrap_or(true);
    errors.finish(label.zip(roles).map(|(label, roles)| CreateKey { label, roles, is_private, expires_at }))
}

fn issued_key(issued: Issued<ApiKey>) -> wire::IssuedKey {
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

fn tag(key: ApiKey) -> Tag<wire::ShownKey> {
    Tag::of(key.revision, &wire::ShownKey { key: shown_key(key) })
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

async fn list(call: Call<wire::ListKeys>) -> Outcome<wire::ListKeys> {
    let project = call.path;
    call.list(shown_key, async move |steward, caller, page| steward.api_keys.list(&caller, project, &page).await).await
}

async fn create(call: Call<wire::CreateKey>) -> Outcome<wire::CreateKey> {
    let command = call.body()?.read(parse_new_key)?;
    let issued = call.api.steward.api_keys.create(&call.caller, call.path, command).await?;
    call.about(tag(issued.value.clone()), issued_key(issued))
}

async fn verify(call: Call<wire::VerifyKey, Cached>) -> Outcome<wire::VerifyKey> {
    let body = call.body()?.read(unchecked)?;
    let value = Secret::new(body.key.expose().to_owned());
    let verify = async |caller: &Caller| call.api.steward.api_keys.verify(caller, call.path, &value).await;
    let verified = call.run_as_caller(verify).await?;
    let verified = verified.filter(|key| body.key_id.is_none_or(|id| ApiKeyId::parse(&id) == Some(key.id)));
    let key = verified.map(|key| wire::VerifiedKey { summary: summary(&key), created_at: key.created_at.into() });
    call.reply(wire::KeyVerification { is_valid: key.is_some(), key })
}

async fn get(call: Call<wire::GetKey>) -> Outcome<wire::GetKey> {
    let (project, id) = call.path;
    let key = call.api.steward.api_keys.get(&call.caller, project, id).await?;
    call.shows(key.revision, wire::ShownKey { key: shown_key(key) })
}

async fn update(call: Call<wire::UpdateKey>) -> Outcome<wire::UpdateKey> {
    let (project, id) = call.path;
    let command = call.body()?.with_id("id", id.uuid()).read(parse_key_changes)?;
    let (key, updated_at) = call.api.steward.api_keys.update(&call.caller, project, id, command, call.when()).await?;
    let change = wire::UpdatedKey { summary: summary(&key), updated_at: updated_at.into() };
    call.about(tag(key), wire::ChangedKey { key: change })
}

async fn delete(call: Call<wire::DeleteKey>) -> Outcome<wire::DeleteKey> {
    let (project, id) = call.path;
    call.api.steward.api_keys.delete(&call.caller, project, id, call.when()).await?;
    call.reply(wire::Message { message: "The API key was deleted. Its value no longer works.".into() })
}

async fn regenerate(call: Call<wire::RegenerateKey>) -> Outcome<wire::RegenerateKey> {
    let (project, id) = call.path;
    let grace = call.body()?.read_if_any()?.and_then(|body| body.grace_seconds).unwrap_or(0);
    let issued = call.api.steward.api_keys.regenerate(&call.caller, project, id, grace).await?;
    call.about(tag(issued.value.clone()), issued_key(issued))
}

async fn revoke_previous(call: Call<wire::RevokePreviousKeyValues>) -> Outcome<wire::RevokePreviousKeyValues> {
    let (project, id) = call.path;
    let key = call.api.steward.api_keys.revoke_previous(&call.caller, project, id, call.when()).await?;
    call.shows(key.revision, wire::ShownKey { key: shown_key(key) })
}
