//! Synchronization with many devices: they converge to what is stored although processes are killed, no acknowledged
//! change is lost, and idle devices cost little.

mod fleet;
mod idle;
mod latency;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use futures_util::stream::{self, StreamExt as _};
use steward_tests::device::{Items, listed_items};
use steward_tests::{App, Backend, World, eventually};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use crate::process::check_memory;
use crate::setting;
use fleet::{Member, Service};

pub use fleet::User;

/// The size of a load.
#[derive(Clone, Copy)]
struct Load {
    processes: usize,
    users: usize,
    devices: usize,
    duration: Duration,
    /// Pause before each kill.
    kill_interval: Duration,
    /// How much longer the devices may take until more changes than devices are acknowledged.
    extra_time: Duration,
}

/// The load of every test run.
const SHORT: Load = Load {
    processes: 2,
    users: 3,
    devices: 10,
    duration: Duration::from_secs(3),
    kill_interval: Duration::from_millis(1_200),
    extra_time: Duration::from_secs(60),
};

impl Load {
    fn full(processes: usize) -> Self {
        // Three times as long as the other loads.
        let duration = Duration::from_secs(setting("HOSTILE_SECONDS", 20) * 3);
        let (kill_interval, extra_time) = (Duration::from_secs(4), Duration::ZERO);
        Self { processes, users: 50, devices: 200, duration, kill_interval, extra_time }
    }
}

/// Starts the processes. The first one owns the database.
async fn start(backend: Backend, count: usize) -> Vec<App> {
    let mut apps = vec![App::start_with(backend, &[("STEWARD_LOG", "warn")]).await];
    for _ in 1..count {
        let replica = apps[0].start_replica().await;
        apps.push(replica);
    }
    apps
}

async fn sign_up(app: &App, world: &World, count: usize) -> Vec<Arc<User>> {
    let users = stream::iter((0..count).map(|number| User::make(app, world, number)));
    users.buffered(4).collect().await
}

/// Devices that change items until they are stopped.
struct Fleet {
    stop: Arc<AtomicBool>,
    members: JoinSet<Member>,
}

impl Fleet {
    fn start(users: &[Arc<User>], devices: usize, service: &Arc<Service>) -> Self {
        let (stop, mut members) = (Arc::new(AtomicBool::new(false)), JoinSet::new());
        for number in 0..devices {
            let member = Member::new(number, users[number % users.len()].clone(), service.clone());
            members.spawn(member.live(stop.clone()));
        }
        Self { stop, members }
    }

    async fn end(self) -> Vec<Member> {
        self.stop.store(true, Ordering::Relaxed);
        self.members.join_all().await
    }
}

/// Kills one process after the other. In the meantime, a user is deleted. Returns the number of kills.
async fn kill_processes(apps: &mut [App], world: &World, erased: &User, load: Load) -> usize {
    let (end, mut kills) = (Instant::now() + load.duration, 0);
    while Instant::now() < end {
        sleep(load.kill_interval).await;
        let number = kills % apps.len();
        apps[number].kill_and_restart().await;
        kills += 1;
        if !erased.is_erased.swap(true, Ordering::Relaxed) {
            let owner = apps[number].bearer(world.owner.credential.as_ref().unwrap());
            let is_deleted = |status: u16| [200, 404].contains(&status).then_some(());
            eventually(async || is_deleted(owner.delete(&erased.path).await.status.as_u16())).await;
        }
    }
    kills
}

/// Checks that the devices have what is stored, and that no acknowledged change is lost.
async fn check(apps: &[App], world: &World, users: &[Arc<User>], mut members: Vec<Member>) {
    join_all(members.iter_mut().map(Member::arrive)).await;
    members.retain(|member| !member.is_signed_out);
    for user in users {
        if user.is_erased.load(Ordering::Relaxed) {
            apps[0].bearer(world.owner.credential.as_ref().unwrap()).get(&user.path).await.is_not_found();
            continue;
        }
        let mut stored = Vec::new();
        for app in apps {
            stored.push(listed_items("notes", &app.bearer(&user.token).get(&user.notes).await.ok().0));
        }
        assert!(stored.windows(2).all(|pair| pair[0] == pair[1]), "The processes return different items.");
        let devices = members.iter_mut().filter(|member| Arc::ptr_eq(&member.user, user));
        join_all(devices.map(|member| member.converge(&stored[0]))).await;
        user.history.check(&titles(&stored[0]));
    }
}

/// Returns the number of changes that were acknowledged.
fn acknowledged(users: &[Arc<User>]) -> usize {
    users.iter().map(|user| user.history.acknowledged()).sum()
}

fn titles(items: &Items) -> BTreeMap<String, String> {
    items.iter().map(|((_, id), item)| (id.clone(), item["title"].as_str().unwrap().to_owned())).collect()
}

async fn devices_converge(backend: Backend, load: Load) {
    let mut apps = start(backend, load.processes).await;
    let world = World::make(&apps[0], "acme").await;
    let users = sign_up(&apps[0], &world, load.users).await;
    let fleet = Fleet::start(&users, load.devices, &Service::of(&apps, &world));
    let kills = kill_processes(&mut apps, &world, &users[0], load).await;
    let end = Instant::now() + load.extra_time;
    while acknowledged(&users) <= load.devices && Instant::now() < end {
        sleep(Duration::from_millis(100)).await;
    }
    let members = fleet.end().await;
    check(&apps, &world, &users, members).await;
    let acknowledged = acknowledged(&users);
    println!(
        "{backend:?}: {} devices of {} users changed items {acknowledged} times during {kills} kills of {} processes: none \
         lost, and all devices have what is stored",
        load.devices, load.users, load.processes
    );
    assert!(acknowledged > load.devices, "Only {acknowledged} changes were acknowledged.");
    apps.iter().for_each(check_memory);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn devices_converge_although_the_service_is_killed_on_sqlite() {
    devices_converge(Backend::Sqlite, Load { processes: 1, ..SHORT }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn devices_converge_although_a_process_is_killed_on_postgres() {
    devices_converge(Backend::Postgres, SHORT).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "Takes minutes. Run `make hostile`."]
async fn hundreds_of_devices_converge_although_the_service_is_killed_on_sqlite() {
    devices_converge(Backend::Sqlite, Load::full(1)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "Takes minutes. Run `make hostile`."]
async fn hundreds_of_devices_converge_although_processes_are_killed_on_postgres() {
    devices_converge(Backend::Postgres, Load::full(3)).await;
}
