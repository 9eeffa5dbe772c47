//! The thread of the control connection, which runs no jobs: it checks whether the database responds, and cancels
//! abandoned jobs.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use anyhow::anyhow;
use steward_domain::kernel::HealthError;

use super::connector::{ConnectionUse, Connector, OpenedConnection};
use super::control::Task;
use super::shared::Shared;
use super::ticket::Ticket;

/// Runs the control thread until it is stopped or abandoned.
pub(super) fn work<K: Connector>(shared: &Arc<Shared<K>>, generation: u64) {
    let mut current: Option<OpenedConnection<K::Connection>> = None;
    loop {
        match shared.control.next(generation, || shared.is_disturbed()) {
            Task::Cancel(ticket) => cancel(shared, &mut current, &ticket),
            Task::Check(replies) => {
                let result = check(shared, &mut current);
                if shared.control.is_current(generation) {
                    shared.found(result.as_ref());
                }
                for reply in replies {
                    drop(reply.send(result.as_ref().copied().map_err(copy_of)));
                }
            }
            Task::End => break,
        }
    }
    if !shared.is_stopped() {
        shared.abandoned.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Copies the error for another caller.
fn copy_of(error: &HealthError) -> HealthError {
    match error {
        HealthError::Unreachable(cause) => HealthError::Unreachable(anyhow!("{cause:#}")),
        HealthError::ReadOnly => HealthError::ReadOnly,
        HealthError::CommitsHang => HealthError::CommitsHang,
    }
}

fn connection<'a, K: Connector>(
    shared: &Shared<K>,
    current: &'a mut Option<OpenedConnection<K::Connection>>,
) -> Result<&'a mut K::Connection, anyhow::Error> {
    let opened = match current.take() {
        Some(opened) => opened,
        None => shared.connector.connect(ConnectionUse::Control)?,
    };
    Ok(&mut current.insert(opened).connection)
}

/// Checks the database. If the existing connection reports an error, the check is repeated on a new connection: the
/// database may have moved to another server.
fn check<K: Connector>(
    shared: &Shared<K>,
    current: &mut Option<OpenedConnection<K::Connection>>,
) -> Result<(), HealthError> {
    let had_connection = current.is_some();
    let first = check_connection(shared, current);
    if first.is_ok() || !had_connection {
        return first;
    }
    let second = check_connection(shared, current);
    if second.is_ok() {
        shared.breaker.renew();
    }
    second
}

fn check_connection<K: Connector>(
    shared: &Shared<K>,
    current: &mut Option<OpenedConnection<K::Connection>>,
) -> Result<(), HealthError> {
    let connection = connection(shared, current).map_err(HealthError::Unreachable)?;
    let result = shared.connector.check(connection);
    if matches!(result, Err(HealthError::Unreachable(_) | HealthError::ReadOnly)) {
        *current = None;
    }
    result
}

fn cancel<K: Connector>(shared: &Shared<K>, current: &mut Option<OpenedConnection<K::Connection>>, ticket: &Ticket) {
    if !ticket.can_be_cancelled() || shared.breaker.is_open() {
        return;
    }
    let Ok(connection) = connection(shared, current) else { return shared.control.request_probe() };
    let mut failed = None;
    ticket.cancel(|backend| failed = shared.connector.cancel(connection, backend).err());
    if let Some(error) = failed {
        tracing::warn!(error = %format_args!("{error:#}"), "Unable to cancel an abandoned query.");
        *current = None;
    }
}
