//! Teams: who owns projects together.

use crate::error::Conflict;
use crate::policy::RoleSet;

use super::{AccountId, Member, Name, Revision, RoleName, Slug, TeamId, Time};

/// A group of accounts that owns projects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Team {
    /// Its id.
    pub id: TeamId,
    /// What people call it.
    pub name: Name,
    /// Unique across the service.
    pub slug: Slug,
    /// The owner who is shown for it; one of its members in the role `owner`.
    pub owner: AccountId,
    /// When it was made.
    pub created_at: Time,
    /// For compare-and-set. Whatever could change the owners compares it too, so two such changes at once collide.
    pub revision: Revision,
}

/// A team as one of its members sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamMembership {
    /// The team.
    pub team: Team,
    /// The member's roles in it.
    pub roles: RoleSet,
    /// The member's role label.
    pub role_name: RoleName,
}

impl Team {
    /// The team after an owner stops being one: another owner is shown for it. Refused for the last (decisions: a team
    /// always keeps one owner).
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
