//! Project users: an account's part in one project.

use serde_json::{Value, json};

use super::{
    Account, AccountId, JsonObject, ProjectId, ProjectInTeam, ProjectUserId, Revision, ScopeSet, ServiceAddress, Time,
};

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

impl ProjectUser {
    /// An account that connects for the first time.
    pub fn new(id: ProjectUserId, project: ProjectId, account: &Account, address: &ServiceAddress, now: Time) -> Self {
        Self {
            id,
            project_id: project,
            account_id: account.id,
            user_did: address.account_did(account.id),
            pds_url: address.as_str().to_owned(),
            status: UserStatus::Connected,
            meta: JsonObject::default(),
            profile: profile_of(account),
            last_seen_at: now,
            created_at: now,
            revision: Revision::FIRST,
        }
    }

    /// The user, back or still there. `None` when the project shut them out.
    pub fn seen(&self, account: &Account, now: Time) -> Option<Self> {
        (self.status != UserStatus::Blocked).then(|| Self {
            status: UserStatus::Connected,
            profile: profile_of(account),
            last_seen_at: now,
            ..self.clone()
        })
    }
}

/// A person's token for one project, with what it opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserBearer {
    /// The person, as a user of the project.
    pub user: ProjectUser,
    /// The project.
    pub project: ProjectInTeam,
    /// What the token allows.
    pub scopes: ScopeSet,
}

/// What an account shows of itself to the projects it uses.
fn profile_of(account: &Account) -> JsonObject {
    let profile = json!({
        "name": account.name.as_ref().map(|name| name.as_str()),
        "username": account.username.as_ref().map(|name| name.as_str()),
    });
    match profile {
        Value::Object(members) => JsonObject::parse(members).unwrap_or_default(),
        _ => JsonObject::default(),
    }
}
