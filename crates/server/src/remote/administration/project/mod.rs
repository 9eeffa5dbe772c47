//! `steward project`.

mod images;
mod settings;

use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};

use crate::remote::plain::{Noun, Outcome, Plain, commands};
use crate::remote::{Context, Remote, json_input};
use crate::terminal::UsageError;

#[derive(Debug, Subcommand)]
pub enum ProjectCommand {
    /// Show how many requests a project received
    #[command(after_help = "Examples:\n  steward project requests rocket --series --days 7")]
    Requests(Remote<ProjectRequests>),
    /// Manage the settings of a project
    #[command(subcommand)]
    Settings(settings::SettingsCommand),
    /// Manage the icon and the background of a project
    #[command(subcommand)]
    Image(images::ImageCommand),
}

#[derive(Debug, Args)]
pub struct ProjectRequests {
    /// ID or slug of the project [default: the project in steward.json]
    project: Option<String>,
    /// Print the number of requests of each day instead
    #[arg(long)]
    series: bool,
    /// Number of days, up to today
    #[arg(long, value_name = "NUMBER", default_value_t = 30, value_parser = clap::value_parser!(u16).range(1..=365))]
    days: u16,
}

impl Noun for ProjectCommand {
    fn commands() -> Vec<Plain> {
        commands! {
            /// List the projects of your teams, newest first
            "project list", example(""), example("--json --fields id,slug"),
                columns(&["id", "slug", "name", "team_slug", "created_at"]) {}
            /// Get a project with the usage of its quotas
            "project get", example("rocket"), example("--json --fields usage") {}
            "project requests" {}
            /// Create a project in a team
            "project create", example("--team acme --name Rocket --slug rocket") {
                /// ID or slug of the team that owns the project
                text "team", of("team_id");
                /// Display name
                text "name";
                /// URL-friendly name, unique in the service [default: generated from the name]
                text "slug";
            }
            /// Update a project
            "project update", example("rocket --website https://rocket.example.com"),
                example("--public-profile '{\"color\": \"red\"}'") {
                /// New display name
                text "name";
                /// New URL-friendly name
                text "slug";
                /// New website
                text "website", value("URL");
                /// Remove the website
                switch "remove-website", sets("website", Value::Null);
                /// JSON object to merge into the public profile; null removes a member
                text "public-profile", value("JSON"), of("profile"), read(profile);
            }
            /// Delete a project and all its data
            "project delete", example("rocket --yes"), confirm("Delete the project {} and all its data?"),
                done("deleted", "The project {} is deleted.") {}
            /// Check whether a slug is available
            "project check-slug", example("rocket"), prints(Outcome::WithFlags) {
                /// Slug to check
                text "slug", positional();
            }
            /// Get what everyone may read of a project
            "project public" {}
            "project settings" {}
            "project image" {}
        }
    }

    async fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Requests(command) => requests(&command.context()?, &command.arguments).await,
            Self::Settings(command) => settings::run(command).await,
            Self::Image(command) => images::run(command).await,
        }
    }
}

fn profile(text: Value) -> anyhow::Result<Value> {
    let invalid = |error| UsageError(format!("--public-profile is not a JSON object: {error}"));
    let profile = json_input::parse::<Map<String, Value>>(text.as_str().unwrap_or_default().as_bytes());
    Ok(profile.map_err(invalid)?.into())
}

async fn requests(context: &Context, arguments: &ProjectRequests) -> anyhow::Result<()> {
    let id = context.project_id(arguments.project.as_deref()).await?;
    let stats = context.client.projects().request_stats(&id, arguments.days).json().await?;
    if arguments.series {
        return context.output.list(&stats.series, &["date", "requests"]);
    }
    context.output.entry(&json!({"days": arguments.days, "total": stats.total, "today": stats.today}))
}
