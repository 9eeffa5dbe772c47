//! Audiences of tokens.

use crate::kernel::{ProjectId, ServiceAddress};

/// The audience of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// This service itself, for a person who uses their own account.
    Service,
    /// One project that a person uses.
    Project(ProjectId),
}

impl Audience {
    /// Returns the value of `aud`.
    pub fn name(self, address: &ServiceAddress) -> String {
        match self {
            Self::Service => address.as_str().to_owned(),
            Self::Project(project) => address.project_did(project),
        }
    }
}
