//! OAuth clients that a project registers.

use std::fmt::Display;

use steward_api::{
    ClientSecretRotation, CreateClient, Data, DeleteClient, DeleteClientLogo, GetClient, ImageForm, ListClients,
    NewOAuthClient, OAuthClient, OAuthClientChanges, OAuthClientWithSecret, RotateClientSecret, Success, UpdateClient,
    UploadClientLogo,
};

use crate::images::form_with;
use crate::{Call, Client};

/// Operations of the OAuth clients of a project.
#[derive(Debug, Clone)]
pub struct OAuthClients {
    pub(crate) client: Client,
    pub(crate) project_id: String,
}

impl OAuthClients {
    /// Lists the clients without their secrets, oldest first.
    pub fn list(&self) -> Call<(), Data<Vec<OAuthClient>>> {
        self.client.call::<ListClients>(&[&self.project_id])
    }

    /// Returns a client without its secret.
    pub fn get(&self, client_id: impl Display) -> Call<(), Data<OAuthClient>> {
        self.client.call::<GetClient>(&[&self.project_id, &client_id])
    }

    /// Registers a client. The secret of a confidential client is never returned again.
    pub fn create(&self, client: &NewOAuthClient) -> Call<NewOAuthClient, Data<OAuthClientWithSecret>> {
        self.client.call::<CreateClient>(&[&self.project_id]).body(client)
    }

    /// Updates a client. Its type and its secret stay the same.
    pub fn update(
        &self,
        client_id: impl Display,
        changes: &OAuthClientChanges,
    ) -> Call<OAuthClientChanges, Data<OAuthClient>> {
        self.client.call::<UpdateClient>(&[&self.project_id, &client_id]).body(changes)
    }

    /// Deletes a client. Its tokens stop working immediately.
    pub fn delete(&self, client_id: impl Display) -> Call<(), Success> {
        self.client.call::<DeleteClient>(&[&self.project_id, &client_id])
    }

    /// Replaces the secret of a confidential client. The old secret continues to work for `grace_seconds`: 0 to 86,400.
    pub fn rotate_secret(
        &self,
        client_id: impl Display,
        grace_seconds: u32,
    ) -> Call<ClientSecretRotation, Data<OAuthClientWithSecret>> {
        let options = ClientSecretRotation { grace_seconds: Some(grace_seconds) };
        self.client.call::<RotateClientSecret>(&[&self.project_id, &client_id]).body(&options)
    }

    /// Replaces the logo of a client by a PNG, JPEG, WebP or GIF image: at most 2 MiB, and 16 to 4,096 pixels per side.
    pub fn upload_logo(&self, client_id: impl Display, image: &[u8]) -> Call<ImageForm, Data<OAuthClient>> {
        let (media_type, body) = form_with(image);
        self.client.call::<UploadClientLogo>(&[&self.project_id, &client_id]).raw_body(&media_type, body)
    }

    /// Deletes the logo of a client.
    pub fn delete_logo(&self, client_id: impl Display) -> Call<(), Success> {
        self.client.call::<DeleteClientLogo>(&[&self.project_id, &client_id])
    }
}
