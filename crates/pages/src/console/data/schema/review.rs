//! The page that shows what a publication of a schema changes before it is made.

use askama::Template;
use serde_json::{Map, Value, json};
use steward_domain::data::PublishOptions;
use steward_domain::data::schema::{ChangeClass, Document, MAX_LISTED_CHANGES, SchemaWarning, filled};
use steward_domain::kernel::ProjectId;
use steward_domain::kernel::error::{Conflict, Error, ResourceKind};
use steward_domain::kernel::policy::{Lane, Operation};
use steward_domain::kernel::work::Work;

use crate::console::frame::form::json_text;
use crate::console::frame::{FormState, ProjectScope, Shell, Signed};
use crate::error::PageResult;
use crate::request::form::Form;

use super::diff::{ChangeLine, class_name};
use super::rows::Rows;

/// The largest text that is parsed on the threads that serve requests, in bytes.
const SMALL_BYTES: usize = 8 * 1024;

/// What a publication changes.
pub(crate) struct Review {
    /// The worst class of all changes; `None` if there are too many items to determine it.
    class: Option<ChangeClass>,
    changes: Vec<ChangeLine>,
    is_truncated: bool,
    /// The tables that are new: all tables, in the first publication.
    added: Rows,
    warnings: Vec<SchemaWarning>,
}

impl Review {
    /// Returns what publishing a document as the version after `based_on` would change. Fails if another version was
    /// published since.
    pub(crate) async fn of(
        signed: &Signed,
        scope: &ProjectScope,
        document: Map<String, Value>,
        based_on: u32,
    ) -> Result<Self, Error> {
        signed.begin(Operation::SchemaPublish, 0)?;
        let (schemas, project) = (&signed.steward().schemas, scope.project.id);
        require_newest(signed, project, based_on).await?;
        let next = based_on.saturating_add(1);
        let members = document.clone();
        let document = filled(Value::Object(renumbered(document, based_on)), project, next);
        let dry_run = PublishOptions { dry_run: true, ..PublishOptions::default() };
        let checked = schemas.publish(&signed.caller, project, document.clone(), dry_run).await;
        let publication = match checked {
            Err(Error::Conflict(Conflict::TooManyItems)) => {
                let checked = schemas.verify(document).await?;
                let (listed, warnings) = (checked.changes, checked.warnings);
                let changes = ChangeLine::listed(&listed.changes);
                let added = Rows::added(listed.changes.iter(), &members);
                return Ok(Self { class: None, changes, is_truncated: listed.truncated, added, warnings });
            }
            checked => checked?,
        };
        let diff = publication.diff.as_ref();
        let counted = diff.map(|diff| diff.changes.as_slice()).unwrap_or_default();
        let listed = counted.get(..MAX_LISTED_CHANGES).unwrap_or(counted);
        let class = diff.map_or(ChangeClass::Compatible, |diff| diff.class());
        let is_truncated = counted.len() > listed.len();
        let added = Rows::added(listed.iter().map(|counted| &counted.change), &members);
        let data = scope.permitted.may(Operation::ProjectItemList).then(|| scope.at("/data"));
        let changes = ChangeLine::counted(listed, data.as_deref());
        Ok(Self { class: Some(class), changes, is_truncated, added, warnings: publication.warnings })
    }

    /// Whether stored items may no longer conform, so that the person has to confirm it.
    fn is_destructive(&self) -> bool {
        self.class.is_none_or(|class| class == ChangeClass::Breaking)
    }

    /// Returns the worst class of all changes as people read it.
    fn class(&self) -> &'static str {
        self.class.map_or("Not determined", class_name)
    }

    /// Returns the summary of the class.
    fn summary(&self) -> &'static str {
        match self.class {
            Some(ChangeClass::Compatible) => "Everything that could be written and read before still can be.",
            Some(ChangeClass::Risky) => "Writes by existing programs may be rejected. All stored items conform.",
            Some(ChangeClass::Breaking) => {
                "Some stored items would no longer conform. They stay unchanged. After the publication, Data marks and finds \
                 them."
            }
            None => {
                "The changed tables contain too many items to check them. Items that no longer conform stay unchanged."
            }
        }
    }
}

/// Fails if this is not the number of the newest version; 0 means that nothing is published.
pub(crate) async fn require_newest(signed: &Signed, project: ProjectId, number: u32) -> Result<(), Error> {
    let newest = signed.steward().schemas.count(project).await?;
    if newest == number { Ok(()) } else { Err(Error::PreconditionFailed(ResourceKind::Schema)) }
}

/// Returns the number of the version that a form is based on.
pub(crate) fn based_on(form: &Form) -> u32 {
    form.text("revision").parse().unwrap_or_default()
}

/// Returns the options that the form on the page selects.
pub(crate) fn options(form: &Form) -> PublishOptions {
    PublishOptions { allow_destructive: form.text("allow_destructive") == "true", ..PublishOptions::default() }
}

/// Returns the document as the version after `based_on`.
pub(crate) fn renumbered(mut document: Map<String, Value>, based_on: u32) -> Map<String, Value> {
    document.insert("version".into(), json!(based_on.saturating_add(1)));
    document
}

/// Parses the document in the field `document` of a form.
pub(crate) async fn document(signed: &Signed, form: &Form) -> Result<Map<String, Value>, Error> {
    let text = form.text("document").to_owned();
    let parsed = signed.steward().compute.call(text.len() > SMALL_BYTES, move || json_text::object(&text)).await?;
    parsed.map_err(|error| Error::invalid("document", error))
}

/// Returns the document that is edited: the one in the form if it was reviewed before, else the published one.
pub(crate) async fn edited(signed: &Signed, form: &Form, scope: &ProjectScope) -> Result<Map<String, Value>, Error> {
    if form.given("document").is_some() {
        return document(signed, form).await;
    }
    let (catalog, project, number) = (&signed.steward().catalog, scope.project.id, based_on(form));
    let found = catalog.document(project, number).await?;
    match found {
        Some(document) => Ok(document.members().clone()),
        None if number == 0 => Ok(Document::unpublished(&project.to_string()).members().clone()),
        None => Err(Error::PreconditionFailed(ResourceKind::Schema)),
    }
}

/// What the page shows besides the changes.
pub(crate) struct ReviewedPublication {
    pub(crate) title: String,
    /// Where the form is submitted to.
    pub(crate) address: String,
    pub(crate) button: &'static str,
    /// The document that is published, as text; empty if the address names it.
    pub(crate) document: String,
    /// Editors in which the document can be changed further: their address and the text of the button.
    pub(crate) editors: Vec<(String, &'static str)>,
}

impl ReviewedPublication {
    /// Returns what the page shows about the publication of a document.
    pub(crate) fn of_document(scope: &ProjectScope, document: String) -> Self {
        Self {
            title: "Review the changes".to_owned(),
            address: scope.at("/schema/publish"),
            button: "Publish",
            document,
            editors: vec![
                (scope.at("/schema/edit"), "Edit the tables further"),
                (scope.at("/schema/json"), "Edit the JSON further"),
            ],
        }
    }
}

/// Returns the page about a document of an editor. The outer error is one of the document.
pub(crate) async fn of_document(
    signed: &Signed,
    scope: &ProjectScope,
    document: Map<String, Value>,
    based_on: u32,
) -> Result<PageResult, Error> {
    Work::set_lane(Lane::Heavy);
    let publication = ReviewedPublication::of_document(scope, Value::Object(document.clone()).to_string());
    let review = Review::of(signed, scope, document, based_on).await?;
    let form = FormState::new(signed, &[("revision", based_on.to_string().as_str())]);
    Ok(page(signed, scope, review, publication, form).await)
}

/// Returns the page.
pub(crate) async fn page(
    signed: &Signed,
    scope: &ProjectScope,
    review: Review,
    publication: ReviewedPublication,
    form: FormState,
) -> PageResult {
    let shell = scope.shell(signed, "Schema").await?.below(scope.at("/schema"), publication.title.clone());
    let view = ReviewPage { shell, review, publication, form };
    view.form.page(signed, &view)
}

#[derive(Template)]
#[template(path = "console/data/schema/review.html")]
struct ReviewPage {
    shell: Shell,
    review: Review,
    publication: ReviewedPublication,
    form: FormState,
}
