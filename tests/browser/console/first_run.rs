//! The first steps: from signing up to a request with the first key.

use std::time::Instant;

use serde_json::Value;
use steward_tests::{App, PASSWORD, TIMEOUT, on_both};
use tokio::process::Command;

use super::Console;
use crate::chrome::{Chrome, POLL_INTERVAL};

/// A script that returns what the button that copies the key reports.
const COPIED: &str =
    "return document.querySelector('[data-copy=key]').parentElement.querySelector('[role=status]').textContent";

/// Signs up, takes the three steps, and runs the command that the last page shows.
async fn take_the_first_steps(app: &App, scripts: bool, name: &str) {
    let console = Console::start(app, scripts).await;
    console.open("/auth/sign-up").await;
    console.enter("email", &format!("{name}@example.com")).await;
    console.enter("password", PASSWORD).await;
    console.enter("name", name).await;
    console.enter("username", name).await;
    console.chrome.click("Create account").await;
    console.shows("1. Name a team").await;
    console.enter("name", &format!("Team of {name}")).await;
    console.press("Create the team", &format!("The team Team of {name} was created.")).await;
    console.enter("name", &format!("App of {name}")).await;
    console.press("Create the project", &format!("The project App of {name} was created.")).await;
    console.press("Create the key", "Save the key now").await;

    let command = console.find("[id=curl]").await.text().await.unwrap();
    let key = console.find("[id=key]").await.text().await.unwrap();
    assert!(key.starts_with("stw_sk_") && command.contains(&key), "{command}");
    let output = Command::new("sh").args(["-c", &command]).output().await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let project: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(project["data"]["name"], format!("App of {name}"));
    if scripts {
        copy_the_key(&console.chrome).await;
    }

    console.press("Go to the project", "About this project").await;
    console.quit().await;
}

async fn copy_the_key(chrome: &Chrome) {
    chrome.asked("document.querySelector('[data-copy=key]').click()").await;
    let deadline = Instant::now() + TIMEOUT;
    loop {
        let status = chrome.asked(COPIED).await;
        if status == "Copied." || status == "Selected. Copy it with the keyboard." {
            return;
        }
        assert!(Instant::now() < deadline, "The button that copies the key reports {status}.");
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

on_both! {
    async fn the_first_steps_lead_to_a_key_that_works(app: &App) {
        tokio::join!(take_the_first_steps(app, true, "ann"), take_the_first_steps(app, false, "bob"));
    }
}
