//! A worker: a thread that holds a connection and runs one job, or one group of row requests, at a time on it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use steward_domain::kernel::policy::Lane;
use steward_domain::kernel::work::Tenant;

use super::attempt::attempt;
use super::connector::{ConnectionUse, Connector, OpenedConnection, Pool};
use super::row_request::RowRequest as _;
use super::shared::{JobPool, Shared, spawn};
use super::ticket::{Ticket, run_as_job};
use super::workers::{Group, Job, JobWork, WorkerAction, Workers};
use crate::fair_queue::Full;

/// A connection that was idle for this long is checked before it is reused.
const IDLE: Duration = Duration::from_secs(10);
/// Pause of a worker that failed to connect; other workers take its jobs.
const RETRY_DELAY: Duration = Duration::from_millis(200);

struct HeldConnection<C> {
    opened: OpenedConnection<C>,
    epoch: u64,
    used_at: Instant,
}

/// Starts a worker of a pool.
pub(super) fn start<K: Connector>(shared: &Arc<Shared<K>>, pool: Pool) -> Result<(), std::io::Error> {
    let (name, shared, workers) = (shared.name, shared.clone(), shared.pool(pool).workers.clone());
    let number = workers.register();
    spawn(name, move || work(&shared, &workers, number))
}

/// Runs the worker until its pool no longer needs it.
fn work<K: Connector>(shared: &Arc<Shared<K>>, workers: &Workers<K>, number: u64) {
    let mut held: Option<HeldConnection<K::Connection>> = None;
    loop {
        let is_fresh =
            || held.as_ref().is_some_and(|held| held.epoch == shared.breaker.epoch() && held.used_at.elapsed() < IDLE);
        match workers.next(number, is_fresh) {
            WorkerAction::Run(group) => {
                let Some(connection) = &mut held else { continue };
                let (is_reusable, was_cancelled) = run(shared, group, &mut connection.opened);
                connection.used_at = Instant::now();
                let is_registered = workers.finish(number);
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

/// Runs a group. Returns whether the connection can be reused, and whether the job was cancelled.
fn run<K: Connector>(
    shared: &Shared<K>,
    group: Group<K>,
    opened: &mut OpenedConnection<K::Connection>,
) -> (bool, bool) {
    let (mut callers, mut requests) = (Vec::new(), Vec::new());
    for (tenant, Job { ticket, work }) in group {
        match work {
            JobWork::Action(action) => {
                if !ticket.begin(opened.backend) {
                    return (true, false);
                }
                let is_reusable = run_as_job(&ticket, || action(&mut opened.connection));
                return (is_reusable, ticket.end());
            }
            // A statement that serves others too is not cancelled.
            JobWork::Row(request) if ticket.begin(None) => {
                callers.push((tenant, ticket));
                requests.push(Some(request));
            }
            JobWork::Row(_) => {}
        }
    }
    if requests.is_empty() {
        return (true, false);
    }
    let (ran, _) = attempt(|| Ok(K::Row::run_together(&mut requests, &mut opened.connection)));
    // After a panic it is not known what was written, so nothing is repeated.
    let Ok(Ok(is_reusable)) = ran else { return (false, false) };
    for ((tenant, ticket), request) in callers.into_iter().zip(requests) {
        if let Some(request) = request {
            run_alone(shared, tenant, ticket, request);
        }
    }
    (is_reusable, false)
}

/// Queues a row request as a job of its lane. If the queue is full, the caller receives an error.
fn run_alone<K: Connector>(shared: &Shared<K>, tenant: Tenant, ticket: Arc<Ticket>, request: K::Row) {
    let pool = if request.writes() { Pool::Writes } else { Pool::Lane(Lane::Interactive) };
    let action = Box::new(|connection: &mut K::Connection| request.run_alone(connection));
    let JobPool { workers, refusals } = shared.pool(pool);
    if workers.push(tenant, Job { ticket, work: JobWork::Action(action) }) == Err(Full) {
        refusals.full.fetch_add(1, Ordering::Relaxed);
    }
}

/// Returns the previous connection if it still works, or a new one. Returns `None` if connecting fails; a probe then
/// checks the database.
fn reconnect<K: Connector>(
    shared: &Shared<K>,
    workers: &Workers<K>,
    previous: Option<HeldConnection<K::Connection>>,
) -> Option<HeldConnection<K::Connection>> {
    let epoch = shared.breaker.epoch();
    if let Some(mut previous) = previous.filter(|previous| previous.epoch == epoch)
        && shared.connector.is_alive(&mut previous.opened.connection)
    {
        return Some(HeldConnection { used_at: Instant::now(), ..previous });
    }
    match shared.connector.connect(ConnectionUse::Pool(workers.pool)) {
        Ok(opened) => Some(HeldConnection { opened, epoch, used_at: Instant::now() }),
        Err(error) => {
            tracing::debug!(error = %format_args!("{error:#}"), "A database worker cannot connect.");
            shared.control.request_probe();
            None
        }
    }
}
