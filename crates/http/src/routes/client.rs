//! OAuth clients of projects.

use actix_web::{HttpResponse, web};
use steward_api as wire;
use steward_domain::error::{Error, FieldViolations, ResourceKind};
use steward_domain::model::{
    ClientChanges, ClientInput, ClientKeys, ClientSecret, ImageUse, ProjectClient, RedirectUri, ReplacedValue, Secret,
    ServiceAddress, TokenDigest,
};
use steward_domain::policy::KeyRoles;
use steward_domain::usecases::CreateClient;

use crate::Api;
use crate::error::ApiError;
use crate::extract::body::{JsonBody, unchecked};
use crate::extract::precondition::{self, ResourceTag};
use crate::extract::upload::Upload;
use crate::extract::{Authenticated, PathIds};
use crate::response;
use crate::route::{ApiRoute, routes};

pub(crate) fn routes() -> Vec<ApiRoute> {
    routes! {
        ListClients => list;
        CreateClient => create;
        GetClient => get;
        UpdateClient => update;
        DeleteClient => delete;
        RotateClientSecret => rotate_secret;
        UploadClientLogo => upload_logo;
        DeleteClientLogo => delete_logo;
    }
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

/// Returns a client as GET shows it.
fn shown(client: ProjectClient, api: &Api) -> wire::Data<wire::OAuthClient> {
    wire::Data { data: shown_client(client, &api.steward.address) }
}

fn with_secret(client: ProjectClient, secret: Option<&Secret>, api: &Api) -> wire::Data<wire::OAuthClientWithSecret> {
    let client_secret = secret.map(|secret| secret.expose().into());
    wire::Data { data: wire::OAuthClientWithSecret { client: shown(client, api).data, client_secret } }
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

pub(crate) async fn list(api: web::Data<Api>, caller: Authenticated, path: PathIds) -> Result<HttpResponse, ApiError> {
    let clients = api.steward.clients.list(&caller.0, path.project()?).await?;
    let data: Vec<_> = clients.into_iter().map(|client| shown(client, &api).data).collect();
    Ok(response::ok(&wire::Data { data }))
}

pub(crate) async fn create(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let project = path.project()?;
    let command = body.read(|body: wire::NewOAuthClient, errors| parse_new(&body, errors))?;
    let (client, secret) = api.steward.clients.create(&caller.0, project, command).await?;
    let tag = ResourceTag::of(client.revision, &shown(client.clone(), &api));
    Ok(response::tagged(tag, response::secret_created(&with_secret(client, secret.as_ref(), &api))))
}

pub(crate) async fn get(api: web::Data<Api>, caller: Authenticated, path: PathIds) -> Result<HttpResponse, ApiError> {
    let client = api.steward.clients.get(&caller.0, path.project()?, path.client()?).await?;
    response::resource(path.request(), ResourceKind::Client, client.revision, &shown(client, &api))
}

pub(crate) async fn update(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, id, when) = (path.project()?, path.client()?, precondition::for_write(path.request())?);
    let command = body.with_ids([("id", id.uuid())]);
    let command = command.read_changes(|body: wire::OAuthClientChanges, errors| parse_changes(&body, errors))?;
    let client = api.steward.clients.update(&caller.0, project, id, command, &when).await?;
    Ok(response::changed(client.revision, &shown(client, &api)))
}

pub(crate) async fn delete(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
) -> Result<HttpResponse, ApiError> {
    let (project, id, when) = (path.project()?, path.client()?, precondition::for_write(path.request())?);
    api.steward.clients.delete(&caller.0, project, id, &when).await?;
    Ok(response::ok(&wire::Success { success: true }))
}

pub(crate) async fn rotate_secret(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, id) = (path.project()?, path.client()?);
    let grace = body.read_if_any(unchecked::<wire::ClientSecretRotation>)?.and_then(|body| body.grace_seconds);
    let issued = api.steward.clients.rotate_secret(&caller.0, project, id, grace.unwrap_or(0)).await?;
    let tag = ResourceTag::of(issued.value.revision, &shown(issued.value.clone(), &api));
    Ok(response::tagged(tag, response::secret(&with_secret(issued.value, Some(&issued.secret), &api))))
}

pub(crate) async fn upload_logo(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    upload: Upload,
) -> Result<HttpResponse, ApiError> {
    let (project, id) = (path.project()?, path.client()?);
    let client = api.steward.clients.upload_logo(&caller.0, project, id, upload.file(ImageUse::Logo)).await?;
    Ok(response::changed(client.revision, &shown(client, &api)))
}

pub(crate) async fn delete_logo(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
) -> Result<HttpResponse, ApiError> {
    let (project, id, when) = (path.project()?, path.client()?, precondition::for_write(path.request())?);
    api.steward.clients.delete_logo(&caller.0, project, id, &when).await?;
    Ok(response::ok(&wire::Success { success: true }))
}
