//! Positions of the events that a change writes.

use super::Conn;
use super::queries::kernel::position_domain;
use crate::error::JobError;
use crate::position_marker::PositionMarker;

/// Runs work that writes events. If the current transaction ID has no domain, opens one and runs it again.
pub(super) fn with_positions<T>(
    conn: &mut Conn,
    marker: &PositionMarker,
    mut work: impl FnMut(&mut Conn) -> Result<T, JobError>,
) -> Result<T, JobError> {
    match work(conn) {
        Err(error) if error.lacks_position() => {
            marker.raise(position_domain::open(conn, marker)?);
            work(conn)
        }
        result => result,
    }
}
