//! OAuth clients: projects that people sign in to, and the command line of this service itself.

use super::{Audience, ProjectId, ServiceAddress};

/// How the command line names itself, and sessions that begin without a client.
const FIRST_PARTY: &str = "steward-cli";

/// Who asks for tokens. All are public clients: none has a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientId {
    text: String,
    project: Option<ProjectId>,
}

impl ClientId {
    /// This service's own client.
    pub fn first_party() -> Self {
        Self { text: FIRST_PARTY.to_owned(), project: None }
    }

    /// Reads a `client_id`: a project's UUID or its DID, or the first party's name (contract 3).
    pub fn parse(text: &str, address: &ServiceAddress) -> Option<Self> {
        if text == FIRST_PARTY {
            return Some(Self::first_party());
        }
        let project = address.project_named(text)?;
        Some(Self { text: text.to_owned(), project: Some(project) })
    }

    /// The client as it was stored.
    pub fn stored(text: String, project: Option<ProjectId>) -> Self {
        Self { text, project }
    }

    /// The id as the client spells it: the `aud` of its id tokens.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The project. `None` for the first party.
    pub fn project(&self) -> Option<ProjectId> {
        self.project
    }

    /// Whether both name the same client, in whatever spelling.
    pub fn is(&self, other: &Self) -> bool {
        self.project == other.project
    }

    /// Whom its access tokens are for.
    pub fn audience(&self) -> Audience {
        self.project.map_or(Audience::Service, Audience::Project)
    }
}
