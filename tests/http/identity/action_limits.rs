//! Limits on sign-in attempts and similar actions: per account and per address, also for accounts that do not exist.

use serde_json::json;
use steward_domain::kernel::policy::LimitedAction;
use steward_tests::{App, Backend, Client, Mailbox, PASSWORD};

/// Settings with effectively unlimited request rates, so that only attempts are limited.
pub(crate) const SETTINGS: [(&str, &str); 3] = [
    ("STEWARD_RATE_LIMITS", "on"),
    ("STEWARD_RATE_SIGN_INS", "1000/s burst 10000"),
    ("STEWARD_TRUSTED_PROXIES", "127.0.0.1"),
];

async fn limited() -> App {
    App::start_with(Backend::Sqlite, &SETTINGS).await
}

/// Signs in from an address that a trusted proxy reports. Returns the status and the `Retry-After` header.
pub(crate) async fn log_in(app: &App, login: &str, password: &str, from: &str) -> (u16, String) {
    let body = json!({"username": login, "password": password});
    let headers = [("X-Forwarded-For", from)];
    let response = app.anonymous().send(reqwest::Method::POST, "/auth/login", Some(body), &headers).await;
    let wait = response.header("Retry-After").to_owned();
    if response.status == 429 {
        response.clone().refused(429, "too_many_requests");
    }
    (response.status.as_u16(), wait)
}

/// Sends requests until one is limited, and panics if none is. The parameter of `send` is the number of the request. On
/// a busy machine, more requests than the burst are allowed, because the limit is restored while they are processed.
async fn until_limited(action: LimitedAction, send: impl AsyncFnMut(u16) -> u16) {
    limited_within(3 * action.limit().burst, send).await;
}

/// Like [`until_limited`], with this maximum number of requests.
async fn limited_within(requests: u16, mut send: impl AsyncFnMut(u16) -> u16) {
    for number in 0..requests {
        if send(number).await == 429 {
            return;
        }
    }
    panic!("None of {requests} requests was limited.");
}

/// Guesses the password until a guess is limited. There are too few guesses for the limit per address, which applies
/// after more guesses.
async fn guess_until_limited(app: &App, login: &str, from: &str) {
    limited_within(LimitedAction::SignInTo.limit().burst, async |_| {
        let (status, wait) = log_in(app, login, "a wrong guess", from).await;
        assert!(status == 401 || status == 429 && wait.parse::<u32>().unwrap() > 0, "{login}: {status} {wait}");
        status
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn guesses_are_limited_per_account_whether_it_exists_or_not() {
    let app = limited().await;
    app.person("ann").await;
    for (login, from) in [("nobody", "192.0.2.2"), ("ann", "192.0.2.1")] {
        for _ in 0..LimitedAction::SignInTo.limit().burst {
            assert_eq!(log_in(&app, login, "a wrong guess", from).await.0, 401, "{login}");
        }
        guess_until_limited(&app, login, from).await;
    }
    let mut status = 0;
    for _ in 0..5 {
        status = log_in(&app, "ann", PASSWORD, "192.0.2.1").await.0;
        if status == 429 {
            break;
        }
        // One more attempt was allowed since the last guess.
        guess_until_limited(&app, "ann", "192.0.2.1").await;
    }
    assert_eq!(status, 429, "The correct password must be limited, too.");
    assert_eq!(log_in(&app, "ann", PASSWORD, "198.51.100.1").await.0, 200, "Other addresses must not be limited.");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_guesses_are_counted_before_they_are_verified() {
    let app = limited().await;
    app.person("ann").await;
    let guesses = (0..40).map(|guess| {
        let app = &app;
        async move { log_in(app, "ann", &format!("wrong guess {guess}"), "192.0.2.1").await.0 }
    });
    let results = futures_util::future::join_all(guesses).await;
    let verified = results.iter().filter(|status| **status == 401).count();
    assert!(verified <= usize::from(LimitedAction::SignInTo.limit().burst), "{results:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn guesses_are_limited_per_address_and_successful_sign_ins_are_not_counted() {
    let app = limited().await;
    app.person("ann").await;
    let burst = LimitedAction::SignInFrom.limit().burst;
    for _ in 0..burst + 5 {
        assert_eq!(log_in(&app, "ann", PASSWORD, "192.0.2.7").await.0, 200);
    }
    until_limited(LimitedAction::SignInFrom, async |guess: u16| {
        log_in(&app, &format!("someone{guess}"), "a wrong guess", "192.0.2.7").await.0
    })
    .await;
    assert_eq!(log_in(&app, "ann", PASSWORD, "192.0.2.8").await.0, 200, "Other addresses must not be limited.");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sign_ups_token_requests_and_authorization_requests_are_limited_per_address() {
    let app = limited().await;
    // This is the first sign-up of the burst.
    app.person("ann").await;
    let sign_up = async |number: u16| {
        let body = json!({"email": format!("p{number}@example.com"), "password": PASSWORD});
        app.anonymous().post("/auth/signup", body).await.status.as_u16()
    };
    let burst = LimitedAction::SignUpFrom.limit().burst;
    for number in 1..burst {
        assert_eq!(sign_up(number).await, 201, "Sign-up {number}");
    }
    until_limited(LimitedAction::SignUpFrom, async |number: u16| sign_up(burst + number).await).await;

    let client = Client::new(&app, "steward-cli");
    let login = json!({"username": "ann", "password": PASSWORD});
    let tokens = app.anonymous().post("/auth/login", login).await.ok();
    let guess = "stw_rt_0000000000000000000000000000000000000000000";
    for _ in 0..LimitedAction::TokenFrom.limit().burst {
        client.refresh(guess).await.refused(400, "invalid_grant");
    }
    until_limited(LimitedAction::TokenFrom, async |_| client.refresh(guess).await.status.as_u16()).await;
    client.refresh(tokens["refresh_token"].as_str().unwrap()).await.ok();
    until_limited(LimitedAction::AuthorizeFrom, async |_| {
        app.anonymous().get(&client.authorize(&[])).await.status.as_u16()
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_that_reached_the_email_limit_is_invited_by_link() {
    let mail = Mailbox::start().await;
    let settings = mail.settings();
    let mut settings: Vec<_> = settings.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    settings.push(("STEWARD_RATE_LIMITS", "on"));
    let app = App::start_with(Backend::Sqlite, &settings).await;
    let ann = app.person("ann").await;
    let team = ann.post("/team/", json!({"name": "Acme", "slug": "acme"})).await.created().id();
    let mut deliveries = Vec::new();
    for _ in 0..=LimitedAction::InviteTo.limit().burst {
        let invite = json!({"email": "new@example.com", "roles": "viewer"});
        let created = ann.post(&format!("/team/{team}/invite"), invite).await.created();
        deliveries.push(created["data"]["delivery"].as_str().unwrap().to_owned());
    }
    assert_eq!(deliveries, ["queued", "queued", "queued", "link"]);
    let other = json!({"email": "other@example.com", "roles": "viewer"});
    let other = ann.post(&format!("/team/{team}/invite"), other).await.created();
    assert_eq!(other["data"]["delivery"], "queued", "Other addresses must not be limited.");
}
