//! Traces: export to a collector and propagation across services.

use reqwest::Method;
use serde_json::{Value, json};
use steward_tests::{App, Backend, Received, Receiver, World, eventually};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN: &str = "00f067aa0ba902b7";

fn bytes(hexadecimal: &str) -> Vec<u8> {
    let digits = hexadecimal.as_bytes().chunks(2);
    digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// Returns the logged_trace_ids `trace_id` of each request to a route.
async fn logged_trace_ids(app: &App, route: &str) -> Vec<Value> {
    let lines = app.complete_log().await;
    let lines = lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines.filter(|line| line["route"] == route).map(|line| line["trace_id"].clone()).collect()
}

async fn a_trace_is_continued_here_and_at_receivers(backend: Backend) {
    let (collector, receiver) = (Receiver::start().await, Receiver::start().await);
    let endpoint = collector.url.trim_end_matches("/hook");
    let settings = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint),
        ("OTEL_BSP_SCHEDULE_DELAY", "100"),
        ("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true"),
    ];
    let app = App::start_with(backend, &settings).await;
    let world = World::make(&app, "acme").await;
    let team = format!("/team/{}", world.team);
    let webhook = json!({"url": receiver.url, "events": ["team.updated"]});
    world.owner.post(&format!("{team}/webhook"), webhook).await.created();

    let parent = format!("00-{TRACE}-{SPAN}-01");
    let traced = [("traceparent", parent.as_str()), ("X-Request-Id", "traced-request")];
    world.owner.send(Method::PATCH, &team, Some(json!({"name": "Traced"})), &traced).await.ok();
    assert!(logged_trace_ids(&app, "/team/{team_id}").await.contains(&json!(TRACE)), "{}", app.log());

    // Spans that end later may be exported in another request.
    for name in [b"PATCH /team/{team_id}".as_slice(), b"traced-request", b"database", &bytes(SPAN)] {
        let is_sent = |message: &Received| contains(&message.bytes, &bytes(TRACE)) && contains(&message.bytes, name);
        eventually(async || collector.received().iter().any(is_sent).then_some(())).await;
    }

    let delivered = receiver.once(1).await;
    let context: Vec<&str> = delivered[0].headers["traceparent"].split('-').collect();
    assert_eq!((context.len(), context[0], context[1].len(), context[2].len()), (4, "00", 32, 16));
    let is_sent = async || collector.received().iter().any(|m| contains(&m.bytes, &bytes(context[1]))).then_some(());
    eventually(is_sent).await;

    for message in collector.received() {
        assert_eq!(app.canaries.found_in(&message.bytes), [""; 0]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_trace_is_continued_here_and_at_receivers_sqlite() {
    a_trace_is_continued_here_and_at_receivers(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_trace_is_continued_here_and_at_receivers_postgres() {
    a_trace_is_continued_here_and_at_receivers(Backend::Postgres).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_collector_nothing_is_traced_and_an_unreachable_one_does_not_block_requests() {
    let parent = format!("00-{TRACE}-{SPAN}-01");
    let app = App::start(Backend::Sqlite).await;
    app.anonymous().send(Method::GET, "/", None, &[("traceparent", &parent)]).await.ok();
    assert_eq!(logged_trace_ids(&app, "/").await, [Value::Null]);

    let unreachable = format!("http://127.0.0.1:{}", steward_tests::free_port());
    let settings = [("OTEL_EXPORTER_OTLP_ENDPOINT", unreachable.as_str()), ("OTEL_BSP_SCHEDULE_DELAY", "50")];
    let mut app = App::start_with(Backend::Sqlite, &settings).await;
    for _ in 0..20 {
        app.anonymous().get("/utils/slugify?slug=x").await.ok();
    }
    eventually(async || app.log().contains("opentelemetry").then_some(())).await;
    app.terminate();
    assert!(app.exited_successfully().await);
}
