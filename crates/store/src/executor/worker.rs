//! A worker: a thread that holds a connection and runs one job at a time on it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use steward_domain::policy::Lane;

use super::connector::{ConnectionUse, Connector, OpenedConnection};
use super::shared::{Shared, spawn};
use super::ticket::run_as_job;
use super::workers::{WorkerAction, Workers};

/// A connection that was idle for this long is checked before it is reused.
const IDLE: Duration = Duration::from_secs(10);
/// Pause of a worker that failed to connect; other workers take its jobs.
const RETRY_DELAY: Duration = Duration::from_millis(200);

struct HeldConnection<C> {
    opened: OpenedConnection<C>,
    epoch: u64,
    used_at: Instant,
}

/// Starts a worker of a lane.
pub(super) fn start<K: Connector>(shared: &Arc<Shared<K>>, lane: Lane) -> Result<(), std::io::Error> {
    let (name, shared, workers) = (shared.name, shared.clone(), shared.lane(lane).workers.clone());
    let number = workers.register();
    spawn(name, move || work(&shared, &workers, number))
}

/// Runs the worker until its lane no longer needs it.
fn work<K: Connector>(shared: &Arc<Shared<K>>, workers: &Workers<K::Connection>, number: u64) {
    let mut held: Option<HeldConnection<K::Connection>> = None;
    loop {
        let is_fresh =
            || held.as_ref().is_some_and(|held| held.epoch == shared.breaker.epoch() && held.used_at.elapsed() < IDLE);
        match workers.next(number, is_fresh) {
            WorkerAction::Run(tenant, job) => {
                let Some(connection) = &mut held else { continue };
                let (is_reusable, was_cancelled) = if job.ticket.begin(connection.opened.backend) {
                    let action = job.action;
                    let is_reusable = run_as_job(&job.ticket, || action(&mut connection.opened.connection));
                    (is_reusable, job.ticket.end())
                } else {
                    (true, false)
                };
                connection.used_at = Instant::now();
                let is_registered = workers.finish(number, tenant);
                if !is_reusable || was_cancelled || !is_registered {
                    held = None;
                    workers.connected(false);
                }
                if !is_reusable && !was_cancelled {
                    shared.control.request_probe();
                }
                if !is_registered {
                    shared.abandoned.fetch_sub(1, Ordering::AcqRel);
                    return;
                }
            }
            WorkerAction::Connect => {
                let previous = held.take();
                if previous.is_some() {
                    workers.connected(false);
                }
                match reconnect(shared, workers, previous) {
                    Some(connection) => {
                        workers.connected(true);
                        held = Some(connection);
                    }
                    None => workers.hand_over(number, RETRY_DELAY),
                }
            }
            WorkerAction::End => {
                if held.is_some() {
                    workers.connected(false);
                }
                if !shared.is_stopped() {
                    shared.abandoned.fetch_sub(1, Ordering::AcqRel);
                }
                return;
            }
        }
    }
}

/// Returns the previous connection if it still works, or a new one. Returns `None` if connecting fails; a probe then
/// checks the database.
fn reconnect<K: Connector>(
    shared: &Shared<K>,
    workers: &Workers<K::Connection>,
    previous: Option<HeldConnection<K::Connection>>,
) -> Option<HeldConnection<K::Connection>> {
    let epoch = shared.breaker.epoch();
    if let Some(mut previous) = previous.filter(|previous| previous.epoch == epoch)
        && shared.connector.is_alive(&mut previous.opened.connection)
    {
        return Some(HeldConnection { used_at: Instant::now(), ..previous });
    }
    match shared.connector.connect(ConnectionUse::Lane(workers.lane)) {
        Ok(opened) => Some(HeldConnection { opened, epoch, used_at: Instant::now() }),
        Err(error) => {
            tracing::debug!(error = %format_args!("{error:#}"), "A database worker cannot connect.");
            shared.control.request_probe();
            None
        }
    }
}
