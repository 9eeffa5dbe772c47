//! The draft of a schema: what a person entered in an editor and did not publish yet. Each step of the editors keeps
//! it, so that leaving the page loses nothing.

use std::sync::Arc;

use actix_web::HttpResponse;
use askama::Template;
use serde_json::{Map, Value};
use steward_domain::data::schema::Document;
use steward_domain::data::{DraftEditor, DraftSummary, SaveDraft, SchemaDraft};
use steward_domain::kernel::error::Error;
use steward_domain::kernel::policy::Operation;

use crate::console::frame::form::json_text::{self, indented};
use crate::console::frame::form::state::field_error;
use crate::console::frame::{FormState, ProjectScope, Shell, Signed, Submission, Timestamp};
use crate::error::{PageError, PageResult};
use crate::request::form::Form;
use crate::response::no_content;

use super::review;
use super::rows::Rows;

/// What an editor says about the draft of the person.
#[derive(Default)]
pub(crate) struct DraftNotice {
    pub(crate) kept_at: Option<Timestamp>,
    pub(crate) based_on: u32,
    /// The number of the newest version.
    pub(crate) newest: u32,
    /// The page on which the draft is discarded.
    pub(crate) address: String,
    /// The page on which the draft is edited.
    pub(crate) editor: String,
    /// Why what was entered is not kept.
    pub(crate) problem: Option<String>,
}

impl DraftNotice {
    /// Returns what to say about a draft, if `newest` is the number of the newest version.
    pub(crate) fn of(scope: &ProjectScope, draft: &SchemaDraft, newest: u32) -> Self {
        let editor = match draft.editor {
            DraftEditor::Tables => "/schema/edit",
            DraftEditor::Json => "/schema/json",
        };
        Self {
            kept_at: Some(draft.updated_at.into()),
            based_on: draft.based_on,
            newest,
            address: scope.at("/schema/draft"),
            editor: scope.at(editor),
            problem: None,
        }
    }

    /// Whether another version was published after the draft was begun.
    pub(crate) fn is_superseded(&self) -> bool {
        self.based_on != self.newest
    }

    /// Says what the draft does not contain.
    pub(crate) fn superseded(&self) -> String {
        let began = if self.based_on == 0 {
            "before the first version was published".to_owned()
        } else {
            format!("from version {}", self.based_on)
        };
        format!("They were begun {began} and do not contain what version {} changed.", self.newest)
    }
}

/// What a person entered in an editor.
pub(crate) struct Entered {
    editor: DraftEditor,
    content: String,
    /// The document that results from it, if it is complete.
    document: Option<Map<String, Value>>,
    based_on: u32,
}

impl Entered {
    /// Text in the JSON editor. Stores cannot keep NUL characters, which no document contains.
    pub(crate) fn json(text: &str, based_on: u32) -> Self {
        let document = json_text::object(text).ok();
        Self { editor: DraftEditor::Json, content: text.replace('\0', ""), document, based_on }
    }

    /// Rows of the form. `reviewed`: the document in the form, if it was reviewed before.
    pub(crate) fn tables(rows: &Rows, reviewed: &str, document: Option<Map<String, Value>>, based_on: u32) -> Self {
        let mut fields = rows.to_fields();
        if !reviewed.is_empty() {
            fields.push(("document".to_owned(), reviewed.to_owned()));
        }
        let content = serde_json::to_string(&fields).unwrap_or_default();
        Self { editor: DraftEditor::Tables, content, document, based_on }
    }
}

/// Returns the draft of the person.
pub(crate) async fn of(signed: &Signed, scope: &ProjectScope) -> Result<Option<SchemaDraft>, PageError> {
    Ok(signed.steward().schemas.draft(&signed.caller, scope.project.id).await?)
}

/// Returns what to say about the draft of the person, if there is one.
pub(crate) async fn notice(signed: &Signed, scope: &ProjectScope) -> Result<Option<DraftNotice>, PageError> {
    let Some(draft) = of(signed, scope).await? else { return Ok(None) };
    let newest = signed.steward().schemas.count(scope.project.id).await?;
    Ok(Some(DraftNotice::of(scope, &draft, newest)))
}

/// Keeps what was entered as the draft of the person. If it is the same as the version that it is based on, there is
/// nothing to keep.
pub(crate) async fn keep(
    signed: &Signed,
    scope: &ProjectScope,
    entered: Entered,
) -> Result<Option<DraftNotice>, PageError> {
    let (schemas, project) = (&signed.steward().schemas, scope.project.id);
    let newest = schemas.count(project).await?;
    let Entered { editor, content, document, based_on } = entered;
    let based_on = based_on.min(newest);
    let base = published(signed, scope, based_on).await?;
    if document.is_some_and(|document| without_version(&document) == without_version(base.members())) {
        schemas.discard_draft(&signed.caller, project).await?;
        return Ok(None);
    }
    match schemas.save_draft(&signed.caller, project, SaveDraft { editor, content, based_on }).await {
        Ok(()) => notice(signed, scope).await,
        Err(Error::Invalid(violations)) => {
            let message = violations.as_slice().first().map(|one| field_error("document", &one.message).message);
            let (problem, address) = (Some(message.unwrap_or_default()), scope.at("/schema/draft"));
            Ok(Some(DraftNotice { problem, based_on, newest, address, ..DraftNotice::default() }))
        }
        Err(error) => Err(error.into()),
    }
}

/// Returns the response to a button that only keeps the draft, or to the script; `None` for other buttons, or if it was not
/// kept.
pub(crate) fn response_to(
    signed: &Signed,
    scope: &ProjectScope,
    button: &str,
    notice: Option<&DraftNotice>,
) -> Result<Option<HttpResponse>, PageError> {
    match (button, notice) {
        ("autosave", Some(DraftNotice { problem: Some(_), .. })) => {
            Ok(Some(HttpResponse::UnprocessableEntity().finish()))
        }
        ("autosave", _) => Ok(Some(no_content())),
        ("save", Some(DraftNotice { problem: Some(_), .. })) => Ok(None),
        ("save", Some(_)) => {
            let message = "Your changes were saved as a draft. They are not published yet.";
            signed.next(&scope.at("/schema"), message).map(Some)
        }
        ("save", None) => signed.next(&scope.at("/schema"), "There were no changes to save.").map(Some),
        _ => Ok(None),
    }
}

/// Returns the text of the draft for the JSON editor. `None` if it is not complete.
pub(crate) async fn as_json(
    signed: &Signed,
    scope: &ProjectScope,
    draft: &SchemaDraft,
) -> Result<Option<String>, PageError> {
    match draft.editor {
        DraftEditor::Json => Ok(Some(draft.content.clone())),
        DraftEditor::Tables => Ok(document(signed, scope, draft).await?.map(|document| indented(&document))),
    }
}

/// Returns the rows of the draft for the form, and the reviewed document that they are part of. `None` if it is not
/// valid JSON.
pub(crate) async fn as_rows(signed: &Signed, draft: &SchemaDraft) -> Result<Option<(Rows, String)>, PageError> {
    if draft.editor == DraftEditor::Tables {
        let form = form_of(draft)?;
        return Ok(Some((Rows::of_form(&form), form.text("document").to_owned())));
    }
    let text = draft.content.clone();
    let parsed = signed.steward().compute.call(true, move || json_text::object(&text)).await?;
    Ok(parsed.ok().map(|document| (Rows::of(&document), draft.content.clone())))
}

/// Returns the document that results from the draft. `None` if it is not complete.
async fn document(
    signed: &Signed,
    scope: &ProjectScope,
    draft: &SchemaDraft,
) -> Result<Option<Map<String, Value>>, PageError> {
    match draft.editor {
        DraftEditor::Json => {
            let text = draft.content.clone();
            Ok(signed.steward().compute.call(true, move || json_text::object(&text)).await?.ok())
        }
        DraftEditor::Tables => {
            let form = form_of(draft)?;
            let edited = review::edited(signed, &form, scope).await?;
            Ok(Rows::of_form(&form).document(&edited).ok())
        }
    }
}

/// Returns the form of which a draft consists.
fn form_of(draft: &SchemaDraft) -> Result<Form, Error> {
    let fields: Vec<(String, String)> =
        serde_json::from_str(&draft.content).map_err(|error| Error::Internal(error.into()))?;
    let revision = ("revision".to_owned(), draft.based_on.to_string());
    Ok(Form::of_fields(fields.into_iter().chain([revision]).collect()))
}

/// Returns the published document with this number; one without tables for 0.
pub(crate) async fn published(signed: &Signed, scope: &ProjectScope, number: u32) -> Result<Arc<Document>, PageError> {
    let (catalog, project) = (&signed.steward().catalog, scope.project.id);
    let published = catalog.document(project, number).await?;
    Ok(published.unwrap_or_else(|| Arc::new(Document::unpublished(&project.to_string()))))
}

fn without_version(document: &Map<String, Value>) -> Map<String, Value> {
    let others = document.iter().filter(|(name, _)| *name != "version");
    others.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Who has unpublished changes, for the page of the schema and the overview.
#[derive(Default)]
pub(crate) struct Drafts {
    pub(crate) own: Option<DraftNotice>,
    pub(crate) others: Vec<DraftSummary>,
    /// Whether the person may know who the others are.
    shows_names: bool,
}

impl Drafts {
    /// Returns the drafts that the person may know of: none without the permission to publish.
    pub(crate) async fn of(signed: &Signed, scope: &ProjectScope) -> Result<Self, PageError> {
        if !scope.permitted.may(Operation::SchemaPublish) {
            return Ok(Self::default());
        }
        let schemas = &signed.steward().schemas;
        let own = notice(signed, scope).await?;
        let account = signed.signed_in.account.id;
        let all = schemas.drafts(&signed.caller, scope.project.id).await?;
        let shows_names = scope.permitted.may(Operation::MemberList);
        let others = all.into_iter().filter(|draft| draft.account_id != account);
        Ok(Self { own, others: others.collect(), shows_names })
    }

    /// Returns the name of the person whose draft it is.
    pub(crate) fn person<'d>(&self, draft: &'d DraftSummary) -> &'d str {
        draft.person.as_deref().filter(|_| self.shows_names).unwrap_or("Another member")
    }

    /// Whether nobody has unpublished changes.
    pub(crate) fn is_empty(&self) -> bool {
        self.own.is_none() && self.others.is_empty()
    }
}

/// Shows the draft of the person, and what can be done with it.
pub(crate) async fn show(signed: Signed) -> PageResult {
    let scope = signed.project().await?;
    scope.permitted.require(Operation::SchemaPublish)?;
    let view = DraftPage {
        shell: scope.shell(&signed, "Schema").await?.below(scope.at("/schema"), "Unpublished changes"),
        draft: notice(&signed, &scope).await?,
        form: FormState::new(&signed, &[]),
        scope,
    };
    signed.page(&view)
}

/// Discards the draft, or applies its changes to the newest version.
pub(crate) async fn submit(submission: Submission) -> PageResult {
    let signed = &submission.signed;
    let scope = signed.project().await?;
    scope.permitted.require(Operation::SchemaPublish)?;
    match submission.form.text("do") {
        "rebase" => rebase(signed, &scope).await,
        "discard" => {
            signed.steward().schemas.discard_draft(&signed.caller, scope.project.id).await?;
            signed.next(&scope.at("/schema"), "Your unpublished changes were discarded.")
        }
        _ => show(submission.signed).await,
    }
}

/// Applies the changes of the draft to the newest version, which becomes its base.
async fn rebase(signed: &Signed, scope: &ProjectScope) -> PageResult {
    let Some(draft) = of(signed, scope).await? else {
        return signed.next(&scope.at("/schema"), "You have no unpublished changes.");
    };
    let (schemas, project) = (&signed.steward().schemas, scope.project.id);
    let Some(mine) = document(signed, scope, &draft).await? else {
        let editor = DraftNotice::of(scope, &draft, draft.based_on).editor;
        return signed.next(&editor, "Your unpublished changes are incomplete. Complete them first.");
    };
    let number = schemas.count(project).await?;
    let (began, newest) = (published(signed, scope, draft.based_on).await?, published(signed, scope, number).await?);
    let changes = json_text::patch_between(&without_version(began.members()), &without_version(&mine));
    let merged = match newest.merged(&changes, number.saturating_add(1)) {
        Value::Object(merged) => merged,
        _ => mine,
    };
    let text = Value::Object(merged.clone()).to_string();
    let entered = match draft.editor {
        DraftEditor::Json => Entered::json(&indented(&merged), number),
        DraftEditor::Tables => Entered::tables(&Rows::of(&merged), &text, Some(merged), number),
    };
    let editor = DraftNotice::of(scope, &draft, number).editor;
    let message = match keep(signed, scope, entered).await? {
        Some(DraftNotice { problem: Some(problem), .. }) => problem,
        Some(_) => format!("Your changes now apply to version {number}. Review them before you publish."),
        None => format!("Version {number} already contains your changes."),
    };
    signed.next(&editor, &message)
}

#[derive(Template)]
#[template(path = "console/data/schema/draft.html")]
struct DraftPage {
    shell: Shell,
    scope: ProjectScope,
    draft: Option<DraftNotice>,
    form: FormState,
}
