//! Limits on the memory that request bodies take, and work that must not run on the threads that serve requests.

use std::time::Duration;

use futures_util::stream::{self, StreamExt as _};
use reqwest::Method;
use serde_json::{Value, json};
use steward_tests::{App, Backend, Browser, World, eventually, on_both};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Number of bytes of each large body.
const LARGE: usize = 1_000_000;
/// Number of large bodies that almost fill the memory of one caller.
const HELD: usize = 33;
/// Number of bodies that stall at the same time.
const STALLED: usize = 400;
/// Maximum memory of a connection without the body that is counted, in KiB.
const MAX_CONNECTION_KIB: u64 = 128;
/// How long the service may take to receive bodies on a slow machine.
const STALL: Duration = Duration::from_secs(20);

/// Sends a request whose body lacks its last byte.
pub(crate) async fn unfinished_request(app: &App) -> TcpStream {
    let address = app.base.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = format!(
        "POST /auth/signup HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        LARGE + 1
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(&vec![b' '; LARGE]).await.unwrap();
    stream
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_that_fills_its_memory_for_bodies_is_refused_and_others_are_not() {
    let app = App::start(Backend::Sqlite).await;
    let (world, anon) = (World::make(&app, "acme").await, app.anonymous());
    let path = format!("/project/{}/user/connect", world.project);
    let token = |bytes: usize| json!({"token": "x".repeat(bytes)});
    let mut held = Vec::new();
    for _ in 0..HELD {
        held.push(unfinished_request(&app).await);
    }

    // The service receives the bodies in the background. On a slow machine it may close some of them before it has the
    // others, so more follow.
    let is_refused = async || {
        let response = anon.post(&path, token(LARGE)).await;
        if response.status == 503 {
            return Some(response);
        }
        held.push(unfinished_request(&app).await);
        None
    };
    let refused = eventually(is_refused).await;
    assert_eq!(refused.header("Retry-After"), "5");
    refused.refused(503, "too_many_in_flight");
    assert_ne!(anon.post(&path, token(100)).await.status, 503, "A small body needs no share.");
    world.key.get(&world.item("first")).await.ok();
    assert_ne!(world.key.post(&path, token(LARGE)).await.status, 503, "Another caller has a share.");

    drop(held);
    let is_accepted = async || Some(anon.post(&path, token(LARGE)).await).filter(|response| response.status != 503);
    eventually(is_accepted).await;
}

/// Resident memory of the service in MiB, without its files.
fn resident(app: &App) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", app.process_id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
}

/// Sends a form or document of an account, without its last byte.
async fn stalled(app: &App, head: &str) -> TcpStream {
    let address = app.base.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = format!("{head}\r\nHost: {address}\r\nContent-Length: {}\r\n\r\n", LARGE + 1);
    stream.write_all(head.as_bytes()).await.unwrap();
    // What the service does not receive waits in the socket.
    timeout(STALL, stream.write_all(&vec![b'a'; LARGE])).await.ok();
    stream
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stalled_forms_of_an_account_take_little_more_than_its_memory() {
    let app = App::start(Backend::Sqlite).await;
    let owner = app.person("olga").await;
    let browser = Browser::new(&app);
    browser.allow(browser.open("/auth/sign-in").await, "olga").await;
    owner.get("/team").await.ok();
    let credential = owner.credential.clone().unwrap();
    let heads = [
        format!("POST /project HTTP/1.1\r\nContent-Type: application/json\r\nAuthorization: Bearer {credential}"),
        format!(
            "POST /console/teams HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\nCookie: {}",
            browser.cookie_header()
        ),
        // A body that nothing reads.
        format!("GET /team HTTP/1.1\r\nAuthorization: Bearer {credential}"),
    ];
    let before = resident(&app);
    let held: Vec<_> = (0..STALLED).map(|number| stalled(&app, &heads[number % heads.len()])).collect();
    let held: Vec<TcpStream> = stream::iter(held).buffer_unordered(STALLED).collect().await;
    let during = resident(&app);
    // 32 MiB of bodies, and what each connection takes.
    let limit = 32 + u64::try_from(STALLED).unwrap() * MAX_CONNECTION_KIB / 1024;
    assert!(during < before + limit, "{before} MiB before, {during} MiB during");
    drop(held);
    let is_returned = async || (resident(&app) < before + limit / 2).then_some(());
    eventually(is_returned).await;
}

/// Returns how many jobs have run on compute threads.
async fn compute_jobs(app: &App, metrics: &str) -> u64 {
    let text = app.client.get(format!("http://{metrics}/metrics")).send().await.unwrap().text().await.unwrap();
    let count = text.lines().find_map(|line| line.strip_prefix("steward_compute_jobs_total{pool=\"documents\"} "));
    count.unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_selections_and_logs_are_built_on_compute_threads() {
    let metrics = format!("127.0.0.1:{}", steward_tests::free_port());
    let app = App::start_with(Backend::Sqlite, &[("STEWARD_METRICS_BIND", &metrics)]).await;
    let world = World::make(&app, "acme").await;
    let value = json!({"value": {"title": "x".repeat(9_000)}});
    world.key.put(&world.item("long"), value).await.created();

    let before = compute_jobs(&app, &metrics).await;
    world.key.get(&format!("{}?limit=10", world.notes())).await.ok();
    world.key.get(&format!("{}?limit=10&select=title&id=first", world.notes())).await.ok();
    assert_eq!(compute_jobs(&app, &metrics).await, before);
    let selected = world.key.get(&format!("{}?limit=10&select=title", world.notes())).await.ok();
    assert_eq!(selected["data"].as_array().unwrap().len(), 2);
    assert_eq!(compute_jobs(&app, &metrics).await, before + 1);

    let log = format!("/project/{}/audit", world.project);
    world.owner.get(&log).await.ok();
    let csv = world.owner.send(Method::GET, &log, None, &[("Accept", "text/csv")]).await;
    assert!(csv.body.starts_with(b"at,action,"), "{csv}");
    world.owner.get(&format!("/project/{}/event", world.project)).await.ok();
    assert_eq!(compute_jobs(&app, &metrics).await, before + 4);
}

on_both! {
    async fn a_body_with_too_many_values_is_refused(app: &App) {
        let anon = app.anonymous();
        let values = |count: usize| Value::from(vec![0; count]);
        let refused = anon.post("/auth/signup", values(100_000)).await.refused(400, "invalid_json");
        let message = refused["message"].as_str().unwrap();
        assert!(message.contains("more than 100,000 values"), "{message}");
        anon.post("/auth/signup", values(99_999)).await.refused(400, "invalid_request");
    }

    async fn the_parameters_of_an_oauth_request_are_limited_to_64_kib(app: &App) {
        let form = |bytes: usize| Some(("application/x-www-form-urlencoded", vec![b'x'; bytes]));
        let anon = app.anonymous();
        let refused = anon.send_raw(Method::POST, "/auth/token", form(64 * 1024 + 1), &[]).await;
        let refused = refused.refused(413, "payload_too_large");
        assert!(refused["message"].as_str().unwrap().contains("64 KiB"), "{refused:?}");
        anon.send_raw(Method::POST, "/auth/token", form(64 * 1024), &[]).await.refused(400, "invalid_request");
    }
}
