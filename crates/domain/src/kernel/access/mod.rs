//! Access control: one query decides whether the caller may know that a resource exists and may perform an operation.

pub(super) mod caller;
pub(super) mod epoch;
mod memberships;
pub(crate) mod port;
pub(crate) mod replay_authorization;

use std::sync::Arc;

use crate::administration::{ProjectInTeam, ProjectMembership, TeamMembership};
use crate::identity::is_due;
use crate::kernel::changes::Changes;
use crate::kernel::error::{AuthenticationError, Error, Forbidden, ResourceKind};
use crate::kernel::policy::{EndableKinds, LimitedAction, Operation, Permission, PermissionSet, Permit, RoleSet};
use crate::kernel::work::{Tenant, Work};
use crate::kernel::{
    AccessBasis, AccessReader, AccountId, ActionLimiter, ApiKeyId, Caller, Clock, Identity, ProjectId, ProjectUserId,
    ResourceScope, TeamId, Time, UnitOfWork,
};
use memberships::Memberships;

/// Checks access, and records an audit event when a caller who may see a resource is refused a change to it.
#[derive(Clone)]
pub struct Access {
    memberships: Memberships,
    reader: Arc<dyn AccessReader>,
    store: Arc<dyn UnitOfWork>,
    action_limiter: Arc<ActionLimiter>,
    clock: Arc<dyn Clock>,
}

impl Access {
    /// Creates the use case with an empty membership cache.
    pub fn new(
        reader: Arc<dyn AccessReader>,
        store: Arc<dyn UnitOfWork>,
        action_limiter: Arc<ActionLimiter>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { memberships: Memberships::new(reader.clone()), reader, store, action_limiter, clock }
    }

    /// Records a refusal in the audit log and returns it. Refused reads are not recorded. The number of recorded
    /// refusals per caller is limited, so that nobody can flood a team's log.
    async fn refuse(&self, attempt: Permit, caller: &Caller, error: Error) -> Error {
        if caller.is_cached {
            return Error::AccessChanged;
        }
        let Error::Forbidden(why) = &error else { return error };
        let now = self.clock.now();
        let (kind, id) = attempt.actor().formatted();
        let actor = format!("{kind} {}", id.unwrap_or_default());
        if !attempt.operation().is_write()
            || self.action_limiter.take(LimitedAction::RecordDenial, &actor, now).await.is_err()
        {
            return error;
        }
        let changes = Changes::refused(attempt, &why.to_string(), now);
        self.store.commit(changes).await.map_or_else(Error::from, |_| error)
    }

    /// Returns the team if the caller may know that it exists, otherwise `NotFound`. A key may know the team that owns
    /// its project. Subsequent work is attributed to the team.
    pub async fn team<'a>(&'a self, caller: &'a Caller, id: TeamId) -> Result<TeamAccess<'a>, Error> {
        let access = self.known_team(caller, id).await?;
        Work::set_tenant(Tenant::Team(id));
        Ok(access)
    }

    async fn known_team<'a>(&'a self, caller: &'a Caller, id: TeamId) -> Result<TeamAccess<'a>, Error> {
        if caller.is_cached {
            return Err(Error::AccessChanged);
        }
        let is_reached = match &caller.identity {
            Identity::Account(_) => true,
            Identity::Token(token) => token.reaches_team(id),
            Identity::User(_) => return Err(AuthenticationError::ProjectToken.into()),
            own => own.project().is_some_and(|own| own.project.team_id == id),
        };
        let membership = match caller.person().filter(|_| is_reached) {
            Some(account) => self.reader.team_membership(account, id).await?,
            None => None,
        };
        if !is_reached || caller.person().is_some() && membership.is_none() {
            return Err(Error::NotFound(ResourceKind::Team));
        }
        self.check_second_factor(caller, membership.as_ref().and_then(|found| found.team.second_factor_from))?;
        let of_roles = membership.as_ref().map(|found| found.roles.permissions()).unwrap_or_default();
        Ok(TeamAccess { access: self, caller, id, held: caller.identity.held(of_roles), membership })
    }

    /// Returns the project if the caller may know that it exists, otherwise `NotFound`. A key may know its own project,
    /// which needs no query. Subsequent work is attributed to the project's team.
    pub async fn project<'a>(&'a self, caller: &'a Caller, id: ProjectId) -> Result<ProjectAccess<'a>, Error> {
        if caller.is_cached { Err(Error::AccessChanged) } else { self.project_with_basis(caller, id).await }
    }

    /// Returns permission to perform the first operation in a team, or the second one in a project.
    pub(crate) async fn permit_in(
        &self,
        caller: &Caller,
        scope: ResourceScope,
        (of_team, of_project): (Operation, Operation),
    ) -> Result<Permit, Error> {
        match scope {
            ResourceScope::Team(team) => self.team(caller, team).await?.permit(of_team).await,
            ResourceScope::Project(project) => self.project(caller, project).await?.permit(of_project).await,
        }
    }

    /// Whether the caller holds one of these permissions in a team or project, to decide what is returned.
    pub(crate) async fn holds_one_of(
        &self,
        caller: &Caller,
        scope: ResourceScope,
        permissions: [Permission; 2],
    ) -> Result<bool, Error> {
        let held = match scope {
            ResourceScope::Team(team) => self.team(caller, team).await?.held,
            ResourceScope::Project(project) => self.project(caller, project).await?.held,
        };
        Ok(permissions.into_iter().any(|permission| held.has(permission)))
    }

    /// Like [`Access::project`], for operations whose statements verify the permit's basis. For a cached caller, the
    /// permissions are those of the last read.
    pub async fn project_with_basis<'a>(
        &'a self,
        caller: &'a Caller,
        id: ProjectId,
    ) -> Result<ProjectAccess<'a>, Error> {
        let access = self.known_project(caller, id).await?;
        Work::set_project(id, access.project.project.team_id);
        Ok(access)
    }

    /// Confirms, after a statement that found nothing, that the caller still has access.
    ///
    /// # Errors
    ///
    /// [`Error::AccessChanged`] if the basis is no longer current in the store, or if the caller is cached.
    pub(crate) async fn confirm(&self, caller: &Caller, basis: &AccessBasis) -> Result<(), Error> {
        if caller.is_cached || !self.reader.is_current(basis).await? { Err(Error::AccessChanged) } else { Ok(()) }
    }

    /// Confirms, for an operation whose statements do not verify the basis of its permit, that a cached caller still has
    /// access.
    ///
    /// # Errors
    ///
    /// [`Error::AccessChanged`] if the basis is no longer current in the store.
    pub(crate) async fn check_current(&self, caller: &Caller, basis: &AccessBasis) -> Result<(), Error> {
        if caller.is_cached && !self.reader.is_current(basis).await? { Err(Error::AccessChanged) } else { Ok(()) }
    }

    /// Returns the time at which lists leave out the teams that require a second factor, because the caller used one
    /// factor; `None` if they leave out none.
    pub(crate) fn one_factor_at(&self, caller: &Caller) -> Option<Time> {
        caller.missing_factor.map(|_| self.clock.now())
    }

    /// Refuses a member who did not use a second factor, if the team requires one from this time on. A cached caller is checked
    /// again first.
    fn check_second_factor(&self, caller: &Caller, from: Option<Time>) -> Result<(), Error> {
        match caller.missing_factor.filter(|_| is_due(from, self.clock.now())) {
            None => Ok(()),
            Some(_) if caller.is_cached => Err(Error::AccessChanged),
            Some(missing) => Err(missing.into()),
        }
    }

    async fn known_project<'a>(&'a self, caller: &'a Caller, id: ProjectId) -> Result<ProjectAccess<'a>, Error> {
        let (identity, not_found) = (&caller.identity, || Error::NotFound(ResourceKind::Project));
        let Some(account) = caller.person() else {
            let own = identity.project().filter(|own| own.project.id == id).ok_or_else(not_found)?;
            let held = identity.held(PermissionSet::default());
            return Ok(ProjectAccess { access: self, caller, held, project: own.clone() });
        };
        let is_reached = |found: &ProjectMembership| match identity {
            Identity::Token(token) => token.reaches_project(id, found.project.project.team_id),
            _ => true,
        };
        let found = self.memberships.get(caller, account, id).await?.filter(is_reached);
        let ProjectMembership { project, roles } = found.ok_or_else(not_found)?;
        self.check_second_factor(caller, project.second_factor_from)?;
        Ok(ProjectAccess { access: self, caller, held: identity.held(roles.permissions()), project })
    }
}

/// Checks that all granted permissions are held by the caller.
fn check_grant(held: PermissionSet, granted: PermissionSet) -> Result<(), Forbidden> {
    let missing: Vec<Permission> = granted.missing_from(held);
    if missing.is_empty() { Ok(()) } else { Err(Forbidden::ExceedsOwnPermissions(missing)) }
}

/// A team that the caller may know exists.
pub struct TeamAccess<'a> {
    access: &'a Access,
    caller: &'a Caller,
    id: TeamId,
    held: PermissionSet,
    membership: Option<TeamMembership>,
}

impl TeamAccess<'_> {
    /// Returns permission to perform the operation if the caller holds what it requires.
    pub async fn permit(&self, operation: Operation) -> Result<Permit, Error> {
        match Permit::granted(operation, self.caller, self.held, self.id, None) {
            Ok(permit) => Ok(permit),
            Err(refusal) => Err(self.refuse(operation, refusal).await),
        }
    }

    /// Returns permission to remove a member. A signed-in account may always remove itself.
    pub async fn permit_removal(&self, account: AccountId) -> Result<Permit, Error> {
        match Permit::own_removal(self.caller, account, self.id) {
            Some(permit) => Ok(permit),
            None => self.permit(Operation::MemberRemove).await,
        }
    }

    /// Whether the caller holds a permission, to decide which fields of the team are returned.
    pub fn holds(&self, permission: Permission) -> bool {
        self.held.has(permission)
    }

    /// The caller's membership in the team. Fails for API keys, which have none.
    pub fn membership(&self) -> Result<&TeamMembership, Error> {
        self.membership.as_ref().ok_or(Error::Forbidden(Forbidden::ApiKeyNotAccepted))
    }

    /// Whether the caller could invite someone who gets these roles.
    pub fn may_give(&self, roles: &RoleSet) -> bool {
        let exceeds = roles.is_owner() && !self.is_owner().unwrap_or(false);
        self.holds(Permission::InviteWrite) && !exceeds && check_grant(self.held, roles.permissions()).is_ok()
    }

    async fn refuse(&self, operation: Operation, refusal: Error) -> Error {
        let attempt = Permit::refused(operation, self.caller, self.id, None);
        self.access.refuse(attempt, self.caller, refusal).await
    }

    /// Whether the caller is an owner and its credential does not restrict that.
    fn is_owner(&self) -> Result<bool, Error> {
        let narrowed = matches!(&self.caller.identity, Identity::Token(token) if !token.roles.is_owner());
        Ok(self.membership()?.roles.is_owner() && !narrowed)
    }

    /// Refuses to change a member with these roles: only owners may change owners.
    pub async fn may_change_member(&self, permit: &Permit, roles: &RoleSet) -> Result<(), Error> {
        if roles.is_owner() && !self.is_owner()? {
            return Err(self.refuse(permit.operation(), Forbidden::OwnersOnly.into()).await);
        }
        Ok(())
    }

    /// Refuses to end resources of a member that the caller may not delete.
    pub async fn may_end(&self, kinds: &EndableKinds) -> Result<(), Error> {
        for kind in kinds.iter() {
            self.permit(kind.deletion()).await?;
        }
        Ok(())
    }

    /// Refuses to grant permissions that the caller does not hold, and ownership unless the caller is an owner.
    pub async fn may_grant(&self, permit: &Permit, roles: &RoleSet) -> Result<(), Error> {
        self.may_change_member(permit, roles).await?;
        let Err(refusal) = check_grant(self.held, roles.permissions()) else { return Ok(()) };
        Err(self.refuse(permit.operation(), refusal.into()).await)
    }
}

/// A project that the caller may know exists.
pub struct ProjectAccess<'a> {
    access: &'a Access,
    caller: &'a Caller,
    held: PermissionSet,
    project: Arc<ProjectInTeam>,
}

impl ProjectAccess<'_> {
    /// Returns permission to perform the operation if the caller holds what it requires.
    pub async fn permit(&self, operation: Operation) -> Result<Permit, Error> {
        let project = &self.project.project;
        match Permit::granted(operation, self.caller, self.held, project.team_id, Some(project.id)) {
            Ok(permit) => Ok(permit.with_basis(self.basis())),
            Err(refusal) => Err(self.refuse(operation, refusal).await),
        }
    }

    /// Returns permission to regenerate a key. A private key may always regenerate itself.
    pub async fn permit_regeneration(&self, key: ApiKeyId) -> Result<Permit, Error> {
        match Permit::own_regeneration(self.caller, key, &self.project.project) {
            Some(permit) => Ok(permit.with_basis(self.basis())),
            None => self.permit(Operation::KeyRegenerate).await,
        }
    }

    /// Returns permission to read or write a user's data in the project. With a token for the project, users may access
    /// only their own data.
    pub async fn permit_data(&self, operation: Operation, user: ProjectUserId) -> Result<Permit, Error> {
        let permit = self.permit(operation).await?;
        match &self.caller.identity {
            Identity::User(bearer) if bearer.user.id != user => Err(Error::NotFound(ResourceKind::ProjectUser)),
            _ => Ok(permit),
        }
    }

    /// Whether the caller holds a permission, to decide which fields of the project are returned.
    pub fn holds(&self, permission: Permission) -> bool {
        self.held.has(permission)
    }

    /// Refuses to grant permissions that the caller does not hold.
    pub async fn may_grant(&self, permit: &Permit, permissions: PermissionSet) -> Result<(), Error> {
        let Err(refusal) = check_grant(self.held, permissions) else { return Ok(()) };
        Err(self.refuse(permit.operation(), refusal.into()).await)
    }

    /// The project, its team, and the number of its newest schema version.
    pub fn project(&self) -> &ProjectInTeam {
        &self.project
    }

    /// ID of the project.
    pub fn id(&self) -> ProjectId {
        self.project.project.id
    }

    fn basis(&self) -> AccessBasis {
        AccessBasis { project: Some((self.id(), self.project.access_epoch)), ..self.caller.basis }
    }

    async fn refuse(&self, operation: Operation, refusal: Error) -> Error {
        let project = &self.project.project;
        let attempt = Permit::refused(operation, self.caller, project.team_id, Some(project.id));
        self.access.refuse(attempt, self.caller, refusal).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::RoleName;
    use crate::mocks::{FixedClock, MockAccessReader, RecordingUnitOfWork, a_caller, a_team};

    #[tokio::test]
    async fn refusals_are_recorded_up_to_the_rate_limit() {
        let mut reader = MockAccessReader::new();
        let (roles, role_name) = (RoleSet::parse("viewer").unwrap(), RoleName::parse("").unwrap());
        let viewer = TeamMembership { team: a_team("acme"), roles, role_name };
        reader.expect_team_membership().returning(move |_, _| Ok(Some(viewer.clone())));
        let store = Arc::new(RecordingUnitOfWork::default());
        let clock = Arc::new(FixedClock::default());
        let access = Access::new(Arc::new(reader), store.clone(), Arc::new(ActionLimiter::on()), clock);

        let limit = LimitedAction::RecordDenial.limit().burst;
        for (caller, times) in [("ann", limit.saturating_add(9)), ("bob", 1)] {
            let caller = a_caller(caller);
            for _ in 0..times {
                let team = access.team(&caller, a_team("acme").id).await.unwrap();
                assert!(matches!(team.permit(Operation::TeamUpdate).await, Err(Error::Forbidden(_))));
            }
        }
        assert_eq!(store.changes().len(), usize::from(limit) + 1, "Refusals must be counted per caller.");
    }
}
