//! `steward schema`.

pub mod file;
pub mod publication;
pub mod types;
mod warnings;

use std::path::PathBuf;

use clap::Args;
use serde_json::{Map, Value, json};
use steward_client::{SchemaChange, Violation};

use crate::remote::command::by_hand;
use crate::remote::project_file::directory::ProjectDirectory;
use crate::remote::project_file::{self, ProjectFile};
use crate::remote::{Context, ListOptions, NoArguments, ProjectOption, Remote};
use crate::terminal::{self, UsageError};

use file::SchemaFile;

const HISTORY_COLUMNS: &[&str] = &["version", "updated_at", "tables", "id"];

by_hand! {
    SchemaCommand {
        /// Create steward.json and a schema file in the current directory
        #[command(after_help = "Examples:\n  steward schema init --project rocket\n  \
            steward schema init --project rocket --file db/schema.json\n\n\
            steward.json names the service, the project and the schema file for commands in this directory and below.\n\
            The schema file contains the published schema, or else a schema to start with.")]
        Init(Remote<InitSchema>) => init,
        /// Write the published schema to the schema file
        #[command(after_help = "Examples:\n  steward schema pull\n  steward schema pull --version 3 --yes")]
        Pull(Remote<PullSchema>) => pull,
        /// Print the changes from the published schema to the schema file
        #[command(
            after_help = "Examples:\n  steward schema diff\n  steward schema diff --json --fields class,type,table\n\n\
            Classes of changes:\n  compatible  Existing programs keep working.\n  \
            risky       Writes of existing programs may be rejected.\n  \
            breaking    Stored items would no longer conform to the schema.\n\n\
            Exit code 2 if a change is breaking. Warns about members without effect. Requires the permission to \
            publish."
        )]
        Diff(Remote<SchemaFile>) => publication::diff,
        /// Publish the schema file as the next version, if it has changes
        #[command(after_help = "Examples:\n  steward schema push\n  steward schema push --dry-run\n  \
            steward schema push --allow-destructive --yes\n  steward schema push --strict\n\n\
            Exit code 2 if a change is breaking and --allow-destructive is absent, or if members have no effect and \
            --strict is given: nothing is published.")]
        Push(Remote<publication::PushSchema>) => publication::push,
        /// Merge changes into the published schema and publish the result
        #[command(after_help = "Examples:\n  \
            echo '{\"tables\": {\"notes\": {\"fields\": {\"rank\": null}}}}' | steward schema patch -\n\n\
            null removes a member (RFC 7396). The schema file stays unchanged.")]
        Patch(Remote<publication::PatchSchema>) => publication::patch,
        /// Check whether the schema file can be published, without counting stored items
        #[command(after_help = "Examples:\n  steward schema check\n  steward schema check --strict\n\n\
            Exit code 1 if it cannot; 2 if it can, but members have no effect and --strict is given. Requires no \
            permission if the project is named by ID.")]
        Check(Remote<CheckSchema>) => check,
        /// Print the published schema as JSON
        #[command(after_help = "Examples:\n  steward schema get --project rocket\n  steward schema get --version 3")]
        Get(Remote<GetSchema>) => get,
        /// List the published versions, newest first
        History(Remote<SchemaHistory>) => history,
        /// Publish the document of an earlier version as the next version
        #[command(after_help = "Examples:\n  steward schema rollback 3 --dry-run\n  steward schema rollback 3")]
        Rollback(Remote<publication::RollBackSchema>) => publication::roll_back,
        /// Generate types from the schema file, for TypeScript, Python or Rust
        #[command(after_help = "Examples:\n  steward schema types --lang typescript --output src/schema.ts\n  \
            steward schema types --lang rust --published --project rocket\n\n\
            The types describe the fields of an item. Rust types need the crates serde (feature derive) and serde_json.")]
        Types(Remote<types::GenerateTypes>),
        /// Print the rules of schemas as a JSON Schema, for editors
        JsonSchema(Remote<NoArguments>) => json_schema,
    }
}

#[derive(Debug, Args)]
pub struct InitSchema {
    /// ID or slug of the project
    #[arg(long)]
    project: String,
    /// Schema file
    #[arg(long, value_name = "FILE", default_value = project_file::DEFAULT_SCHEMA)]
    file: PathBuf,
}

#[derive(Debug, Args)]
pub struct PullSchema {
    #[command(flatten)]
    file: SchemaFile,
    /// Number of the version [default: the newest one]
    #[arg(long, value_name = "NUMBER")]
    version: Option<u32>,
}

#[derive(Debug, Args)]
pub struct CheckSchema {
    #[command(flatten)]
    file: SchemaFile,
    #[command(flatten)]
    warnings: warnings::OnWarnings,
}

#[derive(Debug, Args)]
pub struct GetSchema {
    #[command(flatten)]
    project: ProjectOption,
    /// Number of the version [default: the newest one]
    #[arg(long, value_name = "NUMBER")]
    version: Option<u32>,
}

#[derive(Debug, Args)]
pub struct SchemaHistory {
    #[command(flatten)]
    project: ProjectOption,
    #[command(flatten)]
    list: ListOptions,
}

async fn init(context: &Context, arguments: InitSchema) -> anyhow::Result<()> {
    let id = context.project_id(Some(&arguments.project)).await?;
    // Fails if the project does not exist, before any file is written.
    let published = publication::find(&context.client.schemas(&id), None).await?;
    let directory = ProjectDirectory::current()?;
    let server = context.client.server().as_str();
    // Refused before steward.json is written.
    directory.file(&arguments.file)?.read()?;
    let schema = ProjectFile::create(directory, server, &arguments.project, &arguments.file)?.schema_file()?;
    let file = arguments.file.display();
    if schema.read()?.is_some() {
        terminal::note(&format!("{file} already exists and stays unchanged."));
    } else {
        let document = published.map_or_else(starting_document, |version| file::unpublished(version, &id));
        schema.create(&format!("{}\n", serde_json::to_string_pretty(&document)?))?;
    }
    let message = format!("Wrote {}. Edit {file}, then run `steward schema push`.", project_file::NAME);
    context.output.done(&message, &json!({"project": arguments.project, "server": server, "schema": arguments.file}))
}

pub fn starting_document() -> Map<String, Value> {
    let title = json!({"type": "string", "required": true});
    let notes = json!({"fields": {"title": title, "done": {"type": "boolean"}}});
    Map::from_iter([("tables".to_owned(), json!({"notes": notes}))])
}

async fn pull(context: &Context, arguments: PullSchema) -> anyhow::Result<()> {
    let location = arguments.file.location(context.project_file.as_ref())?;
    let id = context.project_id(arguments.file.project.project.as_deref()).await?;
    let version = publication::published(&context.client.schemas(&id), arguments.version).await?;
    let number = version.number();
    let document = file::unpublished(version, &id);
    let (file, result) = (location.path().display(), json!({"version": number, "file": location.path()}));
    match location.read() {
        Ok(None) => {}
        // The formatting of the file is no difference.
        Ok(Some(current)) if current == document => {
            return context.output.done(&format!("{file} is up to date."), &result);
        }
        Err(error) if error.is::<UsageError>() => return Err(error),
        // A file that is no schema is overwritten like any other.
        Ok(Some(_)) | Err(_) => context.confirm(&format!("Overwrite {file}?"))?,
    }
    location.write(&document)?;
    context.output.done(&format!("Wrote the published schema to {file}."), &result)
}

async fn check(context: &Context, arguments: CheckSchema) -> anyhow::Result<()> {
    let mut document = arguments.file.read(context.project_file.as_ref())?;
    let id = context.project_id(arguments.file.project.project.as_deref()).await?;
    let schemas = context.client.schemas(&id);
    let newest = publication::find(&schemas, None).await?;
    file::prepare(&mut document, newest.as_ref());
    file::number(&mut document, &id, newest.as_ref());
    let check = schemas.check_update(document).json().await?;
    for error in &check.errors {
        terminal::note(&format!("  {}", Violation::of(error)));
    }
    let warnings = check.warnings.unwrap_or_default();
    warnings::show(&warnings);
    let mut entry = json!({
        "valid": check.valid,
        "errors": check.errors,
        "changes": SchemaChange::of(check.changes)?,
        "truncated": check.truncated.unwrap_or_default(),
        "message": check.message,
    });
    if let Some(members) = entry.as_object_mut().filter(|_| !warnings.is_empty()) {
        members.insert("warnings".to_owned(), json!(warnings));
    }
    context.output.entry(&entry)?;
    anyhow::ensure!(check.valid, "The schema cannot be published.");
    arguments.warnings.accept(&warnings)
}

async fn get(context: &Context, arguments: GetSchema) -> anyhow::Result<()> {
    let id = context.project_id(arguments.project.project.as_deref()).await?;
    let version = publication::published(&context.client.schemas(&id), arguments.version).await?;
    context.output.value(Value::Object(version.schema))
}

async fn history(context: &Context, arguments: SchemaHistory) -> anyhow::Result<()> {
    let id = context.project_id(arguments.project.project.as_deref()).await?;
    let entry = |version: &Value| {
        let schema = version.get("schema").unwrap_or(&Value::Null);
        let tables: Vec<&String> =
            schema.get("tables").and_then(Value::as_object).into_iter().flat_map(Map::keys).collect();
        json!({
            "version": schema.get("version"),
            "id": version.get("id"),
            "updated_at": version.get("updated_at"),
            "tables": tables,
        })
    };
    let versions = context.client.schemas(&id).list();
    arguments.list.print(context, versions, HISTORY_COLUMNS, async |page| page.iter().map(entry).collect()).await
}

async fn json_schema(context: &Context, _: NoArguments) -> anyhow::Result<()> {
    // The schema belongs to the service: no project is named.
    context.output.value(context.client.schemas("").json_schema().send().await?.json()?)
}
