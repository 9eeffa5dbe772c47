//! Importing items into a table, from a file or from pasted text. All lines are checked first; then either all of them
//! are stored, in one transaction, or none.

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest, HttpResponse};
use askama::Template;
use futures_util::future::{FutureExt as _, LocalBoxFuture};
use serde_json::{Map, Value};
use steward_domain::error::{Cause, Error};
use steward_domain::model::{Caller, ItemId};
use steward_domain::policy::{Lane, Operation};
use steward_domain::usecases::Items;
use steward_domain::work::Work;

use crate::error::PageError;
use crate::form::Form;
use crate::upload::Upload;

use super::form_state::FormState;
use super::item_lines::{CheckedLines, LineFormat, Problem};
use super::outcome::{Outcome, Submitted};
use super::shell::Shell;
use super::signed::Signed;
use super::submission::Submission;
use super::user_scope::TableScope;

/// Maximum size of an import, in bytes: that of a request to the API.
const MAX_BYTES: usize = 1024 * 1024;
/// Maximum size of the form, in bytes: a file and text of the maximum size, and some fields. Browsers send each line
/// break of the text as two bytes. Text that is only somewhat too long is received, too, to show it again.
const MAX_FORM_BYTES: usize = 3 * MAX_BYTES + 64 * 1024;

/// The form of an import. It is submitted with or without a file.
pub(super) struct ImportSubmission {
    submission: Submission,
    /// Why the file or the text cannot be read, as the violation of a field.
    error: Option<Error>,
}

impl FromRequest for ImportSubmission {
    type Error = PageError;
    type Future = LocalBoxFuture<'static, Result<Self, PageError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let signed = Signed::from_request(request, payload);
        let upload = Upload::read(request, payload, MAX_FORM_BYTES);
        async move {
            let (signed, upload) = (signed.await?, upload.await?);
            signed.browser.check(&upload.form)?;
            let (form, error) = with_file(upload);
            Ok(Self { submission: Submission::new(signed, form), error })
        }
        .boxed_local()
    }
}

/// Returns the form with the content of the file, if there is one, as its text.
fn with_file(upload: Upload) -> (Form, Option<Error>) {
    let Upload { form, file, is_too_large } = upload;
    let source = if is_too_large || file.is_some() { "file" } else { "lines" };
    let text = match file.map(String::from_utf8) {
        Some(Ok(text)) => text,
        Some(Err(_)) => return (form, Some(Error::invalid("file", "The file is not text in UTF-8."))),
        // Browsers send the lines of a text area with CRLF.
        None => form.text("lines").replace("\r\n", "\n"),
    };
    if is_too_large || text.len() > MAX_BYTES {
        let message = "The import is larger than 1 MiB. Import it with `steward item import` on the command line.";
        return (form, Some(Error::invalid(source, message)));
    }
    let others = form.fields().filter(|(name, _)| *name != "lines");
    let mut fields: Vec<_> = others.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    fields.push(("lines".to_owned(), text));
    (Form::of_fields(fields), None)
}

/// Shows the form to import items.
pub(super) async fn show(signed: Signed) -> Result<HttpResponse, PageError> {
    let scope = signed.table(Operation::ItemBatch).await?;
    let form = FormState::new(&signed, &[("format", "csv")]);
    import_page(&signed, scope, form, Report::default()).await
}

/// Checks the lines, and imports them if all of them fit and the person did not only ask for the check.
pub(super) async fn take(import: ImportSubmission) -> Result<HttpResponse, PageError> {
    Work::set_lane(Lane::Heavy);
    let ImportSubmission { submission, error } = import;
    let scope = submission.signed.table(Operation::ItemBatch).await?;
    if let Some(error) = error {
        let form = submission.refused(error)?;
        return import_page(&submission.signed, scope, form, Report::default()).await;
    }
    let CheckedLines { items, refused, problems, .. } = check(&submission, &scope).await?;
    if refused > 0 || items.is_empty() {
        let message = match refused {
            0 => "There are no items to import. Choose a file, or paste its text.".to_owned(),
            1 if items.is_empty() => "Nothing was imported, because the line does not fit.".to_owned(),
            count => {
                let (all, verb) = (items.len().saturating_add(count), if count == 1 { "does" } else { "do" });
                format!("Nothing was imported, because {count} of {all} lines {verb} not fit.")
            }
        };
        let form = submission.refused(Error::invalid("lines", message))?;
        return import_page(&submission.signed, scope, form, Report { problems, refused, fitting: None }).await;
    }
    if submission.form.text("action") != "import" {
        let values: Vec<_> = submission.form.fields().collect();
        let form = FormState::new(&submission.signed, &values);
        let fitting = match items.len() {
            1 => "1 item fits".to_owned(),
            count => format!("{count} items fit"),
        };
        let report = Report { fitting: Some(fitting), ..Report::default() };
        return import_page(&submission.signed, scope, form, report).await;
    }
    let submitted = match submission.signed.begin(Operation::ItemBatch, items.len()) {
        Ok(()) => store(&submission, &scope, items).await?,
        Err(error) => Submitted::Refused(submission.refused(error)?),
    };
    match submitted {
        Submitted::Done(response) => Ok(response),
        Submitted::Refused(form) => import_page(&submission.signed, scope, form, Report::default()).await,
    }
}

async fn check(submission: &Submission, scope: &TableScope) -> Result<CheckedLines, Error> {
    let format = LineFormat::named(submission.form.text("format"));
    let text = submission.form.text("lines").to_owned();
    let (document, table) = (scope.document.clone(), scope.table.clone());
    let read = move || CheckedLines::of(&document, &table, format, &text, Items::MAX_IMPORTED);
    submission.signed.steward().compute.call(true, read).await
}

async fn store(
    submission: &Submission,
    scope: &TableScope,
    lines: Vec<(Option<ItemId>, Map<String, Value>)>,
) -> Result<Submitted, PageError> {
    let (steward, user, address) = (submission.signed.steward(), &scope.of.user, scope.at(""));
    let act = async |caller: &Caller| -> Result<Outcome, Error> {
        let count = lines.len();
        let items = lines.into_iter().map(|(id, value)| {
            let generate = || ItemId::parse(&steward.idempotency.ids.next().to_string());
            let id = id.map_or_else(generate, Ok).map_err(|error| Error::Internal(Cause::new(error)))?;
            Ok((id, value))
        });
        let items = items.collect::<Result<Vec<_>, Error>>()?;
        let stored = steward.items.import(caller, user.project_id, user.id, scope.table.clone(), items).await;
        stored.map_err(|error| match error {
            // The schema was published after the lines were checked.
            Error::InBatch { error, index } => {
                let number = index.saturating_add(1);
                Error::invalid(
                    "lines",
                    format_args!("Item {number} does not fit any more. {error} Nothing was imported."),
                )
            }
            other => other,
        })?;
        let message =
            if count == 1 { "1 item was imported.".to_owned() } else { format!("{count} items were imported.") };
        Ok(Outcome::next(address, message))
    };
    submission.once(submission.access(Operation::ItemBatch), act).await
}

async fn import_page(
    signed: &Signed,
    scope: TableScope,
    form: FormState,
    report: Report,
) -> Result<HttpResponse, PageError> {
    let columns = std::iter::once("id").chain(scope.fields.iter().map(|field| field.name.as_str()));
    let view = ImportForm {
        shell: scope.shell(signed, "Import").await?,
        columns: columns.collect::<Vec<_>>().join(","),
        limit: Items::MAX_IMPORTED,
        scope,
        form,
        report,
    };
    view.form.page(signed, &view)
}

/// The result of the check.
#[derive(Default)]
struct Report {
    /// Says how many items fit, if all of them do.
    fitting: Option<String>,
    refused: usize,
    problems: Vec<Problem>,
}

#[derive(Template)]
#[template(path = "console/item_import.html")]
struct ImportForm {
    shell: Shell,
    scope: TableScope,
    form: FormState,
    report: Report,
    /// The header of a CSV file with all columns.
    columns: String,
    limit: usize,
}
