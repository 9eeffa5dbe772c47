//! Tables for items, their imports and their synchronization.

use diesel::Queryable;
use diesel::query_builder::AsQuery;
use diesel::sql_types::{BigInt, Bool, Nullable, Text};
use steward_domain::data::{Item, ItemDeletion, ItemImport, StoredItem, SyncKey, SyncRejection};
use steward_domain::kernel::{ProjectId, ProjectUserId};

use super::row::{row, table};
use crate::error::JobError;
use crate::sql_types::{At, Id, Instant, Json, JsonDoc, Uid};

row! {
    struct ItemRow for StoredItem in items (project_id, user_id, table_name, id) {
        item = Item {
            project_id -> Uid,
            user_id -> Uid,
            table: table_name -> Text,
            id -> Text,
            value -> JsonDoc,
        },
        created_at -> Instant,
        updated_at -> Instant,
        revision -> BigInt,
    }
}

/// SQL types of [`ItemRow`].
pub(crate) type ItemColumns = <items::table as AsQuery>::SqlType;

/// SQL types of [`ItemContent`].
pub(crate) type ItemContentColumns = (Text, JsonDoc, Instant, Instant, BigInt);

/// The columns of an item that differ between the items of one table of a user. The statement names the others, and
/// reading them again for each row takes as long as reading these.
#[derive(Queryable)]
pub(crate) struct ItemContent {
    pub(crate) id: String,
    pub(crate) value: Json,
    pub(crate) created_at: At,
    pub(crate) updated_at: At,
    pub(crate) revision: i64,
}

impl ItemContent {
    /// Returns the item in this table of a user.
    pub(crate) fn in_table(
        self,
        (project, user, table): (ProjectId, ProjectUserId, &str),
    ) -> Result<StoredItem, JobError> {
        let Self { id, value, created_at, updated_at, revision } = self;
        let (project_id, user_id, table_name) = (Id(project.uuid()), Id(user.uuid()), table.to_owned());
        ItemRow { project_id, user_id, table_name, id, value, created_at, updated_at, revision }.try_into()
    }
}

/// SQL types of [`OwnedItemContent`].
pub(crate) type OwnedItemColumns = (Uid, Text, JsonDoc, Instant, Instant, BigInt);

/// The columns of an item that differ between the items of one table of a project.
#[derive(Queryable)]
pub(crate) struct OwnedItemContent {
    user_id: Id,
    id: String,
    pub(crate) value: Json,
    created_at: At,
    updated_at: At,
    revision: i64,
}

impl OwnedItemContent {
    /// Returns the item in this table of a project.
    pub(crate) fn in_table(self, project: ProjectId, table: &str) -> Result<StoredItem, JobError> {
        let Self { user_id, id, value, created_at, updated_at, revision } = self;
        let content = ItemContent { id, value, created_at, updated_at, revision };
        content.in_table((project, user_id.0.into(), table))
    }
}

row! {
    struct ItemImportRow for ItemImport in item_imports (project_id, id) {
        project_id -> Uid,
        id -> Uid,
        user_id -> Uid,
        account_id -> Uid,
        table: table_name -> Text,
        is_check -> Bool,
        columns: header -> Nullable<Text>,
        state -> Text,
        message -> Text,
        bytes -> BigInt,
        chunks -> BigInt,
        next_chunk -> BigInt,
        lines -> BigInt,
        stored -> BigInt,
        refused -> BigInt,
        problems -> BigInt,
        created_at -> Instant,
        updated_at -> Instant,
    }
    store |import| {
        // An import that runs to its end has deleted all portions.
        has_work -> Bool = import.state.is_active() || import.next_chunk < import.chunks,
    }
}

table! {
    item_import_chunks (project_id, import_id, number) {
        project_id -> Uid,
        import_id -> Uid,
        number -> BigInt,
        records -> Text,
    }
}

table! {
    item_import_problems (project_id, import_id, number) {
        project_id -> Uid,
        import_id -> Uid,
        number -> BigInt,
        line -> BigInt,
        field -> Nullable<Text>,
        message -> Text,
    }
}

row! {
    struct ItemDeletionRow for ItemDeletion in item_deletions (project_id, id) {
        project_id -> Uid,
        id -> Uid,
        user_id -> Uid,
        table: table_name -> Text,
        deleted_by -> Uid,
        expires_at -> Instant,
    }
    others {
        item_count -> BigInt,
        bytes -> BigInt,
        items -> Text,
    }
}

table! {
    item_tombstones (project_id, user_id, position, table_name, id) {
        project_id -> Uid,
        user_id -> Uid,
        position -> BigInt,
        table_name -> Text,
        id -> Text,
    }
}

row! {
    struct SyncRejectionRow for SyncRejection in sync_rejections (id) {
        id -> Uid,
        project_id -> Uid,
        user_id -> Uid,
        at -> Instant,
        device -> Text,
        key = SyncKey { table: table_name -> Text, id: item_id -> Text },
        code -> Text,
        message -> Text,
    }
}

table! {
    indexed_fields (project_id, id) {
        project_id -> Uid,
        id -> BigInt,
        table_name -> Text,
        field -> Text,
        kind -> Text,
        state -> Text,
        filled_user -> Uid,
        filled_table -> Text,
        filled_item -> Text,
    }
}

table! {
    // The columns with the key values are accessed by raw SQL only: see `migrations/`.
    item_keys (project_id, owner_id, item_id, field_id) {
        project_id -> Uid,
        field_id -> BigInt,
        owner_id -> Uid,
        item_id -> Text,
    }
}
