//! Items of a project's users (docs/contract.md#items). In responses, the fields of an item are members next to its ID
//! and timestamps.

mod batch;
mod body;
mod list;
pub(in crate::routes) mod of_project;

use actix_web::HttpRequest;
use steward_api::{self as wire, Operation, path};
use steward_domain::data::{Accessor, ItemId, ItemPath, StoredItem};
use steward_domain::kernel::error::Error;
use steward_domain::kernel::{Caller, ProjectId, ProjectUserId, policy};

use self::batch::parse_item_batch;
use self::list::{ItemStream, page_text};
use crate::error::ApiError;
use crate::extract::body::unchecked;
use crate::extract::path::{Ids, Segment, text};
use crate::route::serve;
use crate::serve::{Cached, Call, Outcome, Tag};
use steward_web::begin_operation;

pub(crate) use self::body::push_item;

serve! {
    ListItems | ListOwnItems => list;
    CreateItem | CreateOwnItem => create;
    BatchItems | BatchOwnItems => batch;
    GetItem | GetOwnItem => get;
    PutItem | PutOwnItem => put;
    PatchItem | PatchOwnItem => patch;
    DeleteItem | DeleteOwnItem => delete;
}

/// The table in the path of a request: a table of a project's user, or of the caller.
pub(crate) struct UserTable {
    project: ProjectId,
    /// The user; `None` if it is the caller.
    user: Option<ProjectUserId>,
    table: String,
}

impl Segment for path::UserTable {
    type Id = UserTable;

    fn read(request: &HttpRequest) -> Result<UserTable, ApiError> {
        let (project, user) = match text(request, "user_id") {
            "" => (path::App::read(request)?, None),
            _ => (path::Project::read(request)?, Some(path::User::read(request)?)),
        };
        Ok(UserTable { project, user, table: path::Table::read(request)? })
    }
}

impl UserTable {
    fn accessor(&self) -> Accessor {
        if self.user.is_some() { Accessor::Project } else { Accessor::User }
    }

    fn user(&self, caller: &Caller) -> Result<ProjectUserId, Error> {
        self.user.map_or_else(|| Ok(caller.user()?.user.id), Ok)
    }

    fn item(&self, caller: &Caller, id: &ItemId) -> Result<ItemPath, Error> {
        let user_id = self.user(caller)?;
        Ok(ItemPath { project_id: self.project, user_id, table: self.table.clone(), id: id.clone() })
    }
}

/// Returns an item with its entity tag. Its revision changes with everything that GET shows.
fn shown<O>(call: &Call<O, Cached>, stored: &StoredItem) -> Outcome<O>
where
    O: Operation<Path: Ids, Response = wire::Data<wire::Item>, Resource = wire::Item>,
{
    call.about(Tag::of_revision(stored.revision), stored)
}

async fn list(call: Call<wire::ListItems, Cached>) -> Outcome<wire::ListItems> {
    let (table, raw) = (&call.path, call.query().item_query()?);
    let (project, accessor, steward) = (table.project, table.accessor(), &call.api.steward);
    let list = async |caller: &Caller| {
        let user = table.user(caller)?;
        let page = steward.items.list(caller, accessor, project, user, &table.table, &raw).await?;
        Ok((user, page))
    };
    let (user, page) = call.run_as_caller(list).await?;
    if page.next.is_none() || page.query.limit().is_some() {
        let (text, next_cursor) = page_text(&steward.compute, page).await?;
        return call.linked_page(text, next_cursor.as_deref());
    }
    let offset = page.query.offset();
    let stream = ItemStream { accessor, project, user, table: table.table.clone(), raw, offset, count: 0 };
    call.stream(stream.append(&steward.compute, b"{\"data\":[".to_vec(), page).await?, ItemStream::next)
}

async fn create(call: Call<wire::CreateItem, Cached>) -> Outcome<wire::CreateItem> {
    let (table, value) = (&call.path, call.body()?.read(unchecked)?.value);
    let create = async |caller: &Caller| {
        let (user, name) = (table.user(caller)?, table.table.clone());
        call.api.steward.items.create(caller, table.accessor(), table.project, user, name, value.clone()).await
    };
    shown(&call, &call.run_as_caller(create).await?)
}

async fn get(call: Call<wire::GetItem, Cached>) -> Outcome<wire::GetItem> {
    let ((table, id), items) = (&call.path, &call.api.steward.items);
    let get = async |caller: &Caller| items.get(caller, table.accessor(), &table.item(caller, id)?).await;
    shown(&call, &call.run_as_caller(get).await?)
}

async fn put(call: Call<wire::PutItem, Cached>) -> Outcome<wire::PutItem> {
    let ((table, id), value) = (&call.path, call.body()?.read(unchecked)?.value);
    let put = async |caller: &Caller| {
        let (item, when) = (table.item(caller, id)?, call.when().clone());
        call.api.steward.items.put(caller, table.accessor(), item, value.clone(), when).await
    };
    let outcome = call.run_as_caller(put).await?;
    Ok(shown(&call, &outcome.stored)?.created(outcome.created))
}

async fn patch(call: Call<wire::PatchItem, Cached>) -> Outcome<wire::PatchItem> {
    let ((table, id), value) = (&call.path, call.body()?.read(unchecked)?.value);
    let patch = async |caller: &Caller| {
        let (item, when) = (table.item(caller, id)?, call.when().clone());
        call.api.steward.items.patch(caller, table.accessor(), &item, value.clone(), when).await
    };
    shown(&call, &call.run_as_caller(patch).await?)
}

async fn delete(call: Call<wire::DeleteItem, Cached>) -> Outcome<wire::DeleteItem> {
    let ((table, id), items) = (&call.path, &call.api.steward.items);
    let delete = async |caller: &Caller| {
        items.delete(caller, table.accessor(), table.item(caller, id)?, call.when().clone()).await
    };
    call.reply(&call.run_as_caller(delete).await?)
}

async fn batch(call: Call<wire::BatchItems, Cached>) -> Outcome<wire::BatchItems> {
    let (table, (operations, created_before)) = (&call.path, call.body()?.read(parse_item_batch)?);
    let operation = match table.accessor() {
        Accessor::Project => policy::Operation::ItemBatch,
        Accessor::User => policy::Operation::OwnItemBatch,
    };
    begin_operation(&call.request, operation, operations.len())?;
    let batch = async |caller: &Caller| {
        let (user, name) = (table.user(caller)?, table.table.clone());
        let (items, accessor, operations) = (&call.api.steward.items, table.accessor(), operations.clone());
        items.batch(caller, accessor, table.project, user, name, operations, created_before).await
    };
    call.reply(call.run_as_caller(batch).await?)
}
