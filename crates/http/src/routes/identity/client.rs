//! OAuth clients of projects.

use steward_api::{self as wire, Operation};
use steward_domain::administration::ImageUse;
use steward_domain::identity::{
    ClientChanges, ClientInput, ClientKeys, ClientSecret, CreateClient, ProjectClient, RedirectUri,
};
use steward_domain::kernel::error::{Error, FieldViolations};
use steward_domain::kernel::policy::KeyRoles;
use steward_domain::kernel::{ReplacedValue, Secret, ServiceAddress, TokenDigest};

use crate::extract::path::Ids;
use crate::route::serve;
use crate::serve::{Call, Outcome, Tag};

serve! {
    ListClients => list;
    CreateClient => create;
    GetClient => get;
    UpdateClient => update;
    DeleteClient => delete;
    RotateClientSecret => rotate_secret;
    UploadClientLogo => upload_logo;
    DeleteClientLogo => delete_logo;
}

fn shown_client(client: ProjectClient, address: &ServiceAddress) -> wire::OAuthClient {
    let (client_type, logo_url, settings) = (client.client_type(), client.logo_url(address), client.settings);
    wire::OAuthClient {
        id: client.id.uuid().into(),
        client_type: client_type.as_str().into(),
        name: settings.name.to_string(),
        grant_types: settings.grant_types.names().map(str::to_owned).collect(),
        redirect_uris: settings.redirect_uris.iter().map(RedirectUri::to_string).collect(),
        scope: settings.scopes.to_string(),
        roles: settings.roles.as_ref().map(KeyRoles::to_string),
        require_pkce: settings.require_pkce,
        skip_consent: settings.skip_consent,
        jwks: settings.keys.as_ref().map(ClientKeys::to_object),
        require_dpop: settings.require_dpop,
        require_pushed_requests: settings.require_pushed_requests,
        access_token_seconds: settings.access_token_seconds,
        sign_in_seconds: settings.sign_in_seconds,
        logo_url,
        registered_itself: client.registered_itself,
        secret: client.secret.map(shown_secret),
        created_at: client.created_at.into(),
    }
}

fn shown_secret(secret: ClientSecret) -> wire::OAuthClientSecret {
    wire::OAuthClientSecret {
        last_used: secret.last_use().map(Into::into),
        current_last_used: secret.last_used.map(Into::into),
        hint: secret.hint,
        previous: secret.replaced.previous.map(shown_replaced),
        earlier: secret.replaced.earlier.map(shown_replaced),
    }
}

fn shown_replaced(value: ReplacedValue<TokenDigest>) -> wire::PreviousOAuthClientSecret {
    wire::PreviousOAuthClientSecret { expires_at: value.expires_at.into(), last_used: value.last_used.map(Into::into) }
}

/// Returns the settings in the body of a request. Both bodies have these fields.
macro_rules! input {
    ($body:ident, $name:expr) => {
        ClientInput {
            name: $name,
            grant_types: $body.grant_types.as_deref(),
            redirect_uris: $body.redirect_uris.as_deref(),
            scope: $body.scope.as_deref(),
            roles: $body.roles.as_deref(),
            require_pkce: $body.require_pkce,
            skip_consent: $body.skip_consent,
            jwks: $body.jwks.as_ref(),
            require_dpop: $body.require_dpop,
            require_pushed_requests: $body.require_pushed_requests,
            access_token_seconds: $body.access_token_seconds,
            sign_in_seconds: $body.sign_in_seconds,
        }
    };
}

fn parse_new(body: &wire::NewOAuthClient, errors: FieldViolations) -> Result<CreateClient, Error> {
    CreateClient::parse(&body.client_type, &input!(body, Some(&body.name)), errors)
}

fn parse_changes(body: &wire::OAuthClientChanges, mut errors: FieldViolations) -> Result<ClientChanges, Error> {
    let changes = ClientChanges::parse(&input!(body, body.name.as_deref()), &mut errors);
    errors.finish(Some(changes))
}

/// Returns a client with its secret, and the entity tag of what GET shows.
fn with_secret<O>(call: &Call<O>, client: ProjectClient, secret: Option<&Secret>) -> Outcome<O>
where
    O: Operation<Path: Ids, Response = wire::Data<wire::OAuthClientWithSecret>, Resource = wire::OAuthClient>,
{
    let (revision, client) = (client.revision, shown_client(client, &call.api.steward.address));
    let client_secret = secret.map(|secret| secret.expose().into());
    call.about(Tag::of(revision, &client), wire::OAuthClientWithSecret { client, client_secret })
}

async fn list(call: Call<wire::ListClients>) -> Outcome<wire::ListClients> {
    let clients = call.api.steward.clients.list(&call.caller, call.path).await?.into_iter();
    call.reply(clients.map(|client| shown_client(client, &call.api.steward.address)).collect::<Vec<_>>())
}

async fn create(call: Call<wire::CreateClient>) -> Outcome<wire::CreateClient> {
    let command = call.body()?.read(|body, errors| parse_new(&body, errors))?;
    let (client, secret) = call.api.steward.clients.create(&call.caller, call.path, command).await?;
    with_secret(&call, client, secret.as_ref())
}

async fn get(call: Call<wire::GetClient>) -> Outcome<wire::GetClient> {
    let (project, id) = call.path;
    let client = call.api.steward.clients.get(&call.caller, project, id).await?;
    call.shows(client.revision, shown_client(client, &call.api.steward.address))
}

async fn update(call: Call<wire::UpdateClient>) -> Outcome<wire::UpdateClient> {
    let (project, id) = call.path;
    let command = call.body()?.with_id("id", id.uuid()).read_changes(|body, errors| parse_changes(&body, errors))?;
    let client = call.api.steward.clients.update(&call.caller, project, id, command, call.when()).await?;
    call.shows(client.revision, shown_client(client, &call.api.steward.address))
}

async fn delete(call: Call<wire::DeleteClient>) -> Outcome<wire::DeleteClient> {
    let (project, id) = call.path;
    call.api.steward.clients.delete(&call.caller, project, id, call.when()).await?;
    call.done()
}

async fn rotate_secret(call: Call<wire::RotateClientSecret>) -> Outcome<wire::RotateClientSecret> {
    let (project, id) = call.path;
    let grace = call.body()?.read_if_any()?.and_then(|body| body.grace_seconds).unwrap_or(0);
    let issued = call.api.steward.clients.rotate_secret(&call.caller, project, id, grace).await?;
    with_secret(&call, issued.value, Some(&issued.secret))
}

async fn upload_logo(call: Call<wire::UploadClientLogo>) -> Outcome<wire::UploadClientLogo> {
    let (project, id) = call.path;
    let client = call.api.steward.clients.upload_logo(&call.caller, project, id, call.image(ImageUse::Logo)).await?;
    call.shows(client.revision, shown_client(client, &call.api.steward.address))
}

async fn delete_logo(call: Call<wire::DeleteClientLogo>) -> Outcome<wire::DeleteClientLogo> {
    let (project, id) = call.path;
    call.api.steward.clients.delete_logo(&call.caller, project, id, call.when()).await?;
    call.done()
}
