//! Users of a project.

use std::fmt::Display;
use std::time::Duration;

use steward_api::{
    ConnectUser, ConnectedUser, Data, DeleteUser, Deleted, ExportUser, GetUser, GetUserStats, ListUserSessions,
    ListUsers, ProjectUser, SignOutUser, Success, UpdateUser, UserChanges, UserConnection, UserExport, UserSession,
    UserStats,
};

use crate::{Call, Client, List};

/// Timeout of an export, which is as large as the data of the user.
const EXPORT_TIMEOUT: Duration = Duration::from_mins(10);

/// Operations of the users of a project.
#[derive(Debug, Clone)]
pub struct Users {
    pub(crate) client: Client,
    pub(crate) project_id: String,
}

impl Users {
    /// Lists the users, newest first. `status` and `q` are filters.
    pub fn list(&self) -> List<ProjectUser> {
        self.client.list::<ListUsers>(&[&self.project_id])
    }

    /// Returns a user.
    pub fn get(&self, user_id: impl Display) -> Call<(), Data<ProjectUser>> {
        self.client.call::<GetUser>(&[&self.project_id, &user_id])
    }

    /// Updates what the project stores about a user, or blocks or unblocks the user.
    pub fn update(&self, user_id: impl Display, changes: &UserChanges) -> Call<UserChanges, Data<ProjectUser>> {
        self.client.call::<UpdateUser>(&[&self.project_id, &user_id]).body(changes)
    }

    /// Deletes a user with all data that the project stores about them.
    pub fn delete(&self, user_id: impl Display) -> Call<(), Deleted> {
        self.client.call::<DeleteUser>(&[&self.project_id, &user_id])
    }

    /// Returns all data that the project stores about a user.
    pub fn export(&self, user_id: impl Display) -> Call<(), UserExport> {
        self.client.call::<ExportUser>(&[&self.project_id, &user_id]).timeout(EXPORT_TIMEOUT)
    }

    /// Lists the active sign-ins of a user to the project, newest first: at most 1,000.
    pub fn sessions(&self, user_id: impl Display) -> Call<(), Data<Vec<UserSession>>> {
        self.client.call::<ListUserSessions>(&[&self.project_id, &user_id])
    }

    /// Ends all sign-ins of a user to the project. The user can sign in again.
    pub fn sign_out(&self, user_id: impl Display) -> Call<(), Success> {
        self.client.call::<SignOutUser>(&[&self.project_id, &user_id])
    }

    /// Returns the number of users, and how many were active on each of the last days: 1 to 365.
    pub fn stats(&self, days: u16) -> Call<(), UserStats> {
        self.client.call::<GetUserStats>(&[&self.project_id]).query("days", days)
    }

    /// Connects the person of an access token to the project. The token is for this project or for the service.
    pub fn connect(&self, token: &str) -> Call<UserConnection, ConnectedUser> {
        self.client.call::<ConnectUser>(&[&self.project_id]).body(&UserConnection { token: token.into() })
    }
}
