//! What every command has: a client, and an output.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use clap::Args;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use steward_client::{Client, Credential, Error, List, ListedProject, ListedTeam};

use crate::terminal::{self, OutputFile, UsageError, prompt};

use super::command::RunCommand as _;
use super::exit::SignInRequired;
use super::output::pages::{self, Pages};
use super::output::{ListColumns, Output, repeated};
use super::profile::ProfileOptions;
use super::project_file::ProjectFile;
use super::sign_in::tokens::ProfileTokens;
use super::sign_in::{CredentialsFile, LogIn};

/// What to do if a list lacks a team because of its rule.
const SIGN_IN: &str = "Set one up in the console, and run `steward login` again.";

// No doc comments on these structs: clap would print them as the description of each command.
#[derive(Debug, Args)]
pub struct Remote<A: Args> {
    #[command(flatten)]
    pub arguments: A,
    #[command(flatten)]
    pub options: ContextOptions,
}

impl<A: Args> Remote<A> {
    pub fn context(&self) -> anyhow::Result<Context> {
        Context::open(&self.options)
    }
}

#[derive(Debug, Args)]
pub struct NoArguments {}

#[derive(Debug, Args)]
pub struct ContextOptions {
    #[command(flatten)]
    profile: ProfileOptions,
    /// Print JSON
    #[arg(long, help_heading = "Output options")]
    json: bool,
    /// Print only these fields, such as id,name
    #[arg(long, value_name = "FIELDS", value_delimiter = ',', help_heading = "Output options")]
    fields: Vec<String>,
    /// Do not ask for confirmation
    #[arg(long, short)]
    pub yes: bool,
}

impl ContextOptions {
    /// Opens the context. A person on a terminal signs in first if necessary.
    pub async fn signed_in_context(&self) -> anyhow::Result<Context> {
        match Context::open(self) {
            Err(error) if error.is::<SignInRequired>() && prompt::is_possible() => {
                LogIn::to(self.profile.clone()).run().await?;
                Context::open(self)
            }
            opened => opened,
        }
    }
}

#[derive(Debug, Args)]
pub struct ListOptions {
    /// Maximum number of entries [default: all]
    #[arg(long, value_name = "NUMBER")]
    limit: Option<usize>,
}

#[derive(Debug, Args)]
pub struct PageOptions {
    /// Maximum number of entries
    #[arg(long, value_name = "NUMBER", default_value_t = 100, value_parser = positive)]
    limit: usize,
    /// List all entries
    #[arg(long, conflicts_with_all = ["limit", "cursor"])]
    all: bool,
    /// Continue an earlier list, with the same conditions and order
    #[arg(long)]
    cursor: Option<String>,
}

fn positive(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|number| *number > 0).ok_or_else(|| "must be a number from 1".to_owned())
}

impl PageOptions {
    /// Prints a part of a list that can be very long, and how to get the rest. For people, `named` adds names to the IDs in
    /// each page.
    pub async fn print<T: DeserializeOwned + Serialize>(
        &self,
        context: &Context,
        list: List<T>,
        columns: ListColumns<'_>,
        mut named: impl AsyncFnMut(Vec<Value>) -> Vec<Value>,
    ) -> anyhow::Result<()> {
        let list = self.cursor.iter().fold(list, List::cursor);
        let limit = (!self.all).then_some(self.limit);
        let is_json = context.output.is_json;
        let form = async |page| if is_json { page } else { named(page).await };
        if let Some(cursor) = print(context, list, limit, columns, form).await? {
            let next = repeated::with_cursor(std::env::args().skip(1), &cursor);
            terminal::note(&format!("There are more than these {}. Next page (all: --all):\n  {next}", self.limit));
        }
        Ok(())
    }
}

impl ListOptions {
    /// Prints a list with these columns, each page converted with `form`.
    pub async fn print<T: DeserializeOwned + Serialize>(
        &self,
        context: &Context,
        list: List<T>,
        columns: &[&str],
        form: impl AsyncFnMut(Vec<Value>) -> Vec<Value>,
    ) -> anyhow::Result<()> {
        print(context, list, self.limit, ListColumns::Named(columns), form).await.map(drop)
    }
}

/// Leaves a page as the service sent it.
pub async fn as_sent(page: Vec<Value>) -> Vec<Value> {
    page
}

/// Prints a list, each page converted with `form`. Returns the cursor of the first entry beyond the limit.
async fn print<T: DeserializeOwned + Serialize>(
    context: &Context,
    list: List<T>,
    limit: Option<usize>,
    columns: ListColumns<'_>,
    mut form: impl AsyncFnMut(Vec<Value>) -> Vec<Value>,
) -> anyhow::Result<Option<String>> {
    let (mut pages, mut printer) = (Pages::of(list, limit), context.output.pages(columns));
    while let Some(page) = pages.next().await? {
        let entries = page.iter().map(serde_json::to_value).collect::<Result<_, _>>()?;
        printer.page(form(entries).await, pages.is_last())?;
    }
    Ok(pages.following)
}

#[derive(Debug, Args)]
pub struct ProjectOption {
    /// ID or slug of the project [default: the project in steward.json]
    #[arg(long)]
    pub project: Option<String>,
}

/// The connection to a service, and how results are shown.
pub struct Context {
    pub client: Client,
    pub output: Output,
    /// Name of the profile, unless the token is from the environment.
    pub profile: Option<String>,
    /// The file that names the project of the current directory.
    pub project_file: Option<ProjectFile>,
    credential: Credential,
    is_confirmed: bool,
}

impl Context {
    pub fn open(options: &ContextOptions) -> anyhow::Result<Self> {
        let project_file = ProjectFile::find()?;
        let project_server = project_file.as_ref().and_then(|file| file.content.server.as_deref());
        let (server, profile, credential) = match options.profile.token() {
            Some(token) => (options.profile.server_for_token(project_server)?, None, Credential::Token(token)),
            None => {
                let options = options.profile.or_server(project_server);
                let file = CredentialsFile::locate(options.credentials.as_deref())?;
                let (name, credentials) = options.select(&file.read()?)?;
                let server = credentials.server.clone();
                let tokens = ProfileTokens::new(file, name.clone(), credentials);
                (server, Some(name), Credential::Source(Arc::new(tokens)))
            }
        };
        let user_agent = concat!("steward/", env!("CARGO_PKG_VERSION"));
        let client = Client::builder(server).credential(credential.clone()).user_agent(user_agent).build()?;
        let output = Output::new(options.json, options.fields.clone());
        Ok(Self { client, output, profile, project_file, credential, is_confirmed: options.yes })
    }

    /// Returns the current access token.
    pub async fn token(&self) -> anyhow::Result<String> {
        match &self.credential {
            Credential::Token(token) => Ok(token.clone()),
            Credential::Source(tokens) => Ok(tokens.token().await.map_err(Error::Token)?),
            _ => bail!("There is no token."),
        }
    }

    /// Asks for confirmation, unless it is given with `--yes`.
    pub fn confirm(&self, question: &str) -> anyhow::Result<()> {
        if self.is_confirmed { Ok(()) } else { prompt::confirm(question) }
    }

    /// Returns a file for output. Asks before an existing one is replaced.
    pub fn output_file(&self, path: &Path) -> anyhow::Result<OutputFile> {
        OutputFile::new(path, self.is_confirmed)
    }

    /// Returns the ID of a team that is named by its ID or slug.
    pub async fn team_id(&self, team: &str) -> anyhow::Result<String> {
        let named = |other: ListedTeam| other.summary.slug.eq_ignore_ascii_case(team).then_some(other.summary.id);
        pages::id(team, self.client.teams().list(), named).await?.with_context(|| {
            format!(
                "None of your teams has the slug {team:?}. `steward team list` shows those that you can use. \
                 A team that requires a second factor is left out. {SIGN_IN}"
            )
        })
    }

    /// Returns the ID of a project that is named by its ID or slug, or else by `steward.json`.
    pub async fn project_id(&self, project: Option<&str>) -> anyhow::Result<String> {
        let default = || self.project_file.as_ref().map(|file| file.content.project.as_str());
        let Some(project) = project.or_else(default) else {
            let message =
                "There is no steward.json here. Name the project with --project, or run `steward schema init`.";
            bail!(UsageError(message.to_owned()));
        };
        let named = |other: ListedProject| other.summary.slug.eq_ignore_ascii_case(project).then_some(other.summary.id);
        pages::id(project, self.client.projects().list(), named).await?.with_context(|| {
            format!(
                "None of your projects has the slug {project:?}. `steward project list` shows those that you can use. \
                 A team that requires a second factor is left out. {SIGN_IN}"
            )
        })
    }
}
