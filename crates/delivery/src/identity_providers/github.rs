//! GitHub: OAuth 2.0 with PKCE, and its API instead of an ID token
//! (<https://docs.github.com/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps>).

use http::Request;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use serde::Deserialize;
use serde_json::Value;
use steward_domain::identity::{IdentityProvider, ProviderError, ProviderIdentity, ProviderRequest, ProviderResponse};
use steward_domain::kernel::Secret;
use url::{Url, form_urlencoded};

use super::fetch::{ProviderHttp, ProviderHttpRequest, unreachable};
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
    id: Option<Value>,
    name: Option<Value>,
}

#[derive(Deserialize)]
struct UserEmail {
    email: Option<Value>,
    primary: Option<Value>,
    verified: Option<Value>,
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
        .append_pair("code_challenge_method", "S256")
        .extend_pairs(request.login_hint.as_ref().map(|hint| ("login", hint)));
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
    let request = Request::post(format!("{}/login/oauth/access_token", base(provider)))
        .header(ACCEPT, "application/json")
        .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
        .body(form.into_bytes());
    let token = match http.json(request).await? {
        TokenResponse::Token { access_token } => Secret::new(access_token),
        TokenResponse::Error { error } => return Err(ProviderError::Invalid(error)),
    };
    let user: User = http.json(api_request(provider, "/user", &token)).await?;
    let emails: Vec<UserEmail> = http.json(api_request(provider, "/user/emails", &token)).await?;
    let is_true = |value: Option<&Value>| value.and_then(Value::as_bool).unwrap_or_default();
    let primary = emails
        .iter()
        .find(|email| is_true(email.primary.as_ref()))
        .and_then(|email| Some((email.email.as_ref()?.as_str()?, Some(is_true(email.verified.as_ref())))));
    // The name of a user can change and pass to another one, but not the number.
    let id = user.id.as_ref().and_then(Value::as_u64);
    let id = id.ok_or_else(|| ProviderError::Claim { name: "id", problem: "must be a number".to_owned() })?;
    identity_of(&id.to_string(), primary, user.name.as_ref().and_then(Value::as_str))
}

fn base(provider: &IdentityProvider) -> &str {
    provider.issuer.as_str().trim_end_matches('/')
}

fn api_request(provider: &IdentityProvider, path: &str, token: &Secret) -> ProviderHttpRequest {
    let base = base(provider);
    let api = if base == PUBLIC { PUBLIC_API.to_owned() } else { format!("{base}/api/v3") };
    Request::get(format!("{api}{path}"))
        .header(ACCEPT, "application/vnd.github+json")
        .header(AUTHORIZATION, format!("Bearer {}", token.expose()))
        .body(Vec::new())
}
