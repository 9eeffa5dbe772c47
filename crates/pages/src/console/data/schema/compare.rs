//! Comparison of two published versions of a schema.

use std::collections::BTreeMap;

use actix_web::HttpRequest;
use askama::Template;
use steward_domain::data::schema::{ChangeList, Document, compare};
use steward_domain::kernel::error::{Error, FieldViolations};

use crate::console::frame::{FormState, ProjectScope, Shell, Signed};
use crate::error::{PageError, PageResult};
use crate::request::form::Form;

use super::diff::ChangeLine;
use super::publish::version;
use super::rows::Rows;

/// Maximum number of fields that the page shows side by side.
const MAX_PAIRS: usize = 1_000;

/// The fields of two versions by the names of their tables and their own, as each version declares them.
type Pairs = BTreeMap<(String, String), [Option<String>; 2]>;

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
        has_more_pairs: compared.as_ref().is_some_and(|(_, pairs)| pairs.len() > MAX_PAIRS),
        pairs: compared.map(|(_, pairs)| pairs).into_iter().flatten().take(MAX_PAIRS).collect(),
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

/// Returns the changes, and the fields side by side.
async fn compared(
    signed: &Signed,
    scope: &ProjectScope,
    from: &str,
    to: &str,
) -> Result<(ChangeList, Pairs), PageError> {
    let (from, to) = (version(signed, scope, from).await?.document, version(signed, scope, to).await?.document);
    let is_large = from.is_large() || to.is_large();
    Ok(signed.steward().compute.call(is_large, move || (compare(&from, &to), pairs(&from, &to))).await?)
}

fn pairs(from: &Document, to: &Document) -> Pairs {
    let mut pairs = Pairs::new();
    for (document, is_newer) in [(from, false), (to, true)] {
        for table in Rows::of(document.members()).tables() {
            for field in &table.fields {
                let [older, newer] = pairs.entry((table.name.clone(), field.name.clone())).or_default();
                *(if is_newer { newer } else { older }) = Some(field.summary());
            }
        }
    }
    pairs
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
    pairs: Pairs,
    has_more_pairs: bool,
}
