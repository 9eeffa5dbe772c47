//! The editor of a schema document as JSON.

use askama::Template;
use serde_json::{Map, Value};
use steward_domain::kernel::Revision;
use steward_domain::kernel::policy::Operation;

use crate::console::frame::form::json_text::indented;
use crate::console::frame::{FormState, ProjectScope, Shell, Signed, Submission};
use crate::error::{PageError, PageResult};

use super::draft::{self as drafts, DraftNotice, Entered};
use super::review;
use super::violations::readable;

/// Shows the newest document.
pub(crate) async fn show(signed: Signed) -> PageResult {
    let scope = signed.project().await?;
    let (edited, number) = newest(&signed, &scope).await?;
    let draft = drafts::of(&signed, &scope).await?;
    let (text, based_on) = match &draft {
        None => (indented(&review::renumbered(edited, number)), number),
        Some(draft) => match drafts::as_json(&signed, &scope, draft).await? {
            Some(text) => (text, draft.based_on),
            None => {
                let message = "Your unpublished changes are incomplete. Complete them before you edit them as JSON.";
                return signed.next(&scope.at("/schema/edit"), message);
            }
        },
    };
    let notice = draft.map(|draft| DraftNotice::of(&scope, &draft, number));
    let form = FormState::new(&signed, &[("document", text.as_str())]).with_revision(Revision(based_on.into()));
    page(&signed, scope, form, notice).await
}

/// Shows what publishing the document would change, or the editor again. What was entered is kept as a draft.
pub(crate) async fn submit(submission: Submission) -> PageResult {
    let signed = &submission.signed;
    let scope = signed.project().await?;
    scope.permitted.require(Operation::SchemaPublish)?;
    let (form, based_on) = (&submission.form, review::based_on(&submission.form));
    if form.text("do") == "edit" {
        let text = match review::document(signed, form).await {
            Ok(document) => indented(&document),
            Err(_) => form.text("document").to_owned(),
        };
        let notice = drafts::keep(signed, &scope, Entered::json(&text, based_on)).await?;
        let form = FormState::new(signed, &[("document", text.as_str()), ("revision", based_on.to_string().as_str())]);
        return page(signed, scope, form, notice).await;
    }
    let notice = drafts::keep(signed, &scope, Entered::json(form.text("document"), based_on)).await?;
    if let Some(response) = drafts::response_to(signed, &scope, form.text("do"), notice.as_ref())? {
        return Ok(response);
    }
    let reviewed = async { review::of_document(signed, &scope, review::document(signed, form).await?, based_on).await };
    match reviewed.await {
        Ok(page) => page,
        Err(error) => {
            let refused = submission.refused(readable(error, input_of))?;
            let newest = signed.steward().schemas.count(scope.project.id).await?;
            page(signed, scope, refused.with_revision(Revision(newest.into())), notice).await
        }
    }
}

/// Returns the input in which a part of the document is entered.
pub(crate) fn input_of(_: &[String]) -> String {
    "document".to_owned()
}

/// Returns the newest document and its number. Before the first publication, that is a document without tables.
pub(crate) async fn newest(signed: &Signed, scope: &ProjectScope) -> Result<(Map<String, Value>, u32), PageError> {
    scope.permitted.require(Operation::SchemaPublish)?;
    let number = signed.steward().schemas.count(scope.project.id).await?;
    let document = drafts::published(signed, scope, number).await?;
    Ok((document.members().clone(), number))
}

/// Returns the editor.
pub(crate) async fn page(
    signed: &Signed,
    scope: ProjectScope,
    form: FormState,
    draft: Option<DraftNotice>,
) -> PageResult {
    let shell = scope.shell(signed, "Schema").await?.below(scope.at("/schema"), "Edit as JSON");
    let view = JsonEditor { shell, scope, form, draft };
    view.form.page(signed, &view)
}

#[derive(Template)]
#[template(path = "console/data/schema/json.html")]
struct JsonEditor {
    shell: Shell,
    scope: ProjectScope,
    form: FormState,
    draft: Option<DraftNotice>,
}
