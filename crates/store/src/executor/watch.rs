//! Looks after the workers: cancels what nobody waits for, replaces whoever is stuck on a silent connection, and asks how the
//! database is when something takes long.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use steward_domain::policy::Lane;

use super::{ConnectionUse, Connector, Shared, control, spawn};

/// How often it looks.
const TICK: Duration = Duration::from_millis(100);
/// A job that takes longer may wait for a database that does not answer any more.
const SLOW_AFTER: Duration = Duration::from_secs(1);
/// How long the database may be silent when it is asked how it is.
const SILENCE_TIMEOUT: Duration = Duration::from_millis(1_500);
/// The same while the breaker is open, when nobody waits for it: of several hosts each is tried for 2 s.
const PROBE_INTERVAL: Duration = Duration::from_secs(15);
/// How much longer than its statement limit a connection may be silent.
const CANCEL_GRACE: Duration = Duration::from_secs(2);
/// How long a worker of a time before a recovery may stay busy after it.
const RECOVERY_TIME: Duration = Duration::from_millis(500);

/// Watches until the executor is dropped.
pub(super) fn work<K: Connector>(shared: &Arc<Shared<K>>) {
    let (mut ticks, mut was_open) = (0_u64, false);
    while !shared.is_stopped() {
        thread::sleep(TICK);
        ticks = ticks.wrapping_add(1);
        let is_open = shared.breaker.is_open();
        let has_recovered = was_open && !is_open;
        was_open = is_open;
        for lane in Lane::ALL {
            look_after(shared, lane, has_recovered);
        }
        // Every half second while something takes long.
        if ticks.is_multiple_of(5) && is_suspicious(shared) {
            shared.control.request_probe();
        }
        let silence = if is_open { PROBE_INTERVAL } else { SILENCE_TIMEOUT };
        if shared.control.busy_for().is_some_and(|time| time > silence) {
            silent(shared);
        }
    }
}

fn is_suspicious<K: Connector>(shared: &Shared<K>) -> bool {
    Lane::ALL.into_iter().any(|lane| shared.lane(lane).workers.longest().is_some_and(|time| time > SLOW_AFTER))
}

fn look_after<K: Connector>(shared: &Arc<Shared<K>>, lane: Lane, has_recovered: bool) {
    let workers = &shared.lane(lane).workers;
    workers.unwanted().into_iter().for_each(|ticket| shared.control.cancel(ticket));
    let limit = if has_recovered { RECOVERY_TIME } else { ConnectionUse::Lane(lane).statement_limit() + CANCEL_GRACE };
    let room = shared.most_abandoned.saturating_sub(shared.abandoned.load(Ordering::Acquire));
    let stuck = workers.abandon(limit, room);
    if stuck == 0 {
        return;
    }
    tracing::error!(lane = lane.as_str(), stuck, "database connections are silent; they are replaced");
    shared.abandoned.fetch_add(stuck, Ordering::AcqRel);
    for _ in 0..stuck {
        if let Err(error) = shared.enrol(lane) {
            tracing::error!(%error, "a database worker could not be replaced");
        }
    }
    if shared.abandoned.load(Ordering::Acquire) >= shared.most_abandoned {
        shared.trip("too many connections are silent");
    }
}

/// The database does not even say how it is. Whoever asked is given up on, and another goes on asking.
fn silent<K: Connector>(shared: &Arc<Shared<K>>) {
    shared.trip("a check of the database got no answer");
    if shared.abandoned.load(Ordering::Acquire) >= shared.most_abandoned {
        return;
    }
    shared.abandoned.fetch_add(1, Ordering::AcqRel);
    let (generation, successor) = (shared.control.abandon(), shared.clone());
    if let Err(error) = spawn(shared.name, move || control::work(&successor, generation)) {
        tracing::error!(%error, "the database cannot be checked any more");
    }
}
