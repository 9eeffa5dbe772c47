//! Commands that use the API of a service. They run on a person's own machine.

mod api;
mod app;
pub mod audit;
mod context;
mod exit;
mod export;
mod file_format;
mod import;
mod invite;
mod item;
mod item_table;
mod json_input;
mod key;
mod member;
mod output;
mod pages;
mod parent;
mod profile;
mod project;
mod project_directory;
mod project_file;
mod project_images;
mod project_settings;
pub mod prompt;
mod schema;
mod schema_file;
mod schema_publication;
mod schema_types;
mod schema_warnings;
mod session;
mod team;
pub mod token;
mod tokens;
pub mod user;
mod webhook;
mod whoami;

use clap::Subcommand;

use crate::login::{self, LogIn};

pub use context::{Context, ContextOptions, ListOptions, PageOptions, ProjectOption, Remote};
pub use exit::{
    BreakingChanges, MembersWithoutEffect, SignInRequired, UsageError, exit_code, is_output_closed, print_details,
};
pub use output::ListColumns;
pub use profile::{DEFAULT_SERVER, ProfileOptions, VARIABLES};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Sign in to a service with the browser
    #[command(after_help = "Examples:\n  steward login --server https://steward.example.com\n  \
        steward login --server https://staging.example.com --profile staging\n\n\
        The browser must run on this machine. Where there is none, set STEWARD_TOKEN to a personal access token.")]
    Login(LogIn),
    /// Sign out and delete the stored tokens
    Logout(ProfileOptions),
    /// Print the signed-in account or the current credential; as JSON if the output is not a terminal
    Whoami(Remote<whoami::WhoAmI>),
    /// Print credentials
    #[command(subcommand)]
    Auth(whoami::AuthCommand),
    /// Manage teams
    #[command(subcommand)]
    Team(team::TeamCommand),
    /// Manage the members of a team
    #[command(subcommand)]
    Member(member::MemberCommand),
    /// Manage invites to teams
    #[command(subcommand)]
    Invite(invite::InviteCommand),
    /// Manage projects, their settings and images
    #[command(subcommand)]
    Project(project::ProjectCommand),
    /// Manage the API keys of a project
    #[command(subcommand)]
    Key(key::KeyCommand),
    /// Manage the schema of a project as a file: compare, publish, generate types
    #[command(subcommand)]
    Schema(schema::SchemaCommand),
    /// Manage the items of a user, and import and export them
    #[command(subcommand)]
    Item(Box<item::ItemCommand>),
    /// Manage the webhooks of a team or project
    #[command(subcommand)]
    Webhook(webhook::WebhookCommand),
    /// Get the current sign-in
    #[command(subcommand)]
    Session(session::SessionCommand),
    /// Get, leave or export the project that a token of its user is for
    #[command(subcommand)]
    App(app::AppCommand),
    /// Send a request to any operation of the API
    #[command(after_help = api::EXAMPLES)]
    Api(Remote<api::Api>),
}

/// Runs a command.
pub async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Login(arguments) => login::log_in(&arguments).await,
        Command::Logout(options) => login::log_out(&options).await,
        Command::Whoami(command) => whoami::run(&command.context()?).await,
        Command::Auth(command) => whoami::run_auth(command).await,
        Command::Team(command) => team::run(command).await,
        Command::Member(command) => member::run(command).await,
        Command::Invite(command) => invite::run(command).await,
        Command::Project(command) => project::run(command).await,
        Command::Key(command) => key::run(command).await,
        Command::Schema(command) => schema::run(command).await,
        Command::Item(command) => item::run(*command).await,
        Command::Webhook(command) => webhook::run(command).await,
        Command::Session(command) => session::run(command).await,
        Command::App(command) => app::run(command).await,
        Command::Api(command) => api::run(&command.context()?, &command.arguments).await,
    }
}

/// Returns the part of `--help` about all of these commands.
pub fn help() -> String {
    let variables = VARIABLES.iter().map(|(name, description)| format!("  {name:<30} {description}\n"));
    let head =
        "Commands that use the API of a service accept their options before and after the command, and read these \
        environment variables:\n"
            .to_owned();
    std::iter::once(head).chain(variables).chain([format!("\n{}", exit::HELP)]).collect()
}
