//! Identity providers of projects.

use steward_api as wire;
use steward_domain::identity::{
    CreateIdentityProvider, IdentityProvider, ProviderClientId, ProviderInput, UpdateIdentityProvider,
    parse_client_secret,
};
use steward_domain::kernel::error::{Error, FieldViolations};
use steward_domain::kernel::{Label, Secret};

use crate::Api;
use crate::route::serve;
use crate::serve::{Call, Outcome};

serve! {
    ListIdentityProviders => list;
    CreateIdentityProvider => create;
    GetIdentityProvider => get;
    UpdateIdentityProvider => update;
    DeleteIdentityProvider => delete;
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

async fn list(call: Call<wire::ListIdentityProviders>) -> Outcome<wire::ListIdentityProviders> {
    let providers = call.api.steward.identity_providers.list(&call.caller, Some(call.path)).await?.into_iter();
    call.reply(providers.map(|provider| shown_provider(provider, &call.api)).collect::<Vec<_>>())
}

async fn create(call: Call<wire::CreateIdentityProvider>) -> Outcome<wire::CreateIdentityProvider> {
    let command = call.body()?.read(|body, errors| parse_new(&body, errors, &call.api))?;
    let provider = call.api.steward.identity_providers.create(&call.caller, Some(call.path), command).await?;
    call.shows(provider.revision, shown_provider(provider, &call.api))
}

async fn get(call: Call<wire::GetIdentityProvider>) -> Outcome<wire::GetIdentityProvider> {
    let (project, id) = call.path;
    let provider = call.api.steward.identity_providers.get(&call.caller, Some(project), id).await?;
    call.shows(provider.revision, shown_provider(provider, &call.api))
}

async fn update(call: Call<wire::UpdateIdentityProvider>) -> Outcome<wire::UpdateIdentityProvider> {
    let ((project, id), providers) = (call.path, &call.api.steward.identity_providers);
    let command = call.body()?.with_id("id", id.uuid()).read_changes(|body, errors| parse_changes(&body, errors))?;
    let provider = providers.update(&call.caller, Some(project), id, command, call.when()).await?;
    call.shows(provider.revision, shown_provider(provider, &call.api))
}

async fn delete(call: Call<wire::DeleteIdentityProvider>) -> Outcome<wire::DeleteIdentityProvider> {
    let (project, id) = call.path;
    call.api.steward.identity_providers.delete(&call.caller, Some(project), id, call.when()).await?;
    call.done()
}
