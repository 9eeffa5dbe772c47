//! What the executor requires of a database.

use std::time::Duration;

use steward_domain::kernel::HealthError;
use steward_domain::kernel::policy::Lane;

use super::row_request::RowRequest;

/// Workers with a queue of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pool {
    /// Runs the jobs of a lane.
    Lane(Lane),
    /// Runs the writes of the interactive lane.
    Writes,
    /// Runs the row requests of the interactive lane that read.
    RowReads,
    /// Runs the row requests of the interactive lane that write.
    RowWrites,
}

impl Pool {
    pub(super) const ALL: [Self; 6] = [
        Self::Lane(Lane::Interactive),
        Self::Lane(Lane::Heavy),
        Self::Lane(Lane::Background),
        Self::Writes,
        Self::RowReads,
        Self::RowWrites,
    ];

    /// The lane whose jobs the pool runs.
    pub(super) fn lane(self) -> Lane {
        match self {
            Self::Lane(lane) => lane,
            Self::Writes | Self::RowReads | Self::RowWrites => Lane::Interactive,
        }
    }
}

/// Purpose of a connection. It determines the statement timeout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionUse {
    /// Runs the jobs of a pool.
    Pool(Pool),
    /// Checks the database and cancels jobs.
    Control,
}

impl ConnectionUse {
    /// Statement timeout: slightly less than the time limit of the callers.
    pub fn statement_limit(self) -> Duration {
        match self {
            Self::Pool(pool) => pool.lane().time_limit().saturating_sub(Duration::from_millis(500)),
            Self::Control => Duration::from_secs(1),
        }
    }
}

/// A connection, and the ID of its backend process, used for cancellation. `None` if the database has no such process.
pub struct OpenedConnection<C> {
    pub connection: C,
    pub backend: Option<i32>,
}

/// Opens and checks the connections of a database.
pub trait Connector: Send + Sync + 'static {
    /// The connection type. A connection stays on the thread that opened it.
    type Connection: 'static;
    /// The requests that one statement can run together.
    type Row: RowRequest<Self::Connection>;
    /// Whether there are such requests. If not, no workers are started for them, nor for writes.
    const HAS_ROW_REQUESTS: bool;

    /// Opens a connection. MUST give up after a few seconds.
    fn connect(&self, purpose: ConnectionUse) -> Result<OpenedConnection<Self::Connection>, anyhow::Error>;

    /// Returns whether an idle connection still works.
    fn is_alive(&self, connection: &mut Self::Connection) -> bool;

    /// Checks that the database responds and accepts writes.
    fn check(&self, connection: &mut Self::Connection) -> Result<(), HealthError>;

    /// Cancels the current statement of a backend process.
    fn cancel(&self, connection: &mut Self::Connection, backend: i32) -> Result<(), anyhow::Error>;
}
