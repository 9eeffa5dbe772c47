//! Authorization and token endpoints (docs/contract.md#authorization-endpoint, docs/contract.md#token-endpoint; RFC
//! 6749, RFC 7009, RFC 7662). Another crate serves the pages of the sign-in.

use actix_web::http::header::{CACHE_CONTROL, LOCATION, REFERRER_POLICY};
use actix_web::{HttpRequest, HttpResponse};
use steward_api::{self as wire, Operation};
use steward_domain::identity::{AuthorizationStep, Introspection, Parameters, PresentedClient, Proof, TokenRequest};
use steward_domain::kernel::error::{Error, ErrorCode, OAuthError};
use steward_domain::kernel::{OpaqueKind, Secret};

use crate::Api;
use crate::error::ApiError;
use crate::error_page;
use crate::extract::authenticated;
use crate::extract::client::{BasicClient, basic_client};
use crate::extract::path::Ids;
use crate::route::serve;
use crate::routes::identity::account::token_response;
use crate::serve::{Access, Anyone, Call, Client, Outcome};
use steward_web::accepts_html;

serve! {
    Authorize => authorize;
    AuthorizeByForm => authorize_by_form;
    PushAuthorizationRequest => push;
    AuthorizeDevice => authorize_device;
    ExchangeToken => exchange;
    RevokeToken => revoke;
    IntrospectToken => introspect;
}

/// The error for a request that does not name its client.
const MISSING_CLIENT: &str = "The `client_id` parameter is missing. Send it, with the secret of a confidential client.";

async fn authorize(call: Call<wire::Authorize, Anyone>) -> Outcome<wire::Authorize> {
    begin_authorization(&call, &call.query().into_parameters()).await
}

async fn authorize_by_form(call: Call<wire::AuthorizeByForm, Anyone>) -> Outcome<wire::AuthorizeByForm> {
    begin_authorization(&call, &call.parameters()?).await
}

/// Raw, because a browser gets a redirect or a page, also of an error.
async fn begin_authorization<O>(call: &Call<O, Anyone>, parameters: &Parameters) -> Outcome<O>
where
    O: Operation<Path: Ids, Response = ()>,
{
    let (api, request) = (&call.api, &call.request);
    let cookie = request.cookie(api.web.credentials.browser_cookie);
    let browser = cookie.and_then(|cookie| OpaqueKind::Browser.parse(cookie.value()));
    let step = api.steward.authorizations.begin(call.caller.clone(), parameters, browser.as_ref()).await;
    match step.map_err(ApiError::from) {
        Ok(step) => call.raw(follow(api, request, &step)),
        Err(error) if accepts_html(request.headers()) => call.raw(error_page::page(request, &*api.web.pages, &error)),
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

async fn exchange(call: Call<wire::ExchangeToken, Client>) -> Outcome<wire::ExchangeToken> {
    let ((origin, basic), parameters) = (&call.caller, call.parameters()?);
    let client = presented(&call, basic.as_ref(), &parameters)?;
    let command = token_request(&parameters, client, call.proof()?)?;
    let tokens = call.api.steward.token_grants.exchange(origin.clone(), &command).await;
    call.reply(token_response(tokens.map_err(|error| client_error(error, basic.is_some()))?))
}

async fn push(call: Call<wire::PushAuthorizationRequest, Client>) -> Outcome<wire::PushAuthorizationRequest> {
    let ((origin, basic), parameters) = (&call.caller, call.parameters()?);
    let (client, proof) = (caller(&call, basic.as_ref(), &parameters)?, call.proof()?);
    let pushed = call.api.steward.authorizations.push(origin.clone(), &parameters, &client, proof.as_ref()).await;
    let pushed = pushed.map_err(|error| client_error(error, basic.is_some()))?;
    let (request_uri, expires_in) = (pushed.request_uri.expose().into(), pushed.lasts.num_seconds());
    call.reply(wire::PushedAuthorization { request_uri, expires_in })
}

async fn authorize_device(call: Call<wire::AuthorizeDevice, Client>) -> Outcome<wire::AuthorizeDevice> {
    let ((origin, basic), parameters) = (&call.caller, call.parameters()?);
    let client = caller(&call, basic.as_ref(), &parameters)?;
    let codes = call.api.steward.authorizations.begin_for_device(origin.clone(), &parameters, &client).await;
    let codes = codes.map_err(|error| client_error(error, basic.is_some()))?;
    let page = call.api.steward.address.at("/auth/device");
    call.reply(wire::DeviceAuthorization {
        device_code: codes.device_code.expose().into(),
        verification_uri_complete: format!("{page}?user_code={}", codes.user_code),
        verification_uri: page,
        user_code: codes.user_code.to_string(),
        expires_in: codes.lasts.num_seconds(),
        interval: codes.interval.num_seconds(),
    })
}

/// Returns the client that sends a request, which must name itself.
fn caller<O: Operation<Path: Ids>, A: Access>(
    call: &Call<O, A>,
    basic: Option<&BasicClient>,
    parameters: &Parameters,
) -> Result<PresentedClient, ApiError> {
    let client = presented(call, basic, parameters)?;
    client.ok_or_else(|| client_error(OAuthError::request(MISSING_CLIENT).into(), false))
}

fn token_request(
    parameters: &Parameters,
    client: Option<PresentedClient>,
    proof: Option<Proof>,
) -> Result<TokenRequest, ApiError> {
    let text = |name: &str| Ok::<_, Error>(parameters.one(name)?.map(str::to_owned));
    let secret = |name: &str| text(name).map(|value| value.map(Secret::new));
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

/// Returns the client that a request names, and what it presents to authenticate. Its assertion may name the path of
/// the operation.
fn presented<O: Operation<Path: Ids>, A: Access>(
    call: &Call<O, A>,
    basic: Option<&BasicClient>,
    parameters: &Parameters,
) -> Result<Option<PresentedClient>, ApiError> {
    let named = basic.map(|basic| (basic.id.as_str(), basic.secret.as_ref()));
    let client = call.api.steward.token_grants.presented_client(named, parameters, O::ROW.path);
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

async fn revoke(call: Call<wire::RevokeToken, Client>) -> Outcome<wire::RevokeToken> {
    let ((origin, basic), parameters) = (&call.caller, call.parameters()?);
    let client = presented(&call, basic.as_ref(), &parameters)?;
    let token = parameters.required("token").map_err(Error::from)?;
    let revoked = call.api.steward.token_grants.revoke(origin.clone(), token, client.as_ref()).await;
    revoked.map_err(|error| client_error(error, basic.is_some()))?;
    Ok(call.nothing()?.with(CACHE_CONTROL, "no-store"))
}

async fn introspect(call: Call<wire::IntrospectToken, Anyone>) -> Outcome<wire::IntrospectToken> {
    let grants = &call.api.steward.token_grants;
    let (basic, parameters) = (basic_client(&call.request)?, call.parameters());
    let has = |parameters: &Parameters, name: &str| matches!(parameters.one(name), Ok(Some(_)));
    let authenticates =
        |parameters: &Parameters| has(parameters, "client_secret") || has(parameters, "client_assertion");
    let found = if basic.is_some() || parameters.as_ref().is_ok_and(authenticates) {
        let parameters = parameters?;
        let token = parameters.required("token").map_err(Error::from)?;
        let client = caller(&call, basic.as_ref(), &parameters)?;
        let found = grants.introspect_for_client(&call.caller, &client, token).await;
        found.map_err(|error| client_error(error, basic.is_some()))?
    } else {
        let caller = authenticated(&call.api, &call.request).await?;
        grants.introspect(&caller, parameters?.required("token").map_err(Error::from)?).await?
    };
    call.reply(found.map(|found| introspection_body(&call.api, found)).unwrap_or_default())
}

fn introspection_body(api: &Api, found: Introspection) -> wire::Introspection {
    let address = &api.steward.address;
    wire::Introspection {
        active: true,
        token_type: Some(found.token_type.into()),
        scope: Some(found.scope),
        client_id: Some(found.client_id.as_str().to_owned()),
        sub: Some(found.sub.to_string()),
        aud: Some(found.audience.name(address)),
        iss: Some(address.as_str().to_owned()),
        exp: Some(found.exp.timestamp()),
        iat: Some(found.iat.timestamp()),
        auth_time: found.authentication.as_ref().map(|authentication| authentication.at.timestamp()),
        acr: found.authentication.as_ref().map(|authentication| authentication.level.as_str().into()),
        amr: found.authentication.map(|authentication| authentication.references),
        cnf: found.bound_to.map(|key| wire::Confirmation { jkt: key.as_str().to_owned() }),
    }
}
