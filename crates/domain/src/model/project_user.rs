//! Project users: an account's part in one project.

use super::{AccountId, JsonObject, ProjectId, ProjectUserId, Revision, Time};

/// Whether a project user may be written to (contract 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserStatus {
    /// Uses the project.
    Connected,
    /// Has left it; connecting again brings them back.
    Disconnected,
    /// Was shut out by the project.
    Blocked,
}

impl UserStatus {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Connected, Self::Disconnected, Self::Blocked];

    /// The name on the wire and at rest.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Connected => "connected",
            Self::Disconnected => "disconnected",
            Self::Blocked => "blocked",
        }
    }

    /// Reads a name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }
}

/// An account's part in one project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectUser {
    /// Its id: distinct from the account's, so that projects cannot match their users.
    pub id: ProjectUserId,
    /// The project.
    pub project_id: ProjectId,
    /// The account.
    pub account_id: AccountId,
    /// The account's DID.
    pub user_did: String,
    /// Where the person's data lives: this service's base address.
    pub pds_url: String,
    /// Whether the user may be written to.
    pub status: UserStatus,
    /// What the project notes about the person.
    pub meta: JsonObject,
    /// What the account shows of itself.
    pub profile: JsonObject,
    /// When the person last used the project.
    pub last_seen_at: Time,
    /// When the person first connected.
    pub created_at: Time,
    /// For compare-and-set.
    pub revision: Revision,
}
