//! Positions of the events that a change writes.

use std::sync::atomic::Ordering;

use super::Conn;
use super::queries::kernel::position_domain;
use crate::error::JobError;
use crate::position_marker::PositionMarker;

/// Runs work that writes events, after opening a domain if this process has none.
pub(super) fn with_positions<T>(
    conn: &mut Conn,
    marker: &PositionMarker,
    mut work: impl FnMut(&mut Conn) -> Result<T, JobError>,
) -> Result<T, JobError> {
    if !marker.has_domain.load(Ordering::Relaxed) && !position_domain::has_domain(conn, marker)? {
        position_domain::open(conn, marker)?;
    }
    work(conn)
}
