//! How many bytes each team and project has, to find the largest.

use std::collections::{BTreeSet, HashMap};

use crate::kernel::{ProjectId, TeamId};

/// Sizes of teams and of their projects.
#[derive(Default)]
pub(super) struct Sizes {
    total: usize,
    teams: HashMap<TeamId, TeamSizes>,
    by_size: BTreeSet<(usize, TeamId)>,
}

#[derive(Default)]
struct TeamSizes {
    total: usize,
    projects: HashMap<ProjectId, usize>,
    by_size: BTreeSet<(usize, ProjectId)>,
}

impl Sizes {
    /// Returns the size of all projects.
    pub(super) fn total(&self) -> usize {
        self.total
    }

    /// Sets the size of a project. 0 removes it.
    pub(super) fn set(&mut self, team: TeamId, project: ProjectId, size: usize) {
        let sizes = self.teams.entry(team).or_default();
        let (team_before, before) = (sizes.total, sizes.set(project, size));
        let team_after = sizes.total;
        if team_after == 0 {
            self.teams.remove(&team);
        }
        self.by_size.remove(&(team_before, team));
        if team_after > 0 {
            self.by_size.insert((team_after, team));
        }
        self.total = self.total.saturating_sub(before).saturating_add(size);
    }

    /// Returns the largest project of the largest team.
    pub(super) fn largest(&self) -> Option<(TeamId, ProjectId)> {
        let (_, team) = self.by_size.last()?;
        let (_, project) = self.teams.get(team)?.by_size.last()?;
        Some((*team, *project))
    }
}

impl TeamSizes {
    /// Sets the size of a project, and returns the one before.
    fn set(&mut self, project: ProjectId, size: usize) -> usize {
        let before = if size == 0 { self.projects.remove(&project) } else { self.projects.insert(project, size) };
        let before = before.unwrap_or_default();
        self.by_size.remove(&(before, project));
        if size > 0 {
            self.by_size.insert((size, project));
        }
        self.total = self.total.saturating_sub(before).saturating_add(size);
        before
    }
}
