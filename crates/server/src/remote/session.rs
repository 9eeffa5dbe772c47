//! `steward session`.

use clap::{Args, Subcommand};

use super::{Context, Remote};

#[derive(Debug, Subcommand)]
pub enum SessionCommand {
    /// Get the sign-in that issued the access token
    #[command(after_help = "Examples:\n  steward session get\n  steward session get --json --fields session_id")]
    Get(Remote<CurrentSession>),
}

#[derive(Debug, Args)]
pub struct CurrentSession {}

pub async fn run(command: SessionCommand) -> anyhow::Result<()> {
    let SessionCommand::Get(command) = command;
    get(&command.context()?).await
}

async fn get(context: &Context) -> anyhow::Result<()> {
    context.output.entry(&context.client.sessions().current().json().await?)
}
