//! Why a request is rejected before or instead of its handler.

use steward_domain::kernel::error::Error;

/// Why a request is rejected before or instead of its handler.
#[derive(Debug)]
pub enum Rejection {
    /// Too many bytes of responses wait to be read: by this caller, or by all callers together.
    TooManyInFlight {
        /// Whether the limit of the caller is exceeded.
        by_caller: bool,
    },
    /// Too many bytes of request bodies are in memory.
    TooManyReceived,
    /// A rate limit or a time limit is exceeded.
    Failed(Error),
}

/// Too many bytes of request bodies are in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooManyReceived;

impl From<Error> for Rejection {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}
