//! Schemas: publishing versions, reading them, and asking beforehand whether one could be published.

mod publishing;

use std::sync::Arc;

use serde_json::Value;

use crate::error::{Error, ResourceKind, Violations};
use crate::model::json::is_large;
use crate::model::schema::{
    ChangeList, Document, Origin, SchemaVersion, SchemaViolation, UpdateCheck, check_origin, check_update, compare,
};
use crate::model::{Page, PageRequest, ProjectId, ServiceAddress};
use crate::ports::{Clock, Compute, IdGenerator, ItemReader, ProjectReader, SchemaReader, UnitOfWork};

use super::{Access, SchemaCatalog};

pub use publishing::{Publication, PublishOptions};

/// Which versions of a schema are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SchemaSelection {
    /// The newest.
    Newest,
    /// The one with this number.
    Number(u32),
    /// All, newest first.
    All(PageRequest),
}

/// Whether a document could be published next.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckResult {
    /// What stands against it; nothing: it could.
    pub errors: Violations<Value>,
    /// What would change.
    pub changes: ChangeList,
    /// The first reason in words.
    pub message: Option<&'static str>,
}

/// The use cases of schemas.
pub struct Schemas {
    access: Access,
    catalog: SchemaCatalog,
    schemas: Arc<dyn SchemaReader>,
    projects: Arc<dyn ProjectReader>,
    items: Arc<dyn ItemReader>,
    store: Arc<dyn UnitOfWork>,
    compute: Arc<dyn Compute>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdGenerator>,
    address: ServiceAddress,
}

impl Schemas {
    /// Over these ports.
    #[expect(clippy::too_many_arguments, reason = "each is a port of its own, given once at the wiring")]
    pub fn new(
        access: Access,
        catalog: SchemaCatalog,
        schemas: Arc<dyn SchemaReader>,
        projects: Arc<dyn ProjectReader>,
        items: Arc<dyn ItemReader>,
        store: Arc<dyn UnitOfWork>,
        compute: Arc<dyn Compute>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdGenerator>,
        address: ServiceAddress,
    ) -> Self {
        Self { access, catalog, schemas, projects, items, store, compute, clock, ids, address }
    }

    /// Published versions of a project's schema, for everybody (contract 6). None: nothing like it is published.
    pub async fn get(&self, project: ProjectId, which: SchemaSelection) -> Result<Page<SchemaVersion>, Error> {
        let one = |version: Option<SchemaVersion>| Page { items: version.into_iter().collect(), next: None };
        // What is left of a deleted project is nobody's to read.
        self.projects.project(project).await?.ok_or(Error::NotFound(ResourceKind::Project))?;
        Ok(match which {
            SchemaSelection::Newest => one(self.schemas.newest_schema(project).await?),
            SchemaSelection::Number(number) => one(self.schemas.schema(project, number).await?),
            SchemaSelection::All(page) => self.schemas.schemas(project, &page).await?,
        })
    }

    /// How many versions are published: they are numbered without gap.
    pub async fn count(&self, project: ProjectId) -> Result<u32, Error> {
        let found = self.projects.project(project).await?.ok_or(Error::NotFound(ResourceKind::Project))?;
        Ok(found.schema_number)
    }

    /// What would change if the document were published over the newest version of its project.
    pub async fn compare(&self, document: Value) -> Result<ChangeList, Error> {
        let document = self.parsed(document).await?.map_err(Error::schema_faults)?;
        let newest = self.published_for(&document).await?;
        self.compute.call(newest.is_large() || document.is_large(), move || compare(&newest, &document)).await
    }

    /// Whether the document could be published next (schema rules 5).
    pub async fn verify(&self, document: Value) -> Result<CheckResult, Error> {
        let refused = |violations: Violations<SchemaViolation>| CheckResult {
            errors: violations.map(|error| error.to_value()),
            changes: ChangeList::default(),
            message: Some("schemas are invalid"),
        };
        let document = match self.parsed(document).await? {
            Ok(document) => Arc::new(document),
            Err(violations) => return Ok(refused(violations)),
        };
        let newest = self.published_for(&document).await?;
        let violations = self.origin_errors(&document).await?;
        if !violations.is_empty() {
            return Ok(refused(violations));
        }
        let UpdateCheck { changes, errors, message } = self.update(newest, document).await?;
        Ok(CheckResult { errors, changes, message })
    }

    /// Checks a document by itself.
    async fn parsed(&self, document: Value) -> Result<Result<Document, Violations<SchemaViolation>>, Error> {
        self.compute.call(is_large([&document]), move || Document::parse(&document)).await
    }

    /// Whether a document may follow another.
    async fn update(&self, newest: Arc<Document>, document: Arc<Document>) -> Result<UpdateCheck, Error> {
        let is_large = newest.is_large() || document.is_large();
        self.compute.call(is_large, move || check_update(&newest, &document)).await
    }

    async fn origin_errors(&self, document: &Document) -> Result<Violations<SchemaViolation>, Error> {
        let mut violations = Violations::default();
        for origin in document.origins() {
            let published = self.origin_document(&origin).await?;
            violations.append(check_origin(document, &origin, published.as_deref()));
        }
        Ok(violations)
    }

    /// The published document that a table says it is from.
    async fn origin_document(&self, origin: &Origin) -> Result<Option<Arc<Document>>, Error> {
        let Some(project) = self.address.project_named(&origin.project_id) else { return Ok(None) };
        let number = match origin.version {
            Some(number) => u32::try_from(number).ok(),
            None => self.projects.project(project).await?.map(|found| found.schema_number),
        };
        match number {
            Some(number) => self.catalog.document(project, number).await,
            None => Ok(None),
        }
    }

    /// The newest document of the project that the given one names; before the first, an empty one.
    async fn published_for(&self, document: &Document) -> Result<Arc<Document>, Error> {
        let missing = Error::NotFound(ResourceKind::Project);
        let project = self.address.project_named(document.project_id()).ok_or(missing)?;
        let found = self.projects.project(project).await?.ok_or(Error::NotFound(ResourceKind::Project))?;
        self.newest(project, found.schema_number, document.project_id()).await
    }

    /// The document of the newest version; before the first, an empty one of the project as it is `named`.
    async fn newest(&self, project: ProjectId, number: u32, named: &str) -> Result<Arc<Document>, Error> {
        let published = self.catalog.document(project, number).await?;
        Ok(published.unwrap_or_else(|| Arc::new(Document::unpublished(named))))
    }
}
