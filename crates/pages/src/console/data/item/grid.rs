//! The grid of a user's items in one table: filter, order, selection and deletion of several items.

use std::collections::HashSet;

use actix_web::HttpRequest;
use actix_web::http::StatusCode;
use askama::Template;
use serde_json::{Map, Value};
use steward_domain::data::schema::FieldType;
use steward_domain::data::{Accessor, ItemId, StoredItem};
use steward_domain::kernel::PageSize;
use steward_domain::kernel::error::{Error, ResourceKind};
use steward_domain::kernel::policy::Operation;
use steward_domain::kernel::violations::{Violation, Violations};

use crate::console::data::user::scope::TableScope;
use crate::console::frame::form::state::field_error;
use crate::console::frame::{FormState, Outcome, Shell, Signed, Submission, Submitted, Timestamp};
use crate::error::{PageError, PageResult};
use crate::request::form::{Form, with_query};
use crate::response::see_other;

use super::filter::{FilterRow, GridQuery, OPERATORS, is_sortable};
use super::undo::{BACK, Undo, grid_address, items_were};

/// Items on one page. All of them can be deleted in one batch.
const ROWS: u16 = 50;
/// The grid parses every item of a page, so a page of large items ends earlier.
const PAGE: PageSize = PageSize { bytes: 256 * 1024, ..PageSize::MAX };
/// Maximum number of fields that the grid shows. The page of an item shows all of them.
const MAX_COLUMNS: usize = 10;
/// How many texts of an item name it before it is deleted.
const NAME_FIELDS: usize = 2;
/// Maximum number of characters of a value that the grid shows.
const MAX_CELL_CHARS: usize = 80;

/// Shows the items that match a filter.
pub(crate) async fn show(signed: Signed, request: HttpRequest) -> PageResult {
    let query = GridQuery::of(&request);
    if let Some(changed) = query.changed() {
        return Ok(see_other(&changed.address(signed.path(), &changed.order, None)));
    }
    let scope = signed.table(Operation::ItemList).await?;
    let (user, raw) = (&scope.of.user, query.to_raw(Some(ROWS), PAGE));
    let items = &signed.steward().items;
    let found = items.list(&signed.caller, Accessor::Project, user.project_id, user.id, &scope.table, &raw).await;
    let (found, next, error) = match found {
        Ok(page) => (page.items, page.next, None),
        Err(Error::Invalid(violations)) => {
            let error = query.unsuited(&scope.fields).unwrap_or_else(|| filter_error(&violations));
            (Vec::new(), None, Some(error))
        }
        Err(error) => return Err(error.into()),
    };
    let back = query.own_query();
    let status = if error.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    let path = scope.at("");
    let view = Grid {
        shell: scope.shell(&signed, "").await?,
        columns: columns(&scope, &query, &path),
        hidden_columns: scope.fields.len().saturating_sub(MAX_COLUMNS),
        undo: Undo::of(&signed, &scope, &back).await?,
        items: found.iter().map(|stored| line(&scope, stored, &back)).collect::<Result<_, _>>()?,
        next: next.map(|next| query.address(&path, &query.order, Some(&next))),
        exports: exports(&scope, &query),
        is_filtered: query.is_filtered(),
        rows: query.rows,
        order: query.order,
        back,
        error,
        scope,
    };
    signed.page_with(status, &view)
}

/// Asks whether to delete the selected items.
pub(crate) async fn show_delete(signed: Signed, request: HttpRequest) -> PageResult {
    let scope = signed.table(Operation::ItemBatch).await?;
    let ids = selected(&Form::of_query(&request));
    let form = FormState::new(&signed, &[(BACK, signed.query(BACK).as_str())]);
    delete_page(&signed, scope, ids, form).await
}

/// Deletes the selected items: all of them, or none. Returns to the filter that they were selected with.
pub(crate) async fn submit_delete(submission: Submission) -> PageResult {
    let scope = submission.signed.table(Operation::ItemBatch).await?;
    let ids = selected(&submission.form);
    let deleted: Vec<ItemId> = ids.iter().filter_map(|id| ItemId::stored(id).ok()).collect();
    let submitted = match submission.signed.begin(Operation::ItemBatch, deleted.len()) {
        Ok(()) => delete(&submission, &scope, deleted).await?,
        Err(error) => Submitted::Refused(submission.refused(error)?),
    };
    submitted.or_show(|form| delete_page(&submission.signed, scope, ids, form)).await
}

async fn delete(submission: &Submission, scope: &TableScope, ids: Vec<ItemId>) -> Result<Submitted, PageError> {
    let address = grid_address(scope, submission.form.text(BACK));
    let submitted = submission.run_once(Operation::ItemBatch, async |caller| {
        let (items, user, count) = (&submission.signed.steward().items, &scope.of.user, ids.len());
        let deleted = items.delete_all_undoably(caller, user.project_id, user.id, scope.table.clone(), ids).await;
        deleted.map_err(|error| match error {
            Error::InBatch { error, .. } if matches!(*error, Error::NotFound(ResourceKind::Item)) => Error::invalid(
                "item",
                "One of the items no longer exists. Nothing was deleted. Select the items again.",
            ),
            Error::InBatch { error, .. } => *error,
            other => other,
        })?;
        Ok(Outcome::next(address, format!("{}.", items_were(&count, "deleted"))))
    });
    submitted.await
}

async fn delete_page(signed: &Signed, scope: TableScope, ids: Vec<String>, form: FormState) -> PageResult {
    let back = GridQuery::of_text(form.value(BACK));
    let view = DeleteSelected {
        shell: scope.shell(signed, "Delete items").await?,
        items: named(signed, &scope, &ids).await?,
        address: grid_address(&scope, form.value(BACK)),
        back: back.own_query(),
        scope,
        form,
    };
    view.form.page(signed, &view)
}

/// Returns the selected items with what they are recognized by. An item that does not exist has only its ID.
async fn named(signed: &Signed, scope: &TableScope, ids: &[String]) -> Result<Vec<(String, String)>, PageError> {
    let known: Vec<ItemId> = ids.iter().filter_map(|id| ItemId::stored(id).ok()).collect();
    let (items, user) = (&signed.steward().items, &scope.of.user);
    let found = items.named(&signed.caller, user.project_id, user.id, &scope.table, &known, PAGE).await?;
    let name = |id: &str| {
        let stored = found.iter().find(|stored| stored.item.id.as_str() == id)?;
        Some(name_of(scope, &stored.item.value.fields().ok()?))
    };
    Ok(ids.iter().map(|id| (id.clone(), name(id).unwrap_or_default())).collect())
}

/// Returns the first texts of an item that are not empty, by which people recognize it.
fn name_of(scope: &TableScope, values: &Map<String, Value>) -> String {
    let texts = scope.fields.iter().filter(|field| field.kind == FieldType::String);
    let texts = texts.map(|field| cell(values, &field.name)).filter(|text| !text.trim().is_empty());
    texts.take(NAME_FIELDS).collect::<Vec<_>>().join(", ")
}

/// Returns what is wrong with the filter or the order, as sentences. A condition names its field itself.
fn filter_error(violations: &Violations<Violation>) -> String {
    let sentence = |violation: &Violation| {
        let message = violation.message.replace(": ", " ");
        if violation.field == "query" { format!("{message}.") } else { field_error(&violation.field, &message).message }
    };
    violations.as_slice().iter().map(sentence).collect::<Vec<_>>().join(" ")
}

/// Returns the IDs of the selected items, without repetitions.
fn selected(form: &Form) -> Vec<String> {
    let mut seen = HashSet::new();
    let ids = form.fields().filter(|(name, _)| *name == "item").map(|(_, id)| id.to_owned());
    ids.filter(|id| seen.insert(id.clone())).take(usize::from(ROWS)).collect()
}

fn columns(scope: &TableScope, query: &GridQuery, path: &str) -> Vec<Column> {
    let column = |name: &str, label: &str, is_sortable: bool| {
        let current = query.order.split_once('.').filter(|(other, _)| *other == name).map(|(_, direction)| direction);
        let next = if current == Some("asc") { "desc" } else { "asc" };
        Column {
            label: label.to_owned(),
            address: is_sortable.then(|| query.address(path, &format!("{name}.{next}"), None)),
            sort: current.map(|direction| if direction == "desc" { "descending" } else { "ascending" }),
        }
    };
    let fields = scope.fields.iter().take(MAX_COLUMNS);
    let fields = fields.map(|field| column(&field.name, &field.name, is_sortable(field)));
    let (first, last) = (column("id", "ID", true), column("created_at", "Created", true));
    std::iter::once(first).chain(fields).chain([last]).collect()
}

fn line(scope: &TableScope, stored: &StoredItem, back: &str) -> Result<ItemLine, Error> {
    let (id, values) = (stored.item.id.as_str(), stored.item.value.fields()?);
    let cells = scope.fields.iter().take(MAX_COLUMNS).map(|field| cell(&values, &field.name));
    Ok(ItemLine {
        id: id.to_owned(),
        address: with_query(&scope.item_address(id, ""), [(BACK, back)]),
        cells: scope.fields.iter().map(|field| field.name.clone()).zip(cells).collect(),
        created_at: Timestamp::from(stored.created_at),
    })
}

fn cell(values: &Map<String, Value>, name: &str) -> String {
    let text = match values.get(name) {
        None | Some(Value::Null) => return String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    let mut characters = text.chars();
    let start: String = characters.by_ref().take(MAX_CELL_CHARS).collect();
    if characters.next().is_some() { start + "…" } else { start }
}

fn exports(scope: &TableScope, query: &GridQuery) -> Vec<(&'static str, String)> {
    let formats = [("CSV", "csv"), ("CSV for programs (raw)", "raw"), ("NDJSON", "ndjson")];
    let address = |format: &str| {
        let address = query.address(&scope.at("/export"), &query.order, None);
        let separator = if address.contains('?') { '&' } else { '?' };
        format!("{address}{separator}format={format}")
    };
    formats.map(|(label, format)| (label, address(format))).into()
}

struct Column {
    label: String,
    /// The address that orders by the column; `None` if it has no order.
    address: Option<String>,
    /// The direction, if the grid is ordered by the column.
    sort: Option<&'static str>,
}

struct ItemLine {
    id: String,
    address: String,
    /// Names of fields and shortened values.
    cells: Vec<(String, String)>,
    created_at: Timestamp,
}

#[derive(Template)]
#[template(path = "console/data/item/grid.html")]
struct Grid {
    shell: Shell,
    scope: TableScope,
    rows: Vec<FilterRow>,
    /// Empty for the newest items first.
    order: String,
    columns: Vec<Column>,
    hidden_columns: usize,
    items: Vec<ItemLine>,
    is_filtered: bool,
    /// Labels and addresses.
    exports: Vec<(&'static str, String)>,
    error: Option<String>,
    next: Option<String>,
    undo: Undo,
    /// The query of this page of the grid.
    back: String,
}

#[derive(Template)]
#[template(path = "console/data/item/delete_selected.html")]
struct DeleteSelected {
    shell: Shell,
    scope: TableScope,
    /// IDs, and what the items are recognized by: empty if an item has no text or does not exist.
    items: Vec<(String, String)>,
    /// The grid to return to.
    address: String,
    back: String,
    form: FormState,
}
