//! `steward init`: the files of an app: `steward.json`, the schema, its types, and an example for a framework.

mod framework;
mod selection;

use std::path::Path;

use anyhow::Context as _;
use clap::Args;
use serde_json::json;
use steward_client::PublishParameters;

use crate::terminal::{self, UsageError, prompt};

use super::data::schema;
use super::project_file::directory::{ConfinedFile, ProjectDirectory};
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
        None => return Err(UsageError(format!("Name the framework with --framework: {}.", Framework::names())).into()),
    };
    let directory = Target::current()?;
    let example = framework.example();
    let types_path = example.types.map(|(path, _)| path);
    let names = example.files.iter().map(|(path, _)| *path).chain(types_path);
    // Before a project is created.
    directory.check_absent(&names.chain([project_file::NAME]).collect::<Vec<_>>())?;

    let project = arguments.project.resolve(context).await?;
    let document = document(context, &project, &directory).await?;
    directory.create_project_file(context, &project)?;
    if let Some(document) = &document.to_write {
        directory.create(project_file::DEFAULT_SCHEMA, &format!("{}\n", serde_json::to_string_pretty(document)?))?;
    }
    if let Some((path, language)) = example.types {
        directory.create(path, &schema::types::types(document.document.clone(), language)?)?;
    }
    for (path, text) in example.files {
        directory.create(path, text)?;
    }
    if !document.has_table() {
        let fields = FIELDS.join(" and ");
        terminal::note(&format!("The example uses the table {TABLE} with {fields}, which {} lacks.", document.name));
    }
    let server = context.client.server().as_str();
    let mut steps = Vec::new();
    if !document.is_published {
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
    document: serde_json::Map<String, serde_json::Value>,
    /// What the file contains, unless there is one.
    to_write: Option<serde_json::Map<String, serde_json::Value>>,
    is_published: bool,
    /// Where the document is from.
    name: &'static str,
}

impl SchemaOfApp {
    fn has_table(&self) -> bool {
        let fields = self.document.get("tables").and_then(|tables| tables.get(TABLE)?.get("fields"));
        fields.is_some_and(|fields| FIELDS.iter().all(|field| fields.get(field).is_some()))
    }
}

/// Returns the schema: that of an existing file, or the published one, or the one to start with, which a new project gets.
async fn document(context: &Context, project: &Project, directory: &Target) -> anyhow::Result<SchemaOfApp> {
    let schemas = context.client.schemas(&project.id);
    let published = schema::publication::find(&schemas, None).await?;
    let mut is_published = published.is_some();
    if let Some(document) = directory.schema()? {
        let name = "the schema in schema.json";
        return Ok(SchemaOfApp { document, to_write: None, is_published: false, name });
    }
    let document = match published {
        Some(version) => schema::file::unpublished(version, &project.id),
        None => schema::starting_document(),
    };
    if project.is_new {
        schemas.publish(document.clone(), PublishParameters::default()).json().await?;
        is_published = true;
    }
    let to_write = Some(document.clone());
    Ok(SchemaOfApp { document, to_write, is_published, name: "the schema of the project" })
}

/// The current directory. No path leads out of it, also through symbolic links.
struct Target {
    path: std::path::PathBuf,
    directory: ProjectDirectory,
}

impl Target {
    fn current() -> anyhow::Result<Self> {
        let path = std::env::current_dir().context("Cannot get the current directory")?;
        let directory = ProjectDirectory::open(&path).with_context(|| format!("Cannot read {}", path.display()))?;
        Ok(Self { path, directory })
    }

    fn file(&self, name: &str) -> anyhow::Result<ConfinedFile> {
        self.directory.file(Path::new(name))
    }

    /// Fails if one of the files exists.
    fn check_absent(&self, names: &[&str]) -> anyhow::Result<()> {
        let mut existing = Vec::new();
        for name in names {
            if self.file(name)?.exists()? {
                existing.push(*name);
            }
        }
        if existing.is_empty() {
            return Ok(());
        }
        let existing = existing.join(", ");
        Err(UsageError(format!("Files would be replaced: {existing}. Run the command in an empty directory.")).into())
    }

    fn schema(&self) -> anyhow::Result<Option<serde_json::Map<String, serde_json::Value>>> {
        let Some(bytes) = self.file(project_file::DEFAULT_SCHEMA)?.read()? else { return Ok(None) };
        let parsed = json_input::parse(&bytes);
        Ok(Some(parsed.with_context(|| format!("{} is not a JSON object", project_file::DEFAULT_SCHEMA))?))
    }

    fn create(&self, name: &str, text: &str) -> anyhow::Result<()> {
        self.file(name)?.create(text)
    }

    fn create_project_file(&self, context: &Context, project: &Project) -> anyhow::Result<()> {
        let server = context.client.server().as_str();
        // The ID: an app signs people in with it.
        ProjectFile::create(&self.path, server, &project.id, Path::new(project_file::DEFAULT_SCHEMA)).map(drop)
    }
}
