//! Comparison of two published versions of a schema.

use actix_web::HttpRequest;
use askama::Template;
use steward_domain::data::schema::{ChangeList, compare};
use steward_domain::kernel::error::{Error, FieldViolations};

use crate::console::frame::{FormState, ProjectScope, Shell, Signed};
use crate::error::{PageError, PageResult};
use crate::request::form::Form;

use super::diff::ChangeLine;
use super::publish::version;
use super::rows::Rows;

/// Shows the changes from one version to another one: by default, those of the newest version.
pub(crate) async fn show(signed: Signed, request: HttpRequest) -> PageResult {
    let scope = signed.project().await?;
    let newest = signed.steward().schemas.count(scope.project.id).await?;
    let given = Form::of_query(&request);
    let (form, compared) = match selected(&given, newest) {
        Ok((from, to)) => {
            let (from, to) = (from.to_string(), to.to_string());
            let form = FormState::new(&signed, &[("from", from.as_str()), ("to", to.as_str())]);
            (form, if newest > 0 { Some(compared(&signed, &scope, &from, &to).await?) } else { None })
        }
        Err(error) => (FormState::refused(&signed, &given, error)?, None),
    };
    let view = Comparison {
        shell: scope.shell(&signed, "Schema").await?.below(scope.at("/schema"), "Compare versions"),
        is_truncated: compared.as_ref().is_some_and(|(list, _)| list.truncated),
        changes: compared.as_ref().map(|(list, _)| ChangeLine::listed(&list.changes)),
        added: compared.map(|(_, added)| added).unwrap_or_default(),
        newest,
        scope,
        form,
    };
    view.form.page(&signed, &view)
}

/// Parses the numbers of both versions.
fn selected(given: &Form, newest: u32) -> Result<(u32, u32), Error> {
    let number = |name: &str, default: u32| match given.given(name) {
        None => Ok(default),
        Some(text) => {
            let number = text.trim().parse().ok().filter(|number| (1..=newest).contains(number));
            number.ok_or_else(|| format!("must be a number from 1 to {newest}"))
        }
    };
    let mut violations = FieldViolations::default();
    let from = violations.check("from", number("from", newest.saturating_sub(1).max(1)));
    let to = violations.check("to", number("to", newest));
    violations.finish(from.zip(to))
}

/// Returns the changes, and the tables that they add.
async fn compared(
    signed: &Signed,
    scope: &ProjectScope,
    from: &str,
    to: &str,
) -> Result<(ChangeList, Rows), PageError> {
    let (from, to) = (version(signed, scope, from).await?.document, version(signed, scope, to).await?.document);
    let is_large = from.is_large() || to.is_large();
    let compare = move || {
        let list = compare(&from, &to);
        let added = Rows::added(list.changes.iter(), to.members());
        (list, added)
    };
    Ok(signed.steward().compute.call(is_large, compare).await?)
}

#[derive(Template)]
#[template(path = "console/data/schema/compare.html")]
struct Comparison {
    shell: Shell,
    scope: ProjectScope,
    form: FormState,
    /// The number of versions.
    newest: u32,
    /// `None` if the versions to compare are not valid.
    changes: Option<Vec<ChangeLine>>,
    is_truncated: bool,
    added: Rows,
}
