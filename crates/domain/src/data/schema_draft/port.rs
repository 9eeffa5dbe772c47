//! Reading drafts of schemas.

use async_trait::async_trait;

use crate::data::{DraftSummary, SchemaDraft};
use crate::kernel::{AccountId, ProjectId, StoreError};

/// Reads drafts of schemas. They are written with the unit of work.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait SchemaDraftReader: Send + Sync {
    /// Returns the draft of an account in a project.
    async fn schema_draft(&self, project: ProjectId, account: AccountId) -> Result<Option<SchemaDraft>, StoreError>;

    /// Returns all drafts of a project, last changed first, without their content. MUST NOT return more than
    /// [`SchemaDraft::MAX_PER_PROJECT`].
    async fn schema_drafts(&self, project: ProjectId) -> Result<Vec<DraftSummary>, StoreError>;
}
