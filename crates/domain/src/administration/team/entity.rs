//! Teams, which own projects.

use crate::administration::Member;
use crate::kernel::error::Conflict;
use crate::kernel::policy::RoleSet;
use crate::kernel::{AccountId, Name, Revision, RoleName, Slug, TeamId, Time, audited};

/// A group of accounts that owns projects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Team {
    /// Unique ID of the team.
    pub id: TeamId,
    /// The display name.
    pub name: Name,
    /// The slug, unique across the service.
    pub slug: Slug,
    /// The owner shown for the team: one of its members with the role `owner`.
    pub owner: AccountId,
    /// The time from which its members have to use a second factor; `None` if they need not.
    pub second_factor_from: Option<Time>,
    /// When the team was created.
    pub created_at: Time,
    /// The revision, for compare-and-set. Every operation that can change the owners compares it too, so that
    /// concurrent changes conflict.
    pub revision: Revision,
}

audited!(Team as Team of |team| (Some(team.id), None), |team| {
    "name": team.name.as_str(), "slug": team.slug.as_str(), "owner_id": team.owner.to_string(),
    "second_factor_from": team.second_factor_from.map(|at| at.to_rfc3339()),
});

/// A team with the roles of one of its members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamMembership {
    /// The team.
    pub team: Team,
    /// The member's roles in the team.
    pub roles: RoleSet,
    /// The member's role label.
    pub role_name: RoleName,
}

/// The version of the contents of a team: its members, projects and invites, which change without the team's revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TeamContents {
    /// Grows with every change of a member, a project or an invite of the team.
    pub revision: Revision,
    /// When the next of the pending invites expires, which is a change without a write.
    pub next_expiry: Option<Time>,
}

impl TeamContents {
    /// Returns the contents of a team that is created at `at` with its first member.
    pub fn first_at(at: Time) -> Self {
        Self { revision: Revision::first_at(at), next_expiry: None }
    }
}

impl Team {
    /// Returns the membership of the account that creates the team.
    pub fn first_member(&self) -> Member {
        Member {
            team_id: self.id,
            account_id: self.owner,
            roles: RoleSet::owner(),
            role_name: RoleName::default(),
            created_at: self.created_at,
            revision: Revision::first_at(self.created_at),
        }
    }

    /// Returns the team after an owner leaves that role. If the shown owner leaves, another owner is shown. Fails for
    /// the last owner: a team always keeps one.
    pub fn without_owner(self, leaving: AccountId, members: &[Member]) -> Result<Self, Conflict> {
        let mut others = members.iter().filter(|member| member.roles.is_owner() && member.account_id != leaving);
        let next = others.next().ok_or(Conflict::LastOwner)?;
        let owner = if self.owner == leaving { next.account_id } else { self.owner };
        Ok(Self { owner, ..self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::{a_member, a_team, an_account};

    #[test]
    fn a_team_always_keeps_an_owner() {
        let team = a_team("acme");
        let first = a_member(&team, team.owner, "owner");
        let viewer = a_member(&team, an_account("vic").id, "viewer");
        let alone = [first.clone(), viewer.clone()];
        assert_eq!(team.clone().without_owner(team.owner, &alone), Err(Conflict::LastOwner));

        let second = a_member(&team, an_account("sue").id, "owner");
        let both = [first, viewer, second.clone()];
        assert_eq!(team.clone().without_owner(team.owner, &both).unwrap().owner, second.account_id);
        assert_eq!(team.clone().without_owner(second.account_id, &both).unwrap(), team);
    }
}
