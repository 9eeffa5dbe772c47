//! Permits: every write carries one as proof that it was authorized. Only this module and `access` create permits.

use uuid::Uuid;

use crate::model::{
    AccessBasis, Account, AccountId, ApiKeyId, Caller, Identity, Invite, PersonalTokenId, Project, ProjectId, Request,
    TeamId,
};

use super::Operation;

/// Who performed an operation, for the audit log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Actor {
    /// An account.
    Account(AccountId),
    /// An account that used a personal access token.
    Token(AccountId, PersonalTokenId),
    /// An API key.
    Key(ApiKeyId),
    /// The service itself, or its operator on the command line.
    System,
}

impl Actor {
    /// Returns the kind and the ID that the audit log records.
    pub fn formatted(self) -> (&'static str, Option<Uuid>) {
        match self {
            Self::Account(id) | Self::Token(id, _) => ("account", Some(id.uuid())),
            Self::Key(id) => ("key", Some(id.uuid())),
            Self::System => ("system", None),
        }
    }

    /// Returns the personal access token that was used, if any.
    pub fn token(self) -> Option<PersonalTokenId> {
        match self {
            Self::Token(_, token) => Some(token),
            Self::Account(_) | Self::Key(_) | Self::System => None,
        }
    }
}

impl Caller {
    /// Returns the caller as the audit log records it.
    pub fn actor(&self) -> Actor {
        match &self.identity {
            Identity::Account(id) => Actor::Account(*id),
            Identity::Token(token) => Actor::Token(token.account_id, token.id),
            Identity::Key(bearer) => Actor::Key(bearer.key.id),
            Identity::User(bearer) => Actor::Account(bearer.user.account_id),
        }
    }
}

/// Permission to make one change. `Changes` cannot be created without it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permit {
    operation: Operation,
    actor: Actor,
    request: Request,
    team: Option<TeamId>,
    project: Option<ProjectId>,
    basis: AccessBasis,
}

impl Permit {
    /// Creates the permit of a caller who was authorized in a team or project.
    pub(crate) fn granted(operation: Operation, caller: &Caller, team: TeamId, project: Option<ProjectId>) -> Self {
        let (actor, request, basis) = (caller.actor(), caller.request.clone(), caller.basis);
        Self { operation, actor, request, team: Some(team), project, basis }
    }

    /// Returns the permit with another basis.
    pub(crate) fn with_basis(self, basis: AccessBasis) -> Self {
        Self { basis, ..self }
    }

    /// Creates the permit of an account for its own data, such as its sessions.
    pub(crate) fn for_self(operation: Operation, account: AccountId, request: Request) -> Self {
        Self::of(operation, Actor::Account(account), request, None, None)
    }

    /// Creates the permit of an account that creates a team.
    pub(crate) fn for_team_creator(caller: &Caller, team: TeamId) -> Self {
        Self::granted(Operation::TeamCreate, caller, team, None)
    }

    /// Creates the permit of an account that accepts or declines an invite.
    pub(crate) fn for_invitee(operation: Operation, invite: &Invite, account: &Account, request: Request) -> Self {
        let actor = Actor::Account(account.id);
        Self::of(operation, actor, request, Some(invite.team_id), None)
    }

    /// Creates the permit of a project user for their own data: connecting, granting access, leaving and their items.
    pub(crate) fn for_project_user(
        operation: Operation,
        account: AccountId,
        project: &Project,
        request: Request,
    ) -> Self {
        let (team, project) = (Some(project.team_id), Some(project.id));
        Self::of(operation, Actor::Account(account), request, team, project)
    }

    /// Creates the permit of the service itself, or of its operator on the command line.
    pub(crate) fn for_system(operation: Operation, request: Request) -> Self {
        Self::of(operation, Actor::System, request, None, None)
    }

    /// Creates the permit of the operator for a change that affects a team or project.
    pub(crate) fn for_system_in(
        operation: Operation,
        team: TeamId,
        project: Option<ProjectId>,
        request: Request,
    ) -> Self {
        Self::of(operation, Actor::System, request, Some(team), project)
    }

    fn of(
        operation: Operation,
        actor: Actor,
        request: Request,
        team: Option<TeamId>,
        project: Option<ProjectId>,
    ) -> Self {
        Self { operation, actor, request, team, project, basis: AccessBasis::default() }
    }

    /// Returns the operation that the permit allows.
    pub fn operation(&self) -> Operation {
        self.operation
    }

    /// Returns the access epochs and the key on which the authorization is based. A write of an item MUST NOT happen
    /// unless they match the store.
    pub fn basis(&self) -> &AccessBasis {
        &self.basis
    }

    /// Returns who was authorized.
    pub fn actor(&self) -> Actor {
        self.actor
    }

    /// Returns the request for which the permit was created.
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// Returns the team to which the change belongs, if any.
    pub fn team(&self) -> Option<TeamId> {
        self.team
    }

    /// Returns the project to which the change belongs, if any.
    pub fn project(&self) -> Option<ProjectId> {
        self.project
    }
}
