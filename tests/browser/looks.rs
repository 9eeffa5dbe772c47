//! Checks the layout of every page: light and dark, narrow and wide.

use serde_json::json;
use steward_tests::{App, Backend, Mailbox, PASSWORD, World};

use crate::chrome::Chrome;
use crate::relying_party::RelyingParty;

/// A script that returns the layout problems of the current page.
const LAYOUT_CHECK: &str = r#"
    const problems = [];
    const root = document.documentElement;
    if (root.scrollWidth > window.innerWidth) problems.push(`wider than the window: ${root.scrollWidth}`);
    if (document.querySelectorAll('h1').length !== 1) problems.push('not one h1');
    if (!document.querySelector('main')) problems.push('no main');
    for (const input of document.querySelectorAll('input:not([type=hidden])'))
        if (!input.labels.length) problems.push(`no label: ${input.name}`);
    const isForPointer = document.querySelector('.console') && !matchMedia('(pointer: coarse)').matches;
    for (const control of document.querySelectorAll('button, input:not([type=hidden])'))
        if (control.getBoundingClientRect().height < (isForPointer ? 32 : 44))
            problems.push(`too small to touch: ${control.outerHTML}`);
    return problems;
"#;

/// Checks the current page in each color scheme and width.
async fn check(chrome: &Chrome, name: &str) {
    for scheme in ["light", "dark"] {
        for width in [320, 1280] {
            chrome.show_in(scheme, width).await;
            let problems = chrome.asked(LAYOUT_CHECK).await;
            assert_eq!(problems, json!([]), "{name} {scheme} {width}");
        }
    }
    chrome.save_screenshots(name).await;
    // Chromium logs the 4xx status of rejected forms.
    let errors: Vec<String> =
        chrome.errors().await.into_iter().filter(|error| !error.contains("status of 4")).collect();
    assert_eq!(errors, Vec::<String>::new(), "{name}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_page_fits_the_window_and_labels_its_fields() {
    let mail = Mailbox::start().await;
    let settings = mail.settings();
    let settings: Vec<_> = settings.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let app = App::start_with(Backend::Sqlite, &settings).await;
    let world = World::make(&app, "acme").await;
    let relying_party = RelyingParty::start(&app, &world).await;
    let chrome = Chrome::start(true).await;
    let email = format!("{}@example.com", "long".repeat(15));
    check_authorization(&chrome, &relying_party, &email).await;
    check_account(&chrome, &app, &mail, &email).await;
    chrome.quit().await;
}

/// Checks the pages from an authorization request to the consent of a new account.
async fn check_authorization(chrome: &Chrome, relying_party: &RelyingParty, email: &str) {
    chrome.open(&relying_party.authorize(&[])).await;
    check(chrome, "sign-in").await;
    chrome.sign_in("nobody@example.com", "not the password").await;
    check(chrome, "sign-in-refused").await;
    chrome.click("Create an account").await;
    check(chrome, "sign-up").await;
    chrome.fill("Email", email).await;
    chrome.fill("Password", "aaaaaaaaaaaa").await;
    chrome.fill("Name", "An unusually long name").await;
    chrome.fill("Username", "a b").await;
    chrome.click("Create account").await;
    check(chrome, "sign-up-refused").await;
    chrome.fill("Password", PASSWORD).await;
    chrome.fill("Username", "ann").await;
    chrome.click("Create account").await;
    check(chrome, "consent").await;
    chrome.click("Use another account").await;
    check(chrome, "sign-out").await;
    chrome.back().await;
    chrome.reaches("wants to use your account").await;
    chrome.click("Allow").await;
    relying_party.nth_answer(1).await;
    chrome.open(&relying_party.authorize(&[])).await;
    chrome.reaches("Continue to acme?").await;
    check(chrome, "continue").await;
}

/// Checks the pages of an account that is signed in, then those of its emails and of errors.
async fn check_account(chrome: &Chrome, app: &App, mail: &Mailbox, email: &str) {
    let page = |path: &str| format!("{}{path}", app.base);
    chrome.open(&page("/console/account/sessions")).await;
    check(chrome, "account").await;
    chrome.open(&mail.nth_to(email, 1).await.link()).await;
    check(chrome, "verify-email").await;
    chrome.click("Confirm").await;
    check(chrome, "email-verified").await;
    chrome.open(&page("/auth/sign-out")).await;
    chrome.click("Sign out").await;
    check(chrome, "signed-out").await;
    chrome.open(&page("/auth/forgot-password")).await;
    check(chrome, "forgot-password").await;
    chrome.fill("Email", email).await;
    chrome.click("Send the email").await;
    check(chrome, "email-sent").await;
    chrome.open(&mail.nth_to(email, 2).await.link()).await;
    check(chrome, "reset-password").await;
    chrome.fill("New password", "aaaaaaaaaaaa").await;
    chrome.click("Set the new password").await;
    check(chrome, "reset-password-refused").await;
    chrome.fill("New password", "another horse battery").await;
    chrome.click("Set the new password").await;
    check(chrome, "password-changed").await;
    chrome.open(&page("/auth/consent?request=x")).await;
    check(chrome, "error").await;
    chrome.open(&page("/")).await;
    check(chrome, "landing").await;
    chrome.open(&page(&format!("/{}", "unknown".repeat(20)))).await;
    check(chrome, "no-page").await;
}
