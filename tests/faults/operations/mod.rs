//! A fleet as operators run it: three replicas behind HAProxy, with three PostgreSQL servers under Patroni in synchronous mode.
//! Through restarts, switchovers and failures, every request succeeds at last, no acknowledged write is lost, no webhook ID
//! is given twice, and all devices are equal. `make operations` runs all trials, and prints what they measure. Migrations beside
//! load are in `crates/store/tests/store/migrating.rs`, and databases that go back in `restores`.

mod figures;
mod fleet;
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
use fleet::{Fleet, NODES};
use traffic::Traffic;

const REPLICAS: usize = 3;
/// Time that clients have before and after each step, and how long a server stays frozen or separated: longer than Patroni's
/// `ttl`, after which another server becomes the primary.
const CALM: Duration = Duration::from_secs(5);
const ABSENCE: Duration = Duration::from_secs(40);

/// Whether all trials run, for longer. `make operations` sets the variable.
fn is_long() -> bool {
    std::env::var_os("OPERATIONS_LONG").is_some()
}

/// A fleet, its replicas and the proxy in front of them.
struct Operations {
    proxy: Proxy,
    replicas: Vec<App>,
    fleet: Fleet,
}

impl Operations {
    /// Starts all replicas at once on an empty database. Returns `None` if a program is not installed.
    async fn start(is_pooled: bool) -> Option<Self> {
        let fleet = Fleet::start(is_pooled).await?;
        let (port, url) = (free_port(), fleet.url());
        let public_url = base(port);
        let delay = if is_strict() { "3" } else { "8" };
        let settings = [
            ("STEWARD_PUBLIC_URL", public_url.as_str()),
            ("STEWARD_WEBHOOK_ALLOW_PRIVATE", "true"),
            ("STEWARD_SHUTDOWN_DELAY_SECONDS", delay),
        ];
        let began = Instant::now();
        let replicas = join_all((0..REPLICAS).map(|_| App::start_on_database(&url, &settings))).await;
        println!("{REPLICAS} replicas that start at once on an empty database: ready after {:.2?}", began.elapsed());
        let proxy = Proxy::start(port, &replicas, RefusedConnection::IsRetried).await;
        Some(Self { proxy, replicas, fleet })
    }

    async fn traffic(&mut self, name: &str) -> Traffic {
        Traffic::start(&self.proxy, &mut self.replicas[0], name).await
    }

    /// Restarts every replica and every server, one after the other. A primary is replaced before its restart.
    async fn rolling_restart(&mut self, name: &str) {
        let traffic = self.traffic(name).await;
        for replica in &mut self.replicas {
            replica.restart().await;
            // The proxy sends requests to it again.
            traffic.until_steady().await;
            sleep(CALM).await;
        }
        for node in 0..NODES {
            if self.fleet.until_redundant().await == node {
                self.fleet.switch_over().await;
                self.fleet.until_redundant().await;
            }
            self.fleet.restart(node).await;
            traffic.until_steady().await;
        }
        traffic.end("Rolling restart of the service and of PostgreSQL", None).await;
    }

    /// Lets the primary fail and return.
    async fn failure(
        &mut self,
        trial: &str,
        name: &str,
        fail: impl AsyncFnOnce(&mut Fleet, usize),
        repair: impl AsyncFnOnce(&mut Fleet, usize),
    ) {
        let traffic = self.traffic(name).await;
        sleep(CALM).await;
        let primary = self.fleet.until_redundant().await;
        let began = Instant::now();
        fail(&mut self.fleet, primary).await;
        self.fleet.until_primary_is_not(primary).await;
        let promoted = began.elapsed();
        traffic.until_steady().await;
        sleep(ABSENCE.saturating_sub(began.elapsed())).await;
        repair(&mut self.fleet, primary).await;
        self.fleet.until_redundant().await;
        traffic.until_steady().await;
        sleep(CALM).await;
        for replica in &self.replicas {
            until_ready(replica).await;
        }
        traffic.end(&format!("{trial}; another server was the primary after {promoted:.2?}"), Some(began)).await;
    }

    async fn killed_primary(&mut self, name: &str) {
        let kill = async |fleet: &mut Fleet, primary| fleet.kill(primary);
        self.failure("kill -9 of the primary and its Patroni", name, kill, async |fleet, node| fleet.revive(node))
            .await;
    }

    async fn frozen_primary(&mut self, name: &str) {
        let freeze = async |fleet: &mut Fleet, primary| fleet.freeze(primary);
        self.failure("The primary and its Patroni freeze", name, freeze, async |fleet, node| fleet.thaw(node)).await;
    }

    async fn separated_primary(&mut self, name: &str) {
        let cut = async |fleet: &mut Fleet, primary| fleet.cut(primary);
        self.failure("The primary is separated from the network", name, cut, async |fleet, node| fleet.mend(node))
            .await;
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
    let Some(mut operations) = Operations::start(false).await else { return };
    operations.races().await;
    operations.rolling_restart("rolling").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fleet_goes_on_when_the_primary_is_killed() {
    let Some(mut operations) = Operations::start(false).await else { return };
    operations.killed_primary("killed").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "`make operations` runs it"]
async fn a_fleet_goes_on_when_the_primary_freezes() {
    let Some(mut operations) = Operations::start(false).await else { return };
    operations.frozen_primary("frozen").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "`make operations` runs it"]
async fn a_fleet_goes_on_when_the_primary_is_separated() {
    let Some(mut operations) = Operations::start(false).await else { return };
    operations.separated_primary("separated").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "`make operations` runs it"]
async fn a_fleet_behind_a_pooler_goes_on_through_a_rolling_restart() {
    let Some(mut operations) = Operations::start(true).await else { return };
    operations.races().await;
    operations.rolling_restart("rolling").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "`make operations` runs it"]
async fn a_fleet_behind_a_pooler_goes_on_when_the_primary_fails() {
    let Some(mut operations) = Operations::start(true).await else { return };
    operations.killed_primary("killed").await;
    operations.frozen_primary("frozen").await;
    operations.separated_primary("separated").await;
}
