//! Reading the clients that projects registered.

use async_trait::async_trait;

use crate::model::{ProjectClient, ProjectClientId, ProjectId, ProjectInTeam, ServerKeyId};

use super::StoreError;

/// Reads the clients that projects registered.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ProjectClientReader: Send + Sync {
    /// Returns the clients of the project, oldest first. A quota limits their number.
    async fn clients(&self, project: ProjectId) -> Result<Vec<ProjectClient>, StoreError>;

    /// Returns the client with this ID, without an access check. MUST return `None` if it or its project was deleted.
    async fn client(&self, id: ProjectClientId) -> Result<Option<ProjectClient>, StoreError>;

    /// Returns the client and its project, in one round trip. `None` if one of them or the key that signed the token does not
    /// exist. MUST see every commit that was acknowledged before.
    async fn client_bearer(
        &self,
        id: ProjectClientId,
        signed_by: ServerKeyId,
    ) -> Result<Option<(ProjectClient, ProjectInTeam)>, StoreError>;
}
