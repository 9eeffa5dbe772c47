//! Permits: every write carries one as proof that it was authorized. Only the constructors below create permits, and
//! each checks the operation against the table of operations.

use std::collections::BTreeSet;

use anyhow::anyhow;

use crate::administration::Project;
use crate::data::ProjectUser;
use crate::identity::Account;
use crate::kernel::error::{Error, Forbidden};
use crate::kernel::{AccessBasis, AccountId, ApiKeyId, Caller, Identity, ProjectId, Request, TeamId};

use super::{Actor, AuthorityChange, Callers, Operation, PermissionSet, Requirement};

impl Caller {
    /// Returns the caller as the audit log records it.
    pub fn actor(&self) -> Actor {
        match &self.identity {
            Identity::Account(id) => Actor::Account(*id),
            Identity::Token(token) => Actor::Token(token.account_id, token.id),
            Identity::Key(bearer) => Actor::Key(bearer.key.id),
            Identity::Client(bearer) => Actor::Client(bearer.client.id),
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
    /// Projects of the team in which the permit also allows changes.
    projects: BTreeSet<ProjectId>,
    basis: AccessBasis,
    must_confirm: bool,
    is_refused: bool,
}

impl Permit {
    /// Authorizes a caller in a team or project in which they hold these permissions.
    pub(crate) fn granted(
        operation: Operation,
        caller: &Caller,
        held: PermissionSet,
        team: TeamId,
        project: Option<ProjectId>,
    ) -> Result<Self, Error> {
        let rule = operation.rule();
        accepts(operation, &caller.identity)?;
        if let Some(permission) = rule.requirement.permissions().find(|permission| !held.has(*permission)) {
            return Err(Forbidden::MissingPermission(permission).into());
        }
        if let (Some(scope), Identity::User(bearer)) = (rule.requirement.scope(), &caller.identity)
            && !bearer.scopes.has(scope)
        {
            return Err(Forbidden::WrongScope(scope).into());
        }
        operation.check_confirmed(caller.must_confirm, None)?;
        Ok(Self::by_caller(operation, caller, Some(team), project))
    }

    /// Authorizes a caller for an operation that requires no permission, such as creating a team.
    pub(crate) fn own(operation: Operation, caller: &Caller) -> Result<Self, Error> {
        accepts(operation, &caller.identity)?;
        requires_nothing(operation)?;
        operation.check_confirmed(caller.must_confirm, None)?;
        Ok(Self::by_caller(operation, caller, None, None))
    }

    /// Authorizes an account that the operation itself has authenticated, by a password, a session, a code or a link.
    pub(crate) fn authenticated(operation: Operation, account: AccountId, request: Request) -> Result<Self, Error> {
        requires_nothing(operation)?;
        match operation.rule().callers {
            Callers::Anyone | Callers::Page => Ok(Self::of(operation, Actor::Account(account), request)),
            _ => Err(not_allowed(operation)),
        }
    }

    /// Authorizes the service itself, or its operator on the command line.
    pub(crate) fn system(operation: Operation, request: Request) -> Result<Self, Error> {
        requires_nothing(operation)?;
        match operation.rule().callers {
            Callers::Anyone | Callers::Page | Callers::Operator | Callers::System => {
                Ok(Self::of(operation, Actor::System, request))
            }
            _ => Err(not_allowed(operation)),
        }
    }

    /// Authorizes the service to continue the deletion of a project user that was authorized when it started. `None` if
    /// no deletion has started.
    pub(crate) fn continued_deletion(user: &ProjectUser, team: TeamId, request: Request) -> Option<Self> {
        let permit = || Self::of(Operation::UserDelete, Actor::System, request);
        user.is_being_deleted().then(|| permit().in_project(team, user.project_id))
    }

    /// Authorizes a signed-in caller, whose account was read for this request, as operator of the service.
    pub(crate) fn by_operator(operation: Operation, caller: &Caller, account: &Account) -> Result<Self, Error> {
        requires_nothing(operation)?;
        if operation.rule().callers != Callers::Operator {
            return Err(not_allowed(operation));
        }
        let is_own = matches!(caller.identity, Identity::Account(id) if id == account.id);
        if !(is_own && account.is_operator && account.is_active()) {
            return Err(Forbidden::OperatorsOnly.into());
        }
        operation.check_confirmed(caller.must_confirm, None)?;
        Ok(Self::by_caller(operation, caller, None, None))
    }

    /// Authorizes an account to remove itself from a team, which requires no permission. `None` if the caller is not
    /// this account.
    pub(crate) fn own_removal(caller: &Caller, account: AccountId, team: TeamId) -> Option<Self> {
        let is_own = matches!(caller.identity, Identity::Account(own) if own == account);
        is_own.then(|| Self::by_caller(Operation::MemberRemove, caller, Some(team), None))
    }

    /// Authorizes a private key to regenerate itself, which requires no permission. `None` if the caller is not this
    /// key, or must not regenerate itself.
    pub(crate) fn own_regeneration(caller: &Caller, key: ApiKeyId, project: &Project) -> Option<Self> {
        let is_own = matches!(&caller.identity, Identity::Key(own) if own.key.id == key && own.may_regenerate_itself());
        is_own.then(|| Self::by_caller(Operation::KeyRegenerate, caller, Some(project.team_id), Some(project.id)))
    }

    /// Authorizes anyone to register a client in the project that the operator opened for it, which requires no permission.
    pub(crate) fn open_registration(request: Request, project: &Project) -> Self {
        Self::of(Operation::ClientRegister, Actor::System, request).in_project(project.team_id, project.id)
    }

    /// Describes an attempt that was refused, to record it. No other change can be made with it.
    pub(crate) fn refused(operation: Operation, caller: &Caller, team: TeamId, project: Option<ProjectId>) -> Self {
        Self { is_refused: true, ..Self::by_caller(operation, caller, Some(team), project) }
    }

    /// Describes an attempt to sign in that was refused after the first factor, to record it. No other change can be made
    /// with it.
    pub(crate) fn refused_sign_in(account: AccountId, request: Request) -> Self {
        Self { is_refused: true, ..Self::of(Operation::SecondFactorVerify, Actor::Account(account), request) }
    }

    /// Describes a request of an OAuth client of a project that was refused, to record it. No other change can be made with it.
    pub(crate) fn refused_client(operation: Operation, request: Request, team: TeamId, project: ProjectId) -> Self {
        Self { is_refused: true, ..Self::of(operation, Actor::System, request).in_project(team, project) }
    }

    /// Describes a sign-in at an identity provider that failed, to record it: at a provider of a project, or of the whole service.
    /// No other change can be made with it.
    pub(crate) fn failed_provider(request: Request, project: Option<&Project>) -> Self {
        let attempt = Self { is_refused: true, ..Self::of(Operation::ProviderSignIn, Actor::System, request) };
        match project {
            Some(project) => attempt.in_project(project.team_id, project.id),
            None => attempt,
        }
    }

    /// Returns the permit for a change in a team.
    pub(crate) fn in_team(self, team: TeamId) -> Self {
        Self { team: Some(team), ..self }
    }

    /// Returns the permit for a change in a project.
    pub(crate) fn in_project(self, team: TeamId, project: ProjectId) -> Self {
        Self { team: Some(team), project: Some(project), ..self }
    }

    /// Returns the permit of a team for a change that is also made in these projects. They MUST have been read as
    /// projects of the team.
    pub(crate) fn reaching(self, projects: impl IntoIterator<Item = ProjectId>) -> Self {
        Self { projects: projects.into_iter().collect(), ..self }
    }

    /// Returns the permit with another basis.
    pub(crate) fn with_basis(self, basis: AccessBasis) -> Self {
        Self { basis, ..self }
    }

    fn by_caller(operation: Operation, caller: &Caller, team: Option<TeamId>, project: Option<ProjectId>) -> Self {
        let (basis, must_confirm) = (caller.basis, caller.must_confirm);
        Self { team, project, basis, must_confirm, ..Self::of(operation, caller.actor(), caller.request.clone()) }
    }

    fn of(operation: Operation, actor: Actor, request: Request) -> Self {
        Self {
            operation,
            actor,
            request,
            team: None,
            project: None,
            projects: BTreeSet::new(),
            basis: AccessBasis::default(),
            must_confirm: false,
            is_refused: false,
        }
    }

    /// Refuses a change that widens authority unless the person entered the password recently. An operation whose row in
    /// the table says `IfWidening` MUST ask before it commits.
    pub(crate) fn confirm(&self, change: AuthorityChange<'_>) -> Result<(), Error> {
        Ok(self.operation.check_confirmed(self.must_confirm, Some(change))?)
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

    /// Returns whether the permit of a team allows changes in a project.
    pub(crate) fn reaches(&self, project: ProjectId) -> bool {
        self.projects.contains(&project)
    }

    /// Returns whether the attempt was refused. Such a permit only serves to record that.
    pub fn is_refused(&self) -> bool {
        self.is_refused
    }
}

/// Checks that an operation accepts this kind of credential.
pub(crate) fn accepts(operation: Operation, identity: &Identity) -> Result<(), Error> {
    match (identity, operation.rule().callers) {
        (_, Callers::Page | Callers::Operator | Callers::System) => Err(not_allowed(operation)),
        // A personal access token is restricted by permissions, so it cannot be used for an operation that needs none.
        (Identity::Token(_), _) if operation.rule().requirement.permissions().next().is_none() => {
            Err(identity.refusal())
        }
        (Identity::Account(_) | Identity::Token(_) | Identity::User(_), Callers::Key) => {
            Err(Forbidden::KeyRequired.into())
        }
        (Identity::Key(_) | Identity::Client(_), Callers::Account | Callers::User | Callers::AccountOrUser)
        | (Identity::User(_), Callers::Account | Callers::AccountOrKey)
        | (Identity::Account(_) | Identity::Token(_), Callers::User) => Err(identity.refusal()),
        _ => Ok(()),
    }
}

fn requires_nothing(operation: Operation) -> Result<(), Error> {
    if operation.rule().requirement == Requirement::Nothing { Ok(()) } else { Err(not_allowed(operation)) }
}

/// A use case asked for a permit that the table of operations does not allow: a programming error.
fn not_allowed(operation: Operation) -> Error {
    Error::Internal(anyhow!("The table of operations does not allow `{}` in this way.", operation.rule().name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::{a_caller, a_request, an_account, id_of};

    #[test]
    fn no_constructor_ignores_the_requirements_of_an_operation() {
        let (caller, account, team) = (a_caller("ann"), id_of("ann").into(), id_of("acme").into());
        for rule in Operation::RULES {
            let nothing = rule.requirement == Requirement::Nothing;
            let held = PermissionSet::default();
            let granted = Permit::granted(rule.operation, &caller, held, team, None).is_ok();
            let by_account = !matches!(
                rule.callers,
                Callers::Key | Callers::User | Callers::Page | Callers::Operator | Callers::System
            );
            let needs_permission = rule.requirement.permissions().next().is_some();
            assert_eq!(granted, by_account && !needs_permission, "{}", rule.name);
            assert_eq!(Permit::own(rule.operation, &caller).is_ok(), by_account && nothing, "{}", rule.name);
            let open = nothing && matches!(rule.callers, Callers::Anyone | Callers::Page);
            assert_eq!(Permit::authenticated(rule.operation, account, a_request()).is_ok(), open, "{}", rule.name);
            let operator = rule.callers == Callers::Operator;
            let system = open || operator || rule.callers == Callers::System;
            assert_eq!(Permit::system(rule.operation, a_request()).is_ok(), system, "{}", rule.name);
            let marked = Account { is_operator: true, ..an_account("ann") };
            assert_eq!(Permit::by_operator(rule.operation, &caller, &marked).is_ok(), operator, "{}", rule.name);
        }
    }

    #[test]
    fn only_the_own_active_account_that_is_marked_makes_an_operator() {
        let (caller, marked) = (a_caller("ann"), Account { is_operator: true, ..an_account("ann") });
        let permit = |account: &Account| Permit::by_operator(Operation::AccountList, &caller, account);
        assert!(permit(&marked).is_ok());
        let disabled = Account { disabled_at: Some(marked.created_at), ..marked.clone() };
        let other = Account { id: id_of("bob").into(), ..marked };
        for refused in [an_account("ann"), disabled, other] {
            assert!(matches!(permit(&refused), Err(Error::Forbidden(Forbidden::OperatorsOnly))), "{refused:?}");
        }
    }
}
