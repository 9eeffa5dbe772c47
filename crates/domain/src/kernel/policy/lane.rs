//! Lanes: the groups of workers that requests and jobs wait for.

use std::time::Duration;

/// A group of workers with separate connections and time limits, so that no kind of work starves another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lane {
    /// Point reads and writes for which a caller waits.
    Interactive,
    /// Reads that no index bounds: dry runs, free queries, statistics, exports and logs.
    Heavy,
    /// Work for which no caller waits: sealing the audit log, webhooks, cleanup and building indexes.
    Background,
}

impl Lane {
    /// All lanes.
    pub const ALL: [Self; 3] = [Self::Interactive, Self::Heavy, Self::Background];

    /// Returns how long a request of this lane may wait for the store in total, or each step in the background lane.
    /// Interactive requests are answered within 5 seconds whatever happens to the store.
    pub const fn time_limit(self) -> Duration {
        match self {
            Self::Interactive => Duration::from_millis(4_500),
            Self::Heavy => Duration::from_millis(9_000),
            Self::Background => Duration::from_millis(15_000),
        }
    }

    /// Returns the name used in metrics, logs and docs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Interactive => "interactive",
            Self::Heavy => "heavy",
            Self::Background => "background",
        }
    }
}
