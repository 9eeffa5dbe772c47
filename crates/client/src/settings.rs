//! Settings of a project.

use serde_json::{Map, Value};
use steward_api::{Data, GetSettings, ProjectSettings, ResetSettings, SettingsChanges, UpdateSettings};

use crate::{Call, Client};

/// Operations of the settings of a project.
#[derive(Debug, Clone)]
pub struct Settings {
    pub(crate) client: Client,
    pub(crate) project_id: String,
}

impl Settings {
    /// Returns the settings, with the default for each setting that was never changed.
    pub fn get(&self) -> Call<(), Data<ProjectSettings>> {
        self.client.call::<GetSettings>(&[&self.project_id])
    }

    /// Merges changes into the settings (RFC 7396): null resets a setting to its default.
    pub fn update(&self, changes: Map<String, Value>) -> Call<SettingsChanges, Data<ProjectSettings>> {
        self.client.call::<UpdateSettings>(&[&self.project_id]).body(&SettingsChanges(changes))
    }

    /// Resets settings to their defaults. The names are dotted paths, such as `auth.redirect_uris`.
    pub fn reset(&self, names: &[impl AsRef<str>]) -> Call<(), Data<ProjectSettings>> {
        let call = self.client.call::<ResetSettings>(&[&self.project_id]);
        names.iter().fold(call, |call, name| call.query("key", name.as_ref()))
    }
}
