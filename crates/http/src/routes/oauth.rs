//! Authorization and tokens (contract 3; RFC 6749, RFC 7009, RFC 7662). The pages in between are not of this crate.

use actix_web::http::Method;
use actix_web::http::header::{AUTHORIZATION, CACHE_CONTROL, LOCATION, REFERRER_POLICY, RETRY_AFTER};
use actix_web::{FromRequest as _, HttpRequest, HttpResponse, ResponseError as _, web};
use serde::Serialize;
use steward_domain::model::{Audience, OpaqueKind, Parameters, Secret};
use steward_domain::usecases::{AuthorizationStep, Introspection, TokenRequest};
use utoipa::{IntoParams, ToSchema};

use super::account::TokenBody;
use super::{Address, at};
use crate::Api;
use crate::answer;
use crate::body::Form;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{Authenticated, Query, RequestOrigin, Visitor};
use crate::frame::accepts_html;

pub(crate) fn mount(routes: &mut Vec<Address>) {
    at("/auth/authorize").get(authorize).on(Method::POST, authorize_by_form).mount(routes);
    at("/auth/token").get(super::personal_token::whoami).on(Method::POST, exchange).mount(routes);
    at("/auth/revoke").on(Method::POST, revoke).mount(routes);
    at("/auth/introspect").on(Method::POST, introspect).mount(routes);
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "only describes the parameters that the domain reads")]
pub(crate) struct AuthorizeParameters {
    /// The project's UUID or its DID.
    client_id: String,
    /// Where the answer goes: one of the addresses in the project's settings.
    redirect_uri: String,
    /// `code`.
    response_type: String,
    /// Scopes between spaces or commas.
    scope: String,
    /// Comes back with the answer, against forged ones.
    state: String,
    /// SHA-256 of a random verifier, in base64url (RFC 7636).
    code_challenge: Option<String>,
    /// `S256`.
    code_challenge_method: Option<String>,
    /// Comes back in the id token.
    nonce: Option<String>,
    /// Some of `none`, `login`, `consent`, `select_account`, `create`.
    prompt: Option<String>,
    /// The login to offer.
    login_hint: Option<String>,
    /// How long ago the person may have signed in, in seconds.
    max_age: Option<String>,
}

/// The parameters of the query, as a form.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only describes the parameters that the domain reads")]
pub(crate) struct AuthorizeForm {
    client_id: String,
    redirect_uri: String,
    response_type: String,
    scope: String,
    state: String,
    code_challenge: Option<String>,
    code_challenge_method: Option<String>,
    nonce: Option<String>,
    prompt: Option<String>,
    login_hint: Option<String>,
    max_age: Option<String>,
}

/// What is sent for tokens.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only describes the parameters that `token_request` reads")]
pub(crate) struct ExchangeBody {
    /// `authorization_code` (also when it is missing) or `refresh_token`.
    grant_type: Option<String>,
    /// The code; a refresh token is understood too.
    code: Option<String>,
    /// The address that the code was sent to.
    redirect_uri: Option<String>,
    /// The client that asks.
    client_id: Option<String>,
    /// What the challenge was made from.
    code_verifier: Option<String>,
    refresh_token: Option<String>,
}

#[derive(ToSchema)]
#[expect(dead_code, reason = "only describes the parameters that the handlers read")]
pub(crate) struct TokenParameters {
    /// An access or refresh token.
    token: String,
    token_type_hint: Option<String>,
    client_id: Option<String>,
}

/// What there is to say of a token (RFC 7662 §2.2). Of one that is not good: that it is not `active`, and no more.
#[derive(Default, Serialize, ToSchema)]
pub(crate) struct IntrospectionBody {
    active: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    token_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    client_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sub: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    aud: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    iss: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exp: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    iat: Option<i64>,
}

/// Begin to sign in to a project
#[utoipa::path(get, path = "/auth/authorize", operation_id = "authorize", tag = "auth", params(AuthorizeParameters),
    responses((status = 302, description = "to the sign-in page, or back to the client"),
        (status = 429, body = ErrorBody)))]
pub(crate) async fn authorize(
    api: web::Data<Api>,
    request: HttpRequest,
    sender: RequestOrigin,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    begun(&api, &request, sender, &query.into_parameters()).await
}

/// Begin to sign in to a project, by a form
///
/// OpenID Connect Core §3.1.2.1 wants both methods.
#[utoipa::path(post, path = "/auth/authorize", operation_id = "authorizeByForm", tag = "auth",
    request_body(content = AuthorizeForm, content_type = "application/x-www-form-urlencoded"),
    responses((status = 302, description = "to the sign-in page, or back to the client"),
        (status = 429, body = ErrorBody)))]
pub(crate) async fn authorize_by_form(
    api: web::Data<Api>,
    request: HttpRequest,
    sender: RequestOrigin,
    form: Form,
) -> Result<HttpResponse, ApiError> {
    begun(&api, &request, sender, &form.read().map_err(ApiError::of_oauth)?).await
}

async fn begun(
    api: &Api,
    request: &HttpRequest,
    sender: RequestOrigin,
    parameters: &Parameters,
) -> Result<HttpResponse, ApiError> {
    let cookie = request.cookie(api.browser_cookie);
    let browser = cookie.and_then(|cookie| OpaqueKind::Browser.parse(cookie.value()));
    let begun = api.steward.authorizations.begin(sender.0, parameters, browser.as_ref()).await;
    match begun.map_err(ApiError::from) {
        Ok(next) => Ok(HttpResponse::Found()
            .insert_header((LOCATION, address_of(&next)))
            .insert_header((CACHE_CONTROL, "no-store"))
            .insert_header((REFERRER_POLICY, "no-referrer"))
            .finish()),
        Err(error) if accepts_html(request.headers()) && !error.is_ours() => {
            let mut page = (api.error_page)(error.status_code(), &error.to_string());
            if let Some(wait) = error.error_response().headers().get(RETRY_AFTER) {
                page.headers_mut().insert(RETRY_AFTER, wait.clone());
            }
            Ok(page)
        }
        Err(error) => Err(error.of_oauth()),
    }
}

fn address_of(next: &AuthorizationStep) -> String {
    match next {
        AuthorizationStep::SignIn { request, create: false } => format!("/auth/sign-in?request={}", request.expose()),
        AuthorizationStep::SignIn { request, create: true } => format!("/auth/sign-up?request={}", request.expose()),
        AuthorizationStep::Consent { request } => format!("/auth/consent?request={}", request.expose()),
        AuthorizationStep::Leave(address) => address.clone(),
    }
}

/// Turn a code or a refresh token into tokens
#[utoipa::path(post, path = "/auth/token", operation_id = "exchangeToken", tag = "auth",
    request_body(content((ExchangeBody = "application/x-www-form-urlencoded"), (ExchangeBody = "application/json"))),
    responses((status = 200, body = TokenBody), (status = 409, body = ErrorBody), (status = 429, body = ErrorBody)))]
pub(crate) async fn exchange(api: web::Data<Api>, request: HttpRequest, form: Form) -> Result<HttpResponse, ApiError> {
    let visitor = visitor(&request).await?;
    let command = form.read().and_then(|parameters| token_request(&parameters)).map_err(ApiError::of_oauth)?;
    let tokens = api.steward.token_grants.exchange(visitor.request, &command).await;
    let tokens = tokens.map_err(|error| ApiError::from(error).of_oauth())?;
    Ok(answer::secret(&TokenBody::from(tokens)))
}

fn token_request(parameters: &Parameters) -> Result<TokenRequest, ApiError> {
    let text = |name| parameters.one(name).map(|value| value.map(str::to_owned));
    let secret = |name| parameters.one(name).map(|value| value.map(|text| Secret::new(text.to_owned())));
    let read = || {
        Ok(TokenRequest {
            grant_type: text("grant_type")?,
            code: secret("code")?,
            redirect_uri: text("redirect_uri")?,
            client_id: text("client_id")?,
            code_verifier: secret("code_verifier")?,
            refresh_token: secret("refresh_token")?,
        })
    };
    read().map_err(|error: steward_domain::error::OAuthError| steward_domain::error::Error::from(error).into())
}

/// Whoever asks for tokens. A client that sends a secret is told that it has none.
async fn visitor(request: &HttpRequest) -> Result<Visitor, ApiError> {
    let credential = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if credential.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("basic")) {
        return Err(ApiError::client_has_no_secret());
    }
    Visitor::extract(request).await
}

/// End the sign-in that a token follows from
///
/// A token that is not known is as good as revoked (RFC 7009 §2.2).
#[utoipa::path(post, path = "/auth/revoke", operation_id = "revokeToken", tag = "auth",
    request_body(content((TokenParameters = "application/x-www-form-urlencoded"), (TokenParameters = "application/json"))),
    responses((status = 200, description = "it is revoked"), (status = 409, body = ErrorBody), (status = 429, body = ErrorBody)))]
pub(crate) async fn revoke(api: web::Data<Api>, request: HttpRequest, form: Form) -> Result<HttpResponse, ApiError> {
    let visitor = visitor(&request).await?;
    let parameters = form.read().map_err(ApiError::of_oauth)?;
    let (token, client) = (required(&parameters, "token")?, one(&parameters, "client_id")?);
    let revoked = api.steward.token_grants.revoke(visitor.request, token, client).await;
    revoked.map_err(|error| ApiError::from(error).of_oauth())?;
    Ok(HttpResponse::Ok().insert_header((CACHE_CONTROL, "no-store")).finish())
}

fn one<'a>(parameters: &'a Parameters, name: &str) -> Result<Option<&'a str>, ApiError> {
    parameters.one(name).map_err(|error| steward_domain::error::Error::from(error).into())
}

fn required<'a>(parameters: &'a Parameters, name: &str) -> Result<&'a str, ApiError> {
    parameters.required(name).map_err(|error| steward_domain::error::Error::from(error).into())
}

/// Tell what a token says, to whom it concerns
///
/// A key is told of tokens for its project, a person of their own.
#[utoipa::path(post, path = "/auth/introspect", operation_id = "introspectToken", tag = "auth",
    request_body(content((TokenParameters = "application/x-www-form-urlencoded"), (TokenParameters = "application/json"))),
    responses((status = 200, body = IntrospectionBody)))]
pub(crate) async fn introspect(
    api: web::Data<Api>,
    caller: Authenticated,
    form: Form,
) -> Result<HttpResponse, ApiError> {
    let parameters = form.read().map_err(ApiError::of_oauth)?;
    let token = required(&parameters, "token")?;
    let found = api.steward.token_grants.introspect(&caller.0, token).await?;
    Ok(answer::secret(&found.map(|found| explained(&api, found)).unwrap_or_default()))
}

fn explained(api: &Api, found: Introspection) -> IntrospectionBody {
    let address = &api.steward.address;
    let audience = match found.audience {
        Audience::Service => address.as_str().to_owned(),
        Audience::Project(project) => address.project_did(project),
    };
    IntrospectionBody {
        active: true,
        token_type: Some(found.token_type),
        scope: Some(found.scope.to_string()),
        client_id: Some(found.client_id),
        sub: Some(found.sub.to_string()),
        aud: Some(audience),
        iss: Some(address.as_str().to_owned()),
        exp: Some(found.exp.timestamp()),
        iat: Some(found.iat.timestamp()),
    }
}
