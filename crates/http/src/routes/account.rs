//! Sign-up, login and user info (docs/contract.md#accounts).

use actix_web::http::header::LOCATION;
use actix_web::{HttpRequest, HttpResponse, web};
use serde::{Deserialize, Serialize};
use steward_domain::error::{Error, FieldViolations, ResourceKind};
use steward_domain::model::{Account, Email, Login, Name, Password, Scope, ScopeSet, Secret, Username};
use steward_domain::usecases::{SignUp, Tokens};
use utoipa::ToSchema;

use crate::Api;
use crate::error::ApiError;
use crate::extract::body::JsonBody;
use crate::extract::precondition::ResourceTag;
use crate::extract::{Authenticated, OptionalCaller};
use crate::response::{self, Data, format_timestamp};
use crate::route::{ApiRoute, operations, service_routes};

pub(crate) fn routes() -> Vec<ApiRoute> {
    let mut routes = operations! {
        SignUp => sign_up [NotSetUp, SignupClosed, EmailTaken, UsernameTaken];
        LogIn => log_in [InvalidCredentials];
        UserInfo => user_info [PreconditionFailed];
        UserInfoPost => user_info_by_post;
    };
    routes.extend(service_routes! {
        user_info_moved;
    });
    routes
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct NewAccount {
    /// Email address. It is unique across the service, case-insensitively.
    email: String,
    /// Password of 10 to 256 characters. The most common passwords are rejected.
    password: String,
    /// Name of the person: 1 to 100 characters.
    #[schema(example = "Ann Example")]
    name: Option<String>,
    /// Username: 3 to 32 letters, digits, hyphens and underscores. It is unique across the service, case-insensitively.
    username: Option<String>,
}

impl NewAccount {
    fn parse(self, mut errors: FieldViolations) -> Result<SignUp, Error> {
        let email = errors.check("email", Email::parse(&self.email));
        let password = errors.check("password", Password::parse(Secret::new(self.password)));
        let name = self.name.map(|text| errors.check("name", Name::parse(&text)));
        let username = self.username.map(|text| errors.check("username", Username::parse(&text)));
        errors.finish(email.zip(password).map(|(email, password)| SignUp {
            email,
            password,
            name: name.flatten(),
            username: username.flatten(),
        }))
    }
}

/// The new account.
#[derive(Serialize, ToSchema)]
pub(crate) struct AccountCreated {
    /// Unique ID of the account.
    id: String,
    /// Email address of the account.
    email: String,
    /// Username of the account; null if it has none.
    username: Option<String>,
    /// Name of the person; null if none was given.
    #[schema(example = "Ann Example")]
    name: Option<String>,
    /// When the account was created.
    #[schema(format = DateTime)]
    created_at: String,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"email": "ann@example.com", "password": "correct horse battery staple"}))]
pub(crate) struct PasswordLogin {
    /// Email address of the account. Send either `email` or `username`.
    email: Option<String>,
    /// Username of the account. Send either `email` or `username`.
    username: Option<String>,
    /// Password of the account.
    password: String,
}

impl PasswordLogin {
    fn parse(self, mut errors: FieldViolations) -> Result<(Login, Secret), Error> {
        let login = match (&self.email, &self.username) {
            (Some(text), None) | (None, Some(text)) => Some(Login::parse(text)),
            _ => errors.check("email", Err("either `email` or `username` is required, but not both")),
        };
        errors.finish(login.map(|login| (login, Secret::new(self.password))))
    }
}

/// Response with tokens (RFC 6749 §5.1).
#[derive(Serialize, ToSchema)]
pub(crate) struct TokenBody {
    /// Access token (JWT). Send it as `Authorization: Bearer <token>`.
    #[schema(example = "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJleGFtcGxlIn0.ZXhhbXBsZQ")]
    access_token: String,
    /// Always `Bearer`.
    #[schema(example = "Bearer")]
    token_type: &'static str,
    /// Lifetime of the access token in seconds.
    #[schema(example = 900)]
    expires_in: i64,
    /// Refresh token. Exchange it at `POST /auth/token` for new tokens.
    #[schema(example = "stw_rt_ExampleExampleExampleExampleExampleExampleE")]
    refresh_token: String,
    /// Same value as `refresh_token`, for clients that read this name.
    #[schema(example = "stw_rt_ExampleExampleExampleExampleExampleExampleE")]
    refresh: String,
    /// Space-separated scopes that were granted.
    #[schema(example = "openid profile email")]
    scope: String,
    /// ID token (JWT, OpenID Connect Core §2). Only present if the scope `openid` was granted.
    #[schema(example = "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.eyJhdWQiOiJleGFtcGxlIn0.ZXhhbXBsZQ")]
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

/// Claims that the scopes of the token give access to (OpenID Connect Core §5.3.2).
#[derive(Serialize, ToSchema)]
pub(crate) struct UserInfo {
    /// Unique ID of the account, as in the `sub` claim of its tokens.
    #[schema(example = "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55")]
    sub: String,
    /// Same value as `sub`.
    id: String,
    /// Name of the person. Only present with the scope `profile`, and if the account has a name.
    #[schema(example = "Ann Example")]
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Username. Only present with the scope `profile`, and if the account has a username.
    #[schema(example = "ann")]
    #[serde(skip_serializing_if = "Option::is_none")]
    preferred_username: Option<String>,
    /// Email address. Only present with the scope `email`.
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<String>,
    /// Whether the person proved that the email address is theirs. Only present with the scope `email`.
    #[serde(skip_serializing_if = "Option::is_none")]
    email_verified: Option<bool>,
    /// Same value as `preferred_username`, for clients that read this name.
    #[serde(skip_serializing_if = "Option::is_none")]
    username: Option<String>,
    /// URL of a profile picture. Accounts have no pictures, so it is never present.
    #[schema(example = "https://example.com/ann.png")]
    #[serde(skip_serializing_if = "Option::is_none")]
    picture: Option<String>,
}

impl UserInfo {
    fn of(account: Account, scopes: &ScopeSet) -> Self {
        let (profile, email) = (scopes.has(Scope::Profile), scopes.has(Scope::Email));
        let username = account.username.filter(|_| profile).map(|name| name.to_string());
        Self {
            sub: account.id.to_string(),
            id: account.id.to_string(),
            name: account.name.filter(|_| profile).map(|name| name.to_string()),
            preferred_username: username.clone(),
            email: email.then(|| account.email.to_string()),
            email_verified: email.then_some(account.email_verified),
            username,
            picture: None,
        }
    }
}

/// Sign up
///
/// Creates an account, if the sign-up policy of the service allows it. Until the first account of a new service is
/// created with the link in its log, `not_set_up` is returned. The email address is unverified at first; the
/// service sends a verification link to it.
#[utoipa::path(post, path = "/auth/signup", tag = "auth", request_body = NewAccount,
    responses((status = 201, body = inline(Data<AccountCreated>), description = "The account was created.")))]
pub(crate) async fn sign_up(
    api: web::Data<Api>,
    visitor: OptionalCaller,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let command = body.ignoring_fields_of::<AccountCreated>().read(NewAccount::parse)?;
    let authenticated = api.steward.accounts.sign_up(visitor.request, command).await?;
    let account = authenticated.account().clone();
    let tag = ResourceTag::of(account.revision, &UserInfo::of(account.clone(), &ScopeSet::first_party()));
    let created = response::created(&Data {
        data: AccountCreated {
            id: account.id.to_string(),
            email: account.email.to_string(),
            username: account.username.map(|name| name.to_string()),
            name: account.name.map(|name| name.to_string()),
            created_at: format_timestamp(account.created_at),
        },
    });
    Ok(response::tagged(tag, created))
}

/// Log in
///
/// Checks the password of an account and returns the tokens of a first-party session. They have the scope `admin` and
/// can administer teams and projects. Applications of projects use `GET /auth/authorize` instead.
#[utoipa::path(post, path = "/auth/login", tag = "auth", request_body = PasswordLogin,
    responses((status = 200, body = TokenBody, description = "The tokens of the session.")))]
pub(crate) async fn log_in(
    api: web::Data<Api>,
    visitor: OptionalCaller,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (login, password) = body.read(PasswordLogin::parse)?;
    let authenticated = api.steward.accounts.authenticate(&visitor.request, &login, password, "").await?;
    let tokens = api.steward.token_grants.first_party(visitor.request, authenticated).await?;
    Ok(response::secret(&TokenBody::from(tokens)))
}

/// Get user info
///
/// Returns the claims about the caller's account that the scopes of the access token give access to.
#[utoipa::path(get, path = "/auth/userinfo", tag = "auth",
    responses((status = 200, body = UserInfo, description = "The claims about the account."),
        (status = 304, description = "The claims have the ETag in `If-None-Match`.")))]
pub(crate) async fn user_info(
    api: web::Data<Api>,
    request: HttpRequest,
    caller: Authenticated,
) -> Result<HttpResponse, ApiError> {
    let (account, scopes) = api.steward.accounts.whoami(&caller.0).await?;
    let (revision, body) = (account.revision, UserInfo::of(account, &scopes));
    response::resource(&request, ResourceKind::Account, revision, &body)
}

/// Get user info with POST
///
/// Same as `GET /auth/userinfo`. OpenID Connect Core §5.3 requires both methods.
#[utoipa::path(post, path = "/auth/userinfo", tag = "auth",
    responses((status = 200, body = UserInfo, description = "The claims about the account.")))]
pub(crate) async fn user_info_by_post(api: web::Data<Api>, caller: Authenticated) -> Result<HttpResponse, ApiError> {
    let (account, scopes) = api.steward.accounts.whoami(&caller.0).await?;
    let (revision, body) = (account.revision, UserInfo::of(account, &scopes));
    Ok(response::changed(revision, &body))
}

/// Redirect to user info
///
/// The user info moved permanently to `/auth/userinfo`.
#[utoipa::path(get, path = "/auth/userInfo", operation_id = "getUserInfoMoved", tag = "service",
    responses((status = 301, description = "Redirects to `/auth/userinfo`.")))]
pub(crate) async fn user_info_moved(_: OptionalCaller) -> HttpResponse {
    HttpResponse::MovedPermanently().insert_header((LOCATION, "/auth/userinfo")).finish()
}
