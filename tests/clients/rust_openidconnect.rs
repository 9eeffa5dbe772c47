//! Tests the crate `openidconnect` with the HTTP client of the tests.

use std::collections::HashMap;

use openidconnect::core::{
    CoreAuthenticationFlow, CoreClient, CoreErrorResponseType, CoreProviderMetadata, CoreRequestTokenError,
    CoreTokenResponse, CoreUserInfoClaims,
};
use openidconnect::{
    AccessTokenHash, AuthorizationCode, ClientId, CsrfToken, HttpRequest, HttpResponse, IssuerUrl, Nonce,
    OAuth2TokenResponse, PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, RefreshToken, Scope, TokenResponse,
};
use steward_tests::{App, Browser, on_both};
use url::Url;

use crate::{CALLBACK, ann_and_a_client};

on_both! {
    async fn openidconnect_signs_in_a_user(app: &App) {
        for client_id in ann_and_a_client(app).await {
            sign_in_and_replay_the_code(app, client_id).await;
        }
    }
}

async fn sign_in_and_replay_the_code(app: &App, client_id: String) {
    let client = app.client.clone();
    let http = move |request| send(client.clone(), request);
    let issuer = IssuerUrl::new(app.base.clone()).unwrap();
    let provider = CoreProviderMetadata::discover_async(issuer, &http).await.unwrap();
    let client = CoreClient::from_provider_metadata(provider, ClientId::new(client_id), None)
        .set_redirect_uri(RedirectUrl::new(CALLBACK.to_owned()).unwrap());

    let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
    let (address, state, nonce) = client
        .authorize_url(CoreAuthenticationFlow::AuthorizationCode, CsrfToken::new_random, Nonce::new_random)
        .add_scopes(["email", "profile"].map(|scope| Scope::new(scope.to_owned())))
        .set_pkce_challenge(challenge)
        .url();
    let callback = Browser::new(app).sign_in_and_allow(address.as_str(), "ann").await;
    let callback = Url::parse(&callback).unwrap();
    let parameters: HashMap<String, String> = callback.query_pairs().into_owned().collect();
    assert!(callback.as_str().starts_with(CALLBACK), "{callback}");
    assert_eq!(parameters.get("state"), Some(state.secret()), "{callback}");
    assert_eq!(parameters.get("iss"), Some(&app.base), "{callback}");

    let redeem = || {
        let code = AuthorizationCode::new(parameters["code"].clone());
        let request = client.exchange_code(code).unwrap();
        request.set_pkce_verifier(PkceCodeVerifier::new(verifier.secret().clone()))
    };
    let tokens: CoreTokenResponse = redeem().request_async(&http).await.unwrap();

    let id_token = tokens.id_token().expect("The scope openid must return an ID token.");
    let id_token_verifier = client.id_token_verifier();
    let claims = id_token.claims(&id_token_verifier, &nonce).unwrap();
    let algorithm = id_token.signing_alg().unwrap();
    let key = id_token.signing_key(&id_token_verifier).unwrap();
    let hash = AccessTokenHash::from_token(tokens.access_token(), algorithm, key).unwrap();
    assert_eq!(claims.access_token_hash(), Some(&hash));

    let user_info = client.user_info(tokens.access_token().clone(), Some(claims.subject().clone())).unwrap();
    let user_info: CoreUserInfoClaims = user_info.request_async(&http).await.unwrap();
    assert_eq!(user_info.email().map(|email| email.as_str()), Some("ann@example.com"));
    let name = user_info.name().and_then(|name| name.get(None)).map(|name| name.as_str());
    assert_eq!(name, Some("ann"));

    let refresh = |token: RefreshToken| {
        let (client, http) = (&client, &http);
        async move { client.exchange_refresh_token(&token).unwrap().request_async(http).await }
    };
    let first = refresh_token(&tokens);
    let refreshed = refresh(first.clone()).await.unwrap();
    let second = refresh_token(&refreshed);
    assert_ne!(refreshed.access_token().secret(), tokens.access_token().secret());
    assert_ne!(second.secret(), first.secret());
    // A client that lost the response repeats the request with its old token and receives the same tokens.
    let again = refresh(first).await.unwrap();
    assert_eq!(again.access_token().secret(), refreshed.access_token().secret());
    assert_eq!(refresh_token(&again).secret(), second.secret());

    assert_invalid_grant(redeem().request_async(&http).await);
    assert_invalid_grant(refresh(second).await);
}

fn refresh_token(tokens: &CoreTokenResponse) -> RefreshToken {
    tokens.refresh_token().expect("The response must contain a refresh token.").clone()
}

#[track_caller]
fn assert_invalid_grant(outcome: Result<CoreTokenResponse, CoreRequestTokenError<reqwest::Error>>) {
    match outcome {
        Err(CoreRequestTokenError::ServerResponse(response)) => {
            assert_eq!(response.error(), &CoreErrorResponseType::InvalidGrant, "{response}");
        }
        other => panic!("Expected an error response of the service, got {other:?}."),
    }
}

async fn send(client: reqwest::Client, request: HttpRequest) -> Result<HttpResponse, reqwest::Error> {
    let received = client.execute(request.try_into()?).await?;
    let (status, headers) = (received.status(), received.headers().clone());
    let mut response = HttpResponse::new(received.bytes().await?.to_vec());
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    Ok(response)
}
