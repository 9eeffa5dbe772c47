//! Items: data that a project stores for each of its users, validated against the newest schema.

pub(super) mod batch;
pub(super) mod deleted;
pub(super) mod deletion;
pub(super) mod entity;
pub(super) mod id;
pub(crate) mod indexing;
pub(crate) mod port;
pub(super) mod project_items;

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::data::schema::{Document, FieldCheck};
use crate::data::{
    DataCore, Item, ItemDeletion, ItemId, ItemPage, ItemPath, ItemQuery, ItemValue, RawItemQuery, StoredItem,
    UserStatus,
};
use crate::kernel::changes::Changes;
use crate::kernel::error::{Conflict, Error, ResourceKind, UnknownTable};
use crate::kernel::policy::Operation;
use crate::kernel::text::json::{is_large, is_large_text};
use crate::kernel::{
    AccessBasis, Caller, CommitError, ItemOutcome, Precondition, ProjectId, ProjectUserId, RetryError, retry_stale,
    use_cases,
};

/// Who accesses an item. It determines the operation that is authorized.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accessor {
    /// The project's team members and API keys.
    Project,
    /// The user who owns the items.
    User,
}

impl Accessor {
    fn operation(self, of_project: Operation, of_user: Operation) -> Operation {
        match self {
            Self::Project => of_project,
            Self::User => of_user,
        }
    }
}

use_cases! {
    /// Use cases of items.
    pub struct Items { core: DataCore }
}

impl Items {
    /// Returns a page of a user's items in one table that match the query. A table that is no longer in the newest
    /// schema returns the items that remain in it.
    pub async fn list(
        &self,
        caller: &Caller,
        accessor: Accessor,
        project: ProjectId,
        user: ProjectUserId,
        table: &str,
        sent: &RawItemQuery,
    ) -> Result<ItemPage, Error> {
        let access = self.core.access.project_with_basis(caller, project).await?;
        let operation = accessor.operation(Operation::ItemList, Operation::OwnItemList);
        let permit = access.permit_data(operation, user).await?;

        let schema = self.schema(project, access.project().schema_number).await?;
        let is_known = schema.has_table(table);
        let query = ItemQuery::parse(sent, &schema.fields(table));
        let unknown = || Error::UnknownTable(UnknownTable::new(table, Some(&schema)));
        let query = query.map_err(|error| if is_known { error } else { unknown() })?;

        let found = self.core.ports.items.items(project, user, table, &query, permit.basis()).await?;
        if found.items.is_empty() {
            self.core.access.confirm(caller, permit.basis()).await?;
            self.core.readable_user(project, user).await?;
            if !is_known {
                return Err(unknown());
            }
        }
        Ok(query.page(found))
    }

    /// Returns one item.
    pub async fn get(&self, caller: &Caller, accessor: Accessor, path: &ItemPath) -> Result<StoredItem, Error> {
        let access = self.core.access.project_with_basis(caller, path.project_id).await?;
        let operation = accessor.operation(Operation::ItemGet, Operation::OwnItemGet);
        let permit = access.permit_data(operation, path.user_id).await?;

        if let Some(found) = self.core.ports.items.item(path, permit.basis()).await? {
            return Ok(found);
        }
        self.core.access.confirm(caller, permit.basis()).await?;
        let schema = self.schema(path.project_id, access.project().schema_number).await?;
        Err(no_item(&schema, &path.table))
    }

    /// Creates an item with a generated ID.
    pub async fn create(
        &self,
        caller: &Caller,
        accessor: Accessor,
        project: ProjectId,
        user: ProjectUserId,
        table: String,
        value: Map<String, Value>,
    ) -> Result<StoredItem, Error> {
        let id = ItemId::parse(&self.core.next_id().to_string()).map_err(|error| Error::Internal(error.into()))?;
        let path = ItemPath { project_id: project, user_id: user, table, id };
        let operation = accessor.operation(Operation::ItemCreate, Operation::OwnItemCreate);
        let outcome = self.store_whole(caller, operation, path, value, Precondition::Absent).await?;
        Ok(outcome.stored)
    }

    /// Creates or replaces an item.
    pub async fn put(
        &self,
        caller: &Caller,
        accessor: Accessor,
        path: ItemPath,
        value: Map<String, Value>,
        when: Precondition,
    ) -> Result<ItemOutcome, Error> {
        let operation = accessor.operation(Operation::ItemPut, Operation::OwnItemPut);
        self.store_whole(caller, operation, path, value, when).await
    }

    async fn store_whole(
        &self,
        caller: &Caller,
        operation: Operation,
        path: ItemPath,
        value: Map<String, Value>,
        when: Precondition,
    ) -> Result<ItemOutcome, Error> {
        let access = self.core.access.project_with_basis(caller, path.project_id).await?;
        let permit = access.permit_data(operation, path.user_id).await?;

        let sent = Item::fields_of(value);
        let schema = self.schema(path.project_id, access.project().schema_number).await?;
        let has_indexed_fields = schema.has_indexed_fields(&path.table);
        let (is_large, item_path) = (is_large(sent.values()), path.clone());
        let check = move || checked(&schema, &item_path, &sent, sent.clone());
        let item = self.core.system.compute.call(is_large, check).await??;

        let basis = *permit.basis();
        let changes = Changes::by(permit, self.core.now()).put(item, when.clone()).indexed(has_indexed_fields);
        match self.core.commit(changes).await {
            Ok(committed) => only(committed.items),
            Err(error) => Err(self.rejection(error, caller, &basis, &path, &when, None).await),
        }
    }

    /// Changes the given fields; null removes a field. The resulting item is validated as a whole.
    pub async fn patch(
        &self,
        caller: &Caller,
        accessor: Accessor,
        path: &ItemPath,
        changes: Map<String, Value>,
        when: Precondition,
    ) -> Result<StoredItem, Error> {
        let access = self.core.access.project_with_basis(caller, path.project_id).await?;
        let operation = accessor.operation(Operation::ItemPatch, Operation::OwnItemPatch);
        let permit = access.permit_data(operation, path.user_id).await?;

        let sent = Arc::new(Item::fields_of(changes));
        let schema = self.schema(path.project_id, access.project().schema_number).await?;
        retry_stale(async || {
            let permit = permit.clone();
            let item_path = path;
            let schema = &schema;
            let sent = &sent;
            let when = &when;
            let basis = *permit.basis();
            let Some(loaded) = self.core.ports.items.item(item_path, &basis).await? else {
                self.core.access.confirm(caller, &basis).await?;
                self.core.readable_user(item_path.project_id, item_path.user_id).await?;
                return Err(no_item(schema, &item_path.table).into());
            };
            if !when.holds(Some(loaded.revision)) {
                return Err(Error::PreconditionFailed(ResourceKind::Item).into());
            }
            let is_large = is_large(sent.values()) || is_large_text([loaded.item.value.as_str()]);
            let has_indexed_fields = schema.has_indexed_fields(&item_path.table);
            let (schema, path, sent) = (schema.clone(), item_path.clone(), sent.clone());
            let merge = move || {
                let mut merged = loaded.item.value.fields()?;
                merged.extend(Map::clone(&sent));
                checked(&schema, &path, &sent, merged)
            };
            let item = self.core.system.compute.call(is_large, merge).await??;

            let matches = Precondition::Matches(vec![loaded.revision]);
            let changes = Changes::by(permit, self.core.now()).put(item, matches).indexed(has_indexed_fields);
            match self.core.commit(changes).await {
                Ok(committed) => Ok(only(committed.items)?.stored),
                Err(CommitError::Stale(ResourceKind::Item)) => {
                    self.core.access.confirm(caller, &basis).await?;
                    self.user_is_connected(item_path.project_id, item_path.user_id).await?;
                    Err(RetryError::Stale(ResourceKind::Item))
                }
                Err(other) => Err(Error::from(other).into()),
            }
        })
        .await
    }

    /// Deletes an item and returns its last state.
    pub async fn delete(
        &self,
        caller: &Caller,
        accessor: Accessor,
        path: ItemPath,
        when: Precondition,
    ) -> Result<StoredItem, Error> {
        self.delete_and_keep(caller, accessor, path, when, None).await
    }

    async fn delete_and_keep(
        &self,
        caller: &Caller,
        accessor: Accessor,
        path: ItemPath,
        when: Precondition,
        deletion: Option<ItemDeletion>,
    ) -> Result<StoredItem, Error> {
        let access = self.core.access.project_with_basis(caller, path.project_id).await?;
        let operation = accessor.operation(Operation::ItemDelete, Operation::OwnItemDelete);
        let permit = access.permit_data(operation, path.user_id).await?;

        let basis = *permit.basis();
        let changes = Changes::by(permit, self.core.now()).remove_item(path.clone(), when.clone());
        let changes = deletion.into_iter().fold(changes, Changes::keep_deletion);
        match self.core.commit(changes).await {
            Ok(committed) => Ok(only(committed.items)?.stored),
            Err(error) => {
                let missing = Some(ResourceKind::Item);
                match self.rejection(error, caller, &basis, &path, &when, missing).await {
                    Error::NotFound(ResourceKind::Item) => {
                        let schema = self.schema(path.project_id, access.project().schema_number).await?;
                        Err(no_item(&schema, &path.table))
                    }
                    other => Err(other),
                }
            }
        }
    }

    /// Determines why a conditional write had no effect. `missing`: the kind that is reported as not found if the item
    /// does not exist.
    async fn rejection(
        &self,
        error: CommitError,
        caller: &Caller,
        basis: &AccessBasis,
        path: &ItemPath,
        when: &Precondition,
        missing: Option<ResourceKind>,
    ) -> Error {
        if !matches!(error, CommitError::Stale(ResourceKind::Item) | CommitError::Orphaned) {
            return error.into();
        }
        if let Err(reason) = self.core.access.confirm(caller, basis).await {
            return reason;
        }
        if let Err(reason) = self.user_is_connected(path.project_id, path.user_id).await {
            return reason;
        }
        match (self.core.ports.items.item(path, basis).await, missing) {
            (Err(error), _) => error.into(),
            (Ok(None), Some(kind)) => Error::NotFound(kind),
            (Ok(found), _) if when.holds(found.as_ref().map(|item| item.revision)) => {
                Conflict::Contended(ResourceKind::Item).into()
            }
            (Ok(_), _) => Error::PreconditionFailed(ResourceKind::Item),
        }
    }

    pub(crate) async fn user_is_connected(&self, project: ProjectId, user: ProjectUserId) -> Result<(), Error> {
        match self.core.user(project, user).await?.status {
            UserStatus::Connected => Ok(()),
            UserStatus::Disconnected | UserStatus::Blocked => Err(Conflict::UserNotConnected.into()),
        }
    }

    pub(crate) async fn schema(&self, project: ProjectId, number: u32) -> Result<Arc<Document>, Error> {
        let document = self.core.catalog.document(project, number).await?;
        Ok(document.unwrap_or_else(|| Arc::new(Document::unpublished(&project.to_string()))))
    }
}

/// The error for an item that does not exist: it says so if the reason is the name of the table.
pub(crate) fn no_item(schema: &Document, table: &str) -> Error {
    match schema.has_table(table) {
        true => Error::NotFound(ResourceKind::Item),
        false => Error::UnknownTable(UnknownTable::new(table, Some(schema))),
    }
}

/// Returns the item to store if it is valid for its table and within the size limit.
pub(crate) fn checked(
    schema: &Document,
    path: &ItemPath,
    sent: &Map<String, Value>,
    stored: Map<String, Value>,
) -> Result<Item, Error> {
    let violations = schema.check(&path.table, FieldCheck { sent, stored: &stored });
    if !violations.is_empty() {
        return Err(Error::InvalidItem(violations));
    }
    let ItemPath { project_id, user_id, table, id } = path.clone();
    let value = ItemValue::of(&Item::without_nulls(stored));
    if value.as_str().len() > Item::MAX_BYTES {
        return Err(Error::ItemTooLarge);
    }
    Ok(Item { project_id, user_id, table, id, value })
}

/// Returns the outcome of the only item in a commit.
pub(crate) fn only(items: Vec<ItemOutcome>) -> Result<ItemOutcome, Error> {
    let missing = || Error::Internal(anyhow::anyhow!("The store returned no outcome for the item."));
    items.into_iter().next().ok_or_else(missing)
}
