//! Request rate limits: per credential, per account in the console, and per address for callers without one. Each
//! response contains the remaining quota.

use reqwest::Method;
use serde_json::json;
use steward_tests::{Actor, Answer, App, Backend, Browser, World};

/// Starts a service with small limits that barely refill during a test.
async fn limited(more: &[(&str, &str)]) -> App {
    let mut settings = vec![
        ("STEWARD_RATE_LIMITS", "on"),
        ("STEWARD_TRUSTED_PROXIES", "127.0.0.1"),
        ("STEWARD_RATE_READS", "1/m burst 8"),
        ("STEWARD_RATE_WRITES", "1/m burst 1000"),
        ("STEWARD_RATE_COSTLY", "1/m burst 1000"),
        ("STEWARD_RATE_SIGN_INS", "10/s burst 100"),
    ];
    settings.extend(more);
    App::start_with(Backend::Sqlite, &settings).await
}

async fn get_from(actor: &Actor, path: &str, address: &str) -> Answer {
    actor.send(Method::GET, path, None, &[("X-Forwarded-For", address)]).await
}

/// Sends reads until one is rate limited. Returns the number of successful reads.
async fn reads_until_limited(actor: &Actor, path: &str, address: &str) -> usize {
    for count in 0..20 {
        if get_from(actor, path, address).await.status == 429 {
            return count;
        }
    }
    panic!("No request was rate limited.")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_credential_has_its_own_limit_separate_from_its_address() {
    let app = limited(&[]).await;
    let (ann, bob) = (app.person("ann").await, app.person("bob").await);
    let home = "192.0.2.1";
    for actor in [&ann, &bob] {
        // A credential counts by address until it was authenticated once.
        get_from(actor, "/team/", home).await.ok();
    }
    assert_eq!(reads_until_limited(&ann, "/team/", home).await, 8);
    assert_eq!(reads_until_limited(&bob, "/team/", "192.0.2.9").await, 8, "The limit is per credential.");
    assert_eq!(
        reads_until_limited(&app.anonymous(), "/utils/slugify?slug=x", home).await,
        2,
        "Half the limit, minus 2."
    );
    assert_eq!(
        reads_until_limited(&app.bearer("stw_sk_unknown"), "/team/", "192.0.2.2").await,
        4,
        "Counted by address."
    );
}

/// Opens a path from an address until a request is rate limited. `cookie` returns the cookie of each request. Returns
/// the number of requests before.
async fn requests_until_limited(app: &App, path: &str, address: &str, cookie: impl Fn(usize) -> String) -> usize {
    for count in 0..20 {
        let cookie = cookie(count);
        let headers = [("X-Forwarded-For", address), ("Cookie", cookie.as_str())];
        if app.anonymous().send(Method::GET, path, None, &headers).await.status == 429 {
            return count;
        }
    }
    panic!("No request was rate limited.")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_account_in_the_console_has_its_own_limit_and_an_invented_cookie_has_none() {
    let app = limited(&[("STEWARD_RATE_READS", "1/m burst 16")]).await;
    for username in ["ann", "bob"] {
        app.person(username).await;
    }
    // Signing in opens two pages from the address, and then one as the account.
    let (first, second) = (Browser::signed_in(&app, "ann").await, Browser::signed_in(&app, "ann").await);
    let bob = Browser::signed_in(&app, "bob").await;
    let (page, office) = ("/console/search", "192.0.2.1");
    assert_eq!(requests_until_limited(&app, page, office, |_| first.cookie_header()).await, 14);
    let by_session = requests_until_limited(&app, page, "192.0.2.2", |_| second.cookie_header()).await;
    assert_eq!(by_session, 0, "All sessions of an account share its limit.");
    let by_account = requests_until_limited(&app, page, office, |_| bob.cookie_header()).await;
    assert_eq!(by_account, 15, "The limit is per account.");

    let invented = |count: usize| format!("steward=invented-{count}");
    assert_eq!(requests_until_limited(&app, page, office, invented).await, 8, "Counted by address.");
    let of_api = requests_until_limited(&app, "/utils/slugify?slug=x", "192.0.2.3", |_| bob.cookie_header()).await;
    assert_eq!(of_api, 8, "The API does not accept the cookie.");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_ipv6_64_bit_network_counts_as_one_address() {
    let app = limited(&[]).await;
    let anon = app.anonymous();
    for host in 1..=4 {
        get_from(&anon, "/utils/slugify?slug=x", &format!("2001:db8:1:2::{host}")).await.ok();
    }
    get_from(&anon, "/utils/slugify?slug=x", "2001:db8:1:2:ffff::9").await.refused(429, "too_many_requests");
    get_from(&anon, "/utils/slugify?slug=x", "2001:db8:1:3::1").await.ok();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_response_contains_the_remaining_quota_and_a_rejection_the_retry_time() {
    let app = limited(&[("STEWARD_RATE_READS", "1/m burst 4")]).await;
    let anon = app.anonymous();
    let first = anon.get("/utils/slugify?slug=x").await;
    assert_eq!(first.header("RateLimit-Policy"), "\"reads\";q=2;w=240");
    assert_eq!(first.header("RateLimit"), "\"reads\";r=1;t=120");
    let missing = anon.get("/nowhere").await;
    assert_eq!((missing.status.as_u16(), missing.header("RateLimit")), (404, "\"reads\";r=0;t=240"));

    let refused = anon.get("/utils/slugify?slug=x").await;
    // The wait is two minutes less the time since the first request.
    let retry_after = refused.header("Retry-After").parse::<u32>().unwrap();
    assert!((60..=120).contains(&retry_after), "{retry_after}");
    assert_eq!(refused.header("RateLimit"), "\"reads\";r=0;t=240");
    assert_eq!(refused.header("Access-Control-Allow-Origin"), "*", "Scripts must be able to read the error.");
    assert!(!refused.header("X-Request-Id").is_empty());
    refused.refused(429, "too_many_requests");

    let page = anon.send(Method::GET, "/auth/sign-in", None, &[("Accept", "text/html")]).await;
    assert_eq!(page.status, 429);
    assert!(page.header("Content-Type").starts_with("text/html"), "Browsers must get a page.");
    assert!(!page.header("Retry-After").is_empty());
    for _ in 0..10 {
        let probe = anon.get("/health/ready").await;
        assert_eq!((probe.status.as_u16(), probe.header("RateLimit")), (200, ""), "Health probes are not limited.");
    }
    let form = anon.post("/auth/login", json!({"username": "ann", "password": "x"})).await;
    assert_eq!(form.header("RateLimit-Policy"), "\"sign-ins\";q=100;w=10");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_of_many_operations_counts_as_several_writes() {
    let app = limited(&[("STEWARD_RATE_READS", "1000/s burst 1000"), ("STEWARD_RATE_WRITES", "1/m burst 200")]).await;
    let world = World::make(&app, "acme").await;
    let path = world.notes();
    let operation = |index: usize| json!({"op": "put", "id": format!("i{index}"), "value": {"title": "x"}});
    let batch = json!({"operations": (0..100).map(operation).collect::<Vec<_>>()});
    let remaining = |response: &Answer| {
        let header = response.header("RateLimit").to_owned();
        header.trim_start_matches("\"writes\";r=").split(';').next().unwrap().parse::<u32>().unwrap()
    };
    world.key.get(&path).await.ok();
    let one = world.key.post(&path, json!({"value": {"title": "x"}})).await;
    let many = world.key.post(&format!("{path}/batch"), batch.clone()).await;
    assert_eq!(many.status, 200);
    assert_eq!(remaining(&one) - remaining(&many), 11);
    let mut last = many;
    while last.status == 200 {
        last = world.key.post(&format!("{path}/batch"), batch.clone()).await;
    }
    assert_eq!(remaining(&last), 0);
    last.refused(429, "too_many_requests");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn uploads_and_imports_in_the_console_count_as_in_the_api() {
    let app = limited(&[("STEWARD_RATE_READS", "1000/s burst 1000"), ("STEWARD_RATE_WRITES", "1/m burst 1000")]).await;
    let world = World::make(&app, "acme").await;
    let browser = Browser::signed_in(&app, "acme-owner").await;
    let project = format!("/console/projects/{}", world.project);
    let client = json!({"name": "Shop", "type": "public", "redirect_uris": ["https://shop.example/"]});
    let client = world.owner.post(&format!("/project/{}/client", world.project), client).await.created().id();
    let (icon, logo) = (format!("{project}/images/icon"), format!("{project}/clients/{client}/logo"));
    let import = format!("{project}/users/{}/tables/notes/import", world.user);
    let upload = async |image: &str| {
        let form = browser.open(image).await;
        // Without a file. A form that is refused is not redirected, so that its own headers are seen.
        let refused = browser.submit(&form, image, &[]).await;
        let header = refused.headers["ratelimit"].to_str().unwrap().to_owned();
        assert_eq!(refused.status, 400, "{refused}");
        header.trim_start_matches("\"writes\";r=").split(';').next().unwrap().parse::<u32>().unwrap()
    };
    let first = upload(&icon).await;
    let second = upload(&icon).await;
    assert_eq!((first - second, second - upload(&logo).await), (10, 10));

    let lines = "{\"title\": \"x\"}\n".repeat(100);
    let form = browser.open(&import).await;
    for (action, cost) in [("check", 0), ("import", 11)] {
        let before = upload(&icon).await;
        let values = [("format", "ndjson"), ("lines", lines.as_str()), ("action", action)];
        assert_eq!(browser.submit(&form, &import, &values).await.status, 200);
        assert_eq!(before - upload(&icon).await, 10 + cost, "{action}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn disabled_rate_limits_neither_limit_nor_report() {
    let app = App::start_with(Backend::Sqlite, &[("STEWARD_RATE_READS", "1/m burst 1")]).await;
    for _ in 0..3 {
        assert_eq!(app.anonymous().get("/utils/slugify?slug=x").await.header("RateLimit"), "");
    }
}
