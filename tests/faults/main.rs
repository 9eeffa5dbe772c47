//! Tests of crashes, shutdown, concurrent starts and database outages: no acknowledged write is lost, and every request
//! completes.

mod fast_motion;
mod full_disk;
mod hanging_commits;
mod kills;
mod load;
mod long_transaction;
mod moved_clock;
mod operations;
mod outages;
mod pooler;
mod proxy;
mod replicas;
mod requests;
mod restores;
mod shutdown;
mod starts;
mod takeover;
mod unprepared;

use steward_tests::{App, eventually};

/// Waits until the service is ready.
async fn until_ready(app: &App) {
    eventually(async || (app.anonymous().get("/health/ready").await.status.as_u16() == 200).then_some(())).await;
}

/// Returns whether the tests assert the exact time limits of the design. Otherwise, the limits allow for a debug build
/// on a busy machine. `make hostile` sets the variable.
fn is_strict() -> bool {
    std::env::var_os("FAULTS_STRICT").is_some()
}
