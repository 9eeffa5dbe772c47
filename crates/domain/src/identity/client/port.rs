//! Reading the clients that projects registered.

use async_trait::async_trait;

use crate::administration::ProjectInTeam;
use crate::identity::ProjectClient;
use crate::kernel::{AccountId, Named, ProjectClientId, ProjectId, ServerKeyId, StoreError, TeamId};

/// Reads the clients that projects registered.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ProjectClientReader: Send + Sync {
    /// Returns the clients of the project, oldest first. A quota limits their number.
    async fn clients(&self, project: ProjectId) -> Result<Vec<ProjectClient>, StoreError>;

    /// Returns all clients of the team's projects that the account registered or last configured, oldest first. Quotas
    /// limit their number.
    async fn clients_created_by(&self, team: TeamId, account: AccountId) -> Result<Vec<ProjectClient>, StoreError>;

    /// Returns the names of at most `limit` clients of any of these projects, newest first. MUST NOT return clients of
    /// other projects.
    async fn client_names(&self, projects: &[ProjectId], limit: u16) -> Result<Vec<Named>, StoreError>;

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
