//! Items: what a project keeps for each of its users, checked against the newest schema.

mod batch;

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::changes::{Changes, ItemPlace};
use crate::error::{Conflict, Error, ResourceKind};
use crate::model::json::{is_large, is_large_text};
use crate::model::schema::{Document, FieldCheck};
use crate::model::{
    AccessBasis, Caller, Item, ItemId, ItemPage, ItemQuery, ItemValue, Precondition, ProjectId, ProjectUserId,
    RawItemQuery, StoredItem, UserStatus,
};
use crate::policy::Operation;
use crate::ports::{Clock, CommitError, Compute, IdGenerator, ItemOutcome, ItemReader, ProjectUserReader, UnitOfWork};

use super::{Access, RetryError, SchemaCatalog, retry_stale};

pub use batch::{BatchOperation, BatchStep};

/// Whose side an item is looked at from. It decides which operation is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The project's: its team and its keys.
    Project,
    /// The user's own.
    User,
}

impl Side {
    fn operation(self, of_project: Operation, of_user: Operation) -> Operation {
        match self {
            Self::Project => of_project,
            Self::User => of_user,
        }
    }
}

/// The use cases of items.
pub struct Items {
    access: Access,
    catalog: SchemaCatalog,
    items: Arc<dyn ItemReader>,
    users: Arc<dyn ProjectUserReader>,
    store: Arc<dyn UnitOfWork>,
    compute: Arc<dyn Compute>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdGenerator>,
}

impl Items {
    /// Over these ports.
    #[expect(clippy::too_many_arguments, reason = "each is a port of its own, given once at the wiring")]
    pub fn new(
        access: Access,
        catalog: SchemaCatalog,
        items: Arc<dyn ItemReader>,
        users: Arc<dyn ProjectUserReader>,
        store: Arc<dyn UnitOfWork>,
        compute: Arc<dyn Compute>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdGenerator>,
    ) -> Self {
        Self { access, catalog, items, users, store, compute, clock, ids }
    }

    /// A page of those of a user's items in one table that are asked for. A table that the newest schema does not have any more
    /// shows what is left in it.
    pub async fn list(
        &self,
        caller: &Caller,
        side: Side,
        project: ProjectId,
        user: ProjectUserId,
        table: &str,
        sent: &RawItemQuery,
    ) -> Result<ItemPage, Error> {
        let access = self.access.project_to_prove(caller, project).await?;
        let operation = side.operation(Operation::ItemList, Operation::OwnItemList);
        let permit = access.permit_data(operation, user).await?;

        let schema = self.schema(project, access.project().schema_number).await?;
        let is_known = schema.has_table(table);
        let query = ItemQuery::parse(sent, &schema.fields(table));
        let query = query.map_err(|error| if is_known { error } else { Error::NotFound(ResourceKind::Table) })?;

        let found = self.items.items(project, user, table, &query, permit.basis()).await?;
        if found.items.is_empty() {
            self.access.confirm(caller, permit.basis()).await?;
            self.user_exists(project, user).await?;
            if !is_known {
                return Err(Error::NotFound(ResourceKind::Table));
            }
        }
        Ok(query.page(found))
    }

    /// One item.
    pub async fn get(&self, caller: &Caller, side: Side, place: &ItemPlace) -> Result<StoredItem, Error> {
        let access = self.access.project_to_prove(caller, place.project_id).await?;
        let operation = side.operation(Operation::ItemGet, Operation::OwnItemGet);
        let permit = access.permit_data(operation, place.user_id).await?;

        if let Some(found) = self.items.item(place, permit.basis()).await? {
            return Ok(found);
        }
        self.access.confirm(caller, permit.basis()).await?;
        Err(Error::NotFound(ResourceKind::Item))
    }

    /// Makes an item with an id of ours.
    pub async fn create(
        &self,
        caller: &Caller,
        side: Side,
        project: ProjectId,
        user: ProjectUserId,
        table: String,
        value: Map<String, Value>,
    ) -> Result<StoredItem, Error> {
        let id = ItemId::parse(&self.ids.next().to_string()).map_err(|error| Error::Internal(error.into()))?;
        let place = ItemPlace { project_id: project, user_id: user, table, id };
        let operation = side.operation(Operation::ItemCreate, Operation::OwnItemCreate);
        let outcome = self.store_whole(caller, operation, place, value, Precondition::Absent).await?;
        Ok(outcome.stored)
    }

    /// Stores an item whole, over what was there.
    pub async fn put(
        &self,
        caller: &Caller,
        side: Side,
        place: ItemPlace,
        value: Map<String, Value>,
        when: Precondition,
    ) -> Result<ItemOutcome, Error> {
        let operation = side.operation(Operation::ItemPut, Operation::OwnItemPut);
        self.store_whole(caller, operation, place, value, when).await
    }

    async fn store_whole(
        &self,
        caller: &Caller,
        operation: Operation,
        place: ItemPlace,
        value: Map<String, Value>,
        when: Precondition,
    ) -> Result<ItemOutcome, Error> {
        let access = self.access.project_to_prove(caller, place.project_id).await?;
        let permit = access.permit_data(operation, place.user_id).await?;

        let sent = Item::fields_of(value);
        let schema = self.schema(place.project_id, access.project().schema_number).await?;
        let has_indexed_fields = schema.has_indexed_fields(&place.table);
        let (is_large, item_place) = (is_large(sent.values()), place.clone());
        let item = self.compute.call(is_large, move || checked(&schema, &item_place, &sent, sent.clone())).await??;

        let basis = *permit.basis();
        let changes = Changes::by(permit, self.clock.now()).put(item, when.clone()).indexed(has_indexed_fields);
        match self.store.commit(changes).await {
            Ok(committed) => only(committed.items),
            Err(error) => Err(self.rejection(error, caller, &basis, &place, &when, None).await),
        }
    }

    /// Changes the fields that are named; a null removes one. The result is checked as a whole.
    pub async fn patch(
        &self,
        caller: &Caller,
        side: Side,
        place: &ItemPlace,
        changes: Map<String, Value>,
        when: Precondition,
    ) -> Result<StoredItem, Error> {
        let access = self.access.project_to_prove(caller, place.project_id).await?;
        let operation = side.operation(Operation::ItemPatch, Operation::OwnItemPatch);
        let permit = access.permit_data(operation, place.user_id).await?;

        let sent = Arc::new(Item::fields_of(changes));
        let schema = self.schema(place.project_id, access.project().schema_number).await?;
        retry_stale(async || {
            let permit = permit.clone();
            let item_place = place;
            let schema = &schema;
            let sent = &sent;
            let when = &when;
            let basis = *permit.basis();
            let Some(loaded) = self.items.item(item_place, &basis).await? else {
                self.access.confirm(caller, &basis).await?;
                self.user_exists(item_place.project_id, item_place.user_id).await?;
                return Err(Error::NotFound(ResourceKind::Item).into());
            };
            if !when.holds(Some(loaded.revision)) {
                return Err(Error::PreconditionFailed(ResourceKind::Item).into());
            }
            let is_large = is_large(sent.values()) || is_large_text([loaded.item.value.as_str()]);
            let has_indexed_fields = schema.has_indexed_fields(&item_place.table);
            let (schema, place, sent) = (schema.clone(), item_place.clone(), sent.clone());
            let merge = move || {
                let mut merged = loaded.item.value.fields()?;
                merged.extend(Map::clone(&sent));
                checked(&schema, &place, &sent, merged)
            };
            let item = self.compute.call(is_large, merge).await??;

            let matches = Precondition::Matches(vec![loaded.revision]);
            let changes = Changes::by(permit, self.clock.now()).put(item, matches).indexed(has_indexed_fields);
            match self.store.commit(changes).await {
                Ok(committed) => Ok(only(committed.items)?.stored),
                Err(CommitError::Stale(ResourceKind::Item)) => {
                    self.access.confirm(caller, &basis).await?;
                    self.user_is_connected(item_place.project_id, item_place.user_id).await?;
                    Err(RetryError::Stale(ResourceKind::Item))
                }
                Err(other) => Err(Error::from(other).into()),
            }
        })
        .await
    }

    /// Removes an item, and answers it as it was.
    pub async fn delete(
        &self,
        caller: &Caller,
        side: Side,
        place: ItemPlace,
        when: Precondition,
    ) -> Result<StoredItem, Error> {
        let access = self.access.project_to_prove(caller, place.project_id).await?;
        let operation = side.operation(Operation::ItemDelete, Operation::OwnItemDelete);
        let permit = access.permit_data(operation, place.user_id).await?;

        let basis = *permit.basis();
        let changes = Changes::by(permit, self.clock.now()).remove_item(place.clone(), when.clone());
        match self.store.commit(changes).await {
            Ok(committed) => Ok(only(committed.items)?.stored),
            Err(error) => Err(self.rejection(error, caller, &basis, &place, &when, Some(ResourceKind::Item)).await),
        }
    }

    /// Finds out why a conditional write did nothing. `missing`: what to say when there is no item.
    async fn rejection(
        &self,
        error: CommitError,
        caller: &Caller,
        basis: &AccessBasis,
        place: &ItemPlace,
        when: &Precondition,
        missing: Option<ResourceKind>,
    ) -> Error {
        if !matches!(error, CommitError::Stale(ResourceKind::Item) | CommitError::Orphaned) {
            return error.into();
        }
        if let Err(reason) = self.access.confirm(caller, basis).await {
            return reason;
        }
        if let Err(reason) = self.user_is_connected(place.project_id, place.user_id).await {
            return reason;
        }
        match (self.items.item(place, basis).await, missing) {
            (Err(error), _) => error.into(),
            (Ok(None), Some(kind)) => Error::NotFound(kind),
            (Ok(found), _) if when.holds(found.as_ref().map(|item| item.revision)) => {
                Conflict::Contended(ResourceKind::Item).into()
            }
            (Ok(_), _) => Error::PreconditionFailed(ResourceKind::Item),
        }
    }

    async fn user_is_connected(&self, project: ProjectId, user: ProjectUserId) -> Result<(), Error> {
        let user = self.users.user(project, user).await?;
        match user.ok_or(Error::NotFound(ResourceKind::ProjectUser))?.status {
            UserStatus::Connected => Ok(()),
            UserStatus::Disconnected | UserStatus::Blocked => Err(Conflict::UserNotConnected.into()),
        }
    }

    async fn user_exists(&self, project: ProjectId, user: ProjectUserId) -> Result<(), Error> {
        self.users.user(project, user).await?.ok_or(Error::NotFound(ResourceKind::ProjectUser))?;
        Ok(())
    }

    async fn schema(&self, project: ProjectId, number: u32) -> Result<Arc<Document>, Error> {
        let published = self.catalog.document(project, number).await?;
        Ok(published.unwrap_or_else(|| Arc::new(Document::unpublished(&project.to_string()))))
    }
}

/// The item to store, if it fits its table and the size of items.
fn checked(
    schema: &Document,
    place: &ItemPlace,
    sent: &Map<String, Value>,
    stored: Map<String, Value>,
) -> Result<Item, Error> {
    let violations = schema.check(&place.table, FieldCheck { sent, stored: &stored });
    if !violations.is_empty() {
        return Err(Error::InvalidItem(violations));
    }
    let ItemPlace { project_id, user_id, table, id } = place.clone();
    let value = ItemValue::of(&Item::without_nulls(stored));
    if value.as_str().len() > Item::MAX_BYTES {
        return Err(Error::ItemTooLarge);
    }
    Ok(Item { project_id, user_id, table, id, value })
}

/// What became of the one item of a commit.
fn only(items: Vec<ItemOutcome>) -> Result<ItemOutcome, Error> {
    let missing = || Error::Internal(anyhow::anyhow!("the store did not tell what became of the item"));
    items.into_iter().next().ok_or_else(missing)
}
