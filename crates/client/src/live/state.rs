//! What a program stores of live items, to continue after it ended.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::change::{Change, Fields};
use crate::debug::opaque;

/// Maximum number of changes that wait for the service. It rejects what exceeds this in one message, too.
pub(super) const MAX_PENDING: usize = 50_000;

/// Items and pending changes, as [`LiveItems::state`](crate::LiveItems::state) returns them. The form as JSON is that of the
/// other SDKs.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(try_from = "State")]
pub struct LiveState(pub(super) State);

#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) device: Option<String>,
    pub(super) revision: Option<u64>,
    pub(super) items: BTreeMap<String, BTreeMap<String, Arc<Fields>>>,
    pub(super) pending: Vec<Change>,
    /// Number of the last pending change.
    pub(super) sequence: u64,
}

impl TryFrom<State> for LiveState {
    type Error = &'static str;

    fn try_from(stored: State) -> Result<Self, Self::Error> {
        let count = u64::try_from(stored.pending.len()).unwrap_or(u64::MAX);
        // Numbers in JSON are exact up to 2^53.
        if stored.pending.len() > MAX_PENDING || stored.sequence < count || stored.sequence >= 1 << 53 {
            return Err("not a state of live items: `sequence` or the number of changes in `pending` is not possible");
        }
        Ok(Self(stored))
    }
}

// Items are personal data.
opaque!(LiveState, |state| revision = state.0.revision, pending = state.0.pending.len());
