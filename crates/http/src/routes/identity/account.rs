//! Sign-up, login and user info (docs/contract.md#accounts).

use actix_web::http::header::{LOCATION, ORIGIN};
use steward_api as wire;
use steward_domain::identity::{Account, Email, Login, Password, Scope, ScopeSet, SignUp, Tokens, Username};
use steward_domain::kernel::error::{AuthenticationError, Error, FieldViolations};
use steward_domain::kernel::{Caller, Name, Secret};
use steward_web::conditions_of;

use crate::error::ApiError;
use crate::extract::authenticated;
use crate::extract::caller::credential;
use crate::route::serve;
use crate::serve::{Anyone, Call, Open, Outcome, Tag};

serve! {
    SignUp => sign_up;
    LogIn => log_in;
    GetUserInfo => user_info;
    PostUserInfo => user_info_by_post;
    GetUserInfoMoved => user_info_moved;
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

async fn sign_up(call: Call<wire::SignUp, Open>) -> Outcome<wire::SignUp> {
    let command = call.body()?.read(parse_new_account)?;
    let authenticated = call.api.steward.accounts.sign_up(call.caller.clone(), command).await?;
    let account = authenticated.account().clone();
    let created = wire::CreatedAccount {
        id: account.id.uuid().into(),
        email: account.email.to_string(),
        username: account.username.as_ref().map(ToString::to_string),
        name: account.name.as_ref().map(ToString::to_string),
        created_at: account.created_at.into(),
    };
    call.about(Tag::of(account.revision, &claims(account, &ScopeSet::first_party())), created)
}

async fn log_in(call: Call<wire::LogIn, Open>) -> Outcome<wire::LogIn> {
    let (login, password) = call.body()?.read(parse_password_login)?;
    let authenticated = call.api.steward.accounts.authenticate_for_tokens(&call.caller, &login, password).await?;
    let tokens = call.api.steward.token_grants.first_party(call.caller.clone(), authenticated).await?;
    call.reply(token_response(tokens))
}

async fn user_info(call: Call<wire::GetUserInfo>) -> Outcome<wire::GetUserInfo> {
    let (account, scopes) = call.api.steward.accounts.whoami(&call.caller).await?;
    call.shows(account.revision, claims(account, &scopes))
}

async fn user_info_by_post(call: Call<wire::PostUserInfo, Anyone>) -> Outcome<wire::PostUserInfo> {
    let caller = match credential(&call.api, &call.request)? {
        Some(_) => authenticated(&call.api, &call.request).await?,
        None => token_in_body(&call).await?,
    };
    let (account, scopes) = call.api.steward.accounts.whoami(&caller).await?;
    call.shows(account.revision, claims(account, &scopes))
}

/// Returns the caller whose access token is in the body (RFC 6750 §2.2), for libraries that send it there by default.
async fn token_in_body(call: &Call<wire::PostUserInfo, Anyone>) -> Result<Caller, ApiError> {
    let parameters = call.form()?.read()?;
    let token = parameters.one("access_token").map_err(Error::from)?;
    let token = token.ok_or(Error::from(AuthenticationError::Missing))?;
    let authentication = &call.api.steward.authentication;
    let token = authentication.presented(token, call.request.headers().contains_key(ORIGIN));
    Ok(authentication.bearer(&token, call.caller.clone(), conditions_of(&call.request)).await?)
}

async fn user_info_moved(call: Call<wire::GetUserInfoMoved, Open>) -> Outcome<wire::GetUserInfoMoved> {
    Ok(call.nothing()?.with(LOCATION, "/auth/userinfo"))
}
