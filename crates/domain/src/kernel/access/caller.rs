//! Callers, as identified by their credentials.

use std::net::IpAddr;
use std::sync::Arc;

use crate::administration::{KeyBearer, ProjectInTeam};
use crate::data::{ProjectUser, UserBearer};
use crate::identity::{ClientBearer, PersonalToken, SignedIn};
use crate::kernel::error::{AuthenticationError, Error, Forbidden};
use crate::kernel::policy::PermissionSet;
use crate::kernel::work::Tenant;
use crate::kernel::{AccessBasis, AccountId, IdempotentRequestId, JsonObject, Locale, Time};

/// The data that identifies a request in the audit log, and the language of the person who sent it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Request {
    /// The request ID, which the response contains.
    pub id: String,
    /// The IP address that the request came from; `None` for commands.
    pub address: Option<IpAddr>,
    /// The claim on its idempotency key, if the request has one.
    pub claim: Option<IdempotentRequestId>,
    /// The language of the page from which a person sent the request; `None` for programs.
    pub language: Option<Locale>,
}

impl Request {
    /// Returns the data of a request that the program makes itself, without a network address.
    pub fn local() -> Self {
        Self { id: "local".to_owned(), ..Self::default() }
    }
}

/// The holder of a credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Identity {
    /// A person with a first-party token.
    Account(AccountId),
    /// A person with a personal access token.
    Token(Arc<PersonalToken>),
    /// A project's API key.
    Key(Arc<KeyBearer>),
    /// A client of a project that acts on its own behalf.
    Client(Arc<ClientBearer>),
    /// A person as a user of one project, with a token for that project.
    User(Arc<UserBearer>),
}

impl Identity {
    /// Returns the kind and ID of the credential's holder. Logs and idempotency keys use it to distinguish callers.
    pub fn holder(&self) -> String {
        match self {
            Self::Account(id) => format!("account:{id}"),
            Self::Token(token) => format!("token:{}", token.id),
            Self::Key(bearer) => format!("key:{}", bearer.key.id),
            Self::Client(bearer) => format!("client:{}", bearer.client.id),
            Self::User(bearer) => format!("user:{}", bearer.user.id),
        }
    }

    /// Returns the only project that the credential of a program gives access to; `None` for a person.
    pub fn only_project(&self) -> Option<&Arc<ProjectInTeam>> {
        match self {
            Self::User(_) => None,
            other => other.project(),
        }
    }

    /// Returns the project that the credential belongs to, if it belongs to one.
    pub(super) fn project(&self) -> Option<&Arc<ProjectInTeam>> {
        match self {
            Self::Key(bearer) => Some(&bearer.project),
            Self::Client(bearer) => Some(&bearer.project),
            Self::User(bearer) => Some(&bearer.project),
            Self::Account(_) | Self::Token(_) => None,
        }
    }

    /// Returns the permissions that the credential has, if the roles of its account grant these. One of a project has its own.
    pub(super) fn held(&self, of_roles: PermissionSet) -> PermissionSet {
        match self {
            Self::Account(_) => of_roles,
            Self::Token(token) => token.restricted(of_roles),
            Self::Key(bearer) => bearer.key.roles.permissions(),
            Self::Client(bearer) => bearer.permissions(),
            Self::User(_) => PermissionSet::default(),
        }
    }

    /// Why an operation does not accept a credential of this kind.
    pub(crate) fn refusal(&self) -> Error {
        match self {
            Self::Account(_) => AuthenticationError::ServiceToken.into(),
            Self::Token(_) => Forbidden::PersonalTokenNotAccepted.into(),
            Self::Key(_) => Forbidden::ApiKeyNotAccepted.into(),
            Self::Client(_) => Forbidden::ClientNotAccepted.into(),
            Self::User(_) => AuthenticationError::ProjectToken.into(),
        }
    }

    /// Returns the copy that is cached for later requests that read and write items: without the fields whose size a
    /// project or person controls.
    pub(crate) fn for_cache(&self) -> Self {
        match self {
            Self::Key(bearer) => {
                let project = Arc::new(bearer.project.for_cache());
                Self::Key(Arc::new(KeyBearer { project, ..(**bearer).clone() }))
            }
            Self::Client(bearer) => {
                let project = Arc::new(bearer.project.for_cache());
                let mut client = bearer.client.clone();
                client.settings.redirect_uris = Vec::new();
                Self::Client(Arc::new(ClientBearer { project, client, roles: bearer.roles.clone() }))
            }
            Self::User(bearer) => {
                let (meta, profile) = (JsonObject::default(), JsonObject::default());
                let user = ProjectUser { meta, profile, ..bearer.user.clone() };
                let project = Arc::new(bearer.project.for_cache());
                Self::User(Arc::new(UserBearer { user, project, scopes: bearer.scopes.clone() }))
            }
            Self::Account(_) | Self::Token(_) => self.clone(),
        }
    }

    /// Returns the tenant whose share of the service the requests with this credential count against.
    pub fn tenant(&self) -> Tenant {
        match self {
            Self::Account(id) => Tenant::Account(*id),
            Self::Token(token) => Tenant::Account(token.account_id),
            Self::Key(bearer) => Tenant::Team(bearer.project.project.team_id),
            Self::Client(bearer) => Tenant::Team(bearer.project.project.team_id),
            Self::User(bearer) => Tenant::Team(bearer.project.project.team_id),
        }
    }
}

/// An authenticated caller of one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The holder of the credential.
    pub identity: Identity,
    /// The request that the credential came with.
    pub request: Request,
    /// The stored state that the identity depends on.
    pub basis: AccessBasis,
    /// Whether the identity was cached by an earlier request. Only operations whose statements verify [`Caller::basis`]
    /// accept such a caller.
    pub is_cached: bool,
    /// Whether the person must sign in again before an operation that widens authority. Never for credentials that are
    /// created for programs.
    pub must_confirm: bool,
    /// Why the caller is refused where a second factor is required; `None` if it is not. Credentials that a team creates for
    /// programs are never refused for it.
    pub missing_factor: Option<AuthenticationError>,
}

impl Caller {
    /// Creates a caller whose credential was verified for this request.
    pub fn new(identity: Identity, request: Request) -> Self {
        Self {
            identity,
            request,
            basis: AccessBasis::default(),
            is_cached: false,
            must_confirm: false,
            missing_factor: None,
        }
    }

    /// Creates the caller of a browser session.
    pub fn signed_in(signed_in: &SignedIn, request: Request, now: Time) -> Self {
        let last_sign_in = signed_in.last_sign_in();
        let (must_confirm, missing_factor) = (last_sign_in.must_confirm(now), last_sign_in.missing_factor());
        Self { must_confirm, missing_factor, ..Self::new(Identity::Account(signed_in.account.id), request) }
    }

    /// Returns the caller as the user of a project. Fails for any other caller.
    pub fn user(&self) -> Result<&UserBearer, Error> {
        match &self.identity {
            Identity::User(bearer) => Ok(bearer),
            other => Err(other.refusal()),
        }
    }

    /// Returns the account of a person who is signed in or uses a personal access token.
    pub fn person(&self) -> Option<AccountId> {
        match &self.identity {
            Identity::Account(id) => Some(*id),
            Identity::Token(token) => Some(token.account_id),
            Identity::Key(_) | Identity::Client(_) | Identity::User(_) => None,
        }
    }
}
