//! How many events per second reach a receiver that takes 20 ms for each.

use std::time::Duration;

use serde_json::{Value, json};
use steward_tests::{App, Backend, Received, Receiver, World};

use crate::fill;

/// How long the receiver takes for each event.
const DELAY: Duration = Duration::from_millis(20);
/// Number of projects whose events are delivered side by side.
const PROJECTS: usize = 16;
/// Minimum ratio between deliveries side by side and one after the other. It is 16 without the work of the service.
const MIN_RATIO: f64 = 4.0;

/// Creates a team with this number of projects and events, and delivers the events. Returns how many arrive per second.
async fn rate(app: &App, name: &str, projects: usize, events: usize, settings: Value) -> f64 {
    let (world, receiver) = (World::make(app, name).await, Receiver::start().await);
    for number in 1..projects {
        let project = json!({"name": format!("{name} {number}"), "team_id": world.team});
        world.owner.post("/project/", project).await.created();
    }
    receiver.delay_responses(DELAY);
    let mut hook = json!({"url": receiver.url, "events": ["item.updated"]});
    hook.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
    let hook = world.owner.post(&format!("/team/{}/webhook", world.team), hook).await.created().id();
    let path = format!("/team/{}/webhook/{hook}", world.team);
    world.owner.patch(&path, json!({"status": "paused"})).await.ok();
    fill::events_of_team(app, &world, events);
    world.owner.patch(&path, json!({"status": "active"})).await.ok();

    let received: Vec<Received> = receiver.once(events).await;
    let elapsed = received[events - 1].at - received[0].at;
    f64::from(u32::try_from(events - 1).unwrap()) / elapsed.as_secs_f64()
}

async fn measure_rates(backend: Backend) {
    let settings = [("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true"), ("STEWARD_LOG", "warn")];
    let app = App::start_with(backend, &settings).await;
    let one = rate(&app, "one", 1, 400, json!({})).await;
    println!("{backend:?}: {one:.0} events per second of one project");
    let many = rate(&app, "many", PROJECTS, 2_000, json!({})).await;
    println!("{backend:?}: {many:.0} events per second of {PROJECTS} projects");
    let unordered = rate(&app, "unordered", 1, 2_000, json!({"ordering": "none"})).await;
    println!("{backend:?}: {unordered:.0} events per second of one project in any order");
    assert!(many > MIN_RATIO * one && unordered > MIN_RATIO * one, "Events are not delivered side by side.");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "Takes a minute. Run `make hostile`."]
async fn projects_are_delivered_side_by_side_on_sqlite() {
    measure_rates(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "Takes a minute. Run `make hostile`."]
async fn projects_are_delivered_side_by_side_on_postgres() {
    measure_rates(Backend::Postgres).await;
}
