//! May they know it exists, and may they do it? One query answers both.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use lru::LruCache;

use crate::changes::Changes;
use crate::error::{AuthenticationError, Error, Forbidden, ResourceKind};
use crate::model::{
    AccessBasis, AccessEpoch, AccountId, ApiKeyId, Caller, Identity, ProjectId, ProjectInTeam, ProjectMembership,
    ProjectUserId, TeamId, TeamMembership,
};
use crate::policy::{Callers, LimitedAction, Operation, Permission, PermissionSet, Permit, RoleSet};
use crate::ports::{AccessReader, Clock, UnitOfWork};
use crate::work::{Tenant, Work};

use super::RateLimiter;

/// How many memberships are remembered for cached callers.
const MAX_MEMBERSHIPS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(9_999);

/// A membership, and the epoch of the account that it was read at or after.
#[derive(Clone)]
struct CachedMembership {
    membership: ProjectMembership,
    epoch: AccessEpoch,
}

/// Decides access, and records what it refuses to those who know of a thing and may not change it.
#[derive(Clone)]
pub struct Access {
    memberships: Arc<Mutex<LruCache<(AccountId, ProjectId), CachedMembership>>>,
    reader: Arc<dyn AccessReader>,
    store: Arc<dyn UnitOfWork>,
    rate_limiter: Arc<RateLimiter>,
    clock: Arc<dyn Clock>,
}

impl Access {
    /// Decides by what the reader knows.
    pub fn new(
        reader: Arc<dyn AccessReader>,
        store: Arc<dyn UnitOfWork>,
        rate_limiter: Arc<RateLimiter>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let memberships = Arc::new(Mutex::new(LruCache::new(MAX_MEMBERSHIPS)));
        Self { memberships, reader, store, rate_limiter, clock }
    }

    /// The refusal, once it is recorded. What was only to be read is not; nor is what comes too often, so that nobody floods
    /// the log of a team with what they may not do.
    async fn refuse(&self, caller: &Caller, attempt: Permit, error: Error) -> Error {
        if caller.is_cached {
            return Error::AccessChanged;
        }
        let Error::Forbidden(why) = &error else { return error };
        let now = self.clock.now();
        let (kind, id) = attempt.actor().spelled();
        let whose = format!("{kind} {}", id.unwrap_or_default());
        if !attempt.operation().changes_something()
            || self.rate_limiter.take(LimitedAction::RefusalOf, &whose, now).await.is_err()
        {
            return error;
        }
        let changes = Changes::refused(attempt, &why.to_string(), now);
        match self.store.commit(changes).await {
            Ok(_) => error,
            Err(unrecorded) => unrecorded.into(),
        }
    }

    /// The team, if the caller may know of it; else `NotFound`. A key knows of the team that owns its project. What follows
    /// counts as work of the team.
    pub async fn team<'a>(&'a self, caller: &'a Caller, id: TeamId) -> Result<TeamAccess<'a>, Error> {
        let access = self.known_team(caller, id).await?;
        Work::belongs_to(Tenant::Team(id));
        Ok(access)
    }

    async fn known_team<'a>(&'a self, caller: &'a Caller, id: TeamId) -> Result<TeamAccess<'a>, Error> {
        if caller.is_cached {
            return Err(Error::AccessChanged);
        }
        match &caller.identity {
            Identity::Account(account) => {
                let membership = self.reader.team_membership(*account, id).await?;
                let membership = membership.ok_or(Error::NotFound(ResourceKind::Team))?;
                let held = membership.roles.permissions();
                Ok(TeamAccess { access: self, caller, id, held, membership: Some(membership) })
            }
            Identity::Token(token) if token.reaches_team(id) => {
                let membership = self.reader.team_membership(token.account_id, id).await?;
                let membership = membership.ok_or(Error::NotFound(ResourceKind::Team))?;
                let held = token.narrowed(membership.roles.permissions());
                Ok(TeamAccess { access: self, caller, id, held, membership: Some(membership) })
            }
            Identity::Key(bearer) if bearer.project.project.team_id == id => {
                let held = bearer.key.roles.permissions();
                Ok(TeamAccess { access: self, caller, id, held, membership: None })
            }
            Identity::Key(_) | Identity::Token(_) => Err(Error::NotFound(ResourceKind::Team)),
            Identity::User(_) => Err(AuthenticationError::TokenOfProject.into()),
        }
    }

    /// The project, if the caller may know of it; else `NotFound`. A key knows of its own, and needs no query for it. What
    /// follows counts as work of the project's team.
    pub async fn project<'a>(&'a self, caller: &'a Caller, id: ProjectId) -> Result<ProjectAccess<'a>, Error> {
        if caller.is_cached {
            return Err(Error::AccessChanged);
        }
        self.project_to_prove(caller, id).await
    }

    /// The same, for operations whose statements prove what the permit rests on. What a cached caller may do is taken as
    /// it was when it was last read.
    pub async fn project_to_prove<'a>(&'a self, caller: &'a Caller, id: ProjectId) -> Result<ProjectAccess<'a>, Error> {
        let access = self.known_project(caller, id).await?;
        Work::belongs_to(Tenant::Team(access.project.project.team_id));
        Ok(access)
    }

    /// After a statement that found nothing: whether that is because nothing is there.
    ///
    /// # Errors
    ///
    /// [`Error::AccessChanged`] when the store does not have what the decision rests on any more, or may not.
    pub(super) async fn confirm(&self, caller: &Caller, basis: &AccessBasis) -> Result<(), Error> {
        if caller.is_cached || !self.reader.is_current(basis).await? { Err(Error::AccessChanged) } else { Ok(()) }
    }

    /// The account's part in a project: for a cached caller as it was last read. It is never older than the epoch of the
    /// account that it is remembered with.
    async fn membership(
        &self,
        caller: &Caller,
        account: AccountId,
        id: ProjectId,
    ) -> Result<Option<ProjectMembership>, Error> {
        let memberships = || self.memberships.lock().unwrap_or_else(PoisonError::into_inner);
        let epoch = caller.basis.account.map(|(_, epoch)| epoch);
        if caller.is_cached {
            let known = memberships().get(&(account, id)).filter(|known| Some(known.epoch) == epoch).cloned();
            if let Some(known) = known {
                return Ok(Some(known.membership));
            }
        }
        let found = self.reader.project_membership(account, id).await?;
        if let Some((found, epoch)) = found.as_ref().zip(epoch) {
            let project = Arc::new(found.project.to_remember());
            let membership = ProjectMembership { project, roles: found.roles.clone() };
            memberships().put((account, id), CachedMembership { membership, epoch });
        }
        Ok(found)
    }

    async fn known_project<'a>(&'a self, caller: &'a Caller, id: ProjectId) -> Result<ProjectAccess<'a>, Error> {
        match &caller.identity {
            Identity::Account(account) => {
                let membership = self.membership(caller, *account, id).await?;
                let membership = membership.ok_or(Error::NotFound(ResourceKind::Project))?;
                let held = membership.roles.permissions();
                Ok(ProjectAccess { access: self, caller, held, project: membership.project })
            }
            Identity::Token(token) => {
                let membership = self.reader.project_membership(token.account_id, id).await?;
                let reached = |found: &ProjectMembership| token.reaches_project(id, found.project.project.team_id);
                let membership = membership.filter(reached).ok_or(Error::NotFound(ResourceKind::Project))?;
                let held = token.narrowed(membership.roles.permissions());
                Ok(ProjectAccess { access: self, caller, held, project: membership.project })
            }
            Identity::Key(bearer) if bearer.project.project.id == id => {
                let held = bearer.key.roles.permissions();
                Ok(ProjectAccess { access: self, caller, held, project: bearer.project.clone() })
            }
            Identity::User(bearer) if bearer.project.project.id == id => Ok(ProjectAccess {
                access: self,
                caller,
                held: PermissionSet::default(),
                project: bearer.project.clone(),
            }),
            Identity::Key(_) | Identity::User(_) => Err(Error::NotFound(ResourceKind::Project)),
        }
    }
}

/// Checks an operation against what the caller is and holds.
fn check(operation: Operation, caller: &Caller, held: PermissionSet) -> Result<(), Error> {
    let rule = operation.rule();
    takes(operation, &caller.identity)?;
    if let Some(permission) = rule.needs.permissions().find(|permission| !held.has(*permission)) {
        return Err(Forbidden::Requirement(permission).into());
    }
    match (rule.needs.scope(), &caller.identity) {
        (Some(scope), Identity::User(bearer)) if !bearer.scopes.has(scope) => Err(Forbidden::WrongScope(scope).into()),
        _ => Ok(()),
    }
}

/// Whether an operation takes this kind of credential.
pub(super) fn takes(operation: Operation, identity: &Identity) -> Result<(), Error> {
    match (identity, operation.rule().callers) {
        // What needs no permission cannot be narrowed to permissions.
        (Identity::Token(_), _) if operation.rule().needs.permissions().next().is_none() => {
            Err(Forbidden::PersonalTokenRefused.into())
        }
        (Identity::Key(_), Callers::Account | Callers::User | Callers::AccountOrUser) => {
            Err(Forbidden::KeyRefused.into())
        }
        (Identity::User(_), Callers::Account | Callers::AccountOrKey) => {
            Err(AuthenticationError::TokenOfProject.into())
        }
        (Identity::Account(_) | Identity::Token(_), Callers::User) => Err(AuthenticationError::TokenOfService.into()),
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
    access: &'a Access,
    caller: &'a Caller,
    id: TeamId,
    held: PermissionSet,
    membership: Option<TeamMembership>,
}

impl TeamAccess<'_> {
    /// Leave to do it, if the caller holds what it needs.
    pub async fn permit(&self, operation: Operation) -> Result<Permit, Error> {
        let attempt = Permit::granted(operation, self.caller, self.id, None);
        match check(operation, self.caller, self.held) {
            Ok(()) => Ok(attempt),
            Err(refusal) => Err(self.access.refuse(self.caller, attempt, refusal).await),
        }
    }

    /// Leave to end a membership. Whoever it is may always end their own.
    pub async fn permit_removal(&self, account: AccountId) -> Result<Permit, Error> {
        match &self.caller.identity {
            Identity::Account(own) if *own == account => {
                Ok(Permit::granted(Operation::MemberRemove, self.caller, self.id, None))
            }
            _ => self.permit(Operation::MemberRemove).await,
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

    /// Whether the caller acts as an owner.
    fn is_owner(&self) -> Result<bool, Error> {
        let narrowed = match &self.caller.identity {
            Identity::Token(token) => !token.roles.is_owner(),
            _ => false,
        };
        Ok(self.membership()?.roles.is_owner() && !narrowed)
    }

    /// Refuses to touch somebody in these roles: only owners touch owners.
    pub async fn may_touch(&self, permit: &Permit, roles: &RoleSet) -> Result<(), Error> {
        if roles.is_owner() && !self.is_owner()? {
            return Err(self.access.refuse(self.caller, permit.clone(), Forbidden::OwnersOnly.into()).await);
        }
        Ok(())
    }

    /// Refuses a grant of what the caller does not hold, and of ownership by any but owners.
    pub async fn may_grant(&self, permit: &Permit, roles: &RoleSet) -> Result<(), Error> {
        self.may_touch(permit, roles).await?;
        match check_grant(self.held, roles.permissions()) {
            Ok(()) => Ok(()),
            Err(refusal) => Err(self.access.refuse(self.caller, permit.clone(), refusal.into()).await),
        }
    }
}

/// A project that the caller may know of.
pub struct ProjectAccess<'a> {
    access: &'a Access,
    caller: &'a Caller,
    held: PermissionSet,
    project: Arc<ProjectInTeam>,
}

impl ProjectAccess<'_> {
    /// Leave to do it, if the caller holds what it needs.
    pub async fn permit(&self, operation: Operation) -> Result<Permit, Error> {
        match check(operation, self.caller, self.held) {
            Ok(()) => Ok(self.granted(operation)),
            Err(refusal) => Err(self.access.refuse(self.caller, self.granted(operation), refusal).await),
        }
    }

    /// Leave to regenerate a key. A private key may always regenerate itself.
    pub async fn permit_regeneration(&self, key: ApiKeyId) -> Result<Permit, Error> {
        match &self.caller.identity {
            Identity::Key(bearer) if bearer.key.id == key && bearer.may_regenerate_itself() => {
                Ok(self.granted(Operation::KeyRegenerate))
            }
            _ => self.permit(Operation::KeyRegenerate).await,
        }
    }

    /// Leave to read or write what the project keeps for a user. By a token for the project nobody but that user gets it.
    pub async fn permit_data(&self, operation: Operation, user: ProjectUserId) -> Result<Permit, Error> {
        let permit = self.permit(operation).await?;
        match &self.caller.identity {
            Identity::User(bearer) if bearer.user.id != user => Err(Error::NotFound(ResourceKind::ProjectUser)),
            _ => Ok(permit),
        }
    }

    /// Whether the caller holds a permission: for what is shown of the project.
    pub fn holds(&self, permission: Permission) -> bool {
        self.held.has(permission)
    }

    /// Refuses a grant of what the caller does not hold.
    pub async fn may_grant(&self, permit: &Permit, permissions: PermissionSet) -> Result<(), Error> {
        match check_grant(self.held, permissions) {
            Ok(()) => Ok(()),
            Err(refusal) => Err(self.access.refuse(self.caller, permit.clone(), refusal.into()).await),
        }
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
        let basis = AccessBasis { project: Some((project.id, self.project.access_epoch)), ..self.caller.basis };
        Permit::granted(operation, self.caller, project.team_id, Some(project.id)).resting_on(basis)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::{FixedClock, MockAccessReader, RecordingUnitOfWork, a_caller, a_team};
    use crate::model::RoleName;

    #[tokio::test]
    async fn refusals_are_recorded_until_they_are_too_many() {
        let mut reader = MockAccessReader::new();
        let (roles, role_name) = (RoleSet::parse("viewer").unwrap(), RoleName::parse("").unwrap());
        let viewer = TeamMembership { team: a_team("acme"), roles, role_name };
        reader.expect_team_membership().returning(move |_, _| Ok(Some(viewer.clone())));
        let store = Arc::new(RecordingUnitOfWork::default());
        let clock = Arc::new(FixedClock::default());
        let access = Access::new(Arc::new(reader), store.clone(), Arc::new(RateLimiter::on()), clock);

        let limit = LimitedAction::RefusalOf.limit().burst;
        for (caller, times) in [("ann", limit.saturating_add(9)), ("bob", 1)] {
            let caller = a_caller(caller);
            for _ in 0..times {
                let team = access.team(&caller, a_team("acme").id).await.unwrap();
                assert!(matches!(team.permit(Operation::TeamUpdate).await, Err(Error::Forbidden(_))));
            }
        }
        assert_eq!(store.changes().len(), usize::from(limit) + 1, "those of each caller for themselves");
    }
}
