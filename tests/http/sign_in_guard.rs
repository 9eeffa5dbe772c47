//! Guesses at a password are counted by all replicas together, and never shut out who signed in from there before.

use std::time::Duration;

use serde_json::json;
use steward_domain::policy::LimitedAction;
use steward_tests::{App, Backend, Browser, PASSWORD, Page};

use crate::throttle::{SETTINGS, log_in};

async fn sign_in(browser: &Browser) -> Page {
    let page = browser.open("/auth/sign-in").await;
    browser.submit(&page, "/auth/sign-in", &[("login", "ann"), ("password", PASSWORD)]).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_slow_down_strangers_and_never_whoever_signed_in_from_there_before() {
    let app = App::start_with(Backend::Sqlite, &SETTINGS).await;
    app.person("ann").await;
    assert_eq!(log_in(&app, "ann", PASSWORD, "2001:db8:1:2::1").await.0, 200);
    let browser = Browser::new(&app);
    assert!(sign_in(&browser).await.is_at("/auth/sessions"));
    let page = browser.open("/auth/sign-out").await;
    browser.submit(&page, "/auth/sign-out", &[]).await;

    // Ten addresses guess, ten times each, and more of them until there is no more to guess.
    let burst = LimitedAction::SignInToAtAll.limit().burst;
    let mut limited = false;
    for guess in 0..3 * burst {
        limited = log_in(&app, "ann", "a wrong guess", &format!("192.0.2.{}", guess / 10)).await.0 == 429;
        if limited {
            break;
        }
    }
    assert!(limited);

    assert_eq!(log_in(&app, "ann", PASSWORD, "2001:db8:1:2:ffff::9").await.0, 200, "from a known network");
    let (mut status, mut wait) = log_in(&app, "ann", PASSWORD, "198.51.100.77").await;
    assert_eq!(status, 429, "a stranger with the right password is slowed down");
    for _ in 0..5 {
        tokio::time::sleep(Duration::from_secs(wait.parse().unwrap())).await;
        (status, wait) = log_in(&app, "ann", PASSWORD, "198.51.100.77").await;
        if status == 200 {
            break;
        }
    }
    assert_eq!(status, 200, "and gets in");
    assert_eq!(log_in(&app, "ann", PASSWORD, "198.51.100.77").await.0, 200, "and is known from then on");

    // Somebody behind the owner's own address uses up what may be guessed from there.
    let mut last = 0;
    for _ in 0..3 * LimitedAction::SignInTo.limit().burst {
        let guess = json!({"username": "ann", "password": "a wrong guess"});
        last = app.anon().post("/auth/login", guess).await.status.as_u16();
        if last == 429 {
            break;
        }
    }
    assert_eq!(last, 429);
    assert_eq!(sign_in(&Browser::new(&app)).await.status.as_u16(), 429, "a browser that nobody knows");
    assert!(sign_in(&browser).await.is_at("/auth/sessions"), "the owner's browser");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_count_guesses_together() {
    let first = App::start_with(Backend::Postgres, &SETTINGS).await;
    let mut settings = SETTINGS.to_vec();
    let url = first.database().url();
    settings.push(("DATABASE_URL", &url));
    let second = App::start_with(Backend::Sqlite, &settings).await;
    first.person("ann").await;
    let mut judged = 0;
    for _ in 0..LimitedAction::SignInTo.limit().burst {
        for replica in [&first, &second] {
            judged += usize::from(log_in(replica, "ann", "a wrong guess", "192.0.2.1").await.0 == 401);
        }
    }
    // One more is allowed each half minute.
    assert!((10..=13).contains(&judged), "{judged} guesses were judged");
    assert_eq!(log_in(&second, "ann", PASSWORD, "198.51.100.1").await.0, 200, "nobody is shut out elsewhere");
}
