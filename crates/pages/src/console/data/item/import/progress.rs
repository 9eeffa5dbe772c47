//! Imports that run in the background: their progress, their report, and canceling them.

use askama::Template;
use steward_domain::data::tabular::CellText;
use steward_domain::data::{ImportState, ItemImport, LineProblem};
use steward_domain::kernel::ItemImportId;
use steward_domain::kernel::error::{Cause, Error, ResourceKind};
use steward_domain::kernel::policy::Operation;

use crate::console::data::user::scope::TableScope;
use crate::console::frame::download::headers;
use crate::console::frame::{FormState, Outcome, Shell, Signed, Submission, Timestamp};
use crate::error::{PageError, PageResult};

use super::lines::skipped;

/// Number of problems that the page lists. The report has all that are kept.
const MAX_LISTED: u64 = 100;

/// Returns the address of an import.
pub(crate) fn address_of(scope: &TableScope, id: ItemImportId) -> String {
    scope.at(&format!("/imports/{id}"))
}

/// Returns the recent imports into a table, newest first.
pub(crate) async fn recent(signed: &Signed, scope: &TableScope) -> Result<Vec<ItemImport>, Error> {
    let user = &scope.of.user;
    signed.steward().item_imports.list(&signed.caller, user.project_id, user.id, &scope.table).await
}

/// Cancels an import.
pub(crate) async fn cancel(submission: Submission) -> PageResult {
    let scope = submission.signed.table(Operation::ItemBatch).await?;
    let id = import_id(&submission.signed)?;
    let address = address_of(&scope, id);
    let submitted = submission.run_once(Operation::ItemBatch, async |caller| {
        let (imports, user) = (&submission.signed.steward().item_imports, &scope.of.user);
        let is_canceled = imports.cancel(caller, user.project_id, user.id, id).await?;
        Ok(Outcome::next(address, if is_canceled { "" } else { "The import has ended already." }))
    });
    submitted.await?.or_show(|form| progress_page(&submission.signed, form)).await
}

/// Returns the problems as a CSV file.
pub(crate) async fn report(signed: Signed) -> PageResult {
    let scope = signed.table(Operation::ItemBatch).await?;
    let (import, problems) = find(&signed, &scope, ItemImport::MAX_PROBLEMS).await?;
    let mut response = headers(&format!("import-{}.csv", import.id), "text/csv; charset=utf-8");
    Ok(if signed.is_head() { response.finish() } else { response.body(to_csv(&problems)?) })
}

fn to_csv(problems: &[LineProblem]) -> Result<Vec<u8>, Error> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    let mut written = csv.write_record(["line", "field", "problem"]);
    for LineProblem { line, field, message } in problems {
        // They contain texts of the file.
        let texts = [field.clone().unwrap_or_default(), message.clone()].map(|text| CellText::Safe.cell(text));
        written = written.and_then(|()| csv.write_record(std::iter::once(line.to_string()).chain(texts)));
    }
    written.map_err(|error| Error::Internal(Cause::new(error)))?;
    csv.into_inner().map_err(|error| Error::Internal(Cause::new(error.into_error())))
}

fn import_id(signed: &Signed) -> Result<ItemImportId, Error> {
    ItemImportId::parse(signed.parameter("import")).ok_or(Error::NotFound(ResourceKind::Item))
}

async fn find(
    signed: &Signed,
    scope: &TableScope,
    max_problems: u64,
) -> Result<(ItemImport, Vec<LineProblem>), PageError> {
    let (imports, user, id) = (&signed.steward().item_imports, &scope.of.user, import_id(signed)?);
    let found = imports.get(&signed.caller, user.project_id, user.id, id, max_problems).await?;
    let found = found.filter(|(import, _)| import.table == scope.table);
    Ok(found.ok_or(Error::NotFound(ResourceKind::Item))?)
}

/// Shows the progress of an import. While it runs, the browser asks again.
pub(crate) async fn progress_page(signed: &Signed, form: FormState) -> PageResult {
    let scope = signed.table(Operation::ItemBatch).await?;
    let (import, problems) = find(signed, &scope, MAX_LISTED).await?;
    let address = address_of(&scope, import.id);
    let view = ImportProgress {
        shell: scope.shell(signed, "Import").await?,
        title: if import.is_check { "Check of a file for" } else { "Import into" },
        status: status(&import),
        is_active: import.state.is_active(),
        has_report: import.problems > 0,
        report: format!("{address}/report"),
        command: command(signed, &scope),
        address,
        scope,
        import,
        problems,
        form,
    };
    view.form.page(signed, &view)
}

/// Says how far an import is, and how it ended.
pub(crate) fn status(import: &ItemImport) -> String {
    let ItemImport { stored, refused, lines, .. } = import;
    let read = stored.saturating_add(*refused);
    let (done, result) = if import.is_check { ("checked", "fit") } else { ("imported", "were imported") };
    let items = match (*stored, import.is_check) {
        (1, true) => "1 item fits".to_owned(),
        (1, false) => "1 item was imported".to_owned(),
        (count, _) => format!("{count} items {result}"),
    };
    let misfits = match *refused {
        0 => String::new(),
        1 => " 1 line does not fit.".to_owned(),
        count => format!(" {count} lines do not fit."),
    };
    match import.state {
        ImportState::Uploading => format!("The file is being received: {lines} lines so far."),
        ImportState::Running if read == 0 => format!("Waiting: {lines} lines are to be {done}."),
        ImportState::Running => format!("Running: {read} of {lines} lines.{misfits}"),
        ImportState::Done => format!("Done: {items}.{misfits}{}", skipped(import.empty_rows())),
        ImportState::Canceled => format!("Canceled: {items} before that.{misfits}"),
        ImportState::Failed => format!("Stopped: {items}.{misfits} {}", import.message),
    }
}

#[derive(Template)]
#[template(path = "console/data/item/import/progress.html")]
struct ImportProgress {
    shell: Shell,
    scope: TableScope,
    form: FormState,
    title: &'static str,
    address: String,
    import: ItemImport,
    status: String,
    /// Whether the import has not ended.
    is_active: bool,
    problems: Vec<LineProblem>,
    has_report: bool,
    report: String,
    command: String,
}

/// Returns the command that imports a file on the command line.
pub(crate) fn command(signed: &Signed, scope: &TableScope) -> String {
    let (server, project) = (signed.steward().address.at(""), &scope.of.project.project.slug);
    let (user, table) = (scope.of.user.id, &scope.table);
    format!("steward item import FILE --server {server} --project {project} --user {user} --table {table}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_is_safe_for_spreadsheets() {
        let problem = |field: Option<&str>, message: &str| LineProblem {
            line: 3,
            field: field.map(str::to_owned),
            message: message.to_owned(),
        };
        let csv = to_csv(&[problem(Some("=1+1"), "Field \"=1+1\", is not known."), problem(None, "Wrong.")]).unwrap();
        let expected = "line,field,problem\n3,'=1+1,\"Field \"\"=1+1\"\", is not known.\"\n3,,Wrong.\n";
        assert_eq!(String::from_utf8(csv).unwrap(), expected);
    }
}
