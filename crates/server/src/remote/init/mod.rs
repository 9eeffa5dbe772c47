//! `steward init`: the files of an app: `steward.json`, the schema, its types, and an example for a framework.

mod selection;

use std::path::Path;

use anyhow::{Context as _, bail};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde_json::{Map, Value, json};
use steward_client::PublishParameters;
use steward_pages::Framework;

use crate::terminal::{self, UsageError, prompt};

use super::command::RunCommand;
use super::data::schema::{self, types};
use super::project_file::directory::ProjectDirectory;
use super::project_file::{self, ProjectFile};
use super::{Context, Remote, json_input};

use selection::{Project, ProjectSelection};

pub const EXAMPLES: &str = "Examples:
  steward init
  steward init --project rocket --framework react
  steward init --name Rocket --team acme --framework fastapi

In the current directory, the command writes steward.json, which names the service and the project, schema.json, the
types of its tables, and the example of a framework: people sign in, and each sees their own notes. It never replaces
a file. A new project gets the schema of the example. On a terminal, the command asks for what is missing, and signs
you in.";

/// The table that the examples use, with its fields.
const TABLE: &str = "notes";
const FIELDS: [&str; 2] = ["title", "done"];

#[derive(Debug, Args)]
pub struct Init {
    #[command(flatten)]
    project: ProjectSelection,
    /// Framework of the example
    #[arg(long, value_parser = framework_parser())]
    framework: Option<&'static Framework>,
}

impl RunCommand for Remote<Init> {
    /// Signs the person in first if necessary: the command is often the first one on a machine.
    async fn run(self) -> anyhow::Result<()> {
        let context = self.options.signed_in_context().await?;
        run(&context, self.arguments).await
    }
}

/// Parses the name of a framework. The guide of one has another name, which is not listed.
fn framework_parser() -> impl TypedValueParser<Value = &'static Framework> {
    let values = Framework::with_example().map(|framework| PossibleValue::new(framework.name).alias(framework.guide));
    PossibleValuesParser::new(values).try_map(|name| {
        let mut frameworks = Framework::with_example();
        frameworks.find(|framework| [framework.name, framework.guide].contains(&&*name)).ok_or("unknown framework")
    })
}

/// Asks a person.
fn ask(names: &[String]) -> anyhow::Result<&'static Framework> {
    let chosen = prompt::choose("Framework", names)?;
    Framework::with_example().nth(chosen).context("The framework is unknown.")
}

async fn run(context: &Context, arguments: Init) -> anyhow::Result<()> {
    let names: Vec<String> = Framework::with_example().map(|framework| framework.name.to_owned()).collect();
    let framework = match arguments.framework {
        Some(framework) => framework,
        None if prompt::is_possible() => ask(&names)?,
        None => bail!(UsageError(format!("Name the framework with --framework: {}.", names.join(", ")))),
    };
    let directory = ProjectDirectory::current()?;
    let types_path = framework.types.map(|(path, _)| path);
    let names = framework.files.iter().map(|(path, _)| *path).chain(types_path);
    // Before a project is created.
    check_absent(&directory, names.chain([project_file::NAME]))?;

    let project = arguments.project.resolve(context).await?;
    let schema = schema_of_app(context, &project, &directory).await?;
    let server = context.client.server().as_str().trim_end_matches('/');
    // The ID: an app signs people in with it.
    let file = ProjectFile::create(directory, server, &project.id, Path::new(project_file::DEFAULT_SCHEMA))?;
    let create = |path: &str, text: &str| file.directory.file(Path::new(path))?.create(text);
    if !schema.is_written {
        create(project_file::DEFAULT_SCHEMA, &format!("{}\n", serde_json::to_string_pretty(&schema.document)?))?;
    }
    if let Some((path, language)) = framework.types {
        create(path, &types::types(schema.document.clone(), language)?)?;
    }
    framework.files.iter().try_for_each(|(path, text)| create(path, text))?;
    if !schema.has_table() {
        let fields = FIELDS.join(" and ");
        let place = if schema.is_written { "the schema in schema.json" } else { "the schema of the project" };
        terminal::note(&format!("The example uses the table {TABLE} with {fields}, which {place} lacks."));
    }
    let mut steps = framework.steps(server);
    if !schema.is_published {
        steps.insert(0, "steward schema push".to_owned());
    }
    let text: String = steps.iter().map(|step| format!("\n  {step}")).collect();
    let message = format!(
        "Wrote an example of {} for the project {}. Next:{text}\nThe guide: {}/docs/guides/{}",
        framework.name, project.name, server, framework.guide,
    );
    let files: Vec<&str> = framework.files.iter().map(|(path, _)| *path).chain(types_path).collect();
    let entry =
        json!({"project": project.id, "server": server, "framework": framework.name, "files": files, "next": steps});
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
