//! Signing out: RP-initiated logout, what ends with a session, and back-channel logout (OpenID Connect RP-Initiated
//! Logout 1.0, Back-Channel Logout 1.0).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use openidconnect::JsonWebKey as _;
use openidconnect::core::{CoreJsonWebKeySet, CoreJwsSigningAlgorithm};
use serde_json::{Value, json};
use steward_tests::{
    App, Backend, Body, Browser, Client, FORM, Mailbox, PASSWORD, Received, Receiver, World, on_both_in_full, on_sqlite,
};
use url::form_urlencoded;

const SIGNED_OUT: &str = "https://app.example/out";

pub fn text(body: &Body, name: &str) -> String {
    body[name].as_str().unwrap_or_else(|| panic!("No `{name}` in {body:?}")).to_owned()
}

/// Part 0 or 1 of a token: its header or its claims.
pub fn part(token: &str, index: usize) -> Value {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(token.split('.').nth(index).unwrap()).unwrap()).unwrap()
}

pub fn logout(parameters: &[(&str, &str)]) -> String {
    format!("/auth/logout?{}", form_urlencoded::Serializer::new(String::new()).extend_pairs(parameters).finish())
}

/// Creates the fixture with a registered address, a person `ann`, and the client of the fixture's project.
async fn with_client(app: &App, name: &str) -> (World, Client) {
    let world = World::make(app, name).await;
    let settings = json!({"auth": {"post_logout_redirect_uris": [SIGNED_OUT]}});
    world.owner.patch(&format!("/project/{}/settings", world.project), settings).await.ok();
    let client = Client::of(app, &world);
    (world, client)
}

/// Signs `ann` in to a client with this browser.
async fn sign_in(client: &Client, browser: &Browser, changes: &[(&str, &str)]) -> Body {
    let code = client.code(browser, "ann", changes).await;
    client.redeem(&code, &[]).await.ok()
}

async fn is_signed_in(browser: &Browser) -> bool {
    browser.open("/console/account/sessions").await.is_at("/console/account/sessions")
}

/// Whether the access token and the refresh token are valid.
async fn are_valid(app: &App, client: &Client, tokens: &Body) -> bool {
    let used = app.bearer(&text(tokens, "access_token")).get("/auth/userinfo").await.status == 200;
    let refreshed = client.refresh(&text(tokens, "refresh_token")).await.status == 200;
    assert_eq!(used, refreshed);
    used
}

async fn sign_out(browser: &Browser) {
    let page = browser.open("/auth/sign-out").await;
    browser.submit(&page, "/auth/sign-out", &[]).await;
}

on_both_in_full! {
    async fn the_tokens_of_all_clients_end_with_the_session_unless_they_have_offline_access(app: &App) {
        app.person("ann").await;
        let ((_, acme), (_, other)) = (with_client(app, "acme").await, with_client(app, "other").await);
        let (browser, elsewhere) = (Browser::new(app), Browser::new(app));
        let own = sign_in(&acme, &browser, &[]).await;
        let of_other_client = sign_in(&other, &browser, &[]).await;
        let offline = sign_in(&acme, &browser, &[("scope", "openid offline_access")]).await;
        let command_line = Client::new(app, "steward-cli");
        let program = sign_in(&command_line, &browser, &[("scope", "openid email admin")]).await;
        let of_other_browser = sign_in(&acme, &elsewhere, &[]).await;
        assert_ne!(part(&text(&own, "id_token"), 1)["sid"], part(&text(&of_other_browser, "id_token"), 1)["sid"]);

        sign_out(&browser).await;
        assert!(!are_valid(app, &acme, &own).await && !are_valid(app, &other, &of_other_client).await);
        assert!(are_valid(app, &acme, &offline).await && are_valid(app, &command_line, &program).await);
        assert!(are_valid(app, &acme, &of_other_browser).await && is_signed_in(&elsewhere).await);

        let code = acme.code(&browser, "ann", &[]).await;
        let own = acme.redeem(&code, &[]).await.ok();
        let page = browser.open("/console/account/sessions").await;
        browser.submit(&page, "/console/account/sessions/end", &[]).await;
        assert!(!is_signed_in(&elsewhere).await && is_signed_in(&browser).await);
        assert!(are_valid(app, &acme, &own).await);
        let refresh = acme.refresh(&text(&of_other_browser, "refresh_token")).await;
        refresh.refused(400, "invalid_grant");
    }
}

on_sqlite! {
    async fn a_client_with_an_id_token_signs_its_user_out_at_once(app: &App) {
        app.person("ann").await;
        let (_, client) = with_client(app, "acme").await;
        let browser = Browser::new(app);
        let tokens = sign_in(&client, &browser, &[]).await;
        let hint = text(&tokens, "id_token");
        let metadata = app.anonymous().get("/.well-known/openid-configuration").await.ok();
        assert_eq!(metadata["end_session_endpoint"], json!(format!("{}/auth/logout", app.base)));
        assert_eq!((&metadata["backchannel_logout_supported"], &metadata["backchannel_logout_session_supported"]),
            (&json!(true), &json!(true)));

        let parameters = [("id_token_hint", hint.as_str()), ("post_logout_redirect_uri", SIGNED_OUT), ("state", "a&b"),
            ("ui_locales", "de"), ("logout_hint", "ann")];
        let page = browser.open(&logout(&parameters)).await;
        assert!(page.left && page.url.as_str() == format!("{SIGNED_OUT}?state=a%26b"), "{page}");
        let cookie = page.headers["set-cookie"].to_str().unwrap();
        assert!(cookie.contains("Max-Age=0"), "{cookie}");
        assert!(!is_signed_in(&browser).await && !are_valid(app, &client, &tokens).await);
        assert!(browser.open(&client.authorize(&[])).await.is_at("/auth/sign-in"));
        let again = browser.open(&logout(&parameters[..2])).await;
        assert!(again.left && again.url.as_str() == SIGNED_OUT, "Nobody is signed in, so nobody is asked: {again}");

        let tokens = sign_in(&client, &browser, &[]).await;
        let page = browser.open(&logout(&[("id_token_hint", &text(&tokens, "id_token"))])).await;
        assert!(page.is_at("/auth/logout") && page.heading() == "You are signed out", "{page}");
        assert!(!is_signed_in(&browser).await);
    }

    async fn without_an_id_token_of_the_person_they_are_asked_first(app: &App) {
        app.person("ann").await;
        app.person("bob").await;
        let (world, client) = with_client(app, "acme").await;
        let browser = Browser::new(app);
        let own = text(&sign_in(&client, &browser, &[]).await, "id_token");
        let code = client.code(&Browser::new(app), "bob", &[]).await;
        let of_other = text(&client.redeem(&code, &[]).await.ok(), "id_token");
        let forged = format!("{}.{}", own.rsplit_once('.').unwrap().0, of_other.rsplit_once('.').unwrap().1);
        let access = text(&sign_in(&client, &browser, &[]).await, "access_token");
        for hint in [of_other.as_str(), forged.as_str(), access.as_str(), "x", ""] {
            let page = browser.open(&logout(&[("id_token_hint", hint)])).await;
            assert!(page.is_at("/auth/logout") && page.heading() == "Sign out?", "{page}");
            assert!(page.text().contains("ann@example.com") && is_signed_in(&browser).await);
        }
        let uri = ("post_logout_redirect_uri", SIGNED_OUT);
        let page = browser.open(&logout(&[("client_id", &world.project), uri, ("state", "s")])).await;
        assert!(page.is_at("/auth/logout") && page.text().contains("requested by acme"), "{page}");
        assert!(is_signed_in(&browser).await);
        let done = browser.submit(&page, "/auth/logout/confirm", &[]).await;
        assert!(done.left && done.url.as_str() == format!("{SIGNED_OUT}?state=s"), "{done}");
        assert!(!is_signed_in(&browser).await);
    }

    async fn nobody_is_redirected_to_an_address_that_is_not_registered(app: &App) {
        app.person("ann").await;
        let (world, client) = with_client(app, "acme").await;
        let other = World::make(app, "other").await;
        let browser = Browser::new(app);
        let hint = text(&sign_in(&client, &browser, &[]).await, "id_token");
        let (id, token) = (("client_id", world.project.as_str()), ("id_token_hint", hint.as_str()));
        let uri = "post_logout_redirect_uri";
        let cases: &[&[(&str, &str)]] = &[
            &[token, (uri, "https://evil.example/")],
            &[token, (uri, "https://app.example/out?more")],
            &[token, (uri, "https://app.example/out/../x")],
            &[token, (uri, "https://app.example@evil.example/out")],
            &[token, (uri, "http://127.0.0.1:1/out")],
            &[token, (uri, "//evil.example/out")],
            &[token, (uri, "javascript:alert(1)")],
            &[id, (uri, "https://evil.example/")],
            &[(uri, SIGNED_OUT)],
            &[token, ("client_id", &other.project), (uri, SIGNED_OUT)],
            &[("client_id", &other.project), (uri, SIGNED_OUT)],
            &[("client_id", "nobody")],
            &[token, (uri, SIGNED_OUT), (uri, SIGNED_OUT)],
            &[token, token],
        ];
        for parameters in cases {
            let page = browser.open(&logout(parameters)).await;
            assert!(page.status == 400 && !page.left, "{parameters:?}: {page}");
            assert_eq!(page.heading(), "The request failed", "{parameters:?}");
            assert!(is_signed_in(&browser).await, "{parameters:?}");
        }
        let page = browser.open(&logout(&[id, (uri, SIGNED_OUT)])).await;
        let changed = browser.submit(&page, "/auth/logout/confirm", &[(uri, "https://evil.example/")]).await;
        assert!(changed.status == 400 && !changed.left && is_signed_in(&browser).await, "{changed}");
        let with_invalid_hint = browser.open(&logout(&[("id_token_hint", "x"), (uri, "https://evil.example/")])).await;
        let done = browser.submit(&with_invalid_hint, "/auth/logout/confirm", &[]).await;
        assert!(!done.left && done.heading() == "You are signed out", "{done}");

        let (client, browser) = (Client::of(app, &other), Browser::new(app));
        let hint = text(&sign_in(&client, &browser, &[]).await, "id_token");
        let page = browser.open(&logout(&[("id_token_hint", &hint), (uri, "http://localhost:9/out")])).await;
        // Without a registered address, loopback addresses are allowed.
        assert!(page.left && page.url.as_str() == "http://localhost:9/out", "{page}");
    }

    async fn a_request_sent_as_a_form_is_redirected_so_that_the_browser_sends_its_cookie(app: &App) {
        let form = format!("id_token_hint=a.b.c&state=a%26b&post_logout_redirect_uri={SIGNED_OUT}");
        let request = app.client.post(format!("{}/auth/logout", app.base)).header("Content-Type", FORM).body(form);
        let response = request.send().await.unwrap();
        let expected = [("id_token_hint", "a.b.c"), ("state", "a&b"), ("post_logout_redirect_uri", SIGNED_OUT)];
        let location = response.headers()["location"].to_str().unwrap();
        assert_eq!((response.status().as_u16(), location), (303, logout(&expected).as_str()));
        assert!(!response.headers().contains_key("set-cookie"));
    }

    async fn a_code_of_an_ended_session_is_refused_unless_it_has_offline_access(app: &App) {
        app.person("ann").await;
        let (_, client) = with_client(app, "acme").await;
        let browser = Browser::new(app);
        let code = client.code(&browser, "ann", &[]).await;
        let offline = client.code(&browser, "ann", &[("scope", "openid offline_access")]).await;
        sign_out(&browser).await;
        client.redeem(&code, &[]).await.refused(400, "invalid_grant");
        let tokens = client.redeem(&offline, &[]).await.ok();
        assert!(are_valid(app, &client, &tokens).await);
    }

    async fn a_new_sign_in_to_the_same_account_continues_the_session(app: &App) {
        app.person("ann").await;
        app.person("bob").await;
        let (_, client) = with_client(app, "acme").await;
        let browser = Browser::new(app);
        let sid = |tokens: &Body| part(&text(tokens, "id_token"), 1)["sid"].clone();
        let first = sign_in(&client, &browser, &[]).await;
        let second = sign_in(&client, &browser, &[("prompt", "login")]).await;
        assert!(sid(&first).is_string() && sid(&first) == sid(&second));
        let refreshed = client.refresh(&text(&first, "refresh_token")).await.ok();
        assert_eq!(sid(&refreshed), sid(&first));
        let sessions = browser.open("/console/account/sessions").await;
        let others = sessions.forms().into_iter().filter(|form| form.action.path() == "/console/account/sessions/end");
        assert_eq!(others.count(), 0, "{sessions}");

        let code = client.code(&browser, "bob", &[("prompt", "login")]).await;
        let of_bob = client.redeem(&code, &[]).await.ok();
        assert_ne!(sid(&of_bob), sid(&first));
        assert!(!are_valid(app, &client, &refreshed).await && !are_valid(app, &client, &second).await);
        assert!(are_valid(app, &client, &of_bob).await);
    }
}

/// Whether the service signed the token with one of its published keys.
pub fn is_signed(keys: &Value, token: &str) -> bool {
    let keys: CoreJsonWebKeySet = serde_json::from_value(keys.clone()).unwrap();
    let (signed, signature) = token.rsplit_once('.').unwrap();
    let (header, signature) = (part(token, 0), URL_SAFE_NO_PAD.decode(signature).unwrap());
    let named = |id: Option<&str>| id.is_some() && id == header["kid"].as_str();
    let key = keys.keys().iter().find(|key| named(key.key_id().map(|id| id.as_str()))).unwrap();
    let algorithm = CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha256;
    header["alg"] == "RS256" && key.verify_signature(&algorithm, signed.as_bytes(), &signature).is_ok()
}

/// The logout token that a client received.
fn logout_token(received: &Received) -> String {
    assert_eq!(received.headers["content-type"], FORM);
    let fields: Vec<(String, String)> = form_urlencoded::parse(received.body.as_bytes()).into_owned().collect();
    let [(name, token)] = fields.try_into().unwrap();
    assert_eq!(name, "logout_token");
    token
}

/// Registers the URL of a receiver, which may be on loopback if the service allows private networks.
async fn register(world: &World, receiver: &Receiver) {
    let settings = json!({"auth": {"backchannel_logout_uri": receiver.url}});
    world.owner.patch(&format!("/project/{}/settings", world.project), settings).await.ok();
}

/// Starts a service that may send logout tokens to the receivers of the tests, with additional settings.
async fn start(backend: Backend, more: &[(String, String)]) -> App {
    let more = more.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let settings: Vec<_> = more.chain([("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true")]).collect();
    App::start_with(backend, &settings).await
}

async fn registered_clients_receive_a_signed_logout_token(backend: Backend) {
    let app = &start(backend, &[]).await;
    let ann = app.person("ann").await;
    let ((one, acme), (two, other)) = (with_client(app, "acme").await, with_client(app, "other").await);
    let (_, silent) = with_client(app, "silent").await;
    let (first, second) = (Receiver::start().await, Receiver::start().await);
    register(&one, &first).await;
    register(&two, &second).await;
    let browser = Browser::new(app);
    let tokens = sign_in(&acme, &browser, &[]).await;
    // A second sign-in to the same client leads to no second logout token.
    sign_in(&acme, &browser, &[("scope", "openid offline_access")]).await;
    sign_in(&other, &browser, &[]).await;
    sign_in(&silent, &browser, &[]).await;
    let hint = text(&tokens, "id_token");
    assert!(browser.open(&logout(&[("id_token_hint", &hint), ("post_logout_redirect_uri", SIGNED_OUT)])).await.left);

    let keys = app.anonymous().get("/auth/.well-known/jwks.json").await.ok().0;
    let mut ids = Vec::new();
    for (receiver, client) in [(&first, &acme), (&second, &other)] {
        let token = logout_token(&receiver.once(1).await[0]);
        assert!(is_signed(&keys, &token) && part(&token, 0)["typ"] == "logout+jwt");
        let claims = part(&token, 1);
        assert_eq!((&claims["iss"], &claims["aud"]), (&json!(app.base), &json!(client.id)));
        assert_eq!((&claims["sub"], &claims["sid"]), (&json!(ann.id), &part(&hint, 1)["sid"]));
        assert_eq!(claims["events"], json!({"http://schemas.openid.net/event/backchannel-logout": {}}));
        assert_eq!(claims["exp"].as_i64().unwrap() - claims["iat"].as_i64().unwrap(), 120);
        assert!(claims.get("nonce").is_none() && claims.get("scope").is_none());
        ids.push(claims["jti"].as_str().unwrap().to_owned());
        app.bearer(&token).get("/auth/userinfo").await.refused(401, "unauthorized");
        sign_in(&acme, &browser, &[]).await;
        let page = browser.open(&logout(&[("id_token_hint", &token)])).await;
        assert_eq!(page.heading(), "Sign out?", "A logout token is not an ID token.");
    }
    assert_ne!(ids[0], ids[1]);

    sign_out(&browser).await;
    let received = first.once(2).await;
    assert_eq!(received.len(), 2, "Each ended session leads to one logout token.");
    assert_ne!(part(&logout_token(&received[1]), 1)["sid"], part(&hint, 1)["sid"]);
    assert_eq!(second.received().len(), 1);
}

/// A delivery that fails is repeated, also by another process.
async fn a_failed_delivery_is_repeated_after_a_restart(backend: Backend) {
    let mut app = start(backend, &[]).await;
    app.person("ann").await;
    let (world, client) = with_client(&app, "acme").await;
    let receiver = Receiver::start().await;
    register(&world, &receiver).await;
    receiver.respond_next(&[500]);
    let browser = Browser::new(&app);
    sign_in(&client, &browser, &[]).await;
    sign_out(&browser).await;
    let failed = logout_token(&receiver.once(1).await[0]);

    app.kill_and_restart().await;
    app.execute_sql("UPDATE logout_deliveries SET next_attempt_at = '2020-01-01T00:00:00.000000Z'");
    let repeated = logout_token(&receiver.once(2).await[1]);
    assert_eq!(part(&failed, 1)["sid"], part(&repeated, 1)["sid"]);
    assert_ne!(part(&failed, 1)["jti"], part(&repeated, 1)["jti"], "Each attempt has its own token.");
}

async fn a_new_password_signs_out_of_all_clients(backend: Backend) {
    let mail = Mailbox::start().await;
    let app = &start(backend, &mail.settings()).await;
    app.person("ann").await;
    let (world, client) = with_client(app, "acme").await;
    let receiver = Receiver::start().await;
    register(&world, &receiver).await;
    let (one, other) = (Browser::new(app), Browser::new(app));
    let tokens = sign_in(&client, &one, &[]).await;
    sign_in(&client, &other, &[]).await;

    let page = other.open("/auth/forgot-password").await;
    other.submit(&page, "/auth/forgot-password", &[("email", "ann@example.com")]).await;
    let link = mail.nth_to("ann@example.com", 2).await.link();
    let visitor = Browser::new(app);
    let page = visitor.open(&link).await;
    let done = visitor.submit(&page, "/auth/reset-password", &[("password", &format!("{PASSWORD} 2"))]).await;
    assert_eq!(done.status, 200, "{done}");
    assert!(!is_signed_in(&one).await && !are_valid(app, &client, &tokens).await);
    assert_eq!(receiver.once(2).await.len(), 2);
}

/// Defines each test for both databases.
macro_rules! on_both_databases {
    ($($name:ident: $sqlite:ident, $postgres:ident;)+) => {$(
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $sqlite() {
            $name(Backend::Sqlite).await;
        }

        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $postgres() {
            $name(Backend::Postgres).await;
        }
    )+};
}

on_both_databases! {
    registered_clients_receive_a_signed_logout_token:
        registered_clients_receive_a_signed_logout_token_on_sqlite,
        registered_clients_receive_a_signed_logout_token_on_postgres;
    a_failed_delivery_is_repeated_after_a_restart:
        a_failed_delivery_is_repeated_after_a_restart_on_sqlite,
        a_failed_delivery_is_repeated_after_a_restart_on_postgres;
    a_new_password_signs_out_of_all_clients:
        a_new_password_signs_out_of_all_clients_on_sqlite, a_new_password_signs_out_of_all_clients_on_postgres;
}
