//! OAuth clients: projects that people sign in to, and this service's own command-line client.

use super::{Audience, ProjectId, ServiceAddress};

/// The `client_id` of the command-line client, and of sessions that start without a client.
const FIRST_PARTY: &str = "steward-cli";

/// An OAuth client. All clients are public: none has a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientId {
    text: String,
    project: Option<ProjectId>,
}

impl ClientId {
    /// Returns this service's own client.
    pub fn first_party() -> Self {
        Self { text: FIRST_PARTY.to_owned(), project: None }
    }

    /// Parses a `client_id`: a project's UUID or DID, or the name of the first-party client (contract 3).
    pub fn parse(text: &str, address: &ServiceAddress) -> Option<Self> {
        if text == FIRST_PARTY {
            return Some(Self::first_party());
        }
        let project = address.project_named(text)?;
        Some(Self { text: text.to_owned(), project: Some(project) })
    }

    /// Restores a stored client.
    pub fn stored(text: String, project: Option<ProjectId>) -> Self {
        Self { text, project }
    }

    /// Returns the ID as the client sent it, which is the `aud` of its ID tokens.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the project; `None` for the first-party client.
    pub fn project(&self) -> Option<ProjectId> {
        self.project
    }

    /// Returns whether both IDs identify the same client, as UUID or DID.
    pub fn is(&self, other: &Self) -> bool {
        self.project == other.project
    }

    /// Returns the audience of the client's access tokens.
    pub fn audience(&self) -> Audience {
        self.project.map_or(Audience::Service, Audience::Project)
    }
}
