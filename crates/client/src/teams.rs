//! Teams.

use std::fmt::Display;

use steward_api::{
    Availability, CheckTeamSlug, CreateTeam, CreatedTeam, Data, DeleteTeam, GetTeam, ListTeams, ListedTeam, Message,
    NewTeam, Team, TeamChanges, TeamDetails, UpdateTeam,
};

use crate::{Call, Client, List};

/// Operations of teams.
#[derive(Debug, Clone)]
pub struct Teams {
    pub(crate) client: Client,
}

impl Teams {
    /// Lists the teams of the caller, oldest first.
    pub fn list(&self) -> List<ListedTeam> {
        self.client.list::<ListTeams>(&[])
    }

    /// Returns a team.
    pub fn get(&self, team_id: impl Display) -> Call<(), Data<TeamDetails>> {
        self.client.call::<GetTeam>(&[&team_id])
    }

    /// Creates a team. The caller becomes its owner.
    pub fn create(&self, team: &NewTeam) -> Call<NewTeam, Data<CreatedTeam>> {
        self.client.call::<CreateTeam>(&[]).body(team)
    }

    /// Updates a team.
    pub fn update(&self, team_id: impl Display, changes: &TeamChanges) -> Call<TeamChanges, Data<Team>> {
        self.client.call::<UpdateTeam>(&[&team_id]).body(changes)
    }

    /// Deletes a team. It must not own projects.
    pub fn delete(&self, team_id: impl Display) -> Call<(), Message> {
        self.client.call::<DeleteTeam>(&[&team_id])
    }

    /// Returns whether a slug is neither taken nor reserved.
    pub fn check_slug(&self, slug: &str) -> Call<(), Availability> {
        self.client.call::<CheckTeamSlug>(&[]).query("slug", slug)
    }
}
