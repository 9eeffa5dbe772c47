//! The grid of the items in one table, of one user or of all: filter, order, columns and selection.

use actix_web::HttpRequest;
use actix_web::http::StatusCode;
use askama::Template;
use serde_json::{Map, Value};
use steward_domain::data::{ItemQuery, StoredItem};
use steward_domain::kernel::PageSize;
use steward_domain::kernel::error::Error;
use steward_domain::kernel::policy::Operation;
use steward_domain::kernel::violations::{Violation, Violations};

use crate::console::frame::form::state::field_error;
use crate::console::frame::{Shell, Signed, Timestamp};
use crate::error::PageResult;
use crate::request::form::with_query;
use crate::response::see_other;

use super::filter::{FilterRow, GridQuery, OPERATORS, is_sortable};
use super::grid_scope::{GridItems, GridScope};
use super::undo::{BACK, Undo, items_were};

/// Items on one page. All of them can be deleted in one batch.
pub(super) const ROWS: u16 = 50;
/// The grid parses every item of a page, so a page of large items ends earlier.
pub(super) const PAGE: PageSize = PageSize { bytes: 256 * 1024, ..PageSize::MAX };
/// Number of fields that the grid shows unless some are chosen. The page of an item shows all of them.
const DEFAULT_COLUMNS: usize = 10;
/// Maximum number of characters of a value that the grid shows.
const MAX_CELL_CHARS: usize = 80;
/// Number of characters at the end of an ID that the grid shows, because the others are often the same.
const SHORT_ID_CHARS: usize = 8;

/// Shows the items that match a filter.
pub(crate) async fn show(signed: Signed, request: HttpRequest) -> PageResult {
    let query = GridQuery::of(&request);
    if let Some(changed) = query.changed() {
        return Ok(see_other(&changed.address(signed.path(), &changed.order, None)));
    }
    let scope = GridScope::of(&signed, Operation::ItemList).await?;
    let (found, error) = match scope.list(&signed, &query, (ROWS, PAGE)).await {
        Ok(found) => (found, None),
        Err(Error::Invalid(violations)) => {
            let error = query.unsuited(&scope.fields).unwrap_or_else(|| filter_error(&violations));
            (GridItems::default(), Some(error))
        }
        Err(error) => return Err(error.into()),
    };
    let mut back = query.clone();
    back.is_of_all = scope.is_of_all();
    let back = back.own_query();
    let status = if error.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    let (path, names) = (scope.at(""), scope.names(&signed, &found.items).await?);
    let shown = shown_fields(&scope, &query);
    let line = |stored: &StoredItem| {
        let user = names.get(&stored.item.user_id).cloned();
        line(&scope, &shown, (stored, user), &back)
    };
    let view = Grid {
        shell: scope.shell(&signed, "").await?,
        columns: columns(&scope, &shown, &query, &path),
        choices: choices(&scope, &shown),
        undo: Undo::of(&signed, &scope, &back).await?,
        items: found.items.iter().map(line).collect::<Result<_, _>>()?,
        next: found.next.map(|next| query.address(&path, &query.order, Some(&next))),
        is_incomplete: found.is_incomplete,
        exports: exports(&scope, &query),
        is_filtered: query.is_filtered(),
        select_address: query.selecting(&path),
        selects_all: query.selects_all,
        nonconforming: query.with_condition(&path, "conforms", "false"),
        rows: query.rows,
        order: query.order,
        chosen: query.columns,
        back,
        error,
        scope,
    };
    signed.page_with(status, &view)
}

/// Returns what is wrong with the filter or the order, as sentences. A condition names its field itself.
fn filter_error(violations: &Violations<Violation>) -> String {
    let sentence = |violation: &Violation| {
        let message = violation.message.replace(": ", " ");
        if violation.field == "query" { format!("{message}.") } else { field_error(&violation.field, &message).message }
    };
    violations.as_slice().iter().map(sentence).collect::<Vec<_>>().join(" ")
}

/// Returns the names of the fields that the grid shows.
fn shown_fields(scope: &GridScope, query: &GridQuery) -> Vec<String> {
    let fields = scope.fields.iter().map(|field| field.name.as_str());
    let is_chosen = |name: &&str| query.columns.iter().any(|column| column == name);
    if query.columns.is_empty() {
        return fields.take(DEFAULT_COLUMNS).map(str::to_owned).collect();
    }
    fields.filter(is_chosen).map(str::to_owned).collect()
}

/// Returns the fields to choose from, and whether they are shown.
fn choices(scope: &GridScope, shown: &[String]) -> Vec<(String, bool)> {
    scope.fields.iter().map(|field| (field.name.clone(), shown.contains(&field.name))).collect()
}

fn columns(scope: &GridScope, shown: &[String], query: &GridQuery, path: &str) -> Vec<Column> {
    let order = if query.order.is_empty() { scope.default_order() } else { query.order.as_str() };
    let column = |name: &str, label: &str, is_sortable: bool| {
        let current = order.split_once('.').filter(|(other, _)| is_sortable && *other == name);
        let current = current.map(|(_, direction)| direction);
        let next = if current == Some("asc") { "desc" } else { "asc" };
        Column {
            label: label.to_owned(),
            address: is_sortable.then(|| query.address(path, &format!("{name}.{next}"), None)),
            sort: current.map(|direction| if direction == "desc" { "descending" } else { "ascending" }),
        }
    };
    let fields = scope.fields.iter().filter(|field| shown.contains(&field.name));
    let fields = fields.map(|field| column(&field.name, &field.name, is_sortable(field, scope.is_of_all())));
    let user = scope.is_of_all().then(|| column("user_id", "User", true));
    let (id, created) = (column("id", "ID", true), column("created_at", "Created", true));
    user.into_iter().chain([id]).chain(fields).chain([created]).collect()
}

fn line(
    scope: &GridScope,
    shown: &[String],
    (stored, user): (&StoredItem, Option<String>),
    back: &str,
) -> Result<ItemLine, Error> {
    let (id, owner, values) = (stored.item.id.as_str(), stored.item.user_id, stored.item.value.fields()?);
    let user_id = owner.to_string();
    Ok(ItemLine {
        key: if scope.is_of_all() { format!("{user_id}/{id}") } else { id.to_owned() },
        address: with_query(&scope.of_user(owner, &format!("/items/{id}")), [(BACK, back)]),
        user_address: scope.project.at(&format!("/users/{user_id}")),
        user: user.unwrap_or_else(|| short(&user_id).1),
        id: short(id),
        cells: shown.iter().map(|name| (name.clone(), cell(&values, name))).collect(),
        conforms: scope.document.conforms(&scope.table, &values),
        created_at: Timestamp::from(stored.created_at),
    })
}

/// Returns an ID as the part that is only read out, and the one that is shown.
fn short(id: &str) -> (String, String) {
    let hidden = if id.len() > SHORT_ID_CHARS.saturating_add(4) { id.len().saturating_sub(SHORT_ID_CHARS) } else { 0 };
    // IDs are ASCII.
    let (start, end) = id.split_at_checked(hidden).unwrap_or(("", id));
    (start.to_owned(), end.to_owned())
}

pub(super) fn cell(values: &Map<String, Value>, name: &str) -> String {
    let text = match values.get(name) {
        None | Some(Value::Null) => return String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    let mut characters = text.chars();
    let start: String = characters.by_ref().take(MAX_CELL_CHARS).collect();
    if characters.next().is_some() { start + "…" } else { start }
}

/// Returns the labels and addresses of the exports.
fn exports(scope: &GridScope, query: &GridQuery) -> [(&'static str, String); 3] {
    [("CSV", "csv"), ("CSV for programs (raw)", "raw"), ("NDJSON", "ndjson")].map(|(label, format)| {
        let address = query.address(&scope.at("/export"), &query.order, None);
        let separator = if address.contains('?') { '&' } else { '?' };
        (label, format!("{address}{separator}format={format}"))
    })
}

struct Column {
    label: String,
    /// The address that orders by the column; `None` if it has no order.
    address: Option<String>,
    /// The direction, if the grid is ordered by the column.
    sort: Option<&'static str>,
}

struct ItemLine {
    /// What selects the item.
    key: String,
    address: String,
    user_address: String,
    user: String,
    /// The ID in two parts, of which the second one is shown.
    id: (String, String),
    /// Names of fields and shortened values.
    cells: Vec<(String, String)>,
    conforms: bool,
    created_at: Timestamp,
}

#[derive(Template)]
#[template(path = "console/data/item/grid.html")]
struct Grid {
    shell: Shell,
    scope: GridScope,
    rows: Vec<FilterRow>,
    /// Empty for the default one.
    order: String,
    columns: Vec<Column>,
    /// The fields that were chosen; empty for the first ones.
    chosen: Vec<String>,
    /// The fields that can be shown, and whether they are.
    choices: Vec<(String, bool)>,
    items: Vec<ItemLine>,
    is_filtered: bool,
    is_incomplete: bool,
    /// The address of the same page with all items selected, or none.
    select_address: String,
    selects_all: bool,
    /// The address of the items that do not conform to the schema.
    nonconforming: String,
    /// Labels and addresses.
    exports: [(&'static str, String); 3],
    error: Option<String>,
    next: Option<String>,
    undo: Undo,
    /// The query of this page of the grid.
    back: String,
}
