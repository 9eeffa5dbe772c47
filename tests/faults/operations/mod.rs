//! A fleet as operators run it: three replicas behind HAProxy, with three PostgreSQL servers under Patroni in
//! synchronous mode. Through restarts, switchovers and failures, every request succeeds at last, no acknowledged write
//! is lost, no webhook ID is given twice, and all devices are equal. The same on a Citus cluster whose servers have
//! standbys. `make operations` runs all trials, and prints what they measure. Migrations beside load are in
//! `crates/store/tests/store/migrating.rs`, and databases that go back in `restores`.

mod figures;
mod fleet;
mod group;
mod link;
mod traffic;

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use steward_tests::{Actor, App, free_port};
use tokio::time::sleep;

use crate::proxy::{Proxy, RefusedConnection, base};
use crate::{is_strict, until_ready};
use fleet::{Arrangement, Fleet};
use group::Group;
use traffic::Traffic;

const REPLICAS: usize = 3;
/// Time that clients have before and after each step, and how long a server stays frozen or separated: longer than
/// Patroni's `ttl`, after which another server becomes the primary.
const CALM: Duration = Duration::from_secs(5);
const ABSENCE: Duration = Duration::from_secs(40);
/// After this time, Patroni's watchdog resets a machine that hangs: `ttl` less its margin.
const WATCHDOG: Duration = Duration::from_secs(15);

/// Whether all trials run, for longer. `make operations` sets the variable.
fn is_long() -> bool {
    std::env::var_os("OPERATIONS_LONG").is_some()
}

/// A fleet, its replicas and the proxy in front of them.
struct Operations {
    proxy: Proxy,
    replicas: Vec<App>,
    fleet: Fleet,
    /// Number of trials so far: each has a project of its own.
    trials: usize,
}

impl Operations {
    /// Starts all replicas at once on an empty database. Returns `None` if a program is not installed.
    async fn start(arrangement: Arrangement) -> Option<Self> {
        let fleet = Fleet::start(arrangement).await?;
        let (port, url) = (free_port(), fleet.url());
        let public_url = base(port);
        let delay = if is_strict() { "3" } else { "8" };
        let settings = [
            ("STEWARD_PUBLIC_URL", public_url.as_str()),
            ("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true"),
            ("STEWARD_SHUTDOWN_DELAY_SECONDS", delay),
        ];
        let began = Instant::now();
        let mut replicas = join_all((0..REPLICAS).map(|_| App::start_on_database(&url, &settings))).await;
        println!("{REPLICAS} replicas that start at once on an empty database: ready after {:.2?}", began.elapsed());
        if arrangement == Arrangement::Citus {
            distribute(&mut replicas).await;
        }
        let proxy = Proxy::start(port, &replicas, RefusedConnection::IsRetried).await;
        Some(Self { proxy, replicas, fleet, trials: 0 })
    }

    async fn traffic(&mut self, name: &str) -> Traffic {
        Traffic::start(&self.proxy, &mut self.replicas[0], name).await
    }

    /// Restarts every replica and every server, one after the other. A primary is replaced before its restart.
    async fn rolling_restart(&mut self) {
        let traffic = self.traffic("rolling").await;
        for replica in &mut self.replicas {
            replica.restart().await;
            // The proxy sends requests to it again.
            traffic.until_steady().await;
            sleep(CALM).await;
        }
        for group in &self.fleet.groups {
            for node in 0..group.servers() {
                if group.until_redundant().await == node {
                    group.switch_over().await;
                    group.until_redundant().await;
                }
                group.restart(node).await;
                traffic.until_steady().await;
            }
        }
        traffic.end("Rolling restart of the service and of PostgreSQL", None).await;
    }

    /// Lets the primary of a group fail and return.
    async fn failure(
        &mut self,
        group: usize,
        trial: &str,
        fail: impl AsyncFnOnce(&mut Group, usize),
        repair: impl AsyncFnOnce(&mut Group, usize),
    ) {
        let traffic = self.traffic(&format!("trial{}", self.trials)).await;
        self.trials += 1;
        sleep(CALM).await;
        let servers = &mut self.fleet.groups[group];
        let primary = servers.until_redundant().await;
        let began = Instant::now();
        fail(servers, primary).await;
        servers.until_primary_is_not(primary).await;
        let promoted = began.elapsed();
        traffic.until_steady().await;
        sleep(ABSENCE.saturating_sub(began.elapsed())).await;
        repair(servers, primary).await;
        servers.until_redundant().await;
        traffic.until_steady().await;
        sleep(CALM).await;
        for replica in &self.replicas {
            until_ready(replica).await;
        }
        let trial = format!("Group {group}: {trial}; another server was the primary after {promoted:.2?}");
        traffic.end(&trial, Some(began)).await;
    }

    async fn killed_primary(&mut self, group: usize) {
        let kill = async |group: &mut Group, primary| group.kill(primary);
        let revive = async |group: &mut Group, primary| group.revive(primary);
        self.failure(group, "kill -9 of the primary and its Patroni", kill, revive).await;
    }

    async fn frozen_primary(&mut self, group: usize) {
        let freeze = async |group: &mut Group, primary| group.freeze(primary);
        let thaw = async |group: &mut Group, primary| group.thaw(primary);
        self.failure(group, "the primary and its Patroni freeze", freeze, thaw).await;
    }

    /// A frozen machine still confirms what it receives, so only its watchdog ends the connections of other nodes.
    async fn frozen_primary_with_watchdog(&mut self, group: usize) {
        let freeze = async |group: &mut Group, primary| {
            group.freeze(primary);
            sleep(WATCHDOG).await;
            group.kill(primary);
        };
        let revive = async |group: &mut Group, primary| group.revive(primary);
        self.failure(group, "the machine of the primary freezes, and its watchdog resets it", freeze, revive).await;
    }

    async fn separated_primary(&mut self, group: usize) {
        let cut = async |group: &mut Group, primary| group.cut(primary);
        let mend = async |group: &mut Group, primary| group.mend(primary);
        self.failure(group, "the primary is separated from the network", cut, mend).await;
    }

    /// Sends the same requests to all replicas at once: only one can win a slug, and one key creates one team.
    async fn races(&mut self) {
        let credential = self.replicas[0].person("racer").await.credential.unwrap();
        let racers: Vec<Actor> = self.replicas.iter().map(|replica| replica.bearer(&credential)).collect();
        let rounds = if is_long() { 200 } else { 20 };
        for round in 0..rounds {
            let team = json!({"name": "Race", "slug": format!("race-{round}")});
            let created = join_all(racers.iter().map(|racer| racer.post("/team/", team.clone()))).await;
            let mut statuses: Vec<u16> = created.iter().map(|response| response.status.as_u16()).collect();
            statuses.sort_unstable();
            assert_eq!(statuses, [201, 409, 409]);

            let team = json!({"name": "Same", "slug": format!("same-{round}")});
            let ids = join_all(racers.iter().map(|racer| create_once(racer, &team))).await;
            assert!(ids.iter().all(|id| *id == ids[0]), "The same request created {ids:?}.");
        }
        println!(
            "Races of {REPLICAS} replicas: one winner for one slug, and one team for one key, in {rounds} of {rounds} rounds"
        );
        let keys = self.replicas[0].anonymous().get("/auth/.well-known/jwks.json").await.ok();
        assert_eq!(keys["keys"].as_array().unwrap().len(), 2, "The replicas generated different keys.");
    }
}

/// Distributes the items while no replica is running.
async fn distribute(replicas: &mut [App]) {
    for replica in &mut *replicas {
        replica.terminate();
        assert!(replica.exited_successfully().await, "{}", replica.log());
    }
    let distributed = replicas[0].run(&["migrate", "--distribute", "--shards", "4"], "").await;
    assert!(distributed.status.success(), "{}", String::from_utf8_lossy(&distributed.stderr));
    for replica in &mut *replicas {
        replica.begin();
    }
    for replica in replicas {
        replica.until_ready().await;
    }
}

/// Creates a team with an `Idempotency-Key` that names it. Returns its ID.
async fn create_once(caller: &Actor, team: &Value) -> String {
    let key = [("Idempotency-Key", team["slug"].as_str().unwrap())];
    loop {
        let response = caller.send(Method::POST, "/team/", Some(team.clone()), &key).await;
        if response.status.as_u16() != 409 {
            return response.created().id();
        }
        response.refused(409, "idempotency_in_progress");
        sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fleet_goes_on_through_a_rolling_restart() {
    let Some(mut operations) = Operations::start(Arrangement::Direct).await else { return };
    operations.races().await;
    operations.rolling_restart().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fleet_goes_on_when_the_primary_is_killed() {
    let Some(mut operations) = Operations::start(Arrangement::Direct).await else { return };
    operations.killed_primary(0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "`make operations` runs it"]
async fn a_fleet_goes_on_when_the_primary_freezes() {
    let Some(mut operations) = Operations::start(Arrangement::Direct).await else { return };
    operations.frozen_primary(0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "`make operations` runs it"]
async fn a_fleet_goes_on_when_the_primary_is_separated() {
    let Some(mut operations) = Operations::start(Arrangement::Direct).await else { return };
    operations.separated_primary(0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "`make operations` runs it"]
async fn a_fleet_behind_a_pooler_goes_on_through_a_rolling_restart() {
    let Some(mut operations) = Operations::start(Arrangement::Pooled).await else { return };
    operations.races().await;
    operations.rolling_restart().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "`make operations` runs it"]
async fn a_fleet_behind_a_pooler_goes_on_when_the_primary_fails() {
    let Some(mut operations) = Operations::start(Arrangement::Pooled).await else { return };
    operations.killed_primary(0).await;
    operations.frozen_primary(0).await;
    operations.separated_primary(0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "`make operations` runs it"]
async fn a_fleet_on_a_citus_cluster_goes_on_through_a_rolling_restart() {
    let Some(mut operations) = Operations::start(Arrangement::Citus).await else { return };
    operations.rolling_restart().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "`make operations` runs it"]
async fn a_fleet_on_a_citus_cluster_goes_on_when_a_worker_fails() {
    let Some(mut operations) = Operations::start(Arrangement::Citus).await else { return };
    operations.killed_primary(1).await;
    operations.frozen_primary_with_watchdog(1).await;
    operations.separated_primary(1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "`make operations` runs it"]
async fn a_fleet_on_a_citus_cluster_goes_on_when_the_coordinator_fails() {
    let Some(mut operations) = Operations::start(Arrangement::Citus).await else { return };
    operations.separated_primary(0).await;
    operations.killed_primary(0).await;
    operations.frozen_primary_with_watchdog(0).await;
}
