//! From the emailed link of an invite into the team, as a new person and in the browser of someone else.

use serde_json::json;
use steward_tests::{App, PASSWORD, World, on_both};

use super::Console;

/// Returns the emailed link of a new invite. Without a mail server it is in the log.
async fn emailed(app: &App, world: &World, email: &str) -> String {
    let invite = json!({"email": email, "roles": "viewer"});
    let id = world.owner.post(&format!("/team/{}/invite", world.team), invite).await.created().id();
    let log = app.complete_log().await;
    let found = log.split('"').rfind(|part| part.contains(&format!("/auth/invite?invite={id}.")));
    found.unwrap().strip_prefix(app.base.as_str()).unwrap().to_owned()
}

async fn join(app: &App, scripts: bool, name: &str) {
    let world = World::make(app, name).await;
    let email = format!("{name}-new@example.com");
    let link = emailed(app, &world, &email).await;
    // Someone else is signed in.
    world.member(app, &format!("{name}-member"), "viewer").await;
    let console = Console::sign_in(app, scripts, &format!("{name}-member")).await;
    console.open(&link).await;
    console.shows(&format!("This invite is for {email}")).await;
    console.press("Sign out and switch account", "Sign in").await;
    console.open(&link).await;
    console.shows(&format!("{name}-owner@example.com")).await;
    console.press("Create an account", "to join the team").await;
    let address = console.find("[id=email]").await;
    assert_eq!(address.value().await.unwrap().as_deref(), Some(email.as_str()));
    assert_eq!(address.attr("readonly").await.unwrap().as_deref(), Some("true"));
    console.enter("password", PASSWORD).await;
    console.chrome.click("Create account").await;
    console.shows("You are signed in as").await;
    console.press("Join the team", "You joined the team").await;
    console.press("Go to your teams and projects", name).await;
    console.quit().await;
}

on_both! {
    async fn an_invited_person_joins_from_the_emailed_link(app: &App) {
        tokio::join!(join(app, true, "red"), join(app, false, "blue"));
    }
}
