//! Identity providers of projects.

use actix_web::{HttpResponse, web};
use steward_api as wire;
use steward_domain::error::{Error, FieldViolations, ResourceKind};
use steward_domain::model::{IdentityProvider, Label, ProviderClientId, Secret, parse_client_secret};
use steward_domain::usecases::{CreateIdentityProvider, ProviderInput, UpdateIdentityProvider};

use crate::Api;
use crate::error::ApiError;
use crate::extract::body::JsonBody;
use crate::extract::precondition::{self, ResourceTag};
use crate::extract::{Authenticated, PathIds};
use crate::response;
use crate::route::{ApiRoute, routes};

pub(crate) fn routes() -> Vec<ApiRoute> {
    routes! {
        ListIdentityProviders => list;
        CreateIdentityProvider => create;
        GetIdentityProvider => get;
        UpdateIdentityProvider => update;
        DeleteIdentityProvider => delete;
    }
}

fn shown_provider(provider: IdentityProvider, api: &Api) -> wire::IdentityProvider {
    wire::IdentityProvider {
        id: provider.id.uuid().into(),
        kind: provider.kind.as_str().into(),
        name: provider.name.to_string(),
        issuer: provider.issuer.as_str().to_owned(),
        client_id: provider.client_id.as_str().to_owned(),
        has_client_secret: provider.client_secret.is_some(),
        is_enabled: provider.is_enabled,
        redirect_uri: api.steward.identity_providers.redirect_uri(provider.id),
        created_at: provider.created_at.into(),
    }
}

/// Returns a provider as GET shows it.
fn shown(provider: IdentityProvider, api: &Api) -> wire::Data<wire::IdentityProvider> {
    wire::Data { data: shown_provider(provider, api) }
}

fn secret(given: Option<&wire::Secret>) -> Option<Secret> {
    given.map(|secret| Secret::new(secret.expose().to_owned()))
}

fn parse_new(
    body: &wire::NewIdentityProvider,
    errors: FieldViolations,
    api: &Api,
) -> Result<CreateIdentityProvider, Error> {
    let input = ProviderInput {
        kind: &body.kind,
        name: body.name.as_deref(),
        issuer: body.issuer.as_deref(),
        client_id: &body.client_id,
        client_secret: secret(body.client_secret.as_ref()),
        email_domains: &[],
    };
    CreateIdentityProvider::parse(input, true, api.allow_private_webhooks, errors)
}

fn parse_changes(
    body: &wire::IdentityProviderChanges,
    mut errors: FieldViolations,
) -> Result<UpdateIdentityProvider, Error> {
    let client_secret = secret(body.client_secret.as_ref()).map(|secret| parse_client_secret(&secret));
    let command = UpdateIdentityProvider {
        name: errors.check_given("name", body.name.as_deref(), Label::parse),
        client_id: errors.check_given("client_id", body.client_id.as_deref(), ProviderClientId::parse),
        client_secret: client_secret.and_then(|secret| errors.check("client_secret", secret)),
        email_domains: None,
        is_enabled: body.is_enabled,
    };
    errors.finish(Some(command))
}

pub(crate) async fn list(api: web::Data<Api>, caller: Authenticated, path: PathIds) -> Result<HttpResponse, ApiError> {
    let providers = api.steward.identity_providers.list(&caller.0, Some(path.project()?)).await?;
    let data: Vec<_> = providers.into_iter().map(|provider| shown_provider(provider, &api)).collect();
    Ok(response::ok(&wire::Data { data }))
}

pub(crate) async fn create(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let project = path.project()?;
    let command = body.read(|body: wire::NewIdentityProvider, errors| parse_new(&body, errors, &api))?;
    let provider = api.steward.identity_providers.create(&caller.0, Some(project), command).await?;
    let (revision, body) = (provider.revision, shown(provider, &api));
    Ok(response::tagged(ResourceTag::of(revision, &body), response::created(&body)))
}

pub(crate) async fn get(api: web::Data<Api>, caller: Authenticated, path: PathIds) -> Result<HttpResponse, ApiError> {
    let (project, id) = (path.project()?, path.identity_provider()?);
    let provider = api.steward.identity_providers.get(&caller.0, Some(project), id).await?;
    let revision = provider.revision;
    response::resource(path.request(), ResourceKind::IdentityProvider, revision, &shown(provider, &api))
}

pub(crate) async fn update(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, id, when) = (path.project()?, path.identity_provider()?, precondition::for_write(path.request())?);
    let command = body.with_ids([("id", id.uuid())]);
    let command = command.read_changes(|body: wire::IdentityProviderChanges, errors| parse_changes(&body, errors))?;
    let provider = api.steward.identity_providers.update(&caller.0, Some(project), id, command, &when).await?;
    let (revision, body) = (provider.revision, shown(provider, &api));
    Ok(response::changed(revision, &body))
}

pub(crate) async fn delete(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
) -> Result<HttpResponse, ApiError> {
    let (project, id, when) = (path.project()?, path.identity_provider()?, precondition::for_write(path.request())?);
    api.steward.identity_providers.delete(&caller.0, Some(project), id, &when).await?;
    Ok(response::ok(&wire::Success { success: true }))
}
