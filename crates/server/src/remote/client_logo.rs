//! `steward client logo`.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, Subcommand};
use serde_json::json;

use super::named_client::NamedClient;
use super::{Context, Remote};

#[derive(Debug, Subcommand)]
pub enum LogoCommand {
    /// Upload a PNG, JPEG, WebP or GIF image, which anyone who knows its URL can read
    #[command(after_help = "Examples:\n  \
        steward client logo upload 018f2a44-9b13-7d42-8c5e-1f6a0d3b7e29 logo.png --project shop")]
    Upload(Remote<UploadLogo>),
    /// Delete the logo
    #[command(after_help = "Examples:\n  \
        steward client logo delete 018f2a44-9b13-7d42-8c5e-1f6a0d3b7e29 --project shop --yes")]
    Delete(Remote<NamedClient>),
}

#[derive(Debug, Args)]
pub struct UploadLogo {
    #[command(flatten)]
    named: NamedClient,
    /// File with the image
    file: PathBuf,
}

pub async fn run(command: LogoCommand) -> anyhow::Result<()> {
    match command {
        LogoCommand::Upload(command) => upload(&command.context()?, &command.arguments).await,
        LogoCommand::Delete(command) => delete(&command.context()?, &command.arguments).await,
    }
}

async fn upload(context: &Context, arguments: &UploadLogo) -> anyhow::Result<()> {
    let UploadLogo { named, file } = arguments;
    let image = std::fs::read(file).with_context(|| format!("Cannot read {}", file.display()))?;
    let project = context.project_id(named.project.project.as_deref()).await?;
    let client = context.client.oauth_clients(&project).upload_logo(&named.client_id, &image).data().await?;
    context.output.entry(&json!({"id": client.id, "logo_url": client.logo_url}))
}

async fn delete(context: &Context, named: &NamedClient) -> anyhow::Result<()> {
    let project = context.project_id(named.project.project.as_deref()).await?;
    context.confirm(&format!("Delete the logo of the client {}?", named.client_id))?;
    context.client.oauth_clients(&project).delete_logo(&named.client_id).done().await?;
    let entry = json!({"id": named.client_id, "logo_deleted": true});
    context.output.done(&format!("The logo of the client {} is deleted.", named.client_id), &entry)
}
