//! Who calls, as far as their credential tells.

use std::net::IpAddr;
use std::sync::Arc;

use crate::error::{AuthenticationError, Error, Forbidden};
use crate::work::Tenant;

use super::{
    AccessBasis, AccountId, IdempotentRequestId, JsonObject, KeyBearer, PersonalToken, ProjectUser, UserBearer,
};

/// What one request is known by in the audit trail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The request id that the answer carries.
    pub id: String,
    /// The address the request came from. `None` for commands.
    pub address: Option<IpAddr>,
    /// The claim under which it is done, when it may be sent again.
    pub claim: Option<IdempotentRequestId>,
}

/// Whose credential it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Identity {
    /// A person, by a first-party token.
    Account(AccountId),
    /// A person, by a personal access token.
    Token(Arc<PersonalToken>),
    /// A project's API key.
    Key(Arc<KeyBearer>),
    /// A person as a user of one project, by a token for that project.
    User(Arc<UserBearer>),
}

impl Identity {
    /// The kind and id of the credential's holder, as logs and idempotency keys tell callers apart.
    pub fn holder(&self) -> String {
        match self {
            Self::Account(id) => format!("account:{id}"),
            Self::Token(token) => format!("token:{}", token.id),
            Self::Key(bearer) => format!("key:{}", bearer.key.id),
            Self::User(bearer) => format!("user:{}", bearer.user.id),
        }
    }

    /// What is remembered of it for later requests that read and write items: without what a project or person can make
    /// large.
    pub(crate) fn to_remember(&self) -> Self {
        match self {
            Self::Key(bearer) => {
                let project = Arc::new(bearer.project.to_remember());
                Self::Key(Arc::new(KeyBearer { project, ..(**bearer).clone() }))
            }
            Self::User(bearer) => {
                let (meta, profile) = (JsonObject::default(), JsonObject::default());
                let user = ProjectUser { meta, profile, ..bearer.user.clone() };
                Self::User(Arc::new(UserBearer {
                    user,
                    project: Arc::new(bearer.project.to_remember()),
                    scopes: bearer.scopes.clone(),
                }))
            }
            Self::Account(_) | Self::Token(_) => self.clone(),
        }
    }

    /// Whose share of the service the credential's work counts against.
    pub fn tenant(&self) -> Tenant {
        match self {
            Self::Account(id) => Tenant::Account(*id),
            Self::Token(token) => Tenant::Account(token.account_id),
            Self::Key(bearer) => Tenant::Team(bearer.project.project.team_id),
            Self::User(bearer) => Tenant::Team(bearer.project.project.team_id),
        }
    }
}

/// An authenticated caller of one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// Whose credential it is.
    pub identity: Identity,
    /// The request it came with.
    pub request: Request,
    /// What the identity rests on.
    pub basis: AccessBasis,
    /// Whether the identity is remembered from an earlier request. Only operations whose statements prove
    /// [`Caller::basis`] serve such a caller.
    pub is_cached: bool,
}

impl Caller {
    /// A caller whose credential was checked for this request.
    pub fn new(identity: Identity, request: Request) -> Self {
        Self { identity, request, basis: AccessBasis::default(), is_cached: false }
    }

    /// The caller as the user of a project. Refused when it is none.
    pub fn user(&self) -> Result<&UserBearer, Error> {
        match &self.identity {
            Identity::User(bearer) => Ok(bearer),
            Identity::Account(_) => Err(AuthenticationError::TokenOfService.into()),
            Identity::Token(_) => Err(Forbidden::PersonalTokenRefused.into()),
            Identity::Key(_) => Err(Forbidden::KeyRefused.into()),
        }
    }

    /// The person behind it, signed in or by a personal access token.
    pub fn person(&self) -> Option<AccountId> {
        match &self.identity {
            Identity::Account(id) => Some(*id),
            Identity::Token(token) => Some(token.account_id),
            Identity::Key(_) | Identity::User(_) => None,
        }
    }
}
