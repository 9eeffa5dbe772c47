//! Downloads of a user's data: the items of a table as CSV or NDJSON, and everything as JSON.

use std::sync::Arc;

use actix_web::HttpRequest;
use serde_json::{Map, Value, json};
use steward_domain::Steward;
use steward_domain::data::schema::Document;
use steward_domain::data::tabular::{CellText, ItemTable, USER_ID};
use steward_domain::data::{RawItemQuery, StoredItem, UserExport};
use steward_domain::kernel::error::Error;
use steward_domain::kernel::policy::{Lane, Operation};
use steward_domain::kernel::work::Work;
use steward_domain::kernel::{Caller, Compute, PageSize, ProjectId, ProjectUserId};

use crate::console::frame::Signed;
use crate::console::frame::download::{Source, download};
use crate::console::frame::export_document::{self, ItemTables, flat, open, timestamp};
use crate::error::PageResult;

use super::filter::GridQuery;
use super::grid_scope::{GridItems, GridScope};

/// Downloads the items that the grid shows, on all of its pages. Those of all users are in the order of the users: a
/// search in another order would stop before the end.
pub(crate) async fn items(signed: Signed, request: HttpRequest) -> PageResult {
    Work::set_lane(Lane::Heavy);
    let scope = GridScope::of(&signed, Operation::ItemList).await?;
    let (format, mut query) = (Format::named(&signed.query("format")), GridQuery::of(&request));
    if scope.is_of_all() {
        query.order.clear();
    }
    let source = ItemSource {
        place: scope.place(),
        query: query.to_raw(None, PageSize::CHUNK),
        is_first: true,
        document: scope.document,
        table: scope.table.clone(),
        format,
    };
    let name = format!("{}.{}", scope.table, format.extension());
    Ok(download(signed, &name, format.media_type(), source).await?)
}

/// Downloads everything that the project stores about a user.
pub(crate) async fn user(signed: Signed) -> PageResult {
    Work::set_lane(Lane::Heavy);
    let scope = signed.user().await?;
    let (project, id) = (scope.user.project_id, scope.user.id);
    let export = signed.steward().user_data.export(&signed.caller, project, id).await?;
    let source = UserSource { export, items: None };
    Ok(download(signed, &format!("user-{id}.json"), "application/json", source).await?)
}

/// The format of a download of items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Csv(CellText),
    NdJson,
}

impl Format {
    fn named(name: &str) -> Self {
        match name {
            "ndjson" => Self::NdJson,
            "raw" => Self::Csv(CellText::Raw),
            _ => Self::Csv(CellText::Safe),
        }
    }

    fn extension(self) -> &'static str {
        if self == Self::NdJson { "ndjson" } else { "csv" }
    }

    fn media_type(self) -> &'static str {
        if self == Self::NdJson { "application/x-ndjson" } else { "text/csv; charset=utf-8" }
    }

    /// Appends items, and the header before the first one.
    fn write(
        self,
        table: &ItemTable<'_>,
        items: impl Iterator<Item = Result<Map<String, Value>, Error>>,
        is_first: bool,
    ) -> Result<Vec<u8>, Error> {
        let mut text = Vec::new();
        let Self::Csv(texts) = self else {
            for item in items {
                text.extend_from_slice(Value::Object(item?).to_string().as_bytes());
                text.push(b'\n');
            }
            return Ok(text);
        };
        let mut rows = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(&mut text);
        let failed = |error: csv::Error| Error::Internal(error.into());
        if is_first {
            rows.write_record(table.header()).map_err(failed)?;
        }
        for item in items {
            rows.write_record(table.cells(&item?, texts)).map_err(failed)?;
        }
        rows.flush().map_err(|error| Error::Internal(error.into()))?;
        drop(rows);
        Ok(text)
    }
}

/// The items of a table that are not written yet.
#[derive(Clone)]
struct ItemSource {
    place: (ProjectId, Option<ProjectUserId>),
    table: String,
    document: Arc<Document>,
    query: RawItemQuery,
    format: Format,
    is_first: bool,
}

impl Source for ItemSource {
    async fn next_chunk(mut self, steward: &Steward, caller: &Caller) -> Result<(Vec<u8>, Option<Self>), Error> {
        let page = GridItems::find(&steward.items, caller, self.place, &self.table, &self.query).await?;
        self.query.size = self.query.size.after_chunk_of(page.items.len());
        self.query.cursor = page.next;
        let text = self.write(&steward.compute, page.items).await?;
        self.is_first = false;
        let rest = self.query.cursor.is_some().then_some(self);
        Ok((text, rest))
    }
}

impl ItemSource {
    async fn write(&self, compute: &Arc<dyn Compute>, items: Vec<StoredItem>) -> Result<Vec<u8>, Error> {
        let (document, name, format, is_first) =
            (self.document.clone(), self.table.clone(), self.format, self.is_first);
        let is_of_all = self.place.1.is_none();
        let write = move || {
            let Some(table) = ItemTable::of(&document, &name) else { return Ok(Vec::new()) };
            let table = if is_of_all { table.with_users() } else { table };
            let line = |stored: &StoredItem| {
                let mut item = flat(stored)?;
                if is_of_all {
                    item.insert(USER_ID.to_owned(), stored.item.user_id.to_string().into());
                }
                Ok(item)
            };
            format.write(&table, items.iter().map(line), is_first)
        };
        compute.call(true, write).await?
    }
}

/// The items of a user that are not written yet.
#[derive(Clone)]
struct UserSource {
    export: UserExport,
    /// `None` before the start of the document is written.
    items: Option<ItemTables>,
}

impl Source for UserSource {
    async fn next_chunk(mut self, steward: &Steward, caller: &Caller) -> Result<(Vec<u8>, Option<Self>), Error> {
        let (mut text, items) = match self.items.take() {
            Some(items) => (String::new(), items),
            None => (head(&self.export), ItemTables::START),
        };
        let found = steward.user_data.next_items(caller, &self.export, items.after.clone(), items.size).await?;
        self.items = items.write(&mut text, &found)?;
        if self.items.is_none() {
            text.push('}');
            return Ok((text.into_bytes(), None));
        }
        Ok((text.into_bytes(), Some(self)))
    }
}

/// Returns the start of the document. The object of its last member, `items`, stays open.
fn head(export: &UserExport) -> String {
    let mut user = export_document::user(&export.user);
    if let Some(members) = user.as_object_mut() {
        members.insert("email".to_owned(), json!(export.email.as_ref().map(ToString::to_string)));
    }
    let document = json!({
        "exported_at": timestamp(export.at),
        "user": user,
        "grant": export_document::grant(export.grant.as_ref()),
        "active_days": export_document::days(&export.active_days),
    });
    open(&document, "\"items\":{")
}
