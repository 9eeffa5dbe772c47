//! How many sign-ins are in progress at a provider, so that one that does not respond delays only its own.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use steward_domain::model::IdentityProviderId;

/// Maximum number at one provider, and at all together. Each holds at most a few responses in memory.
const MAX_PER_PROVIDER: usize = 16;
const MAX_IN_TOTAL: usize = 128;

/// The sign-ins that are in progress.
#[derive(Default)]
pub(super) struct InProgress(Arc<Mutex<Counts>>);

#[derive(Default)]
struct Counts {
    by_provider: HashMap<IdentityProviderId, usize>,
    total: usize,
}

/// A sign-in that is in progress until it is dropped.
pub(super) struct Slot {
    counts: Arc<Mutex<Counts>>,
    provider: IdentityProviderId,
}

impl InProgress {
    /// Counts a further sign-in; `None` if there are too many.
    pub(super) fn begin(&self, provider: IdentityProviderId) -> Option<Slot> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_provider = counts.by_provider.get(&provider).copied().unwrap_or_default();
        if of_provider >= MAX_PER_PROVIDER || counts.total >= MAX_IN_TOTAL {
            return None;
        }
        counts.by_provider.insert(provider, of_provider + 1);
        counts.total += 1;
        Some(Slot { counts: self.0.clone(), provider })
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.total = counts.total.saturating_sub(1);
        let left = counts.by_provider.get(&self.provider).copied().unwrap_or_default().saturating_sub(1);
        if left == 0 {
            counts.by_provider.remove(&self.provider);
        } else {
            counts.by_provider.insert(self.provider, left);
        }
    }
}

#[cfg(test)]
mod tests {
    use steward_domain::mocks::id_of;

    use super::*;

    #[test]
    fn a_provider_with_many_sign_ins_leaves_room_for_others() {
        let in_progress = InProgress::default();
        let (slow, other) = (IdentityProviderId::from(id_of("slow")), IdentityProviderId::from(id_of("other")));
        let mut slots: Vec<_> = (0..MAX_PER_PROVIDER).map(|_| in_progress.begin(slow).unwrap()).collect();
        assert!(in_progress.begin(slow).is_none() && in_progress.begin(other).is_some());
        slots.pop();
        assert!(in_progress.begin(slow).is_some());
        slots.clear();
        let all = (0..MAX_IN_TOTAL).map(|number| in_progress.begin(id_of(&format!("{number:08}")).into()));
        let all: Vec<_> = all.map(Option::unwrap).collect();
        assert!(in_progress.begin(other).is_none());
        drop(all);
        assert!(in_progress.begin(other).is_some() && in_progress.0.lock().unwrap().by_provider.is_empty());
    }
}
