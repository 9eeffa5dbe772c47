//! Very many devices that are connected and do nothing: what they cost the service.

use std::time::Duration;

use futures_util::stream::{self, StreamExt as _};
use steward_tests::device::Device;
use steward_tests::{App, Backend, World};
use tokio::task::JoinSet;

use super::fleet::User;
use crate::process::{MAX_MEMORY, cpu_share, raise_file_limit, resident_kib};
use crate::setting;

const USERS: usize = 250;
/// The maximum number of connections of a user.
const DEVICES_PER_USER: usize = 20;
/// Maximum memory of the service per connection, in KiB.
const MAX_KIB: u64 = 32;
/// Maximum share of one core that all connections may use.
const MAX_CPU_SHARE: f64 = 0.1;
/// Number of people or devices that are connected at the same time.
const CONCURRENT: usize = 8;

async fn measure(backend: Backend) {
    raise_file_limit(USERS * DEVICES_PER_USER + 2_000);
    let app = App::start_with(backend, &[("STEWARD_LOG", "warn")]).await;
    let world = World::make(&app, "acme").await;
    let users = stream::iter((0..USERS).map(|number| User::make(&app, &world, number)));
    let users: Vec<_> = users.buffer_unordered(CONCURRENT).collect().await;
    // One connection, so that memory that all connections share is not counted.
    let first = Device::start(&app, &users[0].token, &world.project).await;
    let duration = Duration::from_secs(setting("HOSTILE_SECONDS", 20));
    let (alone, before) = (cpu_share(&app, duration).await, resident_kib(&app));
    drop(first);

    let tokens = users.iter().flat_map(|user| std::iter::repeat_n(&user.token, DEVICES_PER_USER));
    let devices = stream::iter(tokens.map(|token| Device::start(&app, token, &world.project)));
    let devices: Vec<Device> = devices.buffer_unordered(CONCURRENT).collect().await;
    let (count, mut listening) = (devices.len(), JoinSet::new());
    for mut device in devices {
        // Replies to pings.
        listening.spawn(async move { device.listen(duration * 10).await });
    }
    let share = cpu_share(&app, duration).await;
    let resident = resident_kib(&app);
    let per_connection = resident.saturating_sub(before) / u64::try_from(count).unwrap();
    println!(
        "{backend:?}: {count} idle connections: {} MiB resident, {per_connection} KiB for each connection; {:.1}% of a \
         core, {:.1}% with one connection",
        resident / 1024,
        share * 100.0,
        alone * 100.0
    );
    assert!(listening.try_join_next().is_none(), "A connection was lost.");
    assert!(resident / 1024 < MAX_MEMORY && per_connection < MAX_KIB, "{resident} KiB, {per_connection} KiB each");
    assert!(share < MAX_CPU_SHARE, "Idle connections use {:.1}% of a core.", share * 100.0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "Takes minutes. Run `make hostile`."]
async fn thousands_of_idle_devices_cost_little_on_sqlite() {
    measure(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "Takes minutes. Run `make hostile`."]
async fn thousands_of_idle_devices_cost_little_on_postgres() {
    measure(Backend::Postgres).await;
}
