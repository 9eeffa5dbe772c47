//! Links in emails: each works once, for an hour.

use chrono::TimeDelta;

use super::{Email, EmailLinkId, LinkPurpose, Revision, Time, TokenDigest};

/// How long a link works.
pub const LINK_TTL: TimeDelta = TimeDelta::hours(1);

/// A link that was sent to somebody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmailLink {
    /// Its id.
    pub id: EmailLinkId,
    /// What is kept of the secret in it.
    pub digest: TokenDigest,
    /// What it is for.
    pub purpose: LinkPurpose,
    /// The address it was sent to; whose account that is shows when it is used. So nothing differs, in time or in what is
    /// stored, between an address with an account and one without.
    pub email: Email,
    /// When it was made.
    pub created_at: Time,
    /// Until when it works.
    pub expires_at: Time,
    /// For compare-and-set.
    pub revision: Revision,
}
