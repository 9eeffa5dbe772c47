//! The parts that pages of the console are made of, on the page that shows them in debug builds.

use serde_json::json;
use steward_tests::{App, Backend, World};

use super::Console;
use super::pages::check;
use crate::accessibility::Axe;

/// A script that returns the heights of a row, a button and a field.
const DENSITY: &str = r#"
    const height = (css) => Math.round(document.querySelector(css).getBoundingClientRect().height);
    return [height('.clip tbody tr'), height('main .button'), height('main input[type=text]')];
"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_parts_are_accessible_fit_the_window_and_are_dense_for_a_pointer_only() {
    if !cfg!(debug_assertions) {
        return;
    }
    let app = App::start(Backend::Sqlite).await;
    World::make(&app, "acme").await;
    let console = Console::sign_in(&app, true, "acme-owner").await;
    let axe = Axe::install().await;
    console.open("/console/parts").await;
    console.chrome.show_in("light", 1280).await;
    assert_eq!(console.chrome.asked(DENSITY).await, json!([36, 32, 32]));
    check(&console, &axe, "parts").await;
    // After the check, the window is narrow.
    let heights = console
        .chrome
        .asked(
            "return [...document.querySelectorAll('main button:not(.copy)')].filter(
        (button) => button.checkVisibility()).map(
        (button) => button.getBoundingClientRect().height).filter((height) => height < 44)",
        )
        .await;
    assert_eq!(heights, json!([]), "A finger needs 44 px.");
    let icons = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/pages/templates/icons")).unwrap();
    let icons = icons.filter(|file| file.as_ref().unwrap().path().extension().is_some_and(|end| end == "svg")).count();
    assert_eq!(console.chrome.asked("return document.querySelectorAll('.icons svg').length").await, json!(icons));
    console.quit().await;
}
