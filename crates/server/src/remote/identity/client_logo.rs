//! `steward client logo`.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use serde_json::json;

use crate::remote::plain::noun;
use crate::remote::{Context, ProjectOption, Remote};

noun! {
    LogoCommand {
        /// Upload a PNG, JPEG, WebP or GIF image, which anyone who knows its URL can read
        #[command(after_help = "Examples:\n  \
            steward client logo upload 018f2a44-9b13-7d42-8c5e-1f6a0d3b7e29 logo.png --project shop")]
        Upload(Remote<UploadLogo>) => upload,
    }

    "client logo upload" {}
    /// Delete the logo
    "client logo delete", example("018f2a44-9b13-7d42-8c5e-1f6a0d3b7e29 --project shop --yes"),
        confirm("Delete the logo of the client {}?"),
        done("logo_deleted", "The logo of the client {} is deleted.") {}
}

#[derive(Debug, Args)]
pub struct UploadLogo {
    /// Client ID
    client_id: String,
    /// File with the image
    file: PathBuf,
    #[command(flatten)]
    project: ProjectOption,
}

async fn upload(context: &Context, UploadLogo { client_id, file, project }: UploadLogo) -> anyhow::Result<()> {
    let image = std::fs::read(&file).with_context(|| format!("Cannot read {}", file.display()))?;
    let project = context.project_id(project.project.as_deref()).await?;
    let client = context.client.oauth_clients(&project).upload_logo(&client_id, &image).data().await?;
    context.output.entry(&json!({"id": client.id, "logo_url": client.logo_url}))
}
