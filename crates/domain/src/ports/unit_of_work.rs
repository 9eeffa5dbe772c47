//! The one way to change anything.

use async_trait::async_trait;

use crate::changes::Changes;
use crate::error::{Cause, Error, ResourceKind};
use crate::model::StoredItem;
use crate::policy::Quota;

/// A rule that something is there once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unique {
    /// One account an email, without letter case.
    AccountEmail,
    /// One account a username, without letter case.
    AccountUsername,
    /// One team a slug, also one that it had before.
    TeamSlug,
    /// One project a slug, also one that it had before.
    ProjectSlug,
    /// An account is in a team once.
    Member,
    /// One pending invite a team and recipient.
    PendingInvite,
    /// One key a digest.
    KeyDigest,
    /// One version of a number in a project.
    SchemaNumber,
    /// An account is in a project once.
    ProjectUser,
    /// One server key of a kind and generation.
    ServerKeyGeneration,
    /// One grant an account and project.
    Grant,
    /// One thing an opaque token.
    TokenDigest,
    /// An id is given once.
    Id,
}

/// Why nothing was stored.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// Something else has what must be there once.
    #[error("something else has it: {0:?}")]
    Taken(Unique),
    /// The thing is not as it was loaded, or a precondition does not hold.
    #[error("the {0} is not as it was loaded")]
    Stale(ResourceKind),
    /// What it belongs to is gone.
    #[error("what it belongs to is gone")]
    Orphaned,
    /// A condition of the change does not hold: there would be more than the quota allows.
    #[error("the quota of {0} is used up")]
    OverQuota(Quota, u64),
    /// The store cannot be reached, or has too much to do. Nothing was stored, unless the connection broke during the commit.
    #[error("the store cannot be reached")]
    Unavailable(#[source] Cause),
    /// The store refuses for a reason that should not be.
    #[error("the store refused the change")]
    Refused(#[source] Cause),
}

impl From<CommitError> for Error {
    /// For commits whose conflicts mean nothing in particular to the use case.
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::Unavailable(cause) => Self::Unavailable(cause),
            CommitError::Stale(kind) => Self::Conflict(crate::error::Conflict::Contended(kind)),
            CommitError::OverQuota(quota, limit) => {
                Self::Conflict(crate::error::Conflict::QuotaExceeded { quota, limit })
            }
            other => Self::Internal(other.into()),
        }
    }
}

/// An item as a write left it; for a removal, as it was.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemOutcome {
    /// The item.
    pub stored: StoredItem,
    /// Whether it was not there before.
    pub created: bool,
}

/// What a commit did.
#[derive(Debug, Default, PartialEq)]
pub struct Committed {
    /// What became of the items, in the order of the writes.
    pub items: Vec<ItemOutcome>,
    /// How many items were erased unseen.
    pub erased: usize,
}

/// Stores changes.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait UnitOfWork: Send + Sync {
    /// Stores all of the changes and their events, or nothing; once it answers they outlive a crash.
    ///
    /// MUST refuse an insert of what exists (`Taken`), a replace, a removal or a lock of what has another revision or is
    /// gone (`Stale`), a change that holds a member who has another revision or is gone (`Stale`), an insert under a parent that is gone and a removal of a team that owns projects (`Orphaned`), and a write of an item whose precondition does
    /// not hold or whose user is not connected (`Stale(ResourceKind::Item)`), and any change after which a bound of it does not hold
    /// (`OverQuota`), however many commit at once. A slug that a team or project once had MUST be refused
    /// to every other (`Taken`) until it is removed, and be given back to itself. MUST count the day of a user's `last_seen_at` among
    /// those on which they were active, and never move that moment back. MUST drop the answers that the earlier refresh tokens
    /// of a family kept when one of its tokens is replaced: only the last one replaced may be presented again.
    async fn commit(&self, changes: Changes) -> Result<Committed, CommitError>;
}
