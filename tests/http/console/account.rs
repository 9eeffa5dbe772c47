//! The person's own account in the console.

use serde_json::{Value, json};
use steward_tests::{App, Backend, Browser, Mailbox, PASSWORD, World, eventually, on_sqlite};

use super::{copyable, links_to, signed_in};

const ACCOUNT: &str = "/console/account";
const NEW_PASSWORD: &str = "another horse battery";

/// Status of signing in with a password.
async fn log_in(app: &App, email: &str, password: &str) -> u16 {
    let login = json!({"email": email, "password": password});
    app.anonymous().post("/auth/login", login).await.status.as_u16()
}

on_sqlite! {
    async fn the_profile_is_saved_and_a_stale_form_is_refused(app: &App) {
        let ann = app.person("ann").await;
        app.person("bob").await;
        let browser = signed_in(app, "ann").await;
        let (first, second) = (browser.open(ACCOUNT).await, browser.open(ACCOUNT).await);
        for _ in 0..2 {
            let saved = browser.submit(&first, ACCOUNT, &[("name", "Ann <b>")]).await;
            assert!(saved.is_at(ACCOUNT) && saved.text().contains("Your profile was saved."), "{saved}");
        }
        assert_eq!(ann.get("/auth/userinfo").await.ok()["name"], "Ann <b>");
        let stale = browser.submit(&second, ACCOUNT, &[("username", "annie")]).await;
        assert!(stale.status == 412 && stale.html.contains("value=\"annie\""), "{stale}");
        let taken = browser.submit(&stale, ACCOUNT, &[("username", "BOB")]).await;
        assert!(taken.status == 409 && taken.html.contains("username-error"), "{taken}");
        let invalid = browser.submit(&taken, ACCOUNT, &[("username", "a b")]).await;
        assert_eq!(invalid.status, 400, "{invalid}");
        let saved = browser.submit(&invalid, ACCOUNT, &[("name", "Ann"), ("username", "annie")]).await;
        assert!(saved.is_at(ACCOUNT) && saved.html.contains("value=\"annie\""), "{saved}");
    }

    async fn a_username_that_an_invite_names_cannot_be_given_up(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let invites = format!("/team/{}/invite", world.team);
        let invite = world.owner.post(&invites, json!({"username": "ann", "roles": "viewer"})).await.created().id();
        let browser = signed_in(app, "ann").await;
        let page = browser.open(ACCOUNT).await;
        let refused = browser.submit(&page, ACCOUNT, &[("username", "annie")]).await;
        assert!(refused.status == 400 && refused.text().contains("while an invite names it"), "{refused}");
        world.owner.delete(&format!("{invites}/{invite}")).await.ok();
        let saved = browser.submit(&refused, ACCOUNT, &[("username", "annie")]).await;
        assert!(saved.is_at(ACCOUNT) && saved.status == 200, "{saved}");
    }

    async fn without_a_mail_server_an_operator_helps_with_the_address(app: &App) {
        app.person("ann").await;
        let (browser, address) = (signed_in(app, "ann").await, format!("{ACCOUNT}/email"));
        let profile = browser.open(ACCOUNT).await;
        assert!(profile.text().contains("ask an operator of this service to confirm the address"), "{profile}");
        assert!(!profile.text().contains("confirmation email"), "{profile}");
        let page = browser.open(&address).await;
        assert!(page.text().contains("ask an operator of this service for the link"), "{page}");
        assert!(!page.text().contains("is sent"), "{page}");
        let requested = browser.submit(&page, &address, &[("email", "ann@new.example")]).await;
        let expected = "open the link to ann@new.example in the log of the service, or ask an operator";
        assert!(requested.is_at(&address) && requested.text().contains(expected), "{requested}");
    }

    async fn a_new_password_requires_the_current_one_and_ends_everything_else(app: &App) {
        let ann = app.person("ann").await;
        let (browser, other) = (signed_in(app, "ann").await, signed_in(app, "ann").await);
        let address = format!("{ACCOUNT}/password");
        let page = browser.open(&address).await;
        for (current, new, error) in [
            ("not the password", NEW_PASSWORD, "id=\"current_password-error\""),
            (PASSWORD, "x9x9", "id=\"password-error\""),
        ] {
            let refused = browser.submit(&page, &address, &[("current_password", current), ("password", new)]).await;
            assert!(refused.status == 400 && refused.html.contains(error), "{refused}");
            assert!(!refused.html.contains(PASSWORD) && !refused.html.contains("x9x9"), "{refused}");
        }
        assert!(other.open(ACCOUNT).await.is_at(ACCOUNT));

        let page = browser.open(&address).await;
        let changed = [("current_password", PASSWORD), ("password", NEW_PASSWORD)];
        let page = browser.submit(&page, &address, &changed).await;
        assert!(page.is_at("/console/account/sessions") && page.text().contains("was changed"), "{page}");
        assert!(browser.open(ACCOUNT).await.is_at(ACCOUNT));
        assert!(other.open(ACCOUNT).await.is_at("/auth/sign-in"));
        ann.get("/team/").await.refused(401, "unauthorized");
        assert_eq!(log_in(app, "ann@example.com", PASSWORD).await, 401);
        assert_eq!(log_in(app, "ann@example.com", NEW_PASSWORD).await, 200);
    }

    async fn a_session_shows_when_it_was_last_used(app: &App) {
        app.person("ann").await;
        let browser = signed_in(app, "ann").await;
        let last_used = async || {
            let text = browser.open("/console/account/sessions").await.text();
            text.split_once("Last used ").unwrap().1.to_owned()
        };
        app.leave_sessions(60);
        let before = last_used().await;
        eventually(async || (last_used().await != before).then_some(())).await;
    }

    async fn forms_require_the_csrf_token_of_the_session(app: &App) {
        app.person("ann").await;
        let (browser, _other) = (signed_in(app, "ann").await, signed_in(app, "ann").await);
        for (address, form) in [
            (ACCOUNT, ACCOUNT),
            ("/console/account/email", "/console/account/email"),
            ("/console/account/password", "/console/account/password"),
            ("/console/account/sessions", "/console/account/sessions/end"),
            ("/console/account/sessions", "/console/account/sessions/end-program"),
            ("/console/account/tokens/new", "/console/account/tokens/new"),
            ("/console/account/delete", "/console/account/delete"),
        ] {
            let page = browser.open(address).await;
            let refused = browser.submit(&page, form, &[("csrf", "wrong")]).await;
            assert!(refused.status == 403 && refused.heading() == "This form has expired", "{refused}");
        }
    }

    async fn a_token_reaches_only_what_it_is_limited_to_and_is_shown_once(app: &App) {
        let world = World::make(app, "acme").await;
        let other = json!({"name": "other", "team_id": world.team});
        let other = world.owner.post("/project/", other).await.created().id();
        let browser = signed_in(app, "acme-owner").await;
        let new = "/console/account/tokens/new";
        let page = browser.open(new).await;
        let refused = browser.submit(&page, new, &[("label", "CI"), ("projects", &world.project)]).await;
        assert!(refused.status == 400 && refused.html.contains("roles-error"), "{refused}");

        app.age_sessions();
        let asked = browser.submit(&refused, new, &[("roles", "viewer"), ("days", "7")]).await;
        assert_eq!(asked.heading(), "Confirm that it is you", "{asked}");
        let created = browser.submit(&asked, new, &[("confirm_password", PASSWORD)]).await;
        let value = copyable(&created, "token");
        let token = app.bearer(&value);
        token.get(&format!("/project/{}", world.project)).await.ok();
        token.get(&format!("/project/{other}")).await.is_not_found();
        token.delete(&format!("/project/{}", world.project)).await.refused(403, "forbidden");

        let list = browser.open("/console/account/tokens").await;
        assert!(list.text().contains("CI") && list.text().contains("1 project"), "{list}");
        assert!(!list.html.contains(&value), "{list}");
        let revoke = list.links().into_iter().find(|link| link.ends_with("/revoke")).unwrap();
        let confirm = browser.open(&revoke).await;
        for _ in 0..2 {
            let revoked = browser.submit(&confirm, &revoke, &[]).await;
            assert!(revoked.is_at("/console/account/tokens") && revoked.text().contains("No tokens"), "{revoked}");
        }
        token.get(&format!("/project/{}", world.project)).await.refused(401, "unauthorized");
    }

    async fn the_export_contains_the_account_and_its_data_in_projects(app: &App) {
        let world = World::make(app, "acme").await;
        let browser = signed_in(app, "acme-visitor").await;
        let page = browser.open("/console/account/export").await;
        assert!(links_to(&page, "/console/account/export/file"), "{page}");
        let file = browser.open("/console/account/export/file").await;
        assert!(file.headers["content-disposition"].to_str().unwrap().starts_with("attachment"));
        let export: Value = serde_json::from_str(&file.html).unwrap();
        assert_eq!(export["account"]["email"], "acme-visitor@example.com");
        assert_eq!(export["sessions"].as_array().unwrap().len(), 1);
        let app_data = &export["apps"][0];
        assert_eq!((&app_data["project_id"], &app_data["user"]["id"]), (&json!(world.project), &json!(world.user)));
        assert_eq!(app_data["items"]["notes"].as_array().map(Vec::len), Some(1), "{file}");
        assert!(!file.html.contains("argon2"), "{file}");

        let owner = signed_in(app, "acme-owner").await.open("/console/account/export/file").await;
        let export: Value = serde_json::from_str(&owner.html).unwrap();
        assert_eq!((&export["apps"], &export["teams"][0]["slug"]), (&json!([]), &json!("acme")));
    }

    async fn an_account_is_deleted_unless_it_is_the_last_owner(app: &App) {
        let ann = app.person("ann").await;
        let team = ann.post("/team/", json!({"name": "Acme", "slug": "acme"})).await.created().id();
        let browser = signed_in(app, "ann").await;
        let address = format!("{ACCOUNT}/delete");
        let refused = browser.open(&address).await;
        assert!(refused.text().contains("Acme") && refused.forms().iter().all(|form| form.action.path() != address));
        for page in ["members", "delete"] {
            assert!(links_to(&refused, &format!("/console/teams/{team}/{page}")), "{refused}");
        }
        ann.delete(&format!("/team/{team}")).await.ok();

        let page = browser.open(&address).await;
        let wrong = browser.submit(&page, &address, &[("confirm", "acme")]).await;
        assert!(wrong.status == 400 && wrong.html.contains("confirm-error"), "{wrong}");
        app.age_sessions();
        let asked = browser.submit(&wrong, &address, &[("confirm", "ann@example.com")]).await;
        assert_eq!(asked.heading(), "Confirm that it is you", "{asked}");
        ann.get("/team/").await.ok();
        let deleted = browser.submit(&asked, &address, &[("confirm_password", PASSWORD)]).await;
        assert_eq!(deleted.heading(), "Your account was deleted", "{deleted}");
        assert!(browser.open(ACCOUNT).await.is_at("/auth/sign-in"));
        ann.get("/team/").await.refused(401, "unauthorized");
        assert_eq!(log_in(app, "ann@example.com", PASSWORD).await, 401);
    }

    async fn a_form_of_an_account_that_became_the_last_owner_is_refused(app: &App) {
        let ann = app.person("ann").await;
        let browser = signed_in(app, "ann").await;
        let address = format!("{ACCOUNT}/delete");
        let page = browser.open(&address).await;
        ann.post("/team/", json!({"name": "Acme", "slug": "acme"})).await.created();
        let refused = browser.submit(&page, &address, &[("confirm", "ann@example.com")]).await;
        assert!(refused.status == 409 && refused.text().contains("Acme"), "{refused}");
        ann.get("/team/").await.ok();
    }
}

/// Changes the address of `ann` and checks who receives which email.
async fn an_address_is_changed_by_the_account_that_confirms_it(backend: Backend) {
    let mail = Mailbox::start().await;
    let settings = mail.settings();
    let settings: Vec<_> = settings.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let app = App::start_with(backend, &settings).await;
    let ann = app.person("ann").await;
    app.person("bob").await;
    let (browser, address) = (signed_in(&app, "ann").await, format!("{ACCOUNT}/email"));
    let request = async |browser: &Browser, email: &str| {
        let page = browser.open(&address).await;
        browser.submit(&page, &address, &[("email", email)]).await
    };
    assert_eq!(request(&browser, "ann").await.status, 400);
    assert_eq!(request(&browser, "ann@example.com").await.status, 400);
    let of_bob = request(&browser, "bob@example.com").await;
    let sent = request(&browser, "ann@new.example").await;
    assert_eq!(of_bob.text().replace("bob@example.com", "ann@new.example"), sent.text());

    let link = mail.nth_to("ann@new.example", 1).await.link();
    assert_eq!(signed_in(&app, "bob").await.open(&link).await.status, 404);
    let page = browser.open(&link).await;
    assert!(page.text().contains("ann@new.example"), "{page}");
    assert_eq!(ann.get("/auth/userinfo").await.ok()["email"], "ann@example.com", "GET must not change it.");
    let confirm = format!("{ACCOUNT}/email/confirm");
    let changed = browser.submit(&page, &confirm, &[]).await;
    assert!(changed.is_at(ACCOUNT) && !changed.text().contains("Not confirmed"), "{changed}");
    let own = ann.get("/auth/userinfo").await.ok();
    assert_eq!((&own["email"], &own["email_verified"]), (&json!("ann@new.example"), &json!(true)));

    let notice = mail.nth_to("ann@example.com", 2).await;
    assert_eq!(notice.subject, "Your email address was changed");
    assert_eq!(notice.link(), format!("{}{ACCOUNT}", app.base));
    // An email to bob would have been sent before the notice.
    mail.nth_to("bob@example.com", 1).await;
    assert_eq!(mail.to("bob@example.com").len(), 1, "Nothing but the email of the sign-up is sent to bob.");
    assert_eq!(browser.submit(&page, &confirm, &[]).await.status, 404);
    assert_eq!(log_in(&app, "ann@example.com", PASSWORD).await, 401);
    assert_eq!(log_in(&app, "ann@new.example", PASSWORD).await, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_is_changed_by_the_account_that_confirms_it_on_sqlite() {
    an_address_is_changed_by_the_account_that_confirms_it(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_is_changed_by_the_account_that_confirms_it_on_postgres() {
    an_address_is_changed_by_the_account_that_confirms_it(Backend::Postgres).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_link_to_a_new_address_ends_with_the_password_and_when_the_address_is_taken() {
    let mail = Mailbox::start().await;
    let settings = mail.settings();
    let settings: Vec<_> = settings.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let app = App::start_with(Backend::Sqlite, &settings).await;
    app.person("ann").await;
    let (browser, address) = (signed_in(&app, "ann").await, format!("{ACCOUNT}/email"));
    let form = browser.open(&address).await;
    browser.submit(&form, &address, &[("email", "carl@example.com")]).await;
    let taken = browser.open(&mail.nth_to("carl@example.com", 1).await.link()).await;
    app.person("carl").await;
    let refused = browser.submit(&taken, "/console/account/email/confirm", &[]).await;
    assert_eq!(refused.status, 409, "{refused}");

    browser.submit(&form, &address, &[("email", "ann@new.example")]).await;
    let link = mail.nth_to("ann@new.example", 1).await.link();
    let password = format!("{ACCOUNT}/password");
    let page = browser.open(&password).await;
    browser.submit(&page, &password, &[("current_password", PASSWORD), ("password", NEW_PASSWORD)]).await;
    let ended = browser.open(&link).await;
    assert!(ended.status == 404 && ended.heading() == "This link is no longer valid", "{ended}");
    assert!(ended.text().contains("A new password ends it too.") && links_to(&ended, &address), "{ended}");
    assert!(!ended.text().contains("deleted"), "{ended}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_operator_limits_sessions_and_turns_off_tokens_for_passwords() {
    let settings = [
        ("STEWARD_SESSION_MAX_HOURS", "8"),
        ("STEWARD_SESSION_IDLE_MINUTES", "30"),
        ("STEWARD_PASSWORD_TOKENS", "off"),
    ];
    let app = App::start_with(Backend::Sqlite, &settings).await;
    app.provision("ann").await;
    let browser = Browser::new(&app);
    let page = browser.open("/auth/sign-in").await;
    let cookies = page.headers.get_all("set-cookie").iter().map(|cookie| cookie.to_str().unwrap());
    assert!(cookies.into_iter().any(|cookie| cookie.contains("Max-Age=28800")), "{page}");
    let login = [("login", "ann"), ("password", PASSWORD)];
    browser.submit(&page, "/auth/sign-in", &login).await;
    app.leave_sessions(29);
    assert!(browser.open(ACCOUNT).await.is_at(ACCOUNT));
    // Again, because the use before may be recorded after that.
    eventually(async || {
        app.leave_sessions(31);
        browser.open(ACCOUNT).await.is_at("/auth/sign-in").then_some(())
    })
    .await;

    let body = json!({"username": "ann", "password": PASSWORD});
    let refused = app.anonymous().post("/auth/login", body).await.is_forbidden();
    assert!(refused["message"].as_str().unwrap().contains("/auth/authorize"), "{refused:?}");
}
