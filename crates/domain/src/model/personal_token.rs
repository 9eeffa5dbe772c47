//! Personal access tokens: a person's leave for a program of their own, narrower than the person, and never for ever.

use std::fmt;

use crate::error::Forbidden;
use crate::policy::{Permission, PermissionSet, RoleSet};

use super::{AccountId, KeyDigest, Label, PersonalTokenId, ProjectId, Revision, TeamId, Time};

/// A personal access token as it is kept: without its value.
#[derive(Clone, PartialEq, Eq)]
pub struct PersonalToken {
    /// Its id.
    pub id: PersonalTokenId,
    /// Whose it is.
    pub account_id: AccountId,
    /// What the person calls it.
    pub label: Label,
    /// What it may do, as far as the person may.
    pub roles: RoleSet,
    /// The teams it reaches.
    pub teams: Vec<TeamId>,
    /// The projects it reaches besides those of the teams. With neither teams nor projects it reaches all that the person
    /// does.
    pub projects: Vec<ProjectId>,
    /// What is kept of the value.
    pub digest: KeyDigest,
    /// Prefix and last characters of the value.
    pub hint: String,
    /// When it was made.
    pub created_at: Time,
    /// Until when it is good.
    pub expires_at: Time,
    /// When it was last used, exact to a minute.
    pub last_used: Option<Time>,
    /// For compare-and-set.
    pub revision: Revision,
}

impl PersonalToken {
    /// The longest life, in days.
    pub const MAX_DAYS: i64 = 366;
    /// The most teams, or projects, that one can name.
    pub const MAX_TARGETS: usize = 100;

    /// Whether it is past its time.
    pub fn is_expired(&self, now: Time) -> bool {
        self.expires_at <= now
    }

    /// Whether it reaches a team as a whole.
    pub fn reaches_team(&self, team: TeamId) -> bool {
        self.reaches_everything() || self.teams.contains(&team)
    }

    /// Whether it reaches a project of a team.
    pub fn reaches_project(&self, project: ProjectId, team: TeamId) -> bool {
        self.reaches_team(team) || self.projects.contains(&project)
    }

    fn reaches_everything(&self) -> bool {
        self.teams.is_empty() && self.projects.is_empty()
    }

    /// Whether it may do what needs this permission, wherever it reaches.
    pub fn takes(&self, permission: Permission) -> Result<(), Forbidden> {
        if self.roles.permissions().has(permission) { Ok(()) } else { Err(Forbidden::Requirement(permission)) }
    }

    /// What it may do of what the person may.
    pub fn narrowed(&self, held: PermissionSet) -> PermissionSet {
        held.both(self.roles.permissions())
    }
}

impl fmt::Debug for PersonalToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PersonalToken").field("id", &self.id).field("hint", &self.hint).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::{a_personal_token, id_of};
    use crate::policy::{Permission, Role};

    #[test]
    fn it_reaches_what_it_names_and_without_names_everything() {
        let (team, other): (TeamId, TeamId) = (id_of("team").into(), id_of("other").into());
        let (project, sibling): (ProjectId, ProjectId) = (id_of("project").into(), id_of("sibling").into());
        let wide = a_personal_token("viewer");
        assert!(wide.reaches_team(team) && wide.reaches_project(project, other));
        let of_team = PersonalToken { teams: vec![team], ..wide.clone() };
        assert!(of_team.reaches_team(team) && of_team.reaches_project(project, team));
        assert!(!of_team.reaches_team(other) && !of_team.reaches_project(project, other));
        let of_project = PersonalToken { projects: vec![project], ..wide };
        assert!(of_project.reaches_project(project, team) && !of_project.reaches_project(sibling, team));
        assert!(!of_project.reaches_team(team), "the team around a project is not reached");
    }

    #[test]
    fn it_may_never_do_more_than_the_person() {
        let admin = a_personal_token("admin");
        let held = admin.narrowed(Role::Viewer.permissions());
        assert!(held.has(Permission::TeamRead) && !held.has(Permission::TeamWrite));
        let narrow = a_personal_token("key:read").narrowed(Role::Owner.permissions());
        assert_eq!(narrow.iter().collect::<Vec<_>>(), [Permission::KeyRead]);
    }
}
