//! Links in emails. Each link works once and expires.

use chrono::TimeDelta;

use crate::identity::{Email, LinkPurpose};
use crate::kernel::{EmailLinkId, Revision, Time, TokenDigest, audited};

/// The lifetime of a link.
pub const LINK_TTL: TimeDelta = TimeDelta::hours(1);
/// The lifetime of a link or code that signs in.
pub const EMAIL_CODE_TTL: TimeDelta = TimeDelta::minutes(10);

/// A link that was sent by email.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmailLink {
    /// Unique ID of the link.
    pub id: EmailLinkId,
    /// The digest of the secret in the link; for [`LinkPurpose::ChangeEmail`], of the secret and the account; for
    /// [`LinkPurpose::SignIn`], of the code and what the browser received.
    pub digest: TokenDigest,
    /// What the link is for.
    pub purpose: LinkPurpose,
    /// The address that the link was sent to. The account is looked up when the link is used, so that timing and stored
    /// data do not reveal whether the address has an account.
    pub email: Email,
    /// When the link was created.
    pub created_at: Time,
    /// When the link expires.
    pub expires_at: Time,
    /// The revision, for compare-and-set.
    pub revision: Revision,
}

audited!(EmailLink as EmailLink of nobody);
