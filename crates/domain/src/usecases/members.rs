//! Members: who is in a team, and what they may do there.

use std::sync::Arc;

use crate::changes::Changes;
use crate::error::{Error, ResourceKind};
use crate::model::{AccountId, Caller, Member, Page, PageRequest, RoleName, Team, TeamId};
use crate::policy::{Operation, RoleSet};
use crate::ports::{Clock, TeamReader, UnitOfWork};

use super::{Access, AffectedResources, Authority, complete, retry_stale};

/// What is to change of a member.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each field is the value it is named after; what is `None` stays")]
pub struct UpdateMember {
    pub roles: Option<RoleSet>,
    pub role_name: Option<RoleName>,
}

/// The use cases of members.
pub struct Members {
    access: Access,
    teams: Arc<dyn TeamReader>,
    authority: Authority,
    store: Arc<dyn UnitOfWork>,
    clock: Arc<dyn Clock>,
}

impl Members {
    /// Over these ports.
    pub fn new(
        access: Access,
        teams: Arc<dyn TeamReader>,
        authority: Authority,
        store: Arc<dyn UnitOfWork>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { access, teams, authority, store, clock }
    }

    /// The team's members.
    pub async fn list(&self, caller: &Caller, team: TeamId, page: &PageRequest) -> Result<Page<Member>, Error> {
        self.access.team(caller, team).await?.permit(Operation::MemberList).await?;

        Ok(self.teams.members(team, page).await?)
    }

    /// Changes a member's roles or role label. What the member began and may not do in the new roles ends in the same
    /// commit; the answer names it.
    pub async fn update(
        &self,
        caller: &Caller,
        team: TeamId,
        account: AccountId,
        command: UpdateMember,
    ) -> Result<(Member, AffectedResources), Error> {
        retry_stale(async || {
            let command = command.clone();
            let access = self.access.team(caller, team).await?;
            let permit = access.permit(Operation::MemberUpdate).await?;

            let loaded = self.teams.member(team, account).await?.ok_or(Error::NotFound(ResourceKind::Member))?;
            access.may_touch(&permit, &loaded.roles).await?;
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
                self.authority.lost_with(team, account, Some(&changed.roles), now).await?
            };

            let mut changes = Changes::by(permit, now);
            if loaded.roles.is_owner() && !changed.roles.is_owner() {
                changes = self.without_owner(changes, &own.team, account).await?;
            }
            let changes = affected.end(changes.replace(loaded, changed.clone()), now);
            self.store.commit(changes).await?;
            Ok((changed, affected))
        })
        .await
    }

    /// Ends a membership: another's, or one's own. The pending invites and the webhooks that rested on it end in the same
    /// commit. The answer names them, and the keys that the member knows: those work until they are regenerated.
    pub async fn remove(&self, caller: &Caller, team: TeamId, account: AccountId) -> Result<AffectedResources, Error> {
        retry_stale(async || {
            let access = self.access.team(caller, team).await?;
            let permit = access.permit_removal(account).await?;

            let loaded = self.teams.member(team, account).await?.ok_or(Error::NotFound(ResourceKind::Member))?;
            access.may_touch(&permit, &loaded.roles).await?;
            let own = access.membership()?;
            let now = self.clock.now();
            let affected = self.authority.lost_with(team, account, None, now).await?;

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

    /// The change, with another owner shown for the team, and colliding with whatever else could take its last one.
    async fn without_owner(&self, changes: Changes, team: &Team, leaving: AccountId) -> Result<Changes, Error> {
        let members = complete(async |page| self.teams.members(team.id, &page).await).await?;
        let without = team.clone().without_owner(leaving, &members)?;
        Ok(if without == *team { changes.lock(without) } else { changes.replace(team.clone(), without) })
    }
}
