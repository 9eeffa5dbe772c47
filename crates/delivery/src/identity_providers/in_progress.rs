//! How many sign-ins are in progress at providers, so that one that does not respond delays only its own.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use steward_domain::identity::IdentityProvider;
use steward_domain::kernel::{IdentityProviderId, ProjectId};

/// Maximum number at one provider of the service, and at all providers of one project.
const MAX_PER_OWNER: usize = 16;
/// Maximum number at all providers of projects together, and at those of the service. Each holds at most a few responses in
/// memory.
const MAX_IN_TOTAL: usize = 64;

/// The sign-ins that are in progress.
#[derive(Default)]
pub(super) struct InProgress(Arc<Mutex<Counts>>);

/// Whose sign-ins are counted together.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Owner {
    Provider(IdentityProviderId),
    Project(ProjectId),
}

type Counts = HashMap<Owner, usize>;

/// A sign-in that is in progress until it is dropped.
pub(super) struct Slot {
    counts: Arc<Mutex<Counts>>,
    owner: Owner,
}

impl InProgress {
    /// Counts a further sign-in; `None` if there are too many.
    pub(super) fn begin(&self, provider: &IdentityProvider) -> Option<Slot> {
        let owner = provider.project_id.map_or(Owner::Provider(provider.id), Owner::Project);
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same_kind = |other: &Owner| matches!(other, Owner::Project(_)) == provider.project_id.is_some();
        let total: usize = counts.iter().filter(|(owner, _)| is_same_kind(owner)).map(|(_, count)| count).sum();
        let own = counts.get(&owner).copied().unwrap_or_default();
        if own >= MAX_PER_OWNER || total >= MAX_IN_TOTAL {
            return None;
        }
        counts.insert(owner, own + 1);
        Some(Slot { counts: self.0.clone(), owner })
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        match counts.get(&self.owner).copied() {
            Some(count) if count > 1 => drop(counts.insert(self.owner, count - 1)),
            _ => drop(counts.remove(&self.owner)),
        }
    }
}

#[cfg(test)]
mod tests {
    use steward_domain::mocks::{a_provider, id_of};

    use super::*;

    fn provider(name: &str, project: Option<&str>) -> IdentityProvider {
        let project_id = project.map(|name| id_of(name).into());
        IdentityProvider { id: id_of(name).into(), project_id, ..a_provider() }
    }

    #[test]
    fn a_provider_with_many_sign_ins_leaves_room_for_others() {
        let in_progress = InProgress::default();
        let (slow, other) = (provider("slow", None), provider("other", None));
        let mut slots: Vec<_> = (0..MAX_PER_OWNER).map(|_| in_progress.begin(&slow).unwrap()).collect();
        assert!(in_progress.begin(&slow).is_none() && in_progress.begin(&other).is_some());
        slots.pop();
        assert!(in_progress.begin(&slow).is_some());
        slots.clear();
        assert!(in_progress.0.lock().unwrap().is_empty());
    }

    #[test]
    fn the_providers_of_a_project_share_their_sign_ins_and_leave_room_for_those_of_the_service() {
        let in_progress = InProgress::default();
        let begin = |name: &str, project: usize| in_progress.begin(&provider(name, Some(&format!("{project:08}"))));
        let of_one: Vec<_> = (0..MAX_PER_OWNER).map(|number| begin(&format!("p{number}"), 0).unwrap()).collect();
        assert!(begin("another", 0).is_none() && begin("another", 1).is_some());
        let all: Vec<_> = (of_one.len()..MAX_IN_TOTAL).map(|number| begin("x", number).unwrap()).collect();
        assert!(begin("y", MAX_IN_TOTAL).is_none() && in_progress.begin(&provider("of-service", None)).is_some());
        drop((of_one, all));
        assert!(begin("y", MAX_IN_TOTAL).is_some());
    }
}
