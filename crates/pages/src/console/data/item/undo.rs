//! Deletions of items that the person can still undo, and the address to return to after a deletion.

use std::fmt::Display;

use steward_domain::data::{ItemDeletion, Undone};
use steward_domain::kernel::ItemDeletionId;
use steward_domain::kernel::policy::Operation;

use crate::console::data::user::scope::TableScope;
use crate::console::frame::{FormState, Outcome, Signed, Submission};
use crate::error::{PageError, PageResult};
use crate::response::see_other;

use super::filter::GridQuery;
use super::grid_scope::GridScope;

/// The maximum number of deletions that a grid offers to undo.
const MAX_SHOWN: usize = 5;
/// The field or parameter with the filter, order and page of the grid to return to.
pub(crate) const BACK: &str = "back";

/// What the grid offers to undo.
pub(crate) struct Undo {
    /// Deletions, and the numbers of their items.
    pub(crate) lines: Vec<(ItemDeletion, u64)>,
    pub(crate) form: FormState,
}

impl Undo {
    /// Returns the deletions that the person can undo.
    pub(crate) async fn of(signed: &Signed, scope: &GridScope, back: &str) -> Result<Self, PageError> {
        let form = FormState::new(signed, &[(BACK, back)]);
        if !scope.may(Operation::ItemBatch) {
            return Ok(Self { lines: Vec::new(), form });
        }
        let (items, project) = (&signed.steward().items, scope.project.project.id);
        let user = scope.user.as_ref().map(|of| of.user.id);
        let found = items.undoable_deletions(&signed.caller, project, user, &scope.table).await?;
        Ok(Self { lines: found.into_iter().take(MAX_SHOWN).collect(), form })
    }
}

/// Returns a sentence about a number of items, without the period.
pub(crate) fn items_were<N: Display + PartialEq + From<u8>>(count: &N, what: &str) -> String {
    if *count == N::from(1) { format!("1 item was {what}") } else { format!("{count} items were {what}") }
}

/// Returns the address of the grid that a form was opened from. Only what a grid understands is kept of its query.
pub(crate) fn grid_address(scope: &TableScope, back: &str) -> String {
    let is_of_all = GridQuery::of_text(back).is_of_all;
    let path = if is_of_all { scope.of.project.at(&format!("/data/{}", scope.table)) } else { scope.at("") };
    GridQuery::returned_to(back).own_address(&path)
}

/// Opens the table.
pub(crate) async fn back(signed: Signed) -> PageResult {
    Ok(see_other(&signed.table(Operation::ItemBatch).await?.at("")))
}

/// Restores the items of a deletion.
pub(crate) async fn undo(submission: Submission) -> PageResult {
    let scope = submission.signed.table(Operation::ItemBatch).await?;
    let address = grid_address(&scope, submission.form.text(BACK));
    let id = ItemDeletionId::parse(submission.form.text("deletion"));
    let submitted = submission.run_once(Operation::ItemBatch, async |caller| {
        let (items, user) = (&submission.signed.steward().items, &scope.of.user);
        let undone = match id {
            Some(id) => items.undo_deletion(caller, user.project_id, user.id, id).await?,
            None => None,
        };
        Ok(Outcome::next(address.as_str(), message(undone)))
    });
    let show = async |form: FormState| {
        let why = form.general.unwrap_or_else(|| "The items could not be restored.".to_owned());
        submission.signed.next(&address, &why)
    };
    submitted.await?.or_show(show).await
}

fn message(undone: Option<Undone>) -> String {
    let Some(Undone { restored, existing }) = undone else {
        return "The deletion can no longer be undone.".to_owned();
    };
    let restored = items_were(&restored, "restored");
    if existing.is_empty() {
        return format!("{restored}.");
    }
    let ids: Vec<&str> = existing.iter().take(3).map(|id| id.as_str()).collect();
    let more = if existing.len() > ids.len() { " and others" } else { "" };
    format!("{restored}. Others were not, because their IDs are in use again: {}{more}.", ids.join(", "))
}

#[cfg(test)]
mod tests {
    use steward_domain::data::ItemId;

    use super::*;

    #[test]
    fn the_message_names_items_that_were_not_restored() {
        let ids = |count: usize| (0..count).map(|n| ItemId::parse(&format!("n{n}")).unwrap()).collect();
        let undone = |restored, existing| message(Some(Undone { restored, existing: ids(existing) }));
        assert_eq!(undone(2, 0), "2 items were restored.");
        assert_eq!(
            undone(1, 4),
            "1 item was restored. Others were not, because their IDs are in use again: n0, n1, n2 and others."
        );
        assert_eq!(message(None), "The deletion can no longer be undone.");
    }
}
