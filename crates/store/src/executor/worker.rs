//! A worker: a thread that keeps a connection and does one job after the other on it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::ticket::as_job;
use super::workers::{WorkerAction, Workers};
use super::{ConnectionUse, Connector, OpenedConnection, Shared};

/// A connection that lay idle for so long is checked before it is used again.
const IDLE: Duration = Duration::from_secs(10);
/// How long a worker that could not connect leaves jobs to the others.
const RETRY_DELAY: Duration = Duration::from_millis(200);

struct KeptConnection<C> {
    opened: OpenedConnection<C>,
    epoch: u64,
    used_at: Instant,
}

/// Works until the lane does not need this worker any more.
pub(super) fn work<K: Connector>(shared: &Arc<Shared<K>>, workers: &Workers<K::Connection>, number: u64) {
    let mut kept: Option<KeptConnection<K::Connection>> = None;
    loop {
        let is_fresh =
            || kept.as_ref().is_some_and(|kept| kept.epoch == shared.breaker.epoch() && kept.used_at.elapsed() < IDLE);
        match workers.next(number, is_fresh) {
            WorkerAction::Run(tenant, job) => {
                let Some(connection) = &mut kept else { continue };
                let (may_keep, was_cancelled) = if job.ticket.begin(connection.opened.backend) {
                    let action = job.action;
                    let may_keep = as_job(&job.ticket, || action(&mut connection.opened.connection));
                    (may_keep, job.ticket.end())
                } else {
                    (true, false)
                };
                connection.used_at = Instant::now();
                let is_enrolled = workers.finished(number, tenant);
                if !may_keep || was_cancelled || !is_enrolled {
                    kept = None;
                    workers.connected(false);
                }
                if !may_keep && !was_cancelled {
                    shared.control.request_probe();
                }
                if !is_enrolled {
                    shared.abandoned.fetch_sub(1, Ordering::AcqRel);
                    return;
                }
            }
            WorkerAction::Connect => {
                let before = kept.take();
                if before.is_some() {
                    workers.connected(false);
                }
                match renewed(shared, workers, before) {
                    Some(connection) => {
                        workers.connected(true);
                        kept = Some(connection);
                    }
                    None => workers.pass_on(number, RETRY_DELAY),
                }
            }
            WorkerAction::End => {
                if kept.is_some() {
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

/// The connection from before if it still answers, or a new one. `None`: none can be had, and a probe is to find out why.
fn renewed<K: Connector>(
    shared: &Shared<K>,
    workers: &Workers<K::Connection>,
    before: Option<KeptConnection<K::Connection>>,
) -> Option<KeptConnection<K::Connection>> {
    let epoch = shared.breaker.epoch();
    if let Some(mut before) = before.filter(|before| before.epoch == epoch)
        && shared.connector.is_alive(&mut before.opened.connection)
    {
        return Some(KeptConnection { used_at: Instant::now(), ..before });
    }
    match shared.connector.connect(ConnectionUse::Lane(workers.lane)) {
        Ok(opened) => Some(KeptConnection { opened, epoch, used_at: Instant::now() }),
        Err(error) => {
            tracing::debug!(error = %format_args!("{error:#}"), "a database worker has no connection");
            shared.control.request_probe();
            None
        }
    }
}
