//! Registration of OAuth clients by themselves (RFC 7591).

use serde_json::Value;
use steward_api as wire;
use steward_domain::identity::{ClientKeys, ClientMetadata, GrantType, ProjectClient, RedirectUri};
use steward_domain::kernel::Secret;
use steward_domain::kernel::error::{Error, ErrorCode, OAuthError};

use crate::error::ApiError;
use crate::extract::authenticated;
use crate::extract::body::JsonBody;
use crate::extract::caller::credential;
use crate::route::serve;
use crate::serve::{Anyone, Call, Outcome};

serve! {
    RegisterClient => register;
}

/// Reads the metadata. Members that this service does not use are ignored (RFC 7591 §2).
fn metadata(body: JsonBody<wire::ClientRegistration>) -> Result<ClientMetadata, ApiError> {
    let members = body.object().map_err(ApiError::into_oauth)?;
    let read: wire::ClientRegistration = serde_json::from_value(Value::Object(members))
        .map_err(|error| Error::from(OAuthError::new(ErrorCode::InvalidClientMetadata, format_args!("{error}."))))
        .map_err(into_oauth)?;
    Ok(ClientMetadata {
        client_name: read.client_name,
        redirect_uris: read.redirect_uris.unwrap_or_default(),
        token_endpoint_auth_method: read.token_endpoint_auth_method,
        grant_types: read.grant_types,
        response_types: read.response_types,
        scope: read.scope,
        jwks: read.jwks,
        jwks_uri: read.jwks_uri,
        dpop_bound_access_tokens: read.dpop_bound_access_tokens,
        require_pushed_authorization_requests: read.require_pushed_authorization_requests,
    })
}

fn into_oauth(error: Error) -> ApiError {
    ApiError::from(error).into_oauth()
}

/// `method`: the one that the client asked for. A confidential client can use both ways to send its secret.
fn information(client: ProjectClient, secret: Option<Secret>, method: Option<String>) -> wire::ClientInformation {
    let settings = client.settings;
    let has_codes = settings.grant_types.contain(GrantType::AuthorizationCode);
    wire::ClientInformation {
        client_id: client.id.to_string(),
        client_secret_expires_at: secret.is_some().then_some(0),
        client_secret: secret.map(|secret| secret.expose().into()),
        client_id_issued_at: client.created_at.timestamp(),
        client_name: settings.name.to_string(),
        redirect_uris: settings.redirect_uris.iter().map(RedirectUri::to_string).collect(),
        token_endpoint_auth_method: method.unwrap_or_else(|| "client_secret_basic".to_owned()),
        grant_types: settings.grant_types.names().map(str::to_owned).collect(),
        response_types: if has_codes { vec!["code".to_owned()] } else { Vec::new() },
        scope: settings.scopes.to_string(),
        jwks: settings.keys.as_ref().map(ClientKeys::to_object),
        dpop_bound_access_tokens: settings.require_dpop,
        require_pushed_authorization_requests: settings.require_pushed_requests,
    }
}

async fn register(call: Call<wire::RegisterClient, Anyone>) -> Outcome<wire::RegisterClient> {
    let caller = match credential(&call.api, &call.request).map_err(into_oauth)? {
        Some(_) => Some(authenticated(&call.api, &call.request).await.map_err(ApiError::into_oauth)?),
        None => None,
    };
    let (metadata, clients) = (metadata(call.body()?)?, &call.api.steward.clients);
    let registered = match &caller {
        Some(caller) => clients.register(caller, &metadata).await,
        None => clients.register_openly(call.caller.clone(), &metadata).await,
    };
    let (client, secret) = registered.map_err(into_oauth)?;
    call.reply(information(client, secret, metadata.token_endpoint_auth_method))
}
