//! What people learn about their account: emails about a new browser, a new password and a new personal access token,
//! and the page that lists all of it.

use reqwest::Method;
use serde_json::json;
use steward_tests::{App, Browser, Mailbox, PASSWORD, eventually, on_both_in_full, with_mail};

use crate::identity::personal_tokens::soon;

const ANN: &str = "ann@example.com";
const NEW_BROWSER: &str = "A new browser signed in to your account";
const NEW_PASSWORD: &str = "Your password was changed";

/// Makes all accounts older than the first hour, in which new browsers are expected.
fn age_accounts(app: &App) {
    app.execute_sql("UPDATE accounts SET created_at = '2026-01-01T00:00:00.000000Z'");
}

/// How many emails to Ann have this subject.
fn count(mail: &Mailbox, subject: &str) -> usize {
    mail.to(ANN).iter().filter(|mail| mail.subject == subject).count()
}

/// Waits for the first email to Ann with this subject. Returns its text.
async fn first(mail: &Mailbox, subject: &str) -> String {
    eventually(async || mail.to(ANN).into_iter().find(|mail| mail.subject == subject)).await.text
}

with_mail! {
    async fn the_holder_of_an_account_learns_of_each_new_browser(app: &App, mail: &Mailbox) {
        app.verified_person("ann").await;
        // Within the first hour.
        Browser::signed_in(app, "ann").await;
        age_accounts(app);
        let browser = Browser::signed_in(app, "ann").await;
        let text = first(mail, NEW_BROWSER).await;
        assert!(text.contains("/console/account/sessions") && text.contains("127.0.0.1"), "{text}");

        // The same browser again, and then another one.
        browser.submit(&browser.open("/auth/sign-out").await, "/auth/sign-out", &[]).await;
        let page = browser.open("/auth/sign-in").await;
        let page = browser.submit(&page, "/auth/sign-in", &[("login", "ann"), ("password", PASSWORD)]).await;
        assert!(page.is_at("/console/start"), "{page}");
        assert_eq!(count(mail, NEW_BROWSER), 1);
        Browser::signed_in(app, "ann").await;
        eventually(async || (count(mail, NEW_BROWSER) == 2).then_some(())).await;
    }

    async fn a_browser_is_no_longer_known_after_a_new_password(app: &App, mail: &Mailbox) {
        app.provision("ann").await;
        age_accounts(app);
        let (known, own) = (Browser::signed_in(app, "ann").await, Browser::signed_in(app, "ann").await);
        eventually(async || (count(mail, NEW_BROWSER) == 2).then_some(())).await;
        let (password, address) = ("a new horse battery", "/console/account/password");
        let fields = [("current_password", PASSWORD), ("password", password)];
        let changed = own.submit(&own.open(address).await, address, &fields).await;
        assert!(changed.text().contains("Your password was changed"), "{changed}");
        let sign_in = async |browser: &Browser| {
            let page = browser.open("/auth/sign-in").await;
            let page = browser.submit(&page, "/auth/sign-in", &[("login", "ann"), ("password", password)]).await;
            assert!(page.is_at("/console/start"), "{page}");
        };
        // The browser in which the person changed the password stays known.
        own.submit(&own.open("/auth/sign-out").await, "/auth/sign-out", &[]).await;
        sign_in(&own).await;
        let browsers = count(mail, NEW_BROWSER);
        sign_in(&known).await;
        eventually(async || (count(mail, NEW_BROWSER) == 3).then_some(())).await;
        assert_eq!(browsers, 2);
    }

    async fn an_address_that_is_not_confirmed_gets_no_email_about_browsers(app: &App, mail: &Mailbox) {
        app.person("ann").await;
        app.provision("bob").await;
        age_accounts(app);
        Browser::signed_in(app, "ann").await;
        // Emails are sent in the order of their requests, but not one after the other.
        Browser::signed_in(app, "bob").await;
        eventually(async || mail.to("bob@example.com").into_iter().find(|mail| mail.subject == NEW_BROWSER)).await;
        assert_eq!(count(mail, NEW_BROWSER), 0);
    }

    async fn the_holder_of_an_account_learns_of_a_new_password(app: &App, mail: &Mailbox) {
        app.verified_person("ann").await;
        let browser = Browser::signed_in(app, "ann").await;
        let page = browser.open("/console/account/password").await;
        let fields = [("current_password", PASSWORD), ("password", "heron-lantern-orbit-9")];
        let page = browser.submit(&page, "/console/account/password", &fields).await;
        assert_eq!(page.status, 200, "{page}");
        let text = first(mail, NEW_PASSWORD).await;
        assert!(text.contains("/console/account/password") && text.contains("Forgot your password?"), "{text}");

        let forgetful = Browser::new(app);
        let page = forgetful.open("/auth/forgot-password").await;
        forgetful.submit(&page, "/auth/forgot-password", &[("email", ANN)]).await;
        let link = eventually(async || mail.to(ANN).into_iter().find(|mail| mail.subject.contains("choose a new password"))).await.link();
        let page = forgetful.open(&link).await;
        forgetful.submit(&page, "/auth/reset-password", &[("password", "tundra-violin-maple-7")]).await;
        eventually(async || (count(mail, NEW_PASSWORD) == 2).then_some(())).await;

        let set = app.run(&["account", "set-password", "--email", ANN], "granite-meadow-kite-3").await;
        assert!(set.status.success(), "{}", String::from_utf8_lossy(&set.stderr));
        eventually(async || (count(mail, NEW_PASSWORD) == 3).then_some(())).await;
    }

    async fn the_holder_of_an_account_learns_of_a_new_personal_token(app: &App, mail: &Mailbox) {
        let ann = app.verified_person("ann").await;
        let token = json!({"label": "laptop", "roles": "viewer", "expires_at": soon()});
        let key = [("Idempotency-Key", "token")];
        for _ in 0..2 {
            ann.send(Method::POST, "/auth/pat", Some(token.clone()), &key).await;
        }
        let text = first(mail, "A personal access token was created").await;
        assert!(text.contains("/console/account/tokens") && !text.contains("laptop"), "{text}");
        ann.post("/auth/pat", token).await.created();
        eventually(async || (count(mail, "A personal access token was created") == 2).then_some(())).await;
    }
}

on_both_in_full! {
    async fn the_page_lists_what_happened_to_the_account_and_nothing_of_others(app: &App) {
        let ann = app.verified_person("ann").await;
        app.verified_person("bob").await;
        Browser::signed_in(app, "bob").await;
        let browser = Browser::signed_in(app, "ann").await;
        let token = json!({"label": "laptop", "roles": "viewer", "expires_at": soon()});
        ann.post("/auth/pat", token).await.created();
        ann.post("/team/", json!({"name": "Acme", "slug": "acme"})).await.created();
        let removed = app.run(&["account", "set-password", "--email", ANN], "granite-meadow-kite-3").await;
        assert!(removed.status.success(), "{}", String::from_utf8_lossy(&removed.stderr));
        // The new password ended the session.
        let page = browser.open("/auth/sign-in").await;
        let fields = [("login", "ann"), ("password", "granite-meadow-kite-3")];
        browser.submit(&page, "/auth/sign-in", &fields).await;

        let page = browser.open("/console/account/activity").await;
        let text = page.text();
        let expected = [
            ("You signed in", "session.created"),
            ("The service set your password", "account.updated"),
            ("You created the personal access token", "personal_token.created"),
            ("You signed in", "session.created"),
            ("The service created your account", "account.created"),
        ];
        let mut rest = text.as_str();
        for (operation, action) in expected {
            for part in [operation, action] {
                let found = rest.find(part).unwrap_or_else(|| panic!("{part} is missing or in another order: {text}"));
                rest = &rest[found + part.len()..];
            }
        }
        assert!(text.contains("from 127.0.0.1") && !text.contains("team.created"), "{text}");
        assert_eq!(text.matches("session.created").count(), 2, "Sign-ins of others are shown: {text}");
    }
}
