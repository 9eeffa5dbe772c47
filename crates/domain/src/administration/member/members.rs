//! Team members and their roles.

use crate::administration::{AdministrationCore, AffectedResources, Authority, Member, MemberWithAccount};
use crate::kernel::changes::Changes;
use crate::kernel::error::{Error, ResourceKind};
use crate::kernel::policy::{AuthorityChange, EndableKinds, Operation, RoleSet};
use crate::kernel::{AccountId, Caller, Page, PageRequest, Precondition, RoleName, TeamId, retry_stale, use_cases};

/// Changes to a member.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "each field is named after its value; `None` leaves it unchanged")]
pub struct UpdateMember {
    pub roles: Option<RoleSet>,
    pub role_name: Option<RoleName>,
}

use_cases! {
    /// Use cases of members.
    pub struct Members { core: AdministrationCore, authority: Authority }
}

impl Members {
    /// Lists the team's members.
    pub async fn list(&self, caller: &Caller, team: TeamId, page: &PageRequest) -> Result<Page<Member>, Error> {
        self.core.access.team(caller, team).await?.permit(Operation::MemberList).await?;

        Ok(self.core.ports.teams.members(team, page).await?)
    }

    /// Lists the team's members with their accounts. An API key does not see the accounts: its holder may not be a
    /// member of the team.
    pub async fn list_with_accounts(
        &self,
        caller: &Caller,
        team: TeamId,
        page: &PageRequest,
    ) -> Result<Page<MemberWithAccount>, Error> {
        if caller.person().is_none() {
            let members = self.list(caller, team, page).await?;
            return Ok(members.map(|member| MemberWithAccount { member, account: None }));
        }
        self.core.access.team(caller, team).await?.permit(Operation::MemberList).await?;

        Ok(self.core.ports.teams.members_with_accounts(team, page).await?)
    }

    /// Returns a member with the account. A signed-in account may always read its own membership.
    pub async fn get(&self, caller: &Caller, team: TeamId, account: AccountId) -> Result<MemberWithAccount, Error> {
        let access = self.core.access.team(caller, team).await?;
        if caller.person() != Some(account) {
            access.permit(Operation::MemberList).await?;
        }
        let member = self.core.ports.teams.member(team, account).await?.ok_or(Error::NotFound(ResourceKind::Member))?;
        let account = self.core.ports.accounts.account(account).await?;
        Ok(MemberWithAccount { member, account })
    }

    /// Returns what [`Members::update`] to these roles, or [`Members::remove`] for `None`, would affect now. It requires
    /// the same permission.
    pub async fn preview(
        &self,
        caller: &Caller,
        team: TeamId,
        account: AccountId,
        remaining: Option<&RoleSet>,
    ) -> Result<AffectedResources, Error> {
        let access = self.core.access.team(caller, team).await?;
        let permit = match remaining {
            Some(_) => access.permit(Operation::MemberUpdate).await?,
            None => access.permit_removal(account).await?,
        };

        let loaded = self.core.ports.teams.member(team, account).await?.ok_or(Error::NotFound(ResourceKind::Member))?;
        access.may_change_member(&permit, &loaded.roles).await?;
        if remaining == Some(&loaded.roles) {
            return Ok(AffectedResources::default());
        }
        let ended = EndableKinds::default();
        self.authority.affected_resources(team, account, remaining, &ended, self.core.now()).await
    }

    /// Updates a member's roles or role name. Invites and webhooks of the member that the new roles do not permit end
    /// in the same commit, or in further commits if there are very many, and so do the kinds of `ended`, which the
    /// caller must be permitted to delete. The affected resources are returned.
    pub async fn update(
        &self,
        caller: &Caller,
        team: TeamId,
        account: AccountId,
        command: UpdateMember,
        ended: &EndableKinds,
        when: &Precondition,
    ) -> Result<(Member, AffectedResources), Error> {
        let (permit, member, affected) = retry_stale(async || {
            let command = command.clone();
            let access = self.core.access.team(caller, team).await?;
            let permit = access.permit(Operation::MemberUpdate).await?;
            access.may_end(ended).await?;

            let loaded =
                self.core.ports.teams.member(team, account).await?.ok_or(Error::NotFound(ResourceKind::Member))?;
            access.may_change_member(&permit, &loaded.roles).await?;
            when.check(ResourceKind::Member, loaded.revision)?;
            let own = access.membership()?;
            let changed = Member {
                roles: command.roles.unwrap_or_else(|| loaded.roles.clone()),
                role_name: command.role_name.unwrap_or_else(|| loaded.role_name.clone()),
                ..loaded.clone()
            };
            let now = self.core.now();
            let affected = if changed.roles == loaded.roles {
                AffectedResources::default()
            } else {
                access.may_grant(&permit, &changed.roles).await?;
                let (before, after) = (Some(&loaded.roles), Some(&changed.roles));
                permit.confirm(AuthorityChange::Member { before, after })?;
                self.authority.affected_resources(team, account, Some(&changed.roles), ended, now).await?
            };

            let mut changes = Changes::by(permit.clone(), now);
            if loaded.roles.is_owner() && !changed.roles.is_owner() {
                changes = self.authority.end_ownership(changes, &own.team, account).await?;
            }
            self.core.commit(affected.end(changes.replace(loaded, changed.clone()), now)).await?;
            Ok((permit, Member { revision: changed.revision.next(), ..changed }, affected))
        })
        .await?;
        self.authority.finish(&permit, team, account, Some(&member.roles), &affected).await?;
        Ok((member, affected))
    }

    /// Removes a member, or the caller from the team. The member's pending invites and webhooks end in the same commit,
    /// or in further commits if there are very many, and so do the kinds of `ended`, which the caller must be permitted
    /// to delete. Returns them with the keys, clients and identity providers that go on.
    pub async fn remove(
        &self,
        caller: &Caller,
        team: TeamId,
        account: AccountId,
        ended: &EndableKinds,
        when: &Precondition,
    ) -> Result<AffectedResources, Error> {
        let (permit, affected) = retry_stale(async || {
            let access = self.core.access.team(caller, team).await?;
            let permit = access.permit_removal(account).await?;
            access.may_end(ended).await?;

            let loaded =
                self.core.ports.teams.member(team, account).await?.ok_or(Error::NotFound(ResourceKind::Member))?;
            access.may_change_member(&permit, &loaded.roles).await?;
            when.check(ResourceKind::Member, loaded.revision)?;
            permit.confirm(AuthorityChange::Member { before: Some(&loaded.roles), after: None })?;
            let own = access.membership()?;
            let now = self.core.now();
            let affected = self.authority.affected_resources(team, account, None, ended, now).await?;

            let mut changes = Changes::by(permit.clone(), now);
            if loaded.roles.is_owner() {
                changes = self.authority.end_ownership(changes, &own.team, account).await?;
            }
            self.core.commit(affected.end(changes.remove(loaded), now)).await?;
            Ok((permit, affected))
        })
        .await?;
        self.authority.finish(&permit, team, account, None, &affected).await?;
        Ok(affected)
    }
}
