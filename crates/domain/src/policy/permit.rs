//! Permits: proof, carried by every write, that somebody was allowed to make it. Only this module and `access` make them.

use uuid::Uuid;

use crate::model::{
    Account, AccountId, ApiKeyId, Caller, Identity, Invite, PersonalTokenId, Project, ProjectId, Request, TeamId,
};

use super::Operation;

/// Who did something, for the audit trail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Actor {
    /// A person.
    Account(AccountId),
    /// A person, by a personal access token.
    Token(AccountId, PersonalTokenId),
    /// An API key.
    Key(ApiKeyId),
    /// The service itself, or its operator at the command line.
    System,
}

impl Actor {
    /// The kind and the id, as the audit trail keeps them.
    pub fn spelled(self) -> (&'static str, Option<Uuid>) {
        match self {
            Self::Account(id) | Self::Token(id, _) => ("account", Some(id.uuid())),
            Self::Key(id) => ("key", Some(id.uuid())),
            Self::System => ("system", None),
        }
    }

    /// The personal access token through which a person acted.
    pub fn token(self) -> Option<PersonalTokenId> {
        match self {
            Self::Token(_, token) => Some(token),
            Self::Account(_) | Self::Key(_) | Self::System => None,
        }
    }
}

impl Caller {
    /// The caller as the audit trail names it.
    pub fn actor(&self) -> Actor {
        match &self.identity {
            Identity::Account(id) => Actor::Account(*id),
            Identity::Token(token) => Actor::Token(token.account_id, token.id),
            Identity::Key(bearer) => Actor::Key(bearer.key.id),
            Identity::User(bearer) => Actor::Account(bearer.user.account_id),
        }
    }
}

/// Leave to make one change. There is no change without one: `Changes` cannot be built otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permit {
    operation: Operation,
    actor: Actor,
    request: Request,
    team: Option<TeamId>,
    project: Option<ProjectId>,
}

impl Permit {
    /// For what a caller was found to be allowed in a team or project.
    pub(crate) fn granted(operation: Operation, caller: &Caller, team: TeamId, project: Option<ProjectId>) -> Self {
        Self { operation, actor: caller.actor(), request: caller.request.clone(), team: Some(team), project }
    }

    /// For a person who does something to what is their own: their account, their sessions.
    pub(crate) fn for_self(operation: Operation, account: AccountId, request: Request) -> Self {
        Self { operation, actor: Actor::Account(account), request, team: None, project: None }
    }

    /// For an account that makes a team of its own.
    pub(crate) fn for_founder(caller: &Caller, team: TeamId) -> Self {
        Self::granted(Operation::TeamCreate, caller, team, None)
    }

    /// For an account that takes an invite, or turns it down.
    pub(crate) fn for_holder(operation: Operation, invite: &Invite, account: &Account, request: Request) -> Self {
        let actor = Actor::Account(account.id);
        Self { operation, actor, request, team: Some(invite.team_id), project: None }
    }

    /// For a person in their own part of a project: connecting, allowing, leaving, their own data.
    pub(crate) fn for_visitor(operation: Operation, account: AccountId, project: &Project, request: Request) -> Self {
        let (team, project) = (Some(project.team_id), Some(project.id));
        Self { operation, actor: Actor::Account(account), request, team, project }
    }

    /// For the service itself, or its operator at the command line.
    pub(crate) fn for_system(operation: Operation, request: Request) -> Self {
        Self { operation, actor: Actor::System, request, team: None, project: None }
    }

    /// For the operator, in a team or project that what they do reaches.
    pub(crate) fn for_system_in(
        operation: Operation,
        team: TeamId,
        project: Option<ProjectId>,
        request: Request,
    ) -> Self {
        Self { operation, actor: Actor::System, request, team: Some(team), project }
    }

    /// What it allows.
    pub fn operation(&self) -> Operation {
        self.operation
    }

    /// Who holds it.
    pub fn actor(&self) -> Actor {
        self.actor
    }

    /// The request it was given for.
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// The team it is about.
    pub fn team(&self) -> Option<TeamId> {
        self.team
    }

    /// The project it is about.
    pub fn project(&self) -> Option<ProjectId> {
        self.project
    }
}
