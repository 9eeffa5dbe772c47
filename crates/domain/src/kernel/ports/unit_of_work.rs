//! The unit of work: the only way to store changes.

use async_trait::async_trait;

use crate::data::StoredItem;
use crate::kernel::changes::Changes;
use crate::kernel::error::{Cause, Conflict, Error, ResourceKind};
use crate::kernel::policy::Quota;

/// Uniqueness constraints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unique {
    /// The email of an account, case-insensitive.
    AccountEmail,
    /// The username of an account, case-insensitive.
    AccountUsername,
    /// The current and previous slugs of teams.
    TeamSlug,
    /// The current and previous slugs of projects.
    ProjectSlug,
    /// An account in a team.
    Member,
    /// A pending invite per team and recipient.
    PendingInvite,
    /// The digest of a key.
    KeyDigest,
    /// The number of a schema version in a project.
    SchemaNumber,
    /// An account in a project.
    ProjectUser,
    /// The generation of a server key per purpose.
    ServerKeyGeneration,
    /// A grant per account and project.
    Grant,
    /// The authenticator app of an account.
    AuthenticatorApp,
    /// The ID of the credential of a passkey.
    Passkey,
    /// An identity at a provider, and an account at a provider.
    LinkedIdentity,
    /// The recovery codes of an account.
    RecoveryCodes,
    /// The digest of an opaque token.
    TokenDigest,
    /// The code that the person enters for a device.
    UserCode,
    /// The ID of an entity.
    Id,
}

/// Why nothing was stored. Messages are fragments, because they appear in chains of causes.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// A uniqueness constraint is violated.
    #[error("the uniqueness constraint {0:?} is violated")]
    Taken(Unique),
    /// The entity changed since it was loaded, or a precondition does not hold.
    #[error("the {0} changed since it was loaded")]
    Stale(ResourceKind),
    /// The parent of the entity does not exist, or a team that is removed still owns projects.
    #[error("the parent does not exist, or still has children")]
    Orphaned,
    /// The change would exceed a quota. Holds the quota and its limit.
    #[error("the limit of {1} {0} is exceeded")]
    OverQuota(Quota, u64),
    /// The store cannot be reached or is overloaded. Nothing was stored.
    #[error("the store is unavailable")]
    Unavailable(#[source] Cause),
    /// The connection broke, or the time limit passed, while the change was stored.
    #[error("it is not known whether the change was stored")]
    Unknown(#[source] Cause),
    /// The disk of the store is full. Nothing was stored.
    #[error("the store has no space left")]
    Full(#[source] Cause),
    /// The store failed for an unexpected reason.
    #[error("the store rejected the change")]
    Refused(#[source] Cause),
}

impl CommitError {
    /// Returns the error of a change in a team or project that may not exist.
    pub(crate) fn within(self, parent: ResourceKind) -> Error {
        if matches!(self, Self::Orphaned) { Error::NotFound(parent) } else { self.into() }
    }
}

impl From<CommitError> for Error {
    /// For commits whose conflicts have no specific meaning in the use case.
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::Unavailable(cause) => Self::Unavailable(cause),
            CommitError::Unknown(cause) => Self::OutcomeUnknown(cause),
            CommitError::Full(cause) => Self::StorageFull(cause),
            CommitError::Stale(kind) => Conflict::Contended(kind).into(),
            CommitError::OverQuota(quota, limit) => Conflict::QuotaExceeded { quota, limit }.into(),
            other => Self::Internal(other.into()),
        }
    }
}

/// Result of writing an item.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemOutcome {
    /// The item after the write, or before it if the item was removed.
    pub stored: StoredItem,
    /// Whether the write created the item.
    pub created: bool,
}

/// Result of a commit.
#[derive(Debug, Default, PartialEq)]
pub struct Committed {
    /// Results of the item writes, in the order of the writes.
    pub items: Vec<ItemOutcome>,
    /// Number of items that `EraseItems` removed, or of rows that `RemoveUserData` removed.
    pub erased: usize,
    /// First and last position of the item changes, if the change records a receipt. No other change has one of these
    /// positions.
    pub positions: Option<(i64, i64)>,
}

/// Stores changes atomically.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait UnitOfWork: Send + Sync {
    /// Stores all writes and audit events, or nothing. Once it returns, they survive a crash.
    ///
    /// With any number of concurrent commits, MUST reject:
    /// - an insert of an existing entity (`Taken`),
    /// - a replace, removal or lock of an entity that was deleted or has another revision (`Stale`),
    /// - a hold of a member that was deleted or has another revision (`Stale`),
    /// - an insert under a parent that does not exist, and a removal of a team that owns projects (`Orphaned`),
    /// - a removal of a project user with more rows than one step may remove (`Stale`): see `RemoveUserData`,
    /// - a write of an item whose precondition does not hold or whose user is not connected
    ///   (`Stale(ResourceKind::Item)`),
    /// - the end of a deletion that has ended, and restoring an item that exists or whose user is not connected
    ///   (`Stale(ResourceKind::Item)`),
    /// - an import of a portion of an import that has ended or is at another portion, and importing an item whose user is
    ///   not connected (`Stale(ResourceKind::Item)`),
    /// - a change after which one of its bounds does not hold (`OverQuota`): what it deletes makes room for what it puts
    ///   after that,
    /// - a previous slug of another team or project that is not removed (`Taken`). The previous owner can use it again.
    ///
    /// MUST keep with `KeepDeletion` the items that the earlier writes of the change removed, and forget the oldest
    /// deletions of the project beyond the limits of [`crate::data::ItemDeletion`].
    ///
    /// MUST record the event of a `PutItem` or `ImportItem` as `item.created` if it creates the item, and else as `item.updated`.
    ///
    /// MUST count the day of a user's `last_seen_at` as a day on which the user was active, and MUST NOT set
    /// `last_seen_at` to an earlier time. When a refresh token is replaced, MUST delete the stored responses of the
    /// earlier tokens of its family, because only the last replaced token may be presented again.
    async fn commit(&self, changes: Changes) -> Result<Committed, CommitError>;
}
