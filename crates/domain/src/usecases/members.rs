//! Members: who is in a team, and what they may do there.

use std::sync::Arc;

use crate::changes::Changes;
use crate::error::{Error, Kind};
use crate::model::{AccountId, ApiKey, Caller, Member, Page, PageRequest, RoleName, Team, TeamId};
use crate::policy::{Operation, RoleSet};
use crate::ports::{ApiKeyReader, Clock, TeamReader, UnitOfWork};

use super::{Access, Attempt, retry_stale};

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
    keys: Arc<dyn ApiKeyReader>,
    store: Arc<dyn UnitOfWork>,
    clock: Arc<dyn Clock>,
}

impl Members {
    /// Over these ports.
    pub fn new(
        access: Access,
        teams: Arc<dyn TeamReader>,
        keys: Arc<dyn ApiKeyReader>,
        store: Arc<dyn UnitOfWork>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { access, teams, keys, store, clock }
    }

    /// The team's members.
    pub async fn list(&self, caller: &Caller, team: TeamId, page: &PageRequest) -> Result<Page<Member>, Error> {
        self.access.team(caller, team).await?.permit(Operation::MemberList).await?;

        Ok(self.teams.members(team, page).await?)
    }

    /// Changes a member's roles or role label.
    pub async fn update(
        &self,
        caller: &Caller,
        team: TeamId,
        account: AccountId,
        command: UpdateMember,
    ) -> Result<Member, Error> {
        retry_stale(|| self.update_once(caller, team, account, command.clone())).await
    }

    async fn update_once(
        &self,
        caller: &Caller,
        team: TeamId,
        account: AccountId,
        command: UpdateMember,
    ) -> Result<Member, Attempt> {
        let access = self.access.team(caller, team).await?;
        let permit = access.permit(Operation::MemberUpdate).await?;

        let loaded = self.teams.member(team, account).await?.ok_or(Error::NotFound(Kind::Member))?;
        access.may_touch(&permit, &loaded.roles).await?;
        let own = access.membership()?;
        let changed = Member {
            roles: command.roles.unwrap_or_else(|| loaded.roles.clone()),
            role_name: command.role_name.unwrap_or_else(|| loaded.role_name.clone()),
            ..loaded.clone()
        };
        if changed.roles != loaded.roles {
            access.may_grant(&permit, &changed.roles).await?;
        }

        let mut changes = Changes::by(permit, self.clock.now());
        if loaded.roles.is_owner() && !changed.roles.is_owner() {
            changes = self.without_owner(changes, &own.team, account).await?;
        }
        let changes = changes.replace(loaded, changed.clone());
        self.store.commit(changes).await.map_err(|error| Attempt::of_commit(error, Error::from))?;
        Ok(changed)
    }

    /// Ends a membership: another's, or one's own. Tells the keys that the member made in the team's projects and knows:
    /// they go on working until they are regenerated.
    pub async fn remove(&self, caller: &Caller, team: TeamId, account: AccountId) -> Result<Vec<ApiKey>, Error> {
        retry_stale(|| self.remove_once(caller, team, account)).await
    }

    async fn remove_once(&self, caller: &Caller, team: TeamId, account: AccountId) -> Result<Vec<ApiKey>, Attempt> {
        let access = self.access.team(caller, team).await?;
        let permit = access.permit_removal(account).await?;

        let loaded = self.teams.member(team, account).await?.ok_or(Error::NotFound(Kind::Member))?;
        access.may_touch(&permit, &loaded.roles).await?;
        let own = access.membership()?;
        let known = self.keys.keys_made_by(team, account).await?;

        let mut changes = Changes::by(permit, self.clock.now());
        if loaded.roles.is_owner() {
            changes = self.without_owner(changes, &own.team, account).await?;
        }
        self.store.commit(changes.remove(loaded)).await.map_err(|error| Attempt::of_commit(error, Error::from))?;
        Ok(known)
    }

    /// The change, with another owner shown for the team, and colliding with whatever else could take its last one.
    async fn without_owner(&self, changes: Changes, team: &Team, leaving: AccountId) -> Result<Changes, Error> {
        let members = self.teams.members(team.id, &PageRequest::ALL).await?.items;
        let without = team.clone().without_owner(leaving, &members)?;
        Ok(if without == *team { changes.lock(without) } else { changes.replace(team.clone(), without) })
    }
}
