//! Codes by email: a person signs in, confirms and signs up without a password, in the browser that asked, once.

use serde_json::json;
use steward_tests::{
    App, Authenticator, Backend, Browser, Client, Mailbox, PASSWORD, Page, PasskeyDevice, World, eventually, with_mail,
};

const ADDRESS: &str = "/auth/sign-in/email";
pub(crate) const CODE: &str = "/auth/sign-in/code";
const HOME: &str = "/console/start";
const PASSWORD_PAGE: &str = "/console/account/password";

/// Asks for a code in this browser. Returns the page that asks for it.
pub(crate) async fn ask(browser: &Browser, email: &str) -> Page {
    let page = browser.submit(&browser.open(ADDRESS).await, ADDRESS, &[("login", email)]).await;
    assert!(page.is_at(CODE) && page.heading() == "Enter the code", "{page}");
    page
}

/// Waits for the email number `count` to an address. Returns its link and its code.
pub(crate) async fn sent(mail: &Mailbox, email: &str, count: usize) -> (String, String) {
    let mail = eventually(async || {
        let mut codes = mail.to(email).into_iter().filter(|mail| mail.subject == "Your code to sign in");
        codes.nth(count - 1)
    })
    .await;
    let (_, text) = mail.text.split_once("code to sign in is ").unwrap();
    (mail.link(), text[..6].to_owned())
}

/// Another code than this one.
fn wrong(code: &str) -> String {
    format!("{:06}", (code.parse::<u32>().unwrap() + 1) % 1_000_000)
}

#[track_caller]
fn is_refused(page: &Page, reason: &str) {
    assert!(page.status == 400 && page.text().contains(reason), "{page}");
}

with_mail! {
    async fn a_code_signs_in_once_in_the_browser_that_asked(app: &App, mail: &Mailbox) {
        app.provision("ann").await;
        let (browser, other) = (Browser::new(app), Browser::new(app));
        let page = ask(&browser, "Ann@Example.com").await;
        let (link, code) = sent(mail, "ann@example.com", 1).await;
        is_refused(&browser.submit(&page, CODE, &[("code", &wrong(&code))]).await, "The code is wrong or already used.");
        // Another browser has asked for a code of its own, and cannot use this one.
        let of_other = ask(&other, "ann@example.com").await;
        is_refused(&other.submit(&of_other, CODE, &[("code", &code)]).await, "The code is wrong or already used.");
        let stranger = Browser::new(app);
        is_refused(&stranger.open(&link).await, "The link works only in the browser that asked for it");

        let opened = browser.open(&link).await;
        assert!(opened.form(CODE).fields.contains(&("code".to_owned(), code.clone())), "{opened}");
        // With what a mail program can put around the code.
        let spaced = format!("\u{feff}{}\u{a0}\u{200b}{}.\u{200e} ", &code[..3], &code[3..]);
        let (spaced, plain) = ([("code", spaced.as_str())], [("code", code.as_str())]);
        let (one, two) = tokio::join!(browser.submit(&opened, CODE, &spaced), browser.submit(&opened, CODE, &plain));
        let signed_in = [&one, &two].into_iter().filter(|page| page.is_at(HOME)).count();
        assert_eq!(signed_in, 1, "{one}\n{two}");
    }

    async fn five_wrong_codes_end_a_code_on_every_replica(app: &App, mail: &Mailbox) {
        app.provision("ann").await;
        let (browser, replica) = (Browser::new(app), app.start_replica().await);
        let mut page = ask(&browser, "ann@example.com").await;
        let (_, code) = sent(mail, "ann@example.com", 1).await;
        for _ in 0..6 {
            page = browser.submit(&page, CODE, &[("code", &code[1..])]).await;
            is_refused(&page, "This is not a code. Enter the six digits of the last email.");
        }
        for _ in 0..5 {
            page = browser.submit(&page, CODE, &[("code", &wrong(&code))]).await;
            is_refused(&page, "The code is wrong or already used.");
        }
        let elsewhere = browser.at(&replica);
        let page = elsewhere.open(CODE).await;
        is_refused(&elsewhere.submit(&page, CODE, &[("code", &code)]).await, "wrong too often");
        // Another code can be used.
        let page = ask(&browser, "ann@example.com").await;
        let (_, code) = sent(mail, "ann@example.com", 2).await;
        assert!(browser.submit(&page, CODE, &[("code", &code)]).await.is_at(HOME));
    }

    async fn a_code_does_not_replace_the_second_factor(app: &App, mail: &Mailbox) {
        app.provision("ann").await;
        let (_, codes) = Authenticator::set_up(&Browser::signed_in(app, "ann").await).await;
        let browser = Browser::new(app);
        let page = ask(&browser, "ann@example.com").await;
        let (_, code) = sent(mail, "ann@example.com", 1).await;
        let page = browser.submit(&page, CODE, &[("code", &code)]).await;
        assert!(page.is_at("/auth/second-factor"), "{page}");
        let page = browser.submit(&page, "/auth/second-factor", &[("code", &codes[0])]).await;
        assert!(page.is_at(HOME), "{page}");
    }

    async fn a_person_signs_up_with_a_code_and_sets_a_password_later(app: &App, mail: &Mailbox) {
        app.provision("root").await;
        let browser = Browser::new(app);
        let page = ask(&browser, "new@example.com").await;
        let (_, code) = sent(mail, "new@example.com", 1).await;
        assert!(browser.submit(&page, CODE, &[("code", &code)]).await.is_at(HOME));
        let account = browser.open("/console/account").await;
        let is_confirmed = !account.text().contains("Not confirmed");
        assert!(account.text().contains("new@example.com") && is_confirmed, "{account}");
        let by_password = Browser::new(app);
        let page = by_password.open("/auth/sign-in").await;
        let fields = [("login", "new@example.com"), ("password", "")];
        assert_eq!(by_password.submit(&page, "/auth/sign-in", &fields).await.status, 400, "There is no password.");

        app.age_sessions();
        let page = browser.open(PASSWORD_PAGE).await;
        assert!(page.heading() == "Set a password" && !page.html.contains("new-password"), "{page}");
        let asked = browser.submit(&page, PASSWORD_PAGE, &[]).await;
        assert!(asked.heading() == "Confirm that it is you" && !asked.html.contains("confirm_password"), "{asked}");
        let asked = browser.submit(&asked, PASSWORD_PAGE, &[("confirm_send", "yes")]).await;
        let (_, code) = sent(mail, "new@example.com", 2).await;
        is_refused(
            &browser.submit(&asked, PASSWORD_PAGE, &[("confirm_email_code", &wrong(&code))]).await,
            "The code is wrong or already used.",
        );
        let page = browser.submit(&asked, PASSWORD_PAGE, &[("confirm_email_code", &code)]).await;
        assert!(page.is_at(PASSWORD_PAGE) && page.heading() == "Set a password", "{page}");
        let set = browser.submit(&page, PASSWORD_PAGE, &[("password", PASSWORD)]).await;
        assert!(set.text().contains("Your password was changed."), "{set}");
        let page = by_password.open("/auth/sign-in").await;
        let fields = [("login", "new@example.com"), ("password", PASSWORD)];
        assert!(by_password.submit(&page, "/auth/sign-in", &fields).await.is_at(HOME));
        assert_eq!(browser.open(PASSWORD_PAGE).await.heading(), "Change your password");
    }

    async fn a_stranger_who_signed_up_with_an_address_keeps_nothing(app: &App, mail: &Mailbox) {
        app.person("ann").await;
        let stranger = Browser::signed_in(app, "ann").await;
        let mut device = PasskeyDevice::new(app);
        device.set_up(&stranger, "Phone").await;
        Authenticator::set_up(&stranger).await;
        let browser = Browser::new(app);
        let page = ask(&browser, "ann@example.com").await;
        let (_, code) = sent(mail, "ann@example.com", 1).await;
        let page = browser.submit(&page, CODE, &[("code", &code)]).await;
        assert!(page.is_at(HOME), "{page}");
        assert!(stranger.open("/console/account").await.is_at("/auth/sign-in"), "The session has ended.");
        let page = stranger.open("/auth/sign-in").await;
        let fields = [("login", "ann"), ("password", PASSWORD)];
        assert_eq!(stranger.submit(&page, "/auth/sign-in", &fields).await.status, 400);
        let with_passkey = Browser::new(app);
        let page = with_passkey.open("/auth/sign-in").await;
        is_refused(&device.use_at(&with_passkey, &page).await, "No account here uses this passkey");
        assert_eq!(browser.open(PASSWORD_PAGE).await.heading(), "Set a password");
        let removed = "Your address is confirmed, and earlier access was removed";
        eventually(async || mail.to("ann@example.com").into_iter().find(|mail| mail.subject == removed)).await;
    }

    async fn a_code_confirms_with_the_second_factor_and_keeps_the_password(app: &App, mail: &Mailbox) {
        // The address is not confirmed, but the person is signed in.
        app.person("ann").await;
        let browser = Browser::signed_in(app, "ann").await;
        let (_, codes) = Authenticator::set_up(&browser).await;
        app.age_sessions();
        let new = "/console/account/tokens/new";
        let fields = [("label", "CI"), ("roles", "viewer")];
        let asked = browser.submit(&browser.open(new).await, new, &fields).await;
        let asked = browser.submit(&asked, new, &[("confirm_send", "yes")]).await;
        let (_, code) = sent(mail, "ann@example.com", 1).await;
        // A mistyped code of the app does not use the other one up, nor its tries.
        for _ in 0..5 {
            let mistyped = [("confirm_email_code", code.as_str()), ("confirm_code", "12345")];
            is_refused(&browser.submit(&asked, new, &mistyped).await, "This is not a code.");
        }
        let wrong = [("confirm_email_code", code.as_str()), ("confirm_code", "000000")];
        let asked = browser.submit(&asked, new, &wrong).await;
        is_refused(&asked, "The code is wrong");
        let done = browser.submit(&asked, new, &[("confirm_email_code", &code), ("confirm_code", &codes[0])]).await;
        assert_eq!(done.heading(), "The token was created", "{done}");
        assert_eq!(browser.open(PASSWORD_PAGE).await.heading(), "Change your password");
    }

    async fn a_person_who_is_signed_in_keeps_everything(app: &App, mail: &Mailbox) {
        app.person("ann").await;
        let browser = Browser::signed_in(app, "ann").await;
        app.age_sessions();
        let new = "/console/account/tokens/new";
        let asked = browser.submit(&browser.open(new).await, new, &[("label", "CI"), ("roles", "viewer")]).await;
        browser.submit(&asked, new, &[("confirm_send", "yes")]).await;
        let (link, code) = sent(mail, "ann@example.com", 1).await;
        let page = browser.submit(&browser.open(&link).await, CODE, &[("code", &code)]).await;
        assert!(page.is_at(HOME), "{page}");
        assert_eq!(browser.open(PASSWORD_PAGE).await.heading(), "Change your password");
        let account = browser.open("/console/account").await;
        assert!(account.status == 200 && !account.text().contains("Not confirmed"), "{account}");
    }

    async fn a_new_password_ends_codes(app: &App, mail: &Mailbox) {
        app.provision("ann").await;
        let browser = Browser::new(app);
        let page = ask(&browser, "ann@example.com").await;
        let (_, code) = sent(mail, "ann@example.com", 1).await;
        let output = app.run(&["account", "set-password", "--email", "ann@example.com"], "a new horse battery").await;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        is_refused(&browser.submit(&page, CODE, &[("code", &code)]).await, "The code is wrong or already used.");
    }

    async fn a_project_can_refuse_codes(app: &App, mail: &Mailbox) {
        let world = World::make(app, "acme").await;
        let client = Client::of(app, &world);
        app.provision("ann").await;
        let settings = format!("/project/{}/settings", world.project);
        world.owner.patch(&settings, json!({"auth": {"email_codes": false}})).await.ok();
        let browser = Browser::new(app);
        let page = browser.open(&client.authorize(&[])).await;
        assert!(page.is_at("/auth/sign-in") && !page.html.contains("Email me a code"), "{page}");
        let request = page.form("/auth/sign-in").fields.into_iter().find(|(name, _)| name == "request").unwrap().1;
        assert!(browser.open(&format!("{ADDRESS}?request={request}")).await.is_at("/auth/sign-in"));

        // A person who signed in elsewhere with a code signs in again.
        let page = ask(&browser, "ann@example.com").await;
        let (_, code) = sent(mail, "ann@example.com", 1).await;
        assert!(browser.submit(&page, CODE, &[("code", &code)]).await.is_at(HOME));
        let page = browser.open(&client.authorize(&[])).await;
        assert!(page.is_at("/auth/sign-in"), "{page}");
        let back = browser.allow(page, "ann").await;
        assert!(back.left, "{back}");

        world.owner.patch(&settings, json!({"auth": {"email_codes": true}})).await.ok();
        let browser = Browser::new(app);
        let page = browser.open(&client.authorize(&[])).await;
        let request = page.form("/auth/sign-in").fields.into_iter().find(|(name, _)| name == "request").unwrap().1;
        let page = browser.open(&format!("{ADDRESS}?request={request}")).await;
        let page = browser.submit(&page, ADDRESS, &[("login", "ann@example.com")]).await;
        let (link, code) = sent(mail, "ann@example.com", 2).await;
        assert!(link.contains("request="), "The link continues to the app: {link}");
        let page = browser.submit(&page, CODE, &[("code", &code)]).await;
        let back = browser.allow(page, "ann").await;
        assert!(back.left, "{back}");
    }
}

#[tokio::test]
async fn no_code_is_sent_to_those_who_may_not_sign_in() {
    let mail = Mailbox::start().await;
    let app = App::start_with_mail(Backend::Sqlite, &mail, &[("STEWARD_SIGNUP", "closed")]).await;
    app.provision("ann").await;
    app.run(&["account", "disable", "--email", "ann@example.com"], "").await;
    app.provision("bob").await;
    for email in ["ann@example.com", "nobody@example.com"] {
        let browser = Browser::new(&app);
        let page = ask(&browser, email).await;
        is_refused(&browser.submit(&page, CODE, &[("code", "000000")]).await, "The code is wrong or already used.");
    }
    ask(&Browser::new(&app), "bob@example.com").await;
    sent(&mail, "bob@example.com", 1).await;
    assert!(mail.to("ann@example.com").is_empty() && mail.to("nobody@example.com").is_empty());
}

#[tokio::test]
async fn an_operator_turns_codes_off() {
    let app = App::start_with(Backend::Sqlite, &[("STEWARD_EMAIL_CODES", "off")]).await;
    app.provision("ann").await;
    let browser = Browser::new(&app);
    let page = browser.open("/auth/sign-in").await;
    assert!(!page.html.contains("Email me a code"), "{page}");
    assert!(browser.open(ADDRESS).await.is_at("/auth/sign-in"));
    let form = page.html.replace("action=\"/auth/sign-in\"", &format!("action=\"{ADDRESS}\""));
    let refused = browser.submit(&Page { html: form, ..page }, ADDRESS, &[("login", "ann@example.com")]).await;
    assert!(refused.is_at("/auth/sign-in"), "No code is sent: {refused}");
    let signed_in = Browser::signed_in(&app, "ann").await;
    app.age_sessions();
    let new = "/console/account/tokens/new";
    let fields = [("label", "CI"), ("roles", "viewer")];
    let asked = signed_in.submit(&signed_in.open(new).await, new, &fields).await;
    assert!(asked.heading() == "Confirm that it is you" && !asked.html.contains("confirm_send"), "{asked}");
}
