//! Deleting the items that are selected in a grid.

use std::collections::{BTreeMap, HashSet};

use actix_web::HttpRequest;
use askama::Template;
use serde_json::{Map, Value};
use steward_domain::data::ItemId;
use steward_domain::data::schema::FieldType;
use steward_domain::kernel::ProjectUserId;
use steward_domain::kernel::error::{Error, ResourceKind};
use steward_domain::kernel::policy::Operation;

use crate::console::frame::{FormState, Outcome, Shell, Signed, Submission, Submitted};
use crate::error::{PageError, PageResult};
use crate::request::form::Form;

use super::filter::GridQuery;
use super::grid::{PAGE, ROWS, cell};
use super::grid_scope::GridScope;
use super::undo::{BACK, items_were};

/// How many texts of an item name it before it is deleted.
const NAME_FIELDS: usize = 2;

/// The IDs of the selected items of each user.
type Selection = BTreeMap<ProjectUserId, Vec<ItemId>>;

/// Asks whether to delete the selected items.
pub(crate) async fn show(signed: Signed, request: HttpRequest) -> PageResult {
    let scope = GridScope::of(&signed, Operation::ItemBatch).await?;
    let form = FormState::new(&signed, &[(BACK, signed.query(BACK).as_str())]);
    page(&signed, &scope, selected(&Form::of_query(&request)), form).await
}

/// Deletes the selected items: of each user all of them, or none. Returns to the filter that they were selected with.
pub(crate) async fn submit(submission: Submission) -> PageResult {
    let scope = GridScope::of(&submission.signed, Operation::ItemBatch).await?;
    let keys = selected(&submission.form);
    let selection = selection(&scope, &keys);
    let submitted = match submission.signed.begin(Operation::ItemBatch, selection.values().map(Vec::len).sum()) {
        Ok(()) => delete(&submission, &scope, selection).await?,
        Err(error) => Submitted::Refused(submission.refused(error)?),
    };
    submitted.or_show(|form| page(&submission.signed, &scope, keys, form)).await
}

async fn delete(submission: &Submission, scope: &GridScope, selection: Selection) -> Result<Submitted, PageError> {
    let address = GridQuery::returned_to(submission.form.text(BACK)).own_address(&scope.at(""));
    let submitted = submission.run_once(Operation::ItemBatch, async |caller| {
        let (items, project) = (&submission.signed.steward().items, scope.project.project.id);
        let mut count: usize = 0;
        for (user, ids) in selection {
            match items.delete_all_undoably(caller, project, user, scope.table.clone(), ids).await {
                Ok(deleted) => count += deleted.len(),
                // The items of the users before are deleted, so the form was not refused. A failure of the service is one, so that
                // its cause is logged.
                Err(error) if count > 0 && !error.is_failure() => {
                    let were_deleted = items_were(&count, "deleted");
                    let message = format!("{were_deleted}. The others could not be deleted. Select them again.");
                    return Ok(Outcome::next(address, message));
                }
                Err(error) => return Err(refusal(error)),
            }
        }
        Ok(Outcome::next(address, format!("{}.", items_were(&count, "deleted"))))
    });
    submitted.await
}

/// Returns why the items of a user were not deleted.
fn refusal(error: Error) -> Error {
    match error {
        Error::InBatch { error, .. } if matches!(*error, Error::NotFound(ResourceKind::Item)) => {
            let message = "One of the items no longer exists. Nothing was deleted. Select the items again.";
            Error::invalid("item", message)
        }
        Error::InBatch { error, .. } => *error,
        other => other,
    }
}

async fn page(signed: &Signed, scope: &GridScope, keys: Vec<String>, form: FormState) -> PageResult {
    let back = GridQuery::returned_to(form.value(BACK));
    let mut items = Vec::new();
    for (user, ids) in selection(scope, &keys) {
        items.extend(named(signed, scope, user, ids).await?);
    }
    let view = DeleteSelected {
        shell: scope.shell(signed, "Delete items").await?,
        items,
        action: scope.at("/delete"),
        address: back.own_address(&scope.at("")),
        back: back.own_query(),
        form,
    };
    view.form.page(signed, &view)
}

/// Returns the selected items of a user with what they are recognized by. An item that does not exist has only its ID.
async fn named(
    signed: &Signed,
    scope: &GridScope,
    user: ProjectUserId,
    ids: Vec<ItemId>,
) -> Result<Vec<SelectedItem>, PageError> {
    let (items, project) = (&signed.steward().items, scope.project.project.id);
    let found = items.named(&signed.caller, project, user, &scope.table, &ids, PAGE).await?;
    let name = |id: &ItemId| {
        let stored = found.iter().find(|stored| stored.item.id == *id)?;
        Some(name_of(scope, &stored.item.value.fields().ok()?))
    };
    let item = |id: ItemId| SelectedItem {
        key: if scope.is_of_all() { format!("{user}/{}", id.as_str()) } else { id.as_str().to_owned() },
        name: name(&id).unwrap_or_default(),
        id: id.as_str().to_owned(),
    };
    Ok(ids.into_iter().map(item).collect())
}

/// Returns the first texts of an item that are not empty, by which people recognize it.
fn name_of(scope: &GridScope, values: &Map<String, Value>) -> String {
    let texts = scope.fields.iter().filter(|field| field.kind == FieldType::String);
    let texts = texts.map(|field| cell(values, &field.name)).filter(|text| !text.trim().is_empty());
    texts.take(NAME_FIELDS).collect::<Vec<_>>().join(", ")
}

/// Returns what a form selects, without repetitions.
fn selected(form: &Form) -> Vec<String> {
    let mut seen = HashSet::new();
    let keys = form.fields().filter(|(name, _)| *name == "item").map(|(_, key)| key.to_owned());
    keys.filter(|key| seen.insert(key.clone())).take(usize::from(ROWS)).collect()
}

/// Returns the items that these keys name. In a grid of all users, the ID of the user precedes that of the item.
fn selection(scope: &GridScope, keys: &[String]) -> Selection {
    let mut selection = Selection::new();
    for key in keys {
        let (user, id) = match &scope.user {
            Some(of) => (Some(of.user.id), key.as_str()),
            None => key.split_once('/').map_or((None, ""), |(user, id)| (ProjectUserId::parse(user), id)),
        };
        if let (Some(user), Ok(id)) = (user, ItemId::stored(id)) {
            selection.entry(user).or_default().push(id);
        }
    }
    selection
}

struct SelectedItem {
    key: String,
    id: String,
    /// Empty if the item has no text or does not exist.
    name: String,
}

#[derive(Template)]
#[template(path = "console/data/item/delete_selected.html")]
struct DeleteSelected {
    shell: Shell,
    items: Vec<SelectedItem>,
    action: String,
    /// The grid to return to.
    address: String,
    back: String,
    form: FormState,
}
