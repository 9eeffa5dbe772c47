//! Personal access tokens: credentials for a person's own programs, with limited permissions and a limited lifetime.

use crate::kernel::error::Forbidden;
use crate::kernel::policy::{Permission, PermissionSet, RoleSet};
use crate::kernel::{
    AccessEpoch, AccountId, KeyDigest, Label, PersonalTokenId, ProjectId, Revision, TeamId, Time, audited, debug_only,
};

/// A personal access token as it is stored: without its value.
#[derive(Clone, PartialEq, Eq)]
pub struct PersonalToken {
    /// Unique ID of the token.
    pub id: PersonalTokenId,
    /// The account that owns the token.
    pub account_id: AccountId,
    /// The display name.
    pub label: Label,
    /// The roles of the token. It has each permission only if the person has it too.
    pub roles: RoleSet,
    /// The teams that the token can access.
    pub teams: Vec<TeamId>,
    /// The projects that the token can access in addition to those of `teams`. If both lists are empty, the token can
    /// access everything that the person can.
    pub projects: Vec<ProjectId>,
    /// The digest of the value.
    pub digest: KeyDigest,
    /// The prefix and last 4 characters of the value.
    pub hint: String,
    /// When the token was created.
    pub created_at: Time,
    /// When the token expires.
    pub expires_at: Time,
    /// When the token was last used, with a precision of one minute.
    pub last_used: Option<Time>,
    /// The revision, for compare-and-set.
    pub revision: Revision,
}

audited!(PersonalToken as PersonalToken of nobody, |token| {
    "label": token.label.as_str(), "roles": token.roles.to_string(), "hint": token.hint,
    "expires_at": token.expires_at.to_rfc3339(),
});

impl PersonalToken {
    /// The maximum lifetime, in days.
    pub const MAX_DAYS: i64 = 366;
    /// The maximum number of teams, and of projects, that a token can name.
    pub const MAX_TARGETS: usize = 100;

    /// Returns whether the token has expired.
    pub fn is_expired(&self, now: Time) -> bool {
        self.expires_at <= now
    }

    /// Returns whether the token can access the whole team.
    pub fn reaches_team(&self, team: TeamId) -> bool {
        self.teams.is_empty() && self.projects.is_empty() || self.teams.contains(&team)
    }

    /// Returns whether the token can access a project of a team.
    pub fn reaches_project(&self, project: ProjectId, team: TeamId) -> bool {
        self.reaches_team(team) || self.projects.contains(&project)
    }

    /// Checks that the roles of the token include a permission, regardless of the teams and projects.
    pub fn require(&self, permission: Permission) -> Result<(), Forbidden> {
        if self.roles.permissions().has(permission) { Ok(()) } else { Err(Forbidden::MissingPermission(permission)) }
    }

    /// Returns the permissions that both the person and the token have.
    pub fn restricted(&self, held: PermissionSet) -> PermissionSet {
        held.both(self.roles.permissions())
    }
}

debug_only!(PersonalToken: id, hint);

/// A personal access token, with what else its access depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonalTokenBearer {
    /// The token.
    pub token: PersonalToken,
    /// The access epoch of its account.
    pub access_epoch: AccessEpoch,
    /// Whether the account is that of an operator.
    pub is_operator: bool,
    /// Whether the account has an authenticator app or a passkey now.
    pub has_second_factor: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::policy::{Permission, Role};
    use crate::mocks::{a_personal_token, id_of};

    #[test]
    fn a_token_reaches_the_teams_and_projects_it_names_or_everything_if_it_names_none() {
        let (team, other): (TeamId, TeamId) = (id_of("team").into(), id_of("other").into());
        let (project, sibling): (ProjectId, ProjectId) = (id_of("project").into(), id_of("sibling").into());
        let wide = a_personal_token("viewer");
        assert!(wide.reaches_team(team) && wide.reaches_project(project, other));
        let of_team = PersonalToken { teams: vec![team], ..wide.clone() };
        assert!(of_team.reaches_team(team) && of_team.reaches_project(project, team));
        assert!(!of_team.reaches_team(other) && !of_team.reaches_project(project, other));
        let of_project = PersonalToken { projects: vec![project], ..wide };
        assert!(of_project.reaches_project(project, team) && !of_project.reaches_project(sibling, team));
        assert!(!of_project.reaches_team(team), "a project does not include its team");
    }

    #[test]
    fn a_token_never_has_more_permissions_than_the_person() {
        let admin = a_personal_token("admin");
        let held = admin.restricted(Role::Viewer.permissions());
        assert!(held.has(Permission::TeamRead) && !held.has(Permission::TeamWrite));
        let narrow = a_personal_token("key:read").restricted(Role::Owner.permissions());
        assert_eq!(narrow.iter().collect::<Vec<_>>(), [Permission::KeyRead]);
    }
}
