//! Schemas: publishing versions, reading them, and asking beforehand whether one could be published.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::changes::Changes;
use crate::error::{Conflict, Error, Kind};
use crate::model::schema::{Change, Document, Fault, SchemaVersion, UpdateCheck, check_origin, check_update, compare};
use crate::model::{Caller, Page, PageRequest, ProjectId, SchemaVersionId, ServiceAddress};
use crate::policy::Operation;
use crate::ports::{Clock, CommitError, IdGenerator, ProjectReader, SchemaReader, Unique, UnitOfWork};

use super::{Access, SchemaCatalog};

/// Which versions of a schema are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WhichSchema {
    /// The newest.
    Newest,
    /// The one with this number.
    Number(u32),
    /// All, newest first.
    All(PageRequest),
}

/// Whether a document could be published next.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// What stands against it; nothing: it could.
    pub errors: Vec<Value>,
    /// What would change.
    pub changes: Vec<Change>,
    /// The first reason in words.
    pub message: Option<&'static str>,
}

/// The use cases of schemas.
pub struct Schemas {
    access: Access,
    catalog: SchemaCatalog,
    schemas: Arc<dyn SchemaReader>,
    projects: Arc<dyn ProjectReader>,
    store: Arc<dyn UnitOfWork>,
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
        store: Arc<dyn UnitOfWork>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdGenerator>,
        address: ServiceAddress,
    ) -> Self {
        Self { access, catalog, schemas, projects, store, clock, ids, address }
    }

    /// Published versions of a project's schema, for everybody (contract 6). None: nothing like it is published.
    pub async fn get(&self, project: ProjectId, which: WhichSchema) -> Result<Page<SchemaVersion>, Error> {
        let one = |version: Option<SchemaVersion>| Page { items: version.into_iter().collect(), next: None };
        let found = match which {
            WhichSchema::Newest => one(self.schemas.newest_schema(project).await?),
            WhichSchema::Number(number) => one(self.schemas.schema(project, number).await?),
            WhichSchema::All(page) => self.schemas.schemas(project, &page).await?,
        };
        if found.items.is_empty() && self.projects.project(project).await?.is_none() {
            return Err(Error::NotFound(Kind::Project));
        }
        Ok(found)
    }

    /// How many versions are published: they are numbered without gap.
    pub async fn count(&self, project: ProjectId) -> Result<u32, Error> {
        let found = self.projects.project(project).await?.ok_or(Error::NotFound(Kind::Project))?;
        Ok(found.schema_number)
    }

    /// Publishes a document as the next version. An absent `project_id` or `version` is filled in (schema rules 1).
    pub async fn publish(&self, caller: &Caller, project: ProjectId, document: Value) -> Result<SchemaVersion, Error> {
        let access = self.access.project(caller, project).await?;
        let permit = access.permit(Operation::SchemaPublish)?;

        let current = access.project().schema_number;
        let document = self.checked(project, filled(document, project, current)).await?;
        if current > 0 && document.version() == u64::from(current) {
            return Err(Conflict::VersionTaken { current }.into());
        }
        let newest = self.newest(project, current, &document).await?;
        let update = check_update(&newest, &document);
        if let Some(message) = update.message {
            return Err(Error::InvalidSchema { message: message.into(), errors: update.errors });
        }

        let now = self.clock.now();
        let version = SchemaVersion {
            id: SchemaVersionId::from(self.ids.next()),
            project_id: project,
            number: current.saturating_add(1),
            document,
            published_at: now,
        };
        match self.store.commit(Changes::by(permit, now).insert(version.clone())).await {
            Ok(_) => Ok(version),
            Err(CommitError::Taken(Unique::SchemaNumber)) => {
                let newest = self.schemas.newest_schema(project).await?;
                let current = newest.map_or(version.number, |newest| newest.number);
                Err(Conflict::VersionTaken { current }.into())
            }
            Err(CommitError::Orphaned) => Err(Error::NotFound(Kind::Project)),
            Err(other) => Err(other.into()),
        }
    }

    /// What would change if the document were published over the newest version of its project.
    pub async fn compare(&self, document: &Value) -> Result<Vec<Change>, Error> {
        let document = Document::parse(document).map_err(|faults| Error::schema_faults(&faults))?;
        let newest = self.published_for(&document).await?;
        Ok(compare(&newest, &document))
    }

    /// Whether the document could be published next (schema rules 5).
    pub async fn verify(&self, document: &Value) -> Result<Verdict, Error> {
        let refused = |errors| Verdict { errors, changes: Vec::new(), message: Some("schemas are invalid") };
        let document = match Document::parse(document) {
            Ok(document) => document,
            Err(faults) => return Ok(refused(faults.iter().map(Fault::to_value).collect())),
        };
        let newest = self.published_for(&document).await?;
        let faults = self.origin_faults(&document).await?;
        if !faults.is_empty() {
            return Ok(refused(faults.iter().map(Fault::to_value).collect()));
        }
        let UpdateCheck { changes, errors, message } = check_update(&newest, &document);
        Ok(Verdict { errors, changes, message })
    }

    async fn checked(&self, project: ProjectId, document: Value) -> Result<Document, Error> {
        let mut faults = Vec::new();
        let parsed = Document::parse(&document).map_err(|found| faults.extend(found));
        let named = document.get("project_id").and_then(Value::as_str);
        if named.is_some_and(|named| !self.address.names_project(named, project)) {
            faults.push(Fault::wrong_project(&project.to_string()));
        }
        if let Ok(document) = &parsed {
            faults.extend(self.origin_faults(document).await?);
        }
        match parsed {
            Ok(document) if faults.is_empty() => Ok(document),
            _ => Err(Error::schema_faults(&faults)),
        }
    }

    async fn origin_faults(&self, document: &Document) -> Result<Vec<Fault>, Error> {
        let mut faults = Vec::new();
        for origin in document.origins() {
            let published = match self.address.project_named(&origin.project_id) {
                Some(project) => match origin.version.map(u32::try_from) {
                    None => self.schemas.newest_schema(project).await?,
                    Some(Ok(number)) => self.schemas.schema(project, number).await?,
                    Some(Err(_)) => None,
                },
                None => None,
            };
            let published = published.as_ref().map(|version| &version.document);
            faults.extend(check_origin(document, &origin, published));
        }
        Ok(faults)
    }

    /// The newest document of the project that the given one names; before the first, an empty one.
    async fn published_for(&self, document: &Document) -> Result<Document, Error> {
        let missing = Error::NotFound(Kind::Project);
        let project = self.address.project_named(document.project_id()).ok_or(missing)?;
        let found = self.projects.project(project).await?.ok_or(Error::NotFound(Kind::Project))?;
        self.newest(project, found.schema_number, document).await
    }

    async fn newest(&self, project: ProjectId, number: u32, next: &Document) -> Result<Document, Error> {
        let published = self.catalog.document(project, number).await?;
        Ok(match published {
            Some(document) => Document::clone(&document),
            None => Document::unpublished(next.project_id()),
        })
    }
}

fn filled(mut document: Value, project: ProjectId, current: u32) -> Value {
    if let Value::Object(members) = &mut document {
        members.entry("project_id").or_insert_with(|| json!(project.to_string()));
        members.entry("version").or_insert_with(|| json!(current.saturating_add(1)));
    }
    document
}
