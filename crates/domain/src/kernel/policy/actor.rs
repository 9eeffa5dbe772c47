//! Who performed an operation.

use uuid::Uuid;

use crate::kernel::{AccountId, ApiKeyId, PersonalTokenId, ProjectClientId};

/// Who performed an operation, for the audit log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Actor {
    /// An account.
    Account(AccountId),
    /// An account that used a personal access token.
    Token(AccountId, PersonalTokenId),
    /// An API key.
    Key(ApiKeyId),
    /// A client that acts on its own behalf.
    Client(ProjectClientId),
    /// The service itself, or its operator on the command line.
    System,
}

impl Actor {
    /// Returns the kind and the ID that the audit log records.
    pub fn formatted(self) -> (&'static str, Option<Uuid>) {
        match self {
            Self::Account(id) | Self::Token(id, _) => ("account", Some(id.uuid())),
            Self::Key(id) => ("key", Some(id.uuid())),
            Self::Client(id) => ("client", Some(id.uuid())),
            Self::System => ("system", None),
        }
    }

    /// Returns the account of a person who is signed in or uses a personal access token.
    pub fn account(self) -> Option<AccountId> {
        match self {
            Self::Account(id) | Self::Token(id, _) => Some(id),
            Self::Key(_) | Self::Client(_) | Self::System => None,
        }
    }

    /// Returns the personal access token that was used, if any.
    pub fn token(self) -> Option<PersonalTokenId> {
        match self {
            Self::Token(_, token) => Some(token),
            Self::Account(_) | Self::Key(_) | Self::Client(_) | Self::System => None,
        }
    }
}
