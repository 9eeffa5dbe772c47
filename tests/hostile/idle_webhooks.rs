//! Very many webhooks that wait for rare events, with many other events: they delay no delivery, and polling them
//! costs little.

use std::time::{Duration, Instant};

use serde_json::json;
use steward_tests::{App, Backend, Receiver, World};
use tokio::time::sleep;

use crate::process::cpu_share;
use crate::scenario::scenarios;
use crate::{fill, setting};

/// Number of deliveries of which the shortest is measured without idle webhooks.
const DELIVERIES: usize = 3;
/// How long deliveries with idle webhooks are measured until one is quick. A pause of the machine delays some of
/// them. Comparisons of webhooks with events delay each.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Number of idle webhooks for which the CPU time of polling is measured.
const POLLED: usize = 50_000;
/// Maximum share of one core that polling them may use.
const MAX_POLLING_SHARE: f64 = 0.02;

async fn create_webhook(world: &World, url: &str, event: &str) {
    let hook = json!({"url": url, "events": [event]});
    world.owner.post(&format!("/project/{}/webhook", world.project), hook).await.created();
}

/// Updates the project and waits until the receiver gets the event. Returns the elapsed time.
async fn delivery_time(world: &World, receiver: &Receiver) -> Duration {
    let (count, began) = (receiver.received().len(), Instant::now());
    let change = json!({"name": format!("Name {count}")});
    world.owner.patch(&format!("/project/{}", world.project), change).await.ok();
    receiver.once(count + 1).await;
    began.elapsed()
}

/// Returns the shortest time of several deliveries.
async fn shortest_delivery_time(world: &World, receiver: &Receiver) -> Duration {
    let mut shortest = delivery_time(world, receiver).await;
    for _ in 1..DELIVERIES {
        shortest = shortest.min(delivery_time(world, receiver).await);
    }
    shortest
}

/// Returns the time of the first delivery that takes less than `limit`. If there is none until the timeout, returns the
/// shortest time.
async fn delivery_time_below(limit: Duration, world: &World, receiver: &Receiver) -> Duration {
    let began = Instant::now();
    let mut shortest = delivery_time(world, receiver).await;
    while shortest >= limit && began.elapsed() < TIMEOUT {
        shortest = shortest.min(delivery_time(world, receiver).await);
    }
    shortest
}

scenarios! { &[("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true")];
    async fn idle_webhooks_delay_no_delivery(app: &App) {
        let (quiet, busy, receiver) =
            (World::make(app, "quiet").await, World::make(app, "busy").await, Receiver::start().await);
        create_webhook(&busy, &receiver.url, "project.updated").await;
        let alone = shortest_delivery_time(&busy, &receiver).await;

        // If each poll compared each webhook with each event, it would make ten million comparisons.
        create_webhook(&quiet, "https://hooks.example.com/", "project.deleted").await;
        fill::copies_of_webhook(app, &quiet, 500);
        fill::events(app, &quiet, 20_000);
        // Events are sealed in their order: when this one is delivered, all earlier ones are sealed.
        delivery_time(&busy, &receiver).await;
        let limit = alone * 2 + Duration::from_secs(1);
        let beside = delivery_time_below(limit, &busy, &receiver).await;
        assert!(beside < limit, "{beside:?}, alone {alone:?}");
    }
}

async fn measure_polling(backend: Backend) {
    let app = App::start_with(backend, &[("STEWARD_LOG", "warn")]).await;
    let world = World::make(&app, "quiet").await;
    create_webhook(&world, "https://hooks.example.com/", "project.deleted").await;
    // Until the events of the fixture are sealed and the background jobs rest.
    sleep(Duration::from_secs(5)).await;
    let duration = Duration::from_secs(setting("HOSTILE_SECONDS", 20));
    let alone = cpu_share(&app, duration).await;
    fill::copies_of_webhook(&app, &world, POLLED);
    let polling = cpu_share(&app, duration).await;
    println!(
        "{backend:?}: an idle service uses {:.2}% of a core, and {:.2}% with {POLLED} idle webhooks",
        alone * 100.0,
        polling * 100.0
    );
    assert!(polling - alone < MAX_POLLING_SHARE, "Polling uses {:.2}% of a core.", (polling - alone) * 100.0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "Takes a minute. Run `make hostile`."]
async fn polling_idle_webhooks_costs_little_on_sqlite() {
    measure_polling(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "Takes a minute. Run `make hostile`."]
async fn polling_idle_webhooks_costs_little_on_postgres() {
    measure_polling(Backend::Postgres).await;
}
