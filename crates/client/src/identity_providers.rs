//! Identity providers of a project.

use std::fmt::Display;

use steward_api::{
    CreateIdentityProvider, Data, DeleteIdentityProvider, GetIdentityProvider, IdentityProvider,
    IdentityProviderChanges, ListIdentityProviders, NewIdentityProvider, Success, UpdateIdentityProvider,
};

use crate::{Call, Client};

/// Operations of the identity providers of a project.
#[derive(Debug, Clone)]
pub struct IdentityProviders {
    pub(crate) client: Client,
    pub(crate) project_id: String,
}

impl IdentityProviders {
    /// Lists the providers, oldest first.
    pub fn list(&self) -> Call<(), Data<Vec<IdentityProvider>>> {
        self.client.call::<ListIdentityProviders>(&[&self.project_id])
    }

    /// Returns a provider.
    pub fn get(&self, provider_id: impl Display) -> Call<(), Data<IdentityProvider>> {
        self.client.call::<GetIdentityProvider>(&[&self.project_id, &provider_id])
    }

    /// Adds a provider.
    pub fn create(&self, provider: &NewIdentityProvider) -> Call<NewIdentityProvider, Data<IdentityProvider>> {
        self.client.call::<CreateIdentityProvider>(&[&self.project_id]).body(provider)
    }

    /// Updates a provider.
    pub fn update(
        &self,
        provider_id: impl Display,
        changes: &IdentityProviderChanges,
    ) -> Call<IdentityProviderChanges, Data<IdentityProvider>> {
        self.client.call::<UpdateIdentityProvider>(&[&self.project_id, &provider_id]).body(changes)
    }

    /// Deletes a provider.
    pub fn delete(&self, provider_id: impl Display) -> Call<(), Success> {
        self.client.call::<DeleteIdentityProvider>(&[&self.project_id, &provider_id])
    }
}
