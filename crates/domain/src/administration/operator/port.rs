//! Teams and projects by size.

use async_trait::async_trait;

use crate::administration::{ProjectSize, SizePage, TeamSize};
use crate::kernel::StoreError;

/// Lists teams and projects by size. The cost depends on their number, but MUST NOT depend on the number of their items.
/// Methods MUST NOT return deleted projects and MUST NOT count their items. Entries of the same size are ordered by ID.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait TenantSizeReader: Send + Sync {
    /// Returns teams, largest first, including those without items.
    async fn teams_by_size(&self, page: SizePage) -> Result<Vec<TeamSize>, StoreError>;

    /// Returns projects, largest first, including those without items.
    async fn projects_by_size(&self, page: SizePage) -> Result<Vec<ProjectSize>, StoreError>;
}
