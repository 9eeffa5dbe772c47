//! A code by email in the browser: from the sign-in page to the console.

use steward_tests::{App, Backend, Mailbox};

use crate::accessibility::Axe;
use crate::chrome::Chrome;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_signs_in_with_the_code_and_with_the_link_of_an_email() {
    let mail = Mailbox::start().await;
    let settings = mail.settings();
    let settings: Vec<_> = settings.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let app = App::start_with(Backend::Sqlite, &settings).await;
    app.provision("ann").await;
    let (chrome, axe) = (Chrome::start(true).await, Axe::install().await);
    for count in 1..=2 {
        chrome.open(&format!("{}/auth/sign-in", app.base)).await;
        chrome.fill("Email or username", if count == 1 { "ann@example.com" } else { "" }).await;
        chrome.press("Email me a code").await;
        if count == 2 {
            chrome.reaches("Sign in with a code").await;
            axe.check(&chrome, "the address for a code").await;
            chrome.fill("Email", "ann@example.com").await;
            chrome.press("Send the code").await;
        }
        chrome.reaches("Enter the code").await;
        axe.check(&chrome, "the code").await;
        let link = mail.nth_to("ann@example.com", count).await.link();
        if count == 1 {
            let (_, code) = link.split_once("code=").unwrap();
            chrome.fill("Code", code).await;
        } else {
            chrome.open(&link).await;
        }
        chrome.press("Continue").await;
        chrome.reaches("First steps").await;
        chrome.open(&format!("{}/auth/sign-out", app.base)).await;
        chrome.click("Sign out").await;
    }
    assert_eq!(chrome.errors().await, Vec::<String>::new());
    chrome.quit().await;
}
