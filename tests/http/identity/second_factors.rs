//! Authenticator apps and recovery codes: a sign-in requires them wherever it begins, and each code is accepted once.

use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use steward_domain::kernel::policy::LimitedAction;
use steward_tests::{
    App, Authenticator, Backend, Browser, Client, Mailbox, PASSWORD, Page, World, on_both_in_full, on_sqlite,
};

use crate::identity::action_limits::SETTINGS;

const SECOND_FACTOR: &str = "/auth/second-factor";
const TWO_FACTOR: &str = "/console/account/two-factor";

/// Enters the password in a new browser.
async fn enter_password(app: &App, login: &str) -> (Browser, Page) {
    let browser = Browser::new(app);
    let page = browser.open("/auth/sign-in").await;
    let page = browser.submit(&page, "/auth/sign-in", &[("login", login), ("password", PASSWORD)]).await;
    (browser, page)
}

/// Signs out, and enters the password of Ann in the same browser.
async fn enter_password_again(browser: &Browser) -> Page {
    browser.submit(&browser.open("/auth/sign-out").await, "/auth/sign-out", &[]).await;
    let page = browser.open("/auth/sign-in").await;
    browser.submit(&page, "/auth/sign-in", &[("login", "ann"), ("password", PASSWORD)]).await
}

/// Enters the password and a code in a new browser.
async fn sign_in(app: &App, login: &str, code: &str) -> (Browser, Page) {
    let (browser, page) = enter_password(app, login).await;
    assert!(page.is_at(SECOND_FACTOR), "{page}");
    let page = browser.submit(&page, SECOND_FACTOR, &[("code", code)]).await;
    (browser, page)
}

/// Ann, with an authenticator app.
async fn ann(app: &App) -> (Browser, Authenticator, Vec<String>) {
    app.person("ann").await;
    let browser = Browser::signed_in(app, "ann").await;
    let (authenticator, codes) = Authenticator::set_up(&browser).await;
    (browser, authenticator, codes)
}

#[track_caller]
fn is_refused(page: &Page) {
    assert!(page.is_at(SECOND_FACTOR) && page.status == 400, "{page}");
    assert!(page.text().contains("The code is wrong, expired or already used."), "{page}");
}

#[track_caller]
fn is_mistyped(page: &Page) {
    assert!(page.is_at(SECOND_FACTOR) && page.status == 400, "{page}");
    assert!(page.text().contains("This is not a code. Enter the six digits that the app shows"), "{page}");
}

/// A timestamp 90 days in the future.
#[expect(clippy::disallowed_methods, reason = "the service uses the system clock")]
fn soon() -> String {
    (chrono::DateTime::<chrono::Utc>::from(std::time::SystemTime::now()) + chrono::TimeDelta::days(90)).to_rfc3339()
}

/// The claims of a token.
pub fn claims(token: &Value) -> Value {
    let payload = token.as_str().unwrap().split('.').nth(1).unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload).unwrap()).unwrap()
}

on_both_in_full! {
    async fn a_sign_in_requires_a_code_of_the_app_and_each_code_is_accepted_once(app: &App) {
        let (_, authenticator, _) = ann(app).await;
        let (browser, page) = enter_password(app, "ann").await;
        assert!(page.is_at(SECOND_FACTOR) && page.text().contains("a***@e***.com"), "{page}");
        assert!(!page.html.contains("ann@example.com"), "The password alone does not reveal the address: {page}");
        assert!(browser.open("/console/account").await.is_at("/auth/sign-in"), "The password alone must not suffice.");
        let page = browser.open(SECOND_FACTOR).await;
        is_mistyped(&browser.submit(&page, SECOND_FACTOR, &[("code", "000000x")]).await);
        // The code that set up the app is used.
        is_refused(&browser.submit(&page, SECOND_FACTOR, &[("code", &authenticator.code(-1))]).await);

        app.forget_used_codes();
        let code = authenticator.code(0);
        let done = browser.submit(&page, SECOND_FACTOR, &[("code", &code)]).await;
        assert!(done.is_at("/console/start"), "{done}");
        let replica = app.start_replica().await;
        for service in [app, &replica] {
            is_refused(&sign_in(service, "ann", &code).await.1);
            is_refused(&sign_in(service, "ann", &authenticator.code(-1)).await.1);
        }
        app.forget_used_codes();
        // As Japanese keyboards type it.
        let wide = |c: char| char::from_u32(u32::from(c) + 0xfee0).unwrap();
        let wide: String = format!("{}-{}", &code[..3], &code[3..]).chars().map(wide).collect();
        assert!(sign_in(&replica, "ann@example.com", &wide).await.1.is_at("/console/start"));
    }

    async fn neither_keys_nor_codes_are_stored_or_logged(app: &App) {
        app.person("ann").await;
        let browser = Browser::signed_in(app, "ann").await;
        let (authenticator, codes) = Authenticator::set_up(&browser).await;
        sign_in(app, "ann", &codes[0]).await;
        let (stored, log) = (app.stored(), app.complete_log().await);
        let stored = String::from_utf8_lossy(&stored);
        for secret in codes.iter().map(|code| code.replace('-', "")).chain(codes.iter().cloned()).chain([authenticator.key]) {
            assert!(!stored.contains(&secret) && !log.contains(&secret), "{secret}");
        }
        assert!(stored.contains("ann@example.com"), "The check must find what is stored.");
    }
}

on_sqlite! {
    async fn a_recovery_code_replaces_the_app_once(app: &App) {
        let (owner, _, codes) = ann(app).await;
        let (browser, page) = enter_password(app, "ann").await;
        let recovery = page.links().into_iter().find(|link| link.contains("use=recovery-code")).unwrap();
        let page = browser.open(&recovery).await;
        let done = browser.submit(&page, SECOND_FACTOR, &[("code", &codes[3].to_uppercase())]).await;
        assert!(done.is_at("/console/start"), "{done}");
        let (browser, refused) = sign_in(app, "ann", &codes[3]).await;
        is_refused(&refused);
        assert!(browser.submit(&refused, SECOND_FACTOR, &[("code", &codes[4])]).await.is_at("/console/start"));
        assert!(owner.open(TWO_FACTOR).await.text().contains("Unused codes: 8."));

        let new = format!("{TWO_FACTOR}/recovery-codes");
        let replaced = owner.submit(&owner.open(&new).await, &new, &[]).await;
        assert_eq!(replaced.heading(), "Your recovery codes");
        assert!(!replaced.html.contains(&codes[5]), "{replaced}");
        is_refused(&sign_in(app, "ann", &codes[5]).await.1);

        // The app of a lost device is removed after a sign-in with a recovery code.
        let first = replaced.html.split("<code id=\"codes\">").nth(1).unwrap().lines().next().unwrap();
        let (browser, page) = sign_in(app, "ann", first).await;
        assert!(page.is_at("/console/start"), "{page}");
        let remove = format!("{TWO_FACTOR}/app/remove");
        let removed = browser.submit(&browser.open(&remove).await, &remove, &[]).await;
        assert!(removed.text().contains("The authenticator app was removed."), "{removed}");
        assert!(enter_password(app, "ann").await.1.is_at("/console/start"));
    }

    async fn the_login_endpoint_refuses_an_account_with_a_second_factor(app: &App) {
        let (_, authenticator, codes) = ann(app).await;
        let log_in = async |body: Value| app.anonymous().post("/auth/login", body).await;
        let refused = log_in(json!({"username": "ann", "password": PASSWORD})).await;
        let refused = refused.refused(401, "second_factor_required");
        assert!(refused["message"].as_str().unwrap().contains("steward login"), "{refused:?}");
        let wrong = json!({"username": "ann", "password": "not the password"});
        log_in(wrong).await.refused(401, "invalid_credentials");
        for (name, code) in [("code", authenticator.code(1)), ("otp", codes[0].clone())] {
            let body = json!({"username": "ann", "password": PASSWORD, name: code});
            log_in(body).await.refused(400, "unknown_field");
        }
    }

    async fn clients_learn_how_the_person_signed_in(app: &App) {
        let world = World::make(app, "acme").await;
        let client = Client::of(app, &world);
        app.person("ann").await;
        let tokens = client.tokens(app, "ann", &[("acr_values", "aal2")]).await;
        let id = claims(&tokens["id_token"]);
        assert_eq!((&id["acr"], &id["amr"]), (&json!("aal1"), &json!(["pwd"])), "Without a second factor, `aal2` is voluntary.");

        let (browser, other) = (Browser::signed_in(app, "ann").await, Browser::signed_in(app, "ann").await);
        let (authenticator, _) = Authenticator::set_up(&other).await;
        let level = async |browser: &Browser| {
            let code = client.code(browser, "ann", &[]).await;
            claims(&client.redeem(&code, &[]).await.ok()["id_token"])["acr"].clone()
        };
        assert_eq!(level(&browser).await, "aal1", "This session began without the second factor.");
        assert_eq!(level(&other).await, "aal2", "The code that set up the app counts.");
        let silent = browser.open(&client.authorize(&[("acr_values", "aal2"), ("prompt", "none")])).await;
        assert!(silent.url.as_str().contains("error=login_required"), "{silent}");
        let page = browser.open(&client.authorize(&[("acr_values", "urn:x aal2")])).await;
        assert!(page.is_at("/auth/sign-in"), "{page}");
        let page = browser.submit(&page, "/auth/sign-in", &[("login", "ann"), ("password", PASSWORD)]).await;
        assert!(page.is_at(SECOND_FACTOR) && page.text().contains("to continue to acme"), "{page}");
        let page = browser.submit(&page, SECOND_FACTOR, &[("code", &authenticator.code(1))]).await;
        let back = browser.allow(page, "ann").await;
        assert!(back.left, "{back}");
        let code = steward_tests::parameter(back.url.as_str(), "code").unwrap();
        let tokens = client.redeem(&code, &[]).await.ok();
        let (id, access) = (claims(&tokens["id_token"]), claims(&tokens["access_token"]));
        for claims in [&id, &access] {
            assert_eq!((&claims["acr"], &claims["amr"]), (&json!("aal2"), &json!(["pwd", "otp", "mfa"])), "{claims}");
        }
        assert_eq!(access["auth_time"], id["auth_time"]);
        let introspect = format!("token={}", tokens["refresh_token"].as_str().unwrap());
        let headers = [("Content-Type", steward_tests::FORM)];
        let body = Some((steward_tests::FORM, introspect.into_bytes()));
        let found = world.key.send_raw(reqwest::Method::POST, "/auth/introspect", body, &headers[1..]).await.ok();
        assert_eq!((&found["acr"], &found["auth_time"]), (&json!("aal2"), &id["auth_time"]), "{found:?}");
        let refreshed = client.refresh(tokens["refresh_token"].as_str().unwrap()).await.ok();
        assert_eq!(claims(&refreshed["id_token"])["amr"], id["amr"], "A refresh keeps the sign-in.");
        let metadata = app.anonymous().get("/.well-known/openid-configuration").await.ok();
        assert_eq!(metadata["acr_values_supported"], json!(["aal1", "aal2"]));
    }

    async fn sign_ins_without_the_second_factor_must_be_confirmed_once_the_account_has_one(app: &App) {
        let ann = app.person("ann").await;
        let (owner, other) = (Browser::signed_in(app, "ann").await, Browser::signed_in(app, "ann").await);
        let (client, scope) = (Client::new(app, "steward-cli"), ("scope", "openid profile email admin"));
        let tokens = client.tokens(app, "ann", &[scope]).await;
        let program = app.bearer(tokens["access_token"].as_str().unwrap());
        let token = json!({"label": "CI", "roles": "viewer", "expires_at": soon()});
        program.post("/auth/pat", token.clone()).await.created();
        ann.get("/team").await.ok();
        let (authenticator, _) = Authenticator::set_up(&owner).await;

        // The session that set up the app goes on, because it has proven a code.
        let new = "/console/account/tokens/new";
        let fields = [("label", "CI"), ("roles", "viewer")];
        let done = owner.submit(&owner.open(new).await, new, &fields).await;
        assert_eq!(done.heading(), "The token was created", "{done}");
        let asked = other.submit(&other.open(new).await, new, &fields).await;
        assert!(asked.heading() == "Confirm that it is you" && asked.text().contains("without a code"), "{asked}");
        for caller in [&program, &ann] {
            caller.post("/auth/pat", token.clone()).await.refused(401, "insufficient_user_authentication");
            caller.get("/team").await.ok();
        }
        // A client that asks for a recent sign-in gets one with both factors.
        let page = other.open(&client.authorize(&[scope, ("max_age", "900")])).await;
        assert!(page.is_at("/auth/sign-in"), "{page}");
        let page = other.submit(&page, "/auth/sign-in", &[("login", "ann"), ("password", PASSWORD)]).await;
        let page = other.submit(&page, SECOND_FACTOR, &[("code", &authenticator.code(1))]).await;
        let back = other.allow(page, "ann").await;
        let code = steward_tests::parameter(back.url.as_str(), "code").unwrap();
        let tokens = client.redeem(&code, &[]).await.ok();
        app.bearer(tokens["access_token"].as_str().unwrap()).post("/auth/pat", token).await.created();
        let done = other.submit(&other.open(new).await, new, &fields).await;
        assert_eq!(done.heading(), "The token was created", "{done}");
    }

    async fn a_code_does_not_make_an_earlier_password_recent(app: &App) {
        let world = World::make(app, "acme").await;
        let client = Client::of(app, &world);
        let (_, authenticator, _) = ann(app).await;
        let (browser, _) = enter_password(app, "ann").await;
        // The client asks for a new sign-in after the password was entered.
        let page = browser.open(&client.authorize(&[("prompt", "login")])).await;
        assert!(page.is_at("/auth/sign-in"), "{page}");
        let page = browser.open(&page.url.as_str().replace("/auth/sign-in", SECOND_FACTOR)).await;
        let page = browser.submit(&page, SECOND_FACTOR, &[("code", &authenticator.code(1))]).await;
        assert!(page.is_at("/auth/sign-in"), "{page}");
        let page = browser.submit(&page, "/auth/sign-in", &[("login", "ann"), ("password", PASSWORD)]).await;
        app.forget_used_codes();
        let page = browser.submit(&page, SECOND_FACTOR, &[("code", &authenticator.code(0))]).await;
        assert!(page.is_at("/auth/consent"), "{page}");
    }

    async fn a_confirmation_and_a_new_password_require_a_code_too(app: &App) {
        let (browser, authenticator, codes) = ann(app).await;
        let (new, password) = ("/console/account/tokens/new", "/console/account/password");
        app.age_sessions();
        let form = browser.open(new).await;
        let asked = browser.submit(&form, new, &[("label", "CI"), ("roles", "viewer")]).await;
        assert!(asked.heading() == "Confirm that it is you" && asked.html.contains("confirm_code"), "{asked}");
        let without = browser.submit(&asked, new, &[("confirm_password", PASSWORD)]).await;
        assert!(without.status == 400 && without.text().contains("Enter a code of your authenticator app, too."), "{without}");
        let wrong = [("confirm_password", PASSWORD), ("confirm_code", "123456x")];
        let wrong = browser.submit(&without, new, &wrong).await;
        assert!(wrong.status == 400 && wrong.text().contains("This is not a code."), "{wrong}");
        let code = authenticator.code(1);
        let done = browser.submit(&wrong, new, &[("confirm_password", PASSWORD), ("confirm_code", &code)]).await;
        assert_eq!(done.heading(), "The token was created", "{done}");

        let form = browser.open(password).await;
        let change = [("current_password", PASSWORD), ("password", "another horse battery")];
        let refused = browser.submit(&form, password, &change).await;
        assert!(refused.status == 400 && refused.html.contains("id=\"code-error\""), "{refused}");
        let replayed = [change[0], change[1], ("code", &code)];
        let refused = browser.submit(&form, password, &replayed).await;
        assert!(refused.status == 400 && refused.html.contains("id=\"code-error\""), "{refused}");
        let weak = [change[0], ("password", "password12"), ("code", &codes[0])];
        let refused = browser.submit(&form, password, &weak).await;
        assert!(refused.status == 400 && refused.text().contains("easy to guess"), "{refused}");
        // A password that is refused does not use up the code.
        let changed = browser.submit(&form, password, &[change[0], change[1], ("code", &codes[0])]).await;
        assert!(changed.is_at("/console/account/sessions"), "{changed}");
    }

    async fn an_app_is_set_up_only_with_a_code_and_a_recent_password(app: &App) {
        app.person("ann").await;
        let (browser, address) = (Browser::signed_in(app, "ann").await, format!("{TWO_FACTOR}/app"));
        let page = browser.open(&address).await;
        assert!(page.html.contains("<svg class=\"qr-code\"") && page.html.contains("<path d=\"M4 4h7v1h-7z"), "{page}");
        let refused = browser.submit(&page, &address, &[("code", "000000")]).await;
        assert!(refused.status == 400 && refused.html.contains("id=\"code-error\""), "{refused}");
        let key = |page: &Page| page.html.split("<code id=\"key\">").nth(1).unwrap()[..39].to_owned();
        assert_eq!(key(&refused), key(&page), "The app that scanned the code must stay valid.");
        assert_ne!(key(&browser.open(&address).await), key(&page));
        let authenticator = Authenticator::with_key(&key(&page));

        // The key of another account is refused.
        app.person("bob").await;
        let bob = Browser::signed_in(app, "bob").await;
        let hidden = |page: &Page| page.form(&address).fields.iter().find(|field| field.0 == "key").unwrap().1.clone();
        let stolen = [("key", hidden(&page)), ("code", authenticator.code(0))];
        let stolen: Vec<_> = stolen.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let refused = bob.submit(&bob.open(&address).await, &address, &stolen).await;
        assert!(refused.status == 400 && refused.text().contains("opened too long ago"), "{refused}");

        app.age_sessions();
        let start = browser.open(&address).await;
        assert!(!start.html.contains("qr-code"), "{start}");
        let asked = browser.submit(&start, &address, &[]).await;
        assert_eq!(asked.heading(), "Confirm that it is you", "{asked}");
        let page = browser.submit(&asked, &address, &[("confirm_password", PASSWORD)]).await;
        let authenticator = Authenticator::with_key(&key(&page));
        let code = authenticator.code(0);
        let other = Browser::signed_in(app, "ann").await;
        let late = other.open(&address).await;
        let done = browser.submit(&page, &address, &[("code", &code)]).await;
        assert_eq!(done.heading(), "Your recovery codes", "{done}");
        let app_of_late = Authenticator::with_key(&key(&late)).code(0);
        let asked = other.submit(&late, &address, &[("code", &app_of_late)]).await;
        let confirm = [("confirm_password", PASSWORD), ("confirm_code", &authenticator.code(1))];
        let twice = other.submit(&asked, &address, &confirm).await;
        assert!(twice.status == 400 && twice.text().contains("already set up"), "{twice}");
        assert!(twice.text().contains("generate new ones"), "{twice}");
        assert!(browser.open(&address).await.is_at(TWO_FACTOR));
    }

    async fn an_operator_removes_lost_factors(app: &App) {
        ann(app).await;
        app.person("root").await;
        app.make_operator("root").await;
        let root = Browser::signed_in(app, "root").await;
        let account = root.open("/console/operator/accounts?q=ann").await;
        let address = account.links().into_iter().find(|link| link.starts_with("/console/operator/accounts/")).unwrap();
        let account = root.open(&address).await;
        assert!(account.text().contains("Authenticator app"), "{account}");
        let action = format!("{address}/remove-factors");
        let removed = root.submit(&root.open(&action).await, &action, &[]).await;
        assert!(removed.is_at(&address) && removed.text().contains("The removal of the second factors and passkeys was scheduled."), "{removed}");
        assert!(enter_password(app, "ann").await.1.is_at(SECOND_FACTOR), "The app is asked for until then.");
        let keep = format!("{address}/keep-factors");
        let kept = root.submit(&root.open(&keep).await, &keep, &[]).await;
        assert!(kept.text().contains("The second factors and passkeys are kept.") && !kept.text().contains("Scheduled"), "{kept}");
        root.submit(&root.open(&action).await, &action, &[]).await;
        app.perform_factor_removals().await;
        let (browser, page) = enter_password(app, "ann").await;
        assert!(page.is_at("/console/start"), "{page}");

        Authenticator::set_up(&browser).await;
        let output = app.run(&["account", "remove-factors", "--email", "ann@example.com"], "").await;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&printed["email"], &printed["second_factors_removed"]), (&json!("ann@example.com"), &json!(false)));
        assert!(printed["factors_removal_at"].is_string(), "{printed}");
        let kept = app.run(&["account", "keep-factors", "--email", "ann@example.com"], "").await;
        let kept: Value = serde_json::from_slice(&kept.stdout).unwrap();
        assert_eq!(kept["factors_removal_at"], Value::Null, "{kept}");
        app.run(&["account", "remove-factors", "--email", "ann@example.com"], "").await;
        app.perform_factor_removals().await;
        assert!(enter_password(app, "ann").await.1.is_at("/console/start"));
        let again = app.run(&["account", "remove-factors", "--email", "ann@example.com"], "").await;
        assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
        let printed: Value = serde_json::from_slice(&again.stdout).unwrap();
        assert_eq!(printed["second_factors_removed"], false);
        let removed = root.submit(&root.open(&action).await, &action, &[]).await;
        assert!(removed.text().contains("The account has no second factors, passkeys or linked identities."), "{removed}");
        let unknown = app.run(&["account", "remove-factors", "--email", "nobody@example.com"], "").await;
        assert!(!unknown.status.success());
    }

    async fn the_export_lists_the_factors_without_secrets(app: &App) {
        let (browser, _, codes) = ann(app).await;
        let file = browser.open("/console/account/export/file").await;
        let export: Value = serde_json::from_str(&file.html).unwrap();
        let factors = &export["second_factors"];
        assert!(factors["authenticator_app"]["last_used"].is_string(), "{factors}");
        assert_eq!(factors["recovery_codes_left"], 10);
        assert_eq!(export["sessions"][0]["methods"], "password one_time_code");
        assert!(!file.html.contains(&codes[0]), "{file}");
    }

    async fn a_sign_in_that_waits_for_its_code_belongs_to_its_browser(app: &App) {
        let (_, authenticator, _) = ann(app).await;
        let (browser, _) = enter_password(app, "ann").await;
        let other = Browser::new(app);
        assert!(other.open(SECOND_FACTOR).await.is_at("/auth/sign-in"));
        // Neither the removal of the app nor a new password leaves it waiting for a code.
        let (waiting, page_of_waiting) = enter_password(app, "ann").await;
        app.run(&["account", "remove-factors", "--email", "ann@example.com"], "").await;
        app.perform_factor_removals().await;
        let ended = waiting.submit(&page_of_waiting, SECOND_FACTOR, &[("code", &authenticator.code(1))]).await;
        assert!(ended.is_at("/auth/sign-in"), "{ended}");
        let owner = Browser::signed_in(app, "ann").await;
        let (authenticator, _) = Authenticator::set_up(&owner).await;
        let page = browser.open(SECOND_FACTOR).await;
        app.run(&["account", "set-password", "--email", "ann@example.com"], "another horse battery\n").await;
        let ended = browser.submit(&page, SECOND_FACTOR, &[("code", &authenticator.code(1))]).await;
        assert!(ended.is_at("/auth/sign-in"), "{ended}");
    }
}

async fn wrong_codes_are_limited(backend: Backend) {
    let mail = Mailbox::start().await;
    let app = App::start_with_mail(backend, &mail, &SETTINGS).await;
    app.provision("ann").await;
    let owner = Browser::signed_in(&app, "ann").await;
    // Someone else knows the password, and used it before the owner set up the app.
    let (stranger, second) = (Browser::signed_in(&app, "ann").await, Browser::signed_in(&app, "ann").await);
    let (authenticator, _) = Authenticator::set_up(&owner).await;
    let mut page = enter_password_again(&stranger).await;
    for _ in 0..=LimitedAction::SecondFactorOf.limit().burst {
        page = stranger.submit(&page, SECOND_FACTOR, &[("code", "12345")]).await;
        is_mistyped(&page);
    }
    for _ in 0..3 * LimitedAction::SecondFactorOf.limit().burst {
        page = stranger.submit(&page, SECOND_FACTOR, &[("code", "2345672345672345")]).await;
        if page.status == 429 {
            break;
        }
        is_refused(&page);
    }
    assert!(page.status == 429 && page.text().contains("Too many attempts"), "{page}");
    app.forget_used_codes();
    let (_, limited) = sign_in(&app, "ann", &authenticator.code(0)).await;
    assert_eq!(limited.status, 429, "An unknown browser must be limited even with the correct code.");
    let page = enter_password_again(&second).await;
    let limited = second.submit(&page, SECOND_FACTOR, &[("code", &authenticator.code(0))]).await;
    assert_eq!(limited.status, 429, "A browser that knew only the password must not have a limit of its own.");

    assert!(limited.links().contains(&"/auth/forgot-password".to_owned()), "{limited}");
    let warning = mail.nth_to("ann@example.com", 2).await;
    assert_eq!(warning.subject, "Someone is trying codes to sign in to your account");
    assert_eq!(warning.link(), format!("{}/auth/forgot-password", app.base));
    assert!(String::from_utf8_lossy(&app.stored()).contains("account.access_denied"), "The audit log must record it.");

    // The owner is not locked out.
    let page = enter_password_again(&owner).await;
    let page = owner.submit(&page, SECOND_FACTOR, &[("code", &authenticator.code(0))]).await;
    assert!(page.is_at("/console/start"), "{page}");
    assert_eq!(mail.to("ann@example.com").len(), 2, "The owner must be warned once a day.");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_codes_are_limited_on_sqlite() {
    wrong_codes_are_limited(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_codes_are_limited_on_postgres() {
    wrong_codes_are_limited(Backend::Postgres).await;
}

async fn changes_are_announced_by_email_and_a_link_does_not_replace_the_app(backend: Backend) {
    let mail = Mailbox::start().await;
    let settings = mail.settings();
    let settings: Vec<_> = settings.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let app = App::start_with(backend, &settings).await;
    // Their emails arrive in any order, so each is awaited.
    let subject = async |count: usize| mail.nth_to("ann@example.com", count).await.subject;
    app.provision("ann").await;
    let browser = Browser::signed_in(&app, "ann").await;
    let (_, codes) = Authenticator::set_up(&browser).await;
    assert_eq!(subject(1).await, "An authenticator app was set up");
    assert_eq!(mail.nth_to("ann@example.com", 1).await.link(), format!("{}{TWO_FACTOR}", app.base));

    let forgetful = Browser::new(&app);
    let page = forgetful.open("/auth/forgot-password").await;
    forgetful.submit(&page, "/auth/forgot-password", &[("email", "ann@example.com")]).await;
    let link = mail.nth_to("ann@example.com", 2).await.link();
    let page = forgetful.open(&link).await;
    let page = forgetful.submit(&page, "/auth/reset-password", &[("sign_in", "true")]).await;
    assert!(page.is_at(SECOND_FACTOR), "{page}");
    let page = forgetful.submit(&page, SECOND_FACTOR, &[("code", &codes[0])]).await;
    assert!(page.is_at("/console/start"), "{page}");
    assert_eq!(subject(3).await, "A recovery code was used");
    assert!(mail.nth_to("ann@example.com", 3).await.text.contains("Unused recovery codes: 9."));

    let new = format!("{TWO_FACTOR}/recovery-codes");
    browser.submit(&browser.open(&new).await, &new, &[]).await;
    assert_eq!(subject(4).await, "Your recovery codes were replaced");
    let remove = format!("{TWO_FACTOR}/app/remove");
    browser.submit(&browser.open(&remove).await, &remove, &[]).await;
    assert_eq!(subject(5).await, "Your authenticator app was removed");
    Authenticator::set_up(&browser).await;
    subject(6).await;
    app.run(&["account", "remove-factors", "--email", "ann@example.com"], "").await;
    assert_eq!(subject(7).await, "Your second factors and passkeys will be removed");
    app.run(&["account", "keep-factors", "--email", "ann@example.com"], "").await;
    assert_eq!(subject(8).await, "Your second factors and passkeys are kept");
    app.run(&["account", "remove-factors", "--email", "ann@example.com"], "").await;
    subject(9).await;
    app.perform_factor_removals().await;
    assert_eq!(subject(10).await, "Your second factors and passkeys were removed");
    let began = Instant::now();
    app.run(&["account", "remove-factors", "--email", "ann@example.com"], "").await;
    assert!(began.elapsed() < Duration::from_secs(60), "There is no email to wait for.");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_are_announced_by_email_and_a_link_does_not_replace_the_app_on_sqlite() {
    changes_are_announced_by_email_and_a_link_does_not_replace_the_app(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_are_announced_by_email_and_a_link_does_not_replace_the_app_on_postgres() {
    changes_are_announced_by_email_and_a_link_does_not_replace_the_app(Backend::Postgres).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failed_email_about_removed_factors_is_reported() {
    let mail = Mailbox::refusing().await;
    let settings = mail.settings();
    let settings: Vec<_> = settings.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let app = App::start_with(Backend::Sqlite, &settings).await;
    app.provision("ann").await;
    Authenticator::set_up(&Browser::signed_in(&app, "ann").await).await;
    let output = app.run(&["account", "remove-factors", "--email", "ann@example.com"], "").await;
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && printed["factors_removal_at"].is_string(), "{printed} {errors}");
    assert!(errors.contains("Warning: The email to ann@example.com could not be sent."), "{errors}");
}
