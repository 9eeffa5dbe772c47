//! Deleting one item.

use askama::Template;
use serde_json::Value;
use steward_domain::data::Accessor;
use steward_domain::kernel::policy::Operation;

use crate::console::data::user::details::pretty;
use crate::console::data::user::scope::TableScope;
use crate::console::frame::{FormState, Outcome, Shell, Signed, Submission};
use crate::error::PageResult;

use super::filter::GridQuery;
use super::undo::{BACK, grid_address};

/// Deletes an item.
pub(crate) async fn submit(submission: Submission) -> PageResult {
    let scope = submission.signed.table(Operation::ItemDelete).await?;
    let path = submission.signed.item_path(&scope)?;
    let when = submission.precondition();
    let address = grid_address(&scope, submission.form.text(BACK));
    let submitted = submission.run_once(Operation::ItemDelete, async |caller| {
        submission.signed.steward().items.delete_undoably(caller, path, when).await?;
        Ok(Outcome::next(address, "The item was deleted."))
    });
    submitted.await?.or_show(|form| delete_page(&submission.signed, form)).await
}

/// Asks whether to delete an item.
pub(crate) async fn delete_page(signed: &Signed, form: FormState) -> PageResult {
    let scope = signed.table(Operation::ItemDelete).await?;
    let form = form.starting_with(&[(BACK, signed.query(BACK).as_str())]);
    let path = signed.item_path(&scope)?;
    let stored = signed.steward().items.get(&signed.caller, Accessor::Project, &path).await?;
    let (form, id) = (form.with_revision(stored.revision), path.id.as_str().to_owned());
    let shell = scope.shell(signed, &id).await?.below(scope.item_address(&id, ""), "Delete");
    let view = DeleteItem {
        shell,
        value: pretty(&Value::Object(stored.item.value.fields()?)),
        back: GridQuery::of_text(form.value(BACK)).own_query(),
        id,
        scope,
        form,
    };
    view.form.page(signed, &view)
}

#[derive(Template)]
#[template(path = "console/data/item/delete.html")]
struct DeleteItem {
    shell: Shell,
    scope: TableScope,
    form: FormState,
    id: String,
    value: String,
    /// The query of the grid to return to.
    back: String,
}
