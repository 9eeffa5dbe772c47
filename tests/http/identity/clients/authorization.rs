//! Authorization requests of registered clients: PKCE, redirect URIs, scopes and consent.

use serde_json::{Value, json};
use steward_tests::{
    Answer, App, Browser, CHALLENGE, Client, PASSWORD, Page, World, on_both_in_full, on_sqlite, parameter,
};

use super::{Registered, WEB, WITHOUT_PKCE, bearer, refresh, register, text, with_shop};

/// Sends an authorization request without following redirects.
async fn requested(app: &App, client: &Client, redirect_uri: &str) -> Answer {
    app.anonymous().get(&client.authorize(&[("redirect_uri", redirect_uri)])).await
}

/// Asserts that the request continues on the page on which people sign in.
#[track_caller]
fn is_accepted(answer: &Answer) {
    assert_eq!(answer.status, 302, "{answer}");
    assert!(answer.header("Location").starts_with("/auth/sign-in?"), "{}", answer.header("Location"));
}

/// Asserts that nothing is sent to the redirect URI.
#[track_caller]
fn is_not_redirected(answer: Answer) {
    assert_eq!(answer.header("Location"), "", "{answer}");
    answer.refused(400, "invalid_request");
}

/// The error that the client received.
#[track_caller]
fn error_of(page: &Page) -> String {
    assert!(page.left && page.url.as_str().starts_with(WEB), "The browser was not redirected to the client: {page}");
    assert_eq!(parameter(page.url.as_str(), "code"), None);
    parameter(page.url.as_str(), "error").unwrap_or_default()
}

/// Whether the browser was redirected to the client with a code.
fn has_code(page: &Page) -> bool {
    page.left && page.url.as_str().starts_with(WEB) && parameter(page.url.as_str(), "code").is_some()
}

on_both_in_full! {
    async fn consent_to_a_project_and_to_each_of_its_clients_is_separate(app: &App) {
        let (world, shop) = with_shop(app).await;
        app.person("bob").await;
        let other = register(app, &world, json!({"name": "Other shop"})).await;
        let project = Registered::project_itself(app, &world).await;
        let (shop, other, project) = (("Web shop", &shop), ("Other shop", &other), ("acme", &project));
        for (username, order) in [("ann", [project, shop, other]), ("bob", [other, shop, project])] {
            let browser = Browser::signed_in(app, username).await;
            for (name, client) in order {
                let silent = browser.open(&client.authorize(&[("prompt", "none")])).await;
                assert_eq!(error_of(&silent), "consent_required", "{username}, {name}");
                let page = browser.open(&client.authorize(&[])).await;
                assert!(page.is_at("/auth/consent"), "{username}, {name}: {page}");
                assert_eq!(page.heading(), format!("{name} wants to use your account"));
                let back = browser.submit(&page, "/auth/consent", &[("decision", "allow")]).await;
                assert!(has_code(&back), "{back}");

                let again = browser.open(&client.authorize(&[("prompt", "none")])).await;
                assert!(has_code(&again), "Consent is asked for once: {again}");
                let more = browser.open(&client.authorize(&[("scope", "openid app:admin")])).await;
                assert!(more.is_at("/auth/consent") && more.text().contains("Do everything in this app"), "{more}");
            }
        }
    }
}

on_sqlite! {
    async fn a_client_that_requires_pkce_gets_no_code_without_it(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let browser = Browser::signed_in(app, "ann").await;
        for settings in [json!({"type": "public"}), json!({"require_pkce": true})] {
            let Registered { client, secret, .. } = register(app, &world, settings.clone()).await;
            let page = browser.open(&client.authorize(WITHOUT_PKCE)).await;
            assert_eq!(error_of(&page), "invalid_request", "{settings}");
            assert_eq!(parameter(page.url.as_str(), "state").as_deref(), Some("some-state"));
            let plain = browser.open(&client.authorize(&[("code_challenge_method", "plain")])).await;
            assert_eq!(error_of(&plain), "invalid_request", "{settings}");

            let code = client.code(&browser, "ann", &[]).await;
            let secret = ("client_secret", secret.as_str());
            client.redeem(&code, &[secret, ("code_verifier", "")]).await.refused(400, "invalid_grant");
            client.redeem(&code, &[secret]).await.ok();
        }
    }

    async fn pkce_that_a_confidential_client_uses_without_need_is_checked(app: &App) {
        let (_, shop) = with_shop(app).await;
        let (browser, secret) = (Browser::new(app), ("client_secret", shop.secret.as_str()));
        let code = shop.client.code(&browser, "ann", &[]).await;
        shop.client.redeem(&code, &[secret, ("code_verifier", "")]).await.refused(400, "invalid_grant");
        shop.client.redeem(&code, &[secret]).await.ok();
        let code = shop.client.code(&browser, "ann", &[]).await;
        let wrong = ("code_verifier", CHALLENGE);
        shop.client.redeem(&code, &[secret, wrong]).await.refused(400, "invalid_grant");
        shop.client.redeem(&code, &[secret]).await.refused(400, "invalid_grant");
        // The request was changed on its way: the client sent a challenge.
        let code = shop.code(&browser, "ann", &[]).await;
        shop.client.redeem(&code, &[secret]).await.refused(400, "invalid_grant");
        // Without a challenge or a state, the client cannot detect a response to a request that it did not send.
        let page = browser.open(&shop.authorize(&[("state", "")])).await;
        assert_eq!(error_of(&page), "invalid_request");
    }

    async fn a_code_is_sent_only_to_a_redirect_uri_of_the_client(app: &App) {
        let world = World::make(app, "acme").await;
        let own = [WEB, "http://127.0.0.1/callback", "com.example.shop:/callback"];
        let client = register(app, &world, json!({"redirect_uris": own})).await.client;
        let web_only = register(app, &world, json!({})).await.client;
        let of_project = "https://app.example/cb";
        world.settings(&[of_project], true).await;
        let project = Client::of(app, &world);
        for uri in [WEB, "http://127.0.0.1/callback", "http://127.0.0.1:49152/callback", "com.example.shop:/callback"] {
            is_accepted(&requested(app, &client, uri).await);
            is_not_redirected(requested(app, &project, uri).await);
        }
        for uri in [
            of_project,
            "https://shop.example/callback/",
            "https://shop.example/callback?next=x",
            "https://shop.example:444/callback",
            "https://shop.example.evil.example/callback",
            "https://SHOP.example/callback",
            "http://shop.example/callback",
            "https://evil.example/callback",
            "http://localhost:49152/callback",
            "http://127.0.0.1:49152/other",
            "http://127.0.0.1:1@evil.example/callback",
            "com.example.shop:/other",
            "com.example.other:/callback",
            "javascript:alert(1)",
        ] {
            is_not_redirected(requested(app, &client, uri).await);
        }
        is_accepted(&requested(app, &project, of_project).await);
        // A project without redirect URIs may use any on loopback, which its clients may not.
        world.settings(&[], true).await;
        is_accepted(&requested(app, &project, "http://127.0.0.1:49152/callback").await);
        is_not_redirected(requested(app, &web_only, "http://127.0.0.1:49152/callback").await);
    }

    async fn a_redirect_uri_that_was_removed_gets_no_more_responses(app: &App) {
        let (world, shop) = with_shop(app).await;
        let browser = Browser::signed_in(app, "ann").await;
        let consent = browser.open(&shop.authorize(&[])).await;
        assert!(consent.is_at("/auth/consent"), "{consent}");
        world.owner.patch(&shop.path, json!({"redirect_uris": ["https://shop.example/other"]})).await.ok();
        let ended = browser.submit(&consent, "/auth/consent", &[("decision", "allow")]).await;
        assert!(ended.status == 404 && !ended.left, "{ended}");
        is_not_redirected(requested(app, &shop.client, WEB).await);
    }

    async fn a_client_gets_only_scopes_that_it_may_request(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let reader = register(app, &world, json!({"scope": "openid app:db:read"})).await;
        let browser = Browser::signed_in(app, "ann").await;
        let all = ("scope", "openid profile email app:db:read app:admin");
        let consent = browser.open(&reader.authorize(&[all])).await;
        assert!(consent.is_at("/auth/consent") && consent.text().contains("Read your data in this app"), "{consent}");
        for absent in ["See your email address", "Do everything in this app"] {
            assert!(!consent.text().contains(absent), "{absent}: {consent}");
        }
        let code = reader.code(&browser, "ann", &[all]).await;
        let tokens = reader.redeem(app, &code, reader.basic()).await.ok();
        let renewed = refresh(app, &text(&tokens, "refresh_token"), reader.basic()).await.ok();
        let notes = format!("/account/{}/db/notes", world.project);
        for tokens in [tokens, renewed] {
            assert_eq!(tokens["scope"], "openid app:db:read");
            let ann = bearer(app, &tokens);
            assert_eq!(ann.get("/auth/userinfo").await.ok().0.get("email"), None);
            ann.get(&notes).await.ok();
            ann.post(&notes, json!({"value": {"title": "Mine"}})).await.is_forbidden();
            ann.get("/team/").await.refused(401, "unauthorized");
        }
        for none_left in ["profile email", "app:db:write", "admin"] {
            let page = browser.open(&reader.authorize(&[("scope", none_left)])).await;
            assert_eq!(error_of(&page), "invalid_scope", "{none_left}");
        }
    }

    async fn legacy_scopes_of_the_project_do_not_widen_the_tokens_of_its_clients(app: &App) {
        let (world, shop) = with_shop(app).await;
        let project = Registered::project_itself(app, &world).await;
        let scope = [("scope", "openid profile email")];
        let of_project = bearer(app, &project.tokens(app, "ann", &scope).await);
        let before = bearer(app, &shop.tokens(app, "ann", &scope).await);
        let settings = json!({"auth": {"legacy_scopes": true}});
        world.owner.patch(&format!("/project/{}/settings", world.project), settings).await.ok();
        let notes = format!("/account/{}/db/notes", world.project);
        of_project.post(&notes, json!({"value": {"title": "Mine"}})).await.created();
        let after = shop.tokens(app, "ann", &scope).await;
        assert_eq!(after["scope"], "openid profile email");
        for caller in [before, bearer(app, &after)] {
            for _ in 0..2 {
                caller.get(&notes).await.is_forbidden();
                caller.post(&notes, json!({"value": {"title": "Theirs"}})).await.is_forbidden();
            }
        }
    }

    async fn a_client_that_skips_consent_asks_nobody_unless_it_requests_that(app: &App) {
        let world = World::make(app, "acme").await;
        for username in ["ann", "bob"] {
            app.person(username).await;
        }
        let settings = json!({"skip_consent": true, "redirect_uris": [WEB, "http://127.0.0.1/callback"]});
        let own = register(app, &world, settings).await;
        let other = register(app, &world, json!({"name": "Other shop"})).await;
        let browser = Browser::new(app);
        let page = browser.open(&own.authorize(&[])).await;
        let sign_in = [("login", "ann"), ("password", PASSWORD)];
        let page = browser.submit(&page, "/auth/sign-in", &sign_in).await;
        assert!(page.is_at("/auth/consent") && page.heading() == "Continue to Web shop?", "{page}");
        let back = browser.submit(&page, "/auth/consent", &[("decision", "allow")]).await;
        assert!(has_code(&back), "{back}");
        let code = parameter(back.url.as_str(), "code").unwrap();
        own.redeem(app, &code, own.basic()).await.ok();
        let again = browser.open(&own.authorize(&[("prompt", "none")])).await;
        assert!(has_code(&again), "{again}");
        // A person who is signed in already notices what is new.
        let wider = [("scope", "openid app:admin")];
        let silent = browser.open(&own.authorize(&[wider[0], ("prompt", "none")])).await;
        assert_eq!(error_of(&silent), "interaction_required");
        let page = browser.open(&own.authorize(&wider)).await;
        assert!(page.is_at("/auth/consent") && page.heading() == "Continue to Web shop?", "{page}");
        assert!(has_code(&browser.submit(&page, "/auth/consent", &[("decision", "allow")]).await));
        let bob = Browser::signed_in(app, "bob").await;
        let silent = bob.open(&own.authorize(&[("prompt", "none")])).await;
        assert_eq!(error_of(&silent), "interaction_required", "No page learns who visits it.");
        let page = bob.open(&own.authorize(&[])).await;
        assert!(page.is_at("/auth/consent") && page.heading() == "Continue to Web shop?", "{page}");
        let forced = browser.open(&own.authorize(&[("prompt", "consent")])).await;
        assert!(forced.is_at("/auth/consent") && forced.heading() == "Web shop wants to use your account", "{forced}");
        // Any program on the device can receive what is sent to loopback.
        let local = [("redirect_uri", "http://127.0.0.1:49152/callback")];
        let page = browser.open(&own.authorize(&local)).await;
        assert!(page.is_at("/auth/consent") && page.heading() == "Continue to Web shop?", "{page}");
        let page = browser.open(&other.authorize(&[])).await;
        assert!(page.is_at("/auth/consent"), "The other clients of the project still ask: {page}");

        world.owner.patch(&own.path, json!({"skip_consent": false})).await.ok();
        let page = bob.open(&own.authorize(&[])).await;
        assert!(page.is_at("/auth/consent") && page.heading() == "Web shop wants to use your account", "{page}");
    }

    async fn a_person_who_denies_consent_to_a_client_does_not_become_a_user(app: &App) {
        let (world, shop) = with_shop(app).await;
        let browser = Browser::signed_in(app, "ann").await;
        let page = browser.open(&shop.authorize(&[])).await;
        let denied = browser.submit(&page, "/auth/consent", &[("decision", "deny")]).await;
        assert_eq!(error_of(&denied), "access_denied");
        let path = format!("/project/{}/user", world.project);
        let users = async || -> Value { world.owner.get(&format!("{path}?q=ann")).await.ok()["data"].clone() };
        assert_eq!(users().await, json!([]));
        shop.code(&browser, "ann", &[]).await;
        let ann = users().await[0].clone();
        assert_eq!(ann["status"], "connected", "{ann}");
        let ann = format!("{path}/{}", ann["id"].as_str().unwrap());
        world.owner.patch(&ann, json!({"status": "blocked"})).await.ok();
        let blocked = browser.open(&shop.authorize(&[])).await;
        assert_eq!(error_of(&blocked), "access_denied");
    }
}
