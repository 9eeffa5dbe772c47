//! The documentation in a browser: accessibility, a narrow screen, no scripts, and the form that tries an operation.

use serde_json::json;
use steward_tests::{App, Backend, World};
use thirtyfour::prelude::*;

use crate::accessibility::Axe;
use crate::chrome::Chrome;

/// Pages of each kind.
const PAGES: [&str; 9] = [
    "/docs",
    "/docs/guides/react",
    "/docs/guides/fastapi",
    "/docs/contract",
    "/docs/reference",
    "/docs/reference/createKey",
    "/docs/reference/errors",
    "/docs/search?q=api+key",
    "/docs/search?q=xyzzyx",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_are_accessible_in_both_color_schemes_and_fit_a_phone() {
    let app = App::start(Backend::Sqlite).await;
    let (chrome, axe) = (Chrome::start(true).await, Axe::install().await);
    let size = |width: u32| json!({"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": false});
    for path in PAGES {
        chrome.tell("Emulation.setDeviceMetricsOverride", size(1_280)).await;
        chrome.set_color_scheme("light").await;
        chrome.open(&format!("{}{path}", app.base)).await;
        // What is closed is not checked otherwise.
        chrome.asked("document.querySelectorAll('.docs-text details').forEach((each) => { each.removeAttribute('name'); each.open = true; })").await;
        axe.check(&chrome, path).await;
        chrome.set_color_scheme("dark").await;
        axe.check_colors(&chrome, path).await;
        chrome.tell("Emulation.setDeviceMetricsOverride", size(390)).await;
        axe.check(&chrome, path).await;
        let overflow =
            chrome.asked("return document.documentElement.scrollWidth - document.documentElement.clientWidth").await;
        assert_eq!(overflow, 0, "{path}");
        // The text comes first, and the navigation after it.
        let heading =
            chrome.asked("return document.querySelector('main h1').getBoundingClientRect().top + scrollY").await;
        assert!(heading.as_f64().is_some_and(|top| top < 300.0), "{path}: {heading}");
    }
    assert_eq!(chrome.errors().await, Vec::<String>::new());
    chrome.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn search_and_navigation_work_without_scripts() {
    let app = App::start(Backend::Sqlite).await;
    let chrome = Chrome::start(false).await;
    chrome.open(&format!("{}/docs", app.base)).await;
    let enter = char::from(Key::Enter);
    let field = chrome.driver.find(By::Id("search")).await.unwrap();
    field.send_keys(format!("create an API key{enter}")).await.unwrap();
    let hit = chrome.driver.query(By::Css(".docs-hits a[href='/docs/reference/createKey']")).first().await.unwrap();
    hit.click().await.unwrap();
    let heading = chrome.driver.query(By::Css("main h1")).with_text("Create an API key").first().await.unwrap();
    assert!(heading.is_displayed().await.unwrap());
    let sample = chrome.driver.find(By::XPath("//summary[text()='Python']")).await.unwrap();
    sample.click().await.unwrap();
    let code = chrome.driver.find(By::XPath("//summary[text()='Python']/following-sibling::figure")).await.unwrap();
    assert!(code.is_displayed().await.unwrap());
    chrome.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_block_of_code_can_be_copied_and_headings_are_beside_the_text() {
    let app = App::start(Backend::Sqlite).await;
    let chrome = Chrome::start(true).await;
    let size = |width: u32| json!({"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": false});
    chrome.tell("Emulation.setDeviceMetricsOverride", size(1_280)).await;
    chrome.open(&format!("{}/docs/guides/react", app.base)).await;
    let counts =
        "return [document.querySelectorAll('.docs-text pre').length, document.querySelectorAll('.docs-copy').length]";
    let counts = chrome.asked(counts).await;
    assert!(counts[0] == counts[1] && counts[0].as_u64() > Some(5), "{counts}");
    chrome.asked("document.querySelector('.docs-copy').click()").await;
    let status = "return document.querySelector('main > [role=status]').textContent";
    let mut said = chrome.asked(status).await;
    for _ in 0..50 {
        if said != "" {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        said = chrome.asked(status).await;
    }
    assert!(said == "Copied." || said == "Selected. Copy it with the keyboard.", "{said}");
    let beside = "const [text, toc] = ['.docs-text', '.docs-toc'].map((name) => document.querySelector(name).getBoundingClientRect()); \
                  return toc.left >= text.right";
    assert_eq!(chrome.asked(beside).await, true);
    chrome.tell("Emulation.setDeviceMetricsOverride", size(1_270)).await;
    assert_eq!(chrome.asked(beside).await, false);
    assert_eq!(chrome.errors().await, Vec::<String>::new());
    chrome.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operation_is_tried_without_scripts() {
    let app = App::start(Backend::Sqlite).await;
    let world = World::make(&app, "try").await;
    let (chrome, axe) = (Chrome::start(true).await, Axe::install().await);
    chrome.tell("Emulation.setScriptExecutionDisabled", json!({"value": true})).await;
    chrome.open(&format!("{}/docs/reference/getProject", app.base)).await;
    let key = world.key.credential.clone().unwrap();
    chrome.driver.find(By::Id("try-key")).await.unwrap().send_keys(key).await.unwrap();
    chrome.driver.find(By::Name("path.id")).await.unwrap().send_keys(&world.project).await.unwrap();
    chrome.driver.find(By::Css(".try button")).await.unwrap().click().await.unwrap();
    let response = chrome.driver.query(By::Id("response")).with_text("Response: 200 OK").first().await.unwrap();
    assert!(response.is_displayed().await.unwrap());
    // The check of the accessibility is a script.
    chrome.tell("Emulation.setScriptExecutionDisabled", json!({"value": false})).await;
    axe.check(&chrome, "the form").await;
    assert_eq!(chrome.errors().await, Vec::<String>::new());
    chrome.quit().await;
}
