//! `steward app`: the project that a person granted access to, with the token that the project received.

use anyhow::Context as _;
use clap::Args;
use serde_json::json;

use crate::remote::command::by_hand;
use crate::remote::{Context, Remote};

by_hand! {
    AppCommand {
        /// Get the project of the token, and yourself as its user
        #[command(after_help = "Examples:\n  STEWARD_TOKEN=... steward app get")]
        Get(Remote<NamedApp>) => get,
        /// Disconnect from the project and revoke your tokens for it
        #[command(after_help = "Examples:\n  STEWARD_TOKEN=... steward app leave --erase --yes")]
        Leave(Remote<LeaveApp>) => leave,
        /// Print all data that the project stores about you, as JSON
        #[command(after_help = "Examples:\n  STEWARD_TOKEN=... steward app export > data.json")]
        Export(Remote<NamedApp>) => export,
    }
}

#[derive(Debug, Args)]
pub struct NamedApp {
    /// ID or DID of the project [default: the project of the token]
    project: Option<String>,
}

#[derive(Debug, Args)]
pub struct LeaveApp {
    #[command(flatten)]
    named: NamedApp,
    /// Delete your items in the project first
    #[arg(long)]
    erase: bool,
}

async fn project(context: &Context, named: &NamedApp) -> anyhow::Result<String> {
    if let Some(project) = &named.project {
        return Ok(project.clone());
    }
    let credential = context.client.account().credential().data().await?;
    let project = credential
        .project_id
        .context("The token is not for a project. Set STEWARD_TOKEN to a token of a project's user.")?;
    Ok(project.to_string())
}

async fn get(context: &Context, named: NamedApp) -> anyhow::Result<()> {
    let project = project(context, &named).await?;
    context.output.entry(&context.client.apps().get(&project).data().await?)
}

async fn leave(context: &Context, arguments: LeaveApp) -> anyhow::Result<()> {
    let project = project(context, &arguments.named).await?;
    let effect = if arguments.erase { "Delete your items and leave" } else { "Leave" };
    context.confirm(&format!("{effect} the project {project}?"))?;
    context.client.apps().leave(&project, arguments.erase).done().await?;
    let entry = json!({"id": project, "left": true, "erased": arguments.erase});
    context.output.done(&format!("You left the project {project}."), &entry)
}

async fn export(context: &Context, named: NamedApp) -> anyhow::Result<()> {
    let project = project(context, &named).await?;
    context.output.value(context.client.apps().export(&project).send().await?.json()?)
}
