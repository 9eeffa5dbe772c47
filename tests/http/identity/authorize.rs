//! The authorization endpoint: validation, redirects and errors (docs/contract.md#authorization-endpoint; RFC 6749
//! §4.1, RFC 9207, RFC 9700).

use serde_json::{Value, json};
use steward_tests::{App, Backend, Browser, Client, Page, World, on_both_in_full, on_sqlite, parameter};

/// Sends an authorization request without following redirects. Returns the status and the `Location` header.
async fn authorize(app: &App, client: &Client, changes: &[(&str, &str)]) -> (u16, String) {
    let response = app.anonymous().get(&client.authorize(changes)).await;
    (response.status.as_u16(), response.header("Location").to_owned())
}

/// Returns `error` and `state` of the redirect to the client.
fn error_and_state(page: &Page) -> (String, String) {
    assert!(page.left, "The browser was not redirected to the client. It is at {page}");
    (parameter(page.url.as_str(), "error").unwrap_or_default(), parameter(page.url.as_str(), "state").unwrap())
}

/// The client of the project, with a registered https redirect URI, which proves who it is.
async fn web_client(app: &App, world: &World) -> Client {
    world.settings(&["https://app.example/cb"], true).await;
    let mut client = Client::of(app, world);
    client.redirect_uri = "https://app.example/cb".to_owned();
    client
}

on_both_in_full! {
    async fn sign_in_with_consent_creates_a_user_and_connect_accepts_their_token(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let tokens = Client::of(app, &world).tokens(app, "ann", &[]).await;
        let users = world.owner.get(&format!("/project/{}/user", world.project)).await.ok();
        let user = &users["data"][0];
        assert_eq!((&user["status"], &user["profile"]["username"]), (&json!("connected"), &json!("ann")));
        let path = format!("/project/{}/user/connect", world.project);
        let connected = app.anonymous().post(&path, json!({"token": tokens["access_token"]})).await.ok();
        assert_eq!(connected["user_did"], user["user_did"]);
        let other = World::make(app, "other").await;
        let path = format!("/project/{}/user/connect", other.project);
        app.anonymous().post(&path, json!({"token": tokens["access_token"]})).await.refused(401, "unauthorized");
    }
}

on_sqlite! {
    async fn an_invalid_client_or_redirect_uri_is_400_and_never_redirects(app: &App) {
        let world = World::make(app, "acme").await;
        world.settings(&["https://app.example/cb", "http://127.0.0.1/callback"], true).await;
        let client = Client::of(app, &world);
        let invalid = [
            "https://app.example/cb/",
            "https://app.example/cb?next=https://evil.example",
            "https://app.example/cb/../evil",
            "https://app.example/cb%2f..%2fevil",
            "https://app.example/%2e%2e/cb",
            "https://app.example/CB",
            "https://APP.example/cb",
            "https://app.example:444/cb",
            "https://app.example.evil.example/cb",
            "https://app.example@evil.example/cb",
            "https://user:pass@app.example/cb",
            "https://evil.example\\@app.example/cb",
            "https://app.example/cb#fragment",
            "https://app.example/cb\r\nSet-Cookie: a=b",
            "http://app.example/cb",
            "//app.example/cb",
            "/cb",
            "javascript:alert(1)",
            "data:text/html,x",
            "http://127.0.0.1/callback/",
            "http://127.0.0.2/callback",
            "http://localhost/callback",
            "http://127.0.0.1.evil.example/callback",
            "http://127.0.0.1:1@evil.example/callback",
        ];
        for address in invalid {
            let response = app.anonymous().get(&client.authorize(&[("redirect_uri", address)])).await;
            assert_eq!(response.header("Location"), "", "{address}");
            response.refused(400, "invalid_request");
        }
        for client_id in ["", "x", "01940000-0000-7000-8000-000000000000", "did:web:elsewhere:projects:01", "steward-CLI"] {
            let (status, location) = authorize(app, &client, &[("client_id", client_id)]).await;
            assert_eq!((status, location.as_str()), (400, ""), "{client_id}");
        }
        let twice = format!("{}&client_id={}", client.authorize(&[]), client.id);
        app.anonymous().get(&twice).await.refused(400, "invalid_request");
        let page = Browser::new(app).open(&client.authorize(&[("redirect_uri", "https://evil.example")])).await;
        assert!(page.status == 400 && !page.left && page.heading() == "The request failed", "{page}");
        assert!(page.headers["content-security-policy"].to_str().unwrap().contains("frame-ancestors 'none'"));
    }

    async fn every_other_error_is_returned_to_the_client_with_state_and_issuer(app: &App) {
        let world = World::make(app, "acme").await;
        let client = Client::of(app, &world);
        let long = "x".repeat(3000);
        let cases: &[(&[(&str, &str)], &str)] = &[
            (&[("response_type", "token")], "unsupported_response_type"),
            (&[("scope", "address phone")], "invalid_scope"),
            (&[("scope", "admin")], "invalid_scope"),
            (&[("code_challenge_method", "plain")], "invalid_request"),
            (&[("code_challenge", ""), ("code_challenge_method", "")], "invalid_request"),
            (&[("prompt", "none login")], "invalid_request"),
            (&[("max_age", "soon")], "invalid_request"),
            (&[("nonce", &long)], "invalid_request"),
            (&[("request", "e30.e30.")], "request_not_supported"),
            (&[("request_uri", "https://x.example")], "request_uri_not_supported"),
            (&[("prompt", "none")], "login_required"),
        ];
        for (changes, code) in cases {
            let (status, location) = authorize(app, &client, changes).await;
            assert_eq!(status, 302, "{changes:?}");
            assert!(location.starts_with(&client.redirect_uri), "{location}");
            assert_eq!(parameter(&location, "error").as_deref(), Some(*code), "{changes:?}");
            assert_eq!(parameter(&location, "state").as_deref(), Some("some-state"));
            assert_eq!(parameter(&location, "iss").as_deref(), Some(app.base.as_str()));
            assert!(parameter(&location, "error_description").is_some_and(|text| text.is_ascii()));
            assert!(!location.contains("code"), "An SDK that searches the address for it would redeem this: {location}");
        }
        for (state, more) in [(long.as_str(), ""), ("a", "&state=b")] {
            let response = app.anonymous().get(&format!("{}{more}", client.authorize(&[("state", state)]))).await;
            let location = response.header("Location").to_owned();
            assert_eq!(parameter(&location, "error").as_deref(), Some("invalid_request"));
            assert_eq!(parameter(&location, "state"), None);
        }
    }

    async fn a_state_may_be_omitted_with_pkce_and_unknown_scopes_are_ignored(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let client = Client::of(app, &world);
        let changes = [("state", ""), ("scope", "openid profile address phone offline")];
        let back = Browser::new(app).sign_in_and_allow(&client.authorize(&changes), "ann").await;
        assert_eq!(parameter(&back, "state"), None);
        let tokens = client.redeem(&parameter(&back, "code").unwrap(), &[]).await.ok();
        assert_eq!(tokens["scope"], "openid profile");
        let (_, location) = authorize(app, &client, &[("state", ""), ("prompt", "none")]).await;
        assert_eq!(parameter(&location, "error").as_deref(), Some("login_required"));
        world.settings(&[], false).await;
        let without = [("state", ""), ("code_challenge", ""), ("code_challenge_method", "")];
        let (_, location) = authorize(app, &client, &without).await;
        assert_eq!(parameter(&location, "error").as_deref(), Some("invalid_request"));
    }

    async fn every_client_can_have_all_scopes_that_discovery_lists(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let metadata = app.anonymous().get("/.well-known/openid-configuration").await.ok();
        let listed: Vec<&str> = metadata["scopes_supported"].as_array().unwrap().iter().flat_map(Value::as_str).collect();
        assert_eq!(listed, ["openid", "profile", "email", "offline_access"]);
        let tokens = Client::of(app, &world).tokens(app, "ann", &[("scope", &listed.join(" "))]).await;
        assert_eq!(tokens["scope"], listed.join(" "));
    }

    async fn a_native_app_receives_the_code_at_its_private_use_scheme(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let metadata = format!("/projects/{}/client-metadata.json", world.project);
        assert_eq!(app.anonymous().get(&metadata).await.ok()["application_type"], "web");
        world.settings(&["com.example.app:/callback"], true).await;
        assert_eq!(app.anonymous().get(&metadata).await.ok()["application_type"], "native");
        let (mut client, browser) = (Client::of(app, &world), Browser::new(app));
        client.redirect_uri = "com.example.app:/callback".to_owned();
        let page = browser.open(&client.authorize(&[])).await;
        let fields = [("login", "ann"), ("password", steward_tests::PASSWORD)];
        let consent = browser.submit(&page, "/auth/sign-in", &fields).await;
        assert!(consent.text().contains("You will be redirected to com.example.app:"), "{consent}");
        let back = browser.submit(&consent, "/auth/consent", &[("decision", "allow")]).await;
        assert!(back.left && back.url.as_str().starts_with("com.example.app:/callback?code="), "{back}");
        client.redeem(&parameter(back.url.as_str(), "code").unwrap(), &[]).await.ok();
        for other in ["com.example.app:/other", "com.example.other:/callback", "https://com.example.app/callback"] {
            let (status, location) = authorize(app, &client, &[("redirect_uri", other)]).await;
            assert_eq!((status, location.as_str()), (400, ""), "{other}");
        }
    }

    async fn a_registered_uri_without_a_path_matches_the_slash_that_browsers_add(app: &App) {
        let world = World::make(app, "acme").await;
        world.settings(&["https://app.example", "https://app.example/@ann/cb"], true).await;
        let client = Client::of(app, &world);
        for uri in ["https://app.example", "https://app.example/", "https://app.example/@ann/cb"] {
            let (status, location) = authorize(app, &client, &[("redirect_uri", uri)]).await;
            assert_eq!(status, 302, "{uri}: {location}");
        }
        for uri in ["https://app.example/other", "https://app.example/@ann/cb/", "https://app.example:444/"] {
            assert_eq!(authorize(app, &client, &[("redirect_uri", uri)]).await.0, 400, "{uri}");
        }
    }

    async fn a_form_is_accepted_like_a_query_and_unknown_parameters_are_ignored(app: &App) {
        let world = World::make(app, "acme").await;
        let client = Client::of(app, &world);
        let more = [("display", "popup"), ("ui_locales", "de en"), ("acr_values", "0"), ("claims", "{}"), ("x", "y")];
        let form = client.authorize(&more).split('?').nth(1).unwrap().to_owned();
        let by_form = client.post("/auth/authorize", &form).await;
        let by_query = app.anonymous().get(&client.authorize(&more)).await;
        for response in [by_form, by_query] {
            assert_eq!(response.status, 302, "{response}");
            assert!(response.header("Location").starts_with("/auth/sign-in?request=stw_rq_"), "{response}");
            assert_eq!((response.header("Cache-Control"), response.header("Referrer-Policy")), ("no-store", "no-referrer"));
        }
        client.post("/auth/authorize", &format!("{form}&client_id=x")).await.refused(400, "invalid_request");
        let ann = app.person("ann").await;
        assert_eq!(ann.post("/auth/userinfo", json!({})).await.ok(), ann.get("/auth/userinfo").await.ok());
    }

    async fn a_state_is_returned_unchanged_and_cannot_inject_headers(app: &App) {
        let world = World::make(app, "acme").await;
        let client = Client::of(app, &world);
        let state = "a b&c=d#e%0d%0aSet-Cookie: stolen=1<script>\"'\\ünï";
        for hostile in ["a\r\nSet-Cookie: stolen=1", "a\0b", "a\u{fffd}"] {
            let response = app.anonymous().get(&client.authorize(&[("state", hostile)])).await;
            assert_eq!(parameter(response.header("Location"), "error").as_deref(), Some("invalid_request"));
            assert_eq!((parameter(response.header("Location"), "state"), response.header("Set-Cookie")), (None, ""));
        }
        let response = app.anonymous().get(&client.authorize(&[("state", state), ("prompt", "none")])).await;
        assert_eq!(parameter(response.header("Location"), "state").as_deref(), Some(state));
        assert_eq!(response.header("Set-Cookie"), "");
        app.person("ann").await;
        let back = Browser::new(app).sign_in_and_allow(&client.authorize(&[("state", state)]), "ann").await;
        assert_eq!(parameter(&back, "state").as_deref(), Some(state));
    }

    async fn with_a_session_and_a_grant_the_browser_is_redirected_immediately(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let (client, browser) = (web_client(app, &world).await, Browser::new(app));
        let page = browser.open(&client.authorize(&[])).await;
        assert!(page.is_at("/auth/sign-in") && page.text().contains("to continue to acme"), "{page}");
        client.code(&browser, "ann", &[]).await;

        let again = browser.open(&client.authorize(&[("prompt", "none")])).await;
        assert!(parameter(again.url.as_str(), "code").is_some(), "{again}");
        let less = browser.open(&client.authorize(&[("scope", "openid app:db:read")])).await;
        assert!(less.left, "Implied scopes need no new consent: {less}");
        let more = browser.open(&client.authorize(&[("scope", "openid app:admin")])).await;
        assert!(more.is_at("/auth/consent") && more.text().contains("Do everything in this app"), "{more}");
        let silent = browser.open(&client.authorize(&[("scope", "openid app:admin"), ("prompt", "none")])).await;
        assert_eq!(error_and_state(&silent).0, "consent_required");
        let forced = browser.open(&client.authorize(&[("prompt", "consent")])).await;
        assert!(forced.is_at("/auth/consent"), "{forced}");
        let login = browser.open(&client.authorize(&[("prompt", "login")])).await;
        assert!(login.is_at("/auth/sign-in"), "{login}");
        let consent = login.url.as_str().replace("sign-in", "consent");
        assert!(browser.open(&consent).await.is_at("/auth/sign-in"), "A requested sign-in cannot be skipped.");
        let old = browser.open(&client.authorize(&[("max_age", "0")])).await;
        assert!(old.is_at("/auth/sign-in"), "{old}");
        let young = browser.open(&client.authorize(&[("max_age", "600")])).await;
        assert!(young.left, "{young}");
        let fresh = [("login", "ann"), ("password", steward_tests::PASSWORD)];
        assert!(browser.submit(&login, "/auth/sign-in", &fresh).await.left);
    }

    async fn a_client_that_any_program_can_impersonate_gets_no_code_without_a_confirmation(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let (mut client, browser) = (Client::of(app, &world), Browser::new(app));
        let cases = [
            (&[][..], "http://127.0.0.1:49152/callback"),
            (&["http://localhost/cb"], "http://localhost:49152/cb"),
            (&["https://localhost/cb"], "https://localhost/cb"),
            (&["com.example.app:/cb", "https://app.example/cb"], "com.example.app:/cb"),
        ];
        for (registered, redirect_uri) in cases {
            world.settings(registered, true).await;
            client.redirect_uri = redirect_uri.to_owned();
            client.code(&browser, "ann", &[]).await;

            let silent = browser.open(&client.authorize(&[("prompt", "none")])).await;
            assert_eq!(error_and_state(&silent), ("interaction_required".to_owned(), "some-state".to_owned()));
            assert_eq!(parameter(silent.url.as_str(), "code"), None, "{redirect_uri}");
            let page = browser.open(&client.authorize(&[])).await;
            assert!(page.is_at("/auth/consent") && page.heading() == "Continue to acme?", "{redirect_uri}: {page}");
            for words in ["Continue as ann@example.com", "It can", "Change your data in this app"] {
                assert!(page.text().contains(words), "{words}: {page}");
            }
            let cancelled = browser.submit(&page, "/auth/consent", &[("decision", "deny")]).await;
            assert_eq!(error_and_state(&cancelled).0, "access_denied");
            let page = browser.open(&client.authorize(&[])).await;
            let back = browser.submit(&page, "/auth/consent", &[("decision", "allow")]).await;
            client.redeem(&parameter(back.url.as_str(), "code").unwrap(), &[]).await.ok();
        }
        let signed_out = Browser::new(app).open(&client.authorize(&[("prompt", "none")])).await;
        assert_eq!(error_and_state(&signed_out).0, "login_required");
    }

    async fn a_requested_sign_in_cannot_be_skipped_by_submitting_the_consent_form(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let (client, browser) = (Client::of(app, &world), Browser::new(app));
        let consent = browser.open(&client.authorize(&[])).await;
        let consent = browser.submit(&consent, "/auth/sign-in",
            &[("login", "ann"), ("password", steward_tests::PASSWORD)]).await;
        assert!(consent.is_at("/auth/consent"), "{consent}");
        let sign_in = browser.open(&client.authorize(&[("prompt", "login")])).await;
        let id = parameter(sign_in.url.as_str(), "request").unwrap();
        let skipped = browser.submit(&consent, "/auth/consent", &[("request", &id), ("decision", "allow")]).await;
        assert!(skipped.is_at("/auth/sign-in"), "{skipped}");
    }

    async fn denied_consent_redirects_to_the_client_and_a_request_is_decided_once(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let (client, browser) = (Client::of(app, &world), Browser::new(app));
        let page = browser.open(&client.authorize(&[("login_hint", "ann")])).await;
        let consent = browser.submit(&page, "/auth/sign-in", &[("password", steward_tests::PASSWORD)]).await;
        assert_eq!(consent.heading(), "acme wants to use your account");
        let denied = browser.submit(&consent, "/auth/consent", &[("decision", "deny")]).await;
        assert_eq!(error_and_state(&denied), ("access_denied".to_owned(), "some-state".to_owned()));
        assert_eq!(parameter(denied.url.as_str(), "iss").as_deref(), Some(app.base.as_str()));
        let again = browser.submit(&consent, "/auth/consent", &[("decision", "allow")]).await;
        assert!(again.status == 404 && again.heading() == "This sign-in has ended", "{again}");
        let users = world.owner.get(&format!("/project/{}/user", world.project)).await.ok();
        assert_eq!(users["data"].as_array().unwrap().len(), 1, "A person who denied consent must not become a user.");
    }

    async fn a_redirect_uri_removed_from_the_settings_gets_no_more_responses(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let (client, browser) = (Client::of(app, &world), Browser::new(app));
        let page = browser.open(&client.authorize(&[])).await;
        let consent = browser.submit(&page, "/auth/sign-in",
            &[("login", "ann"), ("password", steward_tests::PASSWORD)]).await;
        world.settings(&["https://app.example/cb"], true).await;
        let ended = browser.submit(&consent, "/auth/consent", &[("decision", "allow")]).await;
        assert!(ended.status == 404 && !ended.left, "{ended}");
    }

    async fn only_the_first_party_client_can_request_admin_and_always_needs_consent(app: &App) {
        app.person("ann").await;
        let (client, browser) = (Client::new(app, "steward-cli"), Browser::new(app));
        let scope = [("scope", "openid profile email admin")];
        let code = client.code(&browser, "ann", &scope).await;
        let tokens = client.redeem(&code, &[]).await.ok();
        app.bearer(tokens["access_token"].as_str().unwrap()).get("/team/").await.ok();
        let again = browser.open(&client.authorize(&scope)).await;
        assert!(again.is_at("/auth/consent") && again.text().contains("Administer on your behalf"), "{again}");
        let silent = browser.open(&client.authorize(&[scope[0], ("prompt", "none")])).await;
        assert_eq!(error_and_state(&silent).0, "consent_required");
        for redirect_uri in ["https://app.example/cb", "http://127.0.0.1:1/", "http://127.0.0.1:1/callback?next=x"] {
            let (status, location) = authorize(app, &client, &[("redirect_uri", redirect_uri)]).await;
            assert_eq!((status, location.as_str()), (400, ""), "{redirect_uri}");
        }
    }

    async fn an_id_token_hint_for_another_person_returns_no_code(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        app.person("bob").await;
        let (client, browser) = (web_client(app, &world).await, Browser::new(app));
        let code = client.code(&browser, "ann", &[]).await;
        let hint = client.redeem(&code, &[]).await.ok()["id_token"].as_str().unwrap().to_owned();
        let bobs = client.tokens(app, "bob", &[]).await["id_token"].as_str().unwrap().to_owned();
        let silent = |hint: String| client.authorize(&[("prompt", "none"), ("id_token_hint", &hint)]);
        let own = browser.open(&silent(hint)).await;
        assert!(parameter(own.url.as_str(), "code").is_some(), "{own}");
        for other in [bobs, "x".to_owned()] {
            assert_eq!(error_and_state(&browser.open(&silent(other)).await).0, "login_required");
        }
    }

    async fn a_project_can_disable_pkce_and_use_its_did_as_client_id(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let without = [("code_challenge", ""), ("code_challenge_method", "")];
        let client = Client::of(app, &world);
        let (_, location) = authorize(app, &client, &without).await;
        assert_eq!(parameter(&location, "error").as_deref(), Some("invalid_request"));
        world.settings(&[], false).await;
        let code = client.code(&Browser::new(app), "ann", &without).await;
        client.redeem(&code, &[]).await.refused(400, "invalid_grant");
        client.redeem(&code, &[("code_verifier", "")]).await.ok();
        let code = client.code(&Browser::new(app), "ann", &without).await;
        client.post("/auth/token", &format!("code={code}")).await.ok();
        let host = app.base.trim_start_matches("http://").replace(':', "%3A");
        let hostname = host.split("%3A").next().unwrap().to_owned();
        for host in [host, hostname] {
            let did = Client::new(app, &format!("did:web:{host}:projects:{}", world.project.replace('-', "")));
            let tokens = did.tokens(app, "ann", &[]).await;
            assert!(tokens["scope"].as_str().unwrap().starts_with("openid"));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_registered_first_party_client_signs_in_without_pkce_like_the_command_line() {
    let id = "9c3f6704-87e3-4af7-8e1f-b2b24d6c0f1a";
    let clients = format!("{id} http://localhost:8080/callback pkce=optional; other https://other.example/cb");
    let mut app = App::start_with(Backend::Sqlite, &[("STEWARD_FIRST_PARTY_CLIENTS", &clients)]).await;
    app.person("ann").await;
    let mut client = Client::new(&app, id);
    client.redirect_uri = "http://localhost:8080/callback".to_owned();
    let without = [("code_challenge", ""), ("code_challenge_method", ""), ("scope", "openid profile admin")];
    let (code, browser) = (client.code(&Browser::new(&app), "ann", &without).await, Browser::new(&app));
    let tokens = client.redeem(&code, &[("code_verifier", "")]).await.ok();
    app.bearer(tokens["access_token"].as_str().unwrap()).get("/team/").await.ok();
    client.code(&browser, "ann", &without).await;
    let again = browser.open(&client.authorize(&without)).await;
    assert!(again.is_at("/auth/consent") && again.text().contains(id), "Consent is always required: {again}");

    let (_, location) = authorize(&app, &Client::new(&app, "steward-cli"), &without).await;
    assert_eq!(parameter(&location, "error").as_deref(), Some("invalid_request"), "Others must use PKCE: {location}");
    let mut other = Client::new(&app, "other");
    other.redirect_uri = "https://other.example/cb".to_owned();
    let (_, location) = authorize(&app, &other, &without).await;
    assert_eq!(parameter(&location, "error").as_deref(), Some("invalid_request"), "{location}");
    for uri in ["http://localhost:8081/callback", "http://127.0.0.1:8080/callback", "https://other.example/cb"] {
        assert_eq!(authorize(&app, &client, &[("redirect_uri", uri)]).await.0, 400, "{uri}");
    }

    let refresh = tokens["refresh_token"].as_str().unwrap();
    Client::new(&app, "steward-cli").refresh(refresh).await.refused(400, "invalid_grant");
    let tokens = client.refresh(refresh).await.ok();
    app.set("STEWARD_FIRST_PARTY_CLIENTS", "");
    app.restart().await;
    app.bearer(tokens["access_token"].as_str().unwrap()).get("/team/").await.refused(401, "unauthorized");
    let login = json!({"username": "ann", "password": steward_tests::PASSWORD});
    let own = app.anonymous().post("/auth/login", login).await.ok();
    let own = app.bearer(own["access_token"].as_str().unwrap());
    for token in ["access_token", "refresh_token"] {
        let introspected = own.post("/auth/introspect", json!({"token": tokens[token]})).await.ok();
        assert_eq!(introspected.0, json!({"active": false}));
    }
    let form = format!("refresh_token={}", tokens["refresh_token"].as_str().unwrap());
    client.post("/auth/token", &form).await.refused(400, "invalid_grant");
    assert_eq!(authorize(&app, &client, &without).await.0, 400, "A removed client is unknown.");
}
