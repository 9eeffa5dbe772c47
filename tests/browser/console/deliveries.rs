//! The page of a delivery of a webhook.

use serde_json::json;
use steward_tests::{App, Backend, Receiver, World, eventually};

use super::Console;
use super::pages::check;
use crate::accessibility::Axe;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failed_delivery_has_its_message_its_response_and_its_next_attempt() {
    let app = App::start_with(Backend::Sqlite, &[("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true")]).await;
    let (world, receiver) = (World::make(&app, "acme").await, Receiver::start().await);
    let (console, axe) = (Console::sign_in(&app, true, "acme-owner").await, Axe::install().await);
    let team = format!("/team/{}", world.team);
    let hook = json!({"url": receiver.url, "events": ["team.updated"]});
    let hook = world.owner.post(&format!("{team}/webhook"), hook).await.created().id();
    let deliveries = format!("/console/teams/{}/webhooks/{hook}/deliveries", world.team);
    receiver.respond_next(&[503; 30]);
    receiver.respond_with("Try again later.");
    world.owner.patch(&team, json!({"name": "Renamed"})).await.ok();

    // An attempt that another one followed has none next.
    eventually(async || {
        let listed = world.owner.get(&format!("{team}/webhook/{hook}/delivery")).await.ok();
        let newest = listed["data"][0]["id"].as_str()?;
        console.open(&format!("{deliveries}/{newest}")).await;
        console.chrome.text().await.contains("Next attempt").then_some(())
    })
    .await;
    for text in ["The receiver returned status 503.", "Try again later.", "\"type\": \"team.updated\"", "Renamed"] {
        console.shows(text).await;
    }
    check(&console, &axe, "a failed delivery").await;

    console.open(&deliveries).await;
    console.click("main tbody a").await;
    console.shows("About this attempt").await;
    console.quit().await;
}
