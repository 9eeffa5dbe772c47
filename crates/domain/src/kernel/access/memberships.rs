//! Memberships in projects, of which those of cached callers come from a cache.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};

use lru::LruCache;

use crate::administration::ProjectMembership;
use crate::kernel::error::Error;
use crate::kernel::{AccessEpoch, AccessReader, AccountId, Caller, ProjectId, lock};

/// Maximum number of memberships in the cache for cached callers.
const MAX_MEMBERSHIPS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(9_999);

/// A membership, and an access epoch of the account. The membership was read at or after this epoch.
type Cached = (ProjectMembership, AccessEpoch);

/// Reads memberships in projects.
#[derive(Clone)]
pub(super) struct Memberships {
    entries: Arc<Mutex<LruCache<(AccountId, ProjectId), Cached>>>,
    reader: Arc<dyn AccessReader>,
}

impl Memberships {
    /// Creates an empty cache.
    pub(super) fn new(reader: Arc<dyn AccessReader>) -> Self {
        Self { entries: Arc::new(Mutex::new(LruCache::new(MAX_MEMBERSHIPS))), reader }
    }

    /// Returns the account's membership in a project. For a cached caller it may come from the cache; it is never older
    /// than the account's epoch in its cache entry.
    pub(super) async fn get(
        &self,
        caller: &Caller,
        account: AccountId,
        id: ProjectId,
    ) -> Result<Option<ProjectMembership>, Error> {
        let epoch = caller.basis.account.map(|(_, epoch)| epoch);
        if caller.is_cached {
            let known = lock(&self.entries).get(&(account, id)).cloned();
            if let Some((membership, _)) = known.filter(|(_, known)| Some(*known) == epoch) {
                return Ok(Some(membership));
            }
        }
        let found = self.reader.project_membership(account, id).await?;
        if let Some((found, epoch)) = found.as_ref().zip(epoch) {
            let project = Arc::new(found.project.for_cache());
            let membership = ProjectMembership { project, roles: found.roles.clone() };
            lock(&self.entries).put((account, id), (membership, epoch));
        }
        Ok(found)
    }
}
