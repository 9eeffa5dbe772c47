//! Authorization and token endpoints (docs/contract.md#authorization-endpoint, docs/contract.md#token-endpoint; RFC
//! 6749, RFC 7009, RFC 7662). Another crate serves the pages of the sign-in.

use actix_web::http::header::{CACHE_CONTROL, LOCATION, REFERRER_POLICY};
use actix_web::{FromRequest as _, HttpRequest, HttpResponse, web};
use serde::Serialize;
use steward_domain::error::{Error, ErrorCode, OAuthError};
use steward_domain::model::{Audience, ClientId, OpaqueKind, Parameters, Request, Secret};
use steward_domain::usecases::{AuthorizationStep, Introspection, TokenRequest};
use utoipa::{IntoParams, ToSchema};

use super::account::TokenBody;
use crate::Api;
use crate::error::ApiError;
use crate::error_page;
use crate::extract::body::Form;
use crate::extract::caller::request_metadata;
use crate::extract::client::basic_client;
use crate::extract::{OptionalCaller, Query, RequestOrigin, authenticated};
use crate::response;
use crate::route::{ApiRoute, operations};
use steward_web::accepts_html;

pub(crate) fn routes() -> Vec<ApiRoute> {
    operations! {
        Authorize => authorize [InvalidClient];
        AuthorizePost => authorize_by_form [InvalidClient];
        TokenExchange => exchange [InvalidGrant, InvalidClient, InvalidScope, UnsupportedGrantType];
        TokenRevoke => revoke [InvalidClient, InvalidGrant, UnsupportedTokenType];
        TokenIntrospect => introspect [InvalidClient];
    }
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "only describes the parameters that the domain reads")]
pub(crate) struct AuthorizeParameters {
    /// UUID or DID of the project.
    #[param(example = "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55")]
    client_id: String,
    /// URI that receives the response: one of the redirect URIs in the project's settings. If none is registered, any
    /// loopback URI.
    #[param(example = "https://example.com/callback")]
    redirect_uri: String,
    /// Must be `code`.
    #[param(example = "code")]
    response_type: String,
    /// Requested scopes, separated by spaces or commas. Unknown scopes are ignored.
    #[param(example = "openid profile app:db:read")]
    scope: String,
    /// Value that is returned unchanged in the response, so that the client can detect forged responses. At most 2,048
    /// bytes. Required unless `code_challenge` is sent.
    #[param(example = "af0ifjsldkj")]
    state: Option<String>,
    /// SHA-256 of the code verifier, in base64url (RFC 7636 §4.2). Required unless the project turns PKCE off.
    #[param(example = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")]
    code_challenge: Option<String>,
    /// Must be `S256` if `code_challenge` is sent.
    #[param(example = "S256")]
    code_challenge_method: Option<String>,
    /// Value that is returned in the ID token. At most 512 bytes.
    #[param(example = "n-0S6_WzA2Mj")]
    nonce: Option<String>,
    /// `none`, or one or more of `login`, `consent`, `select_account` and `create`, separated by spaces. With `none`, a
    /// redirect URI on loopback or with a private-use scheme gets `interaction_required`, because the user confirms each
    /// of its requests.
    #[param(example = "login")]
    prompt: Option<String>,
    /// Login to suggest on the sign-in page. At most 320 bytes.
    #[param(example = "ann@example.com")]
    login_hint: Option<String>,
    /// Maximum time since the person last signed in, in seconds. After that, the person must sign in again.
    #[param(example = "3600")]
    max_age: Option<String>,
}

/// Parameters of an authorization request, sent as a form.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only describes the parameters that the domain reads")]
pub(crate) struct AuthorizeForm {
    /// UUID or DID of the project.
    client_id: String,
    /// URI that receives the response: one of the redirect URIs in the project's settings. If none is registered, any
    /// loopback URI.
    #[schema(example = "https://example.com/callback")]
    redirect_uri: String,
    /// Must be `code`.
    #[schema(example = "code")]
    response_type: String,
    /// Requested scopes, separated by spaces or commas. Unknown scopes are ignored.
    #[schema(example = "openid profile app:db:read")]
    scope: String,
    /// Value that is returned unchanged in the response, so that the client can detect forged responses. At most 2,048
    /// bytes. Required unless `code_challenge` is sent.
    #[schema(example = "af0ifjsldkj")]
    state: Option<String>,
    /// SHA-256 of the code verifier, in base64url (RFC 7636 §4.2). Required unless the project turns PKCE off.
    #[schema(example = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")]
    code_challenge: Option<String>,
    /// Must be `S256` if `code_challenge` is sent.
    #[schema(example = "S256")]
    code_challenge_method: Option<String>,
    /// Value that is returned in the ID token. At most 512 bytes.
    #[schema(example = "n-0S6_WzA2Mj")]
    nonce: Option<String>,
    /// `none`, or one or more of `login`, `consent`, `select_account` and `create`, separated by spaces. With `none`, a
    /// redirect URI on loopback or with a private-use scheme gets `interaction_required`, because the user confirms each
    /// of its requests.
    #[schema(example = "login")]
    prompt: Option<String>,
    /// Login to suggest on the sign-in page. At most 320 bytes.
    #[schema(example = "ann@example.com")]
    login_hint: Option<String>,
    /// Maximum time since the person last signed in, in seconds. After that, the person must sign in again.
    #[schema(example = "3600")]
    max_age: Option<String>,
}

/// Parameters of a token request (RFC 6749 §4.1.3 and §6): a code or a refresh token.
#[derive(ToSchema)]
#[schema(example = json!({
    "grant_type": "authorization_code",
    "code": "stw_ac_ExampleExampleExampleExampleExampleExampleE",
    "redirect_uri": "https://example.com/callback",
    "client_id": "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55",
    "code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
}))]
#[expect(dead_code, reason = "only describes the parameters that `token_request` reads")]
pub(crate) struct TokenRequestBody {
    /// `authorization_code` (default) or `refresh_token`.
    grant_type: Option<String>,
    /// Authorization code. A refresh token is also accepted.
    code: Option<String>,
    /// Redirect URI of the authorization request. Must match if sent.
    redirect_uri: Option<String>,
    /// UUID or DID of the client's project. Must match if sent. It can also be sent as the user name of HTTP Basic.
    client_id: Option<String>,
    /// Verifier of the code challenge (RFC 7636 §4.1): 43 to 128 characters. Required if the authorization request
    /// contained a code challenge.
    code_verifier: Option<String>,
    /// Refresh token of an earlier response.
    refresh_token: Option<String>,
}

/// Parameters of a revocation (RFC 7009 §2.1) or introspection request (RFC 7662 §2.1).
#[derive(ToSchema)]
#[expect(dead_code, reason = "only describes the parameters that the handlers read")]
pub(crate) struct TokenParameters {
    /// Access token or refresh token.
    #[schema(example = "stw_rt_ExampleExampleExampleExampleExampleExampleE")]
    token: String,
    /// `access_token` or `refresh_token`. Ignored: the type is detected.
    #[schema(example = "refresh_token")]
    token_type_hint: Option<String>,
    /// UUID or DID of the client's project. A revocation request must match the token's client if it is sent; an
    /// introspection request ignores it. It can also be sent as the user name of HTTP Basic.
    client_id: Option<String>,
}

/// Metadata of a token (RFC 7662 §2.2). If the token is not active, `active` is the only field.
#[derive(Default, Serialize, ToSchema)]
pub(crate) struct IntrospectionBody {
    /// Whether the token is valid and the caller may introspect it.
    active: bool,
    /// `Bearer` for an access token, or `refresh_token`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Bearer")]
    token_type: Option<&'static str>,
    /// Scopes of the token, separated by spaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "openid profile app:db:read")]
    scope: Option<String>,
    /// Client that the token was issued to, as the client sent its ID: UUID or DID of a project, or ID of a first-party
    /// client such as `steward-cli`.
    #[serde(skip_serializing_if = "Option::is_none")]
    client_id: Option<String>,
    /// Account ID of the person.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "018f2a3c-91b7-7e02-8d54-6a0f3be27c19")]
    sub: Option<String>,
    /// Audience: DID of the project, or the URL of this service for a first-party token.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "did:web:steward.example.com:projects:018f2a3c7d1e7cc49b3a2f6d1c0e8a55")]
    aud: Option<String>,
    /// Issuer: the URL of this service.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "https://steward.example.com")]
    iss: Option<String>,
    /// When the token expires, in seconds since the Unix epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 1_769_860_800)]
    exp: Option<i64>,
    /// When the token was issued, in seconds since the Unix epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 1_769_859_900)]
    iat: Option<i64>,
}

/// Authorize a client
///
/// Starts the sign-in of a person to a project (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2.1). Redirects to a sign-in
/// page, or back to the client with a code if a session and a grant exist. An invalid `client_id` or `redirect_uri`
/// returns an error without a redirect; other errors are returned to `redirect_uri`.
#[utoipa::path(get, path = "/auth/authorize", tag = "auth", params(AuthorizeParameters),
    responses((status = 302, description = "Redirect to a sign-in page or back to the client.")))]
pub(crate) async fn authorize(
    api: web::Data<Api>,
    request: HttpRequest,
    origin: RequestOrigin,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    begin_authorization(&api, &request, origin, &query.into_parameters()).await
}

/// Authorize a client with a form
///
/// The same as `GET /auth/authorize`, with the parameters in the body. OpenID Connect Core §3.1.2.1 requires both
/// methods.
#[utoipa::path(post, path = "/auth/authorize", tag = "auth",
    request_body(content = AuthorizeForm, content_type = "application/x-www-form-urlencoded"),
    responses((status = 302, description = "Redirect to a sign-in page or back to the client.")))]
pub(crate) async fn authorize_by_form(
    api: web::Data<Api>,
    request: HttpRequest,
    origin: RequestOrigin,
    form: Form,
) -> Result<HttpResponse, ApiError> {
    begin_authorization(&api, &request, origin, &form.read().map_err(ApiError::into_oauth)?).await
}

async fn begin_authorization(
    api: &Api,
    request: &HttpRequest,
    origin: RequestOrigin,
    parameters: &Parameters,
) -> Result<HttpResponse, ApiError> {
    let cookie = request.cookie(api.web.browser_cookie);
    let browser = cookie.and_then(|cookie| OpaqueKind::Browser.parse(cookie.value()));
    let step = api.steward.authorizations.begin(origin.0, parameters, browser.as_ref()).await;
    match step.map_err(ApiError::from) {
        Ok(step) => Ok(HttpResponse::Found()
            .insert_header((LOCATION, location_of(&step)))
            .insert_header((CACHE_CONTROL, "no-store"))
            .insert_header((REFERRER_POLICY, "no-referrer"))
            .finish()),
        Err(error) if accepts_html(request.headers()) => Ok(error_page::page(&*api.web.pages, &error)),
        Err(error) => Err(error.into_oauth()),
    }
}

fn location_of(step: &AuthorizationStep) -> String {
    match step {
        AuthorizationStep::SignIn { request, create: false } => format!("/auth/sign-in?request={}", request.expose()),
        AuthorizationStep::SignIn { request, create: true } => format!("/auth/sign-up?request={}", request.expose()),
        AuthorizationStep::Consent { request }
        | AuthorizationStep::Confirm { request }
        | AuthorizationStep::ConfirmEmail { request } => {
            format!("/auth/consent?request={}", request.expose())
        }
        AuthorizationStep::Redirect(address) => address.clone(),
    }
}

/// Exchange a code or a refresh token for tokens
///
/// A code is valid for 10 minutes and can be used once; using it again revokes the tokens that it was exchanged for.
/// Each exchange of a refresh token returns a new one. A client can authenticate with HTTP Basic or `client_secret`,
/// but clients have no secrets: any value is accepted.
#[utoipa::path(post, path = "/auth/token", tag = "auth",
    request_body(content((TokenRequestBody = "application/x-www-form-urlencoded"), (TokenRequestBody = "application/json"))),
    responses((status = 200, body = TokenBody)))]
pub(crate) async fn exchange(api: web::Data<Api>, request: HttpRequest, form: Form) -> Result<HttpResponse, ApiError> {
    let (origin, basic) = visitor(&request).await?;
    let parameters = form.read().map_err(ApiError::into_oauth)?;
    let client = client(&api, basic.as_deref(), &parameters)?;
    let command = token_request(&parameters, client)?;
    let tokens = api.steward.token_grants.exchange(origin, &command).await;
    let tokens = tokens.map_err(|error| ApiError::from(error).into_oauth())?;
    Ok(response::secret(&TokenBody::from(tokens)))
}

fn token_request(parameters: &Parameters, client_id: Option<ClientId>) -> Result<TokenRequest, ApiError> {
    let text = |name| optional(parameters, name).map(|value| value.map(str::to_owned));
    let secret = |name| text(name).map(|value| value.map(Secret::new));
    Ok(TokenRequest {
        grant_type: text("grant_type")?,
        code: secret("code")?,
        redirect_uri: text("redirect_uri")?,
        client_id,
        code_verifier: secret("code_verifier")?,
        refresh_token: secret("refresh_token")?,
    })
}

/// Returns the metadata of a request, and the `client_id` of a client that uses HTTP Basic. Any other credential is
/// optional, but must be valid if it is sent.
async fn visitor(request: &HttpRequest) -> Result<(Request, Option<String>), ApiError> {
    match basic_client(request)? {
        Some(basic) => Ok((request_metadata(request), Some(basic))),
        None => Ok((OptionalCaller::extract(request).await?.request, None)),
    }
}

/// Returns the client that a request names, with HTTP Basic or in its body.
fn client(api: &Api, basic: Option<&str>, parameters: &Parameters) -> Result<Option<ClientId>, ApiError> {
    let client = api.steward.token_grants.client(basic, optional(parameters, "client_id")?);
    client.map_err(|error| match error {
        OAuthError { code: ErrorCode::InvalidClient, description } if basic.is_some() => {
            ApiError::invalid_client(&description)
        }
        error => Error::from(error).into(),
    })
}

/// Revoke a token
///
/// Revokes all tokens of the sign-in that issued the token (RFC 7009). Succeeds if the token is unknown (RFC 7009
/// §2.2).
#[utoipa::path(post, path = "/auth/revoke", tag = "auth",
    request_body(
        content((TokenParameters = "application/x-www-form-urlencoded"), (TokenParameters = "application/json"))
    ),
    responses((status = 200, description = "The token is revoked or unknown.")))]
pub(crate) async fn revoke(api: web::Data<Api>, request: HttpRequest, form: Form) -> Result<HttpResponse, ApiError> {
    let (origin, basic) = visitor(&request).await?;
    let parameters = form.read().map_err(ApiError::into_oauth)?;
    let client = client(&api, basic.as_deref(), &parameters)?;
    let token = required(&parameters, "token")?;
    let revoked = api.steward.token_grants.revoke(origin, token, client.as_ref()).await;
    revoked.map_err(|error| ApiError::from(error).into_oauth())?;
    Ok(HttpResponse::Ok().insert_header((CACHE_CONTROL, "no-store")).finish())
}

fn optional<'a>(parameters: &'a Parameters, name: &str) -> Result<Option<&'a str>, ApiError> {
    parameters.one(name).map_err(|error| Error::from(error).into())
}

fn required<'a>(parameters: &'a Parameters, name: &str) -> Result<&'a str, ApiError> {
    parameters.required(name).map_err(|error| Error::from(error).into())
}

/// Introspect a token
///
/// Returns the metadata of a token (RFC 7662). A private API key can introspect the tokens for its project, a signed-in
/// person their own tokens, and a client that names itself with HTTP Basic the tokens that were issued to it. Every
/// other token is reported as not active.
#[utoipa::path(post, path = "/auth/introspect", tag = "auth",
    request_body(
        content((TokenParameters = "application/x-www-form-urlencoded"), (TokenParameters = "application/json"))
    ),
    responses((status = 200, body = IntrospectionBody)))]
pub(crate) async fn introspect(
    api: web::Data<Api>,
    request: HttpRequest,
    form: Form,
) -> Result<HttpResponse, ApiError> {
    let grants = &api.steward.token_grants;
    let found = if let Some(name) = basic_client(&request)? {
        let parameters = form.read().map_err(ApiError::into_oauth)?;
        let (token, client) = (required(&parameters, "token")?, client(&api, Some(&name), &parameters)?);
        match client {
            Some(client) => grants.introspect_for_client(&request_metadata(&request), &client, token).await?,
            None => None,
        }
    } else {
        let caller = authenticated(&request).await?;
        let parameters = form.read().map_err(ApiError::into_oauth)?;
        grants.introspect(&caller, required(&parameters, "token")?).await?
    };
    Ok(response::secret(&found.map(|found| introspection_body(&api, found)).unwrap_or_default()))
}

fn introspection_body(api: &Api, found: Introspection) -> IntrospectionBody {
    let address = &api.steward.address;
    let audience = match found.audience {
        Audience::Service => address.as_str().to_owned(),
        Audience::Project(project) => address.project_did(project),
    };
    IntrospectionBody {
        active: true,
        token_type: Some(found.token_type),
        scope: Some(found.scope.to_string()),
        client_id: Some(found.client_id.as_str().to_owned()),
        sub: Some(found.sub.to_string()),
        aud: Some(audience),
        iss: Some(address.as_str().to_owned()),
        exp: Some(found.exp.timestamp()),
        iat: Some(found.iat.timestamp()),
    }
}
