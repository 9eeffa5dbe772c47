//! Sign-up, login and user info (docs/contract.md#accounts).

use actix_web::http::header::{LOCATION, ORIGIN};
use actix_web::{HttpRequest, HttpResponse, web};
use steward_api as wire;
use steward_domain::error::{AuthenticationError, Error, FieldViolations, ResourceKind};
use steward_domain::model::{Account, Caller, Email, Login, Name, Password, Scope, ScopeSet, Secret, Username};
use steward_domain::usecases::{PresentedCredential, SignUp, Tokens};
use steward_web::conditions_of;

use crate::Api;
use crate::error::ApiError;
use crate::extract::body::{Form, JsonBody};
use crate::extract::caller::{credential, request_metadata};
use crate::extract::precondition::ResourceTag;
use crate::extract::{Authenticated, OptionalCaller, authenticated};
use crate::response;
use crate::route::{ApiRoute, routes};

pub(crate) fn routes() -> Vec<ApiRoute> {
    routes! {
        SignUp => sign_up;
        LogIn => log_in;
        GetUserInfo => user_info;
        PostUserInfo => user_info_by_post;
        GetUserInfoMoved => user_info_moved;
    }
}

fn parse_new_account(body: wire::NewAccount, mut errors: FieldViolations) -> Result<SignUp, Error> {
    let email = errors.check("email", Email::parse(&body.email));
    let password = errors.check("password", Password::parse(Secret::new(body.password.expose().to_owned())));
    let name = errors.check_given("name", body.name.as_deref(), Name::parse);
    let username = errors.check_given("username", body.username.as_deref(), Username::parse);
    errors.finish(email.zip(password).map(|(email, password)| SignUp { email, password, name, username }))
}

fn parse_password_login(body: wire::PasswordLogin, mut errors: FieldViolations) -> Result<(Login, Secret), Error> {
    let login = match (&body.email, &body.username) {
        (Some(text), None) | (None, Some(text)) => Some(Login::parse(text)),
        _ => errors.check("email", Err("either `email` or `username` is required, but not both")),
    };
    errors.finish(login.map(|login| (login, Secret::new(body.password.expose().to_owned()))))
}

pub(crate) fn token_response(tokens: Tokens) -> wire::TokenResponse {
    wire::TokenResponse {
        access_token: tokens.access_token.expose().into(),
        token_type: tokens.token_type().into(),
        expires_in: tokens.lasts.num_seconds(),
        refresh_token: tokens.refresh_token.as_ref().map(|token| token.expose().into()),
        refresh: tokens.refresh_token.as_ref().map(|token| token.expose().into()),
        scope: tokens.scope,
        id_token: tokens.id_token.map(|token| token.expose().into()),
    }
}

fn claims(account: Account, scopes: &ScopeSet) -> wire::UserInfo {
    let (profile, email) = (scopes.has(Scope::Profile), scopes.has(Scope::Email));
    let username = account.username.filter(|_| profile).map(|name| name.to_string());
    wire::UserInfo {
        sub: account.id.to_string(),
        id: account.id.uuid().into(),
        name: account.name.filter(|_| profile).map(|name| name.to_string()),
        preferred_username: username.clone(),
        email: email.then(|| account.email.to_string()),
        email_verified: email.then_some(account.email_verified),
        username,
        picture: None,
    }
}

pub(crate) async fn sign_up(
    api: web::Data<Api>,
    visitor: OptionalCaller,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let command = body.read(parse_new_account)?;
    let authenticated = api.steward.accounts.sign_up(visitor.request, command).await?;
    let account = authenticated.account().clone();
    let tag = ResourceTag::of(account.revision, &claims(account.clone(), &ScopeSet::first_party()));
    let created = response::created(&wire::Data {
        data: wire::CreatedAccount {
            id: account.id.uuid().into(),
            email: account.email.to_string(),
            username: account.username.map(|name| name.to_string()),
            name: account.name.map(|name| name.to_string()),
            created_at: account.created_at.into(),
        },
    });
    Ok(response::tagged(tag, created))
}

pub(crate) async fn log_in(
    api: web::Data<Api>,
    visitor: OptionalCaller,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (login, password) = body.read(parse_password_login)?;
    let authenticated = api.steward.accounts.authenticate_for_tokens(&visitor.request, &login, password).await?;
    let tokens = api.steward.token_grants.first_party(visitor.request, authenticated).await?;
    Ok(response::secret(&token_response(tokens)))
}

pub(crate) async fn user_info(
    api: web::Data<Api>,
    request: HttpRequest,
    caller: Authenticated,
) -> Result<HttpResponse, ApiError> {
    let (account, scopes) = api.steward.accounts.whoami(&caller.0).await?;
    let (revision, body) = (account.revision, claims(account, &scopes));
    response::resource(&request, ResourceKind::Account, revision, &body)
}

pub(crate) async fn user_info_by_post(
    api: web::Data<Api>,
    request: HttpRequest,
    form: Form,
) -> Result<HttpResponse, ApiError> {
    let caller = match credential(&request)? {
        Some(_) => authenticated(&request).await?,
        None => token_in_body(&api, &request, form).await?,
    };
    let (account, scopes) = api.steward.accounts.whoami(&caller).await?;
    let (revision, body) = (account.revision, claims(account, &scopes));
    Ok(response::changed(revision, &body))
}

/// Returns the caller whose access token is in the body (RFC 6750 §2.2), for libraries that send it there by default.
async fn token_in_body(api: &Api, request: &HttpRequest, form: Form) -> Result<Caller, ApiError> {
    let parameters = form.read()?;
    let token = parameters.one("access_token").map_err(Error::from)?;
    let token = token.ok_or(Error::from(AuthenticationError::Missing))?;
    let token = PresentedCredential::bearer(token, request.headers().contains_key(ORIGIN));
    Ok(api.steward.authentication.bearer(&token, request_metadata(request), conditions_of(request)).await?)
}

pub(crate) async fn user_info_moved(_: OptionalCaller) -> HttpResponse {
    HttpResponse::MovedPermanently().insert_header((LOCATION, "/auth/userinfo")).finish()
}
