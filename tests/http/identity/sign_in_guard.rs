//! Guesses of passwords, codes, tokens and links are counted across all replicas. Password guesses never lock out a
//! person who signed in from a known network or browser before.

use std::ops::Range;
use std::time::{Duration, Instant};

use serde_json::json;
use steward_domain::kernel::policy::LimitedAction;
use steward_tests::{App, Backend, Browser, Client, PASSWORD, Page};

use steward_tests::Mailbox;

use crate::identity::action_limits::{SETTINGS, log_in};

async fn sign_in(browser: &Browser) -> Page {
    let page = browser.open("/auth/sign-in").await;
    browser.submit(&page, "/auth/sign-in", &[("login", "ann"), ("password", PASSWORD)]).await
}

/// Guesses from several addresses, ten times each, until the limit of all addresses is reached.
async fn guess_until_limited(app: &App, guesses: &mut Range<u16>) {
    for guess in guesses {
        if log_in(app, "ann", "a wrong guess", &format!("192.0.2.{}", guess / 10)).await.0 == 429 {
            return;
        }
    }
    panic!("The guesses were not limited.");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn guesses_of_strangers_limit_strangers_but_not_known_networks_and_browsers() {
    let app = App::start_with(Backend::Sqlite, &SETTINGS).await;
    app.person("ann").await;
    assert_eq!(log_in(&app, "ann", PASSWORD, "2001:db8:1:2::1").await.0, 200);
    let browser = Browser::new(&app);
    assert!(sign_in(&browser).await.is_at("/console/start"));
    let page = browser.open("/auth/sign-out").await;
    browser.submit(&page, "/auth/sign-out", &[]).await;

    let mut guesses = 0..3 * LimitedAction::SignInToAnywhere.limit().burst;
    let (mut status, mut wait, mut unknown) = (0, String::new(), String::new());
    for host in 1..=5 {
        guess_until_limited(&app, &mut guesses).await;
        unknown = format!("198.51.100.{host}");
        (status, wait) = log_in(&app, "ann", PASSWORD, &unknown).await;
        if status == 429 {
            break;
        }
        // One more attempt was allowed since the last guess.
    }
    assert_eq!(status, 429, "An unknown network must be limited even with the correct password.");
    assert_eq!(log_in(&app, "ann", PASSWORD, "2001:db8:1:2:ffff::9").await.0, 200, "The network is known.");
    for _ in 0..5 {
        tokio::time::sleep(Duration::from_secs(wait.parse().unwrap())).await;
        (status, wait) = log_in(&app, "ann", PASSWORD, &unknown).await;
        if status == 200 {
            break;
        }
    }
    assert_eq!(status, 200, "The sign-in must succeed after the wait.");
    assert_eq!(log_in(&app, "ann", PASSWORD, &unknown).await.0, 200, "The network is known now.");

    // Guesses from the owner's own address use up its limit.
    let mut last = 0;
    for _ in 0..3 * LimitedAction::SignInTo.limit().burst {
        let guess = json!({"username": "ann", "password": "a wrong guess"});
        last = app.anonymous().post("/auth/login", guess).await.status.as_u16();
        if last == 429 {
            break;
        }
    }
    assert_eq!(last, 429);
    assert_eq!(sign_in(&Browser::new(&app)).await.status.as_u16(), 429, "An unknown browser must be limited.");
    assert!(sign_in(&browser).await.is_at("/console/start"), "The owner's browser must not be limited.");
}

/// Guesses until a new browser of Ann is refused. Returns the page that refuses it.
async fn locked_out(app: &App, browser: &Browser) -> Page {
    let mut guesses = 0..3 * LimitedAction::SignInToAnywhere.limit().burst;
    loop {
        guess_until_limited(app, &mut guesses).await;
        let page = browser.open("/auth/sign-in").await;
        let values = [("login", "ann@example.com"), ("password", "a wrong guess")];
        let refused = browser.submit(&page, "/auth/sign-in", &values).await;
        if refused.status == 429 {
            return refused;
        }
        // One more attempt was allowed since the last guess.
    }
}

async fn a_locked_out_person_signs_in_by_email(backend: Backend) {
    let mail = Mailbox::start().await;
    let mail_settings = mail.settings();
    let mut settings = SETTINGS.to_vec();
    settings.extend(mail_settings.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    let app = App::start_with(backend, &settings).await;
    app.provision("ann").await;

    let browser = Browser::new(&app);
    let refused = locked_out(&app, &browser).await;
    assert!(refused.text().contains("You do not have to wait"), "{refused}");
    let sent = browser.submit(&refused, "/auth/forgot-password", &[]).await;
    assert_eq!(sent.heading(), "Check your email");
    let link = mail.nth_to("ann@example.com", 1).await.link();
    // Someone else uses up the limit of emails to Ann. The link that she has still works.
    let eve = Browser::new(&app);
    for _ in 0..3 * LimitedAction::EmailTo.limit().burst {
        let page = eve.open("/auth/forgot-password").await;
        eve.submit(&page, "/auth/forgot-password", &[("email", "ann@example.com")]).await;
    }
    let page = browser.open(&link).await;
    let signed_in = browser.submit(&page, "/auth/reset-password", &[("sign_in", "true")]).await;
    assert!(signed_in.is_at("/console/start"), "{signed_in}");
    assert_eq!(Browser::new(&app).open(&link).await.status, 404, "The link works once.");

    let page = browser.open("/auth/sign-out").await;
    browser.submit(&page, "/auth/sign-out", &[]).await;
    locked_out(&app, &Browser::new(&app)).await;
    assert!(sign_in(&browser).await.is_at("/console/start"), "The browser is known, and the password is the same.");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_locked_out_person_signs_in_by_email_on_sqlite() {
    a_locked_out_person_signs_in_by_email(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_locked_out_person_signs_in_by_email_on_postgres() {
    a_locked_out_person_signs_in_by_email(Backend::Postgres).await;
}

/// Starts two services on one database. The second one is dropped first, because the first one owns the database.
async fn replicas() -> [App; 2] {
    let first = App::start_with(Backend::Postgres, &SETTINGS).await;
    let mut settings = SETTINGS.to_vec();
    let url = first.database().url();
    settings.push(("DATABASE_URL", &url));
    let second = App::start_with(Backend::Sqlite, &settings).await;
    [second, first]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_count_guesses_together() {
    let replicas = replicas().await;
    replicas[0].person("ann").await;
    let mut verified = 0;
    for _ in 0..LimitedAction::SignInTo.limit().burst {
        for replica in &replicas {
            verified += usize::from(log_in(replica, "ann", "a wrong guess", "192.0.2.1").await.0 == 401);
        }
    }
    // One more guess is allowed every 30 seconds.
    assert!((10..=13).contains(&verified), "{verified} guesses were verified.");
    let status = log_in(&replicas[1], "ann", PASSWORD, "198.51.100.1").await.0;
    assert_eq!(status, 200, "Other addresses must not be limited.");
}

/// Asserts that the replicas together accepted as many attempts as one limit allows: its burst, and what it has
/// restored since.
fn assert_shared(action: LimitedAction, accepted: usize, since: Instant) {
    let limit = action.limit();
    let restored = since.elapsed().as_millis() / u128::try_from(limit.interval.num_milliseconds()).unwrap();
    let burst = usize::from(limit.burst);
    let allowed = burst..=burst + usize::try_from(restored).unwrap() + 1;
    assert!(allowed.contains(&accepted), "{}: {accepted} attempts were accepted, not {allowed:?}.", action.as_str());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_count_invalid_codes_and_tokens_together() {
    let replicas = replicas().await;
    let (mut accepted, began) = (0, Instant::now());
    for number in 0..LimitedAction::TokenFrom.limit().burst {
        for replica in &replicas {
            let client = Client::new(replica, "steward-cli");
            let response = if number % 2 == 0 {
                client.redeem("stw_ac_0000000000000000000000000000000000000000000", &[]).await
            } else {
                client.refresh("stw_rt_0000000000000000000000000000000000000000000").await
            };
            accepted += usize::from(response.status == 400);
        }
    }
    assert_shared(LimitedAction::TokenFrom, accepted, began);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_count_requests_for_email_links_together() {
    let replicas = replicas().await;
    let (mut accepted, began) = (0, Instant::now());
    for number in 0..LimitedAction::EmailFrom.limit().burst {
        for (index, replica) in replicas.iter().enumerate() {
            let browser = Browser::new(replica);
            let page = browser.open("/auth/forgot-password").await;
            let email = format!("person-{number}-{index}@example.com");
            let sent = browser.submit(&page, "/auth/forgot-password", &[("email", &email)]).await;
            accepted += usize::from(sent.status == 200);
        }
    }
    assert_shared(LimitedAction::EmailFrom, accepted, began);
}
