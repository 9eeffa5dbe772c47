//! Modules of the OpenID Foundation's conformance suite that no other file covers. `docs/conformance.md` lists all of
//! them.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use reqwest::Method;
use serde_json::{Value, json};
use steward_tests::{
    Answer, App, Body, Browser, CHALLENGE, Client, FORM, PASSWORD, Page, VERIFIER, World, on_sqlite, parameter,
};
use url::form_urlencoded;

use crate::identity::logout::{is_signed, logout, part, text};

const CALLBACK: &str = "https://suite.example/callback";
const SIGNED_OUT: &str = "https://suite.example/post_logout_redirect";
const NONCE: &str = "n-0S6_WzA2Mj";

/// A relying party like that of the suite: it has an https redirect URI and a secret, and sends no code challenge.
struct RelyingParty<'a> {
    app: &'a App,
    client: Client,
}

impl<'a> RelyingParty<'a> {
    /// Registers a relying party as a project.
    async fn register(app: &'a App, name: &str) -> Self {
        let world = World::make(app, name).await;
        let settings = json!({"auth": {
            "redirect_uris": [CALLBACK], "post_logout_redirect_uris": [SIGNED_OUT], "require_pkce": false,
        }});
        world.owner.patch(&format!("/project/{}/settings", world.project), settings).await.ok();
        let mut client = Client::of(app, &world);
        client.redirect_uri = CALLBACK.to_owned();
        Self { app, client }
    }

    /// An authorization request with changed parameters. Parameters with an empty value are omitted.
    fn request(&self, changes: &[(&str, &str)]) -> String {
        let own = [("scope", "openid"), ("nonce", NONCE), ("code_challenge", ""), ("code_challenge_method", "")];
        self.client.authorize(&[&own[..], changes].concat())
    }

    /// Signs `ann` in with this browser and exchanges the code.
    async fn sign_in(&self, browser: &Browser, changes: &[(&str, &str)]) -> Body {
        let back = browser.sign_in_and_allow(&self.request(changes), "ann").await;
        self.exchange(&back).await.ok()
    }

    /// Exchanges the code of a redirect.
    async fn exchange(&self, back: &str) -> Answer {
        let code = code_of(back);
        let request = [("grant_type", "authorization_code"), ("code", code.as_str()), ("redirect_uri", CALLBACK)];
        self.request_tokens(&request).await
    }

    /// Sends a token request with HTTP Basic.
    async fn request_tokens(&self, parameters: &[(&str, &str)]) -> Answer {
        let body = form(parameters).into_bytes();
        let header = format!("Basic {}", STANDARD.encode(format!("{}:secret", self.client.id)));
        let headers = [("Authorization", header.as_str())];
        self.app.anonymous().send_raw(Method::POST, "/auth/token", Some((FORM, body)), &headers).await
    }
}

fn form(parameters: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(parameters).finish()
}

/// The code of a redirect to the relying party.
fn code_of(back: &str) -> String {
    assert!(back.starts_with(CALLBACK), "{back}");
    parameter(back, "code").unwrap_or_else(|| panic!("The redirect has no `code`: {back}"))
}

/// The claims of the ID token in a token response.
fn claims(tokens: &Body) -> Value {
    part(&text(tokens, "id_token"), 1)
}

fn encoded(value: &Value) -> String {
    URL_SAFE_NO_PAD.encode(value.to_string())
}

/// Asserts that the browser was redirected to the relying party with this error.
#[track_caller]
fn assert_refused(page: &Page, error: &str) {
    assert!(page.left && page.url.as_str().starts_with(CALLBACK), "{page}");
    let returned = |name| parameter(page.url.as_str(), name);
    assert_eq!(returned("error").as_deref(), Some(error), "{page}");
    assert_eq!((returned("state").as_deref(), returned("code")), (Some("some-state"), None), "{page}");
}

on_sqlite! {
    async fn a_code_is_exchanged_with_http_basic_for_a_valid_id_token(app: &App) {
        let party = RelyingParty::register(app, "suite").await;
        let ann = app.person("ann").await;
        let back = Browser::new(app).sign_in_and_allow(&party.request(&[]), "ann").await;
        assert_eq!(parameter(&back, "state").as_deref(), Some("some-state"));
        assert!(code_of(&back).len() >= 43, "{back}");

        let response = party.exchange(&back).await;
        assert_eq!(response.header("Cache-Control"), "no-store");
        let tokens = response.ok();
        assert!(tokens["token_type"] == "Bearer" && tokens["expires_in"].is_u64(), "{tokens:?}");
        let keys = app.anonymous().get("/auth/.well-known/jwks.json").await.ok();
        assert!(is_signed(&keys.0, &text(&tokens, "id_token")));
        let id = claims(&tokens);
        assert_eq!((&id["iss"], &id["aud"]), (&json!(app.base), &json!(party.client.id)));
        assert_eq!((&id["sub"], &id["nonce"]), (&json!(ann.id), &json!(NONCE)));
        let [auth_time, iat, exp] = ["auth_time", "iat", "exp"].map(|name| id[name].as_i64().unwrap());
        assert!(auth_time <= iat && iat < exp, "{id}");
        for unrequested in ["name", "preferred_username", "email", "email_verified"] {
            assert_eq!(id.get(unrequested), None, "{id}");
        }
    }

    async fn a_code_is_exchanged_with_a_secret_in_the_body(app: &App) {
        let party = RelyingParty::register(app, "suite").await;
        app.person("ann").await;
        let back = Browser::new(app).sign_in_and_allow(&party.request(&[]), "ann").await;
        let with_secret = [("code_verifier", ""), ("client_secret", "secret")];
        let tokens = party.client.redeem(&code_of(&back), &with_secret).await.ok();
        assert_eq!(claims(&tokens)["aud"], json!(party.client.id));
    }

    async fn a_challenge_is_accepted_where_it_is_optional(app: &App) {
        let party = RelyingParty::register(app, "suite").await;
        app.person("ann").await;
        let challenge = [("code_challenge", CHALLENGE), ("code_challenge_method", "S256")];
        let back = Browser::new(app).sign_in_and_allow(&party.request(&challenge), "ann").await;
        let code = code_of(&back);
        let request = [("grant_type", "authorization_code"), ("code", code.as_str()), ("redirect_uri", CALLBACK)];
        party.request_tokens(&[&request[..], &[("code_verifier", VERIFIER)][..]].concat()).await.ok();
    }

    async fn a_request_without_a_response_type_is_redirected_with_an_error(app: &App) {
        let party = RelyingParty::register(app, "suite").await;
        let page = Browser::new(app).open(&party.request(&[("response_type", "")])).await;
        assert_refused(&page, "invalid_request");
    }

    async fn a_request_without_a_nonce_gets_an_id_token_without_one(app: &App) {
        let party = RelyingParty::register(app, "suite").await;
        app.person("ann").await;
        let tokens = party.sign_in(&Browser::new(app), &[("nonce", "")]).await;
        assert_eq!(claims(&tokens).get("nonce"), None);
    }

    async fn user_info_accepts_the_token_in_the_header_and_in_the_body(app: &App) {
        let party = RelyingParty::register(app, "suite").await;
        app.person("ann").await;
        let tokens = party.sign_in(&Browser::new(app), &[("scope", "openid profile")]).await;
        let access = text(&tokens, "access_token");
        let user = app.bearer(&access);
        let response = user.get("/auth/userinfo").await;
        assert!(response.header("Content-Type").starts_with("application/json"), "{response}");
        let shown = response.ok();
        assert_eq!(shown["sub"], claims(&tokens)["sub"]);
        assert_eq!(user.send_raw(Method::POST, "/auth/userinfo", None, &[]).await.ok(), shown);
        let in_body = async |token: &str| {
            let body = Some((FORM, form(&[("access_token", token)]).into_bytes()));
            app.anonymous().send_raw(Method::POST, "/auth/userinfo", body, &[]).await
        };
        assert_eq!(in_body(&access).await.ok(), shown);
        for refused in ["", "invalid"] {
            let answer = in_body(refused).await;
            assert!(answer.header("WWW-Authenticate").starts_with("Bearer"), "{answer}");
            answer.refused(401, "unauthorized");
        }
    }

    async fn user_info_has_the_claims_of_the_requested_scopes(app: &App) {
        let party = RelyingParty::register(app, "suite").await;
        app.person("ann").await;
        let browser = Browser::new(app);
        let all = "email email_verified id name preferred_username sub username";
        let cases = [
            ("openid", "id sub"),
            ("openid profile", "id name preferred_username sub username"),
            ("openid email", "email email_verified id sub"),
            ("openid address", "id sub"),
            ("openid phone", "id sub"),
            ("openid profile email address phone", all),
        ];
        for (scope, expected) in cases {
            let tokens = party.sign_in(&browser, &[("scope", scope)]).await;
            let shown = app.bearer(&text(&tokens, "access_token")).get("/auth/userinfo").await.ok();
            let names: BTreeSet<&str> = shown.0.as_object().unwrap().keys().map(String::as_str).collect();
            assert_eq!(names, expected.split(' ').collect::<BTreeSet<_>>(), "{scope}");
        }
    }

    async fn the_order_of_scopes_and_parameters_does_not_matter(app: &App) {
        let party = RelyingParty::register(app, "suite").await;
        app.person("ann").await;
        let request = party.request(&[("scope", "email openid")]);
        let (path, query) = request.split_once('?').unwrap();
        let reversed: Vec<&str> = query.split('&').rev().collect();
        let back = Browser::new(app).sign_in_and_allow(&format!("{path}?{}", reversed.join("&")), "ann").await;
        let tokens = party.exchange(&back).await.ok();
        assert_eq!((&tokens["scope"], &claims(&tokens)["email"]), (&json!("openid email"), &json!("ann@example.com")));
    }

    async fn parameters_that_have_no_effect_cause_no_error(app: &App) {
        let party = RelyingParty::register(app, "suite").await;
        let ann = app.person("ann").await;
        let essential = json!({"userinfo": {"name": {"essential": true}}}).to_string();
        let cases = [
            ("display", "page"),
            ("display", "popup"),
            ("ui_locales", "se"),
            ("claims_locales", "se"),
            ("acr_values", "1 2"),
            ("claims", essential.as_str()),
            ("extra", "foobar"),
        ];
        for without_effect in cases {
            let browser = Browser::new(app);
            let page = browser.open(&party.request(&[without_effect])).await;
            assert!(page.is_at("/auth/sign-in"), "{without_effect:?}: {page}");
            let back = browser.allow(page, "ann").await;
            let tokens = party.exchange(back.url.as_str()).await.ok();
            assert_eq!(claims(&tokens)["sub"], json!(ann.id), "{without_effect:?}");
        }
    }

    async fn a_login_hint_fills_in_the_sign_in_form(app: &App) {
        let party = RelyingParty::register(app, "suite").await;
        app.person("ann").await;
        let browser = Browser::new(app);
        let page = browser.open(&party.request(&[("login_hint", "ann@example.com")])).await;
        let filled_in = ("login".to_owned(), "ann@example.com".to_owned());
        assert!(page.form("/auth/sign-in").fields.contains(&filled_in), "{page}");
        let consent = browser.submit(&page, "/auth/sign-in", &[("password", PASSWORD)]).await;
        assert!(consent.is_at("/auth/consent"), "{consent}");
    }

    async fn prompt_login_and_an_exceeded_max_age_require_a_new_sign_in(app: &App) {
        let party = RelyingParty::register(app, "suite").await;
        app.person("ann").await;
        for required in [("prompt", "login"), ("max_age", "1")] {
            let browser = Browser::new(app);
            let first = claims(&party.sign_in(&browser, &[]).await);
            let began_at = app.age_sessions();
            let old = claims(&party.sign_in(&browser, &[("prompt", "none")]).await);
            assert_eq!(old["auth_time"], json!(began_at));

            let page = browser.open(&party.request(&[required])).await;
            assert!(page.is_at("/auth/sign-in"), "{required:?}: {page}");
            let back = browser.allow(page, "ann").await;
            let second = claims(&party.exchange(back.url.as_str()).await.ok());
            assert_eq!(second["sub"], first["sub"]);
            assert!(second["auth_time"].as_i64() >= first["auth_time"].as_i64(), "{second}");
        }
    }

    async fn a_recent_sign_in_satisfies_max_age_prompt_none_and_an_id_token_hint(app: &App) {
        let party = RelyingParty::register(app, "suite").await;
        app.person("ann").await;
        let browser = Browser::new(app);
        assert_refused(&browser.open(&party.request(&[("prompt", "none")])).await, "login_required");
        let tokens = party.sign_in(&browser, &[("max_age", "15000")]).await;
        let (first, hint) = (claims(&tokens), text(&tokens, "id_token"));
        let silent = [("prompt", "none"), ("id_token_hint", hint.as_str())];
        for changes in [&[("max_age", "10000")][..], &silent[..1], &silent[..]] {
            let page = browser.open(&party.request(changes)).await;
            assert!(page.left, "{changes:?}: {page}");
            let again = claims(&party.exchange(page.url.as_str()).await.ok());
            assert_eq!((&again["sub"], &again["auth_time"]), (&first["sub"], &first["auth_time"]), "{changes:?}");
        }
    }

    async fn a_request_sent_as_a_form_returns_a_code(app: &App) {
        let party = RelyingParty::register(app, "suite").await;
        app.person("ann").await;
        let request = party.request(&[]);
        let response = party.client.post("/auth/authorize", request.split_once('?').unwrap().1).await;
        let browser = Browser::new(app);
        let page = browser.open(response.header("Location")).await;
        let back = browser.allow(page, "ann").await;
        party.exchange(back.url.as_str()).await.ok();
    }

    async fn a_request_object_is_refused_and_selects_no_redirect_uri(app: &App) {
        let party = RelyingParty::register(app, "suite").await;
        let browser = Browser::new(app);
        let parameters = json!({"client_id": party.client.id, "redirect_uri": CALLBACK, "scope": "openid"});
        let object = format!("{}.{}.", encoded(&json!({"alg": "none"})), encoded(&parameters));
        let by_value = ("request", object.as_str());
        assert_refused(&browser.open(&party.request(&[by_value])).await, "request_not_supported");
        let by_reference = ("request_uri", "https://suite.example/requests/1");
        assert_refused(&browser.open(&party.request(&[by_reference])).await, "request_uri_not_supported");
        let unregistered = ("redirect_uri", "https://suite.example/other");
        let page = browser.open(&party.request(&[by_value, unregistered])).await;
        assert!(page.status == 400 && !page.left && page.heading() == "The request failed", "{page}");
    }

    async fn a_refreshed_id_token_is_of_the_same_sign_in(app: &App) {
        let (party, other) = (RelyingParty::register(app, "suite").await, RelyingParty::register(app, "other").await);
        app.person("ann").await;
        let changes = [("scope", "openid offline_access"), ("prompt", "consent")];
        let tokens = party.sign_in(&Browser::new(app), &changes).await;
        let refresh_token = text(&tokens, "refresh_token");
        let request = [("grant_type", "refresh_token"), ("refresh_token", refresh_token.as_str())];
        other.request_tokens(&request).await.refused(400, "invalid_grant");

        let refreshed = party.request_tokens(&request).await.ok();
        let (before, after) = (claims(&tokens), claims(&refreshed));
        for same in ["iss", "sub", "aud", "auth_time"] {
            assert_eq!(before[same], after[same], "{same}");
        }
        assert!(after["iat"].as_i64() >= before["iat"].as_i64() && after.get("nonce").is_none(), "{after}");
        app.bearer(&text(&refreshed, "access_token")).get("/auth/userinfo").await.ok();
    }

    async fn a_client_signs_out_its_user_and_gets_its_state_back(app: &App) {
        let party = RelyingParty::register(app, "suite").await;
        app.person("ann").await;
        let browser = Browser::new(app);
        let long = "s".repeat(128);
        let cases = [(Some(long.as_str()), format!("{SIGNED_OUT}?state={long}")), (None, SIGNED_OUT.to_owned())];
        for (state, expected) in cases {
            let hint = text(&party.sign_in(&browser, &[]).await, "id_token");
            let mut parameters = vec![("id_token_hint", hint.as_str()), ("post_logout_redirect_uri", SIGNED_OUT)];
            parameters.extend(state.map(|state| ("state", state)));
            let page = browser.open(&logout(&parameters)).await;
            assert!(page.left && page.url.as_str() == expected, "{page}");
            assert_refused(&browser.open(&party.request(&[("prompt", "none")])).await, "login_required");
        }
    }

    async fn an_invalid_logout_request_never_redirects(app: &App) {
        let party = RelyingParty::register(app, "suite").await;
        app.person("ann").await;
        let browser = Browser::new(app);
        let hint = text(&party.sign_in(&browser, &[]).await, "id_token");
        let (uri, state) = ("post_logout_redirect_uri", ("state", "s"));
        let (bad, with_query) = ("https://suite.example/bad_post_logout_redirect_uri", format!("{SIGNED_OUT}?foo=bar"));
        let hinted = ("id_token_hint", hint.as_str());
        let without_hint = vec![(uri, SIGNED_OUT), state];
        let cases = [vec![hinted, (uri, bad), state], vec![hinted, (uri, with_query.as_str()), state], without_hint];
        for parameters in cases {
            let page = browser.open(&logout(&parameters)).await;
            assert!(page.status == 400 && !page.left && page.heading() == "The request failed", "{page}");
        }

        let payload = hint.split('.').nth(1).unwrap();
        let unsigned = format!("{}.{payload}.", encoded(&json!({"alg": "none"})));
        let signature = URL_SAFE_NO_PAD.encode([7; 32]);
        let signed_by_client = format!("{}.{payload}.{signature}", encoded(&json!({"alg": "HS256", "typ": "JWT"})));
        for hint in [unsigned, signed_by_client] {
            let parameters = [("id_token_hint", hint.as_str()), (uri, SIGNED_OUT), state];
            let page = browser.open(&logout(&parameters)).await;
            assert!(!page.left && page.heading() == "Sign out?", "{page}");
            party.sign_in(&browser, &[("prompt", "none")]).await;
            let done = browser.submit(&page, "/auth/logout/confirm", &[]).await;
            assert!(!done.left && done.heading() == "You are signed out", "{done}");
            party.sign_in(&browser, &[]).await;
        }
    }

    async fn a_logout_request_without_a_redirect_uri_ends_at_a_page(app: &App) {
        let party = RelyingParty::register(app, "suite").await;
        app.person("ann").await;
        let browser = Browser::new(app);
        for (sends_hint, sends_state) in [(false, false), (false, true), (true, true)] {
            let hint = text(&party.sign_in(&browser, &[]).await, "id_token");
            let mut parameters = Vec::new();
            parameters.extend(sends_hint.then_some(("id_token_hint", hint.as_str())));
            parameters.extend(sends_state.then_some(("state", "s")));
            let mut page = browser.open(&logout(&parameters)).await;
            if !sends_hint {
                assert_eq!(page.heading(), "Sign out?", "{page}");
                page = browser.submit(&page, "/auth/logout/confirm", &[]).await;
            }
            assert!(!page.left && page.heading() == "You are signed out", "{page}");
            assert_refused(&browser.open(&party.request(&[("prompt", "none")])).await, "login_required");
        }
    }
}
