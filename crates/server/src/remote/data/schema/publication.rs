//! Commands that publish a schema, or print what a publication would change. Each checks the publication first, so that
//! nothing breaks without a confirmation.

use std::path::PathBuf;

use anyhow::{Context as _, bail};
use clap::Args;
use serde_json::{Map, Value, json};
use steward_client::{Error, Publication, PublishParameters, SchemaChange, SchemaVersion, Schemas};

use crate::remote::{Context, ProjectOption, SchemaRefused, api, json_input};
use crate::terminal;

use super::file::{self, SchemaFile};
use super::warnings::{self, OnWarnings};

const COLUMNS: &[&str] = &["class", "type", "table", "field", "property", "old", "new", "affected_items", "sample_ids"];
const BREAKING: &str = "breaking";
const BREAKING_CHANGES: &str =
    "Stored items would no longer conform to the schema. Publish it with --allow-destructive to leave them unchanged.";
/// Code of the error if the service cannot check the stored items in time.
const TOO_MANY_ITEMS: &str = "too_many_items";

#[derive(Debug, Clone, Copy, Args)]
pub struct Publish {
    /// Publish even if stored items no longer conform to the schema; they stay unchanged
    #[arg(long)]
    allow_destructive: bool,
    /// Print the changes without publishing
    #[arg(long)]
    dry_run: bool,
}

#[derive(Debug, Args)]
pub struct PushSchema {
    #[command(flatten)]
    file: SchemaFile,
    #[command(flatten)]
    publish: Publish,
    #[command(flatten)]
    warnings: OnWarnings,
}

#[derive(Debug, Args)]
pub struct PatchSchema {
    /// File with the changes, or - for standard input
    changes: PathBuf,
    #[command(flatten)]
    project: ProjectOption,
    #[command(flatten)]
    publish: Publish,
}

#[derive(Debug, Args)]
pub struct RollBackSchema {
    /// Number of the earlier version
    version: u32,
    #[command(flatten)]
    project: ProjectOption,
    #[command(flatten)]
    publish: Publish,
}

/// What is published.
enum Draft {
    Document(Map<String, Value>),
    Patch(Map<String, Value>),
    Earlier(u32),
}

impl Draft {
    async fn send(&self, schemas: &Schemas, dry_run: bool, allow_destructive: bool) -> Result<Publication, Error> {
        let given = |is_set: bool| is_set.then_some(true);
        let options = PublishParameters { dry_run: given(dry_run), allow_destructive: given(allow_destructive) };
        match self {
            Self::Document(document) => schemas.publish(document.clone(), options).json().await,
            Self::Patch(changes) => schemas.patch(changes.clone(), options).json().await,
            Self::Earlier(version) => schemas.roll_back(*version, options).json().await,
        }
    }

    /// Publishes only the version whose changes are known. A rollback has no such condition.
    fn set_version(&mut self, version: Option<u64>) {
        if let (Self::Document(members) | Self::Patch(members), Some(version)) = (self, version) {
            members.insert("version".to_owned(), json!(version));
        }
    }
}

pub async fn diff(context: &Context, file: SchemaFile) -> anyhow::Result<()> {
    let publish = Publish { allow_destructive: false, dry_run: true };
    push(context, PushSchema { file, publish, warnings: OnWarnings::default() }).await
}

pub async fn push(context: &Context, arguments: PushSchema) -> anyhow::Result<()> {
    let PushSchema { file, publish: options, warnings: on_warnings } = arguments;
    let mut document = file.read(context.project_file.as_ref())?;
    let schemas = context.client.schemas(&context.project_id(file.project.project.as_deref()).await?);
    file::prepare(&mut document, find(&schemas, None).await?.as_ref());
    Publishing { context, schemas, draft: Draft::Document(document), options, on_warnings }.run().await
}

pub async fn patch(context: &Context, arguments: PatchSchema) -> anyhow::Result<()> {
    let changes: Map<String, Value> = if arguments.changes.as_os_str() == "-" {
        json_input::parse(&api::read("-")?).context("Standard input is not a JSON object")?
    } else {
        file::read(&arguments.changes)?
    };
    publish(context, &arguments.project, Draft::Patch(changes), arguments.publish).await
}

pub async fn roll_back(context: &Context, arguments: RollBackSchema) -> anyhow::Result<()> {
    publish(context, &arguments.project, Draft::Earlier(arguments.version), arguments.publish).await
}

async fn publish(context: &Context, project: &ProjectOption, draft: Draft, options: Publish) -> anyhow::Result<()> {
    let schemas = context.client.schemas(&context.project_id(project.project.as_deref()).await?);
    Publishing { context, schemas, draft, options, on_warnings: OnWarnings::default() }.run().await
}

/// A publication that a person requested.
struct Publishing<'a> {
    context: &'a Context,
    schemas: Schemas,
    draft: Draft,
    options: Publish,
    on_warnings: OnWarnings,
}

impl Publishing<'_> {
    async fn run(self) -> anyhow::Result<()> {
        let (context, allow_destructive) = (self.context, self.options.allow_destructive);
        let preview = match self.draft.send(&self.schemas, true, true).await {
            Err(Error::Conflict(error)) if error.code == TOO_MANY_ITEMS => return self.run_unchecked().await,
            preview => preview?,
        };
        let next = preview.data.number();
        let warnings = preview.warnings.unwrap_or_default();
        warnings::show(&warnings);
        let diff = preview.diff.context("The response of the service has no diff.")?;
        let is_breaking = diff.class == BREAKING;
        let changes = changes(diff.changes)?;
        let is_refused = is_breaking && !allow_destructive;
        if self.options.dry_run || is_refused {
            show(context, &changes, diff.truncated == Some(true))?;
            added_tables(&changes, &preview.data.schema).iter().for_each(|line| terminal::note(line));
            return if is_refused {
                Err(SchemaRefused(BREAKING_CHANGES).into())
            } else {
                self.on_warnings.accept(&warnings)
            };
        }
        self.on_warnings.accept(&warnings)?;
        if changes.is_empty() {
            let published = next.map(|next| next.saturating_sub(1));
            let entry = json!({"version": published, "published": false});
            return context.output.done("There are no changes to publish.", &entry);
        }
        for change in changes.iter().filter(|change| change.class.as_deref() == Some(BREAKING)) {
            terminal::note(&describe(change));
        }
        if is_breaking {
            context.confirm("Publish these changes? Stored items will no longer conform to the schema.")?;
        }
        done(context, &self.send(next, allow_destructive).await?.data)
    }

    /// Publishes changes that the service cannot check against the stored items, because there are too many.
    async fn run_unchecked(self) -> anyhow::Result<()> {
        if self.options.dry_run || !self.options.allow_destructive {
            bail!(
                "There are too many stored items to check them against the schema. To publish it without the check, pass \
                 --allow-destructive. Stored items stay unchanged."
            );
        }
        let newest = find(&self.schemas, None).await?;
        if let (Draft::Document(document), Some(newest), true) = (&self.draft, &newest, self.on_warnings.strict) {
            let mut next = document.clone();
            file::number(&mut next, &newest.project_id, Some(newest));
            let warnings = self.schemas.check_update(next).json().await?.warnings.unwrap_or_default();
            warnings::show(&warnings);
            self.on_warnings.accept(&warnings)?;
        }
        self.context.confirm("There are too many stored items to check them against the schema. Publish it anyway?")?;
        let next = newest.as_ref().and_then(SchemaVersion::number).map(|version| version.saturating_add(1));
        let (context, publication) = (self.context, self.send(next, true).await?);
        warnings::show(&publication.warnings.unwrap_or_default());
        done(context, &publication.data)
    }

    /// Publishes the version with this number.
    async fn send(mut self, next: Option<u64>, allow_destructive: bool) -> Result<Publication, Error> {
        self.draft.set_version(next);
        self.draft.send(&self.schemas, false, allow_destructive).await
    }
}

/// Prints what was published.
fn done(context: &Context, version: &SchemaVersion) -> anyhow::Result<()> {
    let number = version.number();
    let message = format!("Published version {}.", number.unwrap_or_default());
    context.output.done(&message, &json!({"version": number, "published": true, "id": version.id}))
}

/// Returns the changes without that of the version, which every publication makes.
fn changes(changes: Vec<Value>) -> serde_json::Result<Vec<SchemaChange>> {
    let mut changes = SchemaChange::of(changes)?;
    changes.retain(|change| change.property.as_deref() != Some("version") || change.field.is_some());
    Ok(changes)
}

/// Returns a breaking change on one line.
fn describe(change: &SchemaChange) -> String {
    let place: Vec<&str> = [&change.table, &change.field].into_iter().flatten().map(String::as_str).collect();
    format!("{} {}: {} stored item(s)", change.kind, place.join("."), change.affected_items)
}

/// Returns the fields of each table that is added, as in the first publication, on one line.
fn added_tables(changes: &[SchemaChange], document: &Map<String, Value>) -> Vec<String> {
    let added = changes.iter().filter(|change| change.kind == "table_added").filter_map(|change| change.table.as_ref());
    let descriptions = added.filter_map(|table| {
        let fields = document.get("tables")?.get(table)?.get("fields")?.as_object()?;
        let fields: Vec<String> = fields.iter().map(|(name, field)| field_description(name, field)).collect();
        let fields = if fields.is_empty() { "no fields".to_owned() } else { fields.join(", ") };
        Some(format!("New table {table}: {fields}."))
    });
    descriptions.collect()
}

/// Returns the name, the type and the properties of a field, such as `title string required`.
fn field_description(name: &str, field: &Value) -> String {
    let kind = field.get("type").and_then(Value::as_str).unwrap_or_default();
    let set = ["required", "indexed"].into_iter().filter(|property| field.get(property) == Some(&Value::Bool(true)));
    [name, kind].into_iter().chain(set).collect::<Vec<_>>().join(" ")
}

/// Prints the changes as the result.
fn show(context: &Context, changes: &[SchemaChange], is_truncated: bool) -> anyhow::Result<()> {
    if changes.is_empty() {
        return context.output.done("There are no changes.", &json!([]));
    }
    if is_truncated {
        terminal::note("Only the first 1,000 changes are listed.");
    }
    context.output.list(changes, COLUMNS)
}

/// Returns the newest version, or the one with this number; `None` if it is not published.
pub async fn find(schemas: &Schemas, number: Option<u32>) -> Result<Option<SchemaVersion>, Error> {
    Ok(schemas.get(number).json().await?.data.into_iter().next())
}

/// Returns a published version: the newest one, or the one with this number.
pub async fn published(schemas: &Schemas, number: Option<u32>) -> anyhow::Result<SchemaVersion> {
    find(schemas, number).await?.with_context(|| match number {
        Some(number) => format!("Version {number} is not published."),
        None => "The project has no published schema. Run `steward schema push`.".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(listed: Value) -> Vec<SchemaChange> {
        let Value::Array(listed) = listed else { panic!() };
        changes(listed).unwrap()
    }

    #[test]
    fn the_version_of_the_document_is_not_a_change() {
        let changes = read(json!([
            {"type": "property_changed", "property": "version", "old": 1, "new": 2, "class": "compatible"},
            {"type": "field_property_changed", "table": "notes", "field": "rank", "property": "version"},
            {"type": "field_removed", "table": "notes", "field": "rank", "class": "breaking", "affected_items": 3},
        ]));
        assert_eq!(changes.len(), 2);
        assert_eq!(describe(&changes[1]), "field_removed notes.rank: 3 stored item(s)");
    }

    #[test]
    fn the_fields_of_new_tables_are_described() {
        let changes = read(json!([{"type": "table_added", "table": "notes", "class": "compatible"}]));
        let fields = json!({"title": {"type": "string", "required": true}, "rank": {"type": "number"}});
        let document = json!({"tables": {"notes": {"fields": fields}, "old": {"fields": {}}}});
        let lines = added_tables(&changes, document.as_object().unwrap());
        assert_eq!(lines, ["New table notes: title string required, rank number."]);
    }

    #[test]
    fn only_the_version_that_was_checked_is_published() {
        let mut draft = Draft::Document(Map::new());
        draft.set_version(Some(4));
        let Draft::Document(document) = draft else { panic!() };
        assert_eq!(document["version"], 4);
    }
}
