//! May they know it exists, and may they do it? One query answers both.

use std::sync::Arc;

use crate::error::{AuthenticationFault, Error, Forbidden, Kind};
use crate::model::{
    AccountId, ApiKeyId, Caller, Identity, ProjectId, ProjectInTeam, ProjectUserId, TeamId, TeamMembership,
};
use crate::policy::{Callers, Operation, Permission, PermissionSet, Permit, RoleSet};
use crate::ports::AccessReader;

/// Decides access.
#[derive(Clone)]
pub struct Access {
    reader: Arc<dyn AccessReader>,
}

impl Access {
    /// Decides by what the reader knows.
    pub fn new(reader: Arc<dyn AccessReader>) -> Self {
        Self { reader }
    }

    /// The team, if the caller may know of it; else `NotFound`. A key knows of the team that owns its project.
    pub async fn team<'a>(&self, caller: &'a Caller, id: TeamId) -> Result<TeamAccess<'a>, Error> {
        match &caller.identity {
            Identity::Account(account) => {
                let membership = self.reader.team_membership(*account, id).await?;
                let membership = membership.ok_or(Error::NotFound(Kind::Team))?;
                let held = membership.roles.permissions();
                Ok(TeamAccess { caller, id, held, membership: Some(membership) })
            }
            Identity::Key(bearer) if bearer.project.project.team_id == id => {
                let held = bearer.key.roles.permissions();
                Ok(TeamAccess { caller, id, held, membership: None })
            }
            Identity::Key(_) => Err(Error::NotFound(Kind::Team)),
            Identity::User(_) => Err(AuthenticationFault::TokenOfProject.into()),
        }
    }

    /// The project, if the caller may know of it; else `NotFound`. A key knows of its own, and needs no query for it.
    pub async fn project<'a>(&self, caller: &'a Caller, id: ProjectId) -> Result<ProjectAccess<'a>, Error> {
        match &caller.identity {
            Identity::Account(account) => {
                let membership = self.reader.project_membership(*account, id).await?;
                let membership = membership.ok_or(Error::NotFound(Kind::Project))?;
                let held = membership.roles.permissions();
                Ok(ProjectAccess { caller, held, project: membership.project })
            }
            Identity::Key(bearer) if bearer.project.project.id == id => {
                let held = bearer.key.roles.permissions();
                Ok(ProjectAccess { caller, held, project: bearer.project.clone() })
            }
            Identity::User(bearer) if bearer.project.project.id == id => {
                Ok(ProjectAccess { caller, held: PermissionSet::default(), project: bearer.project.clone() })
            }
            Identity::Key(_) | Identity::User(_) => Err(Error::NotFound(Kind::Project)),
        }
    }
}

/// Checks an operation against what the caller is and holds.
fn check(operation: Operation, caller: &Caller, held: PermissionSet) -> Result<(), Error> {
    let rule = operation.rule();
    takes(rule.callers, &caller.identity)?;
    if let Some(permission) = rule.needs.permissions().find(|permission| !held.has(*permission)) {
        return Err(Forbidden::Needs(permission).into());
    }
    match (rule.needs.scope(), &caller.identity) {
        (Some(scope), Identity::User(bearer)) if !bearer.scopes.has(scope) => Err(Forbidden::WrongScope(scope).into()),
        _ => Ok(()),
    }
}

/// Whether an operation takes this kind of credential.
pub(super) fn takes(callers: Callers, identity: &Identity) -> Result<(), Error> {
    match (identity, callers) {
        (Identity::Key(_), Callers::Account | Callers::User | Callers::AccountOrUser) => {
            Err(Forbidden::KeyRefused.into())
        }
        (Identity::User(_), Callers::Account | Callers::AccountOrKey) => {
            Err(AuthenticationFault::TokenOfProject.into())
        }
        (Identity::Account(_), Callers::User) => Err(AuthenticationFault::TokenOfService.into()),
        _ => Ok(()),
    }
}

/// Nobody grants what they do not hold.
fn check_grant(held: PermissionSet, granted: PermissionSet) -> Result<(), Forbidden> {
    let missing: Vec<Permission> = granted.missing_from(held);
    if missing.is_empty() { Ok(()) } else { Err(Forbidden::GrantsMore(missing)) }
}

/// A team that the caller may know of.
pub struct TeamAccess<'a> {
    caller: &'a Caller,
    id: TeamId,
    held: PermissionSet,
    membership: Option<TeamMembership>,
}

impl TeamAccess<'_> {
    /// Leave to do it, if the caller holds what it needs.
    pub fn permit(&self, operation: Operation) -> Result<Permit, Error> {
        check(operation, self.caller, self.held)?;
        Ok(Permit::granted(operation, self.caller, self.id, None))
    }

    /// Leave to end a membership. Whoever it is may always end their own.
    pub fn permit_removal(&self, account: AccountId) -> Result<Permit, Error> {
        match &self.caller.identity {
            Identity::Account(own) if *own == account => {
                Ok(Permit::granted(Operation::MemberRemove, self.caller, self.id, None))
            }
            _ => self.permit(Operation::MemberRemove),
        }
    }

    /// Whether the caller holds a permission: for what is shown of the team.
    pub fn holds(&self, permission: Permission) -> bool {
        self.held.has(permission)
    }

    /// The caller's own part in the team. Keys have none.
    pub fn membership(&self) -> Result<&TeamMembership, Error> {
        self.membership.as_ref().ok_or(Error::Forbidden(Forbidden::KeyRefused))
    }

    /// Refuses a grant of what the caller does not hold, and of ownership by any but owners.
    pub fn may_grant(&self, roles: &RoleSet) -> Result<(), Error> {
        if roles.is_owner() && !self.membership()?.roles.is_owner() {
            return Err(Forbidden::OwnersOnly.into());
        }
        Ok(check_grant(self.held, roles.permissions())?)
    }
}

/// A project that the caller may know of.
pub struct ProjectAccess<'a> {
    caller: &'a Caller,
    held: PermissionSet,
    project: ProjectInTeam,
}

impl ProjectAccess<'_> {
    /// Leave to do it, if the caller holds what it needs.
    pub fn permit(&self, operation: Operation) -> Result<Permit, Error> {
        check(operation, self.caller, self.held)?;
        Ok(self.granted(operation))
    }

    /// Leave to regenerate a key. A key may always regenerate itself.
    pub fn permit_regeneration(&self, key: ApiKeyId) -> Result<Permit, Error> {
        match &self.caller.identity {
            Identity::Key(bearer) if bearer.key.id == key => Ok(self.granted(Operation::KeyRegenerate)),
            _ => self.permit(Operation::KeyRegenerate),
        }
    }

    /// Leave to read or write what the project keeps for a user. By a token for the project nobody but that user gets it.
    pub fn permit_data(&self, operation: Operation, user: ProjectUserId) -> Result<Permit, Error> {
        let permit = self.permit(operation)?;
        match &self.caller.identity {
            Identity::User(bearer) if bearer.user.id != user => Err(Error::NotFound(Kind::ProjectUser)),
            _ => Ok(permit),
        }
    }

    /// Refuses a grant of what the caller does not hold.
    pub fn may_grant(&self, permissions: PermissionSet) -> Result<(), Error> {
        Ok(check_grant(self.held, permissions)?)
    }

    /// The project, its team, and the number of its newest schema.
    pub fn project(&self) -> &ProjectInTeam {
        &self.project
    }

    /// The project's id.
    pub fn id(&self) -> ProjectId {
        self.project.project.id
    }

    fn granted(&self, operation: Operation) -> Permit {
        let project = &self.project.project;
        Permit::granted(operation, self.caller, project.team_id, Some(project.id))
    }
}
