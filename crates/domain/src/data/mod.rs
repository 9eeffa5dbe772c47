//! The data of projects: schemas, items, their synchronization, and users.

mod core;
pub(crate) mod import;
pub(crate) mod item;
pub mod item_query;
pub mod schema;
pub(crate) mod schema_draft;
pub(crate) mod sync;
pub mod tabular;
pub(crate) mod user;

pub use self::core::DataCore;
pub use import::entity::{ImportRecord, ImportState, ItemImport, LineProblem, PortionResult, RecordContent};
pub use import::port::{AppendOutcome, ItemImportStore};
pub use import::{ImportUpload, ItemImports};
pub use item::batch::{BatchOperation, BatchStep, MAX_OPERATIONS};
pub use item::deleted::{DeletedItem, ItemDeletion};
pub use item::deletion::Undone;
pub use item::entity::{Item, ItemKey, ItemPath, ItemValue, StoredItem, TableSize, TableSizes};
pub use item::id::ItemId;
pub use item::indexing::ItemIndexing;
pub use item::port::{IndexStep, ItemIndexer, ItemReader};
pub use item::{Accessor, Items};
pub use item_query::{ItemPage, ItemQuery, ProjectItemPage, RawItemQuery};
pub use schema::catalog::SchemaCatalog;
pub use schema::port::SchemaReader;
pub use schema::schemas::{CheckResult, Publication, PublishOptions, SaveDraft, SchemaSelection, Schemas};
pub use schema_draft::entity::{DraftEditor, DraftSummary, SchemaDraft};
pub use schema_draft::port::SchemaDraftReader;
pub use sync::entity::{
    ChangedUsers, ItemChange, SettledChanges, SyncChange, SyncEdit, SyncKey, SyncReceipt, SyncRejection, SyncSpan,
    SyncedItem,
};
pub use sync::port::{ChangedItems, SyncStore};
pub use sync::{ItemSync, SyncCorrections, SyncLoad, SyncMessage, SyncOutcome, SyncPortion, SyncReason, SyncSession};
pub use user::data::{UserData, UserExport};
pub use user::deletions::UserDeletions;
pub use user::entity::{ProjectUser, UserBearer, UserFilter, UserSearch, UserStatus, VisibleUser};
pub use user::port::{ProjectUserReader, UserActivityRecorder, UserCleanup};
pub use user::sessions::UserSessions;
pub use user::{ProjectUsers, UpdateUser};
