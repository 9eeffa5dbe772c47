//! Permits: proof, carried by every write, that somebody was allowed to make it. Only this module and `access` make them.

use uuid::Uuid;

use crate::model::{
    AccessBasis, Account, AccountId, ApiKeyId, Caller, Identity, Invite, PersonalTokenId, Project, ProjectId, Request,
    TeamId,
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
    basis: AccessBasis,
}

impl Permit {
    /// For what a caller was found to be allowed in a team or project.
    pub(crate) fn granted(operation: Operation, caller: &Caller, team: TeamId, project: Option<ProjectId>) -> Self {
        let (actor, request, basis) = (caller.actor(), caller.request.clone(), caller.basis);
        Self { operation, actor, request, team: Some(team), project, basis }
    }

    /// The same, which rests on this.
    pub(crate) fn resting_on(self, basis: AccessBasis) -> Self {
        Self { basis, ..self }
    }

    /// For a person who does something to what is their own: their account, their sessions.
    pub(crate) fn for_self(operation: Operation, account: AccountId, request: Request) -> Self {
        Self::of(operation, Actor::Account(account), request, None, None)
    }

    /// For an account that makes a team of its own.
    pub(crate) fn for_founder(caller: &Caller, team: TeamId) -> Self {
        Self::granted(Operation::TeamCreate, caller, team, None)
    }

    /// For an account that takes an invite, or turns it down.
    pub(crate) fn for_holder(operation: Operation, invite: &Invite, account: &Account, request: Request) -> Self {
        let actor = Actor::Account(account.id);
        Self::of(operation, actor, request, Some(invite.team_id), None)
    }

    /// For a person in their own part of a project: connecting, allowing, leaving, their own data.
    pub(crate) fn for_visitor(operation: Operation, account: AccountId, project: &Project, request: Request) -> Self {
        let (team, project) = (Some(project.team_id), Some(project.id));
        Self::of(operation, Actor::Account(account), request, team, project)
    }

    /// For the service itself, or its operator at the command line.
    pub(crate) fn for_system(operation: Operation, request: Request) -> Self {
        Self::of(operation, Actor::System, request, None, None)
    }

    /// For the operator, in a team or project that what they do reaches.
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

    /// What it allows.
    pub fn operation(&self) -> Operation {
        self.operation
    }

    /// What it rests on. A write of an item MUST NOT happen unless this is what the store has.
    pub fn basis(&self) -> &AccessBasis {
        &self.basis
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
