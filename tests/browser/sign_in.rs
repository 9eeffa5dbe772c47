//! Tests of signing in to an app, including errors and denials.

use steward_tests::{App, PASSWORD, World, on_both, parameter};
use thirtyfour::prelude::*;

use crate::chrome::Chrome;
use crate::relying_party::RelyingParty;

async fn app_and_browser(app: &App) -> (World, RelyingParty, Chrome) {
    let world = World::make(app, "acme").await;
    let relying_party = RelyingParty::start(app, &world).await;
    (world, relying_party, Chrome::start(true).await)
}

/// Fills in and submits the sign-up form on the current page.
async fn sign_up(chrome: &Chrome) {
    chrome.fill("Email", "ann@example.com").await;
    chrome.fill("Password", PASSWORD).await;
    chrome.fill("Name", "Ann").await;
    chrome.fill("Username", "ann").await;
    chrome.click("Create account").await;
}

on_both! {
    async fn a_user_can_sign_up_grant_access_and_sign_out(app: &App) {
        let (_world, relying_party, chrome) = app_and_browser(app).await;
        chrome.open(&relying_party.authorize(&[])).await;
        assert!(chrome.text().await.contains("to continue to acme"));
        chrome.click("Create an account").await;
        sign_up(&chrome).await;
        chrome.reaches("acme wants to use your account").await;
        let consent = chrome.text().await;
        for words in ["Know who you are", "See your email address", "Change your data in this app", "ann@example.com",
            &relying_party.origin] {
            assert!(consent.contains(words), "The consent page lacks \"{words}\": {consent}");
        }
        chrome.click("Allow").await;
        let callback = relying_party.nth_answer(1).await;
        assert_eq!(parameter(callback.as_str(), "state").as_deref(), Some("some-state"));
        assert_eq!(parameter(callback.as_str(), "iss").as_deref(), Some(app.base.as_str()));
        relying_party.client.redeem(&parameter(callback.as_str(), "code").unwrap(), &[]).await.ok();
        chrome.reaches("Hello from the app").await;

        chrome.open(&relying_party.authorize(&[])).await;
        chrome.reaches("Continue to acme?").await;
        assert!(chrome.text().await.contains("Every program on your device can use this address."));
        chrome.click("Continue as ann@example.com").await;
        let again = relying_party.nth_answer(2).await;
        assert!(parameter(again.as_str(), "code").is_some(), "{again}");

        chrome.open(&format!("{}/console/account/sessions", app.base)).await;
        let sessions = chrome.text().await;
        assert!(sessions.contains("Chrome on Linux"), "{sessions}");
        chrome.open(&format!("{}/console/account/apps", app.base)).await;
        let apps = chrome.text().await;
        assert!(apps.contains("acme"), "{apps}");
        chrome.click("Remove access").await;
        assert!(chrome.text().await.contains("No app has access to your account"), "{}", chrome.text().await);
        chrome.open(&format!("{}/auth/sign-out", app.base)).await;
        chrome.click("Sign out").await;
        chrome.reaches("You are signed out").await;
        for _ in 0..2 {
            chrome.back().await;
            let text = chrome.text().await;
            assert!(!text.contains("ann@example.com"), "The back button must not show pages of the signed-out account.");
        }
        chrome.open(&format!("{}/console/account/sessions", app.base)).await;
        chrome.reaches("Sign in").await;
        assert_eq!(chrome.errors().await, Vec::<String>::new());
        chrome.quit().await;
    }

    async fn a_wrong_password_a_denial_and_the_back_button_are_handled(app: &App) {
        let (_world, relying_party, chrome) = app_and_browser(app).await;
        app.person("ann").await;
        chrome.open(&relying_party.authorize(&[])).await;
        chrome.sign_in("ann", "not the password").await;
        let alert = chrome.driver.find(By::Css("[role=alert]")).await.unwrap().text().await.unwrap();
        assert!(alert.contains("wrong"), "{alert}");
        let login = chrome.driver.find(By::Id("login")).await.unwrap();
        assert_eq!(login.value().await.unwrap().as_deref(), Some("ann"), "The entered login must be preserved.");
        chrome.sign_in("ann", PASSWORD).await;
        chrome.click("Deny").await;
        let denied = relying_party.nth_answer(1).await;
        assert_eq!(parameter(denied.as_str(), "error").as_deref(), Some("access_denied"));
        assert_eq!(parameter(denied.as_str(), "iss").as_deref(), Some(app.base.as_str()));

        chrome.open(&relying_party.authorize(&[])).await;
        chrome.reaches("wants to use your account").await;
        chrome.click("Allow").await;
        relying_party.nth_answer(2).await;
        chrome.reaches("Hello from the app").await;
        chrome.back().await;
        // The browser may show the previous page from its cache.
        if chrome.text().await.contains("wants to use your account") {
            chrome.click("Allow").await;
        }
        chrome.reaches("This sign-in has ended").await;
        let unknown = "stw_rq_0000000000000000000000000000000000000000000";
        chrome.open(&format!("{}/auth/sign-in?request={unknown}", app.base)).await;
        chrome.reaches("This sign-in has ended").await;
        chrome.open(&relying_party.authorize(&[("redirect_uri", "https://evil.example/")])).await;
        chrome.reaches("The request failed").await;
        chrome.quit().await;
    }

    async fn signing_up_works_without_scripts(app: &App) {
        let world = World::make(app, "acme").await;
        let (relying_party, chrome) = (RelyingParty::start(app, &world).await, Chrome::start(false).await);
        chrome.open(&format!("{}/script", relying_party.origin)).await;
        assert_eq!(chrome.driver.title().await.unwrap(), "scripts are off");
        chrome.open(&relying_party.authorize(&[("prompt", "create")])).await;
        sign_up(&chrome).await;
        chrome.click("Allow").await;
        let callback = relying_party.nth_answer(1).await;
        assert!(parameter(callback.as_str(), "code").is_some(), "{callback}");
        chrome.quit().await;
    }

    async fn sign_in_works_by_keyboard_and_pages_cannot_be_framed(app: &App) {
        let (_world, relying_party, chrome) = app_and_browser(app).await;
        app.person("ann").await;
        chrome.open(&relying_party.authorize(&[])).await;
        let type_in = |keys: String| async { chrome.driver.action_chain().send_keys(keys).perform().await.unwrap() };
        let (tab, enter) = (char::from(Key::Tab), char::from(Key::Enter));
        type_in(tab.to_string()).await;
        assert_eq!(chrome.asked("return document.activeElement.id").await, "login");
        let outline = chrome.asked("return getComputedStyle(document.activeElement).outlineStyle").await;
        assert_ne!(outline, "none", "The focused element must have a visible outline.");
        type_in(format!("ann{tab}")).await;
        assert_eq!(chrome.asked("return document.activeElement.id").await, "password");
        type_in(format!("{PASSWORD}{enter}")).await;
        chrome.reaches("wants to use your account").await;

        chrome.open(&format!("{}/frame", relying_party.origin)).await;
        let frame = chrome.driver.find(By::Tag("iframe")).await.unwrap();
        frame.enter_frame().await.unwrap();
        assert!(chrome.driver.find(By::Id("login")).await.is_err(), "The page must not be displayed in a frame.");
        chrome.driver.enter_default_frame().await.unwrap();
        assert!(chrome.errors().await.iter().any(|error| error.contains("frame-ancestors")));
        chrome.quit().await;
    }
}
