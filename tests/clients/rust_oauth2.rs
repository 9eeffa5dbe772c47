//! Tests the crate `oauth2` with the HTTP client of the tests.

use oauth2::basic::{BasicClient, BasicErrorResponseType, BasicRequestTokenError};
use oauth2::{
    AuthUrl, AuthorizationCode, ClientId, ClientSecret, CsrfToken, HttpRequest, PkceCodeChallenge, RedirectUrl,
    RevocationUrl, Scope, StandardRevocableToken, TokenResponse, TokenUrl,
};
use serde_json::Value;
use steward_tests::{App, Backend, Browser, parameter};

use crate::rust_openidconnect::send;
use crate::{CALLBACK, ann_and_a_client};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn oauth2_signs_a_user_in_and_revokes_the_tokens() {
    let app = App::start(Backend::Sqlite).await;
    for client_id in ann_and_a_client(&app).await {
        sign_in_and_revoke(&app, client_id).await;
    }
}

async fn sign_in_and_revoke(app: &App, client_id: String) {
    let client = app.client.clone();
    let http = move |request| send(client.clone(), without_tls(request));
    // By default, the library sends the ID and secret with HTTP Basic authentication.
    let client = BasicClient::new(ClientId::new(client_id))
        .set_client_secret(ClientSecret::new("unused".to_owned()))
        .set_auth_uri(AuthUrl::new(format!("{}/auth/authorize", app.base)).unwrap())
        .set_token_uri(TokenUrl::new(format!("{}/auth/token", app.base)).unwrap())
        .set_redirect_uri(RedirectUrl::new(CALLBACK.to_owned()).unwrap())
        // The library requires HTTPS here.
        .set_revocation_url(RevocationUrl::new(format!("{}/auth/revoke", https(&app.base))).unwrap());

    let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
    let (address, state) = client
        .authorize_url(CsrfToken::new_random)
        .add_scopes(["openid", "email", "profile"].map(|scope| Scope::new(scope.to_owned())))
        .set_pkce_challenge(challenge)
        .url();
    let callback = Browser::new(app).sign_in_and_allow(address.as_str(), "ann").await;
    assert_eq!(parameter(&callback, "state").as_ref(), Some(state.secret()), "{callback}");
    let code = AuthorizationCode::new(parameter(&callback, "code").unwrap());
    let tokens = client.exchange_code(code).set_pkce_verifier(verifier).request_async(&http).await.unwrap();

    let request = app.client.get(format!("{}/auth/userinfo", app.base)).bearer_auth(tokens.access_token().secret());
    let user: Value = request.send().await.unwrap().json().await.unwrap();
    assert_eq!((user["name"].as_str(), user["email"].as_str()), (Some("ann"), Some("ann@example.com")), "{user}");

    let first = tokens.refresh_token().unwrap();
    let refreshed = client.exchange_refresh_token(first).request_async(&http).await.unwrap();
    let second = refreshed.refresh_token().unwrap();
    assert_ne!(second.secret(), first.secret());
    client.revoke_token(StandardRevocableToken::from(second)).unwrap().request_async(&http).await.unwrap();
    match client.exchange_refresh_token(second).request_async(&http).await {
        Err(BasicRequestTokenError::ServerResponse(response)) => {
            assert_eq!(response.error(), &BasicErrorResponseType::InvalidGrant, "{response}");
        }
        other => panic!("Expected an error response of the service, got {other:?}."),
    }
}

fn https(url: &str) -> String {
    url.replacen("http:", "https:", 1)
}

/// Sends a request for an HTTPS URL to the service, which has no TLS.
fn without_tls(mut request: HttpRequest) -> HttpRequest {
    *request.uri_mut() = request.uri().to_string().replacen("https:", "http:", 1).parse().unwrap();
    request
}
