//! Projects that a person granted access to, with a token of the person for the project.

use std::fmt::Display;
use std::time::Duration;

use steward_api::{ConnectedApp, Data, ExportOwnData, GetOwnApp, LeaveOwnApp, Success, UserExport};

use crate::{Call, Client};

/// Exports contain all items of a person and are read in one response.
const EXPORT_TIMEOUT: Duration = Duration::from_mins(30);

/// Operations of the project of the token. They require an access token that the project received.
#[derive(Debug, Clone)]
pub struct Apps {
    pub(crate) client: Client,
}

impl Apps {
    /// Returns the project, and the caller as its user.
    pub fn get(&self, project_id: impl Display) -> Call<(), Data<ConnectedApp>> {
        self.client.call::<GetOwnApp>(&[&project_id])
    }

    /// Disconnects the caller from the project and revokes the caller's tokens for it. With `erase`, the caller's items
    /// in the project are deleted first.
    pub fn leave(&self, project_id: impl Display, erase: bool) -> Call<(), Success> {
        self.client.call::<LeaveOwnApp>(&[&project_id]).optional_query("erase", erase.then_some(true))
    }

    /// Returns all data that the project stores about the caller.
    pub fn export(&self, project_id: impl Display) -> Call<(), UserExport> {
        self.client.call::<ExportOwnData>(&[&project_id]).timeout(EXPORT_TIMEOUT)
    }
}
