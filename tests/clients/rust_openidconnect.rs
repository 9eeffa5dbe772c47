//! The crate `openidconnect`, over the tests' own HTTP client.

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
    async fn a_program_with_openidconnect_signs_a_person_in(app: &App) {
        for client_id in ann_and_a_client(app).await {
            signs_ann_in_and_loses_its_tokens_to_a_replayed_code(app, client_id).await;
        }
    }
}

async fn signs_ann_in_and_loses_its_tokens_to_a_replayed_code(app: &App, client_id: String) {
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
    let answer: HashMap<String, String> = callback.query_pairs().into_owned().collect();
    assert!(callback.as_str().starts_with(CALLBACK), "{callback}");
    assert_eq!(answer.get("state"), Some(state.secret()), "{callback}");
    assert_eq!(answer.get("iss"), Some(&app.base), "{callback}");

    let redeem = || {
        let code = AuthorizationCode::new(answer["code"].clone());
        let request = client.exchange_code(code).unwrap();
        request.set_pkce_verifier(PkceCodeVerifier::new(verifier.secret().clone()))
    };
    let tokens: CoreTokenResponse = redeem().request_async(&http).await.unwrap();

    let id_token = tokens.id_token().expect("an ID token for the scope openid");
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
    // A client whose answer was lost asks once more with the token it has, and gets what it missed.
    let again = refresh(first).await.unwrap();
    assert_eq!(again.access_token().secret(), refreshed.access_token().secret());
    assert_eq!(refresh_token(&again).secret(), second.secret());

    is_invalid_grant(redeem().request_async(&http).await);
    is_invalid_grant(refresh(second).await);
}

fn refresh_token(tokens: &CoreTokenResponse) -> RefreshToken {
    tokens.refresh_token().expect("a refresh token").clone()
}

#[track_caller]
fn is_invalid_grant(outcome: Result<CoreTokenResponse, CoreRequestTokenError<reqwest::Error>>) {
    match outcome {
        Err(CoreRequestTokenError::ServerResponse(refusal)) => {
            assert_eq!(refusal.error(), &CoreErrorResponseType::InvalidGrant, "{refusal}");
        }
        other => panic!("not refused by the service, but {other:?}"),
    }
}

async fn send(client: reqwest::Client, request: HttpRequest) -> Result<HttpResponse, reqwest::Error> {
    let answer = client.execute(request.try_into()?).await?;
    let (status, headers) = (answer.status(), answer.headers().clone());
    let mut response = HttpResponse::new(answer.bytes().await?.to_vec());
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    Ok(response)
}
