//! Signing up, signing in, and who one is (contract 3).

use actix_web::http::Method;
use actix_web::http::header::LOCATION;
use actix_web::{HttpResponse, web};
use serde::{Deserialize, Serialize};
use steward_domain::error::{Error, FieldViolations};
use steward_domain::model::{Account, Email, Name, Password, Scope, ScopeSet, Secret, Username};
use steward_domain::usecases::{Login, SignUp, Tokens};
use utoipa::ToSchema;

use super::{Address, at};
use crate::Api;
use crate::answer::{self, Data, moment};
use crate::body::JsonBody;
use crate::error::{ApiError, CredentialError, ErrorBody};
use crate::extract::{Authenticated, Visitor};

pub(crate) fn mount(routes: &mut Vec<Address>) {
    at("/auth/signup").on(Method::POST, sign_up).mount(routes);
    at("/auth/login").on(Method::POST, log_in).mount(routes);
    at("/auth/userinfo").get(user_info).on(Method::POST, user_info_by_post).mount(routes);
    at("/auth/userInfo").get(old_user_info).mount(routes);
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct SignUpBody {
    email: String,
    /// 10 to 256 characters.
    password: String,
    name: Option<String>,
    /// 3 to 32 letters, digits, hyphens and underscores.
    username: Option<String>,
}

impl SignUpBody {
    fn parse(self, mut errors: FieldViolations) -> Result<SignUp, Error> {
        let email = errors.note("email", Email::parse(&self.email));
        let password = errors.note("password", Password::parse(Secret::new(self.password)));
        let name = self.name.map(|text| errors.note("name", Name::parse(&text)));
        let username = self.username.map(|text| errors.note("username", Username::parse(&text)));
        errors.or(email.zip(password).map(|(email, password)| SignUp {
            email,
            password,
            name: name.flatten(),
            username: username.flatten(),
        }))
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct AccountCreated {
    id: String,
    email: String,
    username: Option<String>,
    name: Option<String>,
    #[schema(format = DateTime)]
    created_at: String,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LoginBody {
    /// The email, unless the username is given.
    email: Option<String>,
    username: Option<String>,
    password: String,
}

impl LoginBody {
    fn parse(self, mut errors: FieldViolations) -> Result<(Login, Secret), Error> {
        let login = match (&self.email, &self.username) {
            (Some(text), None) | (None, Some(text)) => Some(Login::parse(text)),
            _ => errors.note("email", Err("send either an email or a username")),
        };
        errors.or(login.map(|login| (login, Secret::new(self.password))))
    }
}

/// Tokens (RFC 6749 §5.1).
#[derive(Serialize, ToSchema)]
pub(crate) struct TokenBody {
    access_token: String,
    token_type: &'static str,
    /// Seconds.
    expires_in: i64,
    refresh_token: String,
    /// The same, as some programs read it.
    refresh: String,
    scope: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    id_token: Option<String>,
}

impl From<Tokens> for TokenBody {
    fn from(tokens: Tokens) -> Self {
        Self {
            access_token: tokens.access_token.expose().to_owned(),
            token_type: "Bearer",
            expires_in: tokens.lasts.num_seconds(),
            refresh_token: tokens.refresh_token.expose().to_owned(),
            refresh: tokens.refresh_token.expose().to_owned(),
            scope: tokens.scopes.to_string(),
            id_token: tokens.id_token.map(|token| token.expose().to_owned()),
        }
    }
}

/// The claims that the token's scopes show (OpenID Connect Core §5.3.2).
#[derive(Serialize, ToSchema)]
pub(crate) struct UserInfo {
    sub: String,
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    email_verified: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    username: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    picture: Option<String>,
}

impl UserInfo {
    fn of(account: Account, scopes: &ScopeSet) -> Self {
        let (profile, email) = (scopes.has(Scope::Profile), scopes.has(Scope::Email));
        Self {
            sub: account.id.to_string(),
            id: account.id.to_string(),
            name: account.name.filter(|_| profile).map(|name| name.to_string()),
            email: email.then(|| account.email.to_string()),
            email_verified: email.then_some(account.email_verified),
            username: account.username.filter(|_| profile).map(|name| name.to_string()),
            picture: None,
        }
    }
}

/// Make an account
#[utoipa::path(post, path = "/auth/signup", operation_id = "signUp", tag = "auth", request_body = SignUpBody,
    responses((status = 201, body = inline(Data<AccountCreated>)),
        (status = 403, body = ErrorBody, description = "`signup_closed`: the operator decides who may sign up"),
        (status = 409, body = ErrorBody), (status = 429, body = ErrorBody)))]
pub(crate) async fn sign_up(api: web::Data<Api>, visitor: Visitor, body: JsonBody) -> Result<HttpResponse, ApiError> {
    let command = body.of_entity::<AccountCreated>().read(SignUpBody::parse)?;
    let signed_up = api.steward.accounts.sign_up(visitor.request, command).await?;
    let account = signed_up.account().clone();
    Ok(answer::created(&Data {
        data: AccountCreated {
            id: account.id.to_string(),
            email: account.email.to_string(),
            username: account.username.map(|name| name.to_string()),
            name: account.name.map(|name| name.to_string()),
            created_at: moment(account.created_at),
        },
    }))
}

/// Begin a first-party session
#[utoipa::path(post, path = "/auth/login", operation_id = "logIn", tag = "auth", request_body = LoginBody,
    responses((status = 200, body = TokenBody), (status = 429, body = ErrorBody)))]
pub(crate) async fn log_in(api: web::Data<Api>, visitor: Visitor, body: JsonBody) -> Result<HttpResponse, ApiError> {
    let (login, password) = body.read(LoginBody::parse)?;
    let authenticated = api.steward.accounts.authenticate(&visitor.request, &login, password, "").await?;
    let tokens = api.steward.token_grants.first_party(visitor.request, authenticated).await?;
    Ok(answer::secret(&TokenBody::from(tokens)))
}

/// Tell who the caller is
#[utoipa::path(get, path = "/auth/userinfo", operation_id = "getUserInfo", tag = "auth",
    responses((status = 200, body = UserInfo)))]
pub(crate) async fn user_info(api: web::Data<Api>, caller: Authenticated) -> Result<HttpResponse, ApiError> {
    let (account, scopes) = api.steward.accounts.whoami(&caller.0).await?;
    Ok(answer::ok(&UserInfo::of(account, &scopes)))
}

/// Tell who the caller is, as OpenID Connect Core §5.3 wants it of POST too
#[utoipa::path(post, path = "/auth/userinfo", operation_id = "postUserInfo", tag = "auth",
    responses((status = 200, body = UserInfo)))]
pub(crate) async fn user_info_by_post(api: web::Data<Api>, caller: Authenticated) -> Result<HttpResponse, ApiError> {
    user_info(api, caller).await
}

/// Moved for good to /auth/userinfo
#[utoipa::path(get, path = "/auth/userInfo", operation_id = "getUserInfoMoved", tag = "service",
    responses((status = 301, description = "at /auth/userinfo"), CredentialError))]
pub(crate) async fn old_user_info(_: Visitor) -> HttpResponse {
    HttpResponse::MovedPermanently().insert_header((LOCATION, "/auth/userinfo")).finish()
}
