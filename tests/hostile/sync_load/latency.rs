//! The time from a change on one device until another device has it, alone and with many other devices.

use std::sync::Arc;
use std::time::Duration;

use steward_tests::device::{Device, Pending};
use steward_tests::{App, Backend, World};
use tokio::time::{Instant, sleep};

use super::fleet::{Service, User};
use super::{Fleet, sign_up, start};
use crate::setting;

const USERS: usize = 50;
const DEVICES: usize = 200;
/// Pause between two changes.
const PAUSE: Duration = Duration::from_millis(50);
/// Maximum time of almost all changes. A process asks for changes every 100 ms.
const MAX_P99: Duration = Duration::from_secs(2);

/// Two devices of a user, connected to different processes if there are several.
struct Pair {
    user: Arc<User>,
    from: Device,
    to: Device,
}

impl Pair {
    async fn connect(apps: &[App], project: &str, user: Arc<User>) -> Self {
        let from = Device::start(&apps[0], &user.token, project).await;
        let to = Device::start(apps.last().unwrap(), &user.token, project).await;
        Self { user, from, to }
    }

    /// Changes an item repeatedly. Returns the times in order of length.
    async fn measure(&mut self, duration: Duration) -> Vec<Duration> {
        let (end, mut times) = (Instant::now() + duration, Vec::new());
        while Instant::now() < end {
            let title = self.user.next_title();
            let mut message = Pending::default();
            message.put("probe", &title);
            self.from.edit(&message.changes);
            let began = Instant::now();
            let shown = async {
                self.to.wait_for_title("probe", &title).await.unwrap();
                began.elapsed()
            };
            let (stored, took) = tokio::join!(self.from.try_push(&message.changes), shown);
            stored.unwrap();
            times.push(took);
            sleep(PAUSE).await;
        }
        times.sort_unstable();
        times
    }
}

fn report(name: &str, times: &[Duration]) {
    let percentile = |hundredths: usize| times[(times.len() * hundredths / 100).min(times.len() - 1)];
    let (median, p99) = (percentile(50), percentile(99));
    println!("{name}: a change reaches another device after {median:?} p50, {p99:?} p99, of {}", times.len());
    assert!(p99 < MAX_P99, "{name}: {p99:?}");
}

async fn measure(backend: Backend, processes: usize) {
    let apps = start(backend, processes).await;
    let world = World::make(&apps[0], "acme").await;
    let (users, service) = (sign_up(&apps[0], &world, USERS + 1).await, Service::of(&apps, &world));
    let duration = Duration::from_secs(setting("HOSTILE_SECONDS", 20));
    let mut pair = Pair::connect(&apps, &world.project, users[USERS].clone()).await;
    report(&format!("{backend:?}, alone"), &pair.measure(duration).await);
    let fleet = Fleet::start(&users[..USERS], DEVICES, &service);
    let beside = pair.measure(duration).await;
    fleet.end().await;
    report(&format!("{backend:?}, beside {DEVICES} devices"), &beside);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "Takes a minute. Run `make hostile`."]
async fn changes_reach_other_devices_quickly_on_sqlite() {
    measure(Backend::Sqlite, 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "Takes a minute. Run `make hostile`."]
async fn changes_reach_other_devices_quickly_on_postgres() {
    measure(Backend::Postgres, 3).await;
}
