//! Lanes: the groups of workers that requests and jobs wait for.

use std::time::Duration;

use crate::kernel::named;

named! {
    /// A group of workers with separate connections and time limits, so that no kind of work starves another.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Lane: "the name used in metrics, logs and docs" {
        /// Point reads and writes for which a caller waits.
        Interactive = "interactive",
        /// Reads that no index bounds: dry runs, free queries, statistics, exports and logs.
        Heavy = "heavy",
        /// Work for which no caller waits: sealing the audit log, webhooks, cleanup and building indexes.
        Background = "background",
    }
}

impl Lane {
    /// Returns how long a request of this lane may wait for the store in total, or each step in the background lane.
    /// Interactive requests are answered within 5 seconds whatever happens to the store.
    pub const fn time_limit(self) -> Duration {
        match self {
            Self::Interactive => Duration::from_millis(4_500),
            Self::Heavy => Duration::from_millis(9_000),
            Self::Background => Duration::from_millis(15_000),
        }
    }
}
