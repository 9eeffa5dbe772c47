//! `steward init`: the files of an app: `steward.json`, the schema, its types, and an example for a framework.

mod framework;
mod selection;

use std::path::Path;

use anyhow::{Context as _, bail};
use clap::Args;
use serde_json::{Map, Value, json};
use steward_client::PublishParameters;

use crate::terminal::{self, UsageError, prompt};

use super::data::schema::{self, types};
use super::project_file::directory::ProjectDirectory;
use super::project_file::{self, ProjectFile};
use super::{Context, json_input};

use framework::Framework;
use selection::{Project, ProjectSelection};

pub const EXAMPLES: &str = "Examples:
  steward init
  steward init --project rocket --framework react
  steward init --name Rocket --team acme --framework fastapi

In the current directory, the command writes steward.json, which names the service and the project, schema.json, the
types of its tables, and the example of a framework: people sign in, and each sees their own notes. It never replaces
a file. A new project gets the schema of the example. On a terminal, the command asks for what is missing.";

/// The table that the examples use, with its fields.
const TABLE: &str = "notes";
const FIELDS: [&str; 2] = ["title", "done"];

#[derive(Debug, Args)]
pub struct Init {
    #[command(flatten)]
    project: ProjectSelection,
    /// Framework of the example
    #[arg(long, value_enum)]
    framework: Option<Framework>,
}

pub async fn run(context: &Context, arguments: Init) -> anyhow::Result<()> {
    let framework = match arguments.framework {
        Some(framework) => framework,
        None if prompt::is_possible() => Framework::ask()?,
        None => bail!(UsageError(format!("Name the framework with --framework: {}.", Framework::names().join(", ")))),
    };
    let directory = ProjectDirectory::current()?;
    let example = framework.example();
    let types_path = example.types.map(|(path, _)| path);
    let names = example.files.iter().map(|(path, _)| *path).chain(types_path);
    // Before a project is created.
    check_absent(&directory, names.chain([project_file::NAME]))?;

    let project = arguments.project.resolve(context).await?;
    let schema = schema_of_app(context, &project, &directory).await?;
    let server = context.client.server().as_str();
    // The ID: an app signs people in with it.
    let file = ProjectFile::create(directory, server, &project.id, Path::new(project_file::DEFAULT_SCHEMA))?;
    let create = |path: &str, text: &str| file.directory.file(Path::new(path))?.create(text);
    if !schema.is_written {
        create(project_file::DEFAULT_SCHEMA, &format!("{}\n", serde_json::to_string_pretty(&schema.document)?))?;
    }
    if let Some((path, language)) = example.types {
        create(path, &types::types(schema.document.clone(), language)?)?;
    }
    example.files.iter().try_for_each(|(path, text)| create(path, text))?;
    if !schema.has_table() {
        let fields = FIELDS.join(" and ");
        let place = if schema.is_written { "the schema in schema.json" } else { "the schema of the project" };
        terminal::note(&format!("The example uses the table {TABLE} with {fields}, which {place} lacks."));
    }
    let mut steps = Vec::new();
    if !schema.is_published {
        steps.push("steward schema push");
    }
    steps.extend(example.steps);
    let text: String = steps.iter().map(|step| format!("\n  {step}")).collect();
    let message = format!(
        "Wrote an example of {} for the project {}. Next:{text}\nThe guide: {}/docs/guides/{}",
        framework.name(),
        project.name,
        server.trim_end_matches('/'),
        example.guide,
    );
    let files: Vec<&str> = example.files.iter().map(|(path, _)| *path).chain(types_path).collect();
    let entry =
        json!({"project": project.id, "server": server, "framework": framework.name(), "files": files, "next": steps});
    context.output.done(&message, &entry)
}

/// The schema of the app.
struct SchemaOfApp {
    document: Map<String, Value>,
    is_published: bool,
    /// Whether the document is in the file.
    is_written: bool,
}

impl SchemaOfApp {
    fn has_table(&self) -> bool {
        let fields = self.document.get("tables").and_then(|tables| tables.get(TABLE)?.get("fields"));
        fields.is_some_and(|fields| FIELDS.iter().all(|field| fields.get(field).is_some()))
    }
}

/// Returns the schema: that of an existing file, or the published one, or the one to start with, which a new project gets.
async fn schema_of_app(
    context: &Context,
    project: &Project,
    directory: &ProjectDirectory,
) -> anyhow::Result<SchemaOfApp> {
    let schemas = context.client.schemas(&project.id);
    let published = schema::publication::find(&schemas, None).await?;
    let mut is_published = published.is_some();
    if let Some(document) = existing_schema(directory)? {
        return Ok(SchemaOfApp { document, is_published: false, is_written: true });
    }
    let document = match published {
        Some(version) => schema::file::unpublished(version, &project.id),
        None => schema::starting_document(),
    };
    if project.is_new {
        schemas.publish(document.clone(), PublishParameters::default()).json().await?;
        is_published = true;
    }
    Ok(SchemaOfApp { document, is_published, is_written: false })
}

/// Fails if one of the files exists.
fn check_absent<'a>(directory: &ProjectDirectory, names: impl Iterator<Item = &'a str>) -> anyhow::Result<()> {
    let mut existing = Vec::new();
    for name in names {
        if directory.file(Path::new(name))?.exists()? {
            existing.push(name);
        }
    }
    if existing.is_empty() {
        return Ok(());
    }
    let existing = existing.join(", ");
    bail!(UsageError(format!("Files would be replaced: {existing}. Run the command in an empty directory.")))
}

fn existing_schema(directory: &ProjectDirectory) -> anyhow::Result<Option<Map<String, Value>>> {
    let name = project_file::DEFAULT_SCHEMA;
    let Some(bytes) = directory.file(Path::new(name))?.read()? else { return Ok(None) };
    Ok(Some(json_input::parse(&bytes).with_context(|| format!("{name} is not a JSON object"))?))
}
