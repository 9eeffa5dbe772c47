//! Identity providers in the browser: the buttons of the sign-in page, and linking in the console.

use serde_json::json;
use steward_tests::{App, Backend, Browser, IdentityProvider, eventually};
use thirtyfour::By;

use crate::accessibility::Axe;
use crate::chrome::Chrome;

/// Presses the button or follows the link with this text, which names a provider.
async fn choose(chrome: &Chrome, words: &str) {
    let path = format!("//main//*[(self::button or self::a) and normalize-space(.) = '{words}']");
    let found = eventually(async || chrome.driver.find(By::XPath(&path)).await.ok()).await;
    found.click().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_signs_in_at_a_provider_and_links_another_identity() {
    let provider = IdentityProvider::start().await;
    let app = App::start_with(Backend::Sqlite, &[("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true")]).await;
    app.provision("root").await;
    app.make_operator("root").await;
    let root = Browser::signed_in(&app, "root").await;
    root.add_identity_provider("/console/operator/providers", &provider.url, &[]).await;
    provider.set_person(json!({"sub": "ann-1", "email": "ann@example.com", "email_verified": true, "name": "Ann"}));

    // The policy of the page lets the form redirect to the provider.
    let (chrome, axe) = (Chrome::start(true).await, Axe::install().await);
    let open = async |path: &str| chrome.open(&format!("{}{path}", app.base)).await;
    open("/auth/sign-in").await;
    axe.check(&chrome, "sign-in with a provider").await;
    choose(&chrome, "Continue with Example ID").await;
    chrome.reaches("First steps").await;

    open("/console/account/identities").await;
    chrome.reaches("Linked identities").await;
    axe.check(&chrome, "linked identities").await;
    assert!(chrome.text().await.contains("ann@example.com"), "{}", chrome.text().await);
    open("/auth/sign-out").await;
    chrome.click("Sign out").await;

    // The account of another person, who links the identity that they have there.
    app.provision("bob").await;
    open("/auth/sign-in").await;
    chrome.sign_in("bob", steward_tests::PASSWORD).await;
    provider.set_person(json!({"sub": "bob-1", "email": "bob@company.example", "email_verified": false}));
    open("/console/account/identities").await;
    choose(&chrome, "Link Example ID").await;
    chrome.reaches("Link an identity").await;
    axe.check(&chrome, "linking an identity").await;
    choose(&chrome, "Continue to Example ID").await;
    chrome.reaches("Linked identities").await;
    let text = chrome.text().await;
    assert!(text.contains("The identity was linked.") && text.contains("bob@company.example"), "{text}");
    open("/auth/sign-out").await;
    chrome.click("Sign out").await;

    // An address that is not confirmed proves nothing.
    provider.set_person(json!({"sub": "eve-1", "email": "root@example.com", "email_verified": false}));
    open("/auth/sign-in").await;
    choose(&chrome, "Continue with Example ID").await;
    chrome.reaches("Sign in").await;
    axe.check(&chrome, "sign-in before linking").await;
    assert!(chrome.text().await.contains("Sign in to it another way once"), "{}", chrome.text().await);
    assert_eq!(chrome.errors().await, Vec::<String>::new());
    chrome.quit().await;
}
