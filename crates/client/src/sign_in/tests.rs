//! Tests of the checks and of refreshes, against a service in the same process.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures_util::future::join_all;
use serde_json::{Value, json};
use steward_api::TokenResponse;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::*;
use crate::TokenSource as _;

const SERVER: &str = "http://127.0.0.1:9";
const CALLBACK: &str = "http://127.0.0.1:49152/callback";

fn sign_in(server: &str) -> SignIn {
    Client::builder(server).max_retries(0).build().unwrap().sign_in("project", CALLBACK)
}

fn tokens(number: usize) -> TokenResponse {
    let (access, refresh) = (format!("access-{number}"), format!("refresh-{number}"));
    serde_json::from_value(json!({
        "access_token": access, "refresh_token": refresh, "token_type": "Bearer", "expires_in": 900, "scope": "openid",
    }))
    .unwrap()
}

/// A service that returns new tokens, or this error, for each request. Returns its URL and the number of requests.
async fn service(error: Option<(u16, &'static str)>) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let number = counted.fetch_add(1, Ordering::Relaxed) + 2;
            let (status, body) = match error {
                None => (200, json!(tokens(number)).to_string()),
                Some((status, code)) => (status, json!({"error": code, "message": "x"}).to_string()),
            };
            let mut request = vec![0; 16 * 1024];
            let read = stream.read(&mut request).await.unwrap();
            let head = String::from_utf8_lossy(&request[..read]).to_ascii_lowercase();
            assert!(!head.contains("authorization:"), "{head}");
            let length = body.len();
            let head = format!("HTTP/1.1 {status} x\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
            stream.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
            stream.shutdown().await.unwrap();
        }
    });
    (url, count)
}

#[test]
fn the_authorization_request_has_a_challenge_that_fits_the_verifier() {
    let started = sign_in(SERVER).start_with(&[("prompt", "login"), ("login_hint", "ann@example.com")]);
    let url = url::Url::parse(&started.url).unwrap();
    let parameter = |name: &str| url.query_pairs().find(|(other, _)| other == name).unwrap().1.into_owned();
    assert!(started.url.starts_with("http://127.0.0.1:9/auth/authorize?"), "{}", started.url);
    assert_eq!((parameter("client_id"), parameter("redirect_uri")), ("project".into(), CALLBACK.into()));
    assert_eq!((parameter("prompt"), parameter("login_hint")), ("login".into(), "ann@example.com".into()));
    assert_eq!((parameter("code_challenge"), parameter("state").len()), (started.pending.challenge(), 43));
    // RFC 7636 appendix B.
    let stored = json!({"state": "s", "nonce": "n", "started_at": 0,
        "verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"});
    let pending: PendingSignIn = serde_json::from_value(stored).unwrap();
    assert_eq!(pending.challenge(), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    assert!(!started.url.contains(started.pending.verifier.expose()));
    assert!(!format!("{:?}", started.pending).contains(started.pending.verifier.expose()));
}

#[test]
fn a_browser_that_returns_with_something_else_is_refused() {
    let pending = PendingSignIn::new();
    let state = pending.state();
    let code = |callback: &str| pending.code_of(callback, SERVER);
    let iss = "iss=http%3A%2F%2F127.0.0.1%3A9";
    assert_eq!(code(&format!("{CALLBACK}?code=c&state={state}&{iss}#x")).unwrap().expose(), "c");
    assert_eq!(code(&format!("code=c&state={state}")).unwrap().expose(), "c");
    for (query, expected) in [
        ("code=c".to_owned(), "sign_in_failed"),
        ("code=c&state=other".to_owned(), "sign_in_failed"),
        (format!("state={state}"), "sign_in_failed"),
        (format!("code=c&state={state}&iss=https%3A%2F%2Fevil.example"), "sign_in_failed"),
        (format!("error=access_denied&state={state}"), "access_denied"),
    ] {
        let error = code(&query).unwrap_err();
        assert!(matches!(&error, Error::SignInFailed { code, .. } if code == expected), "{query}: {error:?}");
    }
    let mut stored = json!(pending);
    stored["started_at"] = json!(1_000);
    let old: PendingSignIn = serde_json::from_value(stored).unwrap();
    assert!(old.code_of(&format!("code=c&state={state}"), SERVER).is_err());
}

#[test]
fn the_id_token_is_for_this_sign_in() {
    let pending = PendingSignIn::new();
    let check = |claims: Value| {
        let token = format!("e30.{}.x", URL_SAFE_NO_PAD.encode(claims.to_string()));
        let response = TokenResponse { id_token: Some(token.into()), ..tokens(1) };
        pending.check(&SignInTokens::new(response, None), SERVER, "project")
    };
    let claims = json!({"iss": SERVER, "aud": ["project"], "nonce": pending.nonce});
    assert!(check(claims.clone()).is_ok());
    for (name, value) in [("iss", "https://evil.example"), ("aud", "other"), ("nonce", "other")] {
        let mut claims = claims.clone();
        claims[name] = json!(value);
        assert!(check(claims).is_err(), "{name}");
    }
}

#[tokio::test]
async fn twenty_tasks_share_one_refresh() {
    let (url, count) = service(None).await;
    let saved = Arc::new(AtomicUsize::new(0));
    let saves = saved.clone();
    let old = SignInTokens::new(tokens(1), None).aged(890);
    let session = sign_in(&url).session(old).on_refresh(move |_| {
        saves.fetch_add(1, Ordering::Relaxed);
    });
    let all = join_all((0..20).map(|_| session.token())).await;
    assert!(all.into_iter().all(|token| token.unwrap() == "access-2"));
    // One that the service rejects is replaced once, too. Who comes later gets the result.
    let all = join_all((0..20).map(|_| session.refresh("access-2"))).await;
    assert!(all.into_iter().all(|token| token.unwrap().unwrap() == "access-3"));
    assert_eq!(session.refresh("access-2").await.unwrap().unwrap(), "access-3");
    assert_eq!((count.load(Ordering::Relaxed), saved.load(Ordering::Relaxed)), (2, 2));
    let stored = serde_json::to_string(&*session.tokens()).unwrap();
    let restored: SignInTokens = serde_json::from_str(&stored).unwrap();
    assert!(!restored.needs_refresh() && restored.access_token() == "access-3" && restored.refresh_token.is_some());
}

#[tokio::test]
async fn a_failed_refresh_is_shared_and_the_next_call_tries_again() {
    let (url, count) = service(Some((503, "unavailable"))).await;
    let expired = SignInTokens::new(tokens(1), None).aged(1_000);
    let session = sign_in(&url).session(expired);
    let all = join_all((0..20).map(|_| session.token())).await;
    assert!(all.iter().all(Result::is_err) && count.load(Ordering::Relaxed) == 1);
    assert!(session.token().await.is_err() && count.load(Ordering::Relaxed) == 2);
    // A token that still is valid is used.
    let session = sign_in(&url).session(SignInTokens::new(tokens(1), None).aged(890));
    assert_eq!(session.token().await.unwrap(), "access-1");
}

#[tokio::test]
async fn a_sign_in_that_has_ended_says_so() {
    let (url, _) = service(Some((400, "invalid_grant"))).await;
    let sign_in = sign_in(&url);
    let tokens = SignInTokens::new(tokens(1), None);
    assert!(matches!(sign_in.refresh(&tokens).await, Err(Error::SignedOut)));
    let error = sign_in.session(tokens).refresh("access-1").await.unwrap_err();
    assert!(matches!(error.downcast_ref::<Arc<Error>>().map(|error| &**error), Some(Error::SignedOut)), "{error:?}");
}

#[test]
fn a_clock_that_was_set_leads_to_a_refresh_and_not_to_an_expired_token() {
    let tokens = |seconds| SignInTokens::new(tokens(1), None).aged(seconds);
    assert!([0, 300, -300].into_iter().all(|seconds| !tokens(seconds).needs_refresh()));
    assert!([850, 900, -1_000].into_iter().all(|seconds| tokens(seconds).needs_refresh()));
}
