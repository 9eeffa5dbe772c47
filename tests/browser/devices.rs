//! Connecting a device in the browser: from the code to the decision.

use steward_tests::{App, Backend, FORM, PASSWORD, eventually};

use crate::accessibility::Axe;
use crate::chrome::Chrome;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_connects_a_device_on_a_phone_with_the_keyboard() {
    let app = App::start(Backend::Sqlite).await;
    app.provision("ann").await;
    let form = b"client_id=steward-cli&scope=openid%20admin".to_vec();
    let codes =
        app.anonymous().send_raw(reqwest::Method::POST, "/auth/device/code", Some((FORM, form)), &[]).await.ok();
    let user_code = codes["user_code"].as_str().unwrap();

    let (chrome, axe) = (Chrome::start(true).await, Axe::install().await);
    chrome.show_in("dark", 390).await;
    chrome.open(codes["verification_uri"].as_str().unwrap()).await;
    chrome.reaches("Connect a device").await;
    axe.check(&chrome, "the code of a device").await;
    chrome.fill("Code", "BBBB-BBBB").await;
    chrome.press("Continue").await;
    eventually(async || chrome.text().await.contains("No device waits with this code").then_some(())).await;
    axe.check(&chrome, "a wrong code").await;
    chrome.fill("Code", &user_code.to_lowercase()).await;
    chrome.press("Continue").await;
    chrome.sign_in("ann", PASSWORD).await;
    chrome.reaches("Steward command line wants to use your account on a device").await;
    assert!(chrome.text().await.contains(user_code));
    axe.check(&chrome, "consent for a device").await;
    chrome.press("Allow").await;
    chrome.reaches("Your device is connected").await;
    axe.check(&chrome, "a connected device").await;
    chrome.quit().await;
}
