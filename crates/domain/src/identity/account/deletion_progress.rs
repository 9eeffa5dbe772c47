//! The progress of a deletion that is too large for one request.

/// How far a deletion has come when the use case returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeletionProgress {
    /// The account and its data are deleted.
    Complete,
    /// No credential of the account works. The rest is deleted in the background.
    Continues,
}
