//! The stored state that an access decision depends on.

use crate::kernel::{AccountId, ProjectId, ServerKeyId};

/// A counter of an account or project. Every write that may change someone's permissions increments it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AccessEpoch(pub i64);

/// The stored state that an access decision depends on. The decision is valid as long as the store has these epochs and
/// this key.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AccessBasis {
    /// The project that is accessed.
    pub project: Option<(ProjectId, AccessEpoch)>,
    /// The account that makes the request.
    pub account: Option<(AccountId, AccessEpoch)>,
    /// The server key that signed the caller's token.
    pub signed_by: Option<ServerKeyId>,
}
