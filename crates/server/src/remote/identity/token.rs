//! The subcommands of `steward token` that use the API.

use std::io::{BufRead as _, IsTerminal as _};

use anyhow::Context as _;
use chrono::{DateTime, TimeDelta, Utc};
use clap::{Args, Subcommand};
use steward_client::{NewPersonalToken, Timestamp};
use steward_crypto::SystemClock;
use steward_domain::kernel::Clock as _;

use crate::remote::plain::{Noun, Plain, commands};
use crate::remote::{Context, Remote};
use crate::terminal::{self, UsageError};

#[derive(Debug, Subcommand)]
pub enum TokenCommand {
    /// Create a personal access token and print its value, which is not shown again
    #[command(after_help = "Examples:\n  \
        steward token create --label CI --roles developer --team acme --days 90\n  \
        steward token create --label deploy --roles project:read,schema:read,schema:write --project shop --days 30 \
        --json --fields value")]
    Create(Remote<CreateToken>),
    /// Print the metadata of an access token or refresh token, which is read from standard input
    #[command(after_help = "Examples:\n  printenv TOKEN | steward token introspect")]
    Introspect(Remote<Introspect>),
}

#[derive(Debug, Args)]
pub struct CreateToken {
    /// Display name
    #[arg(long)]
    label: String,
    /// Comma-separated roles (owner, admin, developer, viewer) and permissions such as key:read
    #[arg(long)]
    roles: String,
    /// Limit the token to this team and its projects, by ID or slug; can be repeated
    #[arg(long = "team", value_name = "TEAM")]
    teams: Vec<String>,
    /// Limit the token to this project, by ID or slug; can be repeated
    #[arg(long = "project", value_name = "PROJECT")]
    projects: Vec<String>,
    /// Number of days until the token expires, at most 366
    #[arg(
        long,
        value_name = "NUMBER",
        required_unless_present = "expires_at",
        conflicts_with = "expires_at",
        value_parser = clap::value_parser!(u16).range(1..=366)
    )]
    days: Option<u16>,
    /// When the token expires, such as 2026-12-31T12:00:00Z
    #[arg(long, value_name = "TIME")]
    expires_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Args)]
pub struct Introspect {}

impl Noun for TokenCommand {
    fn commands() -> Vec<Plain> {
        commands! {
            /// List your personal access tokens, newest first
            "token list", example(""), columns(&["id", "label", "roles", "hint", "last_used", "expires_at"]) {}
            "token create" {}
            /// Revoke a personal access token
            "token revoke", alias("delete"), confirm("Revoke the token {}?"),
                done("revoked", "The token {} is revoked.") {}
            "token introspect" {}
        }
    }

    async fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Create(command) => create(&command.context()?, command.arguments).await,
            Self::Introspect(command) => introspect(&command.context()?).await,
        }
    }
}

async fn create(context: &Context, arguments: CreateToken) -> anyhow::Result<()> {
    let expires_at = expiry(&arguments).context("The expiry of the token is out of range.")?;
    let (mut teams, mut projects) = (Vec::new(), Vec::new());
    for team in &arguments.teams {
        teams.push(context.team_id(team).await?);
    }
    for project in &arguments.projects {
        projects.push(context.project_id(Some(project.as_str())).await?);
    }
    let CreateToken { label, roles, .. } = arguments;
    let given = |ids: Vec<String>| (!ids.is_empty()).then_some(ids);
    let (teams, projects, expires_at) = (given(teams), given(projects), Timestamp::from(expires_at).to_string());
    let token = NewPersonalToken { label, roles, teams, projects, expires_at };
    let created = context.client.tokens().create(&token).data().await?;
    terminal::note("Store the value now. It is not shown again.");
    context.output.entry(&created)
}

fn expiry(arguments: &CreateToken) -> Option<DateTime<Utc>> {
    let in_days = |days: u16| SystemClock.now().checked_add_signed(TimeDelta::days(days.into()));
    arguments.expires_at.or_else(|| arguments.days.and_then(in_days))
}

/// Reads the token from standard input, because other users can see the arguments of a process.
async fn introspect(context: &Context) -> anyhow::Result<()> {
    let input = std::io::stdin();
    if input.is_terminal() {
        terminal::note("Paste the token and press Enter.");
    }
    let mut token = String::new();
    input.lock().read_line(&mut token)?;
    let token = token.trim();
    if token.is_empty() {
        return Err(UsageError("There is no token in standard input.".to_owned()).into());
    }
    context.output.entry(&context.client.tokens().introspect(token).json().await?)
}
