//! A command line that is not valid.

/// The command line is not valid, for a reason that only the command knows.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct UsageError(pub String);
