//! Supervises the workers: cancels abandoned jobs, replaces workers that are stuck on an unresponsive connection, and
//! requests a probe of the database when a job is slow.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use super::connector::{ConnectionUse, Connector, Pool};
use super::shared::{JobPool, Shared, spawn};
use super::{control_thread, worker};

/// Interval between checks of the workers.
const TICK: Duration = Duration::from_millis(100);
/// A job that runs longer than this triggers a probe: the database may no longer respond.
const SLOW_AFTER: Duration = Duration::from_secs(1);
/// Timeout of a probe while the breaker is closed.
const SILENCE_TIMEOUT: Duration = Duration::from_millis(1_500);
/// Timeout of a probe while the breaker is open. No caller waits for it then, and each of several hosts is tried for
/// 2 s.
const PROBE_INTERVAL: Duration = Duration::from_secs(15);
/// Grace period after the statement timeout until a connection counts as unresponsive.
const CANCEL_GRACE: Duration = Duration::from_secs(2);
/// How long a worker may stay busy after a recovery with a job from before the recovery.
const RECOVERY_TIME: Duration = Duration::from_millis(500);

/// Runs until the executor is dropped.
pub(super) fn work<K: Connector>(shared: &Arc<Shared<K>>) {
    let (mut ticks, mut was_open) = (0_u64, false);
    while !shared.is_stopped() {
        thread::sleep(TICK);
        ticks = ticks.wrapping_add(1);
        let is_open = shared.breaker.is_open();
        let has_recovered = was_open && !is_open;
        was_open = is_open;
        for pool in Pool::ALL {
            supervise(shared, pool, has_recovered);
        }
        // Every half second while a job is slow.
        let is_slow = |pool: &JobPool<K>| pool.workers.longest_busy().is_some_and(|time| time > SLOW_AFTER);
        if ticks.is_multiple_of(5) && shared.pools.iter().any(is_slow) {
            shared.control.request_probe();
        }
        let silence = if is_open { PROBE_INTERVAL } else { SILENCE_TIMEOUT };
        if shared.control.busy_for().is_some_and(|time| time > silence) {
            handle_unresponsive(shared);
            // The database may recover before the next check.
            was_open = true;
        }
    }
}

fn supervise<K: Connector>(shared: &Arc<Shared<K>>, pool: Pool, has_recovered: bool) {
    let workers = &shared.pool(pool).workers;
    workers.abandoned_jobs().into_iter().for_each(|ticket| shared.control.cancel(ticket));
    let limit = if has_recovered { RECOVERY_TIME } else { ConnectionUse::Pool(pool).statement_limit() + CANCEL_GRACE };
    let max_abandon = shared.most_abandoned.saturating_sub(shared.abandoned.load(Ordering::Acquire));
    let stuck = workers.abandon(limit, max_abandon);
    if stuck == 0 {
        return;
    }
    tracing::error!(lane = pool.lane().as_str(), stuck, "Database connections do not respond. They are replaced.");
    shared.abandoned.fetch_add(stuck, Ordering::AcqRel);
    for _ in 0..stuck {
        if let Err(error) = worker::start(shared, pool) {
            tracing::error!(%error, "Unable to replace a database worker.");
        }
    }
    if shared.abandoned.load(Ordering::Acquire) >= shared.most_abandoned {
        shared.trip("Too many connections do not respond.");
    }
}

/// Handles a probe without a response: opens the breaker, abandons the control thread, and starts another one.
fn handle_unresponsive<K: Connector>(shared: &Arc<Shared<K>>) {
    shared.trip("A check of the database got no response.");
    if shared.abandoned.load(Ordering::Acquire) >= shared.most_abandoned {
        return;
    }
    shared.abandoned.fetch_add(1, Ordering::AcqRel);
    let (generation, successor) = (shared.control.abandon(), shared.clone());
    if let Err(error) = spawn(shared.name, move || control_thread::work(&successor, generation)) {
        tracing::error!(%error, "Unable to start another control thread. The database is no longer checked.");
    }
}
