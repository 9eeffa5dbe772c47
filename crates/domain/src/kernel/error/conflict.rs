//! Conflicts of a change with the current state.

use crate::data::schema::SchemaDiff;
use crate::kernel::policy::Quota;
use crate::kernel::{ResourceKind, Slug};

use super::ErrorCode;

/// Why a change conflicts with the current state.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Conflict {
    /// Another team or project has the slug.
    #[error("The slug \"{slug}\" is already taken. Choose another one, such as \"{free}\".")]
    SlugTaken {
        /// The requested slug.
        slug: Slug,
        /// A similar slug that is available.
        free: Slug,
    },
    /// Another account has the email.
    #[error("An account with this email already exists. Sign in instead.")]
    EmailTaken,
    /// Another account has the username.
    #[error("This username is already taken. Choose another one.")]
    UsernameTaken,
    /// The change would leave the team without an owner.
    #[error("A team must have at least one owner. Make another member an owner first.")]
    LastOwner,
    /// The change would leave these teams without an owner.
    #[error(
        "The account is the last owner of these teams: {}. Make another member an owner or delete the teams first.",
        slugs(.0)
    )]
    LastOwnerOf(Vec<Slug>),
    /// The account is being deleted, so it cannot be enabled.
    #[error("The account is being deleted. It cannot be enabled again.")]
    AccountBeingDeleted,
    /// The project user is being deleted, so they cannot be changed.
    #[error("The user is being deleted. They cannot be changed or unblocked.")]
    UserBeingDeleted,
    /// A new signing key is already published and not in use yet. Holds the RFC 3339 time from which it is used.
    #[error("A new signing key is already published and is used from {0}. Use --now to use it immediately.")]
    SigningKeyPending(String),
    /// The account is already a member of the team.
    #[error("The account is already a member of the team.")]
    AlreadyMember,
    /// The team still owns projects.
    #[error("The team still owns projects. Delete them first.")]
    TeamOwnsProjects,
    /// The schema version is already published.
    #[error(
        "Schema version {current} is already published. Read it, apply your changes to it and publish version {}.",
        .current.saturating_add(1)
    )]
    VersionTaken {
        /// The newest published version.
        current: u32,
    },
    /// Stored items would no longer match the schema.
    #[error(
        "Some stored items would no longer match the schema (see `diff`). To publish it anyway, add \
         ?allow_destructive=true. No data is deleted."
    )]
    SchemaBreaking(SchemaDiff),
    /// Checking the stored items against the schema takes too long.
    #[error(
        "The changed tables contain too many items to check them against the schema. To publish it without the check, \
         add ?allow_destructive=true. No data is deleted."
    )]
    TooManyItems,
    /// The user is disconnected or blocked, so their data cannot be changed.
    #[error(
        "The user is not connected to the project, so their data cannot be changed. Connect or unblock the user first."
    )]
    UserNotConnected,
    /// The `Idempotency-Key` was used for a different request.
    #[error("This Idempotency-Key was already used for a different request. Use a new key for each request.")]
    IdempotencyMismatch,
    /// The first request with the `Idempotency-Key` has not finished yet.
    #[error("The first request with this Idempotency-Key is still in progress. Try again in a moment.")]
    IdempotencyInProgress,
    /// The first request with the `Idempotency-Key` was completed, but its response was not stored.
    #[error(
        "The first request with this Idempotency-Key was completed, but its response was lost. Read the resource to \
         see the result."
    )]
    IdempotencyResponseLost,
    /// The change would exceed a quota.
    #[error("The limit of {limit} {quota} is reached. Delete some, or ask the operator to raise {}.", .quota.setting())]
    QuotaExceeded {
        /// The quota that would be exceeded.
        quota: Quota,
        /// Its limit.
        limit: u64,
    },
    /// Other requests changed the resource between read and write, in every attempt.
    #[error("The {0} is being changed by other requests. Try again.")]
    Contended(ResourceKind),
}

impl Conflict {
    pub(super) const fn code(&self) -> ErrorCode {
        match self {
            Self::SlugTaken { .. } => ErrorCode::SlugTaken,
            Self::EmailTaken => ErrorCode::EmailTaken,
            Self::UsernameTaken => ErrorCode::UsernameTaken,
            Self::LastOwner | Self::LastOwnerOf(_) => ErrorCode::LastOwner,
            Self::AlreadyMember => ErrorCode::AlreadyMember,
            Self::TeamOwnsProjects => ErrorCode::TeamOwnsProjects,
            Self::VersionTaken { .. } => ErrorCode::VersionConflict,
            Self::SchemaBreaking(_) => ErrorCode::SchemaBreaking,
            Self::TooManyItems => ErrorCode::TooManyItems,
            Self::UserNotConnected => ErrorCode::UserNotConnected,
            Self::IdempotencyMismatch => ErrorCode::IdempotencyMismatch,
            Self::IdempotencyInProgress => ErrorCode::IdempotencyInProgress,
            Self::IdempotencyResponseLost => ErrorCode::IdempotencyResponseLost,
            Self::QuotaExceeded { .. } => ErrorCode::QuotaExceeded,
            Self::AccountBeingDeleted | Self::UserBeingDeleted | Self::SigningKeyPending(_) | Self::Contended(_) => {
                ErrorCode::Contended
            }
        }
    }
}

fn slugs(slugs: &[Slug]) -> String {
    slugs.iter().map(Slug::as_str).collect::<Vec<_>>().join(", ")
}
