//! Authorization and token endpoints (docs/contract.md#authorization-endpoint, docs/contract.md#token-endpoint; RFC
//! 6749, RFC 7009, RFC 7662). Another crate serves the pages of the sign-in.

use actix_web::http::header::{CACHE_CONTROL, LOCATION, REFERRER_POLICY};
use actix_web::{FromRequest as _, HttpRequest, HttpResponse, web};
use steward_api as wire;
use steward_domain::error::{Error, ErrorCode, OAuthError};
use steward_domain::model::{Audience, OpaqueKind, Parameters, Request, Secret};
use steward_domain::usecases::{AuthorizationStep, Introspection, PresentedClient, Proof, TokenRequest};

use super::account::token_response;
use crate::Api;
use crate::error::ApiError;
use crate::error_page;
use crate::extract::body::Form;
use crate::extract::caller::{proof, request_metadata};
use crate::extract::client::{BasicClient, basic_client};
use crate::extract::{OptionalCaller, Query, RequestOrigin, authenticated};
use crate::response;
use crate::route::{ApiRoute, routes};
use steward_web::accepts_html;

/// The error for a request that does not name its client.
const MISSING_CLIENT: &str = "The `client_id` parameter is missing. Send it, with the secret of a confidential client.";

/// The paths of the endpoints at which clients authenticate. Their assertions may name them.
const TOKEN: &str = "/auth/token";
const PUSH: &str = "/auth/par";
const AUTHORIZE_DEVICE: &str = "/auth/device/code";
const REVOKE: &str = "/auth/revoke";
const INTROSPECT: &str = "/auth/introspect";

pub(crate) fn routes() -> Vec<ApiRoute> {
    routes! {
        Authorize => authorize;
        AuthorizeByForm => authorize_by_form;
        PushAuthorizationRequest => push;
        AuthorizeDevice => authorize_device;
        ExchangeToken => exchange;
        RevokeToken => revoke;
        IntrospectToken => introspect;
    }
}

pub(crate) async fn authorize(
    api: web::Data<Api>,
    request: HttpRequest,
    origin: RequestOrigin,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    begin_authorization(&api, &request, origin, &query.into_parameters()).await
}

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
        Ok(step) => Ok(follow(api, request, &step)),
        Err(error) if accepts_html(request.headers()) => Ok(error_page::page(request, &*api.web.pages, &error)),
        Err(error) => Err(error.into_oauth()),
    }
}

fn follow(api: &Api, request: &HttpRequest, step: &AuthorizationStep) -> HttpResponse {
    let location = match step {
        AuthorizationStep::SignIn { request, create: false } => format!("/auth/sign-in?request={}", request.expose()),
        AuthorizationStep::SignIn { request, create: true } => format!("/auth/sign-up?request={}", request.expose()),
        AuthorizationStep::Consent { request }
        | AuthorizationStep::Confirm { request }
        | AuthorizationStep::ConfirmEmail { request }
        | AuthorizationStep::SetUpSecondFactor { request, .. } => {
            format!("/auth/consent?request={}", request.expose())
        }
        AuthorizationStep::Redirect(address) => address.clone(),
        AuthorizationStep::DeviceAnswered { .. } => "/auth/device".to_owned(),
        AuthorizationStep::Post(form) => return api.web.pages.form_post(request, form),
    };
    HttpResponse::Found()
        .insert_header((LOCATION, location))
        .insert_header((CACHE_CONTROL, "no-store"))
        .insert_header((REFERRER_POLICY, "no-referrer"))
        .finish()
}

pub(crate) async fn exchange(api: web::Data<Api>, request: HttpRequest, form: Form) -> Result<HttpResponse, ApiError> {
    let (origin, basic) = visitor(&request).await?;
    let parameters = form.read().map_err(ApiError::into_oauth)?;
    let client = presented(&api, basic.as_ref(), &parameters, TOKEN)?;
    let command = token_request(&parameters, client, proof_of(&api, &request)?)?;
    let tokens = api.steward.token_grants.exchange(origin, &command).await;
    let tokens = tokens.map_err(|error| client_error(error, basic.is_some()))?;
    Ok(response::secret(&token_response(tokens)))
}

pub(crate) async fn push(api: web::Data<Api>, request: HttpRequest, form: Form) -> Result<HttpResponse, ApiError> {
    let (origin, basic) = visitor(&request).await?;
    let parameters = form.read().map_err(ApiError::into_oauth)?;
    let client = caller(&api, basic.as_ref(), &parameters, PUSH)?;
    let proof = proof_of(&api, &request)?;
    let pushed = api.steward.authorizations.push(origin, &parameters, &client, proof.as_ref()).await;
    let pushed = pushed.map_err(|error| client_error(error, basic.is_some()))?;
    Ok(response::secret_created(&wire::PushedAuthorization {
        request_uri: pushed.request_uri.expose().into(),
        expires_in: pushed.lasts.num_seconds(),
    }))
}

pub(crate) async fn authorize_device(
    api: web::Data<Api>,
    request: HttpRequest,
    form: Form,
) -> Result<HttpResponse, ApiError> {
    let (origin, basic) = visitor(&request).await?;
    let parameters = form.read().map_err(ApiError::into_oauth)?;
    let client = caller(&api, basic.as_ref(), &parameters, AUTHORIZE_DEVICE)?;
    let codes = api.steward.authorizations.begin_for_device(origin, &parameters, &client).await;
    let codes = codes.map_err(|error| client_error(error, basic.is_some()))?;
    let page = api.steward.address.at("/auth/device");
    Ok(response::secret(&wire::DeviceAuthorization {
        device_code: codes.device_code.expose().into(),
        verification_uri_complete: format!("{page}?user_code={}", codes.user_code),
        verification_uri: page,
        user_code: codes.user_code.to_string(),
        expires_in: codes.lasts.num_seconds(),
        interval: codes.interval.num_seconds(),
    }))
}

/// Returns the client that sends a request, which must name itself.
fn caller(
    api: &Api,
    basic: Option<&BasicClient>,
    parameters: &Parameters,
    endpoint: &'static str,
) -> Result<PresentedClient, ApiError> {
    let client = presented(api, basic, parameters, endpoint)?;
    client.ok_or_else(|| client_error(OAuthError::request(MISSING_CLIENT).into(), false))
}

/// Returns the proof of a key that a request of a client has.
fn proof_of(api: &Api, request: &HttpRequest) -> Result<Option<Proof>, ApiError> {
    proof(api, request).map_err(|error| Error::from(OAuthError::from(error)).into())
}

fn token_request(
    parameters: &Parameters,
    client: Option<PresentedClient>,
    proof: Option<Proof>,
) -> Result<TokenRequest, ApiError> {
    let text = |name| optional(parameters, name).map(|value| value.map(str::to_owned));
    let secret = |name| text(name).map(|value| value.map(Secret::new));
    Ok(TokenRequest {
        grant_type: text("grant_type")?,
        code: secret("code")?,
        redirect_uri: text("redirect_uri")?,
        client,
        code_verifier: secret("code_verifier")?,
        refresh_token: secret("refresh_token")?,
        device_code: secret("device_code")?,
        scope: text("scope")?,
        proof,
    })
}

/// Returns the metadata of a request, and the client that uses HTTP Basic. Any other credential is optional, but must be
/// valid if it is sent.
async fn visitor(request: &HttpRequest) -> Result<(Request, Option<BasicClient>), ApiError> {
    match basic_client(request)? {
        Some(basic) => Ok((request_metadata(request), Some(basic))),
        None => Ok((OptionalCaller::extract(request).await?.request, None)),
    }
}

/// Returns the client that a request to this path names, and what it presents to authenticate.
fn presented(
    api: &Api,
    basic: Option<&BasicClient>,
    parameters: &Parameters,
    endpoint: &'static str,
) -> Result<Option<PresentedClient>, ApiError> {
    let named = basic.map(|basic| (basic.id.as_str(), basic.secret.as_ref()));
    let client = api.steward.token_grants.presented_client(named, parameters, endpoint);
    client.map_err(|error| client_error(error.into(), basic.is_some()))
}

/// Returns an error of an endpoint at which clients authenticate. A client that uses HTTP Basic learns that it has to
/// (RFC 6749 §5.2).
fn client_error(error: Error, uses_basic: bool) -> ApiError {
    match error {
        Error::OAuth(OAuthError { code: ErrorCode::InvalidClient, description }) if uses_basic => {
            ApiError::invalid_client(&description)
        }
        error => ApiError::from(error).into_oauth(),
    }
}

pub(crate) async fn revoke(api: web::Data<Api>, request: HttpRequest, form: Form) -> Result<HttpResponse, ApiError> {
    let (origin, basic) = visitor(&request).await?;
    let parameters = form.read().map_err(ApiError::into_oauth)?;
    let client = presented(&api, basic.as_ref(), &parameters, REVOKE)?;
    let token = required(&parameters, "token")?;
    let revoked = api.steward.token_grants.revoke(origin, token, client.as_ref()).await;
    revoked.map_err(|error| client_error(error, basic.is_some()))?;
    Ok(HttpResponse::Ok().insert_header((CACHE_CONTROL, "no-store")).finish())
}

fn optional<'a>(parameters: &'a Parameters, name: &str) -> Result<Option<&'a str>, ApiError> {
    parameters.one(name).map_err(|error| Error::from(error).into())
}

fn required<'a>(parameters: &'a Parameters, name: &str) -> Result<&'a str, ApiError> {
    parameters.required(name).map_err(|error| Error::from(error).into())
}

pub(crate) async fn introspect(
    api: web::Data<Api>,
    request: HttpRequest,
    form: Form,
) -> Result<HttpResponse, ApiError> {
    let grants = &api.steward.token_grants;
    let basic = basic_client(&request)?;
    let parameters = form.read().map_err(ApiError::into_oauth);
    let has = |parameters: &Parameters, name: &str| matches!(parameters.one(name), Ok(Some(_)));
    let authenticates =
        |parameters: &Parameters| has(parameters, "client_secret") || has(parameters, "client_assertion");
    let found = if basic.is_some() || parameters.as_ref().is_ok_and(authenticates) {
        let parameters = parameters?;
        let token = required(&parameters, "token")?;
        let client = caller(&api, basic.as_ref(), &parameters, INTROSPECT)?;
        let found = grants.introspect_for_client(&request_metadata(&request), &client, token).await;
        found.map_err(|error| client_error(error, basic.is_some()))?
    } else {
        let caller = authenticated(&request).await?;
        grants.introspect(&caller, required(&parameters?, "token")?).await?
    };
    Ok(response::secret(&found.map(|found| introspection_body(&api, found)).unwrap_or_default()))
}

fn introspection_body(api: &Api, found: Introspection) -> wire::Introspection {
    let address = &api.steward.address;
    let audience = match found.audience {
        Audience::Service => address.as_str().to_owned(),
        Audience::Project(project) => address.project_did(project),
    };
    wire::Introspection {
        active: true,
        token_type: Some(found.token_type.into()),
        scope: Some(found.scope),
        client_id: Some(found.client_id.as_str().to_owned()),
        sub: Some(found.sub.to_string()),
        aud: Some(audience),
        iss: Some(address.as_str().to_owned()),
        exp: Some(found.exp.timestamp()),
        iat: Some(found.iat.timestamp()),
        auth_time: found.authentication.as_ref().map(|authentication| authentication.at.timestamp()),
        acr: found.authentication.as_ref().map(|authentication| authentication.level.as_str().into()),
        amr: found.authentication.map(|authentication| authentication.references),
        cnf: found.bound_to.map(|key| wire::Confirmation { jkt: key.as_str().to_owned() }),
    }
}
