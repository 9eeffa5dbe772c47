//! Passkeys: a person signs in with one in place of the password and the second factor, and each response is accepted
//! once.

use serde_json::json;
use steward_domain::kernel::policy::LimitedAction;
use steward_tests::{
    App, Authenticator, Backend, Browser, Client, Mailbox, PASSWORD, Page, PasskeyDevice, PasskeyForm, World,
    eventually, on_both_in_full, on_sqlite,
};

use crate::identity::second_factors::claims;

const SIGN_IN: &str = "/auth/sign-in";
const USE: &str = "/auth/sign-in/passkey";
const PASSKEYS: &str = "/console/account/passkeys";
const NEW: &str = "/console/account/passkeys/new";
/// When people signed in, after [`App::age_sessions`].
const OLD: i64 = 1_577_836_800;
const OUTDATED: &str = "The request for the passkey has expired. Try again.";

/// Ann, who has set up a passkey.
async fn ann(app: &App) -> (Browser, PasskeyDevice) {
    app.person("ann").await;
    let (browser, mut device) = (Browser::signed_in(app, "ann").await, PasskeyDevice::new(app));
    let page = device.set_up(&browser, "Phone").await;
    assert!(page.is_at(PASSKEYS) && page.text().contains("The passkey was set up."), "{page}");
    (browser, device)
}

/// Signs in with a passkey in a new browser.
async fn sign_in(app: &App, device: &mut PasskeyDevice) -> Page {
    let browser = Browser::new(app);
    let page = browser.open(SIGN_IN).await;
    device.use_at(&browser, &page).await
}

#[track_caller]
fn is_refused(page: &Page, reason: &str) {
    assert!(page.is_at(USE) && page.status == 400, "{page}");
    assert!(page.text().contains(reason), "{page}");
}

fn id_of(list: &Page) -> String {
    list.id_in("/console/account/passkeys/", "/remove")
}

on_both_in_full! {
    async fn a_passkey_signs_in_and_each_answer_is_accepted_once(app: &App) {
        let (owner, mut device) = ann(app).await;
        let world = World::make(app, "acme").await;
        let client = Client::of(app, &world);
        let browser = Browser::new(app);
        let page = browser.open(&client.authorize(&[("acr_values", "aal2")])).await;
        assert!(page.text().contains("to continue to acme"), "{page}");
        let form = PasskeyForm::of(&page);
        let response = device.response(&form).await;
        let again = [("response", response.as_str())];
        let back = browser.submit(&page, USE, &again).await;
        let back = browser.allow(back, "ann").await;
        assert!(back.left, "{back}");
        let code = steward_tests::parameter(back.url.as_str(), "code").unwrap();
        let claims = claims(&client.redeem(&code, &[]).await.ok()["id_token"]);
        assert_eq!((&claims["acr"], &claims["amr"]), (&json!("aal2"), &json!(["pop", "mfa"])), "{claims}");

        // The response is used, in this browser and in others, on any replica.
        assert_eq!(browser.submit(&page, USE, &again).await.status, 403, "The form has expired.");
        let replica = app.start_replica().await;
        let victim = Browser::new(app);
        let page = victim.open(SIGN_IN).await;
        let thief = victim.stolen(&replica);
        let used = device.response(&PasskeyForm::of(&page)).await;
        let used = [("response", used.as_str())];
        assert!(victim.submit(&page, USE, &used).await.is_at("/console/start"));
        let stolen_page = Page { url: replica.base.parse().unwrap(), ..page };
        is_refused(&thief.submit(&stolen_page, USE, &used).await, OUTDATED);
        let other = Browser::new(&replica);
        is_refused(&other.submit(&other.open(SIGN_IN).await, USE, &again).await, "The passkey could not be verified.");
        // A challenge that was issued before the last one that was answered is no longer accepted.
        let (early, late) = (Browser::new(app), Browser::new(&replica));
        let (early_page, late_page) = (early.open(SIGN_IN).await, late.open(SIGN_IN).await);
        assert!(device.use_at(&late, &late_page).await.is_at("/console/start"));
        is_refused(&device.use_at(&early, &early_page).await, OUTDATED);

        let list = owner.open(PASSKEYS).await;
        assert!(list.text().contains("Synced by a password manager"), "{list}");
        let export = owner.open("/console/account/export/file").await;
        assert!(export.html.contains("\"passkeys\":[{") && !export.html.contains("credential"), "{export}");
    }
}

on_sqlite! {
    async fn an_answer_for_another_challenge_browser_or_site_is_refused(app: &App) {
        let (_, mut device) = ann(app).await;
        let wrong = "The passkey could not be verified.";
        let (browser, other) = (Browser::new(app), Browser::new(app));
        let (page, of_other) = (browser.open(SIGN_IN).await, other.open(SIGN_IN).await);
        let response = device.response(&PasskeyForm::of(&of_other)).await;
        is_refused(&browser.submit(&page, USE, &[("response", &response)]).await, wrong);
        // The ceremony of another browser is not accepted, although the response belongs to it.
        let ceremony = of_other.form(USE).fields.iter().find(|(name, _)| name == "ceremony").unwrap().1.clone();
        let stolen = [("response", response.as_str()), ("ceremony", &ceremony)];
        is_refused(&browser.submit(&page, USE, &stolen).await, OUTDATED);
        for changed in ["", "00", "{}", &ceremony[..ceremony.len() - 2], &"0".repeat(14_000)] {
            let changed = [("response", response.as_str()), ("ceremony", changed)];
            is_refused(&other.submit(&of_other, USE, &changed).await, OUTDATED);
        }
        for changed in ["", "{}", "null", &response.replace("\"signature\":\"", "\"signature\":\"AAAA"), &"x".repeat(9_000)] {
            is_refused(&other.submit(&of_other, USE, &[("response", changed)]).await, wrong);
        }
        let mut phished = device.clone();
        phished.origin = format!("http://localhost:{}", 1).parse().unwrap();
        is_refused(&phished.use_at(&other, &of_other).await, wrong);
        let mut unverified = device.clone();
        unverified.is_verified = false;
        let mut form = PasskeyForm::of(&of_other);
        form.options["userVerification"] = json!("discouraged");
        let response = unverified.response(&form).await;
        is_refused(&other.submit(&of_other, USE, &[("response", &response)]).await, wrong);
        assert!(device.use_at(&other, &of_other).await.is_at("/console/start"), "The challenge can still be answered.");
    }

    async fn an_answer_from_a_frame_of_another_site_is_refused(app: &App) {
        let (owner, mut framed) = ann(app).await;
        let (site, wrong) = ("https://site.example", "The passkey could not be verified.");
        let (browser, mut other) = (Browser::new(app), PasskeyDevice::new(app));
        let page = browser.open(SIGN_IN).await;
        for frame in [
            json!({"crossOrigin": true}),
            json!({"crossOrigin": true, "topOrigin": site}),
            json!({"crossOrigin": false, "topOrigin": site}),
            json!({"topOrigin": site}),
        ] {
            framed.frame = Some(frame.clone());
            is_refused(&framed.use_at(&browser, &page).await, wrong);
            other.frame.clone_from(&framed.frame);
            let refused = other.set_up(&owner, "Framed").await;
            assert!(refused.status == 400 && refused.text().contains(wrong), "{frame}: {refused}");
        }
        framed.frame = Some(json!({"crossOrigin": false}));
        assert!(framed.use_at(&browser, &page).await.is_at("/console/start"), "The page is not in a frame.");
        other.frame = None;
        assert!(other.set_up(&owner, "Key").await.is_at(PASSKEYS));
    }

    async fn a_passkey_that_was_copied_is_refused(app: &App) {
        let (_, mut device) = ann(app).await;
        let mut copy = device.clone();
        assert!(sign_in(app, &mut device).await.is_at("/console/start"));
        is_refused(&sign_in(app, &mut copy).await, "There may be a copy of this passkey");
        assert!(sign_in(app, &mut device).await.is_at("/console/start"), "The one with the higher counter goes on.");
    }

    async fn a_passkey_that_is_not_counted_signs_in_again(app: &App) {
        app.person("ann").await;
        let mut device = PasskeyDevice::new(app);
        device.has_counter = false;
        device.set_up(&Browser::signed_in(app, "ann").await, "Phone").await;
        for _ in 0..2 {
            assert!(sign_in(app, &mut device).await.is_at("/console/start"));
        }
    }

    async fn a_passkey_takes_the_place_of_a_code(app: &App) {
        let (owner, mut device) = ann(app).await;
        Authenticator::set_up(&owner).await;
        app.person("bob").await;
        Authenticator::set_up(&Browser::signed_in(app, "bob").await).await;
        let at_second_factor = async |browser: &Browser, login: &str| {
            let page = browser.open(SIGN_IN).await;
            let page = browser.submit(&page, SIGN_IN, &[("login", login), ("password", PASSWORD)]).await;
            assert!(page.is_at("/auth/second-factor"), "{page}");
            page
        };
        app.person("carl").await;
        let mut of_carl = PasskeyDevice::new(app);
        of_carl.set_up(&Browser::signed_in(app, "carl").await, "Phone").await;
        let browser = Browser::new(app);
        let page = at_second_factor(&browser, "ann").await;
        let policy = page.headers["content-security-policy"].to_str().unwrap();
        assert!(policy.contains("script-src 'self'"), "The page needs its script: {policy}");
        // The passkey of someone else does not sign in as that person.
        is_refused(&of_carl.use_at(&browser, &page).await, "This passkey belongs to another account.");
        assert!(device.use_at(&browser, &page).await.is_at("/console/start"));
        // With another password, the sign-in begins again, and the passkey does not complete it.
        let browser = Browser::new(app);
        let page = at_second_factor(&browser, "ann").await;
        let output = app.run(&["account", "set-password", "--email", "ann@example.com"], "a new horse battery").await;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(device.use_at(&browser, &page).await.is_at(SIGN_IN));
        let page = at_second_factor(&Browser::new(app), "bob").await;
        assert!(!page.html.contains("data-passkey"), "Bob has no passkey: {page}");
    }

    async fn a_client_that_asks_for_a_new_sign_in_gets_one(app: &App) {
        let (_, mut device) = ann(app).await;
        let world = World::make(app, "acme").await;
        let client = Client::of(app, &world);
        let browser = Browser::new(app);
        let page = browser.open(SIGN_IN).await;
        device.use_at(&browser, &page).await;
        app.age_sessions();
        for parameters in [("prompt", "login"), ("max_age", "60")] {
            let page = browser.open(&client.authorize(&[parameters])).await;
            assert!(page.is_at(SIGN_IN), "{page}");
            let page = device.use_at(&browser, &page).await;
            let back = browser.allow(page, "ann").await;
            let code = steward_tests::parameter(back.url.as_str(), "code").unwrap();
            let claims = claims(&client.redeem(&code, &[]).await.ok()["id_token"]);
            assert!(claims["auth_time"].as_i64() > Some(OLD), "{claims}");
            app.age_sessions();
        }
    }

    async fn an_operator_removes_passkeys(app: &App) {
        let (_, mut device) = ann(app).await;
        let output = app.run(&["account", "remove-factors", "--email", "ann@example.com"], "").await;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(sign_in(app, &mut device).await.is_at("/console/start"), "It works until then.");
        app.perform_factor_removals().await;
        is_refused(&sign_in(app, &mut device).await, "No account here uses this passkey");
    }

    async fn the_password_alone_does_not_replace_a_passkey(app: &App) {
        let (owner, mut device) = ann(app).await;
        // Someone who knows the password.
        let thief = Browser::signed_in(app, "ann").await;
        let remove = format!("{PASSKEYS}/{}/remove", id_of(&owner.open(PASSKEYS).await));
        for address in ["/console/account/two-factor/app", NEW, &remove] {
            let asked = thief.submit(&thief.open(address).await, address, &[]).await;
            assert_eq!(asked.heading(), "Confirm that it is you", "{address}: {asked}");
            assert!(asked.text().contains("Your account has a passkey. Use it to continue"), "{address}: {asked}");
        }
        // The passkey confirms it.
        let asked = thief.submit(&thief.open(NEW).await, NEW, &[]).await;
        assert!(device.use_at(&thief, &asked).await.is_at(NEW));
        assert!(PasskeyDevice::new(app).set_up(&thief, "Key").await.is_at(PASSKEYS));
    }

    async fn a_person_who_lost_the_passkeys_has_them_removed_after_a_delay(app: &App) {
        const LOST: &str = "/console/account/lost-factors";
        let (owner, mut device) = ann(app).await;
        let other = Browser::signed_in(app, "ann").await;
        assert!(other.open(PASSKEYS).await.links().contains(&LOST.to_owned()));
        let page = other.open(LOST).await;
        assert!(page.text().contains("They are removed 24 hours after the request."), "{page}");
        let scheduled = other.submit(&page, LOST, &[]).await;
        assert!(scheduled.is_at(LOST) && scheduled.text().contains("The removal was scheduled."), "{scheduled}");
        // The holder, who still has the passkey, objects.
        assert!(owner.open(PASSKEYS).await.text().contains("All passkeys and the authenticator app of this account are removed"));
        let keep = format!("{LOST}/keep");
        let kept = owner.submit(&owner.open(LOST).await, &keep, &[]).await;
        assert!(kept.is_at(LOST) && kept.text().contains("The second factors and passkeys are kept."), "{kept}");
        assert!(sign_in(app, &mut device).await.is_at("/console/start"));

        // A new factor ends the removal, which would remove it too.
        other.submit(&other.open(LOST).await, LOST, &[]).await;
        assert!(PasskeyDevice::new(app).set_up(&owner, "Key").await.is_at(PASSKEYS));
        assert!(app.holds("NOT EXISTS (SELECT 1 FROM accounts WHERE factors_removal_at IS NOT NULL)"));

        other.submit(&other.open(LOST).await, LOST, &[]).await;
        app.perform_factor_removals().await;
        is_refused(&sign_in(app, &mut device).await, "No account here uses this passkey");
        assert!(other.open(LOST).await.text().contains("This account has no authenticator app and no passkeys."));
        assert!(PasskeyDevice::new(app).set_up(&other, "New phone").await.is_at(PASSKEYS));
    }

    async fn passkeys_are_renamed_and_removed(app: &App) {
        let (owner, mut device) = ann(app).await;
        app.person("bob").await;
        let bob = Browser::signed_in(app, "bob").await;
        let id = id_of(&owner.open(PASSKEYS).await);
        let (rename, remove) = (format!("{PASSKEYS}/{id}/rename"), format!("{PASSKEYS}/{id}/remove"));
        assert_eq!(bob.open(&remove).await.status, 404);
        let renamed = owner.submit(&owner.open(PASSKEYS).await, &rename, &[("name", "Old phone")]).await;
        assert!(renamed.text().contains("Old phone"), "{renamed}");
        let page = owner.open(&remove).await;
        assert!(page.text().contains("Old phone"), "{page}");
        let removed = owner.submit(&page, &remove, &[]).await;
        assert!(removed.is_at(PASSKEYS) && removed.text().contains("The passkey was removed."), "{removed}");
        assert!(owner.submit(&page, &remove, &[]).await.is_at(PASSKEYS), "A second click is harmless.");
        is_refused(&sign_in(app, &mut device).await, "No account here uses this passkey");
    }

    async fn a_passkey_confirms_what_requires_the_password(app: &App) {
        let (owner, mut device) = ann(app).await;
        Authenticator::set_up(&owner).await;
        app.person("bob").await;
        let mut of_bob = PasskeyDevice::new(app);
        of_bob.set_up(&Browser::signed_in(app, "bob").await, "Laptop").await;
        app.age_sessions();
        let new = "/console/account/tokens/new";
        let fields = [("label", "CI"), ("roles", "viewer")];
        let asked = owner.submit(&owner.open(new).await, new, &fields).await;
        assert_eq!(asked.heading(), "Confirm that it is you", "{asked}");
        // The passkey of someone else confirms nothing.
        let refused = of_bob.use_at(&owner, &asked).await;
        assert!(refused.status == 400 && refused.text().contains("This passkey belongs to another account"), "{refused}");
        let done = device.use_at(&owner, &refused).await;
        assert_eq!(done.heading(), "The token was created", "{done}");

        // Setting up another one requires a confirmation, too.
        app.age_sessions();
        let page = owner.open(NEW).await;
        assert!(page.text().contains("Confirm that it is you to set up a passkey.") && !page.html.contains("data-passkey"), "{page}");
        let asked = owner.submit(&page, NEW, &[]).await;
        assert_eq!(asked.heading(), "Confirm that it is you", "{asked}");
        assert!(device.use_at(&owner, &asked).await.is_at(NEW));
        let second = PasskeyDevice::new(app).set_up(&owner, "Key").await;
        assert!(second.is_at(PASSKEYS) && second.text().contains("Key"), "{second}");
    }

    async fn a_disabled_account_is_not_signed_in(app: &App) {
        let (_, mut device) = ann(app).await;
        let email = ["--email", "ann@example.com"];
        let run = async |command: &str| {
            let output = app.run(&[&["account", command][..], &email].concat(), "").await;
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        };
        run("disable").await;
        is_refused(&sign_in(app, &mut device).await, "No account here uses this passkey");
        run("enable").await;
        assert!(sign_in(app, &mut device).await.is_at("/console/start"));
    }
}

#[tokio::test]
async fn nobody_floods_the_holder_with_requests_to_remove_factors() {
    let app = App::start_with(Backend::Sqlite, &[("STEWARD_RATE_LIMITS", "on")]).await;
    const LOST: &str = "/console/account/lost-factors";
    let (owner, _) = ann(&app).await;
    let mut page = owner.open(LOST).await;
    for _ in 0..LimitedAction::AccountNoticeTo.limit().burst {
        page = owner.submit(&owner.open(LOST).await, LOST, &[]).await;
        if page.status == 429 {
            break;
        }
        owner.submit(&page, &format!("{LOST}/keep"), &[]).await;
    }
    assert_eq!(page.status, 429, "{page}");
    assert!(
        app.holds("NOT EXISTS (SELECT 1 FROM accounts WHERE factors_removal_at IS NOT NULL)"),
        "None goes unannounced."
    );
}

#[tokio::test]
async fn the_owner_learns_of_new_and_copied_passkeys_by_email() {
    let mail = Mailbox::start().await;
    let settings = mail.settings();
    let settings: Vec<_> = settings.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let app = App::start_with(Backend::Sqlite, &settings).await;
    let (owner, mut device) = ann(&app).await;
    let mut copy = device.clone();
    sign_in(&app, &mut device).await;
    sign_in(&app, &mut copy).await;
    let remove = format!("{PASSKEYS}/{}/remove", id_of(&owner.open(PASSKEYS).await));
    owner.submit(&owner.open(&remove).await, &remove, &[]).await;
    for subject in ["A passkey was set up", "There may be a copy of your passkey", "A passkey was removed"] {
        eventually(async || mail.to("ann@example.com").into_iter().find(|mail| mail.subject == subject)).await;
    }
}

#[tokio::test]
async fn a_stranger_who_signed_up_with_an_address_keeps_no_passkey() {
    let mail = Mailbox::start().await;
    let settings = mail.settings();
    let settings: Vec<_> = settings.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let app = App::start_with(Backend::Sqlite, &settings).await;
    // The stranger has signed up with the address of Ann, who has not confirmed it.
    let (_, mut of_stranger) = ann(&app).await;
    let browser = Browser::new(&app);
    let page = browser.open("/auth/forgot-password").await;
    browser.submit(&page, "/auth/forgot-password", &[("email", "ann@example.com")]).await;
    let sent = eventually(async || {
        let mails = mail.to("ann@example.com");
        mails.into_iter().find(|mail| mail.text.contains("/auth/reset-password"))
    });
    let page = browser.open(&sent.await.link()).await;
    let kept = browser.submit(&page, "/auth/reset-password", &[("sign_in", "true")]).await;
    assert!(kept.status == 400 && kept.text().contains("The password must be chosen"), "{kept}");
    let set = browser.submit(&kept, "/auth/reset-password", &[("password", "tin goat sails north")]).await;
    assert!(set.status == 200, "{set}");
    is_refused(&sign_in(&app, &mut of_stranger).await, "No account here uses this passkey");
}

#[tokio::test]
async fn an_account_has_at_most_twenty_passkeys() {
    let app = App::start(Backend::Sqlite).await;
    let (owner, _) = ann(&app).await;
    for number in 2..=20 {
        let page = PasskeyDevice::new(&app).set_up(&owner, &format!("Key {number}")).await;
        assert!(page.is_at(PASSKEYS), "{page}");
    }
    let refused = owner.open(NEW).await;
    assert!(refused.text().contains("An account can have 20 passkeys."), "{refused}");
}

#[tokio::test]
async fn without_a_host_name_no_passkeys_are_offered() {
    let app = App::start_with(Backend::Sqlite, &[("STEWARD_PUBLIC_URL", "https://192.0.2.1")]).await;
    let page = Browser::new(&app).open(SIGN_IN).await;
    assert!(!page.html.contains("data-passkey") && !page.html.contains("<script"), "{page}");
    let policy = page.headers["content-security-policy"].to_str().unwrap();
    assert!(!policy.contains("script-src"), "{policy}");
}
