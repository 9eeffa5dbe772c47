//! Importing a large file: its progress, its report, and canceling it.

use std::time::Duration;

use steward_tests::{App, World, on_both};

use super::Console;

/// Writes a file and chooses it. Its name belongs to this world: the browser refuses a file that changes afterwards.
async fn choose(console: &Console, app: &App, world: &World, name: &str, text: &str) {
    let table = format!("/console/projects/{}/users/{}/tables/notes", world.project, world.user);
    let file = app.directory().join(format!("{}-{name}", world.project));
    std::fs::write(&file, text).unwrap();
    console.open(&format!("{table}/import")).await;
    console.find("[id=file]").await.send_keys(file.to_str().unwrap()).await.unwrap();
}

async fn import(app: &App, scripts: bool, name: &str) {
    let world = World::make(app, name).await;
    let console = Console::sign_in(app, scripts, &format!("{name}-owner")).await;
    let lines: String = (0..4_999).map(|n| format!("T{n},{n}\n")).collect();
    choose(&console, app, &world, "notes.csv", &format!("title,rank\n{lines}Last,many\n")).await;
    console.press("Import", "Status").await;
    // The page is not opened again: it shows by itself how far the import is.
    console.shows("Done: 4999 items were imported. 1 line does not fit.").await;
    console.shows("Field rank must be a number").await;
    let report = console.find("a[download]").await.attr("href").await.unwrap().unwrap();
    assert!(report.ends_with("/report"), "{report}");
    console.press("View the items", "T0").await;

    let many = "{\"title\": \"A\"}\n".repeat(60_000);
    choose(&console, app, &world, "many.ndjson", &many).await;
    console.select("[id=format-ndjson]").await;
    console.press("Import", "Cancel the import").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    console.click("[id=cancel]").await;
    console.shows("Canceled:").await;
    console.quit().await;
}

on_both! {
    async fn the_progress_of_a_large_import_is_shown_with_and_without_scripts(app: &App) {
        tokio::join!(import(app, true, "red"), import(app, false, "blue"));
    }
}
