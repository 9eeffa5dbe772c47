//! Emails with links: email confirmation, password reset and invites. The mail server runs in the test process.

use std::time::{Duration, Instant};

use serde_json::json;
use steward_tests::{App, Backend, Browser, Client, PASSWORD, Page, World, with_mail};

const NEW_PASSWORD: &str = "another horse battery";

/// Requests a password reset email.
async fn request_password_reset(app: &App, email: &str) -> Page {
    let browser = Browser::new(app);
    let page = browser.open("/auth/forgot-password").await;
    browser.submit(&page, "/auth/forgot-password", &[("email", email)]).await
}

/// Sets a new password with the link of an email.
async fn reset(app: &App, link: &str) -> Page {
    let browser = Browser::new(app);
    let page = browser.open(link).await;
    browser.submit(&page, "/auth/reset-password", &[("password", NEW_PASSWORD)]).await
}

async fn log_in(app: &App, password: &str) -> u16 {
    let login = json!({"email": "ann@example.com", "password": password});
    app.anonymous().post("/auth/login", login).await.status.as_u16()
}

with_mail! {
    async fn a_new_account_confirms_its_address_once(app: &App, mail: &Mailbox) {
        let ann = app.person("ann").await;
        let email = mail.nth_to("ann@example.com", 1).await;
        assert_eq!((email.from.as_str(), email.subject.as_str()),
            ("no-reply@steward.example", "Confirm your email address"));
        assert!(email.link().starts_with(&app.base));
        // Mail servers refuse the bare name of a machine, and `localhost` is not one of the service.
        assert_eq!(email.greeting, "[127.0.0.1]");
        assert!(email.message_id.ends_with("@steward.example>"), "{email:?}");
        assert_eq!(ann.get("/auth/userinfo").await.ok()["email_verified"], false);
        let stranger = Browser::new(app).open(&email.link()).await;
        assert!(stranger.status == 403 && stranger.heading() == "Sign in to continue", "{stranger}");
        let browser = signed_in(app, "ann").await;
        let page = browser.open(&email.link()).await;
        assert_eq!(ann.get("/auth/userinfo").await.ok()["email_verified"], false, "GET must not confirm it.");
        let done = browser.submit(&page, "/auth/verify-email", &[]).await;
        assert!(done.status == 200, "{done}");
        assert_eq!(ann.get("/auth/userinfo").await.ok()["email_verified"], true);
        let again = browser.submit(&page, "/auth/verify-email", &[]).await;
        assert!(again.status == 404 && again.heading() == "This link is no longer valid", "{again}");
        assert_eq!(browser.open(&email.link()).await.status, 404);
    }

    async fn a_confirmed_address_can_accept_invites(app: &App, mail: &Mailbox) {
        let world = World::make(app, "acme").await;
        let ann = app.person("ann").await;
        let email = mail.nth_to("ann@example.com", 1).await;
        let invite = json!({"email": "ann@example.com", "roles": "viewer"});
        let invite = world.owner.post(&format!("/team/{}/invite", world.team), invite).await.created().id();
        ann.post("/team/accept-invite", json!({"invite_id": invite})).await.is_not_found();
        let browser = signed_in(app, "ann").await;
        let page = browser.open(&email.link()).await;
        browser.submit(&page, "/auth/verify-email", &[]).await;
        ann.post("/team/accept-invite", json!({"invite_id": invite})).await.ok();
    }

    async fn an_invite_by_email_is_sent_when_it_is_created_and_when_it_is_renewed(app: &App, mail: &Mailbox) {
        let world = World::make(app, "acme").await;
        let path = format!("/team/{}/invite", world.team);
        let vera = app.verified_person("vera").await;
        let invite = json!({"email": "vera@example.com", "roles": "viewer"});
        let created = world.owner.post(&path, invite.clone()).await.created();
        assert_eq!(created["data"]["delivery"], "queued");
        let email = mail.nth_to("vera@example.com", 1).await;
        assert_eq!(email.subject, "You are invited to join the team acme");
        let shown = created["data"]["link"].as_str().unwrap();
        assert!(email.link().starts_with(&format!("{shown}.stw_el_")), "Only the email has the proof of the address.");
        assert_eq!(delivery_status(&world).await, "sent");
        world.owner.post(&path, invite).await.created();
        mail.nth_to("vera@example.com", 2).await;
        assert_eq!(delivery_status(&world).await, "sent");
        let by_username = json!({"username": "acme-visitor", "roles": "viewer"});
        assert_eq!(world.owner.post(&path, by_username).await.created()["data"]["delivery"], "link");

        let browser = signed_in(app, "vera").await;
        let page = browser.open(&email.link()).await;
        let done = browser.submit(&page, "/auth/invite", &[("decision", "accept")]).await;
        assert_eq!(done.heading(), "You joined the team acme", "{done}");
        vera.get(&format!("/team/{}", world.team)).await.ok();
    }

    async fn a_confirmation_link_works_only_for_the_account_that_requested_it(app: &App, mail: &Mailbox) {
        let impostor = app.person("ann").await;
        app.person("boss").await;
        let email = mail.nth_to("ann@example.com", 1).await;
        let boss = signed_in(app, "boss").await;
        let page = boss.open(&email.link()).await;
        let refused = boss.submit(&page, "/auth/verify-email", &[]).await;
        assert_eq!(refused.status, 404, "{refused}");
        assert_eq!(impostor.get("/auth/userinfo").await.ok()["email_verified"], false);
    }

    async fn an_address_with_other_letters_is_one_address_at_every_entrance(app: &App, mail: &Mailbox) {
        let browser = Browser::new(app);
        let page = browser.open("/auth/sign-up").await;
        browser.submit(&page, "/auth/sign-up", &[("email", "Max@Müller.example"), ("password", PASSWORD)]).await;
        mail.nth_to("Max@xn--mller-kva.example", 1).await;
        for typed in ["max@müller.example", "max@xn--mller-kva.example", "max@mu\u{308}ller.example"] {
            let body = json!({"email": typed, "password": PASSWORD});
            app.anonymous().post("/auth/signup", body.clone()).await.refused(409, "email_taken");
            app.anonymous().post("/auth/login", body).await.ok();
        }
        request_password_reset(app, "max@MÜLLER.example").await;
        mail.nth_to("Max@xn--mller-kva.example", 2).await;
        let page = signed_in(app, "max@müller.example").await.open("/console/account").await;
        assert!(page.text().contains("Max@müller.example"), "{page}");
    }

    async fn an_address_that_the_mail_server_does_not_send_to_is_refused_with_the_reason(app: &App, _mail: &Mailbox) {
        let world = World::make(app, "acme").await;
        let reason = "because the mail server of this service does not send to others";
        let body = json!({"email": "josé@example.com", "password": PASSWORD});
        let refused = app.anonymous().post("/auth/signup", body).await.refused(400, "invalid_request");
        assert!(refused["errors"][0]["message"].as_str().unwrap().contains(reason), "{refused:?}");
        let invite = json!({"email": "用户@例子.广告", "roles": "viewer"});
        world.owner.post(&format!("/team/{}/invite", world.team), invite).await.refused(400, "invalid_request");
        let browser = Browser::new(app);
        let page = browser.open("/auth/sign-up").await;
        let values = [("email", "josé@example.com"), ("password", PASSWORD)];
        let page = browser.submit(&page, "/auth/sign-up", &values).await;
        assert!(page.status == 400 && page.text().contains(reason), "{page}");
        let page = request_password_reset(app, "josé@example.com").await;
        assert!(page.status == 400 && page.text().contains(reason), "{page}");
    }

    async fn a_signed_in_person_can_resend_the_confirmation_email(app: &App, mail: &Mailbox) {
        app.person("ann").await;
        mail.nth_to("ann@example.com", 1).await;
        let browser = Browser::new(app);
        let page = browser.open("/auth/sign-in").await;
        browser.submit(&page, "/auth/sign-in", &[("login", "ann"), ("password", PASSWORD)]).await;
        let page = browser.open("/console/account").await;
        assert!(page.text().contains("Not confirmed"), "{page}");
        let sent = browser.submit(&page, "/auth/verify-email/send", &[]).await;
        assert!(sent.text().contains("The email was sent"), "{sent}");
        let email = mail.nth_to("ann@example.com", 2).await;
        let confirm = browser.open(&email.link()).await;
        browser.submit(&confirm, "/auth/verify-email", &[]).await;
        assert!(!browser.open("/console/account").await.text().contains("Not confirmed"));
    }

    async fn a_new_password_ends_every_session_and_token(app: &App, mail: &Mailbox) {
        let world = World::make(app, "acme").await;
        let ann = app.person("ann").await;
        mail.nth_to("ann@example.com", 1).await;
        let (client, browser) = (Client::of(app, &world), Browser::new(app));
        let code = client.code(&browser, "ann", &[]).await;
        let tokens = client.redeem(&code, &[]).await.ok();
        let user = app.bearer(tokens["access_token"].as_str().unwrap());
        user.get("/auth/userinfo").await.ok();
        let in_flight = client.code(&browser, "ann", &[]).await;

        let sent = request_password_reset(app, "ann@example.com").await;
        assert!(sent.text().contains("If an account has this address"), "{sent}");
        let email = mail.nth_to("ann@example.com", 2).await;
        let done = reset(app, &email.link()).await;
        assert!(done.status == 200, "{done}");

        assert_eq!((log_in(app, PASSWORD).await, log_in(app, NEW_PASSWORD).await), (401, 200));
        for actor in [&user, &ann] {
            actor.get("/auth/userinfo").await.refused(401, "unauthorized");
        }
        client.refresh(tokens["refresh_token"].as_str().unwrap()).await.refused(400, "invalid_grant");
        client.redeem(&in_flight, &[]).await.refused(400, "invalid_grant");
        assert!(browser.open("/console/account/sessions").await.is_at("/auth/sign-in"));
        let again = reset_status(app, &email.link()).await;
        assert_eq!(again, 404, "A link works only once.");
    }

    async fn a_password_reset_invalidates_earlier_links(app: &App, mail: &Mailbox) {
        app.person("ann").await;
        mail.nth_to("ann@example.com", 1).await;
        request_password_reset(app, "ann@example.com").await;
        let first = mail.nth_to("ann@example.com", 2).await;
        request_password_reset(app, "ann@example.com").await;
        let second = mail.nth_to("ann@example.com", 3).await;
        assert_eq!(reset(app, &second.link()).await.status, 200);
        assert_eq!(reset_status(app, &first.link()).await, 404);
    }

    async fn an_address_without_an_account_gets_the_same_response_and_no_email(app: &App, mail: &Mailbox) {
        app.person("ann").await;
        let known = request_password_reset(app, "Ann@Example.com").await;
        let unknown = request_password_reset(app, "eve@example.com").await;
        assert_eq!(known.status, unknown.status);
        assert_eq!(known.text().replace("Ann@Example.com", "eve@example.com"), unknown.text());
        mail.nth_to("ann@example.com", 2).await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert!(mail.to("eve@example.com").is_empty());
    }

    async fn a_link_is_valid_only_for_its_own_purpose(app: &App, mail: &Mailbox) {
        app.person("ann").await;
        let confirm = mail.nth_to("ann@example.com", 1).await.link();
        assert_eq!(reset_status(app, &confirm.replace("verify-email", "reset-password")).await, 404);
        for invalid in ["", "?token=", "?token=x", "?token=stw_el_0000000000000000000000000000000000000000000"] {
            assert_eq!(reset_status(app, &format!("/auth/reset-password{invalid}")).await, 404);
        }
        request_password_reset(app, "ann@example.com").await;
        let browser = Browser::new(app);
        let page = browser.open(&mail.nth_to("ann@example.com", 2).await.link()).await;
        let short = browser.submit(&page, "/auth/reset-password", &[("password", "short")]).await;
        assert!(short.status == 400 && short.text().contains("10 to 256"), "{short}");
        let easy = browser.submit(&short, "/auth/reset-password", &[("password", "ann@example.com")]).await;
        assert!(easy.status == 400 && easy.text().contains("easy to guess"), "{easy}");
        let done = browser.submit(&easy, "/auth/reset-password", &[("password", NEW_PASSWORD)]).await;
        assert_eq!(done.status, 200, "A refused password must not invalidate the link.");
    }

    async fn no_log_line_contains_a_link_or_a_password(app: &App, mail: &Mailbox) {
        app.person("ann").await;
        let confirmation = mail.nth_to("ann@example.com", 1).await;
        request_password_reset(app, "ann@example.com").await;
        let emails = [confirmation, mail.nth_to("ann@example.com", 2).await];
        reset(app, &emails[1].link()).await;
        let log = app.complete_log().await;
        for email in emails {
            let token = email.link().split('=').nth(1).unwrap().to_owned();
            assert!(!log.contains(&token), "{token}");
        }
        assert!(!log.contains(PASSWORD) && !log.contains(NEW_PASSWORD));
    }
}

/// Waits until the oldest invite of the team is no longer queued and returns its `delivery` status.
async fn delivery_status(world: &World) -> String {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let pending = world.owner.get(&format!("/team/{}/invite", world.team)).await.ok();
        let delivery = pending["data"].as_array().unwrap().last().unwrap()["delivery"].as_str().unwrap().to_owned();
        if delivery != "queued" || Instant::now() > deadline {
            return delivery;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Opens a new browser and signs in.
async fn signed_in(app: &App, username: &str) -> Browser {
    let browser = Browser::new(app);
    let page = browser.open("/auth/sign-in").await;
    browser.submit(&page, "/auth/sign-in", &[("login", username), ("password", PASSWORD)]).await;
    browser
}

async fn reset_status(app: &App, link: &str) -> u16 {
    Browser::new(app).open(link).await.status.as_u16()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_mail_server_the_email_is_in_the_log() {
    let app = App::start(Backend::Sqlite).await;
    app.person("ann").await;
    let log = app.complete_log().await;
    assert!(log.contains("/auth/verify-email?token=stw_el_") && log.contains("no mail server is configured"), "{log}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_invite_is_created_even_if_its_email_cannot_be_sent() {
    let unreachable = format!("smtp://127.0.0.1:{}", steward_tests::free_port());
    let settings = [("STEWARD_SMTP_URL", unreachable.as_str()), ("STEWARD_MAIL_FROM", "a@example.com")];
    let app = App::start_with(Backend::Sqlite, &settings).await;
    let world = World::make(&app, "acme").await;
    let invite = json!({"email": "new@example.com", "roles": "viewer"});
    let created = world.owner.post(&format!("/team/{}/invite", world.team), invite).await.created();
    assert_eq!(created["data"]["delivery"], "queued");
    assert!(created["data"]["link"].is_string(), "The link can be shared manually.");
}
