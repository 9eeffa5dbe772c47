//! What protects accounts and their data: the link of the operator, the confirmation with the password, the way around
//! a lock-out, and addresses that only some apps see.

use reqwest::Method;
use serde_json::json;
use steward_tests::{App, Backend, Client, Mailbox, PASSWORD, World, eventually, on_both};

use super::Console;

/// Widens the authority of a webhook after the sign-in has become old.
async fn confirm(app: &App, scripts: bool, name: &str) {
    let world = World::make(app, name).await;
    let console = Console::sign_in(app, scripts, &format!("{name}-owner")).await;
    let webhooks = format!("/project/{}/webhook", world.project);
    let hook = json!({"url": "https://example.com/before", "events": ["schema.created"]});
    let id = world.owner.post(&webhooks, hook).await.created().id();
    app.age_sessions();
    console.open(&format!("/console/projects/{}/webhooks/{id}/edit", world.project)).await;
    console.enter("url", "https://example.com/after").await;
    console.press("Save", "Your input is kept.").await;
    console.enter("confirm_password", "not the password").await;
    console.press("Continue", "The password is wrong. Try again.").await;
    console.enter("confirm_password", PASSWORD).await;
    console.press("Continue", "The webhook was changed.").await;
    console.shows("https://example.com/after").await;
    console.shows("schema.created").await;
    console.quit().await;
}

/// Shows, finds and hides the address of a user.
async fn see_addresses(app: &App, scripts: bool, name: &str) {
    let world = World::make(app, name).await;
    let (client, email) = (Client::of(app, &world), format!("{name}-visitor@example.com"));
    let console = Console::sign_in(app, scripts, &format!("{name}-owner")).await;
    let users = format!("/console/projects/{}/users", world.project);
    client.tokens(app, &format!("{name}-visitor"), &[("scope", "openid profile app:db:write")]).await;
    console.open(&users).await;
    console.shows("did not request the scope email").await;
    console.press(&format!("{name}-visitor"), "did not grant the scope email").await;
    client.tokens(app, &format!("{name}-visitor"), &[("scope", "openid profile email app:db:write")]).await;
    console.open(&users).await;
    console.shows(&email).await;
    console.enter("q", &email).await;
    console.press("Search", "Users found").await;
    console.shows(&email).await;
    console.press(&format!("{name}-visitor"), &email).await;
    console.quit().await;
}

on_both! {
    async fn a_change_that_widens_authority_asks_for_the_password(app: &App) {
        tokio::join!(confirm(app, true, "red"), confirm(app, false, "blue"));
    }

    async fn the_address_of_a_user_is_shown_and_found_where_it_was_granted(app: &App) {
        tokio::join!(see_addresses(app, true, "red"), see_addresses(app, false, "blue"));
    }
}

/// Sets up a new service with the link in its log.
async fn set_up(backend: Backend, scripts: bool) {
    let app = App::start_empty(backend, &[]).await;
    let path = eventually(async || {
        let log = app.log();
        let (token, _) = log.split("/auth/sign-up?operator=").nth(1)?.split_once(|c: char| !c.is_ascii_hexdigit())?;
        Some(format!("/auth/sign-up?operator={token}"))
    })
    .await;
    let stranger = Console::start(&app, scripts).await;
    for page in ["/auth/sign-up", "/auth/sign-in"] {
        stranger.open(page).await;
        stranger.chrome.reaches("This service has not been set up").await;
    }
    let operator = Console::start(&app, scripts).await;
    operator.open(&path).await;
    operator.enter("email", "ann@example.com").await;
    operator.enter("password", PASSWORD).await;
    operator.chrome.click("Create account").await;
    operator.shows("1. Name a team").await;
    operator.open("/console/operator").await;
    operator.chrome.reaches("Health").await;
    stranger.open(&path).await;
    stranger.chrome.reaches("This link is no longer valid").await;
    stranger.open("/auth/sign-up").await;
    stranger.chrome.reaches("Create an account").await;
    // The statuses of the pages that refuse are errors of the console of the browser.
    stranger.chrome.quit().await;
    operator.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_service_is_set_up_with_its_link_only() {
    tokio::join!(set_up(Backend::Sqlite, true), set_up(Backend::Postgres, false));
}

/// Guesses from many networks until a new browser is refused, and signs in with the emailed link.
async fn sign_in_by_email(backend: Backend, scripts: bool) {
    let mail = Mailbox::start().await;
    let mail_settings = mail.settings();
    let mut settings = vec![
        ("STEWARD_RATE_LIMITS", "on"),
        ("STEWARD_RATE_SIGN_INS", "1000/s burst 10000"),
        ("STEWARD_TRUSTED_PROXIES", "127.0.0.1"),
    ];
    settings.extend(mail_settings.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    let app = App::start_with(backend, &settings).await;
    app.provision("ann").await;
    let console = Console::start(&app, scripts).await;
    let guess = async |number: u32| {
        let body = json!({"username": "ann", "password": "a wrong guess"});
        let from = format!("192.0.2.{}", number / 10);
        app.anonymous().send(Method::POST, "/auth/login", Some(body), &[("X-Forwarded-For", &from)]).await.status
    };
    let mut numbers = 0..5_000;
    // An attempt is allowed again after some time, so the form is ready when the last guess is refused.
    loop {
        console.open("/auth/sign-in").await;
        console.chrome.fill("Email or username", "ann@example.com").await;
        console.chrome.fill("Password", "a wrong guess").await;
        while guess(numbers.next().expect("The guesses were not limited.")).await != 429 {}
        console.chrome.click("Sign in").await;
        if console.chrome.text().await.contains("You do not have to wait") {
            break;
        }
    }
    console.chrome.click("Email me a sign-in link").await;
    console.chrome.reaches("Check your email").await;
    let link = mail.nth_to("ann@example.com", 1).await.link();
    console.chrome.open(&link).await;
    console.chrome.click("Sign in without a new password").await;
    console.shows("1. Name a team").await;
    console.chrome.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_locked_out_person_signs_in_by_email() {
    tokio::join!(sign_in_by_email(Backend::Sqlite, true), sign_in_by_email(Backend::Postgres, false));
}
