//! Publishing the next version of a schema: whole, as changes, or one of the past again (contract 6, schema rules 5, 6).

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::changes::Changes;
use crate::error::{Conflict, Error, ResourceKind, Violations};
use crate::model::schema::{
    ChangeClass, Document, SchemaDiff, SchemaVersion, SchemaViolation, UncountedChanges, filled,
};
use crate::model::{Caller, ProjectId, SchemaVersionId};
use crate::policy::{Operation, Permission, Permit};
use crate::ports::{CommitError, Unique};
use crate::usecases::{ProjectAccess, RetryError, retry_stale};

use super::Schemas;

/// How many of the items that would no longer fit are named for each change.
const SAMPLES: usize = 5;

/// What a publication may do.
#[derive(Debug, Clone, Copy, Default)]
pub struct PublishOptions {
    /// Nothing is stored: the caller learns what would be.
    pub dry_run: bool,
    /// Stored items may be left that no longer fit.
    pub allow_destructive: bool,
}

/// A version that was published, or would be.
#[derive(Debug, Clone, PartialEq)]
pub struct Publication {
    /// The version. The id and moment of one that only would be published are not kept.
    pub version: SchemaVersion,
    /// What it would do; only of one that would be published.
    pub diff: Option<SchemaDiff>,
}

/// What to do when somebody else publishes the same next version first.
#[derive(Debug, Clone, Copy)]
enum OnConflict {
    /// Refuse: the document was not made with theirs in mind.
    Refuse,
    /// Draft the next one from theirs.
    DraftAnew,
}

/// Where is published, by whose leave, and how.
struct ProposedVersion {
    project: ProjectId,
    permit: Permit,
    terms: PublishOptions,
    /// How many items are named for a change: none to those who may not read them.
    samples: usize,
}

impl ProposedVersion {
    async fn of(access: &ProjectAccess<'_>, operation: Operation, terms: PublishOptions) -> Result<Self, Error> {
        let permit = access.permit(operation).await?;
        let samples = if access.holds(Permission::DbRead) { SAMPLES } else { 0 };
        Ok(Self { project: access.id(), permit, terms, samples })
    }
}

impl Schemas {
    /// Publishes a document as the next version. An absent `project_id` or `version` is filled in (schema rules 1).
    pub async fn publish(
        &self,
        caller: &Caller,
        project: ProjectId,
        document: Value,
        terms: PublishOptions,
    ) -> Result<Publication, Error> {
        let access = self.access.project(caller, project).await?;
        let proposal = ProposedVersion::of(&access, Operation::SchemaPublish, terms).await?;

        let draft = |_: &Document, next| filled(document.clone(), project, next);
        self.publish_next(&proposal, OnConflict::Refuse, draft).await
    }

    /// Publishes the newest document with changes merged into it (RFC 7396). When somebody else publishes meanwhile, the
    /// changes are merged into that, unless they name their version.
    pub async fn patch(
        &self,
        caller: &Caller,
        project: ProjectId,
        changes: &Map<String, Value>,
        terms: PublishOptions,
    ) -> Result<Publication, Error> {
        let access = self.access.project(caller, project).await?;
        let proposal = ProposedVersion::of(&access, Operation::SchemaPatch, terms).await?;

        let names_version = changes.get("version").is_some_and(|version| !version.is_null());
        let on_race = if names_version { OnConflict::Refuse } else { OnConflict::DraftAnew };
        self.publish_next(&proposal, on_race, |newest, next| newest.merged(changes, next)).await
    }

    /// Publishes the document of an earlier version again, as the next one.
    pub async fn roll_back(
        &self,
        caller: &Caller,
        project: ProjectId,
        number: u32,
        terms: PublishOptions,
    ) -> Result<Publication, Error> {
        let access = self.access.project(caller, project).await?;
        let proposal = ProposedVersion::of(&access, Operation::SchemaRollback, terms).await?;

        let earlier = self.catalog.document(project, number).await?.ok_or(Error::NotFound(ResourceKind::Schema))?;
        self.publish_next(&proposal, OnConflict::Refuse, |_, next| earlier.renumbered(next)).await
    }

    /// Publishes what is drafted from the newest document and the next number.
    async fn publish_next(
        &self,
        proposal: &ProposedVersion,
        on_race: OnConflict,
        draft: impl Fn(&Document, u32) -> Value,
    ) -> Result<Publication, Error> {
        let published = match on_race {
            OnConflict::DraftAnew => retry_stale(async || self.publish_once(proposal, &draft).await).await,
            OnConflict::Refuse => self.publish_once(proposal, &draft).await.map_err(|attempt| match attempt {
                RetryError::Stale(kind) => Conflict::Contended(kind).into(),
                RetryError::Failed(error) => error,
            }),
        };
        match published {
            Err(Error::Conflict(Conflict::Contended(ResourceKind::Schema))) => {
                Err(Conflict::VersionTaken { current: self.count(proposal.project).await? }.into())
            }
            published => published,
        }
    }

    async fn publish_once(
        &self,
        proposal: &ProposedVersion,
        draft: impl Fn(&Document, u32) -> Value,
    ) -> Result<Publication, RetryError> {
        let current = self.count(proposal.project).await?;
        let next = current.saturating_add(1);
        let base = self.newest(proposal.project, current, &proposal.project.to_string()).await?;
        let document = Arc::new(self.checked(proposal.project, draft(&base, next)).await?);
        let newest = self.followed(proposal.project, current, &document).await?;
        let diff = self.judged(proposal, newest, document.clone()).await?;
        let document = Arc::unwrap_or_clone(document);

        let now = self.clock.now();
        let id = SchemaVersionId::from(self.ids.next());
        let version = SchemaVersion { id, project_id: proposal.project, number: next, document, published_at: now };
        if proposal.terms.dry_run {
            return Ok(Publication { version, diff });
        }
        let changes = Changes::by(proposal.permit.clone(), now).insert(version.clone());
        match self.store.commit(changes).await {
            Ok(_) => Ok(Publication { version, diff: None }),
            Err(CommitError::Taken(Unique::SchemaNumber)) => Err(RetryError::Stale(ResourceKind::Schema)),
            Err(CommitError::Orphaned) => Err(Error::NotFound(ResourceKind::Project).into()),
            Err(other) => Err(Error::from(other).into()),
        }
    }

    /// The document, if it has no error by itself, is for this project, and its tables of other projects are there.
    async fn checked(&self, project: ProjectId, document: Value) -> Result<Document, Error> {
        let named = document.get("project_id").and_then(Value::as_str);
        let is_foreign = named.is_some_and(|named| !self.address.names_project(named, project));
        let (parsed, mut violations) = match self.parsed(document).await? {
            Ok(document) => (Some(document), Violations::default()),
            Err(violations) => (None, violations),
        };
        if is_foreign {
            violations.push(SchemaViolation::wrong_project(&project.to_string()));
        }
        if let Some(document) = &parsed {
            let of_origins = self.origin_errors(document).await?;
            violations.append(of_origins);
        }
        match parsed {
            Some(document) if violations.is_empty() => Ok(document),
            _ => Err(Error::schema_faults(violations)),
        }
    }

    /// The newest document, if the given one may follow it.
    async fn followed(
        &self,
        project: ProjectId,
        current: u32,
        document: &Arc<Document>,
    ) -> Result<Arc<Document>, Error> {
        if current > 0 && document.version() == u64::from(current) {
            return Err(Conflict::VersionTaken { current }.into());
        }
        let newest = self.newest(project, current, document.project_id()).await?;
        let update = self.update(newest.clone(), document.clone()).await?;
        match update.message {
            None => Ok(newest),
            Some(message) => Err(Error::InvalidSchema { message: message.into(), errors: update.errors }),
        }
    }

    /// What the changes do to stored items. A real publication that leaves items that no longer fit is refused, unless its
    /// terms allow it; then nothing is counted.
    async fn judged(
        &self,
        proposal: &ProposedVersion,
        newest: Arc<Document>,
        document: Arc<Document>,
    ) -> Result<Option<SchemaDiff>, Error> {
        let PublishOptions { dry_run, allow_destructive } = proposal.terms;
        if allow_destructive && !dry_run {
            return Ok(None);
        }
        let is_large = newest.is_large() || document.is_large();
        let uncounted = self.compute.call(is_large, move || UncountedChanges::between(&newest, &document)).await?;
        let queries = uncounted.queries();
        let found = match queries.as_slice() {
            [] => Vec::new(),
            queries => {
                let found = self.items.mismatches(proposal.project, queries, proposal.samples).await?;
                found.ok_or(Conflict::TooManyItems)?
            }
        };
        let diff = uncounted.judged(found);
        if diff.class() == ChangeClass::Breaking && !dry_run {
            return Err(Conflict::SchemaBreaking(diff).into());
        }
        Ok(Some(diff))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::mocks::{
        CountingIds, FixedClock, InlineCompute, MockAccessReader, MockItemReader, MockProjectReader, MockSchemaReader,
        MockUnitOfWork, RecordingUnitOfWork, a_caller, a_project_in_team, access_by, id_of, instant,
    };
    use crate::model::schema::Mismatches;
    use crate::model::{ProjectInTeam, ProjectMembership, ServiceAddress};
    use crate::policy::RoleSet;
    use crate::ports::{Committed, UnitOfWork};
    use crate::usecases::SchemaCatalog;

    const ALLOW_DESTRUCTIVE: PublishOptions = PublishOptions { dry_run: false, allow_destructive: true };
    const DEFAULT: PublishOptions = PublishOptions { dry_run: false, allow_destructive: false };

    fn project() -> ProjectInTeam {
        ProjectInTeam { schema_number: 1, ..a_project_in_team() }
    }

    fn id() -> ProjectId {
        project().project.id
    }

    /// Version `number`: it has the tables `table_1` to `table_<number>`.
    fn version(number: u32) -> SchemaVersion {
        let tables: Map<String, Value> = (1..=number).map(|n| (format!("table_{n}"), json!({"fields": {}}))).collect();
        let document = json!({"project_id": id().to_string(), "version": number, "tables": tables});
        let document = Document::parse(&document).unwrap();
        SchemaVersion { id: id_of("v").into(), project_id: id(), number, document, published_at: instant() }
    }

    /// The use cases over a project whose owner is `owner`, and which has one more version each time one looks.
    fn schemas(items: MockItemReader, store: Arc<dyn UnitOfWork>) -> Schemas {
        let mut access = MockAccessReader::new();
        let roles = RoleSet::parse("owner").unwrap();
        access
            .expect_project_membership()
            .returning(move |_, _| Ok(Some(ProjectMembership { project: Arc::new(project()), roles: roles.clone() })));
        let mut projects = MockProjectReader::new();
        let mut published = 0;
        projects.expect_project().returning(move |_| {
            published += 1;
            Ok(Some(ProjectInTeam { schema_number: published, ..project() }))
        });
        let mut reader = MockSchemaReader::new();
        reader.expect_schema().returning(|_, number| Ok(Some(version(number))));
        let reader = Arc::new(reader);
        Schemas::new(
            access_by(access),
            SchemaCatalog::new(reader.clone()),
            reader,
            Arc::new(projects),
            Arc::new(items),
            store,
            Arc::new(InlineCompute),
            Arc::new(FixedClock::default()),
            Arc::new(CountingIds::default()),
            ServiceAddress::parse("http://localhost:3003").unwrap(),
        )
    }

    /// A store in which somebody else publishes first, this many times.
    fn contended(times: usize) -> Arc<MockUnitOfWork> {
        let (mut store, mut left) = (MockUnitOfWork::new(), times);
        store.expect_commit().returning(move |_| match left.checked_sub(1) {
            Some(fewer) => {
                left = fewer;
                Err(CommitError::Taken(Unique::SchemaNumber))
            }
            None => Ok(Committed::default()),
        });
        Arc::new(store)
    }

    fn items_that_find(found: Option<Mismatches>) -> MockItemReader {
        let mut items = MockItemReader::new();
        items
            .expect_mismatches()
            .returning(move |_, queries, _| Ok(found.as_ref().map(|found| vec![found.clone(); queries.len()])));
        items
    }

    fn members(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[tokio::test]
    async fn changes_that_lose_a_race_are_merged_into_what_won() {
        let schemas = schemas(items_that_find(Some(Mismatches::default())), contended(2));
        let changes = members(json!({"tables": {"mine": {"fields": {}}}}));
        let published = schemas.patch(&a_caller("owner"), id(), &changes, DEFAULT).await.unwrap();
        assert_eq!(published.version.number, 4);
        let tables: Vec<String> =
            published.version.document.members()["tables"].as_object().unwrap().keys().cloned().collect();
        assert_eq!(tables, ["table_1", "table_2", "table_3", "mine"]);
    }

    #[tokio::test]
    async fn what_names_its_version_or_replaces_the_whole_loses_the_race() {
        let caller = a_caller("owner");
        let with = |times| schemas(items_that_find(Some(Mismatches::default())), contended(times));
        let named = members(json!({"version": 2}));
        let whole = json!({"tables": version(1).document.members()["tables"]});
        for refused in [
            with(1).patch(&caller, id(), &named, DEFAULT).await,
            with(1).publish(&caller, id(), whole, DEFAULT).await,
            with(1).roll_back(&caller, id(), 1, DEFAULT).await,
            with(usize::MAX).patch(&caller, id(), &Map::new(), DEFAULT).await,
        ] {
            assert!(matches!(refused, Err(Error::Conflict(Conflict::VersionTaken { .. }))), "{refused:?}");
        }
    }

    #[tokio::test]
    async fn items_that_would_no_longer_fit_stand_in_the_way_unless_that_is_allowed() {
        let caller = a_caller("owner");
        let removal = members(json!({"tables": {"table_1": null}}));
        let store = Arc::new(RecordingUnitOfWork::default());
        let found = Mismatches { count: 3, samples: Vec::new() };
        let guarded = schemas(items_that_find(Some(found)), store.clone());
        let refused = guarded.patch(&caller, id(), &removal, DEFAULT).await;
        let Err(Error::Conflict(Conflict::SchemaBreaking(diff))) = refused else { panic!("{refused:?}") };
        assert_eq!(diff.changes[1].mismatches.count, 3);
        assert_eq!(store.changes(), []);

        let nobody_asks = schemas(MockItemReader::new(), store.clone());
        nobody_asks.patch(&caller, id(), &removal, ALLOW_DESTRUCTIVE).await.unwrap();
        assert_eq!(store.changes().len(), 1);
    }

    #[tokio::test]
    async fn too_many_items_to_look_at_are_told() {
        let guarded = schemas(items_that_find(None), Arc::new(RecordingUnitOfWork::default()));
        let removal = members(json!({"tables": {"table_1": null}}));
        for dry_run in [false, true] {
            let terms = PublishOptions { dry_run, ..DEFAULT };
            let refused = guarded.patch(&a_caller("owner"), id(), &removal, terms).await;
            assert!(matches!(refused, Err(Error::Conflict(Conflict::TooManyItems))), "{refused:?}");
        }
    }

    #[tokio::test]
    async fn a_dry_run_is_judged_and_not_stored() {
        let dry = PublishOptions { dry_run: true, ..ALLOW_DESTRUCTIVE };
        let found = Mismatches { count: 1, samples: Vec::new() };
        let store = Arc::new(RecordingUnitOfWork::default());
        let schemas = schemas(items_that_find(Some(found)), store.clone());
        let removal = members(json!({"tables": {"table_1": null}}));
        let shown = schemas.patch(&a_caller("owner"), id(), &removal, dry).await.unwrap();
        assert_eq!(shown.diff.unwrap().class(), ChangeClass::Breaking);
        assert_eq!(store.changes(), []);
    }
}
