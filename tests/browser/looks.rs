//! How every page looks: light and dark, narrow and wide. `STEWARD_SCREENSHOTS` names a directory to keep the pictures in.

use std::path::{Path, PathBuf};

use serde_json::json;
use steward_tests::{App, Backend, Mailbox, PASSWORD, World};

use crate::chrome::Chrome;
use crate::relying_party::RelyingParty;

/// What no page may do, as a script that answers the faults.
const FAULTS: &str = r#"
    const faults = [];
    const root = document.documentElement;
    if (root.scrollWidth > window.innerWidth) faults.push(`wider than the window: ${root.scrollWidth}`);
    if (document.querySelectorAll('h1').length !== 1) faults.push('not one h1');
    if (!document.querySelector('main')) faults.push('no main');
    for (const input of document.querySelectorAll('input:not([type=hidden])'))
        if (!input.labels.length) faults.push(`no label: ${input.name}`);
    for (const control of document.querySelectorAll('button, input:not([type=hidden])'))
        if (control.getBoundingClientRect().height < 44) faults.push(`too small to touch: ${control.outerHTML}`);
    return faults;
"#;

/// Looks at the page that is open in each scheme and width.
async fn look(chrome: &Chrome, name: &str, directory: &Path) {
    for scheme in ["light", "dark"] {
        // A colour that is still on its way to the other scheme is no error.
        let still = json!({"name": "prefers-reduced-motion", "value": "reduce"});
        let media = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}, still]});
        chrome.tell("Emulation.setEmulatedMedia", media).await;
        for width in [320, 1280] {
            let size = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500});
            chrome.tell("Emulation.setDeviceMetricsOverride", size).await;
            let faults = chrome.asked(FAULTS).await;
            assert_eq!(faults, json!([]), "{name} {scheme} {width}");
            let picture = directory.join(format!("{name}-{scheme}-{width}.png"));
            chrome.driver.screenshot(&picture).await.unwrap();
        }
    }
    // A form that is refused is told with its status, which Chromium notes.
    let errors: Vec<String> =
        chrome.errors().await.into_iter().filter(|error| !error.contains("status of 4")).collect();
    assert_eq!(errors, Vec::<String>::new(), "{name}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_page_fits_its_window_and_names_its_fields() {
    let (mail, temporary) = (Mailbox::start().await, tempfile::tempdir().unwrap());
    let kept = std::env::var_os("STEWARD_SCREENSHOTS").map(PathBuf::from);
    let directory = kept.as_deref().unwrap_or(temporary.path());
    std::fs::create_dir_all(directory).unwrap();
    let settings = mail.settings();
    let settings: Vec<_> = settings.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let app = App::start_with(Backend::Sqlite, &settings).await;
    let world = World::make(&app, "acme").await;
    let relying_party = RelyingParty::start(&app, &world).await;
    let chrome = Chrome::start(true).await;
    let page = |path: &str| format!("{}{path}", app.base);

    chrome.open(&relying_party.authorize(&[])).await;
    look(&chrome, "sign-in", directory).await;
    chrome.sign_in("nobody@example.com", "not the password").await;
    look(&chrome, "sign-in-refused", directory).await;
    chrome.press("Create an account").await;
    look(&chrome, "sign-up", directory).await;
    chrome.fill("Email", &format!("{}@example.com", "long".repeat(15))).await;
    chrome.fill("Password", "aaaaaaaaaaaa").await;
    chrome.fill("Name", "An unusually long name").await;
    chrome.fill("Username", "a b").await;
    chrome.press("Create account").await;
    look(&chrome, "sign-up-refused", directory).await;
    chrome.fill("Password", PASSWORD).await;
    chrome.fill("Username", "ann").await;
    chrome.press("Create account").await;
    look(&chrome, "consent", directory).await;
    chrome.press("Use another account").await;
    look(&chrome, "sign-out", directory).await;
    chrome.driver.back().await.unwrap();
    chrome.reaches("wants to use your account").await;
    chrome.press("Allow").await;
    relying_party.nth_answer(1).await;
    chrome.open(&page("/auth/sessions")).await;
    look(&chrome, "account", directory).await;
    let email = format!("{}@example.com", "long".repeat(15));
    chrome.open(&mail.to(&email)[0].link()).await;
    look(&chrome, "verify-email", directory).await;
    chrome.press("Confirm").await;
    look(&chrome, "email-verified", directory).await;
    chrome.open(&page("/auth/sessions")).await;
    chrome.press("Sign out").await;
    chrome.press("Sign out").await;
    look(&chrome, "signed-out", directory).await;
    chrome.open(&page("/auth/forgot-password")).await;
    look(&chrome, "forgot-password", directory).await;
    chrome.fill("Email", &email).await;
    chrome.press("Send the email").await;
    look(&chrome, "email-sent", directory).await;
    chrome.open(&mail.nth_to(&email, 2).await.link()).await;
    look(&chrome, "reset-password", directory).await;
    chrome.fill("New password", "aaaaaaaaaaaa").await;
    chrome.press("Set the new password").await;
    look(&chrome, "reset-password-refused", directory).await;
    chrome.fill("New password", "another horse battery").await;
    chrome.press("Set the new password").await;
    look(&chrome, "password-changed", directory).await;
    chrome.open(&page("/auth/consent?request=x")).await;
    look(&chrome, "error", directory).await;
    chrome.quit().await;
}
