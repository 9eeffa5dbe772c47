//! Schemas: publishing and reading versions, and checking whether a document could be published.

mod drafts;
mod publishing;

use std::sync::Arc;

use serde_json::Value;

use crate::data::DataCore;
use crate::data::schema::{
    ChangeList, Document, Origin, SchemaVersion, SchemaViolation, SchemaWarning, UpdateCheck, check_origin,
    check_update, compare,
};
use crate::kernel::error::{Error, ResourceKind};
use crate::kernel::text::json::is_large;
use crate::kernel::violations::Violations;
use crate::kernel::{Page, PageRequest, ProjectId, use_cases};

pub use drafts::SaveDraft;
pub use publishing::{Publication, PublishOptions};

/// Selects versions of a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SchemaSelection {
    /// The newest version.
    Newest,
    /// The version with this number.
    Number(u32),
    /// A page of all versions, newest first.
    All(PageRequest),
}

/// Whether a document could be published as the next version.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckResult {
    /// Violations; empty if the document could be published.
    pub errors: Violations<Value>,
    /// Changes relative to the newest version.
    pub changes: ChangeList,
    /// The first reason against publication; `None` if there is none.
    pub message: Option<&'static str>,
    /// Members of a valid document that have no effect.
    pub warnings: Vec<SchemaWarning>,
}

use_cases! {
    /// Use cases of schemas.
    pub struct Schemas { core: DataCore }
}

impl Schemas {
    /// Returns published versions of a project's schema. Needs no permission (docs/contract.md#schemas). Empty if no
    /// such version is published.
    pub async fn get(&self, project: ProjectId, which: SchemaSelection) -> Result<Page<SchemaVersion>, Error> {
        let one = |version: Option<SchemaVersion>| Page { items: version.into_iter().collect(), next: None };
        // Data that remains from a deleted project must not be readable.
        self.core.ports.projects.project(project).await?.ok_or(Error::NotFound(ResourceKind::Project))?;
        Ok(match which {
            SchemaSelection::Newest => one(self.core.ports.schemas.newest_schema(project).await?),
            SchemaSelection::Number(number) => one(self.core.ports.schemas.schema(project, number).await?),
            SchemaSelection::All(page) => self.core.ports.schemas.schemas(project, &page).await?,
        })
    }

    /// Number of published versions. They are numbered without gaps.
    pub async fn count(&self, project: ProjectId) -> Result<u32, Error> {
        let found = self.core.ports.projects.project(project).await?.ok_or(Error::NotFound(ResourceKind::Project))?;
        Ok(found.schema_number)
    }

    /// Compares a document with the newest version of its project.
    pub async fn compare(&self, document: Value) -> Result<ChangeList, Error> {
        let document = self.parsed(document).await?.map_err(Error::invalid_schema)?;
        let newest = self.published_for(&document).await?;
        let is_large = newest.is_large() || document.is_large();
        self.core.system.compute.call(is_large, move || compare(&newest, &document)).await
    }

    /// Checks whether the document could be published as the next version (docs/schema.md#updates).
    pub async fn verify(&self, document: Value) -> Result<CheckResult, Error> {
        let refused = |violations: Violations<SchemaViolation>, warnings| CheckResult {
            errors: violations.map(|error| error.to_value()),
            changes: ChangeList::default(),
            message: Some("schemas are invalid"),
            warnings,
        };
        let document = match self.parsed(document).await? {
            Ok(document) => Arc::new(document),
            Err(violations) => return Ok(refused(violations, Vec::new())),
        };
        let newest = self.published_for(&document).await?;
        let warnings = self.warnings(document.clone()).await?;
        let violations = self.origin_errors(&document).await?;
        if !violations.is_empty() {
            return Ok(refused(violations, warnings));
        }
        let UpdateCheck { changes, errors, message } = self.update(newest, document).await?;
        Ok(CheckResult { errors, changes, message, warnings })
    }

    /// Parses and validates a document by itself.
    async fn parsed(&self, document: Value) -> Result<Result<Document, Violations<SchemaViolation>>, Error> {
        self.core.system.compute.call(is_large([&document]), move || Document::parse(&document)).await
    }

    /// Returns the members of the document that have no effect.
    async fn warnings(&self, document: Arc<Document>) -> Result<Vec<SchemaWarning>, Error> {
        self.core.system.compute.call(document.is_large(), move || document.warnings()).await
    }

    /// Checks whether a document may follow another.
    async fn update(&self, newest: Arc<Document>, document: Arc<Document>) -> Result<UpdateCheck, Error> {
        let is_large = newest.is_large() || document.is_large();
        self.core.system.compute.call(is_large, move || check_update(&newest, &document)).await
    }

    async fn origin_errors(&self, document: &Document) -> Result<Violations<SchemaViolation>, Error> {
        let mut violations = Violations::default();
        for origin in document.origins() {
            let published = self.origin_document(&origin).await?;
            violations.append(check_origin(document, &origin, published.as_deref()));
        }
        Ok(violations)
    }

    /// Returns the published document that a table declares as its origin.
    async fn origin_document(&self, origin: &Origin) -> Result<Option<Arc<Document>>, Error> {
        let Some(project) = self.core.address.project_named(&origin.project_id) else { return Ok(None) };
        let number = match origin.version {
            Some(number) => u32::try_from(number).ok(),
            None => self.core.ports.projects.project(project).await?.map(|found| found.schema_number),
        };
        let Some(number) = number else { return Ok(None) };
        self.core.catalog.document(project, number).await
    }

    /// Returns the newest document of the given document's project; an empty one if nothing is published.
    async fn published_for(&self, document: &Document) -> Result<Arc<Document>, Error> {
        let missing = Error::NotFound(ResourceKind::Project);
        let project = self.core.address.project_named(document.project_id()).ok_or(missing)?;
        let found = self.core.ports.projects.project(project).await?.ok_or(Error::NotFound(ResourceKind::Project))?;
        self.newest(project, found.schema_number, document.project_id()).await
    }

    /// Returns the newest version's document. If nothing is published, returns an empty one with `declared_id` as its
    /// project.
    async fn newest(&self, project: ProjectId, number: u32, declared_id: &str) -> Result<Arc<Document>, Error> {
        let published = self.core.catalog.document(project, number).await?;
        Ok(published.unwrap_or_else(|| Arc::new(Document::unpublished(declared_id))))
    }
}
