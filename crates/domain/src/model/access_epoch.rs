//! What a decision about access rests on.

use super::{AccountId, ProjectId, ServerKeyId};

/// A counter of an account or project. Every write that may change what somebody may do raises it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AccessEpoch(pub i64);

/// What a decision about access rests on. As long as the store has these epochs and this key, the decision holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AccessBasis {
    /// The project whose data is used.
    pub project: Option<(ProjectId, AccessEpoch)>,
    /// The person who acts.
    pub account: Option<(AccountId, AccessEpoch)>,
    /// The key that signed their token.
    pub signed_by: Option<ServerKeyId>,
}
