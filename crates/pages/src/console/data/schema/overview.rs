//! The schema of a project: its tables, its history and its downloads.

use askama::Template;
use steward_domain::data::SchemaSelection;
use steward_domain::data::schema::{Document, SchemaVersion, SchemaWarning, TypeLanguage};
use steward_domain::kernel::PageRequest;
use steward_domain::kernel::error::{Error, ResourceKind};
use steward_domain::kernel::policy::Operation;

use crate::console::frame::download::headers;
use crate::console::frame::{ProjectScope, Shell, Signed, Timestamp};
use crate::error::PageResult;

use super::draft::Drafts;
use super::publish::{version, version_in_path};
use super::rows::Rows;

/// Versions on one page of the history. Their documents are read too.
const HISTORY_ROWS: u16 = 10;
/// How many fields a page shows. Of larger documents it shows only the tables.
const MAX_SHOWN_FIELDS: usize = 1_000;

/// Shows the newest version and the history.
pub(crate) async fn show(signed: Signed) -> PageResult {
    let scope = signed.project().await?;
    let (schemas, id) = (&signed.steward().schemas, scope.project.id);
    let newest = schemas.get(id, SchemaSelection::Newest).await?.items.into_iter().next();
    let page = PageRequest { limit: Some(HISTORY_ROWS), ..signed.page_request() };
    let found = schemas.get(id, SchemaSelection::All(page)).await?;
    signed.page(&Schema {
        shell: scope.shell(&signed, "Schema").await?,
        drafts: Drafts::of(&signed, &scope).await?,
        history: found.items,
        next: signed.next_page(found.next.as_ref(), &[]),
        shows_history: !signed.query("after").is_empty(),
        version: newest.as_ref().map(ShownVersion::of),
        scope,
    })
}

/// Shows an earlier version.
pub(crate) async fn show_version(signed: Signed) -> PageResult {
    let scope = signed.project().await?;
    let found = version_in_path(&signed, &scope).await?;
    let title = format!("Version {}", found.number);
    let newest = signed.steward().schemas.count(scope.project.id).await?;
    signed.page(&Version {
        shell: scope.shell(&signed, "Schema").await?.below(scope.at("/schema"), title),
        is_newest: found.number == newest,
        newest,
        version: ShownVersion::of(&found),
        scope,
    })
}

/// Returns a version as a file: the document, or types of its items.
pub(crate) async fn download(signed: Signed) -> PageResult {
    let scope = signed.project().await?;
    let found = version(&signed, &scope, &signed.query("version")).await?;
    let name = signed.query("as");
    let format = FORMATS.iter().find(|(one, _)| *one == name).ok_or(Error::NotFound(ResourceKind::Schema))?;
    let (extension, media_type) = match format.1 {
        Some(language) => (language.as_str(), "text/plain; charset=utf-8"),
        None => ("json", "application/json"),
    };
    let name = format!("{}-schema-{}.{extension}", scope.project.slug.as_str(), found.number);
    let is_large = found.document.is_large();
    let write = move || match format.1 {
        Some(language) => Ok(found.document.types(language)),
        None => json(&found.document),
    };
    let text = signed.steward().compute.call(is_large, write).await??;
    Ok(headers(&name, media_type).body(text))
}

/// The formats in which a document is downloaded, and the languages of those that are types.
const FORMATS: [(&str, Option<TypeLanguage>); 4] = [
    ("json", None),
    ("typescript", Some(TypeLanguage::TypeScript)),
    ("python", Some(TypeLanguage::Python)),
    ("rust", Some(TypeLanguage::Rust)),
];

fn json(document: &Document) -> Result<String, Error> {
    let text = serde_json::to_string_pretty(document.members()).map_err(|error| Error::Internal(error.into()))?;
    Ok(format!("{text}\n"))
}

/// A version of which the tables are shown.
struct ShownVersion {
    number: u32,
    published_at: Timestamp,
    rows: Rows,
    /// Whether the document is too large to show its fields.
    is_large: bool,
    warnings: Vec<SchemaWarning>,
}

impl ShownVersion {
    fn of(version: &SchemaVersion) -> Self {
        let rows = Rows::of(version.document.members()).related();
        Self {
            number: version.number,
            published_at: Timestamp::from(version.published_at),
            is_large: rows.fields() > MAX_SHOWN_FIELDS,
            rows,
            warnings: version.document.warnings(),
        }
    }
}

#[derive(Template)]
#[template(path = "console/data/schema/overview.html")]
struct Schema {
    shell: Shell,
    scope: ProjectScope,
    drafts: Drafts,
    version: Option<ShownVersion>,
    history: Vec<SchemaVersion>,
    next: Option<String>,
    /// Whether a further page of the history was opened.
    shows_history: bool,
}

#[derive(Template)]
#[template(path = "console/data/schema/version.html")]
struct Version {
    shell: Shell,
    scope: ProjectScope,
    version: ShownVersion,
    is_newest: bool,
    newest: u32,
}
