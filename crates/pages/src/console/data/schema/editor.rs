//! The editor of a schema's tables and fields. Its buttons send the whole form, so that it works without a script.

use askama::Template;
use steward_domain::kernel::Revision;
use steward_domain::kernel::policy::Operation;

use crate::console::frame::{FormState, ProjectScope, Shell, Signed, Submission};
use crate::error::{PageError, PageResult};

use super::draft::{self as drafts, DraftNotice, Entered};
use super::json::{self, newest};
use super::review;
use super::rows::Rows;
use super::violations::readable;

/// Shows the tables of the newest document.
pub(crate) async fn show(signed: Signed) -> PageResult {
    let scope = signed.project().await?;
    let (edited, number) = newest(&signed, &scope).await?;
    let draft = drafts::of(&signed, &scope).await?;
    let (rows, document, based_on) = match &draft {
        None => (Rows::of(&edited), String::new(), number),
        Some(draft) => match drafts::as_rows(&signed, draft).await? {
            Some((rows, document)) => (rows, document, draft.based_on),
            None => {
                let message = "Your unpublished changes are not valid JSON. Correct them before you edit the tables.";
                return signed.next(&scope.at("/schema/json"), message);
            }
        },
    };
    if rows.is_large() {
        return signed.next(&scope.at("/schema/json"), "This schema is too large for the form. Edit it as JSON.");
    }
    let draft = draft.map(|draft| DraftNotice::of(&scope, &draft, number));
    let form = FormState::new(&signed, &[]).with_revision(Revision(based_on.into()));
    page(&signed, scope, Edited { rows, document, focus: None, draft }, form).await
}

/// Adds or removes rows, or shows what publishing the document would change. Each step is kept as a draft.
pub(crate) async fn submit(submission: Submission) -> PageResult {
    let (signed, form) = (&submission.signed, &submission.form);
    let scope = signed.project().await?;
    scope.permitted.require(Operation::SchemaPublish)?;
    let based_on = review::based_on(form);
    let (button, document) = (form.text("do"), form.text("document").to_owned());
    let mut rows = Rows::of_form(form);
    if button != "review" {
        if button == "edit" {
            rows = Rows::of(&review::document(signed, form).await?);
            if rows.is_large() {
                return json::submit(submission).await;
            }
        }
        let focus = rows.press(button);
        let draft = keep(&submission, &scope, &rows).await?;
        if let Some(response) = drafts::response_to(signed, &scope, button, draft.as_ref())? {
            return Ok(response);
        }
        let form = FormState::new(signed, &[("revision", based_on.to_string().as_str())]);
        return page(signed, scope, Edited { rows, document, focus, draft }, form).await;
    }
    let draft = keep(&submission, &scope, &rows).await?;
    let reviewed = async {
        let document = rows.document(&review::edited(signed, form, &scope).await?)?;
        review::of_document(signed, &scope, document, based_on).await
    };
    match reviewed.await {
        Ok(page) => page,
        Err(error) => {
            let refused = submission.refused(readable(error, |path| rows.input_of(path)))?;
            let newest = signed.steward().schemas.count(scope.project.id).await?;
            let refused = refused.with_revision(Revision(newest.into()));
            page(signed, scope, Edited { rows, document, focus: None, draft }, refused).await
        }
    }
}

/// Keeps the rows as the draft of the person.
async fn keep(submission: &Submission, scope: &ProjectScope, rows: &Rows) -> Result<Option<DraftNotice>, PageError> {
    let (signed, form) = (&submission.signed, &submission.form);
    let document = review::edited(signed, form, scope).await.and_then(|edited| rows.document(&edited)).ok();
    let entered = Entered::tables(rows, form.text("document"), document, review::based_on(form));
    drafts::keep(signed, scope, entered).await
}

/// What the form shows.
struct Edited {
    rows: Rows,
    /// The reviewed document that is edited further, as text; empty if the published one is edited.
    document: String,
    /// The input to continue with.
    focus: Option<String>,
    draft: Option<DraftNotice>,
}

async fn page(signed: &Signed, scope: ProjectScope, edited: Edited, form: FormState) -> PageResult {
    let published = signed.document(&scope).await?;
    let Edited { rows, document, focus, draft } = edited;
    let view = Editor {
        shell: scope.shell(signed, "Schema").await?.below(scope.at("/schema"), "Edit"),
        rows: rows.allowing_for(published.as_deref()),
        blank: Rows::blank().allowing_for(None),
        document,
        focus: focus.unwrap_or_default(),
        scope,
        form,
        draft,
    };
    view.form.page(signed, &view)
}

#[derive(Template)]
#[template(path = "console/data/schema/editor.html")]
struct Editor {
    shell: Shell,
    scope: ProjectScope,
    rows: Rows,
    /// A new table with one field, which a script copies.
    blank: Rows,
    document: String,
    focus: String,
    form: FormState,
    draft: Option<DraftNotice>,
}

impl Editor {
    /// Returns the button that Enter presses without a script: it adds a field to the table that is being edited.
    fn default_button(&self) -> String {
        let last = self.rows.tables().last().map_or("table", |table| table.id.as_str());
        let table = self.focus.split_once('-').map_or(last, |(table, _)| table);
        format!("add-{table}")
    }
}
