//! Publishing the next version of a schema: a whole document, a patch, or an earlier version (docs/schema.md#updates).

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::data::schema::{
    ChangeClass, Document, SchemaDiff, SchemaVersion, SchemaViolation, SchemaWarning, UncountedChanges, filled,
};
use crate::kernel::changes::Changes;
use crate::kernel::error::{Conflict, Error, ResourceKind};
use crate::kernel::policy::{Operation, Permission, Permit};
use crate::kernel::violations::Violations;
use crate::kernel::{
    AccountId, Caller, CommitError, Precondition, ProjectId, RetryError, Revision, SchemaVersionId, Unique, account_of,
    retry_stale,
};

use super::Schemas;

/// How many of the items that would become invalid are listed for each change.
const SAMPLES: usize = 5;

/// Options of a publication.
#[derive(Debug, Clone, Copy, Default)]
pub struct PublishOptions {
    /// Returns the result without storing anything.
    pub dry_run: bool,
    /// Publishes even if stored items become invalid.
    pub allow_destructive: bool,
    /// Discards the caller's draft in the same change.
    pub discards_draft: bool,
}

/// A published version, or the result of a dry run.
#[derive(Debug, Clone, PartialEq)]
pub struct Publication {
    /// The version. After a dry run, its ID and timestamp are not stored.
    pub version: SchemaVersion,
    /// Effects on stored items; only after a dry run.
    pub diff: Option<SchemaDiff>,
    /// Members of the document that have no effect.
    pub warnings: Vec<SchemaWarning>,
}

/// What to do if someone else publishes the same version number first.
#[derive(Debug, Clone, Copy)]
enum OnConflict {
    /// Refuse: the document does not take the other version into account.
    Refuse,
    /// Create a new draft based on the other version.
    Redraft,
}

/// Project, permit, options and precondition of a publication.
struct ProposedVersion {
    project: ProjectId,
    /// The number of the newest version when access was checked.
    current: u32,
    permit: Permit,
    options: PublishOptions,
    /// How many items are listed for a change; 0 if the caller may not read items.
    samples: usize,
    /// The newest version must meet it. The revision of a version is its number.
    when: Precondition,
    /// The account whose draft is published, and then discarded.
    drafted_by: Option<AccountId>,
}

impl Schemas {
    /// Publishes a document as the next version. A missing `project_id` or `version` is filled in
    /// (docs/schema.md#document).
    pub async fn publish(
        &self,
        caller: &Caller,
        project: ProjectId,
        document: Value,
        options: PublishOptions,
    ) -> Result<Publication, Error> {
        let proposal = self.proposal(caller, project, Operation::SchemaPublish, options).await?;

        let draft = |_: &Document, next| filled(document.clone(), project, next);
        self.publish_next(&proposal, OnConflict::Refuse, draft).await
    }

    /// Publishes the newest document with changes merged into it (RFC 7396). If someone else publishes in the meantime,
    /// the changes are merged into that version, unless they contain `version`.
    pub async fn patch(
        &self,
        caller: &Caller,
        project: ProjectId,
        changes: &Map<String, Value>,
        options: PublishOptions,
        when: &Precondition,
    ) -> Result<Publication, Error> {
        let proposal = self.proposal(caller, project, Operation::SchemaPatch, options).await?;
        let proposal = ProposedVersion { when: when.clone(), ..proposal };

        let names_version = changes.get("version").is_some_and(|version| !version.is_null());
        let on_conflict = if names_version { OnConflict::Refuse } else { OnConflict::Redraft };
        self.publish_next(&proposal, on_conflict, |newest, next| newest.merged(changes, next)).await
    }

    /// Publishes the document of an earlier version as the next version.
    pub async fn roll_back(
        &self,
        caller: &Caller,
        project: ProjectId,
        number: u32,
        options: PublishOptions,
    ) -> Result<Publication, Error> {
        let proposal = self.proposal(caller, project, Operation::SchemaRollback, options).await?;

        let earlier =
            self.core.catalog.document(project, number).await?.ok_or(Error::NotFound(ResourceKind::Schema))?;
        self.publish_next(&proposal, OnConflict::Refuse, |_, next| earlier.renumbered(next)).await
    }

    async fn proposal(
        &self,
        caller: &Caller,
        project: ProjectId,
        operation: Operation,
        options: PublishOptions,
    ) -> Result<ProposedVersion, Error> {
        let access = self.core.access.project(caller, project).await?;
        let permit = access.permit(operation).await?;
        let samples = if access.holds(Permission::DbRead) { SAMPLES } else { 0 };
        let current = access.project().schema_number;
        let drafted_by = options.discards_draft.then(|| account_of(caller)).transpose()?;
        Ok(ProposedVersion { project, current, permit, options, samples, when: Precondition::None, drafted_by })
    }

    /// Publishes the draft that is created from the newest document and the next version number.
    async fn publish_next(
        &self,
        proposal: &ProposedVersion,
        on_conflict: OnConflict,
        draft: impl Fn(&Document, u32) -> Value,
    ) -> Result<Publication, Error> {
        let mut known = Some(proposal.current);
        let published = match on_conflict {
            OnConflict::Redraft => {
                retry_stale(async || {
                    let current = match known.take() {
                        Some(current) => current,
                        None => self.count(proposal.project).await?,
                    };
                    self.publish_once(proposal, current, &draft).await
                })
                .await
            }
            OnConflict::Refuse => {
                self.publish_once(proposal, proposal.current, &draft).await.map_err(|error| match error {
                    RetryError::Stale(kind) => Conflict::Contended(kind).into(),
                    RetryError::Failed(error) => error,
                })
            }
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
        current: u32,
        draft: impl Fn(&Document, u32) -> Value,
    ) -> Result<Publication, RetryError> {
        if !proposal.when.holds((current > 0).then_some(Revision(current.into()))) {
            return Err(Error::PreconditionFailed(ResourceKind::Schema).into());
        }
        let next = current.saturating_add(1);
        let base = self.newest(proposal.project, current, &proposal.project.to_string()).await?;
        let document = Arc::new(self.checked(proposal.project, draft(&base, next)).await?);
        let newest = self.checked_successor(proposal.project, current, &document).await?;
        let diff = self.evaluate(proposal, newest, document.clone()).await?;
        let warnings = self.warnings(document.clone()).await?;
        let document = Arc::unwrap_or_clone(document);

        let now = self.core.now();
        let id = SchemaVersionId::from(self.core.next_id());
        let version = SchemaVersion { id, project_id: proposal.project, number: next, document, published_at: now };
        if proposal.options.dry_run {
            return Ok(Publication { version, diff, warnings });
        }
        let changes = Changes::by(proposal.permit.clone(), now).insert(version.clone());
        let changes = match proposal.drafted_by {
            Some(account) => changes.discard_draft(proposal.project, account),
            None => changes,
        };
        match self.core.commit(changes).await {
            Ok(_) => Ok(Publication { version, diff: None, warnings }),
            Err(CommitError::Taken(Unique::SchemaNumber)) => Err(RetryError::Stale(ResourceKind::Schema)),
            Err(CommitError::Orphaned) => Err(Error::NotFound(ResourceKind::Project).into()),
            Err(other) => Err(Error::from(other).into()),
        }
    }

    /// Validates the document by itself: its rules, its project, and the tables of other projects that it references.
    async fn checked(&self, project: ProjectId, document: Value) -> Result<Document, Error> {
        let declared = document.get("project_id").and_then(Value::as_str);
        let is_other_project = declared.is_some_and(|declared| !self.core.address.names_project(declared, project));
        let (parsed, mut violations) = match self.parsed(document).await? {
            Ok(document) => (Some(document), Violations::default()),
            Err(violations) => (None, violations),
        };
        if is_other_project {
            violations.push(SchemaViolation::wrong_project(&project.to_string()));
        }
        if let Some(document) = &parsed {
            let origin_violations = self.origin_errors(document).await?;
            violations.append(origin_violations);
        }
        match parsed {
            Some(document) if violations.is_empty() => Ok(document),
            _ => Err(Error::invalid_schema(violations)),
        }
    }

    /// Returns the newest document if the given one may follow it.
    async fn checked_successor(
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

    /// Returns the effects of the changes on stored items. Fails if stored items would become invalid, except in a dry
    /// run. With `allow_destructive` and no dry run, nothing is counted.
    async fn evaluate(
        &self,
        proposal: &ProposedVersion,
        newest: Arc<Document>,
        document: Arc<Document>,
    ) -> Result<Option<SchemaDiff>, Error> {
        let PublishOptions { dry_run, allow_destructive, .. } = proposal.options;
        if allow_destructive && !dry_run {
            return Ok(None);
        }
        let is_large = newest.is_large() || document.is_large();
        let uncounted =
            self.core.system.compute.call(is_large, move || UncountedChanges::between(&newest, &document)).await?;
        let queries = uncounted.queries();
        let found = match queries.as_slice() {
            [] => Vec::new(),
            queries => {
                let found = self.core.ports.items.mismatches(proposal.project, queries, proposal.samples).await?;
                found.ok_or(Conflict::TooManyItems)?
            }
        };
        let diff = uncounted.classify(found);
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
    use crate::StorePorts;
    use crate::administration::{ProjectInTeam, ProjectMembership};
    use crate::data::schema::Mismatches;
    use crate::kernel::policy::RoleSet;
    use crate::kernel::{Committed, UnitOfWork};
    use crate::mocks::{
        MockItemReader, MockStore, MockUnitOfWork, RecordingUnitOfWork, a_caller, a_project_in_team, id_of, instant,
        mock_data,
    };

    const ANY: Precondition = Precondition::None;
    const DEFAULT: PublishOptions = PublishOptions { dry_run: false, allow_destructive: false, discards_draft: false };
    const ALLOW_DESTRUCTIVE: PublishOptions = PublishOptions { allow_destructive: true, ..DEFAULT };

    fn project() -> ProjectInTeam {
        ProjectInTeam { schema_number: 1, ..a_project_in_team() }
    }

    fn id() -> ProjectId {
        project().project.id
    }

    /// Version `number`, with the tables `table_1` to `table_<number>`.
    fn version(number: u32) -> SchemaVersion {
        let tables: Map<String, Value> = (1..=number).map(|n| (format!("table_{n}"), json!({"fields": {}}))).collect();
        let document = json!({"project_id": id().to_string(), "version": number, "tables": tables});
        let document = Document::parse(&document).unwrap();
        SchemaVersion { id: id_of("v").into(), project_id: id(), number, document, published_at: instant() }
    }

    /// A store of a project with one version, owned by `owner`. Each further read of the project returns one more.
    fn store() -> MockStore {
        let mut store = MockStore::default();
        let roles = RoleSet::parse("owner").unwrap();
        store
            .access
            .expect_project_membership()
            .returning(move |_, _| Ok(Some(ProjectMembership { project: Arc::new(project()), roles: roles.clone() })));
        let mut published = 1;
        store.projects.expect_project().returning(move |_| {
            published += 1;
            Ok(Some(ProjectInTeam { schema_number: published, ..project() }))
        });
        store.schemas.expect_schema().returning(|_, number| Ok(Some(version(number))));
        store
    }

    fn schemas(items: MockItemReader, unit_of_work: Arc<dyn UnitOfWork>) -> Schemas {
        let store = MockStore { items, ..store() };
        Schemas::new(&mock_data(StorePorts { unit_of_work, ..store.into() }))
    }

    /// A store in which someone else publishes first this many times.
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
    async fn changes_that_lose_a_race_are_merged_into_the_published_version() {
        let schemas = schemas(items_that_find(Some(Mismatches::default())), contended(2));
        let changes = members(json!({"tables": {"mine": {"fields": {}}}}));
        let published = schemas.patch(&a_caller("owner"), id(), &changes, DEFAULT, &ANY).await.unwrap();
        assert_eq!(published.version.number, 4);
        let tables: Vec<String> =
            published.version.document.members()["tables"].as_object().unwrap().keys().cloned().collect();
        assert_eq!(tables, ["table_1", "table_2", "table_3", "mine"]);
    }

    #[tokio::test]
    async fn a_change_with_a_version_or_a_whole_document_conflicts_with_a_concurrent_publication() {
        let caller = a_caller("owner");
        let with = |times| schemas(items_that_find(Some(Mismatches::default())), contended(times));
        let with_version = members(json!({"version": 2}));
        let whole = json!({"tables": version(1).document.members()["tables"]});
        for refused in [
            with(1).patch(&caller, id(), &with_version, DEFAULT, &ANY).await,
            with(1).publish(&caller, id(), whole, DEFAULT).await,
            with(1).roll_back(&caller, id(), 1, DEFAULT).await,
            with(usize::MAX).patch(&caller, id(), &Map::new(), DEFAULT, &ANY).await,
        ] {
            assert!(matches!(refused, Err(Error::Conflict(Conflict::VersionTaken { .. }))), "{refused:?}");
        }
    }

    #[tokio::test]
    async fn items_that_would_become_invalid_prevent_publication_unless_allowed() {
        let caller = a_caller("owner");
        let removal = members(json!({"tables": {"table_1": null}}));
        let store = Arc::new(RecordingUnitOfWork::default());
        let found = Mismatches { count: 3, samples: Vec::new() };
        let guarded = schemas(items_that_find(Some(found)), store.clone());
        let refused = guarded.patch(&caller, id(), &removal, DEFAULT, &ANY).await;
        let Err(Error::Conflict(Conflict::SchemaBreaking(diff))) = refused else { panic!("{refused:?}") };
        assert_eq!(diff.changes[1].mismatches.count, 3);
        assert_eq!(store.changes(), []);

        let unguarded = schemas(MockItemReader::new(), store.clone());
        unguarded.patch(&caller, id(), &removal, ALLOW_DESTRUCTIVE, &ANY).await.unwrap();
        assert_eq!(store.changes().len(), 1);
    }

    #[tokio::test]
    async fn too_many_items_to_check_are_reported() {
        let guarded = schemas(items_that_find(None), Arc::new(RecordingUnitOfWork::default()));
        let removal = members(json!({"tables": {"table_1": null}}));
        for dry_run in [false, true] {
            let options = PublishOptions { dry_run, ..DEFAULT };
            let refused = guarded.patch(&a_caller("owner"), id(), &removal, options, &ANY).await;
            assert!(matches!(refused, Err(Error::Conflict(Conflict::TooManyItems))), "{refused:?}");
        }
    }

    #[tokio::test]
    async fn a_dry_run_is_evaluated_and_not_stored() {
        let dry = PublishOptions { dry_run: true, ..ALLOW_DESTRUCTIVE };
        let found = Mismatches { count: 1, samples: Vec::new() };
        let store = Arc::new(RecordingUnitOfWork::default());
        let schemas = schemas(items_that_find(Some(found)), store.clone());
        let removal = members(json!({"tables": {"table_1": null}}));
        let publication = schemas.patch(&a_caller("owner"), id(), &removal, dry, &ANY).await.unwrap();
        assert_eq!(publication.diff.unwrap().class(), ChangeClass::Breaking);
        assert_eq!(store.changes(), []);
    }
}
