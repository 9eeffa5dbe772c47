//! Reading published schemas.

use async_trait::async_trait;

use crate::data::schema::SchemaVersion;
use crate::kernel::{Page, PageRequest, ProjectId, StoreError};

/// Reads published schemas.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait SchemaReader: Send + Sync {
    /// Returns one version. The document MUST have the same members in the same order as when it was stored.
    async fn schema(&self, project: ProjectId, number: u32) -> Result<Option<SchemaVersion>, StoreError>;

    /// Returns the newest version.
    async fn newest_schema(&self, project: ProjectId) -> Result<Option<SchemaVersion>, StoreError>;

    /// Returns the versions of the project, newest first.
    async fn schemas(&self, project: ProjectId, page: &PageRequest) -> Result<Page<SchemaVersion>, StoreError>;
}
