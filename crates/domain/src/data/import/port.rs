//! Storing imports of items that run in the background.

use async_trait::async_trait;

use crate::data::{ImportRecord, ItemImport, LineProblem};
use crate::kernel::{ItemImportId, ProjectId, ProjectUserId, StoreError, Time};

/// Whether a part of an upload was stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AppendOutcome {
    /// It was stored.
    Stored,
    /// The import has ended.
    Ended,
    /// The records of all imports of the project would exceed the limit.
    OverLimit,
}

/// Stores imports and the records of their files. Only the import of a portion goes through `UnitOfWork`, together with the
/// items: the other changes concern nothing but the import.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ItemImportStore: Send + Sync {
    /// Stores a new import, and deletes the oldest ones of the project that have ended beyond [`ItemImport::MAX_KEPT`].
    /// Returns `false` if the project has [`ItemImport::MAX_ACTIVE`] that have not ended, or its user does not exist.
    async fn insert_import(&self, import: &ItemImport) -> Result<bool, StoreError>;

    /// Stores the next portions of an upload, its header, and its numbers of portions, lines and bytes. MUST store nothing
    /// if the records of the project's imports would have more than `limit` bytes.
    async fn append_import(
        &self,
        import: &ItemImport,
        portions: Vec<Vec<ImportRecord>>,
        limit: u64,
    ) -> Result<AppendOutcome, StoreError>;

    /// Stores the state of an import that has not ended. Returns `false` if it has ended already.
    async fn change_import(&self, import: &ItemImport) -> Result<bool, StoreError>;

    /// Deletes a few portions of an import that has ended.
    async fn forget_portions(&self, import: &ItemImport) -> Result<(), StoreError>;

    /// Returns at most ten imports into a table of the user, newest first.
    async fn imports(
        &self,
        project: ProjectId,
        user: ProjectUserId,
        table: &str,
    ) -> Result<Vec<ItemImport>, StoreError>;

    /// Returns an import.
    async fn import(&self, project: ProjectId, id: ItemImportId) -> Result<Option<ItemImport>, StoreError>;

    /// Returns the first problems of an import, in the order of its lines.
    async fn import_problems(&self, import: &ItemImport, limit: u64) -> Result<Vec<LineProblem>, StoreError>;

    /// Returns the records of a portion; empty if it does not exist.
    async fn import_records(&self, import: &ItemImport, chunk: u64) -> Result<Vec<ImportRecord>, StoreError>;

    /// Returns the first import of the first project after `after`, ordered by ID, that has one to continue: one that
    /// runs, an upload that was not changed since `interrupted_before`, or one that has ended and has portions.
    async fn import_to_continue(
        &self,
        after: Option<ProjectId>,
        interrupted_before: Time,
    ) -> Result<Option<ItemImport>, StoreError>;
}
