//! Team members and their roles.

use std::sync::Arc;

use crate::changes::Changes;
use crate::error::{Error, ResourceKind};
use crate::model::{AccountId, Caller, Member, Page, PageRequest, Precondition, RoleName, Team, TeamId};
use crate::policy::{Operation, RoleSet};
use crate::ports::{Clock, TeamReader, UnitOfWork};

use super::{Access, AffectedResources, Authority, Core, complete, retry_stale};

/// Changes to a member.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each field is named after its value; `None` leaves it unchanged")]
pub struct UpdateMember {
    pub roles: Option<RoleSet>,
    pub role_name: Option<RoleName>,
}

/// Use cases of members.
#[expect(missing_docs, reason = "each field is named after its port")]
pub struct Members {
    pub access: Access,
    pub teams: Arc<dyn TeamReader>,
    pub authority: Authority,
    pub store: Arc<dyn UnitOfWork>,
    pub clock: Arc<dyn Clock>,
}

impl Members {
    /// Creates the use cases from the shared components.
    pub fn new(core: &Core) -> Self {
        Self {
            access: core.access.clone(),
            teams: core.store.clone(),
            authority: Authority::new(core),
            store: core.unit_of_work.clone(),
            clock: core.system.clock.clone(),
        }
    }

    /// Lists the team's members.
    pub async fn list(&self, caller: &Caller, team: TeamId, page: &PageRequest) -> Result<Page<Member>, Error> {
        self.access.team(caller, team).await?.permit(Operation::MemberList).await?;

        Ok(self.teams.members(team, page).await?)
    }

    /// Updates a member's roles or role name. Invites and webhooks of the member that the new roles do not permit end
    /// in the same commit; the affected resources are returned.
    pub async fn update(
        &self,
        caller: &Caller,
        team: TeamId,
        account: AccountId,
        command: UpdateMember,
        when: &Precondition,
    ) -> Result<(Member, AffectedResources), Error> {
        retry_stale(async || {
            let command = command.clone();
            let access = self.access.team(caller, team).await?;
            let permit = access.permit(Operation::MemberUpdate).await?;

            let loaded = self.teams.member(team, account).await?.ok_or(Error::NotFound(ResourceKind::Member))?;
            access.may_change_member(&permit, &loaded.roles).await?;
            when.check(ResourceKind::Member, loaded.revision)?;
            let own = access.membership()?;
            let changed = Member {
                roles: command.roles.unwrap_or_else(|| loaded.roles.clone()),
                role_name: command.role_name.unwrap_or_else(|| loaded.role_name.clone()),
                ..loaded.clone()
            };
            let now = self.clock.now();
            let affected = if changed.roles == loaded.roles {
                AffectedResources::default()
            } else {
                access.may_grant(&permit, &changed.roles).await?;
                self.authority.affected_resources(team, account, Some(&changed.roles), now).await?
            };

            let mut changes = Changes::by(permit, now);
            if loaded.roles.is_owner() && !changed.roles.is_owner() {
                changes = self.without_owner(changes, &own.team, account).await?;
            }
            let changes = affected.end(changes.replace(loaded, changed.clone()), now);
            self.store.commit(changes).await?;
            Ok((Member { revision: changed.revision.next(), ..changed }, affected))
        })
        .await
    }

    /// Removes a member, or the caller from the team. The member's pending invites and webhooks end in the same commit.
    /// Returns them with the keys that the member knows, which work until they are regenerated.
    pub async fn remove(
        &self,
        caller: &Caller,
        team: TeamId,
        account: AccountId,
        when: &Precondition,
    ) -> Result<AffectedResources, Error> {
        retry_stale(async || {
            let access = self.access.team(caller, team).await?;
            let permit = access.permit_removal(account).await?;

            let loaded = self.teams.member(team, account).await?.ok_or(Error::NotFound(ResourceKind::Member))?;
            access.may_change_member(&permit, &loaded.roles).await?;
            when.check(ResourceKind::Member, loaded.revision)?;
            let own = access.membership()?;
            let now = self.clock.now();
            let affected = self.authority.affected_resources(team, account, None, now).await?;

            let mut changes = Changes::by(permit, now);
            if loaded.roles.is_owner() {
                changes = self.without_owner(changes, &own.team, account).await?;
            }
            let changes = affected.end(changes.remove(loaded), now);
            self.store.commit(changes).await?;
            Ok(affected)
        })
        .await
    }

    /// Adds a change of the team's displayed owner, or a lock on the team. Either one conflicts with concurrent changes
    /// that could remove the last owner.
    async fn without_owner(&self, changes: Changes, team: &Team, leaving: AccountId) -> Result<Changes, Error> {
        let members = complete(async |page| self.teams.members(team.id, &page).await).await?;
        let without = team.clone().without_owner(leaving, &members)?;
        Ok(if without == *team { changes.lock(without) } else { changes.replace(team.clone(), without) })
    }
}
