//! Devices without a browser: a person enters their code elsewhere (RFC 8628).

use serde_json::json;
use steward_domain::kernel::policy::LimitedAction;
use steward_tests::{Answer, App, Backend, Body, Browser, Page, World, on_both_in_full, on_sqlite};
use tokio::io::{AsyncBufReadExt as _, BufReader};

use crate::identity::action_limits::SETTINGS;

use super::{Named, Registered, WEB, introspect, post, refresh, register, text};

const DEVICE_CODE: &str = "urn:ietf:params:oauth:grant-type:device_code";

/// Registers a client for devices. The settings replace those of a public one.
async fn television(app: &App, world: &World, settings: serde_json::Value) -> Registered {
    let mut all = json!({
        "name": "Television", "type": "public", "redirect_uris": [], "grant_types": [DEVICE_CODE, "refresh_token"],
    });
    all.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
    register(app, world, all).await
}

async fn begin(app: &App, named: Named<'_>, fields: &[(&str, &str)]) -> Answer {
    post(app, "/auth/device/code", fields, named).await
}

/// Begins on a device that requests two scopes.
async fn begun(app: &App, device: &Registered) -> Body {
    begin(app, device.in_body(), &[("scope", "openid app:db:read")]).await.ok()
}

async fn poll(app: &App, codes: &Body, named: Named<'_>) -> Answer {
    let fields = [("grant_type", DEVICE_CODE), ("device_code", codes["device_code"].as_str().unwrap())];
    post(app, "/auth/token", &fields, named).await
}

/// Enters a code on the page, signs in if necessary, and returns the page for consent.
async fn enter(browser: &Browser, user_code: &str, username: &str) -> Page {
    let page = browser.open("/auth/device").await;
    let page = browser.submit(&page, "/auth/device", &[("user_code", user_code)]).await;
    if !page.is_at("/auth/sign-in") {
        return page;
    }
    browser.submit(&page, "/auth/sign-in", &[("login", username), ("password", steward_tests::PASSWORD)]).await
}

async fn decide(browser: &Browser, consent: &Page, decision: &str) -> Page {
    browser.submit(consent, "/auth/consent", &[("decision", decision)]).await
}

/// Lets a device of the fixture's project in as this person. Returns its tokens.
pub(crate) async fn let_in(app: &App, world: &World, username: &str) -> Body {
    let device = television(app, world, json!({})).await;
    let (codes, browser) = (begun(app, &device).await, Browser::signed_in(app, username).await);
    let consent = enter(&browser, &text(&codes, "user_code"), username).await;
    decide(&browser, &consent, "allow").await;
    poll(app, &codes, device.in_body()).await.ok()
}

on_both_in_full! {
    async fn a_device_gets_tokens_once_the_person_has_entered_its_code(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let device = television(app, &world, json!({})).await;
        let response = begin(app, device.in_body(), &[("scope", "openid app:db:read")]).await;
        assert_eq!(response.header("Cache-Control"), "no-store");
        let codes = response.ok();
        let user_code = text(&codes, "user_code");
        assert_eq!(codes["verification_uri"], format!("{}/auth/device", app.base));
        assert_eq!(codes["verification_uri_complete"], format!("{}/auth/device?user_code={user_code}", app.base));
        assert_eq!((&codes["expires_in"], &codes["interval"]), (&json!(600), &json!(5)));
        poll(app, &codes, device.in_body()).await.refused(400, "authorization_pending");

        // The complete address fills the code in, but the person continues with a button.
        let browser = Browser::new(app);
        let page = browser.open(&text(&codes, "verification_uri_complete")).await;
        let page = browser.submit(&page, "/auth/device", &[]).await;
        assert!(page.is_at("/auth/sign-in") && page.text().contains("Television"), "{page}");
        let login = [("login", "ann"), ("password", steward_tests::PASSWORD)];
        let consent = browser.submit(&page, "/auth/sign-in", &login).await;
        for words in [user_code.as_str(), "Television wants to use your account on a device", "127.0.0.1"] {
            assert!(consent.text().contains(words), "{words}: {consent}");
        }
        poll(app, &codes, device.in_body()).await.refused(400, "authorization_pending");
        let done = decide(&browser, &consent, "allow").await;
        assert_eq!(done.heading(), "Your device is connected", "{done}");

        let tokens = poll(app, &codes, device.in_body()).await.ok();
        assert_eq!(tokens["scope"], "openid app:db:read");
        let bearer = app.bearer(&text(&tokens, "access_token"));
        let account = bearer.get("/auth/userinfo").await.ok();
        assert!(text(&tokens, "id_token").contains('.') && account["sub"].is_string());
        // It stays signed in when the browser signs out.
        let account = browser.open("/auth/sign-out").await;
        browser.submit(&account, "/auth/sign-out", &[]).await;
        let tokens = refresh(app, &text(&tokens, "refresh_token"), device.in_body()).await.ok();
        app.bearer(&text(&tokens, "access_token")).get("/auth/userinfo").await.ok();
        // Whoever presents the code again has stolen it, or the first one had.
        poll(app, &codes, device.in_body()).await.refused(400, "invalid_grant");
        app.bearer(&text(&tokens, "access_token")).get("/auth/userinfo").await.refused(401, "unauthorized");
        assert!(enter(&browser, &user_code, "ann").await.text().contains("No device waits with this code"));
    }

    async fn only_the_first_of_two_people_decides(app: &App) {
        let world = World::make(app, "acme").await;
        let first = app.person("ann").await;
        app.person("bob").await;
        let device = television(app, &world, json!({})).await;
        let codes = begun(app, &device).await;
        let (ann, bob) = (Browser::signed_in(app, "ann").await, Browser::signed_in(app, "bob").await);
        let user_code = text(&codes, "user_code");
        let (of_ann, of_bob) = (enter(&ann, &user_code, "ann").await, enter(&bob, &user_code, "bob").await);
        decide(&ann, &of_ann, "allow").await;
        assert_eq!(decide(&bob, &of_bob, "allow").await.heading(), "This sign-in has ended");
        assert_eq!(bob.open(of_bob.url.as_str()).await.heading(), "This sign-in has ended");
        let tokens = poll(app, &codes, device.in_body()).await.ok();
        let info = app.bearer(&text(&tokens, "access_token")).get("/auth/userinfo").await.ok();
        let own = first.get("/auth/userinfo").await.ok();
        assert_eq!(info["sub"], own["sub"]);
    }
}

on_sqlite! {
    async fn a_person_denies_a_device(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let device = television(app, &world, json!({})).await;
        let (codes, browser) = (begun(app, &device).await, Browser::signed_in(app, "ann").await);
        let consent = enter(&browser, &text(&codes, "user_code").to_lowercase().replace('-', " "), "ann").await;
        let denied = decide(&browser, &consent, "deny").await;
        assert_eq!(denied.heading(), "Your device gets no access", "{denied}");
        poll(app, &codes, device.in_body()).await.refused(400, "access_denied");
        assert_eq!(enter(&browser, &text(&codes, "user_code"), "ann").await.status, 404);
    }

    async fn people_are_always_asked_because_anyone_can_send_them_a_code(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let browser = Browser::signed_in(app, "ann").await;
        let grant_types = json!([DEVICE_CODE, "authorization_code"]);
        let settings = json!({"type": "confidential", "redirect_uris": [WEB], "skip_consent": true, "grant_types": grant_types});
        let device = television(app, &world, settings).await;
        for _ in 0..2 {
            let codes = begun(app, &device).await;
            let consent = enter(&browser, &text(&codes, "user_code"), "ann").await;
            assert!(consent.heading().contains("wants to use your account on a device"), "{consent}");
            poll(app, &codes, device.in_body()).await.refused(400, "authorization_pending");
            decide(&browser, &consent, "allow").await;
            let tokens = poll(app, &codes, device.basic()).await.ok();
            assert!(tokens.0.get("refresh_token").is_none(), "The client may not renew tokens.");
        }
    }

    async fn a_link_does_not_lead_past_the_code(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let device = television(app, &world, json!({})).await;
        let codes = begun(app, &device).await;
        let (stranger, ann) = (Browser::new(app), Browser::signed_in(app, "ann").await);
        let page = stranger.open("/auth/device").await;
        let user_code = text(&codes, "user_code");
        let page = stranger.submit(&page, "/auth/device", &[("user_code", &user_code)]).await;
        let request = page.url.query().unwrap().to_owned();
        let page = ann.open(&format!("/auth/consent?{request}")).await;
        assert!(page.is_at("/auth/device") && page.html.contains(&user_code), "{page}");
        poll(app, &codes, device.in_body()).await.refused(400, "authorization_pending");
        let consent = ann.submit(&page, "/auth/device", &[]).await;
        assert_eq!(decide(&ann, &consent, "allow").await.heading(), "Your device is connected");
        poll(app, &codes, device.in_body()).await.ok();
    }

    async fn the_command_line_needs_a_recent_sign_in(app: &App) {
        app.person("ann").await;
        for max_age in ["", "86400"] {
            let browser = Browser::signed_in(app, "ann").await;
            let command_line = [("client_id", "steward-cli"), ("scope", "openid admin"), ("max_age", max_age)];
            let codes = begin(app, Named::Nobody, &command_line).await.ok();
            let page = browser.open(&text(&codes, "verification_uri_complete")).await;
            assert!(browser.submit(&page, "/auth/device", &[]).await.is_at("/auth/consent"));
            app.age_sessions();
            assert!(browser.submit(&page, "/auth/device", &[]).await.is_at("/auth/sign-in"));
        }
    }

    async fn only_the_client_itself_uses_its_device_codes(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let device = television(app, &world, json!({"type": "confidential"})).await;
        let other = television(app, &world, json!({})).await;
        let (codes, browser) = (begun(app, &device).await, Browser::signed_in(app, "ann").await);
        for _ in 0..2 {
            poll(app, &codes, other.in_body()).await.refused(400, "invalid_grant");
            poll(app, &codes, Named::InBody(device.id(), "")).await.refused(400, "invalid_client");
            poll(app, &codes, Named::Basic(device.id(), "stw_cs_x")).await.refused(401, "invalid_client");
            poll(app, &codes, Named::Nobody).await.refused(400, "invalid_client");
            let consent = enter(&browser, &text(&codes, "user_code"), "ann").await;
            if consent.is_at("/auth/consent") {
                decide(&browser, &consent, "allow").await;
            }
        }
        let code = codes["device_code"].as_str().unwrap();
        let as_code = [("grant_type", "authorization_code"), ("code", code)];
        post(app, "/auth/token", &as_code, device.basic()).await.refused(400, "invalid_grant");
        poll(app, &codes, device.basic()).await.ok();

        let project = Registered::project_itself(app, &world).await;
        let web = register(app, &world, json!({})).await;
        for client in [&project, &web] {
            begin(app, client.in_body(), &[]).await.refused(400, "unauthorized_client");
        }
        begin(app, Named::Nobody, &[]).await.refused(400, "invalid_request");
        begin(app, Named::InBody(device.id(), "stw_cs_x"), &[]).await.refused(400, "invalid_client");
        begin(app, Named::InBody("01940000-0000-7000-8000-00000000abcd", ""), &[]).await.refused(400, "invalid_client");
        begin(app, device.basic(), &[("scope", "admin")]).await.refused(400, "invalid_scope");
        begin(app, device.basic(), &[("max_age", "x")]).await.refused(400, "invalid_request");
        begin(app, device.basic(), &[("scope", "openid"), ("scope", "email")]).await.refused(400, "invalid_request");
    }

    async fn a_code_expires_and_ends_with_its_client(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let (device, browser) = (television(app, &world, json!({})).await, Browser::signed_in(app, "ann").await);
        let codes = begun(app, &device).await;
        let consent = enter(&browser, &text(&codes, "user_code"), "ann").await;
        app.execute_sql("UPDATE device_authorizations SET expires_at = created_at");
        assert_eq!(decide(&browser, &consent, "allow").await.heading(), "This sign-in has ended");
        poll(app, &codes, device.in_body()).await.refused(400, "expired_token");
        let unknown = [("grant_type", DEVICE_CODE), ("device_code", "stw_dc_x")];
        post(app, "/auth/token", &unknown, device.in_body()).await.refused(400, "invalid_grant");
        post(app, "/auth/token", &[("grant_type", DEVICE_CODE)], device.in_body()).await.refused(400, "invalid_request");

        let codes = begun(app, &device).await;
        let consent = enter(&browser, &text(&codes, "user_code"), "ann").await;
        decide(&browser, &consent, "allow").await;
        world.owner.delete(&device.path).await.ok();
        poll(app, &codes, device.in_body()).await.refused(400, "invalid_grant");
    }

    async fn a_blocked_person_reads_why_the_device_gets_no_access(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let (device, browser) = (television(app, &world, json!({})).await, Browser::signed_in(app, "ann").await);
        let codes = begun(app, &device).await;
        let consent = enter(&browser, &text(&codes, "user_code"), "ann").await;
        decide(&browser, &consent, "allow").await;
        let tokens = poll(app, &codes, device.in_body()).await.ok();
        let users = world.owner.get(&format!("/project/{}/user", world.project)).await.ok();
        let user = users["data"][0]["id"].as_str().unwrap().to_owned();
        let path = format!("/project/{}/user/{user}", world.project);
        world.owner.patch(&path, json!({"status": "blocked"})).await.ok();
        app.bearer(&text(&tokens, "access_token")).get("/auth/userinfo").await.refused(403, "forbidden");
        let codes = begun(app, &device).await;
        let consent = enter(&browser, &text(&codes, "user_code"), "ann").await;
        let refused = decide(&browser, &consent, "allow").await;
        assert!(refused.text().contains("The user is blocked in this project"), "{refused}");
        poll(app, &codes, device.in_body()).await.refused(400, "authorization_pending");
    }

    async fn the_command_line_signs_in_on_another_device(app: &App) {
        app.person("ann").await;
        let file = app.directory().join("credentials.json").display().to_string();
        let mut process = app.spawn(&["login", "--device", "--server", &app.base, "--credentials", &file]);
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let user_code = loop {
            let line = lines.next_line().await.unwrap().expect("`steward login` printed no code.");
            if let Some(code) = line.strip_prefix("and enter the code ") {
                break code.to_owned();
            }
        };
        let browser = Browser::new(app);
        let consent = enter(&browser, &user_code, "ann").await;
        assert!(consent.text().contains("Administer on your behalf"), "{consent}");
        decide(&browser, &consent, "allow").await;
        assert!(process.wait().await.unwrap().success());
        let whoami = app.run(&["whoami", "--json", "--credentials", &file], "").await;
        assert!(String::from_utf8_lossy(&whoami.stdout).contains("ann@example.com"), "{whoami:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_device_waits_between_two_requests_and_few_codes_are_guessed() {
    let app = App::start_with(Backend::Sqlite, &SETTINGS).await;
    let world = World::make(&app, "acme").await;
    let device = television(&app, &world, json!({})).await;
    let codes = begun(&app, &device).await;
    let mut answers = Vec::new();
    for _ in 0..5 {
        let answer = poll(&app, &codes, device.in_body()).await;
        assert_eq!(answer.status, 400);
        answers.push(answer.json()["error"].as_str().unwrap().to_owned());
    }
    assert!(answers[0] == "authorization_pending" && answers.contains(&"slow_down".to_owned()), "{answers:?}");
    // Another device is not slowed down, and waiting counts as no failure.
    let other = begun(&app, &device).await;
    poll(&app, &other, device.in_body()).await.refused(400, "authorization_pending");

    let browser = Browser::new(&app);
    let burst = LimitedAction::UserCodeFrom.limit().burst;
    for _ in 0..3 {
        let mistyped = enter(&browser, "WDJB-MJH", "ann").await;
        assert!(mistyped.status == 400 && mistyped.text().contains("This is not a code."), "{mistyped}");
    }
    let mut statuses = Vec::new();
    for _ in 0..burst + 5 {
        statuses.push(enter(&browser, "BBBB-BBBB", "ann").await.status.as_u16());
    }
    assert!(
        statuses[..usize::from(burst)].iter().all(|status| *status == 404) && statuses.contains(&429),
        "{statuses:?}"
    );
    let info = introspect(&app, codes["device_code"].as_str().unwrap(), device.in_body()).await;
    assert_ne!(info.json()["active"], true, "A device code is no token.");
}
