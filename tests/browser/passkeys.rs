//! Passkeys in the browser, with a virtual authenticator.

use serde_json::json;
use steward_tests::{App, PASSWORD, eventually, on_both};
use thirtyfour::By;

use crate::accessibility::Axe;
use crate::chrome::Chrome;

/// What a browser does that does not offer passkeys in a field.
const WITHOUT_AUTOFILL: &str = "PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false)";

/// Adds a device with a screen lock to the browser. The person agrees to everything. Returns its ID.
async fn add_device(chrome: &Chrome) -> String {
    chrome.tell("WebAuthn.enable", json!({})).await;
    let device = json!({
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": true,
        "hasUserVerification": true,
        "isUserVerified": true,
        "automaticPresenceSimulation": true,
    });
    let added = chrome.tell("WebAuthn.addVirtualAuthenticator", json!({"options": device})).await;
    added["authenticatorId"].as_str().unwrap().to_owned()
}

/// Signs out, and presses the button on the page for the next sign-in.
async fn use_passkey_again(chrome: &Chrome, app: &App) {
    chrome.open(&format!("{}/auth/sign-out", app.base)).await;
    chrome.click("Sign out").await;
    chrome.open(&format!("{}/auth/sign-in", app.base)).await;
    press(chrome, "Sign in with a passkey").await;
}

/// Presses a button that may not open another page.
async fn press(chrome: &Chrome, words: &str) {
    let path = format!("//main//button[text() = '{words}']");
    chrome.driver.find(By::XPath(&path)).await.unwrap().click().await.unwrap();
}

/// Waits for a page with this text.
async fn shows(chrome: &Chrome, words: &str) {
    eventually(async || {
        // During navigation the element may disappear before it is read.
        let page = chrome.driver.find(By::Tag("body")).await.ok()?;
        page.text().await.is_ok_and(|text| text.contains(words)).then_some(())
    })
    .await;
}

on_both! {
    async fn a_passkey_is_set_up_signs_in_and_confirms(app: &App) {
        app.person("ann").await;
        let (chrome, axe) = (Chrome::start(true).await, Axe::install().await);
        let open = async |path: &str| chrome.open(&format!("{}{path}", app.base)).await;
        add_device(&chrome).await;
        open("/auth/sign-in").await;
        axe.check(&chrome, "sign-in").await;
        chrome.sign_in("ann", PASSWORD).await;
        open("/console/account/passkeys").await;
        chrome.press("Set up a passkey").await;
        chrome.reaches("Set up a passkey").await;
        axe.check(&chrome, "a new passkey").await;
        chrome.fill("Name", "Phone").await;
        chrome.press("Set up").await;
        chrome.reaches("Passkeys").await;
        assert!(chrome.text().await.contains("The passkey was set up."), "{}", chrome.text().await);
        axe.check(&chrome, "passkeys").await;

        // The device has one already.
        chrome.press("Set up a passkey").await;
        chrome.reaches("Set up a passkey").await;
        chrome.fill("Name", "Again").await;
        press(&chrome, "Set up").await;
        shows(&chrome, "This device already has a passkey for your account.").await;

        // The field of the name offers the passkey, and the virtual device accepts.
        open("/auth/sign-out").await;
        chrome.click("Sign out").await;
        open("/auth/sign-in").await;
        chrome.reaches("First steps").await;

        // Browsers that cannot do that have a button.
        chrome.tell("Page.addScriptToEvaluateOnNewDocument", json!({"source": WITHOUT_AUTOFILL})).await;
        open("/auth/sign-out").await;
        chrome.click("Sign out").await;
        open("/auth/sign-in").await;
        axe.check(&chrome, "sign-in with a passkey").await;
        chrome.click("Sign in with a passkey").await;
        chrome.reaches("First steps").await;

        app.age_sessions();
        open("/console/account/tokens/new").await;
        chrome.fill("Label", "CI").await;
        chrome.driver.find(By::Css("input[name=roles][value=viewer]")).await.unwrap().click().await.unwrap();
        chrome.press("Create").await;
        chrome.reaches("Confirm that it is you").await;
        axe.check(&chrome, "confirmation").await;
        chrome.press("Use a passkey").await;
        chrome.reaches("The token was created").await;
        assert_eq!(chrome.errors().await, Vec::<String>::new());
        chrome.quit().await;
    }
    async fn a_passkey_is_refused_on_another_site_without_its_holder_and_when_copied(app: &App) {
        app.person("ann").await;
        app.person("bob").await;
        let chrome = Chrome::start(true).await;
        chrome.tell("Page.addScriptToEvaluateOnNewDocument", json!({"source": WITHOUT_AUTOFILL})).await;
        let open = async |path: &str| chrome.open(&format!("{}{path}", app.base)).await;
        let id = add_device(&chrome).await;
        open("/auth/sign-in").await;
        chrome.sign_in("ann", PASSWORD).await;
        app.age_sessions();
        open("/console/account/passkeys/new").await;
        chrome.press("Continue").await;
        chrome.reaches("Confirm that it is you").await;
        chrome.fill("Password", PASSWORD).await;
        chrome.press("Continue").await;
        chrome.reaches("Set up a passkey").await;
        chrome.fill("Name", "Phone").await;
        chrome.press("Set up").await;
        shows(&chrome, "The passkey was set up.").await;
        let device = json!({"authenticatorId": id});
        let mut copy = chrome.tell("WebAuthn.getCredentials", device.clone()).await["credentials"][0].clone();

        let by_address = app.base.replace("localhost", "127.0.0.1");
        assert_ne!(by_address, app.base);
        chrome.open(&format!("{by_address}/auth/sign-in")).await;
        press(&chrome, "Sign in with a passkey").await;
        shows(&chrome, "No passkey was used. Try again, or choose another way.").await;

        let set_verified = async |is_verified: bool| {
            let holder = json!({"authenticatorId": id, "isUserVerified": is_verified});
            chrome.tell("WebAuthn.setUserVerified", holder).await;
        };
        set_verified(false).await;
        use_passkey_again(&chrome, app).await;
        shows(&chrome, "No passkey was used. Try again, or choose another way.").await;
        set_verified(true).await;
        chrome.click("Sign in with a passkey").await;
        chrome.reaches("First steps").await;

        // The device gets back what it had before it was used.
        chrome.tell("WebAuthn.clearCredentials", device).await;
        copy["signCount"] = json!(0);
        chrome.tell("WebAuthn.addCredential", json!({"authenticatorId": id, "credential": copy})).await;
        use_passkey_again(&chrome, app).await;
        shows(&chrome, "There may be a copy of this passkey").await;

        let script = "delete window.PublicKeyCredential";
        chrome.tell("Page.addScriptToEvaluateOnNewDocument", json!({"source": script})).await;
        open("/auth/sign-in").await;
        assert!(!chrome.text().await.contains("Sign in with a passkey"), "The browser cannot use one.");
        chrome.sign_in("bob", PASSWORD).await;
        open("/console/account/passkeys/new").await;
        shows(&chrome, "Setting up a passkey requires scripts, TLS and a recent browser.").await;
        chrome.quit().await;
    }
}
