//! `steward project image`.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;
use steward_client::ImageKind;

use crate::remote::{Context, ProjectOption, Remote};

#[derive(Debug, Subcommand)]
pub enum ImageCommand {
    /// List the uploaded icon and background
    List(Remote<ProjectOption>),
    /// Upload a PNG, JPEG, WebP or GIF image, which anyone who knows its URL can read
    #[command(after_help = "Examples:\n  steward project image upload icon logo.png --project rocket\n  \
        steward project image upload background sky.webp")]
    Upload(Remote<UploadImage>),
    /// Delete an image
    #[command(after_help = "Examples:\n  steward project image delete icon --yes")]
    Delete(Remote<DeleteImage>),
}

#[derive(Debug, Args)]
pub struct UploadImage {
    /// What the image is used as
    kind: ImageUse,
    /// File with the image
    file: PathBuf,
    #[command(flatten)]
    project: ProjectOption,
}

#[derive(Debug, Args)]
pub struct DeleteImage {
    /// Image to delete
    kind: ImageUse,
    #[command(flatten)]
    project: ProjectOption,
}

/// What a project uses an image as.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum ImageUse {
    Icon,
    Background,
}

impl From<ImageUse> for ImageKind {
    fn from(image: ImageUse) -> Self {
        match image {
            ImageUse::Icon => Self::Icon,
            ImageUse::Background => Self::Background,
        }
    }
}

pub async fn run(command: ImageCommand) -> anyhow::Result<()> {
    match command {
        ImageCommand::List(command) => list(&command.context()?, &command.arguments).await,
        ImageCommand::Upload(command) => upload(&command.context()?, &command.arguments).await,
        ImageCommand::Delete(command) => delete(&command.context()?, &command.arguments).await,
    }
}

async fn list(context: &Context, arguments: &ProjectOption) -> anyhow::Result<()> {
    let id = context.project_id(arguments.project.as_deref()).await?;
    let images = context.client.images(&id).list().json().await?.images;
    let mut entries = Vec::new();
    let icon = images.icon.map(|icon| (ImageKind::Icon, icon.file, icon.icon_url));
    let background = images.background.map(|image| (ImageKind::Background, image.file, image.background_url));
    for (kind, file, url) in icon.into_iter().chain(background) {
        entries.push(json!({
            "kind": kind.as_str(),
            "content_type": file.content_type,
            "size": file.size,
            "uploaded_at": file.last_modified,
            "url": url,
        }));
    }
    context.output.list(&entries, &["kind", "content_type", "size", "uploaded_at", "url"])
}

async fn upload(context: &Context, arguments: &UploadImage) -> anyhow::Result<()> {
    let file = &arguments.file;
    let image = std::fs::read(file).with_context(|| format!("Cannot read {}", file.display()))?;
    let id = context.project_id(arguments.project.project.as_deref()).await?;
    let kind = ImageKind::from(arguments.kind);
    let url = context.client.images(&id).upload(kind, &image).await?;
    context.output.entry(&json!({"kind": kind.as_str(), "url": url}))
}

async fn delete(context: &Context, arguments: &DeleteImage) -> anyhow::Result<()> {
    let id = context.project_id(arguments.project.project.as_deref()).await?;
    let kind = ImageKind::from(arguments.kind);
    context.confirm(&format!("Delete the {}?", kind.as_str()))?;
    context.client.images(&id).delete(kind).done().await?;
    let entry = json!({"kind": kind.as_str(), "deleted": true});
    context.output.done(&format!("The {} is deleted.", kind.as_str()), &entry)
}
