//! GitHub: OAuth 2.0 with PKCE, and its API instead of an ID token
//! (<https://docs.github.com/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps>).

use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use http::{Method, Request};
use openidconnect::HttpRequest;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use steward_domain::model::{IdentityProvider, ProviderIdentity, Secret};
use steward_domain::ports::{ProviderError, ProviderRequest, ProviderResponse};
use url::{Url, form_urlencoded};

use super::fetch::ProviderHttp;
use super::identity::identity_of;

/// The address of the API of the public service. That of a GitHub Enterprise Server is below its own.
const PUBLIC: &str = "https://github.com";
const PUBLIC_API: &str = "https://api.github.com";

#[derive(Deserialize)]
#[serde(untagged)]
enum TokenResponse {
    Token { access_token: String },
    Error { error: String },
}

#[derive(Deserialize)]
struct User {
    id: u64,
    name: Option<String>,
}

#[derive(Deserialize)]
struct UserEmail {
    email: String,
    primary: bool,
    verified: bool,
}

/// Returns the URL of the authorization request. GitHub cannot be asked to authenticate the person again; with `prompt`, the
/// person chooses the account.
pub(super) fn authorization_url(
    provider: &IdentityProvider,
    request: &ProviderRequest,
) -> Result<String, ProviderError> {
    let mut url: Url = format!("{}/login/oauth/authorize", base(provider)).parse().map_err(unreachable)?;
    let mut query = url.query_pairs_mut();
    query
        .append_pair("client_id", provider.client_id.as_str())
        .append_pair("redirect_uri", &request.redirect_uri)
        .append_pair("scope", "read:user user:email")
        .append_pair("state", request.state.expose())
        .append_pair("code_challenge", &request.code_challenge)
        .append_pair("code_challenge_method", "S256");
    if let Some(hint) = &request.login_hint {
        query.append_pair("login", hint);
    }
    if request.must_authenticate {
        query.append_pair("prompt", "select_account");
    }
    drop(query);
    Ok(url.into())
}

/// Redeems the code, and returns whose it is.
pub(super) async fn identity(
    http: &ProviderHttp,
    provider: &IdentityProvider,
    client_secret: Option<&Secret>,
    response: &ProviderResponse,
) -> Result<ProviderIdentity, ProviderError> {
    let form = form_urlencoded::Serializer::new(String::new())
        .append_pair("client_id", provider.client_id.as_str())
        .append_pair("client_secret", client_secret.map_or("", Secret::expose))
        .append_pair("code", response.code.expose())
        .append_pair("redirect_uri", &response.redirect_uri)
        .append_pair("code_verifier", response.code_verifier.expose())
        .finish();
    let request = Request::builder()
        .method(Method::POST)
        .uri(format!("{}/login/oauth/access_token", base(provider)))
        .header(ACCEPT, "application/json")
        .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
        .body(form.into_bytes());
    let token = match fetch(http, request.map_err(unreachable)?).await? {
        TokenResponse::Token { access_token } => Secret::new(access_token),
        TokenResponse::Error { error } => return Err(ProviderError::Invalid(error)),
    };
    let user: User = fetch(http, api_request(provider, "/user", &token)?).await?;
    let emails: Vec<UserEmail> = fetch(http, api_request(provider, "/user/emails", &token)?).await?;
    let primary = emails.iter().find(|email| email.primary).map(|email| (email.email.as_str(), Some(email.verified)));
    // The name of a user can change and pass to another one, but not the number.
    identity_of(&user.id.to_string(), primary, user.name.as_deref())
}

fn base(provider: &IdentityProvider) -> &str {
    provider.issuer.as_str().trim_end_matches('/')
}

fn api_request(provider: &IdentityProvider, path: &str, token: &Secret) -> Result<HttpRequest, ProviderError> {
    let base = base(provider);
    let api = if base == PUBLIC { PUBLIC_API.to_owned() } else { format!("{base}/api/v3") };
    Request::builder()
        .uri(format!("{api}{path}"))
        .header(ACCEPT, "application/vnd.github+json")
        .header(AUTHORIZATION, format!("Bearer {}", token.expose()))
        .body(Vec::new())
        .map_err(unreachable)
}

async fn fetch<T: DeserializeOwned>(http: &ProviderHttp, request: HttpRequest) -> Result<T, ProviderError> {
    let response = http.clone().send(request).await.map_err(unreachable)?;
    if !response.status().is_success() {
        return Err(ProviderError::Invalid(format!("the status was {}", response.status().as_u16())));
    }
    // The text of the error could contain a part of the token.
    serde_json::from_slice(response.body())
        .map_err(|_| ProviderError::Invalid("the response is not as expected".to_owned()))
}

fn unreachable(error: impl Into<anyhow::Error>) -> ProviderError {
    ProviderError::Unreachable(format!("{:#}", error.into()))
}
