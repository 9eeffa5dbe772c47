//! Audiences of tokens.

use crate::kernel::ProjectId;

/// The audience of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// This service itself, for a person who uses their own account.
    Service,
    /// One project that a person uses.
    Project(ProjectId),
}
