//! Tests the crate `openidconnect` with the HTTP client of the tests.

use openidconnect::core::{
    CoreAuthenticationFlow, CoreClient, CoreErrorResponseType, CoreIdToken, CoreRequestTokenError, CoreTokenResponse,
    CoreUserInfoClaims,
};
use openidconnect::{
    AccessTokenHash, AuthorizationCode, ClientId, CsrfToken, EndSessionUrl, EndUserEmail, EndUserName, HttpRequest,
    HttpResponse, IssuerUrl, LocalizedClaim, LogoutRequest, Nonce, OAuth2TokenResponse, PkceCodeChallenge,
    PkceCodeVerifier, PostLogoutRedirectUrl, ProviderMetadataWithLogout, RedirectUrl, RefreshToken, Scope,
    TokenResponse,
};
use steward_tests::{App, Browser, on_both_in_full, parameter};

use crate::{CALLBACK, SIGNED_OUT, ann_and_a_client, sign_out};

on_both_in_full! {
    async fn openidconnect_signs_in_a_user(app: &App) {
        for client_id in ann_and_a_client(app).await {
            sign_in_replay_the_code_and_sign_out(app, client_id).await;
        }
    }
}

async fn sign_in_replay_the_code_and_sign_out(app: &App, client_id: String) {
    let client = app.client.clone();
    let http = move |request| send(client.clone(), request);
    let issuer = IssuerUrl::new(app.base.clone()).unwrap();
    let provider = ProviderMetadataWithLogout::discover_async(issuer, &http).await.unwrap();
    let end_session = provider.additional_metadata().end_session_endpoint.clone().unwrap();
    let client = CoreClient::from_provider_metadata(provider, ClientId::new(client_id), None)
        .set_redirect_uri(RedirectUrl::new(CALLBACK.to_owned()).unwrap());

    let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
    let (address, state, nonce) = client
        .authorize_url(CoreAuthenticationFlow::AuthorizationCode, CsrfToken::new_random, Nonce::new_random)
        .add_scopes(["email", "profile"].map(|scope| Scope::new(scope.to_owned())))
        .set_pkce_challenge(challenge)
        .url();
    let browser = Browser::new(app);
    let callback = browser.sign_in_and_allow(address.as_str(), "ann").await;
    assert!(callback.starts_with(CALLBACK), "{callback}");
    assert_eq!(parameter(&callback, "state").as_ref(), Some(state.secret()), "{callback}");
    assert_eq!(parameter(&callback, "iss").as_ref(), Some(&app.base), "{callback}");

    let redeem = || {
        let code = AuthorizationCode::new(parameter(&callback, "code").unwrap());
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
    assert_ann(claims.name(), claims.email());

    let user_info = client.user_info(tokens.access_token().clone(), Some(claims.subject().clone())).unwrap();
    let user_info: CoreUserInfoClaims = user_info.request_async(&http).await.unwrap();
    assert_ann(user_info.name(), user_info.email());

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

    sign_out(&browser, &logout_url(end_session, id_token), address.as_str()).await;
}

fn logout_url(end_session: EndSessionUrl, id_token: &CoreIdToken) -> String {
    let logout = LogoutRequest::from(end_session)
        .set_id_token_hint(id_token)
        .set_post_logout_redirect_uri(PostLogoutRedirectUrl::new(SIGNED_OUT.to_owned()).unwrap());
    logout.http_get_url().into()
}

#[track_caller]
fn assert_ann(name: Option<&LocalizedClaim<EndUserName>>, email: Option<&EndUserEmail>) {
    assert_eq!(name.and_then(|name| name.get(None)).map(|name| name.as_str()), Some("ann"));
    assert_eq!(email.map(|email| email.as_str()), Some("ann@example.com"));
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

pub async fn send(client: reqwest::Client, request: HttpRequest) -> Result<HttpResponse, reqwest::Error> {
    let received = client.execute(request.try_into()?).await?;
    let (status, headers) = (received.status(), received.headers().clone());
    let mut response = HttpResponse::new(received.bytes().await?.to_vec());
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    Ok(response)
}
