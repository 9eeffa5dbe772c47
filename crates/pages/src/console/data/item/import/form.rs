//! Importing items into a table, from a file or from pasted text. Of a small import, all lines are checked first; then
//! either all of them are stored, in one transaction, or none. A large one runs in the background.

use actix_web::HttpRequest;
use actix_web::web::Payload;
use askama::Template;
use serde_json::{Map, Value};
use steward_domain::data::{ImportUpload, ItemId, ItemImport, Items};
use steward_domain::kernel::error::{Cause, Error};
use steward_domain::kernel::policy::{Lane, Operation};
use steward_domain::kernel::work::Work;

use crate::console::data::user::scope::TableScope;
use crate::console::frame::{FormState, Outcome, Shell, Signed, Submission, Submitted, Timestamp};
use crate::error::{PageError, PageResult};
use crate::request::form::Form;

use super::lines::{CheckedLines, Problem, skipped};
use super::progress::{address_of, command, recent, status};
use super::upload::{Received, format_of, receive};

/// The delimiters that a person can choose.
const DELIMITERS: [(&str, &str); 4] =
    [("", "Recognize it"), (",", "Comma"), (";", "Semicolon, as in many European languages"), ("tab", "Tab")];
/// The encodings that a person can choose: those in which common spreadsheet programs save CSV.
const ENCODINGS: [(&str, &str); 7] = [
    ("", "UTF-8 or UTF-16"),
    ("windows-1252", "Windows-1252: Western Europe, Americas"),
    ("windows-1250", "Windows-1250: Central Europe"),
    ("windows-1251", "Windows-1251: Cyrillic"),
    ("macintosh", "Macintosh: Western Europe, Americas"),
    ("shift_jis", "Shift_JIS: Japanese"),
    ("gbk", "GBK: Chinese"),
];

/// Shows the form to import items.
pub(crate) async fn show(signed: Signed) -> PageResult {
    let scope = signed.table(Operation::ItemBatch).await?;
    let form = FormState::new(&signed, &[("format", "csv")]);
    import_page(&signed, scope, form, Report::default()).await
}

/// Receives lines, and imports them or begins to, unless the person only asked to check them.
pub(crate) async fn submit(signed: Signed, request: HttpRequest, payload: Payload) -> PageResult {
    Work::set_lane(Lane::Heavy);
    let scope = signed.table(Operation::ItemBatch).await?;
    let (form, received) = receive(&signed, &scope, &request, payload.into_inner()).await?;
    match received {
        Ok(Received::Text(text)) => import_text(Submission::new(signed, with_lines(&form, text)), scope).await,
        Ok(Received::Stored(upload)) => import_in_background(Submission::new(signed, form), scope, *upload).await,
        Err(error) => {
            let submission = Submission::new(signed, form);
            let form = submission.refused(error)?;
            import_page(&submission.signed, scope, form, Report::default()).await
        }
    }
}

/// Returns the form with the lines as its text.
fn with_lines(form: &Form, lines: String) -> Form {
    let others = form.fields().filter(|(name, _)| *name != "lines");
    let mut fields: Vec<_> = others.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    fields.push(("lines".to_owned(), lines));
    Form::of_fields(fields)
}

/// Imports lines together, if all of them fit.
async fn import_text(submission: Submission, scope: TableScope) -> PageResult {
    let CheckedLines { items, refused, problems, empty_rows, .. } = check(&submission, &scope).await?;
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
            1 => "1 item fits.".to_owned(),
            count => format!("{count} items fit."),
        };
        let report = Report { fitting: Some(fitting + &skipped(empty_rows)), ..Report::default() };
        return import_page(&submission.signed, scope, form, report).await;
    }
    let submitted = match submission.signed.begin(Operation::ItemBatch, items.len()) {
        Ok(()) => store(&submission, &scope, items, empty_rows).await?,
        Err(error) => Submitted::Refused(submission.refused(error)?),
    };
    submitted.or_show(|form| import_page(&submission.signed, scope, form, Report::default())).await
}

async fn check(submission: &Submission, scope: &TableScope) -> Result<CheckedLines, Error> {
    let format = format_of(&submission.form);
    let text = submission.form.text("lines").to_owned();
    let (document, table) = (scope.document.clone(), scope.table.clone());
    let read = move || CheckedLines::of(&document, &table, format, &text);
    submission.signed.steward().compute.call(true, read).await
}

async fn store(
    submission: &Submission,
    scope: &TableScope,
    lines: Vec<(Option<ItemId>, Map<String, Value>)>,
    empty_rows: u64,
) -> Result<Submitted, PageError> {
    let (steward, user, address) = (submission.signed.steward(), &scope.of.user, scope.at(""));
    let submitted = submission.run_once(Operation::ItemBatch, async |caller| {
        let count = lines.len();
        let items = lines.into_iter().map(|(id, value)| {
            let generate = || ItemId::parse(&steward.ids.next().to_string());
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
        Ok(Outcome::next(address, message + &skipped(empty_rows)))
    });
    submitted.await
}

/// Begins to import lines that were stored, and shows the progress.
async fn import_in_background(submission: Submission, scope: TableScope, upload: ImportUpload) -> PageResult {
    let imports = &submission.signed.steward().item_imports;
    let is_check = submission.form.text("action") != "import";
    let (id, address) = (upload.id(), address_of(&scope, upload.id()));
    let mut is_running = false;
    let submitted = submission.run_once(Operation::ItemBatch, async |_| {
        imports.finish(&upload, is_check).await?;
        is_running = true;
        Ok(Outcome::next(address, ""))
    });
    let submitted = submitted.await;
    // The form was submitted before, or refused.
    if !is_running {
        imports.abandon(id, scope.of.user.project_id).await?;
    }
    submitted?.or_show(|form| import_page(&submission.signed, scope, form, Report::default())).await
}

async fn import_page(signed: &Signed, scope: TableScope, form: FormState, report: Report) -> PageResult {
    let columns = std::iter::once("id").chain(scope.fields.iter().map(|field| field.name.as_str()));
    let view = ImportForm {
        shell: scope.shell(signed, "Import").await?,
        columns: columns.collect::<Vec<_>>().join(","),
        limit: Items::MAX_IMPORTED,
        delimiters: DELIMITERS.to_vec(),
        encodings: ENCODINGS.to_vec(),
        command: command(signed, &scope),
        recent: recent(signed, &scope).await?,
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
#[template(path = "console/data/item/import/form.html")]
struct ImportForm {
    shell: Shell,
    scope: TableScope,
    form: FormState,
    report: Report,
    /// The header of a CSV file with all columns.
    columns: String,
    /// Number of items that are imported together.
    limit: usize,
    /// The delimiters and encodings to select from, with their labels.
    delimiters: Vec<(&'static str, &'static str)>,
    encodings: Vec<(&'static str, &'static str)>,
    command: String,
    recent: Vec<ItemImport>,
}

#[cfg(test)]
mod tests {
    use steward_domain::data::tabular::{Delimiter, TextEncoding};

    use super::*;

    #[test]
    fn every_choice_but_the_first_is_understood() {
        assert_eq!((DELIMITERS[0].0, ENCODINGS[0].0), ("", ""));
        assert!(DELIMITERS.iter().skip(1).all(|(value, _)| Delimiter::parse(value).is_some()));
        assert!(ENCODINGS.iter().skip(1).all(|(value, _)| TextEncoding::parse(value).is_some()));
        assert!(Delimiter::parse("").is_none() && TextEncoding::parse("").is_none());
    }
}
