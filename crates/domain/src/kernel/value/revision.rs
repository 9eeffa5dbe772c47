//! Revisions: the version counter of a stored entity, and conditions on it.

use crate::kernel::error::Error;
use crate::kernel::{ResourceKind, Time};

/// The version counter of a stored entity, used for compare-and-set and in its ETag
/// (docs/contract.md#conditional-requests).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Revision(pub i64);

impl Revision {
    /// The revision of an entity that is stored for the first time.
    pub const FIRST: Self = Self(1);

    /// Returns the first revision of an entity that is stored at `at`. It grows with time, so that an entity that is
    /// deleted and created again with the same ID never has an entity tag that it had before.
    pub fn first_at(at: Time) -> Self {
        Self(at.timestamp_micros())
    }

    /// Returns the revision that the store gives an entity with this revision when it is replaced.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

/// A condition on a stored entity that a request requires (RFC 9110 §13.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Precondition {
    /// No condition.
    None,
    /// The entity exists (`If-Match: *`).
    Exists,
    /// The entity does not exist (`If-None-Match: *`).
    Absent,
    /// The entity exists and has one of these revisions (`If-Match: "..."`).
    Matches(Vec<Revision>),
    /// The entity has none of these revisions (`If-None-Match: "..."`).
    NoneOf(Vec<Revision>),
    /// The entity exists and has none of these revisions (`If-Match: *` and `If-None-Match: "..."`).
    ExistsExcept(Vec<Revision>),
}

impl Precondition {
    /// Returns whether the condition is met by an entity with this revision; `None` stands for a missing entity.
    pub fn holds(&self, revision: Option<Revision>) -> bool {
        match self {
            Self::None => true,
            Self::Exists => revision.is_some(),
            Self::Absent => revision.is_none(),
            Self::Matches(allowed) => revision.is_some_and(|r| allowed.contains(&r)),
            Self::NoneOf(excluded) => revision.is_none_or(|r| !excluded.contains(&r)),
            Self::ExistsExcept(excluded) => revision.is_some_and(|r| !excluded.contains(&r)),
        }
    }

    /// Checks the condition against a stored entity.
    ///
    /// # Errors
    ///
    /// [`Error::PreconditionFailed`] if an entity with this revision does not meet the condition.
    pub fn check(&self, kind: ResourceKind, revision: Revision) -> Result<(), Error> {
        if self.holds(Some(revision)) { Ok(()) } else { Err(Error::PreconditionFailed(kind)) }
    }
}
