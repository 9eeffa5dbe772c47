//! The tables of a project, with the number and the size of the items of all users.

use askama::Template;
use steward_domain::data::{TableSize, TableSizes};

use crate::console::frame::{ProjectScope, Shell, Signed};
use crate::error::PageResult;

/// Shows the tables.
pub(crate) async fn show(signed: Signed) -> PageResult {
    let scope = signed.project().await?;
    let TableSizes { tables, is_complete } = signed.steward().items.tables(&signed.caller, scope.project.id).await?;
    let document = signed.document(&scope).await?;
    let is_known = |table: &TableSize| document.as_ref().is_some_and(|document| document.has_table(&table.table));
    let tables = tables.into_iter().map(|table| (is_known(&table), table)).collect();
    signed.page(&Tables { shell: scope.shell(&signed, "Data").await?, scope, tables, is_complete })
}

#[derive(Template)]
#[template(path = "console/data/item/tables.html")]
struct Tables {
    shell: Shell,
    scope: ProjectScope,
    /// Whether the newest schema has the table, and the table.
    tables: Vec<(bool, TableSize)>,
    is_complete: bool,
}
