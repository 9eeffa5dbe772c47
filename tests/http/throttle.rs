//! What is tried too often is slowed down: by account, by address, and the same for accounts that do not exist.

use serde_json::json;
use steward_domain::policy::Attempt;
use steward_tests::{App, Backend, Client, PASSWORD};

async fn limited() -> App {
    App::start_with(Backend::Sqlite, &[("STEWARD_RATE_LIMITS", "on"), ("STEWARD_TRUSTED_PROXIES", "127.0.0.1")]).await
}

/// Signs in from an address, as a trusted proxy tells it.
async fn log_in(app: &App, login: &str, password: &str, from: &str) -> (u16, String) {
    let body = json!({"username": login, "password": password});
    let headers = [("X-Forwarded-For", from)];
    let answer = app.anon().send(reqwest::Method::POST, "/auth/login", Some(body), &headers).await;
    let wait = answer.header("Retry-After").to_owned();
    if answer.status == 429 {
        answer.clone().refused(429, "too_many_requests");
    }
    (answer.status.as_u16(), wait)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_account_is_guessed_at_only_so_often_from_wherever_it_exists_or_not() {
    let app = limited().await;
    app.person("ann").await;
    let burst = Attempt::SignInTo.limit().0;
    for login in ["ann", "nobody"] {
        let mut seen = Vec::new();
        for guess in 0..=burst {
            seen.push(log_in(&app, login, "a wrong guess", &format!("192.0.2.{guess}")).await);
        }
        let last = seen.pop().unwrap();
        assert!(seen.iter().all(|(status, _)| *status == 401), "{login}: {seen:?}");
        assert_eq!(last.0, 429, "{login}");
        assert!(last.1.parse::<u32>().unwrap() > 0);
    }
    assert_eq!(log_in(&app, "ann", PASSWORD, "198.51.100.1").await.0, 429, "the right guess waits too");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn guesses_at_once_are_counted_before_they_are_judged() {
    let app = limited().await;
    app.person("ann").await;
    let guesses = (0..40).map(|guess| {
        let (app, from) = (&app, format!("192.0.2.{guess}"));
        async move { log_in(app, "ann", "a wrong guess", &from).await.0 }
    });
    let seen = futures_util::future::join_all(guesses).await;
    let judged = seen.iter().filter(|status| **status == 401).count();
    assert!(judged <= usize::from(Attempt::SignInTo.limit().0), "{seen:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_guesses_only_so_often_and_who_signs_in_well_is_not_counted() {
    let app = limited().await;
    app.person("ann").await;
    let burst = Attempt::SignInFrom.limit().0;
    for _ in 0..burst + 5 {
        assert_eq!(log_in(&app, "ann", PASSWORD, "192.0.2.7").await.0, 200);
    }
    let mut last = 0;
    for guess in 0..=burst {
        last = log_in(&app, &format!("somebody{guess}"), "a wrong guess", "192.0.2.7").await.0;
    }
    assert_eq!(last, 429);
    assert_eq!(log_in(&app, "ann", PASSWORD, "192.0.2.8").await.0, 200, "another address is another guesser");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn signing_up_tokens_and_requests_are_counted_by_address() {
    let app = limited().await;
    let mut statuses = Vec::new();
    for number in 0..=Attempt::SignUpFrom.limit().0 {
        let body = json!({"email": format!("p{number}@example.com"), "password": PASSWORD});
        statuses.push(app.anon().post("/auth/signup", body).await.status.as_u16());
    }
    assert_eq!(statuses.pop(), Some(429));
    assert!(statuses.iter().all(|status| *status == 201), "{statuses:?}");

    let client = Client::new(&app, "steward-cli");
    let guess = "stw_rt_0000000000000000000000000000000000000000000";
    for _ in 0..Attempt::TokenFrom.limit().0 {
        client.refresh(guess).await.refused(400, "invalid_grant");
    }
    let mut refused = 0;
    for _ in 0..20 {
        refused += usize::from(client.refresh(guess).await.status == 429);
    }
    assert!(refused > 0);
    let mut last = 302;
    for _ in 0..=Attempt::AuthorizeFrom.limit().0 + 20 {
        last = app.anon().get(&client.authorize(&[])).await.status.as_u16();
    }
    assert_eq!(last, 429);
}
